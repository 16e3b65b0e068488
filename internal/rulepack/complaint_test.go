package rulepack_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/rulepack"
)

// TestComplaintsCarryPlaces: every complaint names file, line and column.
func TestComplaintsCarryPlaces(t *testing.T) {
	src := `rules:
  - id: site.memory.size
    title: enough memory
    subjekt: machine
`
	_, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Len(t, faults, 1)
	assert.Equal(t, 4, faults[0].Line)
	assert.Equal(t, 5, faults[0].Column)
	assert.Contains(t, faults[0].Text, `unknown key "subjekt"`)

	src = `rules:
  - id: site.memory.size
    title: enough memory
    check: memory.installed_byte > 5
    severity: info
    why: because
    citation: {vendor: us, title: our rules}
    cases: []
`
	p, faults := rulepack.ParsePack("site.yaml", []byte(src))
	require.Empty(t, faults)
	out := p.Validate()
	require.NotEmpty(t, out)
	assert.Equal(t, "site.yaml:4:18: check: undefined field 'installed_byte'", out[0].String())
	assert.Contains(t, out.Error(), "no case that expects pass")
}
