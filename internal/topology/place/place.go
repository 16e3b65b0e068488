package place

import (
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

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

// dropHalfLabelled unmatches a slot if another rule than its neighbours' matched it only because one of its two
// labels is missing. Numbers start at the smallest that a rule matched, so such a slot would be counted from
// another base.
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

// single returns the only CPU that can have memory; false if there are several or none.
func (pl *placer) single() (int, bool) {
	if len(pl.present) == 1 {
		return pl.present[0], true
	}
	return Unplaced, false
}

// ownModules assigns DIMMs with channels of their own, whose labels no rule matches, to the only CPU: they are
// mounted next to their CPU, and there is no second.
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
