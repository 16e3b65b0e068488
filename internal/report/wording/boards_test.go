package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestBoards checks that boards are named if labels repeat within one processor, and that each controller has its
// own.
func TestBoards(t *testing.T) {
	socket, name := 0, "CPU1"
	inv := &report.Inventory{Sockets: []inventory.Socket{{ID: socket, Designation: is(name)}}}
	slot := func(controller int, bank, label string) *inventory.Slot {
		return &inventory.Slot{Place: inventory.Place{Socket: &socket, Controller: &controller}, BankLocator: is(bank), Locator: is(label)}
	}
	for name, c := range map[string]struct {
		slots []*inventory.Slot
		want  map[int]string
	}{
		"repeated":        {[]*inventory.Slot{slot(0, "CPU1-MEM-A", "1A"), slot(0, "CPU1-MEM-A", "2A"), slot(1, "CPU1-MEM-B", "1A")}, map[int]string{0: "MEM-A", 1: "MEM-B"}},
		"another's":       {[]*inventory.Slot{slot(0, "Board 1", "1A"), slot(1, "Board 2", "1A")}, map[int]string{0: "Board 1", 1: "Board 2"}},
		"labels alone":    {[]*inventory.Slot{slot(0, "CPU1-MEM-A", "1A"), slot(1, "CPU1-MEM-B", "1E")}, nil},
		"one board":       {[]*inventory.Slot{slot(0, "BANK", "1A"), slot(1, "BANK", "1A")}, nil},
		"several":         {[]*inventory.Slot{slot(0, "BANK 0", "1A"), slot(0, "BANK 1", "1A"), slot(1, "BANK 2", "1A")}, nil},
		"processor alone": {[]*inventory.Slot{slot(0, "CPU1", "1A"), slot(1, "Riser", "1A")}, map[int]string{0: "CPU1", 1: "Riser"}},
		"no controller":   {[]*inventory.Slot{{}, slot(1, "BANK 2", "1A")}, nil},
	} {
		assert.Equal(t, c.want, wording.Boards(inv, c.slots), name)
	}
}
