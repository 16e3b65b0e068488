package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestProcessorsOfACutTable: a table that is not whole does not say how many
// processors there are.
func TestProcessorsOfACutTable(t *testing.T) {
	sys := &inventory.System{Sockets: []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}}}
	whole := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.OK, whole.state)
	sys.Firmware.Lost = &inventory.Problem{Text: "table ends at 0x50"}
	cut := populatedSockets(&Machine{sys: sys})
	assert.Equal(t, fact.Truncated, cut.state)
	assert.Contains(t, cut.Reason, "processors may be missing from the list: table ends at 0x50")
}
