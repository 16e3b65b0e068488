package collect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/redfish"
)

// slotNamed is a populated slot as SMBIOS describes it.
func slotNamed(handle inventory.Handle, locator string) inventory.Slot {
	at := fact.Evidence{Source: inventory.SourceSMBIOS, Raw: locator}
	return inventory.Slot{Handle: handle, State: inventory.SlotPopulated,
		Locator:       fact.Known(locator, fact.Direct, at),
		Type:          fact.Known("DDR4", fact.Direct, at),
		SizeBytes:     fact.Known(int64(32<<30), fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS, Raw: "34359738368"}),
		ConfiguredMTs: fact.Known(2666, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS, Raw: "2666"}),
		PartNumber:    fact.Known("M393A4K40DB3-CWE", fact.Direct, at)}
}

func moduleAt(label string) redfish.DIMM {
	return redfish.DIMM{Path: "/redfish/v1/Systems/1/Memory/" + label, Labels: [4]string{"", label, "", ""}, Known: true, Installed: true,
		Health: "OK", Condition: "Enabled", SizeBytes: 32 << 30, SpeedMTs: 2667, Ranks: 2, PartNumber: "M393A4K40DB3-CWE"}
}

// joined joins modules with slots and gives the collector.
func joined(slots []inventory.Slot, dimms ...redfish.DIMM) *collector {
	c := &collector{sys: &inventory.System{Slots: slots}}
	c.addBMCAnswer(&redfish.Answer{DIMMs: dimms}, nil)
	return c
}

// TestAgreeing checks that an equal value is corroborated, and that a field that SMBIOS does not state comes from the
// controller alone.
func TestAgreeing(t *testing.T) {
	c := joined([]inventory.Slot{slotNamed(0x1100, "DIMM_A1"), slotNamed(0x1101, "DIMM_A2")}, moduleAt("A2"), moduleAt("A1"))
	assert.Empty(t, c.sys.Conflicts)
	assert.Contains(t, c.sys.Sources[0].Detail, "2 modules")
	assert.NotContains(t, c.sys.Sources[0].Detail, "could not be matched")
	for _, s := range c.sys.Slots {
		assert.Equal(t, inventory.Health("OK"), s.Health.Value)
		assert.Len(t, s.SizeBytes.Evidence(), 2)
		assert.Len(t, s.ConfiguredMTs.Evidence(), 2, "2666 and 2667 are one speed")
		assert.Equal(t, 2666, s.ConfiguredMTs.Value)
		assert.Equal(t, fact.Direct, s.SizeBytes.Certainty)
		require.True(t, s.Ranks.Known())
		assert.Equal(t, fact.Indirect, s.Ranks.Certainty)
		assert.Equal(t, inventory.SourceRedfish, s.Ranks.From.Source)
	}
	assert.Equal(t, "/redfish/v1/Systems/1/Memory/A1", c.sys.Slots[0].Health.From.Path)
}

// TestCounted checks that the BMC's counts are added to the slot with the name of their field, and
// that missing counts are not zero.
func TestCounted(t *testing.T) {
	d := moduleAt("A1")
	corrected := int64(61)
	d.Counts = &redfish.Counts{Path: d.Path + "/MemoryMetrics", Corrected: &corrected, Alarms: []string{"CorrectableECCError"}}
	c := joined([]inventory.Slot{slotNamed(0x1100, "DIMM_A1"), slotNamed(0x1101, "DIMM_A2")}, d, moduleAt("A2"))
	e := c.sys.Slots[0].BMCErrors
	assert.Equal(t, int64(61), e.Corrected.Value)
	assert.Equal(t, "CurrentPeriod.CorrectableECCErrorCount", e.Corrected.From.Field)
	assert.Equal(t, fact.Unstated, e.Uncorrected.State)
	assert.Equal(t, "CorrectableECCError", e.Alarms.Value)
	assert.Nil(t, c.sys.Slots[1].BMCErrors)
}

// TestClock checks that a BMC that reports the clock instead of the data rate agrees with SMBIOS.
func TestClock(t *testing.T) {
	d := moduleAt("A1")
	d.SpeedMTs = 1333
	c := joined([]inventory.Slot{slotNamed(0x1100, "DIMM_A1")}, d)
	assert.Empty(t, c.sys.Conflicts)
	assert.Equal(t, 2666, c.sys.Slots[0].ConfiguredMTs.Value)
}

// TestDiffering checks that a difference is recorded and SMBIOS's value is kept.
func TestDiffering(t *testing.T) {
	d := moduleAt("A1")
	d.SizeBytes, d.SpeedMTs, d.PartNumber, d.Health, d.Condition = 16<<30, 2400, "OTHER", "Critical", "Disabled"
	c := joined([]inventory.Slot{slotNamed(0x1100, "DIMM_A1")}, d)
	var facts []string
	for _, k := range c.sys.Conflicts {
		facts = append(facts, k.Fact)
	}
	assert.Equal(t, []string{"size of slot 0x1100 (DIMM_A1)", "speed of slot 0x1100 (DIMM_A1)", "part number of slot 0x1100 (DIMM_A1)"}, facts)
	assert.Equal(t, int64(32<<30), c.sys.Slots[0].SizeBytes.Value)
	assert.Equal(t, inventory.Health("Critical"), c.sys.Slots[0].Health.Value)
	assert.Equal(t, "Critical, State Disabled", c.sys.Slots[0].Health.From.Raw)
	assert.Contains(t, c.sys.Sources[0].Detail, "differs from SMBIOS in 3 things, the first: size of slot 0x1100 (DIMM_A1) is 17179869184, SMBIOS says 34359738368")

	gone := moduleAt("A1")
	gone.Installed, gone.Condition, gone.SizeBytes = false, "Absent", 0
	c = joined([]inventory.Slot{slotNamed(0x1100, "DIMM_A1")}, gone)
	require.Len(t, c.sys.Conflicts, 1)
	assert.Equal(t, "no module", c.sys.Conflicts[0].Dropped.Raw)
	assert.False(t, c.sys.Slots[0].Health.Known())
}

// TestUnmatched checks that a name of two slots or two modules matches nothing.
func TestUnmatched(t *testing.T) {
	twice := []inventory.Slot{slotNamed(1, "DIMM 0"), slotNamed(2, "DIMM 0")}
	c := joined(twice, moduleAt("DIMM 0"))
	assert.False(t, c.sys.Slots[0].Health.Known() || c.sys.Slots[1].Health.Known())
	assert.Contains(t, c.sys.Sources[0].Detail, "1 modules, of which 1 could not be matched")

	c = joined([]inventory.Slot{slotNamed(1, "DIMM_A1")}, moduleAt("A1"), moduleAt("DIMM A1"))
	assert.False(t, c.sys.Slots[0].Health.Known())

	// The number of a resource is not the number of a slot.
	d := moduleAt("")
	d.Labels = [4]string{"", "", "", "1"}
	c = joined([]inventory.Slot{slotNamed(1, "DIMM 1")}, d)
	assert.False(t, c.sys.Slots[0].Health.Known())
}

// TestUnknownSpeed checks that a clock in MHz is not used as a speed.
func TestUnknownSpeed(t *testing.T) {
	for speed, want := range map[int]int{2933: 2933, 1467: 0, 0: 0} {
		s := slotNamed(1, "A1")
		s.ConfiguredMTs = fact.Unknown[int](fact.Unstated, "not stated", "")
		if speed == 1467 {
			s.Type = fact.Known("DDR5", fact.Direct, fact.Evidence{})
		}
		d := moduleAt("A1")
		d.SpeedMTs = speed
		c := joined([]inventory.Slot{s}, d)
		assert.Equal(t, want, c.sys.Slots[0].ConfiguredMTs.Or(0))
	}
}

// TestDoubtful checks that modules of a BMC with another model are used only if all of them are in
// this machine, and that its settings are not trusted.
func TestDoubtful(t *testing.T) {
	ask := func(dimms ...redfish.DIMM) *collector {
		c := &collector{sys: &inventory.System{Slots: []inventory.Slot{slotNamed(1, "DIMM_A1"), slotNamed(2, "DIMM_A2")}}}
		c.addBMCAnswer(&redfish.Answer{Doubt: "it calls its machine X", DIMMs: dimms}, nil)
		return c
	}
	c := ask(moduleAt("A1"), moduleAt("A2"))
	assert.True(t, c.sys.Slots[0].Health.Known())
	small := moduleAt("A2")
	small.SizeBytes = 16 << 30
	for _, dimms := range [][]redfish.DIMM{{moduleAt("A1")}, {moduleAt("A1"), small}, {moduleAt("A1"), moduleAt("A2"), moduleAt("A3")}, {moduleAt("B1"), moduleAt("B2")}} {
		c = ask(dimms...)
		assert.False(t, c.sys.Slots[0].Health.Known())
		assert.Empty(t, c.sys.Conflicts)
		assert.Contains(t, c.sys.Sources[0].Detail, "left out")
		assert.Equal(t, fact.SourcePartial, c.sys.Sources[0].State)
	}
	answer := &redfish.Answer{Doubt: "it calls its machine X", BIOS: &redfish.BIOS{Path: "/redfish/v1/Systems/1/Bios", Resource: []byte(dellBIOS)}}
	sys := collected(t, Input{BMC: func(redfish.Identity) *redfish.Answer { return answer }})
	assert.True(t, sys.Settings["turbo"].Configured.Unverified)
}

// TestLocationOfController checks that a location reported by the controller is used for its slot, populated or not.
func TestLocationOfController(t *testing.T) {
	stated, silent := moduleAt("A1"), moduleAt("A2")
	stated.Location = &redfish.Location{Socket: 1, Controller: -1, Channel: 3, Slot: 17}
	empty := slotNamed(0x1102, "A3")
	empty.State = inventory.SlotEmpty
	absent := redfish.DIMM{Path: "/redfish/v1/Systems/1/Memory/A3", Labels: [4]string{"", "A3", "", ""}, Known: true, Condition: "Absent",
		Location: &redfish.Location{Socket: 1, Controller: -1, Channel: 4, Slot: 18}}
	c := joined([]inventory.Slot{slotNamed(0x1100, "A1"), slotNamed(0x1101, "A2"), empty}, stated, silent, absent)
	require.NotNil(t, c.sys.Slots[0].BMC)
	assert.Equal(t, inventory.Location{Processor: 1, Controller: -1, Channel: 3, Index: 17, Evidence: fact.Evidence{Source: inventory.SourceRedfish,
		Path: stated.Path, Field: "MemoryLocation", Raw: "Socket 1, Channel 3"}}, *c.sys.Slots[0].BMC)
	assert.Nil(t, c.sys.Slots[1].BMC)
	require.NotNil(t, c.sys.Slots[2].BMC)
	assert.Equal(t, 4, c.sys.Slots[2].BMC.Channel)
}

// TestPlace checks the spellings of one location in SMBIOS and in the vendors' controllers (locators.md, and the ids
// of DSP2046 resources).
func TestPlace(t *testing.T) {
	for _, same := range [][]string{
		{"A1", "DIMM_A1", "DIMM A1", "DIMM.Socket.A1", " dimm a1"},
		{"PROC 1 DIMM 12", "PROC 1 DIMM 12"},
		{"P1-DIMMA1", "P1_DIMMA1", "P1 DIMM A1"},
		{"DIMM 1", "DIMM1", "1"},
		{"DIMM_P1_A1", "P1_A1"},
	} {
		for _, label := range same {
			assert.Equal(t, comparablePlace(same[0]), comparablePlace(label), label)
		}
	}
	distinct := []string{"A1", "A2", "B1", "A11", "PROC 1 DIMM 1", "PROC 1 DIMM 11", "PROC 11 DIMM 1", "P1-DIMMA1", "P2-DIMMA1"}
	seen := map[string]string{}
	for _, label := range distinct {
		assert.Empty(t, seen[comparablePlace(label)], "%s is taken for %s", label, seen[comparablePlace(label)])
		seen[comparablePlace(label)] = label
	}
}
