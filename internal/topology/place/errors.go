package place

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/topology/platform"
)

// How a memory error counter was assigned to a slot.
const (
	// ByLabel: the counter has the slot's label, from firmware (ghes_edac) or from an administrator's label
	// files (rasdaemon, edac-ctl).
	ByLabel = "label"
	// ByChannel: the driver's controller and channel are the slot's by the slot map, on boards for which a
	// label file confirms the numbering.
	ByChannel = "channel"
	// ByController: the BMC counts more errors of the DIMM than the kernel does, because firmware-first error
	// handling hides them from the kernel.
	ByController = "controller"
	// ByLog: the kernel log names the DIMM, and no EDAC driver counts it (APEI, firmware first).
	ByLog = "kernel log"
	// ByEvents: the BMC's event log names the DIMM, and has errors that no counter has, or of the only counter that no slot
	// is known for.
	ByEvents = "event log"
	// ByZero: the slot's counter is not known, but every counter of the kind is zero.
	ByZero = "every counter is zero"
)

// Errors are the memory errors of the DIMM in one slot: counted by the kernel's EDAC driver since it was
// loaded, or with ByController by the BMC since the machine's last reset.
type Errors = inventory.Errors

// counter is one entry below an EDAC controller.
type counter struct {
	ctl  *inventory.Controller
	dimm *inventory.ControllerDIMM
	// slot is the index of its slot in System.Slots, -1 while unknown.
	slot int
	by   string
}

// JoinErrors assigns the kernel's memory error counters to slots. The first result is aligned with sys.Slots;
// the second lists the counters without a known slot. A counter is assigned only if it is unambiguous: naming
// the wrong DIMM is worse than naming none.
func JoinErrors(sys *inventory.System, p *platform.Platform, places []Placement) ([]*Errors, []UnplacedErrors) {
	var all []counter
	for i := range sys.EDAC {
		for j := range sys.EDAC[i].DIMMs {
			all = append(all, counter{ctl: &sys.EDAC[i], dimm: &sys.EDAC[i].DIMMs[j], slot: -1})
		}
	}
	var likely []int
	if len(all) > 0 {
		joinByLabel(sys, all)
		likely = slotsByChannel(sys, p, places, all)
		if likely != nil && !slices.ContainsFunc(likely, func(i int) bool { return places[i].Unverified }) && edacOrder(&sys.Machine, p) != nil {
			for i := range all {
				all[i].slot, all[i].by = likely[i], ByChannel
			}
		}
	}
	slots := make([]*Errors, len(sys.Slots))
	noModule, noCounter := &Errors{}, withoutCounter(sys, all) // shared by all slots without their own
	for i := range slots {
		e := noModule
		if sys.Slots[i].State == inventory.SlotPopulated {
			e = cmp.Or(slotErrors(all, i), &noCounter)
		}
		slots[i] = withController(e, sys.Slots[i].BMCErrors)
	}
	var logged []UnplacedErrors
	if len(all) == 0 {
		logged = joinLogged(sys, slots)
	}
	stray, unplaced := unplacedOfController(sys, slots, append(unplacedErrors(sys, places, all, likely), logged...))
	for i := range slots {
		if sys.Slots[i].State == inventory.SlotPopulated && len(unplaced) > 0 {
			slots[i] = unlessController(slots[i], sys.Slots[i].BMCErrors, unplaced)
		}
	}
	return slots, joinEvents(sys, slots, stray)
}

func (c *counter) printedLabel() string {
	return cmp.Or(strings.TrimSpace(c.dimm.Label.Or("")), strings.TrimSpace(c.dimm.Location.Or("")), fmt.Sprintf("mc%d", c.ctl.Index))
}

func (c *counter) errorCounts(by string) Errors {
	return Errors{Corrected: c.dimm.Corrected, Uncorrected: c.dimm.Uncorrected, CountedSeconds: c.ctl.CountedSeconds, By: by}
}

// Several counters with one label are a DIMM's ranks; unless their sizes add up to its, the labels are of another board.
func joinByLabel(sys *inventory.System, all []counter) {
	names := slotNames(sys)
	found := map[int][]*counter{}
	for i := range all {
		label := plainLabel(all[i].dimm.Label.Or(""))
		slot, ok := names[label]
		if !ok {
			slot, ok = names[memoryWord().ReplaceAllString(label, "")]
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

// memoryWord matches the memory type that boards print before a slot's name: DDR4_D1.
var memoryWord = lazy.Pattern(`^DDR[2-5]`)

// A name that two slots share has the index -1.
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
			add(bank+locator, i) // label used by ghes_edac (linux drivers/edac/ghes_edac.c)
		}
		// Only one of the label file and firmware may print "DIMM" first.
		if rest, ok := strings.CutPrefix(locator, "DIMM"); ok && rest != "" {
			add(rest, i)
		} else {
			add("DIMM"+locator, i)
		}
	}
	return names
}

// Label files, drivers and firmware differ in blanks, hyphens and underscores.
func plainLabel(label string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, label)
}

func sameBytes(s *inventory.Slot, list []*counter) bool {
	want, known := s.SizeBytes.Get()
	sum := int64(0)
	for _, c := range list {
		bytes, ok := c.dimm.SizeBytes.Get()
		if !ok {
			return true // an old capture without sizes: only the label is known
		}
		sum += bytes
	}
	return !known || sum == want
}

// modulePosition is the position of a DIMM in numbers common to EDAC and the slot map.
type modulePosition struct{ socket, channel, slot int }

// slotsByChannel is nil if the slot map is contradicted. Every DIMM of the driver must be one in firmware's list, with the same size, and
// vice versa.
func slotsByChannel(sys *inventory.System, p *platform.Platform, places []Placement, all []counter) []int {
	if p == nil {
		return nil
	}
	at := map[modulePosition]int{}
	for i := range sys.Slots {
		if !sys.Slots[i].HoldsDRAM() {
			continue
		}
		pl := &places[i]
		seat := modulePosition{pl.Socket, pl.Channel, pl.Slot}
		if _, taken := at[seat]; taken || pl.Doubt != "" {
			return nil
		}
		at[seat] = i
	}
	slots, order := make([]int, len(all)), edacOrder(&sys.Machine, p)
	for i := range all {
		seat, ok := driverPosition(p, all[i].dimm.Label.Or(""))
		if order != nil && len(order.Channels) > 0 {
			seat, ok = i7corePosition(order.Channels, all[i].dimm.Label.Or(""))
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

func edacOrder(m *inventory.Machine, p *platform.Platform) *platform.EDACOrder {
	product := m.Product.Or("") + " " + m.Board.Or("")
	id := identifyMachine(m)
	for i := range p.EDACOrder {
		if o := &p.EDACOrder[i]; id.isVendor([]string{o.Maker}) && o.Covers(product) {
			return o
		}
	}
	return nil
}

// The board's label file maps the driver's channels to those of the slot map.
func i7corePosition(channels []int, label string) (modulePosition, bool) {
	c, pattern := matchEDAC(label, []string{i7coreLabel})
	socket, _ := c.fieldValue(fieldCPU)
	channel, _ := c.fieldValue(fieldChannel)
	slot, _ := c.fieldValue(fieldSlot)
	if pattern == "" || channel >= len(channels) {
		return modulePosition{}, false
	}
	return modulePosition{socket, channels[channel], slot}, true
}

// With two home agents per CPU only the first is matched: no label file shows how channels are spread over both.
func driverPosition(p *platform.Platform, label string) (modulePosition, bool) {
	c, pattern := matchEDAC(label, edacPatterns[:2])
	socket, _ := c.fieldValue(fieldCPU)
	controller, _ := c.fieldValue(fieldController)
	channel, _ := c.fieldValue(fieldChannel)
	slot, _ := c.fieldValue(fieldSlot)
	each := p.ChannelsPerSocket
	if n := max(p.Controllers, 1); strings.Contains(pattern, "_MC#") && each%n == 0 {
		each /= n
	}
	if pattern == "" || channel >= each || (controller+1)*each > p.ChannelsPerSocket {
		return modulePosition{}, false
	}
	return modulePosition{socket, controller*each + channel, slot}, true
}

func slotErrors(all []counter, slot int) *Errors {
	var out Errors
	var ctl *inventory.Controller
	for i := range all {
		switch c := &all[i]; {
		case c.slot != slot:
		case ctl == nil:
			out, ctl = c.errorCounts(c.by), c.ctl
		default:
			out.Corrected, out.Uncorrected = sumOfErrors(out.Corrected, c.dimm.Corrected), sumOfErrors(out.Uncorrected, c.dimm.Uncorrected)
		}
	}
	if ctl == nil {
		return nil
	}
	noInfo := errorsOfNoModule(ctl, corrected)
	out.Corrected = unlessElsewhere(out.Corrected, noInfo, noInfo.Value)
	out.Uncorrected = unlessElsewhere(out.Uncorrected, errorsOfNoModule(ctl, uncorrected), 0)
	return &out
}

// withController uses the BMC's counts if they exceed the kernel's, or if the kernel has none.
func withController(e *Errors, c *inventory.ControllerErrors) *Errors {
	if c == nil || !moreErrors(&c.Corrected, &e.Corrected) && !moreErrors(&c.Uncorrected, &e.Uncorrected) {
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

func moreErrors(a, b *fact.Fact[int64]) bool { return a.Known() && (!b.Known() || a.Value > b.Value) }

// sinceReset is unknown: the BMC does not report how long it counted.
func sinceReset(c *inventory.ControllerErrors) fact.Fact[int64] {
	return fact.Unknown[int64](fact.Unstated, "the BMC does not say since when it counts",
		"the machine's last reset in the controller's own log", c.Corrected.From)
}

// The BMC may count errors on a DIMM without a known slot, and none on this one. They may be this DIMM's errors, hidden from
// the kernel by firmware-first error handling.
func unlessController(e *Errors, own *inventory.ControllerErrors, unplaced []UnplacedErrors) *Errors {
	if own == nil {
		own = &inventory.ControllerErrors{}
	}
	out := *e
	for _, u := range unplaced {
		if !own.Corrected.Known() {
			out.Corrected = unlessHidden(out.Corrected, u.Corrected, u.Label)
		}
		if !own.Uncorrected.Known() {
			out.Uncorrected = unlessHidden(out.Uncorrected, u.Uncorrected, u.Label)
		}
	}
	return &out
}

func unlessHidden(f, counted fact.Fact[int64], label string) fact.Fact[int64] {
	if f.Or(1) != 0 || counted.Or(0) == 0 {
		return f
	}
	return fact.Unknown[int64](fact.Conflicting, fmt.Sprintf("the BMC counted errors on %s, which may be this module, and the kernel none", label),
		"the BMC's own log", f.From, counted.From)
}

// Errors of a controller that name no DIMM, or whose count cannot be read, may be this DIMM's.
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
		return fact.UnknownFrom[int64](noInfo)
	default: // a driver without the file assigns every error to a DIMM
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

// withoutCounter are zero if every counter of a kind is zero and the driver covers all of the machine's memory.
func withoutCounter(sys *inventory.System, all []counter) Errors {
	if len(all) == 0 {
		why := unknownErrorCount(sys)
		return Errors{Corrected: why, Uncorrected: why, CountedSeconds: why}
	}
	complete := coversAllMemory(sys, all)
	out := Errors{Corrected: anyCounter(all, complete, corrected), Uncorrected: anyCounter(all, complete, uncorrected)}
	if !out.Corrected.Known() && !out.Uncorrected.Known() {
		out.CountedSeconds = out.Corrected
		return out
	}
	out.CountedSeconds, out.By = all[0].ctl.CountedSeconds, ByZero
	return out
}

// anyCounter returns the count for a DIMM whose counter may be any of all. complete is true if they cover all of the memory.
func anyCounter(all []counter, complete bool, of kindOf) fact.Fact[int64] {
	most := largestCount(all, of)
	switch {
	case !most.Known() || most.Value == 0 && complete:
		return most
	case most.Value == 0:
		return fact.Unknown[int64](fact.Absent, "every counter of the driver is zero, but its modules do not come to the memory that firmware lists",
			"the BMC's own log", most.From)
	}
	reason, knownBy := "nothing says which of the driver's counters is this slot's", fact.Input("label files of the board, registered by rasdaemon or edac-ctl")
	top := slices.MaxFunc(all, func(a, b counter) int {
		return cmp.Compare(of.moduleErrors(a.dimm).Or(0), of.moduleErrors(b.dimm).Or(0))
	})
	if top.hasRegisteredLabel() {
		reason, knownBy = "the counters are labelled, but not as firmware names the slots", fact.Input("the board's manual, which says where "+top.printedLabel()+" is")
	}
	return fact.Unknown[int64](fact.Absent, reason+"; errors were counted on "+top.printedLabel(), knownBy, most.From)
}

// kindOf selects one of two counts, those of corrected and of uncorrected errors.
type kindOf func(corrected, uncorrected fact.Fact[int64]) fact.Fact[int64]

func corrected(n, _ fact.Fact[int64]) fact.Fact[int64]   { return n }
func uncorrected(_, n fact.Fact[int64]) fact.Fact[int64] { return n }

func (of kindOf) moduleErrors(d *inventory.ControllerDIMM) fact.Fact[int64] {
	return of(d.Corrected, d.Uncorrected)
}

// errorsOfNoModule is the controller's own counter of them, or its total less those of its DIMMs.
func errorsOfNoModule(ctl *inventory.Controller, of kindOf) fact.Fact[int64] {
	noInfo, total := of(ctl.CorrectedNoInfo, ctl.UncorrectedNoInfo), of(ctl.Corrected, ctl.Uncorrected)
	if !total.Known() {
		return noInfo
	}
	rest := total
	for i := range ctl.DIMMs {
		rest.Value -= of.moduleErrors(&ctl.DIMMs[i]).Or(0)
	}
	if rest.Value > noInfo.Or(0) {
		return rest
	}
	return noInfo
}

func largestCount(all []counter, of kindOf) fact.Fact[int64] {
	out := of.moduleErrors(all[0].dimm)
	for i := range all {
		for _, f := range []fact.Fact[int64]{of.moduleErrors(all[i].dimm), errorsOfNoModule(all[i].ctl, of)} {
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

func coversAllMemory(sys *inventory.System, all []counter) bool {
	want := int64(0)
	for _, i := range populatedDRAM(sys) {
		bytes, known := sys.Slots[i].SizeBytes.Get()
		if !known {
			return false
		}
		want += bytes
	}
	have := int64(0)
	for i := range all {
		have += all[i].dimm.SizeBytes.Or(0)
	}
	return have == want
}

func unknownErrorCount(sys *inventory.System) fact.Fact[int64] {
	const knownBy = "the EDAC driver of the platform, or the BMC's own log"
	for _, s := range sys.Sources {
		if s.Name != inventory.SourceEDAC {
			continue
		}
		switch s.State {
		case fact.SourceDenied:
			return fact.Unknown[int64](fact.Denied, "the kernel's counters of memory errors may not be read", "run as root")
		case fact.SourceRefused:
			return fact.Unknown[int64](fact.Refused, "the kernel's counters of memory errors could not be read: "+string(s.Detail), "")
		case fact.SourceTruncated:
			return fact.Unknown[int64](fact.Truncated, "the kernel's counters of memory errors are cut short: "+string(s.Detail), "")
		case fact.SourceMalformed:
			return fact.Unknown[int64](fact.Malformed, "the kernel's counters of memory errors make no sense: "+string(s.Detail), "")
		case fact.SourceOK, fact.SourcePartial, fact.SourceAbsent:
		}
		return fact.Unknown[int64](fact.Absent, "no EDAC driver counts memory errors", knownBy)
	}
	return fact.Unknown[int64](fact.Unread, "the input has no kernel that counts memory errors", "an audit of the running machine")
}

// UnplacedErrors are counters without a known slot, under the driver's own label.
type UnplacedErrors struct {
	Label string `json:"label"`
	// Place is the driver's position of the counters with errors: controller, channel, slot or row; "" for
	// errors that the driver assigned to no DIMM.
	Place string `json:"-"`
	// Slots are the candidate slots, as indices in System.Slots; empty if unknown. Likely is true if it is one
	// of them by controller, channel, slot and size of all DIMMs, although no label file confirms the board's
	// numbering.
	Slots  []int `json:"-"`
	Likely bool  `json:"-"`
	Errors
}

// HasCounts reports whether errors were counted.
func (s *UnplacedErrors) HasCounts() bool { return s.Corrected.Or(0) > 0 || s.Uncorrected.Or(0) > 0 }

// Counters with one label are the ranks of one DIMM.
func unplacedErrors(sys *inventory.System, places []Placement, all []counter, likely []int) []UnplacedErrors {
	var out []UnplacedErrors
	at := map[string]int{}
	for i := range all {
		c := &all[i]
		if c.slot >= 0 {
			continue
		}
		label := c.printedLabel()
		n, seen := at[label]
		if !seen {
			n = len(out)
			at[label] = n
			out = append(out, UnplacedErrors{Label: label, Errors: c.errorCounts("")})
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
		s := UnplacedErrors{Label: fmt.Sprintf("mc%d, DIMM unknown", ctl.Index), Slots: populatedDRAM(sys),
			Errors: Errors{Corrected: errorsOfNoModule(ctl, corrected), Uncorrected: errorsOfNoModule(ctl, uncorrected), CountedSeconds: ctl.CountedSeconds}}
		if s.HasCounts() {
			out = append(out, s)
		}
	}
	return out
}

// The rest of the BMC's total that neither slots nor counters explain is added, too. A DIMM that the kernel's driver labels as
// the BMC does is the same DIMM. All labels differ.
func unplacedOfController(sys *inventory.System, slots []*Errors, stray []UnplacedErrors) (all, byController []UnplacedErrors) {
	kernels := len(stray)
	for i := range sys.BMCModules {
		m := &sys.BMCModules[i]
		n := slices.IndexFunc(stray, func(s UnplacedErrors) bool { return plainLabel(s.Label) == plainLabel(m.Label) })
		e := ofController(&m.Errors)
		switch {
		case n >= kernels: // two DIMMs with one name
			stray[n].Corrected, stray[n].Uncorrected = sumOfKnown(stray[n].Corrected, e.Corrected), sumOfKnown(stray[n].Uncorrected, e.Uncorrected)
		case n >= 0:
			stray[n].Errors = *withController(&stray[n].Errors, &m.Errors)
		case e.Corrected.Or(0)+e.Uncorrected.Or(0) > 0:
			stray = append(stray, UnplacedErrors{Label: m.Label, Place: "counted by the BMC; no slot is known for it", Errors: e})
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
		if s := (UnplacedErrors{Label: "memory as a whole", Place: "counted by the BMC, DIMM unknown", Errors: rest}); s.HasCounts() {
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

// sumOfKnown adds two counts and ignores an unknown one: counted errors remain errors.
func sumOfKnown(a, b fact.Fact[int64]) fact.Fact[int64] {
	if a.Known() && b.Known() {
		return sumOfErrors(a, b)
	}
	return fact.First(b, a)
}

func ofController(c *inventory.ControllerErrors) Errors {
	return Errors{Corrected: c.Corrected, Uncorrected: c.Uncorrected, CountedSeconds: sinceReset(c), By: ByController}
}

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

func candidateSlots(sys *inventory.System, places []Placement, c *counter, i int, likely []int) ([]int, bool) {
	if likely != nil {
		return []int{likely[i]}, true
	}
	if c.hasRegisteredLabel() {
		return nil, false // the label names the DIMM, but not by firmware's slot names
	}
	fields, _ := matchEDAC(c.dimm.Label.Or(""), edacPatterns[:])
	processor, named := fields.fieldValue(fieldCPU)
	// The ranks of a DIMM are identified by their row.
	rank := strings.Contains(c.dimm.Location.Or("")+c.dimm.Label.Or(""), "csrow")
	return slices.DeleteFunc(populatedDRAM(sys), func(slot int) bool {
		s := places[slot].Socket
		return named && s != Unplaced && s != processor || !rank && !sameBytes(&sys.Slots[slot], []*counter{c})
	}), false
}

// An administrator's label file or firmware set it then. The drivers' own labels are positions.
func (c *counter) hasRegisteredLabel() bool {
	label := strings.TrimSpace(c.dimm.Label.Or(""))
	if label == "" || strings.HasPrefix(label, "unknown") || strings.HasPrefix(label, "memory ") {
		return false
	}
	_, pattern := matchEDAC(label, edacPatterns[:])
	return pattern == ""
}
