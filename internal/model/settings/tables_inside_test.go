package settings

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/compiled"
)

const twoPresets = `vendor: V
manufacturers: [V Inc]
sources: {s: {title: t}}
settings:
  c1e: [{attribute: MinProcIdlePower, menu: Power > Idle Power, with: EnergyPerfBias, values: {C6: enabled}, source: s}]
  workload_profile: [{attribute: Profile, source: s}]
masters:
  - {setting: workload_profile, attribute: Old Profile, free: [Custom], locks: [turbo], source: s}
  - {setting: workload_profile, attribute: Profile, free: [Custom], locks: [turbo], means: {Slow: {turbo: disabled}, Fast: {turbo: enabled}}, source: s}
`

func folder(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// TestNames checks the names that a table covers, and that the iterator stops on request.
func TestNames(t *testing.T) {
	tables, err := Load(folder(map[string]string{"d/v.yaml": twoPresets}), "d")
	require.NoError(t, err)
	names := tables.FindTable("V Inc").Names()
	sorted := slices.Sorted(names)
	assert.Equal(t, []string{"energyperfbias", "idlepower", "minprocidlepower", "oldprofile", "profile"}, slices.Compact(sorted))
	for most := range sorted {
		seen := 0
		for range names {
			if seen++; seen > most {
				break
			}
		}
		assert.Equal(t, most+1, seen)
	}
}

// TestOpenTable checks that a site's table replaces the built-in one of the same name, and that a name cannot be a
// path.
func TestOpenTable(t *testing.T) {
	site := folder(map[string]string{"settings/dell.yaml": twoPresets, "settings/bad.yaml": "vendr: V\n"})
	own, err := OpenTable(site, "dell")
	require.NoError(t, err)
	assert.Equal(t, "V", own.Vendor)
	built, err := OpenTable(site, "hpe")
	require.NoError(t, err)
	assert.Equal(t, "HPE", built.Vendor)
	for name, says := range map[string]string{"acme": "there is no settings/acme.yaml", "bad": "settings/bad.yaml: yaml: unmarshal errors", "../settings/dell": "is not the name of a table", "..": "there is no settings/...yaml",
		"a/b": "is not the name of a table", "": "is not the name of a table"} {
		table, err := OpenTable(site, name)
		require.ErrorContains(t, err, says, name)
		assert.Nil(t, table)
	}
	assert.Equal(t, map[string]string{"turbo": Enabled}, own.PresetMeaning("Fast"))
	assert.Nil(t, own.PresetMeaning("fast"), "as the table spells it")
	assert.Equal(t, []string{"Fast", "Slow"}, own.PresetsWithMeaning())
}

// TestLoadErrors checks that an unreadable file is an error, and that a folder without spellings has none.
func TestLoadErrors(t *testing.T) {
	_, err := Load(folder(map[string]string{"d/v.yaml": twoPresets, "d/spellings.tsv/x": ""}), "d")
	require.ErrorContains(t, err, "spellings.tsv")
	_, err = Load(folder(map[string]string{"d/v.yaml/x": ""}), "d")
	require.ErrorContains(t, err, "v.yaml")
	_, err = Compile(folder(map[string]string{"d/v.yaml": "vendr: V\n"}), "d")
	require.ErrorContains(t, err, "field vendr not found")
}

// TestCompile checks that a compiled table is decoded unchanged.
func TestCompile(t *testing.T) {
	files := folder(map[string]string{"d/v.yaml": twoPresets, "d/w.yaml": "vendor: W\nmanufacturers: [W]\n", "d/spellings.tsv": "V\ts\tredfish\tProfile\tProfile\tFast|Slow\n"})
	part, err := Compile(files, "d")
	require.NoError(t, err)
	have, err := LoadCompiled(folder(map[string]string{compiled.File(Part): string(part)}))
	require.NoError(t, err)
	want, err := Load(files, "d")
	require.NoError(t, err)
	assert.Equal(t, want.FindTable("V Inc").Presets, have.FindTable("V Inc").Presets)
	assert.Equal(t, []string{"Fast"}, have.FindTable("V Inc").Recorded("profile", "fast", FormRedfish))
	assert.Equal(t, "W", have.FindTable("W").Vendor)
}

// TestBrokenVocabulary checks that an invalid row is an error with its line.
func TestBrokenVocabulary(t *testing.T) {
	good := "# head\nsmt\tswitch\t\t\tthreads\nsub_numa\tchoice\t\toff snc2\tdomains\npatrol_scrub\tchoice\thours\tenabled disabled\tscrubbing\n"
	read := func(vocabulary, includes string) error {
		_, err := readVocabulary(fstest.MapFS{vocabularyFile: {Data: []byte(vocabulary)}, includesFile: {Data: []byte(includes)}})
		return err
	}
	require.NoError(t, read(good, "patrol_scrub\tenabled\thours\t\tyes\n"))
	for row, says := range map[string]string{
		"smt\tswitch\t\t\tagain\n":           "vocabulary.tsv:5: two lines have the id smt",
		"x\tknob\t\t\ttitle\n":               "expected switch, choice, rate or name",
		"x\tchoice\t\t\ttitle\n":             "choices and rates have words",
		"x\tswitch\t\tone two\ttitle\n":      "choices and rates have words",
		"x\tchoice\tweeks\tone two\ttitle\n": "expected count, hours or nothing",
		"x\tswitch\t\t\t\n":                  "an id and a title",
		"x\tswitch\n":                        "2 columns, expected 5",
	} {
		require.ErrorContains(t, read(good+row, ""), says, row)
	}
	for row, says := range map[string]string{
		"smt\tenabled\tsnc2\t\t\n":       "includes.tsv:1: smt: \"snc2\" is not one of its words",
		"sub_numa\toff\thours\t\t\n":     "\"hours\" is not one of its words",
		"turbo\tenabled\tdisabled\t\t\n": "turbo is not a setting",
		"sub_numa\toff\tsnc2\t\tno\n":    "fulfils \"no\", expected yes or nothing",
		"sub_numa\tauto\toff\t\t\n":      "\"auto\" is not one of its words",
	} {
		require.ErrorContains(t, read(good, row), says, row)
	}
	require.Error(t, func() error { _, err := readVocabulary(fstest.MapFS{}); return err }())
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
	assert.Equal(t, []string{"Custom"}, named.VendorValues(preset, "Custom"))
	assert.Equal(t, []string{"2"}, coded.VendorValues(preset, "Custom"))
	assert.Empty(t, named.VendorValues(turbo, Enabled))
}
