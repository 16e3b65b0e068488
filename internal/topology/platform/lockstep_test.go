package platform

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestLockstepPairsHaveTwoChannels checks that a file with a lockstep pair of one or three channels is refused with
// its line.
func TestLockstepPairsHaveTwoChannels(t *testing.T) {
	shipped, err := fs.ReadFile(corpustest.Rules(t), "platforms/westmere-ex.yaml")
	require.NoError(t, err)
	p, err := ByID(corpustest.Rules(t), "westmere-ex")
	require.NoError(t, err)
	assert.Equal(t, [][]int{{1, 3}, {0, 2}, {5, 7}, {4, 6}}, p.LockstepChannels)
	for pair, want := range map[string]string{
		"[0, 2, 4]": "read platform: platforms/westmere-ex.yaml:12: lockstep_channels[1]: 3 channels, expected 2",
		"[0]":       "read platform: platforms/westmere-ex.yaml:12: lockstep_channels[1]: 1 channels, expected 2",
		"[]":        "read platform: platforms/westmere-ex.yaml:12: lockstep_channels[1]: 0 channels, expected 2",
		"[0, two]":  "read platform: platforms/westmere-ex.yaml:12: cannot unmarshal !!str `two` into int",
	} {
		damaged := strings.Replace(string(shipped), "[0, 2]", pair, 1)
		_, err := ByID(fstest.MapFS{"platforms/westmere-ex.yaml": {Data: []byte(damaged)}}, "westmere-ex")
		require.EqualError(t, err, want, pair)
	}
}
