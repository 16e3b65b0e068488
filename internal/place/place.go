package place

import (
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
)

// Sources of a Placement, in the words of reports.
const (
	SourceLocator = "locator"
	SourceBank    = "bank_locator"
	SourceMap     = "slot_map"
	sourceHPE     = "hpe_202"
	sourceEDAC    = "edac"
	sourceSingle  = "single_socket"
	sourceBMC     = "redfish"
)

// Depths assumed where the platform does not state one, in DIMMs a channel.
const (
	usualDPC      = 3
	frontSideDPC  = 4
	maxBoardSlots = 4 // channels behind one memory board of a Fujitsu RX600 S6
)

// label is what a slot's two strings said, by which rule.
type label struct {
	rule *locatorRule
	captured
}

// placer is the work on one machine.
type placer struct {
	sys *inventory.System
	id  identity
	// fsb: one memory controller outside the processors.
	fsb bool
	// channels a processor has (or the chipset); 0 when not known.
	channels, controllers int
	depth                 int
	// present lists the ids of the populated processors.
	present   []int
	out       []Placement
	labels    []label
	conflicts []inventory.Conflict
}

func newPlacer(sys *inventory.System, p *platform.Platform) *placer {
	pl := &placer{sys: sys, id: identify(&sys.Machine), fsb: platform.FrontSideBus(sys, p), depth: usualDPC,
		out: make([]Placement, len(sys.Slots)), labels: make([]label, len(sys.Slots))}
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
		if populated, known := sys.Sockets[i].Populated.Get(); populated || !known {
			pl.present = append(pl.present, sys.Sockets[i].ID)
		}
	}
	for i := range pl.out {
		pl.out[i] = Placement{Socket: Unplaced, Controller: Unplaced, Channel: Unplaced, Slot: Unplaced}
	}
	return pl
}

// read matches every slot's labels.
func (pl *placer) read(rules []locatorRule) {
	var memo shapeMemo
	for i := range pl.sys.Slots {
		s := &pl.sys.Slots[i]
		if s.Technology.Known() && s.Technology.Value == inventory.Flash {
			pl.out[i].Reason = "flash memory, not a memory slot"
			continue
		}
		locator, bank := text(&s.Locator), text(&s.BankLocator)
		if locator == "" && bank == "" {
			pl.out[i].Reason = "firmware gives the slot no label"
			continue
		}
		r, c := memo.match(rules, locator, bank)
		if r < 0 {
			pl.out[i].Reason = "no known pattern reads this slot's label"
			continue
		}
		pl.labels[i] = label{rule: &rules[r], captured: c}
		pl.out[i].Rule = rules[r].id
	}
}

// dropHalfLabelled leaves alone what another rule reads only because one of its
// two labels is missing: numbers count from the smallest that a rule sees, so
// that a slot by itself would be counted from another base than its neighbours.
func (pl *placer) dropHalfLabelled() {
	var whole [2]*locatorRule // that reads slots with this label
	for i := range pl.labels {
		for n, l := range pl.texts(i) {
			if l != "" && pl.labels[i].rule != nil && whole[n] == nil {
				whole[n] = pl.labels[i].rule
			}
		}
	}
	for i := range pl.labels {
		for n, l := range pl.texts(i) {
			if r := pl.labels[i].rule; l == "" && r != nil && whole[n] != nil && whole[n] != r {
				pl.labels[i] = label{}
				pl.out[i].Rule, pl.out[i].Reason = "", "firmware leaves out one of the two labels that its other slots have"
			}
		}
	}
}

func (pl *placer) texts(i int) [2]string {
	s := &pl.sys.Slots[i]
	return [2]string{text(&s.Locator), text(&s.BankLocator)}
}

// text is a label as printed, "" when firmware states none.
func text(f *fact.Fact[string]) string {
	if f.State != fact.OK {
		return ""
	}
	return strings.TrimSpace(f.Value)
}

// group collects the slots that one rule read, nil when there are none.
func (pl *placer) group(r *locatorRule) *slotGroup {
	var slots []int
	for i := range pl.labels {
		if pl.labels[i].rule == r {
			slots = append(slots, i)
		}
	}
	if slots == nil {
		return nil
	}
	return &slotGroup{placer: pl, rule: r, slots: slots}
}

// single returns the only processor there can be memory on.
func (pl *placer) single() (int, bool) {
	if len(pl.present) == 1 {
		return pl.present[0], true
	}
	return Unplaced, false
}

// fail takes back what was derived and keeps the reason; all says whether the
// processors go too.
func (pl *placer) fail(reason string, all bool) {
	for i := range pl.out {
		pl.failSlot(i, reason, all)
	}
}

func (pl *placer) failSlot(i int, reason string, all bool) {
	o := &pl.out[i]
	o.Controller, o.Channel, o.Slot, o.Reason = Unplaced, Unplaced, Unplaced, reason
	if all {
		o.Socket = Unplaced
	}
	if o.Socket == Unplaced {
		o.Source, o.Certainty = "", fact.None
	}
}
