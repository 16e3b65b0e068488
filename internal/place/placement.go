// Package place derives where every slot of a machine sits: processor,
// controller, channel and position, from the slots' labels, the slot maps under
// rules/slots, HPE's own structure and the kernel's view of the controllers. A
// mapping that cannot be true is dropped as a whole.
package place

import "github.com/memaudit/memaudit/internal/fact"

// Unplaced is the value of a Placement coordinate that is not known.
const Unplaced = -1

// Placement is where one slot sits. Coordinates count from 0 in board order;
// Channel counts over the whole processor, Controller says which one owns it.
// On a front-side-bus machine Socket stays Unplaced and Channel counts over
// the chipset.
type Placement struct {
	Socket, Controller, Channel, Slot int
	// Source says how it was derived: "locator", "bank_locator", "slot_map",
	// "hpe_202", "edac", "redfish", "single_socket"; "" when nothing could be derived.
	Source    string
	Certainty fact.Certainty
	// Unverified is true when the pattern or map behind it has no document and
	// was not confirmed by machines in the field: never above info.
	Unverified bool
	// PartWired is true on a board that does not give the processor all of its
	// channels.
	PartWired bool
	// Reason says why a coordinate is not known.
	Reason string
	// Doubt says what contradicts the mapping: both readings. "" when nothing
	// does.
	Doubt string
	// Witnessed is true where a second source names the channel, and nothing is
	// unknown that could contradict it.
	Witnessed bool
	// Rule is the id of the pattern or slot map that spoke.
	Rule string
}
