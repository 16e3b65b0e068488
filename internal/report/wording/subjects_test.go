package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSubjects(t *testing.T) {
	assert.Equal(t, []string{"sockets 0-2,7", "machine", "node 4", "slot 0x1100 (A1)"},
		Subjects([]string{"socket 2", "machine", "socket 0", "node 4", "socket 1", "slot 0x1100 (A1)", "socket 7"}))
	assert.Empty(t, Subjects(nil))
}
