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

// TestMisnamed checks that a label is another processor's if it begins with that one's name and not with its own.
func TestMisnamed(t *testing.T) {
	for name, c := range map[string]struct {
		sockets []string
		slots   string // of socket 0
		want    map[int]string
	}{
		"P920":                 {[]string{"CPU0", "CPU1"}, "CPU1_DIMM_3", map[int]string{0: "CPU1"}},
		"blanks":               {[]string{"CPU 0", "CPU 1"}, "cpu1 DIMM 3", map[int]string{0: "cpu1"}},
		"its own":              {[]string{"CPU1", "CPU2"}, "CPU1_DIMM_3", nil},
		"no number":            {[]string{"CPU", "CPU"}, "CPU1_DIMM_3", nil},
		"one for all":          {[]string{"LGA3647", "LGA3647"}, "CPU1_DIMM_3", nil},
		"another number":       {[]string{"CPU0", "CPU1"}, "CPU11_DIMM_3", nil},
		"nothing of any":       {[]string{"CPU0", "CPU1"}, "DIMM_A1", nil},
		"the name and no more": {[]string{"CPU0", "CPU1"}, "CPU1", nil},
	} {
		socket, inv := 0, &report.Inventory{}
		for i := range c.sockets {
			inv.Sockets = append(inv.Sockets, report.Socket{ID: i, Designation: nullable.String(c.sockets[i])})
		}
		inv.Slots = []report.Slot{{Locator: nullable.String(c.slots)}, {Socket: &socket, Locator: nullable.String(c.slots)}}
		assert.Equal(t, c.want, report.Misnamed(inv), name)
	}
}
