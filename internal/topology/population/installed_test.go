package population

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestInstalledIsModulesOfDRAM checks that neither an empty slot, whatever size firmware reports, nor persistent
// memory is installed DRAM.
func TestInstalledIsModulesOfDRAM(t *testing.T) {
	known := func(n int64) fact.Fact[int64] { return fact.Known(n, fact.Direct, fact.Evidence{}) }
	kind := func(k inventory.Technology) fact.Fact[inventory.Technology] {
		return fact.Known(k, fact.Direct, fact.Evidence{})
	}
	sys := &inventory.System{Slots: []inventory.Slot{
		{State: inventory.SlotPopulated, SizeBytes: known(16 << 30), Technology: kind(inventory.DRAM)},
		{State: inventory.SlotPopulated, SizeBytes: known(8 << 30)},
		{State: inventory.SlotEmpty, SizeBytes: known(32 << 30), Technology: kind(inventory.DRAM)},
		{State: inventory.SlotPopulated, SizeBytes: known(128 << 30), Technology: kind(inventory.NVDIMM)},
	}}
	b := &builder{sys: sys}
	installed := b.installed()
	assert.Equal(t, int64(24<<30), installed.Value, installed.Reason)
}

// TestFullestControllerIsKept checks that the first controller is kept if it is the fullest, and that two with
// missing channels give none.
func TestFullestControllerIsKept(t *testing.T) {
	set, least := pickSymmetric([]int64{64, 32}, [][]int{{0}, {1}}, 1, 1)
	assert.Equal(t, []int{0}, set)
	assert.Equal(t, int64(64), least)
	set, least = pickSymmetric([]int64{32, 64}, [][]int{{0}, {1}}, 1, 1)
	assert.Equal(t, []int{1}, set)
	assert.Equal(t, int64(64), least)
	set, _ = pickSymmetric([]int64{32, 64}, [][]int{{0}, {1}}, 2, 2)
	assert.Nil(t, set)
}
