package collect

import (
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
)

// contradicted joins two descriptions of one slot. A handle names one structure (DSP0134 6.1.2), so
// two structures with the same handle and labels are one slot; what they do not agree on becomes
// unknown.
func contradicted(s, other *inventory.Slot) {
	if s.State != other.State {
		s.State = inventory.SlotUnknown
	}
	contradict(&s.SizeBytes, other.SizeBytes)
	contradict(&s.Technology, other.Technology)
	contradict(&s.Soldered, other.Soldered)
	contradict(&s.Type, other.Type)
	contradict(&s.FormFactor, other.FormFactor)
	contradict(&s.Registered, other.Registered)
	contradict(&s.LoadReduced, other.LoadReduced)
	contradict(&s.NonVolatile, other.NonVolatile)
	contradict(&s.Ranks, other.Ranks)
	contradict(&s.DataWidth, other.DataWidth)
	contradict(&s.TotalWidth, other.TotalWidth)
	contradict(&s.RatedMTs, other.RatedMTs)
	contradict(&s.ConfiguredMTs, other.ConfiguredMTs)
	contradict(&s.MinMV, other.MinMV)
	contradict(&s.MaxMV, other.MaxMV)
	contradict(&s.ConfiguredMV, other.ConfiguredMV)
	contradict(&s.DeviceSet, other.DeviceSet)
	contradict(&s.Manufacturer, other.Manufacturer)
	contradict(&s.PartNumber, other.PartNumber)
	if s.Serial != other.Serial {
		s.Serial = ""
	}
	if s.AssetTag != other.AssetTag {
		s.AssetTag = ""
	}
}

// contradict makes a fact unknown if two structures with one handle state different values, or only
// one of them states a value.
func contradict[T comparable](f *fact.Fact[T], other fact.Fact[T]) {
	if f.Known() == other.Known() && (!f.Known() || f.Value == other.Value) {
		return
	}
	*f = fact.Unknown[T](fact.Conflicting, "two structures with the slot's handle state different things", "", append(f.Evidence(), other.Evidence()...)...)
}
