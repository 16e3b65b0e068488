package smbios

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSameTables checks that tables are equal if everything that locates a structure is equal.
func TestSameTables(t *testing.T) {
	table := func(s Structure, p ...Problem) *Table {
		return &Table{Structures: []Structure{{Type: 1}, s}, Problems: p}
	}
	whole := Structure{Type: 17, Handle: 3, Offset: 40, strs: "a"}
	assert.True(t, sameTables(table(whole), table(Structure{Type: 17, Handle: 3, Offset: 40, strs: "b"})))
	for name, other := range map[string]*Table{
		"type": table(Structure{Type: 16, Handle: 3, Offset: 40, strs: "a"}), "handle": table(Structure{Type: 17, Handle: 4, Offset: 40, strs: "a"}),
		"offset": table(Structure{Type: 17, Handle: 3, Offset: 41, strs: "a"}), "strings": table(Structure{Type: 17, Handle: 3, Offset: 40, strs: "ab"}),
		"problems": table(whole, Problem{Code: CodeLength}), "number": {Structures: []Structure{{Type: 1}}},
	} {
		assert.False(t, sameTables(table(whole), other), name)
	}
}

// TestBlankText checks that printable characters are removed and zeros and spaces stay where they are.
func TestBlankText(t *testing.T) {
	b := []byte("\x00\x1f a!~\x7f\x80")
	blankText(b)
	assert.Equal(t, "\x00\x1f xxx\x7fx", string(b))
}
