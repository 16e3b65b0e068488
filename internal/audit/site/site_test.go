package site

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

// TestProcessorsAreJoined checks that a site's processor and the built-in ones are found.
func TestProcessorsAreJoined(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "processors.csv"), []byte(
		"#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source\n"+
			"intel xeon gold 9999,intel,9999,Example,8,16,yes,yes,6,2666,,spec,our data sheet\n"), 0o600))
	k, err := JoinFolders(rules.FS, []string{dir})
	require.NoError(t, err)
	for brand, channels := range map[string]int{"Intel(R) Xeon(R) Gold 9999 CPU @ 2.10GHz": 6, "AMD EPYC 7402 24-Core Processor": 8} {
		known := func(s string) fact.Fact[string] { return fact.Known(s, fact.Direct, fact.Evidence{}) }
		sys := &inventory.System{Sockets: []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{}), Brand: known(brand)}}}
		found := platform.Processors(sys, k)
		if assert.NotNil(t, found[0], brand) {
			assert.Equal(t, channels, found[0].Channels, brand)
		}
		if channels == 6 {
			assert.Nil(t, platform.Processors(sys, rules.FS)[0])
		}
	}
}

// TestJoinedFiles checks that both kinds of files are read, listed and opened.
func TestJoinedFiles(t *testing.T) {
	k := overlayFiles(rules.FS, fstest.MapFS{"platforms/zz.yaml": {Data: []byte("id: zz\n")}})
	data, err := fs.ReadFile(k, "platforms/zz.yaml")
	require.NoError(t, err)
	assert.Equal(t, "id: zz\n", string(data))
	f, err := k.Open("platforms/zz.yaml")
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	assert.Equal(t, int64(7), info.Size())
	require.NoError(t, f.Close())
	all, err := fs.Glob(k, "platforms/*.yaml")
	require.NoError(t, err)
	builtin, err := fs.Glob(rules.FS, "platforms/*.yaml")
	require.NoError(t, err)
	assert.Equal(t, append(builtin, "platforms/zz.yaml"), all)
	_, err = fs.ReadFile(k, "platforms/none.yaml")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// TestNothingToJoin checks that the knowledge without data files is the built-in one itself.
func TestNothingToJoin(t *testing.T) {
	k, err := JoinFolders(rules.FS, []string{t.TempDir(), filepath.Join(t.TempDir(), "gone")})
	require.NoError(t, err)
	assert.Equal(t, fs.FS(rules.FS), k)
}

// TestDocumentsAreJoined checks that a site's document replaces the built-in one with its key for built-in platforms
// too, which are read compiled if the site has none.
func TestDocumentsAreJoined(t *testing.T) {
	builtin, err := platform.LoadByID(rules.FS, "milan")
	require.NoError(t, err)
	require.NotEmpty(t, builtin.Documents)
	key := builtin.Documents[0].Key
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "platforms"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "platforms", "zz.yaml"), []byte("id: zz\nname: A site's own\nsources: ["+key+"]\n---\nrecognise:\n"+
		"  - {vendor: GenuineIntel, brand: 'Example 1'}\n"), 0o600))
	k, err := JoinFolders(rules.FS, []string{dir})
	require.NoError(t, err)
	have, err := platform.LoadByID(k, "milan")
	require.NoError(t, err)
	assert.Equal(t, builtin, have)
	own, err := platform.LoadByID(k, "zz")
	require.NoError(t, err)
	assert.Equal(t, builtin.Documents[:1], own.Documents)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "platforms", "sources.tsv"), []byte(key+"\tExample\tOur own reading\t2024\tp1\t\tthird\tchannels\n"), 0o600))
	k, err = JoinFolders(rules.FS, []string{dir})
	require.NoError(t, err)
	have, err = platform.LoadByID(k, "milan")
	require.NoError(t, err)
	assert.Equal(t, "Our own reading", have.Documents[0].Title)
	assert.Equal(t, builtin.Documents[1:], have.Documents[1:])
}

// TestUnreadableData checks that an unreadable or unknown file among the data files is an error.
func TestUnreadableData(t *testing.T) {
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "platforms"), filepath.Join(dir, "slots", "a.yaml")
	refused := func(what string) {
		t.Helper()
		_, err := JoinFolders(rules.FS, []string{dir})
		require.ErrorContains(t, err, what)
		assert.True(t, HasData(dir), "its fault is reported by Join")
		assert.Equal(t, fs.FS(rules.FS), Overlay(rules.FS, dir))
	}
	assert.False(t, HasData(dir))
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	assert.False(t, HasData(dir))
	assert.False(t, HasData(folder), "a file")
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Symlink("platforms", folder))
	refused(folder)
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Mkdir(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "ours.yml"), []byte("id: zz\n"), 0o600))
	refused("ours.yml would not be read, expected the ending .yaml")
	require.NoError(t, os.Remove(filepath.Join(folder, "ours.yml")))
	require.NoError(t, os.MkdirAll(file, 0o750))
	refused(file + ": not a file of at most")
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink("none", file))
	refused(file)
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(file, make([]byte, maxBytes+1), 0o600))
	refused("not a file of at most")
	require.NoError(t, os.WriteFile(file, make([]byte, maxBytes), 0o600))
	own, err := readData(dir)
	require.NoError(t, err)
	assert.Len(t, own["slots/a.yaml"].Data, maxBytes)
	require.NoError(t, os.WriteFile(file, []byte("id: zz\n"), 0o600))
	assert.True(t, HasData(dir))
	data, err := fs.ReadFile(Overlay(rules.FS, dir), "slots/a.yaml")
	require.NoError(t, err)
	assert.Equal(t, "id: zz\n", string(data))
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "processors.csv"), []byte("intel xeon gold 9999,intel\n"), 0o600))
	_, err = JoinFolders(rules.FS, []string{dir})
	var faults datafile.Complaints
	require.ErrorAs(t, err, &faults, "one complaint is enough")

	assert.False(t, InRulesFolder(file))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "compiled"), 0o700))
	assert.True(t, InRulesFolder(file))
	assert.False(t, HasData(dir), "a complete rules folder is used alone")
	_, err = fs.ReadFile(Overlay(rules.FS, dir), "platforms/sources.tsv")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestMergedTables checks that a table with a header keeps it, and that the site's line replaces one with the same
// key.
func TestMergedTables(t *testing.T) {
	assert.Equal(t, "#key,a\nx,1\ny,3\nz,4\n", string(mergeTables([]byte("#key,a\ny,2\nx,1\n"), []byte("#key,a\nz,4\ny,3"), true)))
	assert.Equal(t, "x\t1\ny,b\t3\n", string(mergeTables([]byte("x\t1\ny,b\t2\n"), []byte("y,b\t3\n"), false)))
}
