package place

import (
	"fmt"
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
	pl := &placer{sys: sys, id: identify(&sys.Machine), fsb: platform.FrontSideBus(sys, p), depth: usualDPC,
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
		if populated, known := sys.Sockets[i].Populated.Get(); populated || !known {
			pl.present = append(pl.present, sys.Sockets[i].ID)
		}
	}
	for i := range pl.out {
		pl.out[i] = Placement{Socket: Unplaced, Controller: Unplaced, Channel: Unplaced, Slot: Unplaced}
	}
	return pl
}

func (pl *placer) populatedDRAM() []int {
	var slots []int
	for i := range pl.sys.Slots {
		if pl.isPopulatedDRAM(i) {
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

func (pl *placer) processors() []processor {
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
		if pl.isPopulatedDRAM(i) {
			out[at].channels[o.Channel] = append(out[at].channels[o.Channel], i)
		}
	}
	return out
}

// fail drops the derived positions and keeps the reason; all drops the CPUs, too.
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

func (pl *placer) isPopulatedDRAM(i int) bool {
	return pl.populated(i) && pl.sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.DRAM
}

func (pl *placer) name(i int) string {
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

// labelText returns a label as printed, "" if firmware does not set it.
func labelText(f *fact.Fact[string]) string {
	if f.State != fact.OK {
		return ""
	}
	return strings.TrimSpace(f.Value)
}

func (pl *placer) populated(i int) bool {
	return pl.sys.Slots[i].State == inventory.SlotPopulated
}
