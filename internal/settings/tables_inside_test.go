package settings

import (
	"bytes"
	"compress/flate"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/compiled"
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

// TestNames: the names that a table speaks of, and an end when no more are wanted.
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

// TestOpenTable: a site's own table goes before the built-in one of its name; a name is no path.
func TestOpenTable(t *testing.T) {
	site := folder(map[string]string{"settings/dell.yaml": twoPresets, "settings/bad.yaml": "vendor: ''\n"})
	own, err := OpenTable(site, "dell")
	require.NoError(t, err)
	assert.Equal(t, "V", own.Vendor)
	built, err := OpenTable(site, "hpe")
	require.NoError(t, err)
	assert.Equal(t, "HPE", built.Vendor)
	for name, says := range map[string]string{"acme": "there is no settings/acme.yaml", "bad": "settings/bad.yaml: no vendor is named", "../settings/dell": "is not the name of a table", "..": "there is no settings/...yaml",
		"a/b": "is not the name of a table", "": "is not the name of a table"} {
		table, err := OpenTable(site, name)
		require.ErrorContains(t, err, says, name)
		assert.Nil(t, table)
	}
	assert.Equal(t, map[string]string{"turbo": Enabled}, own.Meaning("Fast"))
	assert.Nil(t, own.Meaning("fast"), "as the table spells it")
	assert.Equal(t, []string{"Fast", "Slow"}, own.Meant())
}

// TestOfTwoTables: of two tables for one maker the first is taken, and the longer name before it.
func TestOfTwoTables(t *testing.T) {
	table := func(vendor, maker string) string { return "vendor: " + vendor + "\nmanufacturers: [" + maker + "]\n" }
	tables, err := Load(folder(map[string]string{"d/a.yaml": table("A", "HP"), "d/b.yaml": table("B", "HP"), "d/c.yaml": table("C", "HPE")}), "d")
	require.NoError(t, err)
	for maker, vendor := range map[string]string{"HP": "A", "hp co": "A", "HPE": "C"} {
		assert.Equal(t, vendor, tables.Of(maker).Vendor, maker)
	}
}

// TestLoadSaysWhatFailed: what cannot be read is an error, and a folder without spellings is none.
func TestLoadSaysWhatFailed(t *testing.T) {
	_, err := Load(folder(map[string]string{"d/v.yaml": twoPresets, "d/spellings.tsv/x": ""}), "d")
	require.ErrorContains(t, err, "spellings.tsv")
	_, err = Load(folder(map[string]string{"d/v.yaml/x": ""}), "d")
	require.ErrorContains(t, err, "v.yaml")
	_, err = Compile(folder(map[string]string{"d/v.yaml": "vendor: ''\n"}), "d")
	require.ErrorContains(t, err, "no vendor is named")
}

// TestCompile: what is compiled is read as it was written.
func TestCompile(t *testing.T) {
	files := folder(map[string]string{"d/v.yaml": twoPresets, "d/w.yaml": "vendor: W\nmanufacturers: [W]\n", "d/spellings.tsv": "V\ts\tredfish\tProfile\tProfile\tFast|Slow\n"})
	part, err := Compile(files, "d")
	require.NoError(t, err)
	have, err := LoadCompiled(compiledPart(part))
	require.NoError(t, err)
	want, err := Load(files, "d")
	require.NoError(t, err)
	assert.Equal(t, want.Of("V Inc").Masters, have.Of("V Inc").Masters)
	assert.Equal(t, []string{"Fast"}, have.Of("V Inc").Recorded("profile", "fast", FormRedfish))
	assert.Equal(t, "W", have.Of("W").Vendor)
}

func compiledPart(part []byte) fs.FS {
	return folder(map[string]string{compiled.File: string(compiled.Join(map[string][]byte{Part: part}))})
}

// TestCompiledHeads: the sizes of a damaged file are refused before they are used.
func TestCompiledHeads(t *testing.T) {
	for _, c := range []struct {
		size, whole int
		ok          bool
	}{{0, 0, true}, {3, 0, true}, {3, mostTable, true}, {4, 0, false}, {-1, 0, false}, {3, -1, false}, {3, mostTable + 1, false}} {
		out := compiled.NewWriter()
		codeHeads(out, &[]compiledHead{{[]string{"v"}, c.size, c.whole}})
		tables, err := LoadCompiled(compiledPart(append([]byte(out.Written()), "abc"...)))
		assert.Equal(t, c.ok, err == nil, c)
		if err == nil {
			assert.NotNil(t, tables.Of("V"))
		}
	}
	_, err := LoadCompiled(compiledPart([]byte{0xFF}))
	require.Error(t, err)
}

// TestDamagedTable: a table that is not whole translates nothing, whether the packed or the unpacked
// text ends too soon.
func TestDamagedTable(t *testing.T) {
	w := compiled.NewWriter()
	(&Table{Vendor: "V", Manufacturers: []string{"V"}, Settings: map[string][]Attribute{"turbo": {{Name: "Turbo"}}}}).code(w)
	text := w.Written()
	pack := func(text string) string {
		var b bytes.Buffer
		f, err := flate.NewWriter(&b, flate.NoCompression)
		require.NoError(t, err)
		_, err = io.WriteString(f, text)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return b.String()
	}
	assert.Equal(t, "V", readCompiled(pack(text), len(text)).Vendor)
	assert.Empty(t, readCompiled(pack(text[:len(text)-3]), len(text)).Vendor, "the text ends too soon")
	whole := pack(text)
	assert.Empty(t, readCompiled(whole[:len(whole)-1], len(text)).Vendor, "its end is missing, and all of the text is there")
	assert.Empty(t, readCompiled(strings.Repeat("\xFF", 9), 9).Vendor)
}
