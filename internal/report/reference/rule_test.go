package reference_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// TestByName checks that every rule and setting has a heading, to which alerts link, and that the page has no path of
// this machine.
func TestByName(t *testing.T) {
	packs, err := reference.BuiltinPacks()
	require.NoError(t, err)
	page, err := reference.RulesByName(packs, map[string]string{"memory.channel.populated": "fails on example"})
	require.NoError(t, err)
	for _, heading := range []string{"memory.channel.populated", "setting.smt"} {
		assert.Contains(t, page, "\n## "+heading+"\n")
	}
	assert.Contains(t, page, "- **on the example servers**: fails on example\n")
	assert.NotContains(t, page, corpustest.Root(t))
	assert.NotContains(t, page, "text of the rule is broken")
}
