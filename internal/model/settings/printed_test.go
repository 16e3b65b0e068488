package settings_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/settings"
)

// record is the record of one attribute of one source in spellings.tsv, read here independently of the code under
// test.
type record struct {
	vendor, source, form, name, display, values string
	plain                                       string // the name as names are compared
}

func records(t *testing.T) []record {
	t.Helper()
	raw, err := os.ReadFile("../../../rules/settings/spellings.tsv")
	require.NoError(t, err)
	var out []record
	for line := range strings.Lines(string(raw)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 6 {
			out = append(out, record{f[0], f[1], f[2], f[3], f[4], f[5], settings.PlainName(f[3])})
		}
	}
	require.Greater(t, len(out), 500)
	return out
}

// has reports whether the record lists a value, or a text of BIOS setup.
func (r *record) has(value string, text bool) bool {
	return slices.ContainsFunc(strings.Split(r.values, "|"), func(v string) bool {
		word, shown, _ := strings.Cut(v, "=")
		return value == word || text && value == shown
	})
}

// typedForms extract the attribute and the value from a printed line, and the form of names that the tool takes.
var typedForms = []struct {
	pattern *regexp.Regexp
	form    string
}{
	{regexp.MustCompile(`^(?:first )?racadm: racadm set BIOS\.[A-Za-z0-9]+\.(\S+) (\S+); `), "redfish"},
	{regexp.MustCompile(`^(?:first )?ilorest: ilorest set ([^= ]+)=(.+) --select Bios\. --commit; `), "redfish"},
	{regexp.MustCompile(`"Attributes":\{"([^"]+)":"([^"]*)"\}`), "redfish"},
	{regexp.MustCompile(`^(?:first )?onecli: onecli config set (\S+) '?([^']*?)'? --override `), "asu"},
	{regexp.MustCompile(`^asu: asu set (\S+) '?([^';]*)'?; `), "asu"},
	{regexp.MustCompile(`set "([^"]+)" to ([^;]+) in bios\.cfg, which `), "sum"},
	{regexp.MustCompile(`^(?:first )?BIOS attribute (.+) = (.+)$`), ""},
	{regexp.MustCompile(`^first set (\S.*) to (.+): it is `), ""},
	{regexp.MustCompile(`^(\S.*) must be (.+) for the setting to be changed$`), ""},
}

// TestEveryPrintedCommand asks every table for the instructions for every value of every setting on machines of every
// generation, and checks that the printed names and values are on record for that generation with this spelling.
func TestEveryPrintedCommand(t *testing.T) {
	tables := shippedTables(t)
	all := records(t)
	commands, menus := 0, 0
	for table := range tables.All() {
		cache := map[string][]record{}
		for _, asked := range printed(table) {
			w := asked.change
			own := ownRecords(table, all, &w, cache)
			for _, line := range asked.steps {
				where := func() string {
					return table.Vendor + " " + w.Platform + " " + w.Product + " " + w.ID + "=" + w.Want + ": " + line
				}
				if menu, ok := strings.CutPrefix(strings.TrimPrefix(line, "first "), "BIOS setup: "); ok {
					menus++
					checkMenu(t, table, own, &w, menu, where)
					continue
				}
				commands++
				checkTyped(t, own, line, where)
			}
		}
	}
	t.Logf("%d command lines and presets, %d menu paths", commands, menus)
	assert.Greater(t, commands, 2000)
	assert.Greater(t, menus, 800)
}

// ownRecords are the records of the generations that a machine belongs to.
func ownRecords(table *settings.Table, all []record, w *settings.Change, cache map[string][]record) []record {
	key := w.Platform + "/" + w.Product
	if own, ok := cache[key]; ok {
		return own
	}
	var own []record
	for _, g := range table.Generations {
		if slices.Contains(g.For, w.Platform) && (len(g.Products) == 0 || slices.ContainsFunc(g.Products, func(p string) bool { return strings.Contains(w.Product, p) })) {
			own = append(own, slices.DeleteFunc(slices.Clone(all), func(r record) bool { return r.vendor != table.Vendor || r.source != g.Source })...)
		}
	}
	cache[key] = own
	return own
}

// answer is a change with the steps that a table prints for it.
type answer struct {
	change settings.Change
	steps  []string
}

// answered are the answers of the built-in tables to all changes by vendor, computed once for all tests.
var answered = map[string][]answer{}

func printed(table *settings.Table) []answer {
	if answered[table.Vendor] == nil {
		for _, w := range wishes(table) {
			answered[table.Vendor] = append(answered[table.Vendor], answer{w, table.StepLines(w)})
		}
	}
	return answered[table.Vendor]
}

// wishes are all values of all settings on every kind of machine of a table, with a preset and without.
func wishes(table *settings.Table) []settings.Change {
	var out []settings.Change
	seen := map[settings.Change]bool{}
	for _, g := range table.Generations {
		products := append([]string{""}, g.Products...)
		for id, attributes := range table.Settings {
			wants := map[string]bool{}
			for _, a := range attributes {
				for _, v := range a.Values {
					wants[v] = true
				}
			}
			for want := range wants {
				for _, platform := range g.For {
					for _, product := range products {
						for _, preset := range []string{"", "SomeOtherPreset"} {
							w := settings.Change{ID: id, Want: want, Platform: platform, Product: product, Preset: preset}
							if !seen[w] {
								out, seen[w] = append(out, w), true
							}
						}
					}
				}
			}
		}
	}
	return out
}

// typed is what a line sets, and the form of its names; ok if it has one of the forms.
type typed struct {
	form, name, value string
	ok                bool
}

// typedLines caches what lines set, because one is printed for many machines.
var typedLines = map[string]typed{}

func typedOf(line string) typed {
	out, known := typedLines[line]
	if known {
		return out
	}
	for _, f := range typedForms {
		if m := f.pattern.FindStringSubmatch(line); m != nil {
			out = typed{f.form, m[1], m[2], true}
			break
		}
	}
	typedLines[line] = out
	return out
}

func checkTyped(t *testing.T, own []record, line string, where func() string) {
	t.Helper()
	if c := typedOf(line); c.ok {
		if !slices.ContainsFunc(own, func(r record) bool {
			return r.name == c.name && (c.form == "" || r.form == c.form) && r.has(c.value, false)
		}) {
			assert.Fail(t, "not on record", where())
		}
		return
	}
	if strings.HasPrefix(line, "syscfg: ") {
		return // the paper's own commands; TestStepsByGeneration has them
	}
	if what, word, ok := strings.Cut(line, ", which governs the setting: free it first, by the value that documents call "); ok {
		_, preset, _ := strings.Cut(what, " is ") // names what the machine itself showed, and a document's word
		assert.True(t, preset == "SomeOtherPreset" && slices.Contains([]string{"Custom", "CustomMode", "Custom Mode", "Disabled", "Enable", "Enabled"}, word), where())
		return
	}
	assert.Fail(t, "a line that nothing checks", where())
}

// checkMenu checks that the last step is a text of BIOS setup, with an option that setup prints.
func checkMenu(t *testing.T, table *settings.Table, own []record, w *settings.Change, line string, where func() string) {
	t.Helper()
	menu, value, ok := strings.Cut(line, " = ")
	if !ok {
		require.Fail(t, "no value", where())
	}
	i := slices.IndexFunc(table.Settings[w.ID], func(a settings.Attribute) bool { return a.Menu == menu })
	if i < 0 {
		require.Fail(t, "no such menu", where())
	}
	a := table.Settings[w.ID][i]
	if a.Name == "" || len(a.For) > 0 {
		return // a document's menu words
	}
	name := settings.PlainName(a.Name)
	if !slices.ContainsFunc(own, func(r record) bool {
		if r.plain != name {
			return false
		}
		shown := r.display != "" || r.form == "sum" || strings.Contains(r.values, "="+value) || value == "Enabled" || value == "Disabled"
		return shown && r.has(value, true) || slices.ContainsFunc(strings.Split(r.values, "|"), func(v string) bool {
			word, _, _ := strings.Cut(v, "=")
			return a.Texts[word] == value
		})
	}) {
		assert.Fail(t, "not on record", where())
	}
}
