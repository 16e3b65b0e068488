package site

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/rules"
)

// TestProcessorsAreJoined: a site's processor is found among the built-in ones,
// and those still are.
func TestProcessorsAreJoined(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "processors.csv"), []byte(
		"#key,vendor,number,codename,cores,threads,smt,turbo,channels,max_mts,max_mts_2dpc,how,source\n"+
			"intel xeon gold 9999,intel,9999,Example,8,16,yes,yes,6,2666,,spec,our data sheet\n"), 0o600))
	k, err := Join(rules.FS, []string{dir})
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

// TestJoinedFiles: both kinds of files are read, listed and opened.
func TestJoinedFiles(t *testing.T) {
	k := beside(rules.FS, map[string][]byte{"platforms/zz.yaml": []byte("id: zz\n")})
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

// TestNothingToJoin: without data files the knowledge is the built-in one
// itself.
func TestNothingToJoin(t *testing.T) {
	k, err := Join(rules.FS, []string{t.TempDir(), filepath.Join(t.TempDir(), "gone")})
	require.NoError(t, err)
	assert.Equal(t, fs.FS(rules.FS), k)
}

// TestDocumentsAreJoined: a document of the site's takes the place of the built-in one with its
// key behind built-in platforms too, which an audit reads compiled where the site has none.
func TestDocumentsAreJoined(t *testing.T) {
	builtin, err := platform.ByID(rules.FS, "milan")
	require.NoError(t, err)
	require.NotEmpty(t, builtin.Documents)
	key := builtin.Documents[0].Key
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "platforms"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "platforms", "zz.yaml"), []byte("id: zz\nname: A site's own\nsources: ["+key+"]\n---\nrecognise:\n"+
		"  - {vendor: GenuineIntel, brand: 'Example 1'}\n"), 0o600))
	k, err := Join(rules.FS, []string{dir})
	require.NoError(t, err)
	have, err := platform.ByID(k, "milan")
	require.NoError(t, err)
	assert.Equal(t, builtin, have)
	own, err := platform.ByID(k, "zz")
	require.NoError(t, err)
	assert.Equal(t, builtin.Documents[:1], own.Documents)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "platforms", "sources.tsv"), []byte(key+"\tExample\tOur own reading\t2024\tp1\t\tthird\tchannels\n"), 0o600))
	k, err = Join(rules.FS, []string{dir})
	require.NoError(t, err)
	have, err = platform.ByID(k, "milan")
	require.NoError(t, err)
	assert.Equal(t, "Our own reading", have.Documents[0].Title)
	assert.Equal(t, builtin.Documents[1:], have.Documents[1:])
}
