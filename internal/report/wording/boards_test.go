package wording_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// TestBoards checks that boards are named if labels repeat within one processor, and that each controller has its
// own.
func TestBoards(t *testing.T) {
	socket, name := 0, "CPU1"
	inv := &report.Inventory{Sockets: []report.Socket{{ID: socket, Designation: nullable.String(name)}}}
	slot := func(controller int, bank, label string) *report.Slot {
		return &report.Slot{Socket: &socket, Controller: &controller, BankLocator: nullable.String(bank), Locator: nullable.String(label)}
	}
	for name, c := range map[string]struct {
		slots []*report.Slot
		want  map[int]string
	}{
		"repeated":        {[]*report.Slot{slot(0, "CPU1-MEM-A", "1A"), slot(0, "CPU1-MEM-A", "2A"), slot(1, "CPU1-MEM-B", "1A")}, map[int]string{0: "MEM-A", 1: "MEM-B"}},
		"another's":       {[]*report.Slot{slot(0, "Board 1", "1A"), slot(1, "Board 2", "1A")}, map[int]string{0: "Board 1", 1: "Board 2"}},
		"labels alone":    {[]*report.Slot{slot(0, "CPU1-MEM-A", "1A"), slot(1, "CPU1-MEM-B", "1E")}, nil},
		"one board":       {[]*report.Slot{slot(0, "BANK", "1A"), slot(1, "BANK", "1A")}, nil},
		"several":         {[]*report.Slot{slot(0, "BANK 0", "1A"), slot(0, "BANK 1", "1A"), slot(1, "BANK 2", "1A")}, nil},
		"processor alone": {[]*report.Slot{slot(0, "CPU1", "1A"), slot(1, "Riser", "1A")}, map[int]string{0: "CPU1", 1: "Riser"}},
		"no controller":   {[]*report.Slot{{}, slot(1, "BANK 2", "1A")}, nil},
	} {
		assert.Equal(t, c.want, wording.Boards(inv, c.slots), name)
	}
}
