package bios

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestKeysWritten checks that keys are counted by their colon, except for colons in strings. A wrong count would
// cause a second read of a long registry, which no result shows.
func TestKeysWritten(t *testing.T) {
	for data, want := range map[string]int{
		`[1, 2]`:                      0,
		`{"a": 1}`:                    1,
		`{"a:b": "c:d"}`:              1,
		`{"a\"": 1, "\\": {"c": []}}`: 3,
		`[{"a": 1}, {"a": "\":"}]`:    2,
	} {
		assert.Equal(t, want, keysWritten([]byte(data)), data)
	}
}
