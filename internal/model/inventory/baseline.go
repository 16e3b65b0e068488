package inventory

import (
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
)

// Baseline is the comparison of the machine with the hardware that was accepted earlier.
type Baseline struct {
	// Path is the baseline's file, SavedAt when it was saved (RFC 3339).
	Path, SavedAt string
	// Compared are the slots and the machine, in the order of the slots; never
	// empty.
	Compared []Compared
}

// Compared is one slot, or the machine, then and now.
type Compared struct {
	Subject Subject
	// Same is unknown, with the reason, if the two cannot be compared. Changes are listed nevertheless.
	Same fact.Fact[bool]
	// Changes are what differs.
	Changes []Change
	// Then and Now describe all differences: the accepted hardware and the current hardware.
	Then, Now string
}

// ChangeKind is the kind of a difference.
type ChangeKind string

// The kinds of differences.
const (
	DIMMLost     ChangeKind = "dimm_lost"
	DIMMAdded    ChangeKind = "dimm_added"
	DIMMMoved    ChangeKind = "dimm_moved"
	DIMMReplaced ChangeKind = "dimm_replaced"
	DIMMSlower   ChangeKind = "dimm_slower"
	DIMMFaster   ChangeKind = "dimm_faster"
	MemoryLost   ChangeKind = "memory_lost"
	MemoryGained ChangeKind = "memory_gained"
	Processor    ChangeKind = "processor"
	NUMANodes    ChangeKind = "numa"
	BIOSVersion  ChangeKind = "bios"
	SettingMoved ChangeKind = "setting"
)

// ChangeKinds lists every kind.
func ChangeKinds() []ChangeKind {
	return []ChangeKind{DIMMLost, DIMMAdded, DIMMMoved, DIMMReplaced, DIMMSlower, DIMMFaster, MemoryLost, MemoryGained,
		Processor, NUMANodes, BIOSVersion, SettingMoved}
}

// Change is one difference.
type Change struct {
	Kind ChangeKind
	// Then and Now describe the accepted and the current hardware.
	Then, Now string
}

// Comparable reports whether anything could be compared: the baseline is of this
// machine.
func (b *Baseline) Comparable() bool {
	return slices.ContainsFunc(b.Compared, func(c Compared) bool { return c.Same.Known() })
}
