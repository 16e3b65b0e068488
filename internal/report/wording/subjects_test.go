package wording

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

func TestSubjects(t *testing.T) {
	assert.Equal(t, []string{"sockets 0-2,7", "machine", "node 4", "slot 0x1100 (A1)"},
		Subjects([]inventory.Subject{inventory.SocketSubject(2), {}, inventory.SocketSubject(0), inventory.NodeSubject(4), inventory.SocketSubject(1), inventory.SlotSubject(0x1100, "A1"), inventory.SocketSubject(7)}))
	assert.Empty(t, Subjects(nil))
}
