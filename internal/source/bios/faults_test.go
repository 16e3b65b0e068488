package bios_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/source/bios"
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

// TestEqualKeys checks that of two equal keys with different values neither counts, in any order, with a problem;
// equal values count once.
func TestEqualKeys(t *testing.T) {
	const head, tail = `{"@odata.type":"#Bios.v1_0_0.Bios","AttributeRegistry":"R","Attributes":{`, `}}`
	for body, want := range map[string]struct {
		stated   bool
		problems []string
	}{
		`"NumaNodes":"4","Turbo":"On","Turbo":"Off"`:             {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"Off","NumaNodes":"a:b\"c","Turbo":"On"`:        {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"Off","Turbo":"On","Turbo":null`:   {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"On"`:                              {true, nil},
		`"Turbo":"On","NumaNodes":"x:y","Other":"\\\"Turbo\":1"`: {true, nil},
	} {
		e, err := bios.Decode("x.json", []byte(head+body+tail))
		require.NoError(t, err, body)
		assert.Equal(t, want.problems, e.Problems, body)
		found := false
		for _, a := range e.Attributes {
			if a.Name == "Turbo" {
				found = true
				assert.Equal(t, want.stated, a.Stated, body)
			}
		}
		assert.True(t, found, body)
	}
}

// TestCostOfJSON checks that an export's JSON takes memory in proportion to its length, whatever its keys and lists are,
// and that what is too much is refused with its place.
func TestCostOfJSON(t *testing.T) {
	long := strings.Repeat("k", 350_003)
	many := func(n int, entry string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, entry, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	document := `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {` + many(317, `"Name%d": "on",`) + `%s}}`
	for name, c := range map[string]struct{ text, want string }{
		"a long key before a list":  {fmt.Sprintf(document, `, "`+long+`": [`+many(170_001, "%d,")+`]`), "longer than 65536 bytes"},
		"a long key above settings": {`{"` + long + `": ` + fmt.Sprintf(document, many(17_003, `, "N%d": 1`)) + `}`, ""},
		"long keys twice":           {fmt.Sprintf(document, many(53, `, "x": {"`+long[:9_000]+`%[1]d": 1, "`+long[:9_000]+`%[1]d": 2}`)), ""},
		"keys":                      {fmt.Sprintf(document, many(123_457, `, "N%d": 1`)), "$.Attributes.N19683: more than 20000 keys in one object"},
		"values":                    {`{"Attributes": {}, "list": [` + many(523_457, "%d,") + `]}`, "more than 500000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e, err := bios.Decode("export.json", []byte(c.text))
			runtime.ReadMemStats(&after)
			taken := (after.TotalAlloc - before.TotalAlloc) / uint64(len(c.text))
			t.Logf("%d bytes for each of %d, %v", taken, len(c.text), err)
			assert.Less(t, taken, uint64(2000), "a path kept for each element would take hundreds of thousands")
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				assert.Less(t, len(err.Error()), 1000)
				return
			}
			require.NoError(t, err)
			assert.NotEmpty(t, e.Attributes)
			for _, a := range e.Attributes {
				assert.Less(t, len(a.Place), 1000)
			}
		})
	}
}
