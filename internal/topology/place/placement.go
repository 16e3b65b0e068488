// Package place derives where every slot of a machine sits: processor, controller, channel and
// position, from the slots' labels, the slot maps under rules/slots, HPE's own structure, the kernel's
// view of the controllers and the BMC's. A mapping that cannot be true is dropped as
// a whole.
//
// Its terms, which mean the same in all its files:
//
//   - label: one of the two texts that firmware gives a slot, the locator and the bank locator.
//   - rule, or pattern: how labels of one form are read (rules/slots/locators.yaml). It gives fields:
//     a processor, a letter, a number.
//   - group: the slots of the machine that one rule read. Only together do they show whether numbers
//     begin at 0 or 1. (The planner's groups are something else.)
//   - slot map: which printed numbers are on which channel, by product.
//   - mapping: the placements of all slots together.
//   - witness: a source other than the labels and HPE's structure that says where slots are. Its view
//     is compared with the mapping, or places the slots that have none.
//   - doubt: what contradicts the mapping of a processor. Its slots stay placed, at the certainty of
//     one source.
//   - set: the slots that a maker fills for a number of modules.
package place

import "memaudit.example/memaudit/internal/model/fact"

// Unplaced is the value of an unknown coordinate of a Placement.
const Unplaced = -1

// Placement is the position of one slot. Coordinates count from 0 in board order; Channel counts over the whole
// CPU, Controller is the one it belongs to. On a front-side-bus machine Socket stays Unplaced and Channel
// counts over the chipset.
type Placement struct {
	Socket, Controller, Channel, Slot int
	// ChannelLabel is the letter or the number that the slot's label gives its channel, "" for none.
	ChannelLabel string
	// Source is how it was derived: "locator", "bank_locator", "slot_map", "hpe_202", "edac", "redfish",
	// "single_socket"; "" if nothing could be derived.
	Source    string
	Certainty fact.Certainty
	// Unverified is true if its pattern or map has no document and was not confirmed by machines in the field.
	// Then nothing derived from it is reported above info.
	Unverified bool
	// PartWired is true on a board that does not wire all of the CPU's channels.
	PartWired bool
	// Reason is why a coordinate is unknown.
	Reason string
	// Doubt is the contradiction, with both readings; "" if there is none. It is the same for all slots of a
	// CPU.
	Doubt string
	// SocketDoubt is the contradiction of the CPUs that the slots are placed at; it is the same for all slots.
	SocketDoubt string
	// Undescribed is the number of the processor, from 1, that the label names and the table does not describe; 0 if
	// there is none.
	Undescribed int
	// Witnessed is true if a second source names the channel, and nothing is unknown that could contradict it.
	Witnessed bool
	// Rule is the id of the pattern or slot map that was applied.
	Rule string
}
