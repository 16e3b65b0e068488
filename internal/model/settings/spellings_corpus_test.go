//go:build corpus

package settings_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

var updateSpellings = flag.Bool("update-spellings", false, "rewrite the rows of rules/settings/spellings.tsv that come from the corpus")

// witness is what a file of the corpus shows for a vendor's table.
type witness struct{ file, vendor, source, form string }

var witnesses = []witness{
	{"bios-cli/dell-wsman-bios_enumeration.xml", "Dell", "WSMAN", settings.FormRedfish},
	{"bios-cli/dell-scp-c6320.xml", "Dell", "C6320", settings.FormRedfish},
	{"redfish/dell-mx740c.json", "Dell", "MX740C", settings.FormRedfish},
	{"redfish/dell-r650.json", "Dell", "R650", settings.FormRedfish},
	{"bios-cli/dell-scp-r6515.json", "Dell", "R6515", settings.FormRedfish},
	{"redfish/dell-r6615.json", "Dell", "R6615", settings.FormRedfish},
	{"redfish/dell-r670.json", "Dell", "R670", settings.FormRedfish},
	{"redfish/hpe-gen10-u34-2018.json", "HPE", "U34", settings.FormRedfish},
	{"redfish/registries/hpe-u46-dl360-gen10plus.json", "HPE", "U46", settings.FormRedfish},
	{"redfish/registries/hpe-u58-dl380a-gen11.json", "HPE", "U58", settings.FormRedfish},
	{"redfish/registries/hpe-u68-dl360-gen12.json", "HPE", "U68", settings.FormRedfish},
	{"redfish/registries/hpe-u71-alletra4220-gen12.json", "HPE", "U71", settings.FormRedfish},
	{"redfish/registries/hpe-a42-dl365-gen10plus.json", "HPE", "A42", settings.FormRedfish},
	{"redfish/registries/hpe-a43-dl325-gen10plus.json", "HPE", "A43", settings.FormRedfish},
	{"redfish/registries/hpe-a47-xl675d-gen10plus.json", "HPE", "A47", settings.FormRedfish},
	{"redfish/lenovo-se350-fixture.json", "Lenovo", "SE350", settings.FormRedfish},
	{"redfish/lenovo-sr635v3.json", "Lenovo", "SR635V3", settings.FormRedfish},
	{"bios-cli/supermicro-sum-x11dph-t.xml", "Supermicro", "X11", settings.FormSUM},
	{"bios-cli/supermicro-sum-x11sch-f.xml", "Supermicro", "X11SC", settings.FormSUM},
	{"redfish/supermicro-as-1115cs-tnr.json", "Supermicro", "CAP", settings.FormRedfish},
	{"redfish/cisco-c220-m4s.json", "Cisco", "M4", settings.FormRedfish},
	{"redfish/cisco-c220-m5sx.json", "Cisco", "M5", settings.FormRedfish},
	{"redfish/cisco-c225-m6s.json", "Cisco", "M6", settings.FormRedfish},
	{"redfish/cisco-s3260.json", "Cisco", "S3260", settings.FormRedfish},
	{"redfish/cray-ex235a-node0.json", "HPE Cray", "EX235A", settings.FormRedfish},
	{"redfish/cray-ex420-node0.json", "HPE Cray", "EX420", settings.FormRedfish},
	{"bios-cli/ibm-asu-m2-m3-hpc.bat", "IBM", "M2M3", settings.FormASU},
	{"bios-cli/ibm-asu-m4-hpc.bat", "IBM", "M4", settings.FormASU},
	{"bios-cli/asrockrack-e3c246d4i-nl.json", "ASRock Rack", "E3C246", settings.FormRedfish},
}

// TestSpellingsAreTheCorpus checks that the listed names and values of every source in the corpus are exactly the
// source's; rows of other sources come from documents.
func TestSpellingsAreTheCorpus(t *testing.T) {
	tables := shippedTables(t)
	var rows []string
	own := map[string]bool{}
	contested := contestedWords(t)
	for _, w := range witnesses {
		own[w.vendor+"\t"+w.source] = true
		rows = append(rows, w.rows(t, tables, contested)...)
	}
	file := filepath.Join(corpustest.Root(t), "rules", "settings", "spellings.tsv")
	shipped, err := os.ReadFile(file)
	require.NoError(t, err)
	var head, documents []string
	for line := range strings.Lines(string(shipped)) {
		line = strings.TrimSuffix(line, "\n")
		columns := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
			head = append(head, line)
		case len(columns) > 1 && !own[columns[0]+"\t"+columns[1]]:
			documents = append(documents, line)
		}
	}
	body := slices.Concat(rows, documents)
	slices.Sort(body)
	want := strings.Join(append(head, slices.Compact(body)...), "\n") + "\n"
	if *updateSpellings {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(shipped), "go test -tags corpus ./internal/model/settings -run Spellings -update-spellings")
}

// contestedWords are the words of switches, by vendor and attribute, that a registry of the vendor has no option for:
// where one machine's registry spells the other state "EnableSnc2", another's "Disabled" does not prove "Enabled".
func contestedWords(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, w := range witnesses {
		e, err := bios.Decode(w.file, corpustest.Read(t, w.file))
		require.NoError(t, err)
		for i := range e.Attributes {
			a := &e.Attributes[i]
			for _, o := range a.Options {
				if other := settings.OtherWord(o); other != "" && !slices.Contains(a.Options, other) {
					out[w.vendor+"\t"+a.Name+"\t"+other] = true
				}
			}
		}
	}
	return out
}

// rows are the attributes of one file that the vendor's table covers.
func (w *witness) rows(t *testing.T, tables settings.Tables, contested map[string]bool) []string {
	t.Helper()
	all := slices.Collect(tables.All())
	i := slices.IndexFunc(all, func(t *settings.Table) bool { return t.Vendor == w.vendor })
	require.GreaterOrEqual(t, i, 0, w.vendor)
	table := all[i]
	e, err := bios.Decode(w.file, corpustest.Read(t, w.file))
	require.NoError(t, err)
	used := map[string]bool{}
	for i := range e.Attributes {
		used[e.Attributes[i].Value] = true
	}
	var out []string
	for i := range e.Attributes {
		if row := w.row(table, &e.Attributes[i], used, contested); row != "" {
			out = append(out, row)
		}
	}
	require.NotEmpty(t, out, w.file)
	return out
}

// row is one attribute with its recorded values: the options, the present value, the default, and the other value of
// a switch if the file spells it for another attribute and no registry contests it; "" if the table does not use it.
func (w *witness) row(table *settings.Table, a *bios.Attribute, used, contested map[string]bool) string {
	if strings.ContainsFunc(a.Name, func(r rune) bool { return r > unicode.MaxASCII }) || strings.HasPrefix(a.Name, "Devices_and_IO") {
		return "" // no command line takes the former as printed; the latter is the fixture's own, machines print DevicesandIOPorts
	}
	matches := table.Find(a.Name)
	if len(matches) == 0 && a.Display != "" {
		matches = table.Find(a.Display)
	}
	values := slices.Clone(a.Options)
	for _, v := range []string{a.Value, a.Pending, a.Default} {
		if v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if o := settings.OtherWord(a.Value); len(a.Options) == 0 && o != "" && used[o] && !contested[w.vendor+"\t"+a.Name+"\t"+o] {
		values = append(values, o)
	}
	slices.Sort(values)
	var words []string
	for _, v := range slices.Compact(values) {
		if strings.ContainsAny(v, "|=\t\n") || !speaks(table, matches, a, v) {
			continue
		}
		if text := a.OptionTexts[v]; text != "" && (text != v || settings.OtherWord(v) == "") && !strings.ContainsAny(text, "|=\t\n") {
			v += "=" + text
		}
		words = append(words, v)
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join([]string{w.vendor, w.source, w.form, a.Name, strings.TrimSpace(a.Display), strings.Join(words, "|")}, "\t")
}

// speaks reports whether the table translates a value, or needs it to unlock what a preset governs.
func speaks(table *settings.Table, matches []settings.Match, a *bios.Attribute, value string) bool {
	if slices.ContainsFunc(table.Presets, func(m settings.Preset) bool { return settings.PlainName(m.Attribute) == settings.PlainName(a.Name) }) {
		return true
	}
	return slices.ContainsFunc(matches, func(m settings.Match) bool {
		s, _ := settings.Lookup(m.ID)
		if _, ok := m.Attr.Canonical(s, value); ok {
			return true
		}
		_, ok := m.Attr.Canonical(s, a.OptionTexts[value])
		return ok
	})
}
