package collect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/rules"
)

// withParts is the model of a table of such modules, their part numbers read.
func withParts(t *testing.T, modules ...smbiostest.DIMM) *inventory.System {
	t.Helper()
	b := smbiostest.New(3, 2)
	array := b.Array(smbiostest.Array{Devices: len(modules)})
	for i, d := range modules {
		d.Array, d.Locator = array, fmt.Sprint("A", i+1)
		b.MemoryDevice(d)
	}
	return collect.Collect(collect.Input{SMBIOS: collecttest.Parsed(t, b.Dump()),
		PartNumbers: func() (*partnumber.Table, error) { return partnumber.Load(rules.FS) }})
}

// ddr4 returns a 32 GiB 2Rx4 RDIMM of Samsung (product guide of May 2018) with all fields stated.
func ddr4() smbiostest.DIMM {
	return smbiostest.DIMM{Bytes: 32 << 30, Type: typeDDR4, Rank: 2, Speed: 2666, Configured: 2666, Detail: detailSynchronous | detailRegistered,
		Part: "M393A4K40CB2-CTD", Manufacturer: "Samsung", Locator: "A1"}
}

// TestPartNumberFillsSilence checks that unstated values come from the part number, corroborated if
// size and rated speed agree, and that stated ones are kept.
func TestPartNumberFillsSilence(t *testing.T) {
	d := ddr4()
	d.Rank, d.Detail = 0, detailSynchronous
	s := withParts(t, d).Slots[0]
	want.Is(2, fact.Corroborated).Check(t, s.Ranks)
	want.Is(true, fact.Corroborated).Check(t, s.Registered)
	want.Is(false, fact.Corroborated).Check(t, s.LoadReduced)
	assert.Contains(t, s.Ranks.From.Field, "Part Number, read as samsung-ddr4")
	assert.Equal(t, "M393A4K40CB2-CTD", s.Ranks.From.Raw)
	for _, source := range withParts(t, d).Sources {
		assert.Equal(t, source.Name == inventory.SourceSMBIOS, strings.Contains(string(source.Detail), "part numbers complete 1 module"), source.Name)
	}
	assert.NotContains(t, detail(withParts(t, ddr4())), ";", "it has no notice")
	assert.False(t, s.Ranks.Unverified, "Samsung's guide explains the number")

	d.Speed = 0
	s = withParts(t, d).Slots[0]
	want.Is(2, fact.Indirect).Check(t, s.Ranks)
	want.Is(2666, fact.Indirect).Check(t, s.RatedMTs)

	d.Part, d.Bytes = "M321R4GA3BB6-CQK", 32<<30
	d.Type = typeDDR5
	assert.True(t, withParts(t, d).Slots[0].Ranks.Unverified, "no document of Samsung explains DDR5 numbers")

	d = ddr4()
	d.Rank, d.Type = 0, 3 // DRAM: of no generation
	want.Is(2, fact.Corroborated).Check(t, withParts(t, d).Slots[0].Ranks)
	d = ddr4()
	d.Rank, d.Type, d.Part = 0, typeDDR4, ""
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known())
	empty := ddr4()
	empty.Bytes, empty.Rank = 0, 0
	assert.False(t, withParts(t, empty).Slots[0].Ranks.Known(), "the number of a module that is gone")

	// M386 is an LRDIMM in the same guide; "Registered (Buffered)" alone does not exclude that.
	d = ddr4()
	d.Part = "M386A4K40BB0-CRC"
	d.Speed, d.Configured = 2400, 2400
	want.Is(true, fact.Corroborated).Check(t, withParts(t, d).Slots[0].LoadReduced)
	d.Detail = detailSynchronous | detailUnbuffered
	want.Is(false, fact.Direct).Check(t, withParts(t, d).Slots[0].LoadReduced)
	want.Is(false, fact.Direct).Check(t, withParts(t, ddr4()).Slots[0].LoadReduced)

	whole := ddr4()
	s = withParts(t, whole).Slots[0]
	want.Is(2, fact.Direct).Check(t, s.Ranks)
	assert.NotContains(t, s.Ranks.From.Field, "Part Number")
}

// TestPartNumberIsNotBelieved if it contradicts the module's size or generation, or if the slot does
// not have DRAM.
func TestPartNumberIsNotBelieved(t *testing.T) {
	d := ddr4()
	d.Rank, d.Bytes = 0, 16<<30
	sys := withParts(t, d)
	assert.False(t, sys.Slots[0].Ranks.Known())
	assert.Contains(t, detail(sys), "M393A4K40CB2-CTD says 32768 MiB and firmware 16384, and is not believed (1 module)")

	d = ddr4()
	d.Bytes, d.Type, d.Speed, d.Configured, d.Manufacturer, d.Part = 16<<30, typeDDR3, 1600, 1600, "Kingston", "KVR16R11D4/1616"
	assert.NotContains(t, detail(withParts(t, d)), "MiB", "a capacity that was written amiss contradicts nothing")

	d = ddr4()
	d.Rank, d.Type, d.Speed, d.Configured = 0, typeDDR3, 1333, 1333
	sys = withParts(t, d)
	assert.False(t, sys.Slots[0].Ranks.Known())
	assert.Contains(t, detail(sys), "is DDR4 by its number and DDR3 by firmware")

	d = ddr4()
	d.Rank, d.Type, d.Technology = 0, typeLogical, techOptane
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known())

	d = ddr4()
	d.Rank, d.Part = 0, "9965525-018.A00LF"
	assert.False(t, withParts(t, d).Slots[0].Ranks.Known(), "nothing can be read from Kingston's assembly numbers")
}

// detail is that of the SMBIOS source.
func detail(sys *inventory.System) string {
	for _, s := range sys.Sources {
		if s.Name == inventory.SourceSMBIOS {
			return string(s.Detail)
		}
	}
	return ""
}

// TestPartNumberAgainstRanks checks that the same rank count for every module is treated as a constant
// of the firmware if a part number differs; a single difference is only recorded.
func TestPartNumberAgainstRanks(t *testing.T) {
	one := ddr4()
	one.Rank = 1
	unread := one
	unread.Part = "9965525-018.A00LF"
	sys := withParts(t, one, one, unread)
	want.Not[int](fact.Malformed, "firmware states 1 of every module, and part number M393A4K40CB2-CTD has 2").Check(t, sys.Slots[0].Ranks)
	want.Is(1, fact.Indirect).Check(t, sys.Slots[2].Ranks)
	assert.Contains(t, detail(sys), "says 2 ranks and firmware 1, as of every module: neither is taken (2 modules)")

	unread.Rank = 2
	sys = withParts(t, one, unread)
	want.Is(1, fact.Direct).Check(t, sys.Slots[0].Ranks)
	want.Is(2, fact.Direct).Check(t, sys.Slots[1].Ranks)
	assert.Contains(t, detail(sys), "which stands (1 module)")
}

// TestEqualParts checks that what firmware states of one module is not taken where most modules of the same part number
// have another value, and that neither of two is.
func TestEqualParts(t *testing.T) {
	odd := ddr4()
	odd.Speed, odd.Rank, odd.DataBits, odd.Type = 2133, 4, 32, typeDDR3
	sys := withParts(t, ddr4(), odd, ddr4())
	text := "A2 and another module have the part number M393A4K40CB2-CTD, and firmware states another rated speed for each (2133 here)"
	want.Not[int](fact.Conflicting, text).Check(t, sys.Slots[1].RatedMTs)
	assert.False(t, sys.Slots[1].Ranks.Known())
	assert.False(t, sys.Slots[1].DataWidth.Known())
	assert.False(t, sys.Slots[1].Type.Known())
	want.Is(2666, fact.Direct).Check(t, sys.Slots[2].RatedMTs)
	want.Is(2, fact.Direct).Check(t, sys.Slots[2].Ranks)

	odd.Type = ddr4().Type
	sys = withParts(t, ddr4(), odd)
	assert.False(t, sys.Slots[0].RatedMTs.Known())
	assert.False(t, sys.Slots[1].RatedMTs.Known())

	odd.Part = "9965525-018.A00LF"
	sys = withParts(t, ddr4(), odd)
	want.Is(2133, fact.Direct).Check(t, sys.Slots[1].RatedMTs)
}

// TestPartNumberAgainstForm checks that a module with the part number of an RDIMM is not known to be soldered.
func TestPartNumberAgainstForm(t *testing.T) {
	d := ddr4()
	d.FormFactor = formChip
	want.Not[bool](fact.Conflicting, "firmware calls A1 soldered, and part number M393A4K40CB2-CTD is that of a module (RDIMM)").Check(t, withParts(t, d).Slots[0].Soldered)
	d.Part = "K4A8G165WC-BCTD"
	want.Is(true, fact.Direct).Check(t, withParts(t, d).Slots[0].Soldered)
}

// TestPartNumberAgainstSpeed checks that a rated speed below that of the part number becomes indirect
// and a higher one does not.
func TestPartNumberAgainstSpeed(t *testing.T) {
	d := ddr4()
	d.Speed, d.Configured = 2133, 2133
	sys := withParts(t, d)
	want.Is(2133, fact.Indirect).Check(t, sys.Slots[0].RatedMTs)
	want.Is(2133, fact.Direct).Check(t, sys.Slots[0].ConfiguredMTs)
	assert.Contains(t, detail(sys), "says 2666 MT/s and firmware 2133, which stands")
	d.Rank = 0
	want.Is(2, fact.Indirect).Check(t, withParts(t, d).Slots[0].Ranks)
	d.Speed = 2933
	want.Is(2933, fact.Direct).Check(t, withParts(t, d).Slots[0].RatedMTs)
}
