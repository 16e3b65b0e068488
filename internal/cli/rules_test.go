package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRulesListKeys checks that a list's JSON has the documented keys of a rule and no internal ones.
func TestRulesListKeys(t *testing.T) {
	_, out, _ := run(nil, "rules", "list", "--format", "json")
	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.NotEmpty(t, list)
	for _, r := range list {
		for key := range r {
			assert.Equal(t, strings.ToLower(key), key)
		}
		assert.Contains(t, r, "cases")
	}
}
