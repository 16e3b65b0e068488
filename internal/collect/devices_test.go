package collect_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// Codes of DSP0134 7.18 that the tests use.
const (
	formOther, formUnknown, formChip, formTSOP, formDie, formCAMM = 0x01, 0x02, 0x05, 0x0A, 0x10, 0x11
	typeUnknown, typeFlash, typeDDR, typeDDR2, typeDDR3           = 0x02, 0x09, 0x12, 0x13, 0x18
	typeDDR4, typeLPDDR4, typeLogical, typeHBM2, typeDDR5         = 0x1A, 0x1E, 0x1F, 0x21, 0x22
	typeLPDDR5, typeDRAM                                          = 0x23, 0x03
	techUnknown, techDRAM, techNVDIMMN, techNVDIMMP, techOptane   = 0x02, 0x03, 0x04, 0x06, 0x07
	detailNonVolatile, detailRegistered, detailUnbuffered         = 1 << 12, 1 << 13, 1 << 14
	detailLRDIMM, detailSynchronous                               = 1 << 15, 1 << 7
)

// oneSlot is the slot of a table with this device alone.
func oneSlot(t *testing.T, major, minor int, d smbiostest.DIMM) inventory.Slot {
	t.Helper()
	b := smbiostest.New(major, minor)
	d.Array = b.Array(smbiostest.Array{Devices: 1})
	b.MemoryDevice(d)
	slots := collecttest.Decoded(t, b).Slots
	require.Len(t, slots, 1)
	return slots[0]
}

// TestTechnology keeps the kinds of memory apart.
func TestTechnology(t *testing.T) {
	direct := fact.Direct
	for _, c := range []struct {
		name  string
		d     smbiostest.DIMM
		want  want.Fact[inventory.Technology]
		field string
	}{
		{"DDR5", smbiostest.DIMM{Type: typeDDR5}, want.Is(inventory.DRAM, direct), "Memory Technology"},
		{"DDR4, technology not stated", smbiostest.DIMM{Type: typeDDR4, Technology: techUnknown}, want.Is(inventory.DRAM, direct), "Type"},
		{"type not stated", smbiostest.DIMM{Type: typeUnknown}, want.Is(inventory.DRAM, direct), "Memory Technology"},
		{"neither stated", smbiostest.DIMM{Type: typeUnknown, Technology: techUnknown}, want.Is(inventory.DRAM, fact.Indirect), "Type"},
		{"NVDIMM by technology", smbiostest.DIMM{Technology: techNVDIMMN}, want.Is(inventory.NVDIMM, direct), "Memory Technology"},
		{"NVDIMM-P by technology", smbiostest.DIMM{Technology: techNVDIMMP}, want.Is(inventory.NVDIMM, direct), "Memory Technology"},
		{"persistent memory by technology", smbiostest.DIMM{Technology: techOptane, Type: typeLogical}, want.Is(inventory.NVDIMM, direct), "Memory Technology"},
		{"NVDIMM by type", smbiostest.DIMM{Type: typeLogical, Technology: techUnknown}, want.Is(inventory.NVDIMM, direct), "Type Detail"},
		{"NVDIMM by detail", smbiostest.DIMM{Technology: techUnknown, Detail: detailSynchronous | detailNonVolatile}, want.Is(inventory.NVDIMM, direct), "Type Detail"},
		{"registered and unbuffered, which no module is", smbiostest.DIMM{Technology: techUnknown, Detail: detailNonVolatile | detailRegistered | detailUnbuffered}, want.Is(inventory.DRAM, direct), "Type"},
		{"HBM", smbiostest.DIMM{Type: typeHBM2, FormFactor: formDie}, want.Is(inventory.HBM, direct), "Type"},
		{"CXL by label", smbiostest.DIMM{Locator: "CXL 3", Type: typeDDR5}, want.Is(inventory.CXL, direct), "Locator"},
		{"flash", smbiostest.DIMM{Type: typeFlash}, want.Is(inventory.Flash, direct), "Type"},
		{"the BIOS chip", smbiostest.DIMM{Locator: "System ROM", FormFactor: formChip, Type: typeUnknown}, want.Is(inventory.Flash, direct), "Type"},
		{"the BIOS chip by its bank", smbiostest.DIMM{Locator: "x", Bank: "ROM 0", FormFactor: formChip, Type: typeUnknown}, want.Is(inventory.Flash, direct), "Type"},
		{"a module beside the BIOS chip's bank", smbiostest.DIMM{Locator: "P1_DIMM3A", Bank: "ROM0", Type: typeUnknown, Technology: techUnknown}, want.Is(inventory.DRAM, fact.Indirect), "Type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.Bytes = 16 << 30
			got := oneSlot(t, 3, 7, c.d).Technology
			c.want.Check(t, got)
			assert.Contains(t, got.From.Field, c.field)
		})
	}
	b := smbiostest.New(3, 7)
	b.MemoryDevice(smbiostest.DIMM{Array: b.Array(smbiostest.Array{Devices: 1, Location: 0xA4}), Bytes: 128 << 30, Type: typeDDR5})
	card := collecttest.Decoded(t, b).Slots[0].Technology
	want.Is(inventory.CXL, direct).Check(t, card)
	assert.Contains(t, card.From.Field, "type 16 0x0000 Location")
	old := smbiostest.DIMM{Bytes: 1 << 30, Type: typeDDR2}
	want.Is(inventory.DRAM, fact.Direct).Check(t, oneSlot(t, 2, 5, old).Technology)
}

// TestModulesCalledSomethingElse checks firmware of the RH2288 V3, which sets the bit for plain RDIMMs: a machine with
// NVDIMMs also has DRAM; and modules whose other fields or twins say that they are DRAM.
func TestModulesCalledSomethingElse(t *testing.T) {
	nonVolatile := smbiostest.DIMM{Bytes: 16 << 30, Type: typeDDR4, Technology: techUnknown, Detail: detailSynchronous | detailNonVolatile | detailRegistered}
	plain := nonVolatile
	plain.Detail = detailSynchronous | detailRegistered
	persistent := nonVolatile
	persistent.Type = typeLogical
	untyped := nonVolatile
	untyped.Type = typeDRAM
	part := func(d smbiostest.DIMM, number string) smbiostest.DIMM { d.Part = number; return d }
	typed := func(d smbiostest.DIMM, typ byte, technology byte) smbiostest.DIMM {
		d.Type, d.Technology = typ, technology
		return d
	}
	for name, c := range map[string]struct {
		first, second smbiostest.DIMM
		want          inventory.Technology
	}{
		"all modules":          {nonVolatile, nonVolatile, inventory.DRAM},
		"beside DRAM":          {nonVolatile, plain, inventory.NVDIMM},
		"of type DRAM":         {untyped, untyped, inventory.DRAM},
		"beside the same part": {part(nonVolatile, "M393A2K40CB2-CTD"), part(plain, "M393A2K40CB2-CTD"), inventory.DRAM},
		"beside another part":  {part(nonVolatile, "M393A2K40CB2-CTD"), part(plain, "M393A4K40CB2-CTD"), inventory.NVDIMM},
		"beside an empty slot": {nonVolatile, smbiostest.DIMM{}, inventory.DRAM},
		"non-volatile by type": {persistent, persistent, inventory.NVDIMM},
		"one by type":          {nonVolatile, persistent, inventory.NVDIMM},
		"beside the BIOS chip": {nonVolatile, smbiostest.DIMM{Bytes: 4 << 20, Type: typeFlash, FormFactor: formChip}, inventory.DRAM},
		"not registered":       {smbiostest.DIMM{Bytes: 16 << 30, Type: typeDDR4, Technology: techUnknown, Detail: detailNonVolatile}, smbiostest.DIMM{}, inventory.NVDIMM},
		"flash, same part":     {part(typed(plain, typeFlash, techUnknown), "M393A2K40CB2-CTD"), part(plain, "M393A2K40CB2-CTD"), inventory.DRAM},
		"flash, another part":  {part(typed(plain, typeFlash, techUnknown), "M393A2K40CB2-CTD"), part(plain, "M393A4K40CB2-CTD"), inventory.Flash},
		"HBM that is a DIMM":   {typed(plain, typeHBM2, techUnknown), plain, inventory.DRAM},
		"non-volatile DRAM":    {typed(plain, typeLogical, techDRAM), plain, inventory.DRAM},
	} {
		t.Run(name, func(t *testing.T) {
			b := smbiostest.New(3, 2)
			array := b.Array(smbiostest.Array{Devices: 2})
			for _, d := range []smbiostest.DIMM{c.first, c.second} {
				d.Array = array
				b.MemoryDevice(d)
			}
			s := collecttest.Decoded(t, b).Slots[0]
			require.Equal(t, c.want, s.Technology.Value)
			require.Equal(t, c.want == inventory.NVDIMM || c.want == inventory.Flash, s.NonVolatile.Known())
		})
	}
}

// TestSoldered distinguishes chips on the board from modules.
func TestSoldered(t *testing.T) {
	for _, c := range []struct {
		name string
		d    smbiostest.DIMM
		want want.Fact[bool]
	}{
		{"DIMM", smbiostest.DIMM{}, want.Is(false, fact.Direct)},
		{"die", smbiostest.DIMM{FormFactor: formDie}, want.Is(true, fact.Direct)},
		{"chip", smbiostest.DIMM{FormFactor: formChip}, want.Is(true, fact.Direct)},
		{"LPDDR in no DIMM", smbiostest.DIMM{FormFactor: formTSOP, Type: typeLPDDR4}, want.Is(true, fact.Direct)},
		{"LPDDR of another form", smbiostest.DIMM{FormFactor: formOther, Type: typeLPDDR5}, want.Is(true, fact.Direct)},
		{"LPDDR, form factor not stated", smbiostest.DIMM{FormFactor: formUnknown, Type: typeLPDDR5}, want.Not[bool](fact.Unstated, "form factor")},
		{"another form", smbiostest.DIMM{FormFactor: formOther, Type: typeDDR4}, want.Not[bool](fact.Unstated, "Other")},
		{"LPDDR in a CAMM", smbiostest.DIMM{FormFactor: formCAMM, Type: typeLPDDR5}, want.Is(false, fact.Direct)},
		{"form factor not stated", smbiostest.DIMM{FormFactor: formUnknown, Type: typeDDR4}, want.Not[bool](fact.Unstated, "form factor")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.Bytes = 16 << 30
			c.want.Check(t, oneSlot(t, 3, 7, c.d).Soldered)
		})
	}
}

// TestSpeeds checks that a single speed field is the rated or the running speed, and that a clock in MHz is not a
// speed.
func TestSpeeds(t *testing.T) {
	direct, indirect := fact.Direct, fact.Indirect
	clock := "looks like a clock in MHz"
	for _, c := range []struct {
		name              string
		minor             int // of version 2 below 10, else of version 3
		d                 smbiostest.DIMM
		rated, configured want.Fact[int]
	}{
		{"both", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 3200, Configured: 2933}, want.Is(3200, direct), want.Is(2933, direct)},
		{"one field", 6, smbiostest.DIMM{Type: typeDDR3, Speed: 1333}, want.Is(1333, indirect), want.Not[int](fact.Absent, "SMBIOS 2.6 has no field")},
		{"no field", 1, smbiostest.DIMM{Type: typeDDR, Speed: 400}, want.Not[int](fact.Absent, "SMBIOS 2.1 has no field"), want.Not[int](fact.Absent, "SMBIOS 2.1 has no field")},
		{"configured not stated", 8, smbiostest.DIMM{Type: typeDDR3, Speed: 1333}, want.Is(1333, direct), want.Not[int](fact.Unstated, "does not state")},
		{"clock, DDR", 3, smbiostest.DIMM{Type: typeDDR, Speed: 166}, want.Not[int](fact.Malformed, clock), want.Not[int](fact.Absent, "no field")},
		{"clock, DDR2", 4, smbiostest.DIMM{Type: typeDDR2, Speed: 333}, want.Not[int](fact.Malformed, clock), want.Not[int](fact.Absent, "no field")},
		{"clock, DDR3", 8, smbiostest.DIMM{Type: typeDDR3, Speed: 1600, Configured: 667}, want.Is(1600, direct), want.Not[int](fact.Malformed, clock)},
		{"clock, DDR4", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 2400, Configured: 1200}, want.Is(2400, direct), want.Not[int](fact.Malformed, clock)},
		{"clock, DDR5", 17, smbiostest.DIMM{Type: typeDDR5, Speed: 2400, Configured: 2200}, want.Not[int](fact.Malformed, clock), want.Not[int](fact.Malformed, clock)},
		{"half the rated DDR3", 8, smbiostest.DIMM{Type: typeDDR3, Speed: 1866, Configured: 933}, want.Is(1866, direct), want.Not[int](fact.Malformed, clock)},
		{"half the rated DDR4", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 2666, Configured: 1333}, want.Is(2666, direct), want.Not[int](fact.Malformed, clock)},
		{"both half, DDR4", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 1466, Configured: 1333}, want.Not[int](fact.Malformed, clock), want.Not[int](fact.Malformed, clock)},
		{"rated half only", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 1333, Configured: 2666}, want.Not[int](fact.Malformed, clock), want.Is(2666, direct)},
		{"throttled DDR4", 12, smbiostest.DIMM{Type: typeDDR4, Speed: 2400, Configured: 1333}, want.Is(2400, direct), want.Is(1333, direct)},
		{"overclocked DDR3", 8, smbiostest.DIMM{Type: typeDDR3, Speed: 2400, Configured: 2400}, want.Is(2400, direct), want.Is(2400, direct)},
		{"far from every rate", 8, smbiostest.DIMM{Type: typeDDR3, Speed: 130, Configured: 58785}, want.Not[int](fact.Malformed, "130 is not a speed that DDR3 can have"), want.Not[int](fact.Malformed, "58785 is not a speed")},
		{"type not stated", 12, smbiostest.DIMM{Type: typeUnknown, Speed: 667}, want.Is(667, direct), want.Not[int](fact.Unstated, "does not state")},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.Bytes = 1 << 30
			major, minor := 2, c.minor
			if minor >= 10 {
				major, minor = 3, minor-10
			}
			s := oneSlot(t, major, minor, c.d)
			c.rated.Check(t, s.RatedMTs)
			c.configured.Check(t, s.ConfiguredMTs)
			if !s.ConfiguredMTs.Known() && s.ConfiguredMTs.State != fact.Malformed {
				assert.Contains(t, s.ConfiguredMTs.KnownBy, "BMC", "advice where to look")
			}
		})
	}
}

// TestSlotStates checks that an unknown size does not mean a module, and that an empty slot has no
// facts of a module.
func TestSlotStates(t *testing.T) {
	full := oneSlot(t, 3, 2, smbiostest.DIMM{Bytes: 64 << 30, Speed: 3200})
	assert.Equal(t, inventory.SlotPopulated, full.State)
	want.Is(int64(64<<30), fact.Direct).Check(t, full.SizeBytes)

	none := oneSlot(t, 3, 2, smbiostest.DIMM{Speed: 3200, Manufacturer: "left over"})
	assert.Equal(t, inventory.SlotEmpty, none.State)
	assert.False(t, none.SizeBytes.Known())
	assert.False(t, none.Manufacturer.Known())

	maybe := oneSlot(t, 3, 2, smbiostest.DIMM{SizeUnknown: true})
	assert.Equal(t, inventory.SlotUnknown, maybe.State)
	want.Not[int64](fact.Unstated, "does not state").Check(t, maybe.SizeBytes)
}

// TestLabels checks that a slot keeps a label that looks like a placeholder, and that a module's
// vendor does not.
func TestLabels(t *testing.T) {
	for _, label := range []string{"DIMM_A1 ", "0", "None", "NO DIMM"} {
		s := oneSlot(t, 3, 2, smbiostest.DIMM{Bytes: 1 << 30, Locator: label, Manufacturer: "NO DIMM", Part: "Not Specified", Serial: "SN", AssetTag: "AT"})
		assert.True(t, s.Locator.Known(), label)
		want.Not[string](fact.Unstated, "bank locator").Check(t, s.BankLocator)
		want.Not[string](fact.Unstated, "placeholder").Check(t, s.Manufacturer)
		assert.False(t, s.PartNumber.Known())
		assert.Equal(t, []string{"SN", "AT"}, []string{s.Serial, s.AssetTag})
	}
	want.Is("DIMM_A1", fact.Direct).Check(t, oneSlot(t, 3, 2, smbiostest.DIMM{Locator: "DIMM_A1 "}).Locator)
}

// TestModuleFacts checks the other fields of one module.
func TestModuleFacts(t *testing.T) {
	s := oneSlot(t, 3, 2, smbiostest.DIMM{Bytes: 32 << 30, Locator: "A1", Bank: "P0 CHANNEL A", Rank: 2, Set: 1, MinMV: 1200, MaxMV: 1350, ConfiguredMV: 1250, Manufacturer: "Example", Part: "E-1"})
	want.Is("P0 CHANNEL A", fact.Direct).Check(t, s.BankLocator)
	want.Is(2, fact.Direct).Check(t, s.Ranks)
	want.Is(1, fact.Direct).Check(t, s.DeviceSet)
	want.Is(64, fact.Indirect).Check(t, s.DataWidth)
	want.Is(72, fact.Indirect).Check(t, s.TotalWidth)
	want.Is(1200, fact.Direct).Check(t, s.MinMV)
	want.Is(1350, fact.Direct).Check(t, s.MaxMV)
	want.Is(1250, fact.Direct).Check(t, s.ConfiguredMV)
	want.Is("DDR4", fact.Direct).Check(t, s.Type)
	want.Is("DIMM", fact.Direct).Check(t, s.FormFactor)
	want.Is("E-1", fact.Direct).Check(t, s.PartNumber)
	assert.Contains(t, s.Ranks.From.Field, "type 17 0x0001 Rank")
	unstated := oneSlot(t, 3, 2, smbiostest.DIMM{Bytes: 32 << 30})
	want.Not[int](fact.Unstated, "does not state a module's rank").Check(t, unstated.Ranks)
	want.Not[int](fact.Unstated, "does not state").Check(t, unstated.ConfiguredMV)
}

// TestForeignArrays checks that devices of arrays that are not system memory are not slots.
func TestForeignArrays(t *testing.T) {
	b := smbiostest.New(3, 2)
	flash := b.Array(smbiostest.Array{Devices: 1, Use: 5})
	system := b.Array(smbiostest.Array{Devices: 2, ECC: 2})
	b.MemoryDevice(smbiostest.DIMM{Array: flash, Bytes: 16 << 20, Locator: "FLASH"})
	for i := range 2 {
		b.MemoryDevice(smbiostest.DIMM{Array: system, Bytes: 1 << 30, Locator: fmt.Sprintf("A%d", i)})
	}
	sys := collecttest.Decoded(t, b)
	require.Len(t, sys.Slots, 2)
	assert.Equal(t, []int{0, 1}, []int{sys.Slots[0].Row, sys.Slots[1].Row})
	require.Len(t, sys.Arrays, 1)
	assert.Equal(t, system, sys.Arrays[0].Handle)
	want.Not[string](fact.Unstated, "does not state error correction type").Check(t, sys.Arrays[0].ECC)
	want.Is(2, fact.Direct).Check(t, sys.Arrays[0].Devices)
}

// TestHPELocation attaches HPE's own structure to its device; its numbers count
// from 1 and 0 is "unknown".
func TestHPELocation(t *testing.T) {
	b := smbiostest.New(3, 2)
	b.System(smbiostest.System{Manufacturer: "HPE", Product: "ProLiant Example"})
	array := b.Array(smbiostest.Array{Devices: 2})
	first := b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 1 << 30, Locator: "PROC 1 DIMM 1"})
	b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 1 << 30, Locator: "PROC 1 DIMM 2"})
	body := make([]byte, 0x1C-4)
	body[0], body[1] = byte(first), byte(first>>8)
	body[0x08-4], body[0x0E-4] = 2, 3 // the second processor, the third channel, no controller
	b.Add(202, body)
	sys := collecttest.Decoded(t, b)
	require.NotNil(t, sys.Slots[0].HPE)
	l := sys.Slots[0].HPE
	assert.Equal(t, []int{1, -1, 2, 0}, []int{l.Processor, l.Controller, l.Channel, l.Index})
	assert.Contains(t, l.Evidence.Field, "type 202")
	assert.Nil(t, sys.Slots[1].HPE)
}

// TestSlotTwice checks that two structures with the same handle and labels are one slot, with unknown
// values if they differ. With other labels they are two slots.
func TestSlotTwice(t *testing.T) {
	twice := func(second smbiostest.DIMM) []inventory.Slot {
		b := smbiostest.New(3, 2)
		array := b.Array(smbiostest.Array{Devices: 2})
		first := b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 4 << 30, Locator: "A1", Rank: 2, Speed: 1600, Serial: "SN1", AssetTag: "AT"})
		b.NextHandle(first)
		second.Array = array
		b.MemoryDevice(second)
		b.NextHandle(first + 1)
		return collecttest.Decoded(t, b).Slots
	}
	slots := twice(smbiostest.DIMM{Bytes: 8 << 30, Locator: "A1", Rank: 2, AssetTag: "AT"})
	require.Len(t, slots, 1)
	want.Not[int64](fact.Conflicting, "two structures with the slot's handle").Check(t, slots[0].SizeBytes)
	want.Not[int](fact.Conflicting, "different things").Check(t, slots[0].RatedMTs)
	want.Is(2, fact.Direct).Check(t, slots[0].Ranks)
	assert.Equal(t, inventory.SlotPopulated, slots[0].State)
	assert.Equal(t, []string{"", "AT"}, []string{slots[0].Serial, slots[0].AssetTag})

	slots = twice(smbiostest.DIMM{Locator: "A1"})
	require.Len(t, slots, 1)
	assert.Equal(t, inventory.SlotUnknown, slots[0].State, "filled by one, empty by the other")
	require.Len(t, twice(smbiostest.DIMM{Bytes: 4 << 30, Locator: "A2", Rank: 2, Speed: 1600}), 2)
	require.Len(t, twice(smbiostest.DIMM{Bytes: 4 << 30, Locator: "A1", Bank: "B", Rank: 2, Speed: 1600}), 2)
}

// TestSlotOfNoArray checks Phytium's FT-2000/4, which lists a module twice, the first time in an array that does not
// exist. With other labels or another size, only the handle is wrong.
func TestSlotOfNoArray(t *testing.T) {
	listed := func(stray smbiostest.DIMM) []inventory.Slot {
		b := smbiostest.New(3, 2)
		stray.Array = 0x1008
		b.MemoryDevice(stray)
		array := b.Array(smbiostest.Array{Devices: 2})
		b.MemoryDevice(smbiostest.DIMM{Array: array, Bytes: 16 << 30, Locator: "DIMM1", Bank: "SOCKET 0 CHANNEL 1 DIMM 1"})
		b.MemoryDevice(smbiostest.DIMM{Array: array, Locator: "DIMM2", Bank: "SOCKET 0 CHANNEL 2 DIMM 2"})
		return collecttest.Decoded(t, b).Slots
	}
	slots := listed(smbiostest.DIMM{Bytes: 16 << 30, Locator: "DIMM1", Bank: "SOCKET 0 CHANNEL 1 DIMM 1"})
	require.Len(t, slots, 2)
	assert.Equal(t, []int{0, 1}, []int{slots[0].Row, slots[1].Row})
	assert.Equal(t, []inventory.SlotState{inventory.SlotPopulated, inventory.SlotEmpty}, []inventory.SlotState{slots[0].State, slots[1].State})
	assert.NotEqual(t, uint16(0x1008), slots[0].Array)
	for _, other := range []smbiostest.DIMM{
		{Bytes: 8 << 30, Locator: "DIMM1", Bank: "SOCKET 0 CHANNEL 1 DIMM 1"},
		{Bytes: 16 << 30, Locator: "DIMM3", Bank: "SOCKET 0 CHANNEL 1 DIMM 1"},
		{Bytes: 16 << 30, Locator: "DIMM1", Bank: "SOCKET 0 CHANNEL 3 DIMM 1"},
		{Locator: "DIMM1", Bank: "SOCKET 0 CHANNEL 1 DIMM 1"},
	} {
		require.Len(t, listed(other), 3)
	}
}

// TestImpossibleModules checks that what a module cannot be beside the others is a defect of the table, and that
// modules that differ as real ones do are none.
func TestImpossibleModules(t *testing.T) {
	usual := smbiostest.DIMM{Bytes: 32 << 30, Speed: 2933, Configured: 2666}
	changed := func(change func(d *smbiostest.DIMM)) smbiostest.DIMM { d := usual; change(&d); return d }
	for name, c := range map[string]struct {
		last smbiostest.DIMM
		most int64
		want string
	}{
		"alike":                   {usual, 0, ""},
		"another size and rating": {changed(func(d *smbiostest.DIMM) { d.Bytes, d.Speed = 16<<30, 2666 }), 0, ""},
		"an empty slot":           {smbiostest.DIMM{}, 0, ""},
		"no speed":                {changed(func(d *smbiostest.DIMM) { d.Configured = 0 }), 0, ""},
		"half a DIMM":             {changed(func(d *smbiostest.DIMM) { d.DataBits = 32 }), 0, "A3 has a data width of 32 bits, and the others have 64"},
		"a slow one":              {changed(func(d *smbiostest.DIMM) { d.Configured = 400 }), 0, "A3 has a configured speed that the others do not have: 400 is not a speed that DDR4 can have"},
		"rated as a clock":        {changed(func(d *smbiostest.DIMM) { d.Speed = 800 }), 0, "A3 has a rated speed that the others do not have: the speed looks like a clock in MHz, not like transfers (800 for DDR4)"},
		"above its rating":        {changed(func(d *smbiostest.DIMM) { d.Speed = 1600 }), 0, "A3 runs at 2666 MT/s and is rated 1600"},
		"larger than its array":   {usual, 24 << 30, "A1 has 32 GiB, and its memory array takes 24 GiB"},
		"larger than its share":   {usual, 64 << 30, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := smbiostest.New(3, 2)
			array := b.Array(smbiostest.Array{Devices: 3, MaxBytes: c.most})
			for i, d := range []smbiostest.DIMM{usual, usual, c.last} {
				d.Array, d.Locator = array, []string{"A1", "A2", "A3"}[i]
				b.MemoryDevice(d)
			}
			var problems []string
			for _, p := range collecttest.Decoded(t, b).Firmware.Problems {
				problems = append(problems, p.Text)
			}
			if c.want == "" {
				assert.Empty(t, problems)
			} else {
				assert.Contains(t, problems, c.want)
			}
		})
	}
}

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
		{"mapped out, of unknown rating", []smbiostest.DIMM{filled, {}, {Manufacturer: "Samsung", Part: "M393A2G40EB1-CRC", Serial: "A002", Configured: 2400}}, inventory.SlotUnknown},
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
		t.Run(c.name, func(t *testing.T) {
			b := smbiostest.New(3, 0)
			array := b.Array(smbiostest.Array{Devices: len(c.dimms)})
			for i, d := range c.dimms {
				d.Array, d.Locator = array, "DIMM_A"+string(rune('1'+i))
				b.MemoryDevice(d)
			}
			slots := collecttest.Decoded(t, b).Slots
			require.Len(t, slots, len(c.dimms))
			last := &slots[len(slots)-1]
			assert.Equal(t, c.want, last.State)
			assert.Equal(t, c.want == inventory.SlotUnknown, last.Named)
			if last.Named {
				assert.Contains(t, last.SizeBytes.Reason, "firmware counts no memory in "+last.Locator.Value+" and names a module there (Samsung M393A2G40EB1-CRC, 2400 MT/s)")
				assert.Equal(t, "M393A2G40EB1-CRC", last.PartNumber.Value)
			}
		})
	}
}
