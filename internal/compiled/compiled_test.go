package compiled

import (
	"io/fs"
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParts(t *testing.T) {
	whole := Join(map[string][]byte{"b": []byte("two\n\nlines"), "a": {}, "c": []byte("3")})
	at := fstest.MapFS{File: {Data: whole}}
	for name, want := range map[string]string{"a": "", "b": "two\n\nlines", "c": "3"} {
		got, err := Part(at, name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		got, err = Part(embedded(whole), name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
	_, err := Part(at, "d")
	require.ErrorContains(t, err, `no part "d"`)
	_, err = Part(fstest.MapFS{}, "a")
	require.ErrorContains(t, err, "file does not exist")
	for n := range whole {
		_, err := Part(fstest.MapFS{File: {Data: whole[:n]}}, "b")
		require.ErrorIs(t, err, errDamaged, n)
		_, err = Part(embedded(whole[:n]), "b")
		require.Error(t, err, n)
	}
	_, err = Part(fstest.MapFS{File: {Data: append(whole, 'x')}}, "b")
	require.ErrorIs(t, err, errDamaged, "something follows the last part")
}

// TestPartAlone: a part costs its own bytes, not the file's.
func TestPartAlone(t *testing.T) {
	small := []byte("a few bytes")
	whole := fstest.MapFS{File: {Data: Join(map[string][]byte{"large": make([]byte, 1<<20), "small": small})}}
	for name, at := range map[string]fs.FS{"at any place": whole, "in order alone": inOrder{whole}} {
		got, err := Part(at, "small")
		require.NoError(t, err, name)
		assert.Equal(t, string(small), got, name)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, _ = Part(whole, "small")
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/100, uint64(16<<10))
}

// TestPartOfText: of an artefact that is one text a part costs nothing.
func TestPartOfText(t *testing.T) {
	whole := embedded(Join(map[string][]byte{"large": make([]byte, 1<<20), "small": []byte("a few bytes")}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := Part(whole, "large")
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Len(t, got, 1<<20)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<10))
}

// embedded is an artefact that is one text.
type embedded string

func (e embedded) Compiled() string { return string(e) }

// Open implements fs.FS: there is no file.
func (embedded) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

// inOrder opens files that can be read from their beginning alone.
type inOrder struct{ fs.FS }

func (i inOrder) Open(name string) (fs.File, error) {
	file, err := i.FS.Open(name)
	return struct{ fs.File }{file}, err
}

// TestReadText: a file that is a text already is that text, any other is opened.
func TestReadText(t *testing.T) {
	k := withText{fstest.MapFS{"a": {Data: []byte("opened")}, "b": {Data: []byte("opened")}}}
	for name, want := range map[string]string{"a": "there", "b": "opened"} {
		have, err := ReadText(k, name)
		require.NoError(t, err)
		assert.Equal(t, want, have)
	}
	_, err := ReadText(k, "c")
	require.ErrorIs(t, err, fs.ErrNotExist)
	have, err := ReadText(k.FS, "a")
	require.NoError(t, err)
	assert.Equal(t, "opened", have)
}

type withText struct{ fs.FS }

func (withText) Text(name string) (string, bool) { return "there", name == "a" }
