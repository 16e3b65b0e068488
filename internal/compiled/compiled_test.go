package compiled

import (
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
		assert.Equal(t, want, string(got), name)
	}
	_, err := Part(at, "d")
	require.ErrorContains(t, err, `no part "d"`)
	_, err = Part(fstest.MapFS{}, "a")
	require.ErrorContains(t, err, "file does not exist")
	for n := range whole {
		_, err := Part(fstest.MapFS{File: {Data: whole[:n]}}, "b")
		require.ErrorIs(t, err, errDamaged, n)
	}
	_, err = Part(fstest.MapFS{File: {Data: append(whole, 'x')}}, "b")
	require.ErrorIs(t, err, errDamaged, "something follows the last part")
}
