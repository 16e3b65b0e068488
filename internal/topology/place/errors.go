package place

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// How a counter of memory errors was put down to a slot.
const (
	// ByLabel: the counter is labelled as the slot is, by firmware (ghes_edac) or
	// by an administrator's label files (rasdaemon, edac-ctl).
	ByLabel = "label"
	// ByChannel: the driver's controller and channel are the slot's by the slot
	// map, on boards whose numbering label files confirm.
	ByChannel = "channel"
	// ByController: the BMC counts more on the module than the
	// kernel does, of which firmware that handles errors first hides them.
	ByController = "controller"
	// ByLog: the kernel's log names the module, which no EDAC driver counts (APEI, firmware first).
	ByLog = "kernel log"
	// ByZero: whichever counter of a kind is the slot's, it is zero.
	ByZero = "every counter is zero"
)

// Errors are the memory errors that the kernel's EDAC driver counted on the
// module of one slot since the driver was loaded, or by ByController those that the
// BMC counted since the machine's last reset.
type Errors struct {
	Corrected, Uncorrected fact.Fact[int64]
	// CountedSeconds is how long they were counted.
	CountedSeconds fact.Fact[int64]
	// CorrectedWorstDay are the most corrected errors within 24 hours, known only by ByLog.
	CorrectedWorstDay fact.Fact[int64]
	// By says how the counters were put down to the slot; "" when they were not.
	By string
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
	var likely []int
	if len(all) > 0 {
		joinByLabel(sys, all)
		likely = slotsByChannel(sys, p, places, all)
		if likely != nil && verifiedPlaces(places, likely) && boardOrder(&sys.Machine, p) != nil {
			for i := range all {
				all[i].slot, all[i].by = likely[i], ByChannel
			}
		}
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
	var logged []StrayErrors
	if len(all) == 0 {
		logged = joinLogged(sys, slots)
	}
	stray, unplaced := controllerStrays(sys, slots, append(strays(sys, places, all, likely), logged...))
	for i := range slots {
		if sys.Slots[i].State == inventory.SlotPopulated && len(unplaced) > 0 {
			slots[i] = unlessController(slots[i], sys.Slots[i].BMCErrors, unplaced)
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

// joinByLabel takes the slot that a counter is labelled as. Several counters of
// one label are the ranks of one module; their sizes must come to the module's,
// or the labels are those of another board.
func joinByLabel(sys *inventory.System, all []counter) {
	names := slotNames(sys)
	found := map[int][]*counter{}
	for i := range all {
		label := plainLabel(all[i].dimm.Label.Or(""))
		slot, ok := names[label]
		if !ok {
			slot, ok = names[memoryWord.ReplaceAllString(label, "")]
		}
		if ok && slot >= 0 {
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

// memoryWord is the kind of memory, which boards print before a slot's name: DDR4_D1.
var memoryWord = regexp.MustCompile(`^DDR[2-5]`)

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

// slotsByChannel gives each counter the slot of the driver's controller and channel,
// by its index; nil where they do not agree with the slot map. It is all or nothing:
// each module that the driver has must be one that firmware has, of the same size, and
// the other way round.
func slotsByChannel(sys *inventory.System, p *platform.Platform, places []Placement, all []counter) []int {
	if p == nil {
		return nil
	}
	at := map[seatOf]int{}
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State != inventory.SlotPopulated || s.Technology.Or(inventory.DRAM) != inventory.DRAM {
			continue
		}
		pl := &places[i]
		seat := seatOf{pl.Socket, pl.Channel, pl.Slot}
		if _, taken := at[seat]; taken || pl.Doubt != "" {
			return nil
		}
		at[seat] = i
	}
	slots, order := make([]int, len(all)), boardOrder(&sys.Machine, p)
	for i := range all {
		seat, ok := driverSeat(p, all[i].dimm.Label.Or(""))
		if order != nil && len(order.Channels) > 0 {
			seat, ok = orderedSeat(order.Channels, all[i].dimm.Label.Or(""))
		}
		slot, there := at[seat]
		if !ok || !there || !sameBytes(&sys.Slots[slot], []*counter{&all[i]}) {
			return nil
		}
		slots[i] = slot
		delete(at, seat)
	}
	if len(at) > 0 {
		return nil
	}
	return slots
}

// verifiedPlaces reports whether no slot's place is by analogy alone.
func verifiedPlaces(places []Placement, slots []int) bool {
	return !slices.ContainsFunc(slots, func(i int) bool { return places[i].Unverified })
}

// boardOrder is the driver's numbering as a label file says it for the board, nil without one.
func boardOrder(m *inventory.Machine, p *platform.Platform) *platform.EDACOrder {
	product := m.Product.Or("") + " " + m.Board.Or("")
	id := identify(m)
	for i := range p.EDACOrder {
		if o := &p.EDACOrder[i]; id.isVendor([]string{o.Maker}) && o.Covers(product) {
			return o
		}
	}
	return nil
}

// orderedSeat reads the labels of i7core_edac on a board whose label file says which channel of the slot
// map each of the driver's is.
func orderedSeat(channels []int, label string) (seatOf, bool) {
	var c captured
	if !matchLabel(i7coreLabel, strings.TrimSpace(label), &c) {
		return seatOf{}, false
	}
	socket, _ := c.get(fieldCPU)
	channel, _ := c.get(fieldChannel)
	slot, _ := c.get(fieldSlot)
	if channel >= len(channels) {
		return seatOf{}, false
	}
	return seatOf{socket, channels[channel], slot}, true
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
	noInfo := ofNoModule(ctl, corrected)
	out.Corrected = unlessElsewhere(out.Corrected, noInfo, noInfo.Value)
	out.Uncorrected = unlessElsewhere(out.Uncorrected, ofNoModule(ctl, uncorrected), 0)
	return &out
}

// withController takes the BMC's counts where they are more
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
	out.CountedSeconds = sinceReset(c)
	return out
}

// sinceReset says that it is not known for how long the BMC counted.
func sinceReset(c *inventory.ControllerErrors) fact.Fact[int64] {
	return fact.Unknown[int64](fact.Unstated, "the BMC does not say since when it counts",
		"the machine's last reset in the controller's own log", c.Corrected.From)
}

// unlessController leaves a module's count of zero unknown where the BMC counts
// errors of that kind on a module without a slot and none of its own on this one: they may be this
// one's, of which firmware that handles errors first hides them from the kernel.
func unlessController(e *Errors, own *inventory.ControllerErrors, unplaced []StrayErrors) *Errors {
	if own == nil {
		own = &inventory.ControllerErrors{}
	}
	out := *e
	for i := range unplaced {
		u := &unplaced[i]
		if !own.Corrected.Known() {
			out.Corrected = unlessHidden(out.Corrected, u.Corrected, u.Label)
		}
		if !own.Uncorrected.Known() {
			out.Uncorrected = unlessHidden(out.Uncorrected, u.Uncorrected, u.Label)
		}
	}
	return &out
}

// unlessHidden leaves a count of zero unknown where the BMC counts errors on what
// label names.
func unlessHidden(f, counted fact.Fact[int64], label string) fact.Fact[int64] {
	if f.Or(1) != 0 || counted.Or(0) == 0 {
		return f
	}
	return fact.Unknown[int64](fact.Conflicting, fmt.Sprintf("the BMC counted errors on %s, which may be this module, and the kernel none", label),
		"the BMC's own log", f.From, counted.From)
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
				"the kernel's log, or the BMC's", f.From, noInfo.From)
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
// where every counter of a kind is, and the driver has all of the machine's memory.
func withoutCounter(sys *inventory.System, all []counter) Errors {
	if len(all) == 0 {
		return unknownErrors(noCounters(sys))
	}
	whole := allMemory(sys, all)
	out := Errors{Corrected: anyCounter(all, whole, corrected), Uncorrected: anyCounter(all, whole, uncorrected)}
	if !out.Corrected.Known() && !out.Uncorrected.Known() {
		out.CountedSeconds = out.Corrected
		return out
	}
	out.CountedSeconds, out.By = all[0].ctl.CountedSeconds, ByZero
	return out
}

// anyCounter is the count of one kind of a module that any counter may be the one of;
// whole says that the driver has all of the machine's memory.
func anyCounter(all []counter, whole bool, of kindOf) fact.Fact[int64] {
	most := largest(all, of)
	switch {
	case !most.Known() || most.Value == 0 && whole:
		return most
	case most.Value == 0:
		return fact.Unknown[int64](fact.Absent, "every counter of the driver is zero, but its modules do not come to the memory that firmware lists",
			"the BMC's own log", most.From)
	}
	reason, knownBy := "nothing says which of the driver's counters is this slot's", "label files of the board, registered by rasdaemon or edac-ctl"
	top := worstCounter(all, of)
	if top.registered() {
		reason, knownBy = "the counters are labelled, but not as firmware names the slots", "the board's manual, which says where "+top.label()+" is"
	}
	return fact.Unknown[int64](fact.Absent, reason+"; errors were counted on "+top.label(), knownBy, most.From)
}

// worstCounter is the counter with the most errors of one kind.
func worstCounter(all []counter, of kindOf) *counter {
	top := &all[0]
	for i := range all {
		if of.module(all[i].dimm).Or(0) > of.module(top.dimm).Or(0) {
			top = &all[i]
		}
	}
	return top
}

func unknownErrors(why fact.Fact[int64]) Errors {
	return Errors{Corrected: why, Uncorrected: why, CountedSeconds: why}
}

// kindOf is one kind of errors: of a module, of the controller that it is on as a
// whole, and of those that its driver put down to no module.
type kindOf struct {
	module            func(d *inventory.ControllerDIMM) fact.Fact[int64]
	total, unassigned func(ctl *inventory.Controller) fact.Fact[int64]
}

// The kinds of errors.
var (
	corrected = kindOf{func(d *inventory.ControllerDIMM) fact.Fact[int64] { return d.Corrected },
		func(ctl *inventory.Controller) fact.Fact[int64] { return ctl.Corrected },
		func(ctl *inventory.Controller) fact.Fact[int64] { return ctl.CorrectedNoInfo }}
	uncorrected = kindOf{func(d *inventory.ControllerDIMM) fact.Fact[int64] { return d.Uncorrected },
		func(ctl *inventory.Controller) fact.Fact[int64] { return ctl.Uncorrected },
		func(ctl *inventory.Controller) fact.Fact[int64] { return ctl.UncorrectedNoInfo }}
)

// ofNoModule are the errors of a controller that its driver put down to no module: those
// that it counts as such, or what its modules leave of its total.
func ofNoModule(ctl *inventory.Controller, of kindOf) fact.Fact[int64] {
	noInfo, total := of.unassigned(ctl), of.total(ctl)
	if !total.Known() {
		return noInfo
	}
	rest := total
	for i := range ctl.DIMMs {
		rest.Value -= of.module(&ctl.DIMMs[i]).Or(0)
	}
	if rest.Value > noInfo.Or(0) {
		return rest
	}
	return noInfo
}

// largest is the largest of all counters of one kind; unknown when one is.
func largest(all []counter, of kindOf) fact.Fact[int64] {
	out := of.module(all[0].dimm)
	for i := range all {
		for _, f := range []fact.Fact[int64]{of.module(all[i].dimm), ofNoModule(all[i].ctl, of)} {
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
	const knownBy = "the EDAC driver of the platform, or the BMC's own log"
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

// StrayErrors are counters that no slot is known for, under the driver's own
// label of them.
type StrayErrors struct {
	Label string
	// Place is the driver's place of the counters with errors: controller, channel, slot or
	// row; "" for errors that the driver put down to no module.
	Place string
	// Slots are those that it may be, by their indices in System.Slots; none where that is
	// not known. Likely says that it is one, on which controller, channel, slot and size agree
	// for all modules, though no label file confirms how this board is numbered.
	Slots  []int
	Likely bool
	Errors
}

// Some reports whether errors were counted.
func (s *StrayErrors) Some() bool { return s.Corrected.Or(0) > 0 || s.Uncorrected.Or(0) > 0 }

// strays are the counters without a slot, those of one label together: they are the
// ranks of one module.
func strays(sys *inventory.System, places []Placement, all []counter, likely []int) []StrayErrors {
	var out []StrayErrors
	at := map[string]int{}
	for i := range all {
		c := &all[i]
		if c.slot >= 0 {
			continue
		}
		label := c.label()
		n, seen := at[label]
		if !seen {
			n = len(out)
			at[label] = n
			out = append(out, StrayErrors{Label: label, Errors: c.errors("")})
			out[n].Slots, out[n].Likely = candidateSlots(sys, places, c, i, likely)
		} else {
			out[n].Corrected, out[n].Uncorrected = sumOfErrors(out[n].Corrected, c.dimm.Corrected), sumOfErrors(out[n].Uncorrected, c.dimm.Uncorrected)
		}
		if !seen || c.dimm.Corrected.Or(0)+c.dimm.Uncorrected.Or(0) > 0 {
			out[n].Place = joinPlaces(out[n].Place, c, seen)
		}
	}
	for i := range sys.EDAC {
		ctl := &sys.EDAC[i]
		s := StrayErrors{Label: fmt.Sprintf("mc%d, DIMM unknown", ctl.Index), Slots: modules(sys, func(int) bool { return true }),
			Errors: Errors{Corrected: ofNoModule(ctl, corrected), Uncorrected: ofNoModule(ctl, uncorrected), CountedSeconds: ctl.CountedSeconds}}
		if s.Some() {
			out = append(out, s)
		}
	}
	return out
}

// controllerStrays adds the errors that the BMC counts on modules without a slot,
// and what slots and counters leave of those that it counts on all modules together. A module that the
// kernel's driver labels as the controller does is one with that counter. All labels differ. The second
// result are those that rest on the controller.
func controllerStrays(sys *inventory.System, slots []*Errors, stray []StrayErrors) (all, byController []StrayErrors) {
	kernels := len(stray)
	for i := range sys.BMCModules {
		m := &sys.BMCModules[i]
		n := slices.IndexFunc(stray, func(s StrayErrors) bool { return plainLabel(s.Label) == plainLabel(m.Label) })
		e := ofController(&m.Errors)
		switch {
		case n >= kernels: // two modules of one name
			stray[n].Corrected, stray[n].Uncorrected = sumOfKnown(stray[n].Corrected, e.Corrected), sumOfKnown(stray[n].Uncorrected, e.Uncorrected)
		case n >= 0:
			stray[n].Errors = *withController(&stray[n].Errors, &m.Errors)
		case e.Corrected.Or(0)+e.Uncorrected.Or(0) > 0:
			stray = append(stray, StrayErrors{Label: m.Label, Place: "counted by the BMC; no slot is known for it", Errors: e})
		}
	}
	if sys.BMCTotal != nil {
		rest := ofController(sys.BMCTotal)
		take := func(e *Errors) {
			rest.Corrected.Value -= e.Corrected.Or(0)
			rest.Uncorrected.Value -= e.Uncorrected.Or(0)
		}
		for _, e := range slots {
			take(e)
		}
		for i := range stray {
			take(&stray[i].Errors)
		}
		rest.Corrected.Value, rest.Uncorrected.Value = max(0, rest.Corrected.Value), max(0, rest.Uncorrected.Value)
		if s := (StrayErrors{Label: "memory as a whole", Place: "counted by the BMC, DIMM unknown", Errors: rest}); s.Some() {
			stray = append(stray, s)
		}
	}
	for i := range stray {
		if stray[i].By == ByController {
			byController = append(byController, stray[i])
		}
	}
	return stray, byController
}

// sumOfKnown leaves out what is not known: errors that were counted stay errors.
func sumOfKnown(a, b fact.Fact[int64]) fact.Fact[int64] {
	switch {
	case !a.Known():
		return b
	case !b.Known():
		return a
	default:
		return sumOfErrors(a, b)
	}
}

// ofController are counts of the BMC.
func ofController(c *inventory.ControllerErrors) Errors {
	return Errors{Corrected: c.Corrected, Uncorrected: c.Uncorrected, CountedSeconds: sinceReset(c), By: ByController}
}

// joinPlaces adds a counter's place to those of its label.
func joinPlaces(have string, c *counter, more bool) string {
	at := strings.Join(strings.Fields(c.dimm.Location.Or("")), " ")
	if !more {
		return strings.TrimSuffix(fmt.Sprintf("controller %d, %s", c.ctl.Index, at), ", ")
	}
	if at == "" || strings.Contains(have, at) {
		return have
	}
	return have + " and " + at
}

// candidateSlots lists the slots that a counter may be the one of.
func candidateSlots(sys *inventory.System, places []Placement, c *counter, i int, likely []int) ([]int, bool) {
	if likely != nil {
		return []int{likely[i]}, true
	}
	if c.registered() {
		return nil, false // the label says which module it is, if not which slot of firmware's
	}
	processor, named := c.processor()
	rank := c.isRank()
	return modules(sys, func(slot int) bool {
		if s := places[slot].Socket; named && s != Unplaced && s != processor {
			return false
		}
		return rank || sameBytes(&sys.Slots[slot], []*counter{c})
	}), false
}

// modules are the slots with a module of DRAM that are accepted.
func modules(sys *inventory.System, accepts func(slot int) bool) []int {
	var out []int
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated && s.Technology.Or(inventory.DRAM) == inventory.DRAM && accepts(i) {
			out = append(out, i)
		}
	}
	return out
}

// registered reports whether somebody labelled the counter: an administrator's label
// files, or firmware. The drivers' own labels name places.
func (c *counter) registered() bool {
	label := strings.TrimSpace(c.dimm.Label.Or(""))
	if label == "" || strings.HasPrefix(label, "unknown") || strings.HasPrefix(label, "memory ") {
		return false
	}
	return !slices.ContainsFunc(edacPatterns[:], func(p string) bool { var got captured; return matchLabel(p, label, &got) })
}

// processor is the number of the processor that the driver's label names.
func (c *counter) processor() (int, bool) {
	for _, p := range edacPatterns {
		var got captured
		if matchLabel(p, strings.TrimSpace(c.dimm.Label.Or("")), &got) {
			return got.get(fieldCPU)
		}
	}
	return 0, false
}

// isRank reports whether the counter may be one of a module's ranks: those are told by
// their row.
func (c *counter) isRank() bool {
	return strings.Contains(c.dimm.Location.Or("")+c.dimm.Label.Or(""), "csrow")
}
