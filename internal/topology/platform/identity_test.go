package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/rules"
)

// TestGuests checks that a guest has no slots, and that a physical machine or one of unknown kind has.
func TestGuests(t *testing.T) {
	sys := &inventory.System{Sockets: collecttest.Sockets(1, AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")}
	for _, c := range []struct {
		virtual fact.Fact[bool]
		want    bool
	}{{collecttest.Known(true), false}, {collecttest.Known(false), true}, {fact.Fact[bool]{}, true}} {
		sys.Machine.Virtual = c.virtual
		assert.Equal(t, c.want, Recognise(sys, rules.FS).Known())
	}
}
