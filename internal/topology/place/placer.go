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

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Sources of a Placement, as named in reports.
const (
	SourceLocator = "locator"
	SourceBank    = "bank_locator"
	SourceMap     = "slot_map"
	sourceHPE     = "hpe_202"
	sourceEDAC    = "edac"
	sourceSingle  = "single_socket"
	sourceBMC     = "redfish"
)

// Depths assumed if the platform does not define one, in DIMMs per channel.
const (
	usualDPC = 3
	// Intel 7300 MCH: eight FB-DIMMs on each of four channels (PowerEdge R900).
	frontSideDPC  = 8
	maxBoardSlots = 4 // channels per memory board of a Fujitsu RX600 S6
)

type slotLabel struct {
	rule *LocatorRule
	captured
}

type placer struct {
	sys *inventory.System
	id  identity
	// fsb is true if the one memory controller is outside the CPUs.
	fsb bool
	// channels is the number per CPU (or of the chipset); 0 if unknown.
	channels, controllers int
	depth                 int
	// present lists the ids of the populated CPU sockets.
	present   []int
	out       []Placement
	labels    []slotLabel
	conflicts []inventory.Conflict
}

func newPlacer(sys *inventory.System, p *platform.Platform) *placer {
	pl := &placer{sys: sys, id: identifyMachine(&sys.Machine), fsb: platform.FrontSideBus(sys, p), depth: usualDPC,
		out: make([]Placement, len(sys.Slots)), labels: make([]slotLabel, len(sys.Slots))}
	if pl.fsb {
		pl.depth = frontSideDPC
	}
	if p != nil {
		pl.channels, pl.controllers = p.ChannelsPerSocket, p.Controllers
		if pl.fsb {
			pl.channels, pl.controllers = p.ChannelsPerSystem, 0
		}
		if p.MaxDPC > 0 {
			pl.depth = p.MaxDPC
		}
	}
	for i := range sys.Sockets {
		if sys.Sockets[i].Populated.Or(true) {
			pl.present = append(pl.present, sys.Sockets[i].ID)
		}
	}
	for i := range pl.out {
		pl.out[i] = Placement{Socket: Unplaced, Controller: Unplaced, Channel: Unplaced, Slot: Unplaced}
	}
	return pl
}

func (pl *placer) populatedDRAM() []int { return populatedDRAM(pl.sys) }

func populatedDRAM(sys *inventory.System) []int {
	var slots []int
	for i := range sys.Slots {
		if sys.Slots[i].HoldsDRAM() {
			slots = append(slots, i)
		}
	}
	return slots
}

// processor is the memory placed on one CPU: its slots, and the populated DRAM on each channel.
type processor struct {
	socket   int
	slots    []int
	channels map[int][]int
}

func (pl *placer) listProcessors() []processor {
	var out []processor
	for i := range pl.out {
		o := &pl.out[i]
		if o.Channel == Unplaced || pl.sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.HBM {
			continue
		}
		at := slices.IndexFunc(out, func(p processor) bool { return p.socket == o.Socket })
		if at < 0 {
			at = len(out)
			out = append(out, processor{socket: o.Socket, channels: map[int][]int{}})
		}
		out[at].slots = append(out[at].slots, i)
		if pl.sys.Slots[i].HoldsDRAM() {
			out[at].channels[o.Channel] = append(out[at].channels[o.Channel], i)
		}
	}
	return out
}

func (pl *placer) dropPositions(reason string, all bool) {
	for i := range pl.out {
		pl.dropPosition(i, reason, all)
	}
}

func (pl *placer) dropPosition(i int, reason string, all bool) {
	o := &pl.out[i]
	o.Controller, o.Channel, o.Slot, o.Reason = Unplaced, Unplaced, Unplaced, reason
	if all {
		o.Socket = Unplaced
	}
	if o.Socket == Unplaced {
		o.Source, o.Certainty = "", fact.None
	}
}

func (pl *placer) quotedName(i int) string {
	s := &pl.sys.Slots[i]
	if l := s.Locator.Or(""); l != "" {
		return fmt.Sprintf("%q", l)
	}
	return s.Name()
}

func (pl *placer) labelTexts(i int) [2]string {
	s := &pl.sys.Slots[i]
	return [2]string{labelText(&s.Locator), labelText(&s.BankLocator)}
}

func labelText(f *fact.Fact[string]) string {
	if f.State != fact.OK {
		return ""
	}
	return strings.TrimSpace(f.Value)
}

func (pl *placer) isPopulated(i int) bool {
	return pl.sys.Slots[i].State == inventory.SlotPopulated
}

func (pl *placer) matchLabels(rules []LocatorRule) {
	for i := range pl.sys.Slots {
		s := &pl.sys.Slots[i]
		if s.Technology.Known() && s.Technology.Value == inventory.Flash {
			pl.out[i].Reason = "flash memory, not a memory slot"
			continue
		}
		locator, bank := labelText(&s.Locator), labelText(&s.BankLocator)
		if locator == "" && bank == "" {
			pl.out[i].Reason = "firmware gives the slot no label"
			continue
		}
		r, c := firstMatch(rules, locator, bank)
		if r < 0 {
			pl.out[i].Reason = "no known pattern reads this slot's label"
			if strings.EqualFold(locator, "NO DIMM") { // firmware of many boards, for example Supermicro X10DRi
				pl.out[i].Reason = "firmware calls the empty slot NO DIMM instead of by its label"
			}
			continue
		}
		pl.labels[i] = slotLabel{rule: &rules[r], captured: c}
		pl.out[i].Rule = rules[r].ID
	}
}

// Another rule than its neighbours' matched it because one label is missing, and numbers would start from another base.
func (pl *placer) dropHalfLabelled() {
	var complete [2]*LocatorRule // rule that matches slots with this label
	for i := range pl.labels {
		for n, l := range pl.labelTexts(i) {
			if r := pl.labels[i].rule; l != "" && r != nil {
				complete[n] = r
			}
		}
	}
	for i := range pl.labels {
		for n, l := range pl.labelTexts(i) {
			if r := pl.labels[i].rule; l == "" && r != nil && complete[n] != nil && complete[n] != r {
				pl.labels[i] = slotLabel{}
				pl.out[i].Rule, pl.out[i].Reason = "", "firmware leaves out one of the two labels that its other slots have"
			}
		}
	}
}

func (pl *placer) onlyProcessor() (int, bool) {
	if len(pl.present) == 1 {
		return pl.present[0], true
	}
	return Unplaced, false
}

// Such DIMMs are mounted next to their CPU, and there is no second.
func (pl *placer) ownModules(p *platform.Platform) {
	only, one := pl.onlyProcessor()
	if p == nil || p.OwnChannels == "" || !one {
		return
	}
	for i := range pl.out {
		if o := &pl.out[i]; o.Socket == Unplaced && pl.sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.DRAM {
			o.Socket, o.Source, o.Certainty = only, sourceSingle, fact.Indirect
		}
	}
}

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

// LocateSlots derives the position of every slot of the machine. The result is aligned with sys.Slots; a position
// that cannot be derived has its reason. p is nil if the platform was not recognised; k contains the folder
// slots of the rules. An impossible topology (more CPUs or channels than the machine has, two DIMMs in one
// place) makes the mapping unknown, never wrong.
func LocateSlots(sys *inventory.System, p *platform.Platform, k fs.FS) ([]Placement, []inventory.Conflict) {
	pl := newPlacer(sys, p)
	if product := boardProduct(k, sys.Machine.Board.Or("")); product != "" {
		pl.id.boardVendor = boardsMaker
		pl.id.add(pl.id.boardVendor, product)
	}
	if sys.Machine.Virtual.Or(false) {
		pl.dropPositions("the slots of a virtual machine are not slots of a board", true)
		return pl.out, nil
	}
	rules, err := loadLocatorRules(k, pl.id)
	if err != nil {
		pl.dropPositions(err.Error(), true)
		return pl.out, nil
	}
	pl.matchLabels(rules)
	pl.dropHalfLabelled()
	for i := range rules {
		if g := pl.groupOfRule(&rules[i]); g != nil {
			g.derivePositions(k)
		}
	}
	pl.applyHPE()
	pl.fillSingleSlots()
	pl.ownModules(p)
	pl.dropImpossible()
	if v := pl.labelledEDAC(); v != nil {
		pl.applyWitness(v)
	} else {
		pl.applyEDAC()
	}
	pl.applyWitness(pl.controllerView())
	pl.checkMapping(p)
	return pl.out, pl.conflicts
}
