package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestNamedModules checks that a slot with size 0 and a named module is not empty. Leftovers without
// vendor, part number or speed are common in empty slots, and some firmware prints the same text for
// every slot.
func TestNamedModules(t *testing.T) {
	module := func(bytes int64, maker, part, serial string, speed int) smbiostest.DIMM {
		return smbiostest.DIMM{Bytes: bytes, Manufacturer: maker, Part: part, Serial: serial, Speed: speed}
	}
	const g = int64(1) << 30
	filled := module(16*g, "Samsung", "M393A2G40EB1-CRC", "A001", 2400)
	for _, c := range []struct {
		name  string
		dimms []smbiostest.DIMM
		want  inventory.SlotState // of the last
	}{
		{"an empty slot", []smbiostest.DIMM{filled, {}}, inventory.SlotEmpty},
		{"mapped out", []smbiostest.DIMM{filled, {}, module(0, "Samsung", "M393A2G40EB1-CRC", "A002", 2400)}, inventory.SlotUnknown},
		{"mapped out of a full machine", []smbiostest.DIMM{filled, module(0, "Samsung", "M393A2G40EB1-CRC", "A002", 2400)}, inventory.SlotUnknown},
		{"mapped out, serial numbers hidden", []smbiostest.DIMM{module(16*g, "Samsung", "M393A2G40EB1-CRC", "--", 2400), module(0, "Samsung", "M393A2G40EB1-CRC", "--", 2400)}, inventory.SlotUnknown},
		{"no speed", []smbiostest.DIMM{filled, module(0, "A1_Manufacturer1", "Array1_PartNumber1", "", 0)}, inventory.SlotEmpty},
		{"a speed alone", []smbiostest.DIMM{filled, module(0, "", "", "", 1333)}, inventory.SlotEmpty},
		{"placeholders", []smbiostest.DIMM{filled, module(0, "NO DIMM", "NO DIMM", "NO DIMM", 2133)}, inventory.SlotEmpty},
		{"one text in filled and empty slots, without serial numbers", []smbiostest.DIMM{module(16*g, "ACME", "ACME", "", 2400), module(0, "ACME", "ACME", "", 2400)}, inventory.SlotEmpty},
		{"not support", []smbiostest.DIMM{filled, module(0, "NOT SUPPORT", "NOT SUPPORT", "", 2400)}, inventory.SlotEmpty},
		{"a numbered placeholder beside a module", []smbiostest.DIMM{filled, module(0, "Manufacturer01", "ModulePartNumber01", "", 2400)}, inventory.SlotEmpty},
		{"numbered like the slots", []smbiostest.DIMM{module(2*g, "Mfg 0", "SODIMM000", "", 667), module(0, "Mfg 1", "SODIMM001", "", 667)}, inventory.SlotEmpty},
		{"one part number of several makers", []smbiostest.DIMM{module(16*g, "Kingston", "6478545886", "", 2400), module(16*g, "Samsung", "6478545886", "", 2400),
			module(0, "Micron", "6478545886", "", 2400)}, inventory.SlotEmpty},
		{"one module in every slot", []smbiostest.DIMM{filled, module(0, "Samsung", "M393A2G40EB1-CRC", "A001", 2400)}, inventory.SlotEmpty},
		{"one module in every slot but one", []smbiostest.DIMM{filled, {}, module(0, "Samsung", "M393A2G40EB1-CRC", "A001", 2400)}, inventory.SlotUnknown},
	} {
		b := smbiostest.New(3, 0)
		array := b.Array(smbiostest.Array{Devices: len(c.dimms)})
		for i, d := range c.dimms {
			d.Array, d.Locator = array, "DIMM_A"+string(rune('1'+i))
			b.MemoryDevice(d)
		}
		slots := collecttest.Decoded(t, b).Slots
		require.Len(t, slots, len(c.dimms), c.name)
		last := &slots[len(slots)-1]
		assert.Equal(t, c.want, last.State, c.name)
		assert.Equal(t, c.want == inventory.SlotUnknown, last.Named, c.name)
		if last.Named {
			assert.Contains(t, last.SizeBytes.Reason, "firmware counts no memory in "+last.Locator.Value+" and names a module there (Samsung M393A2G40EB1-CRC, 2400 MT/s)", c.name)
			assert.Equal(t, "M393A2G40EB1-CRC", last.PartNumber.Value, c.name)
		}
	}
}
