package rulepack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/rules"
)

// TestListedIsDescribed checks that a list without settings describes each profile as its full description does.
func TestListedIsDescribed(t *testing.T) {
	packs, err := LoadCompiled(rules.FS)
	require.NoError(t, err)
	listed, described := ListProfiles(packs), DescribeProfiles(packs)
	require.Greater(t, len(described), 100)
	for i := range described {
		require.NotEmpty(t, described[i].Settings, described[i].ID)
		described[i].Settings, described[i].Order = map[string]SettingInfo{}, nil
	}
	assert.Equal(t, described, listed)
}

// TestSameMachines checks that two profiles are for the same machines if all three lists are equal, and if both are
// for all machines.
func TestSameMachines(t *testing.T) {
	all := &Match{Platforms: []string{"a"}, Vendors: []string{"b"}, Products: []string{"c"}}
	same := *all
	assert.True(t, all.same(&same))
	assert.True(t, (*Match)(nil).same(nil))
	for _, other := range []*Match{nil, {Vendors: all.Vendors, Products: all.Products}, {Platforms: all.Platforms, Products: all.Products}, {Platforms: all.Platforms, Vendors: all.Vendors}} {
		assert.False(t, all.same(other))
		assert.False(t, other.same(all))
	}
}
