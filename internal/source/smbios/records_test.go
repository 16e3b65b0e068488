package smbios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCutFirst checks that data shorter than a header, or starting with a type unknown to the standard, is not a
// truncated table.
func TestCutFirst(t *testing.T) {
	system := []byte{typeSystem, 27, 1, 0, 1, 2, 0, 0}
	assert.True(t, (&walker{data: system}).cutFirst())
	for n := range headerLength {
		assert.False(t, (&walker{data: system[:n]}).cutFirst(), n)
	}
	assert.True(t, (&walker{data: system[:headerLength]}).cutFirst())
	unknown := slices.Clone(system)
	unknown[0] = 46
	assert.False(t, (&walker{data: unknown}).cutFirst())
}
