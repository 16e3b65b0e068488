package smbios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCutFirst: what is shorter than a header, or begins with a type that the
// standard does not know, is not a table that was cut short.
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
