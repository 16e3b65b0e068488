package settings

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPlainName checks that only letters and digits count, without a board's suffix, and that a name that consists of
// such a suffix is kept.
func TestPlainName(t *testing.T) {
	for name, plain := range map[string]string{
		"AZaz09": "azaz09", "[A-Z] {a-z} (0/9) @`^_|~:;": "azaz09", "Z_9": "z9", "zoo": "zoo",
		"A_0A1F": "a", "_0A1F": "0a1f", "Turbo_0A1F": "turbo", "Turbo_0A1G": "turbo0a1g", "Speed_186": "speed186",
	} {
		assert.Equal(t, plain, PlainName(name), name)
	}
}

// TestCanonicalAndBack checks that the table's values apply to a preset too if it has any; otherwise the vendor's
// value is kept. A number is a rate only if the entry marks it.
func TestCanonicalAndBack(t *testing.T) {
	coded, named := Attribute{Values: map[string]string{"2": "Custom", "3": "Fast"}}, Attribute{}
	for _, c := range []struct {
		id    string
		a     Attribute
		value string
		word  string
		ok    bool
	}{
		{"workload_profile", named, "Low Latency", "Low Latency", true}, {"workload_profile", named, "", "", false},
		{"workload_profile", coded, "2", "Custom", true}, {"workload_profile", coded, "Custom", "", false},
		{"workload_profile", Attribute{Values: map[string]string{"2": "Custom"}}, "4", "", false},
		{"turbo", Attribute{Values: map[string]string{"On": Enabled}}, "on", Enabled, true}, {"turbo", named, "On", "", false},
		{"memory_speed", Attribute{Numbers: true}, "2933 MHz", "2933", true}, {"memory_speed", Attribute{Numbers: true}, "fast", "", false},
		{"memory_speed", named, "2933", "", false},
	} {
		s, _ := Lookup(c.id)
		word, ok := c.a.Canonical(s, c.value)
		assert.Equal(t, c.ok, ok, c)
		if ok {
			assert.Equal(t, c.word, word, c)
		}
	}
	preset, _ := Lookup("workload_profile")
	turbo, _ := Lookup("turbo")
	assert.Equal(t, []string{"Custom"}, named.Words(preset, "Custom"))
	assert.Equal(t, []string{"2"}, coded.Words(preset, "Custom"))
	assert.Empty(t, named.Words(turbo, Enabled))
}

// TestWordAsSpelled checks the source's own spelling of a value: the same one, otherwise the first that differs only
// in case and punctuation.
func TestWordAsSpelled(t *testing.T) {
	s := &spelling{values: "2way=Two|2-Way=2-Way clustering|Disabled"}
	for value, want := range map[string][2]string{"2-Way": {"2-Way", "2-Way clustering"}, "2 WAY": {"2way", "Two"}, "disabled": {"Disabled", ""}, "Disabled": {"Disabled", ""}} {
		word, text, ok := s.word(value)
		assert.True(t, ok, value)
		assert.Equal(t, want, [2]string{word, text}, value)
	}
	_, _, ok := s.word("4-Way")
	assert.False(t, ok)
}

// spelled is a table with recorded spellings.
func spelled(t Table, rows ...*spelling) *Table {
	t.spellings = func() map[string][]*spelling {
		out := map[string][]*spelling{}
		for _, s := range rows {
			out[PlainName(s.name)] = append(out[PlainName(s.name)], s)
		}
		return out
	}
	return &t
}

// TestRecorded checks that the spellings of one form are listed once each.
func TestRecorded(t *testing.T) {
	table := spelled(Table{}, &spelling{form: FormRedfish, name: "Snc", values: "Enabled|Disabled"}, &spelling{form: FormRedfish, name: "SNC", values: "enabled"},
		&spelling{form: FormSUM, name: "SNC", values: "ENABLED"}, &spelling{form: FormRedfish, name: "SNC_0A1F", values: "Enabled|Auto"})
	assert.Equal(t, []string{"Enabled", "enabled"}, table.Recorded("snc", "ENABLED", FormRedfish))
	assert.Equal(t, []string{"ENABLED"}, table.Recorded("SNC", "Enabled", FormSUM))
	assert.Empty(t, table.Recorded("SNC", "Disabled", FormSUM))
	assert.Empty(t, table.Recorded("Other", "Enabled", FormRedfish))
	assert.Empty(t, (&Table{}).Recorded("SNC", "Enabled", FormRedfish), "nothing is on record")
}

// TestFormOfNames checks the form of names that an export has.
func TestFormOfNames(t *testing.T) {
	sum := Table{Vendor: "Supermicro", Commands: []Command{{Form: FormSUM}}}
	for _, c := range []struct {
		table Table
		name  string
		want  string
	}{
		{sum, "Hyper-Threading [ALL]", FormSUM}, {sum, "HyperThreading_0A1F", FormRedfish}, {sum, "_0A1F", FormSUM}, {sum, "A_0A1F", FormRedfish},
		{sum, "Enable_FACE", FormSUM}, {Table{Vendor: "Lenovo"}, "Processors.TurboMode", FormASU}, {Table{Vendor: "Lenovo"}, "Processors_TurboMode", FormRedfish},
		{Table{Vendor: "IBM"}, "TurboMode", FormASU}, {Table{Vendor: "Dell"}, "BIOS.ProcTurbo", FormRedfish}, {Table{Vendor: "Dell"}, "ProcTurbo", FormRedfish},
	} {
		assert.Equal(t, c.want, c.table.formOf(c.name), c.name)
	}
}

// TestDocumented checks that an entry is documented for a machine if its document names it, or if it is a menu path
// of the source of the machine's generation.
func TestDocumented(t *testing.T) {
	table := &Table{Generations: []Generation{{Source: "M4", For: []string{"broadwell-ep"}}, {Source: "M5", For: []string{"cascade-lake-sp"}}}}
	w := &Change{Platform: "cascade-lake-sp"}
	for _, c := range []struct {
		a    Attribute
		want bool
	}{
		{Attribute{Name: "A", For: []string{"cascade-lake-sp"}, Source: "M4"}, true}, {Attribute{Name: "A", For: []string{"broadwell-ep"}, Source: "M5"}, false},
		{Attribute{Menu: "A", Source: "M5"}, true}, {Attribute{Menu: "A", Source: "M4"}, false}, {Attribute{Menu: "A", Source: "M6"}, false}, {Attribute{Name: "A", Source: "M5"}, false},
	} {
		assert.Equal(t, c.want, table.documented(&c.a, w), c.a)
	}
}

// TestTyped checks name and value as a tool takes them: those of the machine's export, otherwise those recorded for
// its generation, never a name of another board.
func TestTyped(t *testing.T) {
	table := spelled(Table{Vendor: "Supermicro", Commands: []Command{{Form: FormSUM}}, Generations: []Generation{{Source: "CAP", For: []string{"genoa"}}}},
		&spelling{source: "CAP", form: FormRedfish, name: "SMTControl_0A1F", values: "Auto|Enable"}, &spelling{source: "CAP", form: FormSUM, name: "SMT Control", values: "Auto"})
	a := &Attribute{Name: "SMT Control"}
	for name, c := range map[string]struct {
		value, form      string
		change           Change
		wantName, wanted string
		ok               bool
	}{
		"the other word of a switch":      {"Disable", FormRedfish, Change{Seen: "SMTControl_00FF", SeenRaw: "Enable"}, "SMTControl_00FF", "Disable", true},
		"the word that it has":            {"Manual", FormRedfish, Change{Seen: "SMTControl_00FF", SeenRaw: "Manual"}, "SMTControl_00FF", "Manual", true},
		"another word":                    {"Auto", FormRedfish, Change{Seen: "SMTControl_00FF", SeenRaw: "Manual"}, "", "", false},
		"another word, on record":         {"AUTO", FormRedfish, Change{Seen: "SMTControl_00FF", SeenRaw: "Manual", Platform: "genoa"}, "SMTControl_00FF", "Auto", true},
		"of another form":                 {"Disable", FormSUM, Change{Seen: "SMTControl_00FF", SeenRaw: "Enable"}, "", "", false},
		"of another attribute":            {"Disable", FormRedfish, Change{Seen: "Turbo_00FF", SeenRaw: "Enable"}, "", "", false},
		"another attribute has that word": {"Enable", FormRedfish, Change{Seen: "Turbo_00FF", SeenRaw: "Enable"}, "", "", false},
		"a name of another board":         {"Auto", FormRedfish, Change{Platform: "genoa"}, "", "", false},
		"a name of every board":           {"auto", FormSUM, Change{Platform: "genoa"}, "SMT Control", "Auto", true},
		"of another generation":           {"Auto", FormSUM, Change{Platform: "milan"}, "", "", false},
	} {
		got, word, ok := table.typed(a, c.value, c.form, &c.change)
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, [2]string{c.wantName, c.wanted}, [2]string{got, word}, name)
	}
}
