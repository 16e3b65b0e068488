package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

type slotPair struct{ then, now *Slot }

func (q slotPair) slotSubject() inventory.Subject {
	s := cmp.Or(q.now, q.then)
	return inventory.SlotSubject(inventory.Handle(s.Handle), s.Locator)
}

func (c *comparison) compareSlots() []inventory.Compared {
	if len(c.then.Slots) == 0 || len(c.now.Slots) == 0 {
		return nil // machine records why
	}
	pairs := c.pairSlots()
	at := c.slotLocations(pairs)
	var out []inventory.Compared
	for _, q := range pairs {
		if !mayBePopulated(q.then) && !mayBePopulated(q.now) {
			continue
		}
		p := &subjectChanges{subject: q.slotSubject()}
		switch why := c.unclearReason(q); {
		case why != "":
			p.addUnknown("%s", why)
		case !mayBePopulated(q.now):
			now := "empty"
			if q.now == nil {
				now = "the slot itself is not listed any more"
			}
			if place := at.other(q.then, at.now); place != "" {
				p.addChange(inventory.DIMMMoved, describeSlot(q.then), now+"; moved to "+place)
			} else {
				p.addChange(inventory.DIMMLost, describeSlot(q.then), now)
			}
		case !mayBePopulated(q.then):
			if place := at.other(q.now, at.then); place != "" {
				p.addChange(inventory.DIMMMoved, "empty", describeSlot(q.now)+", moved from "+place)
			} else {
				p.addChange(inventory.DIMMAdded, "empty", describeSlot(q.now))
			}
		default:
			compareModule(p, q, at)
		}
		out = append(out, c.finishSubject(p))
	}
	return out
}

func mayBePopulated(s *Slot) bool { return s != nil && s.State != string(inventory.SlotEmpty) }

// pairSlots matches the slots of both sides: by label if all labels differ, because a new BIOS may renumber
// the handles; the remaining ones by handle, because it may rename the labels; the rest in the table's
// order, if as many remain on both sides.
func (c *comparison) pairSlots() []slotPair {
	label := func(s *Slot) string { return s.Locator + "\x00" + s.BankLocator }
	handle := func(s *Slot) string { return fmt.Sprintf("%04x", s.Handle) }
	m := matcher{now: make([]*Slot, 0, len(c.now.Slots)), of: map[*Slot]*Slot{}}
	for i := range c.now.Slots {
		m.now = append(m.now, &c.now.Slots[i])
	}
	for i := range c.then.Slots {
		m.then = append(m.then, &c.then.Slots[i])
	}
	if hasDistinctKeys(c.then.Slots, label) && hasDistinctKeys(c.now.Slots, label) {
		m.matchByKey(label)
	} else {
		m.matchByKey(func(s *Slot) string { return handle(s) + label(s) })
	}
	m.matchByKey(handle)
	if len(m.then) == len(m.now) {
		for i, s := range m.now {
			m.of[s] = m.then[i]
		}
		m.then = nil
	}
	var out []slotPair
	for now := range inventory.Pointers(c.now.Slots) {
		out = append(out, slotPair{m.of[now], now})
	}
	for _, s := range m.then {
		out = append(out, slotPair{s, nil})
	}
	return out
}

// matcher holds the slots that are not matched yet (then, now) and the matches (of: from now to then).
type matcher struct {
	then, now []*Slot
	of        map[*Slot]*Slot
}

func (m *matcher) matchByKey(key func(*Slot) string) {
	then := map[string]*Slot{}
	for _, s := range m.then {
		then[key(s)] = s
	}
	used := map[*Slot]bool{}
	m.now = slices.DeleteFunc(m.now, func(s *Slot) bool {
		have := then[key(s)]
		if have == nil || used[have] {
			return false
		}
		m.of[s], used[have] = have, true
		return true
	})
	m.then = slices.DeleteFunc(m.then, func(s *Slot) bool { return used[s] })
}

func hasDistinctKeys(list []Slot, key func(*Slot) string) bool {
	seen := map[string]bool{}
	for i := range list {
		k := key(&list[i])
		if list[i].Locator == "" || seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

// locations maps the hash of a module's serial number to the name of its slot.
type locations struct {
	then, now map[string]string
	// alike maps each removed module to the slot of a module of the same kind added elsewhere, and back, with a remark on the
	// serial numbers.
	alike map[*Slot]string
}

// other returns the slot that a module moved to or from and how that is known, "" if it is not known to have moved.
func (w *locations) other(s *Slot, bySerial map[string]string) string {
	if place := bySerial[s.Serial]; place != "" {
		return place + ", by its serial number"
	}
	return w.alike[s]
}

func (c *comparison) slotLocations(pairs []slotPair) locations {
	w := locations{map[string]string{}, map[string]string{}, map[*Slot]string{}}
	for _, q := range pairs {
		if q.then != nil && q.then.Serial != "" {
			w.then[q.then.Serial] = q.slotSubject().String()
		}
		if q.now != nil && q.now.Serial != "" {
			w.now[q.now.Serial] = q.slotSubject().String()
		}
	}
	var added []slotPair
	for _, q := range pairs {
		if c.unclearReason(q) == "" && !mayBePopulated(q.then) && mayBePopulated(q.now) && w.then[q.now.Serial] == "" {
			added = append(added, q)
		}
	}
	for _, q := range pairs {
		if c.unclearReason(q) != "" || !mayBePopulated(q.then) || mayBePopulated(q.now) || w.now[q.then.Serial] != "" {
			continue
		}
		i := slices.IndexFunc(added, func(o slotPair) bool { return isSameKind(q.then, o.now) })
		if i < 0 {
			continue
		}
		how := ", by its kind; its serial number is not known then or now"
		if q.then.Serial != "" && added[i].now.Serial != "" {
			how = ", by its kind; it has another serial number"
		}
		w.alike[q.then], w.alike[added[i].now] = added[i].slotSubject().String()+how, q.slotSubject().String()+how
		added = slices.Delete(added, i, i+1)
	}
	return w
}

func isSameKind(a, b *Slot) bool {
	return a.SizeBytes > 0 && a.SizeBytes == b.SizeBytes && a.Type == b.Type && a.Manufacturer == b.Manufacturer && a.PartNumber == b.PartNumber
}

// unclearReason returns why a slot cannot be compared, "" if it can.
func (c *comparison) unclearReason(q slotPair) string {
	switch {
	case q.now == nil && c.sys.Firmware.Lost != nil:
		return "firmware's list of slots is not complete"
	case q.now == nil && c.then.Machine.BIOSVersion != c.now.Machine.BIOSVersion:
		return "another BIOS version does not list the slot"
	case q.then == nil && c.then.Machine.BIOSVersion != c.now.Machine.BIOSVersion:
		return "another BIOS version did not list the slot"
	case q.now != nil && q.now.State == string(inventory.SlotUnknown), q.then != nil && q.then.State == string(inventory.SlotUnknown):
		return "firmware does not say whether the slot holds a module, then or now"
	default:
		return ""
	}
}

func compareModule(p *subjectChanges, q slotPair, at locations) {
	then, now := q.then, q.now
	if compareSerials(p, q, at) {
		return
	}
	var differs []string
	for _, f := range []struct{ what, then, now string }{
		{"size", printedSize(then), printedSize(now)}, {"type", then.Type, now.Type}, {"manufacturer", then.Manufacturer, now.Manufacturer},
		{"part number", then.PartNumber, now.PartNumber},
	} {
		switch {
		case f.then == "" || f.then == f.now:
		case f.now == "":
			p.addUnknown("the module's %s is not known now", f.what)
		default:
			differs = append(differs, f.what)
		}
	}
	switch {
	case len(differs) > 0 && then.Serial != "" && then.Serial == now.Serial:
		p.addChange(inventory.DIMMReplaced, describeSlot(then), describeSlot(now)+"; the same serial number, another "+strings.Join(differs, " and "))
	case len(differs) > 0:
		p.addChange(inventory.DIMMReplaced, describeSlot(then), describeSlot(now))
	case then.Serial != "" && now.Serial == "":
		p.addUnknown("the module's serial number is not known now, so that it may be another of its kind")
	}
	compareSpeed(p, then.ConfiguredMTs, now.ConfiguredMTs, "runs at")
	if len(differs) == 0 {
		compareSpeed(p, then.RatedMTs, now.RatedMTs, "rated")
	}
}

func compareSerials(p *subjectChanges, q slotPair, at locations) bool {
	then, now := q.then, q.now
	if then.Serial == "" || now.Serial == "" || then.Serial == now.Serial {
		return false
	}
	if place := at.then[now.Serial]; place != "" {
		p.addChange(inventory.DIMMMoved, describeSlot(then), describeSlot(now)+", the module that was in "+place)
	} else {
		p.addChange(inventory.DIMMReplaced, describeSlot(then), describeSlot(now)+" with another serial number")
	}
	compareSpeed(p, then.ConfiguredMTs, now.ConfiguredMTs, "runs at")
	return true
}

// compareSpeed compares speeds in MT/s. Firmware rounds (2666, 2667).
func compareSpeed(p *subjectChanges, then, now int, words string) {
	switch {
	case then == 0:
	case now == 0:
		p.addUnknown("the module's speed is not known now")
	case ddr.SameSpeed(now, then):
	case now < then:
		p.addChange(inventory.DIMMSlower, fmt.Sprintf("%s %d MT/s", words, ddr.Nominal(then)), fmt.Sprintf("%s %d MT/s", words, ddr.Nominal(now)))
	default:
		p.addChange(inventory.DIMMFaster, fmt.Sprintf("%s %d MT/s", words, ddr.Nominal(then)), fmt.Sprintf("%s %d MT/s", words, ddr.Nominal(now)))
	}
}

func printedSize(s *Slot) string {
	if s.SizeBytes == 0 {
		return ""
	}
	return humanize.Size(s.SizeBytes)
}

// describeSlot returns size, type, manufacturer and part number of a module, without its serial number.
func describeSlot(s *Slot) string {
	words := slices.DeleteFunc([]string{printedSize(s), s.Type, s.Manufacturer, s.PartNumber}, func(w string) bool { return w == "" })
	if len(words) == 0 {
		return "a module"
	}
	return strings.Join(words, " ")
}
