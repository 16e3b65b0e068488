package bios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/bios"
)

// TestFaultsAreNamed checks that a fault is reported with its place, and that the rest of the export is read.
func TestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     bios.Format
		// reads lists the attributes that are read; says is part of the only problem.
		reads []string
		says  string
	}{
		{name: "SCP: an attribute that is a text", format: bios.SCPJSON,
			text:  `{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": ["x", {"Name": "LogicalProc", "Value": "Enabled"}]}]}}`,
			reads: []string{"LogicalProc"}, says: "$.SystemConfiguration.Components[0].Attributes[0]: not an object"},
		{name: "SCP: an attribute without a value", format: bios.SCPJSON,
			text:  `{"SystemConfiguration": {"Components": [{"FQDD": "BIOS.Setup.1-1", "Attributes": [{"Name": "ProcC1E"}, {"Name": "LogicalProc", "Value": "Enabled"}]}]}}`,
			reads: []string{"LogicalProc"}, says: "Attributes[0]: no Value"},
		{name: "SCE: an entry that asks nothing", format: bios.SCE,
			text:  `[{"Title": "Hyper-Threading", "Question Id": 1, "Value": 1}, {"Title": "a heading"}]`,
			reads: []string{"Hyper-Threading"}, says: "$[1]: no question"},
		{name: "SUM: an option without a choice", format: bios.SUMXML,
			text:  `<?xml version="1.0"?><BiosCfg><Menu name="CPU"><Setting name="A" type="Option"></Setting><Setting name="B" selectedOption="On" type="Option"></Setting></Menu></BiosCfg>`,
			reads: []string{"A", "B"}, says: `setting "A" has no selectedOption`},
		{name: "omreport: a profile by a new text", format: bios.Omreport, text: omreport, reads: []string{"Logical Processor", "SysProfile"},
			says: `the system profile "Something new" is not known by that text`},
	} {
		e := decoded(t, "a", c.text)
		assert.Equal(t, c.format, e.Format, c.name)
		var reads []string
		for _, a := range e.Attributes {
			reads = append(reads, a.Name)
		}
		assert.Equal(t, c.reads, reads, c.name)
		require.Len(t, e.Problems, 1, c.name)
		assert.Contains(t, e.Problems[0], c.says, c.name)
	}
}

// TestWhatCannotBeRead checks that a file of an unknown format, or without settings, is refused with what was
// expected; it is never an export without settings.
func TestWhatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{name: "SCP without the BIOS", text: `{"SystemConfiguration": {"Components": [{"FQDD": "NIC.1"}]}}`, says: "expected an export that includes the BIOS"},
		{name: "SUM without a setting", text: `<?xml version="1.0"?><BiosCfg><Menu name="CPU"></Menu></BiosCfg>`, says: "<BiosCfg> without a <Setting>"},
		{name: "cut in the middle", text: dellResource[:len(dellResource)/2], says: ""},
		{name: "cut XML", text: sumXML[:len(sumXML)-60], says: ""},
		{name: "prose", text: "Dear colleague,\nthe settings are fine.\n", says: ""},
		{name: "empty", text: "", says: ""},
		{name: "bytes", text: strings.Repeat("\x00\xff", 100), says: ""},
	} {
		e, err := bios.Decode("a", []byte(c.text))
		require.Error(t, err, c.name)
		assert.Nil(t, e, c.name)
		assert.Contains(t, err.Error(), c.says, c.name)
	}
}
