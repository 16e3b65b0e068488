package place

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
)

// How a counter of memory errors was put down to a slot.
const (
	// ByLabel: the counter is labelled as the slot is, by firmware (ghes_edac) or
	// by an administrator's label files (rasdaemon, edac-ctl).
	ByLabel = "label"
	// ByChannel: the driver's controller and channel are the slot's by the slot
	// map, on boards whose numbering label files confirm.
	ByChannel = "channel"
	// ByController: the management controller counts more on the module than the
	// kernel does, of which firmware that handles errors first hides them.
	ByController = "controller"
	// ByZero: whichever counter is the slot's, it is zero.
	ByZero = "every counter is zero"
)

// Errors are the memory errors that the kernel's EDAC driver counted on the
// module of one slot since the driver was loaded, or by ByController those that the
// management controller counted since the machine's last reset.
type Errors struct {
	Corrected, Uncorrected fact.Fact[int64]
	// CountedSeconds is how long they were counted.
	CountedSeconds fact.Fact[int64]
	// By says how the counters were put down to the slot; "" when they were not.
	By string
}

// StrayErrors are counters that no slot is known for, under the driver's own
// label of them.
type StrayErrors struct {
	Label string
	Errors
}

// counter is one entry below an EDAC controller.
type counter struct {
	ctl  *inventory.Controller
	dimm *inventory.ControllerDIMM
	// slot is the index of its slot in System.Slots, -1 while none is known.
	slot int
	by   string
}

// JoinErrors puts the kernel's counters of memory errors down to the slots of
// the machine. The first result is aligned with sys.Slots; the second lists what
// no slot is known for. A counter goes to a slot only where nothing else can be
// meant: naming the wrong module is worse than naming none.
func JoinErrors(sys *inventory.System, p *platform.Platform, places []Placement) ([]*Errors, []StrayErrors) {
	all := counters(sys.EDAC)
	if len(all) > 0 {
		joinByLabel(sys, all)
		joinByChannel(sys, p, places, all)
	}
	slots := make([]*Errors, len(sys.Slots))
	noModule, noCounter := &Errors{}, withoutCounter(sys, all) // of many slots, said once
	for i := range slots {
		e := noModule
		if sys.Slots[i].State == inventory.SlotPopulated {
			e = cmp.Or(slotErrors(all, i), &noCounter)
		}
		slots[i] = withController(e, sys.Slots[i].BMCErrors)
	}
	var stray []StrayErrors
	for i := range all {
		if c := &all[i]; c.slot < 0 {
			stray = append(stray, StrayErrors{Label: c.label(), Errors: c.errors("")})
		}
	}
	for i := range sys.EDAC {
		if s, ok := ofNoModule(&sys.EDAC[i]); ok {
			stray = append(stray, s)
		}
	}
	return slots, stray
}

func counters(controllers []inventory.Controller) []counter {
	var all []counter
	for i := range controllers {
		for j := range controllers[i].DIMMs {
			all = append(all, counter{ctl: &controllers[i], dimm: &controllers[i].DIMMs[j], slot: -1})
		}
	}
	return all
}

// label is the driver's own name of the counter, free of spaces at its ends.
func (c *counter) label() string {
	for _, text := range []string{c.dimm.Label.Or(""), c.dimm.Location.Or("")} {
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
	return fmt.Sprintf("mc%d", c.ctl.Index)
}

func (c *counter) errors(by string) Errors {
	return Errors{Corrected: c.dimm.Corrected, Uncorrected: c.dimm.Uncorrected, CountedSeconds: c.ctl.CountedSeconds, By: by}
}

// ofNoModule are the errors of a controller that its driver put down to no module.
func ofNoModule(ctl *inventory.Controller) (StrayErrors, bool) {
	if ctl.CorrectedNoInfo.Or(0) == 0 && ctl.UncorrectedNoInfo.Or(0) == 0 {
		return StrayErrors{}, false
	}
	return StrayErrors{Label: fmt.Sprintf("mc%d, module not told", ctl.Index),
		Errors: Errors{Corrected: ctl.CorrectedNoInfo, Uncorrected: ctl.UncorrectedNoInfo, CountedSeconds: ctl.CountedSeconds}}, true
}

// joinByLabel takes the slot that a counter is labelled as. Several counters of
// one label are the ranks of one module; their sizes must come to the module's,
// or the labels are those of another board.
func joinByLabel(sys *inventory.System, all []counter) {
	names := slotNames(sys)
	found := map[int][]*counter{}
	for i := range all {
		if slot, ok := names[plainLabel(all[i].dimm.Label.Or(""))]; ok && slot >= 0 {
			found[slot] = append(found[slot], &all[i])
		}
	}
	for slot, list := range found {
		if !sameBytes(&sys.Slots[slot], list) {
			continue
		}
		for _, c := range list {
			c.slot, c.by = slot, ByLabel
		}
	}
}

// slotNames maps what a counter of a slot may be labelled to the index of the
// slot, to -1 where two slots share the name.
func slotNames(sys *inventory.System) map[string]int {
	names := map[string]int{}
	add := func(name string, slot int) {
		if have, ok := names[name]; ok && have != slot {
			slot = -1
		}
		names[name] = slot
	}
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if s.State != inventory.SlotPopulated {
			continue
		}
		locator, bank := plainLabel(labelText(&s.Locator)), plainLabel(labelText(&s.BankLocator))
		if locator == "" {
			continue
		}
		add(locator, i)
		if bank != "" {
			add(bank+locator, i) // as ghes_edac labels modules (linux drivers/edac/ghes_edac.c)
		}
		// Label files and firmware differ in whether they say "DIMM" first.
		if rest, ok := strings.CutPrefix(locator, "DIMM"); ok && rest != "" {
			add(rest, i)
		} else {
			add("DIMM"+locator, i)
		}
	}
	return names
}

// plainLabel keeps letters and digits: label files, drivers and firmware differ
// in blanks, hyphens and underscores.
func plainLabel(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, label)
}

// sameBytes reports whether counters can be those of the slot's module.
func sameBytes(s *inventory.Slot, list []*counter) bool {
	want, known := s.SizeBytes.Get()
	sum := int64(0)
	for _, c := range list {
		bytes, ok := c.dimm.SizeBytes.Get()
		if !ok {
			return true // an old capture without sizes: the label alone
		}
		sum += bytes
	}
	return !known || sum == want
}

// seatOf is a module's place in the words of both sides.
type seatOf struct{ socket, channel, slot int }

// joinByChannel takes the slot of the driver's controller and channel, on boards
// for which label files confirm that the driver numbers as the slot map does. It
// is all or nothing: each module that the driver has must be one that firmware
// has, of the same size, and the other way round.
func joinByChannel(sys *inventory.System, p *platform.Platform, places []Placement, all []counter) {
	if p == nil || !followsBoard(&sys.Machine, p) {
		return
	}
	at := map[seatOf]int{}
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State != inventory.SlotPopulated || s.Technology.Or(inventory.DRAM) != inventory.DRAM {
			continue
		}
		pl := &places[i]
		seat := seatOf{pl.Socket, pl.Channel, pl.Slot}
		if _, taken := at[seat]; taken || pl.Unverified || pl.Doubt != "" {
			return
		}
		at[seat] = i
	}
	slots := make([]int, len(all))
	for i := range all {
		seat, ok := driverSeat(p, all[i].dimm.Label.Or(""))
		slot, there := at[seat]
		if !ok || !there || !sameBytes(&sys.Slots[slot], []*counter{&all[i]}) {
			return
		}
		slots[i] = slot
		delete(at, seat)
	}
	if len(at) > 0 {
		return
	}
	for i := range all {
		all[i].slot, all[i].by = slots[i], ByChannel
	}
}

// followsBoard reports whether a label file confirms the driver's numbering for
// boards of the machine's maker.
func followsBoard(m *inventory.Machine, p *platform.Platform) bool {
	product := m.Product.Or("") + " " + m.Board.Or("")
	id := identify(m)
	for _, o := range p.EDACOrder {
		if id.isVendor([]string{o.Maker}) && o.Covers(product) {
			return true
		}
	}
	return false
}

// driverSeat reads the labels of skx_edac, i10nm_edac and sb_edac. A processor
// with two home agents spreads its channels over both in a way that no label
// file tells, so that only the first one alone is read.
func driverSeat(p *platform.Platform, label string) (seatOf, bool) {
	for _, pattern := range edacPatterns[:2] {
		var c captured
		if !matchLabel(pattern, strings.TrimSpace(label), &c) {
			continue
		}
		socket, _ := c.get(fieldCPU)
		controller, _ := c.get(fieldController)
		channel, _ := c.get(fieldChannel)
		slot, _ := c.get(fieldSlot)
		each := p.ChannelsPerSocket
		if n := max(p.Controllers, 1); strings.Contains(pattern, "_MC#") && each%n == 0 {
			each /= n
		}
		if channel >= each || (controller+1)*each > p.ChannelsPerSocket {
			return seatOf{}, false
		}
		return seatOf{socket, controller*each + channel, slot}, true
	}
	return seatOf{}, false
}

// slotErrors sums the counters of one slot; nil where none is its own.
func slotErrors(all []counter, slot int) *Errors {
	var out Errors
	var ctl *inventory.Controller
	n := 0
	for i := range all {
		c := &all[i]
		if c.slot != slot {
			continue
		}
		if n++; n == 1 {
			out, ctl = c.errors(c.by), c.ctl
			continue
		}
		out.Corrected, out.Uncorrected = sumOfErrors(out.Corrected, c.dimm.Corrected), sumOfErrors(out.Uncorrected, c.dimm.Uncorrected)
	}
	if n == 0 {
		return nil
	}
	out.Corrected = unlessElsewhere(out.Corrected, ctl.CorrectedNoInfo, ctl.CorrectedNoInfo.Value)
	out.Uncorrected = unlessElsewhere(out.Uncorrected, ctl.UncorrectedNoInfo, 0)
	return &out
}

// withController takes the management controller's counts where they are more
// than the kernel's, or where the kernel has none.
func withController(e *Errors, c *inventory.ControllerErrors) *Errors {
	more := func(a, b *fact.Fact[int64]) bool { return a.Known() && (!b.Known() || a.Value > b.Value) }
	if c == nil || !more(&c.Corrected, &e.Corrected) && !more(&c.Uncorrected, &e.Uncorrected) {
		return e
	}
	out := &Errors{Corrected: e.Corrected, Uncorrected: e.Uncorrected, By: ByController}
	if c.Corrected.Known() {
		out.Corrected = c.Corrected
	}
	if c.Uncorrected.Known() {
		out.Uncorrected = c.Uncorrected
	}
	out.CountedSeconds = fact.Unknown[int64](fact.Unstated, "the management controller does not say since when it counts",
		"the machine's last reset in the controller's own log", c.Corrected.From)
	return out
}

// unlessElsewhere leaves a module's count unknown that is no more than most,
// where its controller counted errors without saying on which module, or where
// nobody can read whether it did: they may be this one's.
func unlessElsewhere(f, noInfo fact.Fact[int64], most int64) fact.Fact[int64] {
	if !f.Known() || f.Value > most {
		return f
	}
	switch noInfo.State {
	case fact.OK:
		if noInfo.Value > 0 {
			return fact.Unknown[int64](fact.Conflicting, fmt.Sprintf("the driver counted %d errors of the module's controller without saying on which module", noInfo.Value),
				"the kernel's log, or the management controller's", f.From, noInfo.From)
		}
	case fact.Denied, fact.Refused, fact.Truncated, fact.Malformed:
		return fact.Blame[int64](noInfo)
	default: // a driver without the file puts every error down to a module
	}
	return f
}

func sumOfErrors(a, b fact.Fact[int64]) fact.Fact[int64] {
	if !a.Known() {
		return a
	}
	if !b.Known() {
		return b
	}
	a.Value += b.Value
	a.More = append(a.More[:len(a.More):len(a.More)], b.From)
	return a
}

// withoutCounter is what is known of a module whose counter is not known: zero
// where every counter of the machine is, and the driver has all of its memory.
func withoutCounter(sys *inventory.System, all []counter) Errors {
	if len(all) == 0 {
		return unknownErrors(noCounters(sys))
	}
	ce, ue := largest(all, corrected), largest(all, uncorrected)
	if ce.Or(1) == 0 && ue.Or(1) == 0 && allMemory(sys, all) {
		return Errors{Corrected: ce, Uncorrected: ue, CountedSeconds: all[0].ctl.CountedSeconds, By: ByZero}
	}
	if !ce.Known() {
		return unknownErrors(ce)
	}
	return unknownErrors(fact.Unknown[int64](fact.Absent, "nothing says which of the driver's counters is this slot's; "+worstCounter(all),
		"label files of the board, registered by rasdaemon or edac-ctl", ce.From))
}

// worstCounter names the counter with the most errors.
func worstCounter(all []counter) string {
	top := &all[0]
	for i := range all {
		if all[i].dimm.Corrected.Or(0)+all[i].dimm.Uncorrected.Or(0) > top.dimm.Corrected.Or(0)+top.dimm.Uncorrected.Or(0) {
			top = &all[i]
		}
	}
	return fmt.Sprintf("%s has %d corrected and %d uncorrected errors", top.label(), top.dimm.Corrected.Or(0), top.dimm.Uncorrected.Or(0))
}

func unknownErrors(why fact.Fact[int64]) Errors {
	return Errors{Corrected: why, Uncorrected: why, CountedSeconds: why}
}

func corrected(d *inventory.ControllerDIMM, ctl *inventory.Controller) [2]fact.Fact[int64] {
	return [2]fact.Fact[int64]{d.Corrected, ctl.CorrectedNoInfo}
}

func uncorrected(d *inventory.ControllerDIMM, ctl *inventory.Controller) [2]fact.Fact[int64] {
	return [2]fact.Fact[int64]{d.Uncorrected, ctl.UncorrectedNoInfo}
}

// largest is the largest of all counters of one kind; unknown when one is.
func largest(all []counter, of func(*inventory.ControllerDIMM, *inventory.Controller) [2]fact.Fact[int64]) fact.Fact[int64] {
	out := of(all[0].dimm, all[0].ctl)[0]
	for i := range all {
		for _, f := range of(all[i].dimm, all[i].ctl) {
			if !f.Known() {
				return f
			}
			if f.Value > out.Value {
				out = f
			}
		}
	}
	return out
}

// allMemory reports whether the driver's modules come to the DRAM that firmware
// lists.
func allMemory(sys *inventory.System, all []counter) bool {
	want := int64(0)
	for _, s := range sys.Slots {
		if s.State == inventory.SlotPopulated && s.Technology.Or(inventory.DRAM) == inventory.DRAM {
			bytes, known := s.SizeBytes.Get()
			if !known {
				return false
			}
			want += bytes
		}
	}
	have := int64(0)
	for i := range all {
		have += all[i].dimm.SizeBytes.Or(0)
	}
	return have == want
}

// noCounters says why there are none.
func noCounters(sys *inventory.System) fact.Fact[int64] {
	const knownBy = "the EDAC driver of the platform, or the management controller's own log"
	for _, s := range sys.Sources {
		if s.Name != inventory.SourceEDAC {
			continue
		}
		switch s.State {
		case fact.SourceDenied:
			return fact.Unknown[int64](fact.Denied, "the kernel's counters of memory errors may not be read", "run as root")
		case fact.SourceRefused:
			return fact.Unknown[int64](fact.Refused, "the kernel's counters of memory errors could not be read: "+s.Detail, "")
		case fact.SourceTruncated:
			return fact.Unknown[int64](fact.Truncated, "the kernel's counters of memory errors are cut short: "+s.Detail, "")
		case fact.SourceMalformed:
			return fact.Unknown[int64](fact.Malformed, "the kernel's counters of memory errors make no sense: "+s.Detail, "")
		case fact.SourceOK, fact.SourcePartial, fact.SourceAbsent:
		}
		return fact.Unknown[int64](fact.Absent, "no EDAC driver counts memory errors", knownBy)
	}
	return fact.Unknown[int64](fact.Unread, "the input has no kernel that counts memory errors", "an audit of the running machine")
}
