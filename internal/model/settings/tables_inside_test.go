package settings

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/compiled"
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
	names := tables.Of("V Inc").Names()
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
	assert.Equal(t, map[string]string{"turbo": Enabled}, own.Meaning("Fast"))
	assert.Nil(t, own.Meaning("fast"), "as the table spells it")
	assert.Equal(t, []string{"Fast", "Slow"}, own.Meant())
}

// TestOfTwoTables checks that the first of two tables of one vendor is used, and the longer name before it.
func TestOfTwoTables(t *testing.T) {
	table := func(vendor, maker string) string { return "vendor: " + vendor + "\nmanufacturers: [" + maker + "]\n" }
	tables, err := Load(folder(map[string]string{"d/a.yaml": table("A", "HP"), "d/b.yaml": table("B", "HP"), "d/c.yaml": table("C", "HPE")}), "d")
	require.NoError(t, err)
	for maker, vendor := range map[string]string{"HP": "A", "hp co": "A", "HPE": "C"} {
		assert.Equal(t, vendor, tables.Of(maker).Vendor, maker)
	}
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
	have, err := LoadCompiled(compiledPart(part))
	require.NoError(t, err)
	want, err := Load(files, "d")
	require.NoError(t, err)
	assert.Equal(t, want.Of("V Inc").Presets, have.Of("V Inc").Presets)
	assert.Equal(t, []string{"Fast"}, have.Of("V Inc").Recorded("profile", "fast", FormRedfish))
	assert.Equal(t, "W", have.Of("W").Vendor)
}

func compiledPart(part []byte) fs.FS {
	return folder(map[string]string{compiled.File(Part): string(part)})
}
