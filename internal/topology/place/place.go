package place

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// read finds the rule that reads each slot's labels; a slot without one has the reason.
func (pl *placer) read(rules []LocatorRule) {
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
			if strings.EqualFold(locator, "NO DIMM") { // firmware of many boards, Supermicro's X10DRi among them
				pl.out[i].Reason = "firmware calls the empty slot NO DIMM instead of by its label"
			}
			continue
		}
		pl.labels[i] = slotLabel{rule: &rules[r], captured: c}
		pl.out[i].Rule = rules[r].ID
	}
}

// dropHalfLabelled leaves a slot unread if another rule than its neighbours' reads it only because one
// of its two labels is missing. Numbers count from the smallest that a rule sees, so such a slot would
// be counted from another base than its neighbours.
func (pl *placer) dropHalfLabelled() {
	var whole [2]*LocatorRule // that reads slots with this label
	for i := range pl.labels {
		for n, l := range pl.texts(i) {
			if r := pl.labels[i].rule; l != "" && r != nil {
				whole[n] = r
			}
		}
	}
	for i := range pl.labels {
		for n, l := range pl.texts(i) {
			if r := pl.labels[i].rule; l == "" && r != nil && whole[n] != nil && whole[n] != r {
				pl.labels[i] = slotLabel{}
				pl.out[i].Rule, pl.out[i].Reason = "", "firmware leaves out one of the two labels that its other slots have"
			}
		}
	}
}

// single returns the only processor that can have memory; false if there are several or none.
func (pl *placer) single() (int, bool) {
	if len(pl.present) == 1 {
		return pl.present[0], true
	}
	return Unplaced, false
}

// ownModules gives the only processor the modules with channels of their own whose labels no rule reads: they sit
// beside their processor, and no second one is there.
func (pl *placer) ownModules(p *platform.Platform) {
	only, one := pl.single()
	if p == nil || p.OwnChannels == "" || !one {
		return
	}
	for i := range pl.out {
		if o := &pl.out[i]; o.Socket == Unplaced && pl.sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.DRAM {
			o.Socket, o.Source, o.Certainty = only, sourceSingle, fact.Indirect
		}
	}
}
