package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/redfish"
)

func (c *collector) bmcIdentity() redfish.Identity {
	m := &c.sys.Machine
	id := m.Identifiers
	who := redfish.Identity{Serial: string(id.SystemSerial), Parts: []string{string(id.BoardSerial), string(id.ChassisSerial)}, UUID: string(id.SystemUUID)}
	for _, name := range []fact.Fact[string]{m.Product, m.Board, m.ProductVersion} {
		if name.Known() {
			who.Products = append(who.Products, name.Value)
		}
	}
	return who
}

// addBMCAnswer adds the BMC's answer: its state as a source, and its memory modules as a second source
// besides SMBIOS. It returns the BMC's BIOS settings as an export.
func (c *collector) addBMCAnswer(a *redfish.Answer, decode func(*redfish.BIOS) (*bios.Export, error)) []Export {
	exports := controllerExport(a, decode)
	before := len(c.sys.Conflicts)
	detail := a.Detail()
	if len(exports) > 0 {
		detail += fmt.Sprintf("; %d BIOS attributes", len(exports[0].Export.Attributes))
	}
	if text := c.matchBMCModules(a); text != "" {
		detail += "; " + text
	}
	c.sys.Events = memoryEvents(a)
	if n := len(c.sys.Conflicts) - before; n > 0 {
		first := c.sys.Conflicts[before]
		detail += fmt.Sprintf("; differs from SMBIOS in %d things, the first: %s is %s, SMBIOS says %s", n, first.Fact, first.Dropped.Raw, first.Kept.Raw)
	}
	if a.LogProblem != nil {
		detail += "; " + a.LogProblem.Error()
	}
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: inventory.SourceRedfish, State: a.State(), Detail: nullable.String(detail)})
	return exports
}

// memoryEvents are unknown if none was read, or if they may be another machine's.
func memoryEvents(a *redfish.Answer) fact.Fact[[]inventory.MemoryEvent] {
	at := fact.Evidence{Source: inventory.SourceRedfish, Field: "LogServices"}
	switch {
	case a.LogProblem != nil && !a.LogRead:
		return fact.Unknown[[]inventory.MemoryEvent](fact.Unread, a.LogProblem.Error(), fact.Input(a.LogProblem.Hint), at)
	case !a.LogRead || a.Doubt != "":
		return fact.Unknown[[]inventory.MemoryEvent](fact.Unread, "the BMC's event log was not read", "", at)
	}
	return fact.Known(memoryEventsOf(a.Events), fact.Direct, at)
}

func memoryEventsOf(events []redfish.Event) []inventory.MemoryEvent {
	out := make([]inventory.MemoryEvent, 0, len(events))
	for _, e := range events {
		when := inventory.Undated
		switch {
		case e.Resolved:
			when = inventory.Resolved
		case e.Open || e.AfterReset != nil && *e.AfterReset >= 0:
			when = inventory.Current
		case e.AfterReset != nil:
			when = inventory.Earlier
		}
		out = append(out, inventory.MemoryEvent{LogEntry: inventory.LogEntry{Time: nullable.String(e.Time), ID: nullable.String(e.ID), Says: e.Says, When: when}, Place: e.Place, AfterReset: e.AfterReset})
	}
	return out
}

// addEventLogs adds the entries of saved logs to those that the BMC returned. An entry that is there already is not added: the
// BMC knows whether it is of the present run.
func (c *collector) addEventLogs(logs []EventLog) {
	for _, l := range logs {
		if l.Log == nil {
			c.sys.Sources = append(c.sys.Sources, l.Failed.failedSource(inventory.SourceEventLog))
			continue
		}
		events, have := slices.Clone(c.sys.Events.Value), map[inventory.MemoryEvent]bool{}
		same := func(e inventory.MemoryEvent) inventory.MemoryEvent {
			e.When, e.AfterReset = "", nil
			return e
		}
		for _, e := range events {
			have[same(e)] = true
		}
		for _, e := range memoryEventsOf(l.Log.Events) {
			if !have[same(e)] {
				events = append(events, e)
			}
		}
		slices.SortStableFunc(events, func(a, b inventory.MemoryEvent) int { return cmp.Compare(a.Time, b.Time) })
		c.sys.Events = fact.Known(events, fact.Direct, fact.Evidence{Source: inventory.SourceEventLog, Path: l.Path})
		state, detail := fact.SourceOK, fmt.Sprintf("%s: %d entries, %d about memory", l.Path, l.Log.Entries, len(l.Log.Events))
		if l.Log.Partial != "" {
			state, detail = fact.SourcePartial, detail+"; "+l.Log.Partial
		}
		c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: inventory.SourceEventLog, State: state, Detail: nullable.String(detail)})
	}
}

func controllerExport(a *redfish.Answer, decode func(*redfish.BIOS) (*bios.Export, error)) []Export {
	if a.BIOS == nil {
		return nil
	}
	if decode == nil {
		decode = func(b *redfish.BIOS) (*bios.Export, error) {
			return bios.DecodeRedfish(b.Path, b.Resource, b.Settings, b.Registry)
		}
	}
	e, err := decode(a.BIOS)
	if err != nil {
		a.Problems = append(a.Problems, redfish.Problem{State: fact.SourceMalformed, Op: "GET " + a.BIOS.Path, Text: err.Error()})
		a.BIOS = nil
		return nil
	}
	e.ReadsPending = e.ReadsPending || a.BIOS.JobWaits
	return []Export{{Source: inventory.SourceRedfish, Path: a.BIOS.Path, Doubt: a.Doubt, Export: e}}
}

// matchBMCModules matches the BMC's modules with the slots of SMBIOS and returns a words for the source's
// detail. Modules of a BMC that may be another machine's are used only if they match completely.
func (c *collector) matchBMCModules(a *redfish.Answer) string {
	dimms := a.DIMMs
	if len(dimms) == 0 {
		if a.Doubt == "" {
			c.sys.BMCTotal = countedErrors(a.Counts)
		}
		return ""
	}
	pairs := matchModules(c.sys.Slots, dimms)
	if a.Doubt != "" && !c.sameModules(dimms, pairs) {
		return "its modules are not those of this machine and were left out"
	}
	c.sys.BMCTotal = countedErrors(a.Counts)
	named := c.hasPartNumbers()
	installed, found := 0, 0
	for i := range dimms {
		d := &dimms[i]
		if d.Installed {
			installed++
		}
		if slot, ok := pairs[i]; ok {
			if d.Installed {
				found++
			}
			c.addBMCModule(&c.sys.Slots[slot], d, named)
			if c.sys.Slots[slot].State == inventory.SlotPopulated {
				continue
			}
		}
		if e := countedErrors(d.Counts); e != nil && d.Installed {
			label := cmp.Or(cmp.Or(d.Labels[:]...), "a module without a name")
			c.sys.BMCModules = append(c.sys.BMCModules, inventory.ControllerModule{Label: label, Errors: *e})
		}
	}
	text := fmt.Sprintf("%d modules", installed)
	if found < installed {
		text += fmt.Sprintf(", of which %d could not be matched to SMBIOS slots by name", installed-found)
	}
	return text
}

func (c *collector) sameModules(dimms []redfish.DIMM, pairs map[int]int) bool {
	installed := 0
	for i := range dimms {
		if !dimms[i].Installed {
			continue
		}
		if slot, ok := pairs[i]; !ok || c.sys.Slots[slot].SizeBytes.Or(0) != dimms[i].SizeBytes {
			return false
		}
		installed++
	}
	for i := range c.sys.Slots {
		if c.sys.Slots[i].State == inventory.SlotPopulated {
			installed--
		}
	}
	return installed == 0
}

// matchModules maps the index of each module to the index of its slot. It uses the kind of label
// that matches the most slots and none twice. Names are compared without words such as DIMM; a name
// that two slots share is not used.
func matchModules(slots []inventory.Slot, dimms []redfish.DIMM) map[int]int {
	byName := map[string]int{}
	for i := range slots {
		name := comparablePlace(slots[i].Locator.Or(""))
		if _, twice := byName[name]; twice {
			byName[name] = -1
			continue
		}
		byName[name] = i
	}
	delete(byName, "")
	var best map[int]int
	for kind := range len(redfish.DIMM{}.Labels) {
		if found := matchByLabel(byName, dimms, kind); len(found) > len(best) {
			best = found
		}
	}
	return best
}

// matchByLabel matches modules by one kind of label. It returns nil if two modules match the same slot.
func matchByLabel(byName map[string]int, dimms []redfish.DIMM, kind int) map[int]int {
	found, taken := map[int]int{}, map[int]bool{}
	for i := range dimms {
		label := dimms[i].Labels[kind]
		// A bare number counts the controller's resources, not the slots.
		slot, ok := byName[comparablePlace(label)]
		if !ok || slot < 0 || strings.Trim(label, "0123456789") == "" {
			continue
		}
		if taken[slot] {
			return nil
		}
		found[i], taken[slot] = slot, true
	}
	return found
}

// comparablePlace normalizes a slot's name, so that the names of two sources can be compared:
// "DIMM_A1", "DIMM.Socket.A1" and "A1" become equal, and so do "PROC 1 DIMM 2" and "PROC 1 2".
func comparablePlace(label string) string {
	words := strings.FieldsFunc(strings.ToUpper(label), func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	for i, w := range words {
		words[i] = strings.TrimPrefix(w, "DIMM")
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "SOCKET" }), " ")
}

// addBMCModule adds the BMC's data of one module to its slot. If named is set, SMBIOS states part numbers
// of some modules; a missing one is then not filled in, because the two sources may spell the same
// part number differently.
func (c *collector) addBMCModule(s *inventory.Slot, d *redfish.DIMM, named bool) {
	j := moduleMatch{c, s, d}
	if at := d.Location; at != nil {
		s.BMC = &inventory.Location{Processor: at.Socket, Controller: at.Controller, Channel: at.Channel, Index: at.Slot,
			Evidence: j.evidenceFor("MemoryLocation", fmt.Sprintf("Socket %d, Channel %d", at.Socket, at.Channel))}
	}
	populated := s.State == inventory.SlotPopulated
	if d.Known && s.State != inventory.SlotUnknown && d.Installed != populated {
		presence := map[bool]string{true: "a module", false: "no module"}
		c.recordConflict(j.nameWithSlot("presence"), fact.Evidence{Source: inventory.SourceSMBIOS, Path: inventory.TablePath, Field: "type 17 " + inventory.Handle(s.Handle).String() + " Size", Raw: presence[populated]},
			j.evidenceFor("Status.State", presence[d.Installed]), "SMBIOS lists what the firmware uses")
		return
	}
	if !d.Installed {
		return
	}
	s.Health = j.moduleHealth()
	s.BMCErrors = countedErrors(d.Counts)
	mergeValue(j, "size", "CapacityMiB", &s.SizeBytes, d.SizeBytes, equalValues)
	rounded := func(a, b int) bool { return ddr.SameSpeed(a, b) || ddr.SameSpeed(a, 2*b) } // 2666, 2667; or b is the clock in MHz
	mergeValue(j, "speed", "OperatingSpeedMhz", &s.ConfiguredMTs, j.operatingSpeed(), rounded)
	mergeValue(j, "ranks", "RankCount", &s.Ranks, d.Ranks, equalValues)
	if s.PartNumber.Known() || !named {
		mergeValue(j, "part number", "PartNumber", &s.PartNumber, d.PartNumber, samePart)
	}
}

type moduleMatch struct {
	c *collector
	s *inventory.Slot
	d *redfish.DIMM
}

func (j moduleMatch) nameWithSlot(thing string) string {
	return thing + " of " + j.s.Subject().String()
}

func (j moduleMatch) evidenceFor(field, raw string) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceRedfish, Path: j.d.Path, Field: field, Raw: raw}
}

// moduleHealth returns the module's health if it is a value of the schema (DSP2046 Resource.Health).
func (j moduleMatch) moduleHealth() fact.Fact[inventory.Health] {
	raw := j.d.Health
	if j.d.Condition != "" && j.d.Condition != "Enabled" {
		raw += ", State " + j.d.Condition
	}
	at := j.evidenceFor("Status.Health", raw)
	switch word := inventory.Health(j.d.Health); {
	case slices.Contains(word.Values(), word):
		return fact.Known(word, fact.Direct, at)
	case word == "":
		return fact.Unknown[inventory.Health](fact.Unstated, "the BMC does not state a module's health", "", at)
	default:
		return fact.Unknown[inventory.Health](fact.Malformed, "the BMC states a health that Redfish does not know", "", at)
	}
}

func countedErrors(counts *redfish.Counts) *inventory.ControllerErrors {
	if counts == nil {
		return nil
	}
	at := func(field, raw string) fact.Evidence {
		return fact.Evidence{Source: inventory.SourceRedfish, Path: counts.Path, Field: field, Raw: raw}
	}
	count := func(n *int64, field string) fact.Fact[int64] {
		if n == nil {
			return fact.Unknown[int64](fact.Unstated, "the BMC does not count these errors", "", at(field, ""))
		}
		return fact.Known(*n, fact.Direct, at(field, strconv.FormatInt(*n, 10)))
	}
	out := &inventory.ControllerErrors{Corrected: count(counts.Corrected, "CurrentPeriod.CorrectableECCErrorCount"),
		Uncorrected: count(counts.Uncorrected, "CurrentPeriod.UncorrectableECCErrorCount")}
	if counts.Alarms != nil {
		names := strings.Join(counts.Alarms, ", ")
		out.Alarms = fact.Known(names, fact.Direct, at("HealthData.AlarmTrips", names))
	}
	return out
}

// operatingSpeed returns the BMC's operating speed in MT/s. If SMBIOS states none, a number that may be a clock in MHz is
// ignored (0).
func (j moduleMatch) operatingSpeed() int {
	v := j.d.SpeedMTs
	kind := j.s.Type.Or(j.d.Type)
	if _, clock := ddr.Clocks(kind, j.s.RatedMTs.Or(0), v); !j.s.ConfiguredMTs.Known() && (clock || ddr.Impossible(kind, v)) {
		return 0
	}
	return v
}

// mergeValue merges the BMC's value into a fact. Equal values corroborate each other. If they
// differ, SMBIOS is kept and a conflict is recorded. A value that SMBIOS does not state is filled in
// as an indirect fact.
func mergeValue[T comparable](j moduleMatch, thing, field string, into *fact.Fact[T], value T, alike func(a, b T) bool) {
	var zero T
	if value == zero {
		return
	}
	switch at := j.evidenceFor(field, fmt.Sprint(value)); {
	case !into.Known():
		*into = fact.Known(value, fact.Indirect, at, into.Evidence()...)
	case alike(into.Value, value):
		into.More = append(into.More[:len(into.More):len(into.More)], at)
		if into.Certainty == fact.Indirect {
			into.Certainty = fact.Corroborated
		}
	default:
		j.c.recordConflict(j.nameWithSlot(thing), into.From, at, "SMBIOS is made by the firmware that trained the memory")
	}
}

func equalValues[T comparable](a, b T) bool { return a == b }

// samePart compares two part numbers, one of which may be cut off or padded.
func samePart(a, b string) bool {
	a, b = strings.ToUpper(strings.TrimSpace(a)), strings.ToUpper(strings.TrimSpace(b))
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
