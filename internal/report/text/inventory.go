package text

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// WriteInventory prints the collected inventory and its sources. '-' is an unknown value.
func WriteInventory(w io.Writer, inv *report.Inventory, o Options) error {
	p := NewPage(o)
	p.printMachine(inv)
	if o.Settings {
		p.newline()
		p.printSettings(inv.Settings, true)
		p.printUnread(inv.Sources)
		return p.Write(w)
	}
	id := &inv.Machine.Identifiers
	p.printField(0, "serial", string(id.SystemSerial))
	p.printField(0, "uuid", string(id.SystemUUID))
	p.printField(0, "board", string(id.BoardSerial))
	p.printField(0, "chassis", string(id.ChassisSerial))
	p.printField(0, "asset tag", string(id.AssetTag))
	p.newline()
	p.printSockets(inv.Sockets)
	p.printSlots(inv)
	p.printPopulation(&inv.Population)
	p.printNodes(inv.Nodes)
	p.printSettings(inv.Settings, false)
	p.printSources(inv.Sources)
	return p.Write(w)
}

func (p *Page) printSockets(sockets []inventory.Socket) {
	t := &textTable{columns: []column{
		{head: "id", right: true}, {head: "label"}, {head: "model"},
		{head: "cores", right: true}, {head: "enabled", right: true, drop: 2},
		{head: "threads", right: true, drop: 1}, {head: "max MT/s", right: true},
		{head: "family/model/stepping", drop: 3},
	}}
	for _, s := range sockets {
		model := strings.Join(strings.Fields(s.Brand.Text()), " ")
		if !s.Populated.Or(true) {
			model = "no processor"
		}
		t.appendRow(strconv.Itoa(s.ID), s.Designation.Text(), model, s.Cores.Text(), s.CoresEnabled.Text(),
			s.Threads.Text(), s.MaxMTs.Text(), joinWithSlashes(s.Family.Text(), s.Model.Text(), s.Stepping.Text()))
	}
	p.printCounted("SOCKETS", t)
}

func (p *Page) printCounted(head string, t *textTable) {
	if len(t.rows) == 0 {
		p.printSection(head, "none known")
	} else {
		p.printSection(head, strconv.Itoa(len(t.rows)))
		t.printRows(p, 2)
	}
	p.newline()
}

func (p *Page) printSlots(inv *report.Inventory) {
	if len(inv.Slots) == 0 {
		p.printSection("SLOTS", "none known: "+noSlots(inv))
		p.newline()
		return
	}
	t := &textTable{columns: []column{
		{head: "handle", drop: 4}, {head: "locator"}, {head: "bank", drop: 5}, {head: "s/c/n"},
		{head: "size", right: true}, {head: "type"}, {head: "ranks", right: true, drop: 1},
		{head: "rated", right: true}, {head: "runs", right: true}, {head: "mV", right: true, drop: 6}, {head: "health", drop: 1}, {head: "ce/ue", right: true, drop: 1},
		{head: "part number", drop: 3}, {head: "maker", drop: 7}, {head: "mapped by", drop: 8},
		{head: "serial", drop: 2}, {head: "asset tag", drop: 2},
	}}
	populated := 0
	for i := range inv.Slots {
		t.appendRow(slotCells(&inv.Slots[i])...)
		if inv.Slots[i].State == inventory.SlotPopulated {
			populated++
		}
	}
	p.printSection("SLOTS", strconv.Itoa(populated)+" of "+strconv.Itoa(len(inv.Slots))+" populated; s/c/n is socket/channel/slot, speeds are MT/s")
	t.printRows(p, 2)
	for i := range inv.UnplacedErrors {
		e := &inv.UnplacedErrors[i]
		p.padToColumn(2)
		p.wrapWords(4, wording.DescribeErrors(&e.Errors)+" on "+e.Label+"; nothing says which slot that is")
		p.newline()
	}
	p.newline()
}

func slotCells(s *inventory.Slot) []string {
	bytes := string(s.State)
	if s.State == inventory.SlotPopulated {
		bytes = fact.Convert(s.SizeBytes, humanize.Size).Text()
	}
	mapped := string(s.Mapping.Source)
	if c := s.Mapping.Certainty; c != nil && mapped != "" {
		mapped += " (" + c.String() + ")"
	}
	if s.Mapping.Doubt != "" {
		mapped += ", doubted"
	}
	return []string{
		s.Handle.String(), s.Locator.Text(), s.BankLocator.Text(), joinWithSlashes(nullable.Text(s.Socket, ""), nullable.Text(s.Channel, ""), nullable.Text(s.Slot, "")),
		bytes, slotType(s), s.Ranks.Text(), printedRate(s.RatedMTs), printedRate(s.ConfiguredMTs), s.ConfiguredMV.Text(), s.Health.Text(), errorsCell(s.Errors),
		s.PartNumber.Text(), s.Manufacturer.Text(), mapped, s.Serial, s.AssetTag,
	}
}

// printedRate returns a speed in MT/s by its usual name, "" if unknown.
func printedRate(mts fact.Fact[int]) string { return fact.Convert(mts, wording.PrintedRate).Text() }

// errorsCell returns corrected/uncorrected errors, "" if they are not counted.
func errorsCell(e *inventory.Errors) string {
	if e == nil || !e.Corrected.Known() && !e.Uncorrected.Known() {
		return ""
	}
	return wording.FormatCount(e.Corrected) + "/" + wording.FormatCount(e.Uncorrected)
}

// slotType returns the type as SMBIOS names it, with the technology if it is not DRAM.
func slotType(s *inventory.Slot) string {
	technology := s.Technology.Text()
	if technology == "" || technology == string(inventory.DRAM) || strings.EqualFold(technology, s.Type.Text()) {
		return s.Type.Text()
	}
	return strings.TrimSpace(s.Type.Text() + " " + technology)
}

func (p *Page) printPopulation(pop *report.Population) {
	if len(pop.Sockets) == 0 {
		return
	}
	head := "processors alike: not known"
	if pop.Symmetric != nil {
		head = "processors differ"
		if *pop.Symmetric {
			head = "all processors alike"
		}
	}
	p.printSection("POPULATION", head)
	t := &textTable{columns: []column{
		{head: "socket", right: true}, {head: "DIMMs", right: true}, {head: "channels"}, {head: "per channel"},
		{head: "class"}, {head: "expected", right: true}, {head: "limit", drop: 2}, {head: "peak", right: true},
		{head: "share", drop: 1}, {head: "regions", drop: 3},
	}}
	for i := range pop.Sockets {
		s := &pop.Sockets[i]
		t.appendRow(nullable.Text(s.Socket, "all"), s.DIMMs.Text(), cmp.Or(s.ChannelsPopulated.Text(), "?")+" of "+cmp.Or(s.ChannelsTotal.Text(), "?"),
			joinNumbers(s.DIMMsPerChannel), string(s.Class), s.ExpectedMTs.Text(), string(s.Limiter),
			fact.Convert(s.PeakBytes, humanize.Bandwidth[int64]).Text(), wording.BandwidthShare(&s.Relative), regionText(s.Regions))
	}
	t.printRows(p, 2)
	p.newline()
}

func (p *Page) printNodes(nodes []report.Node) {
	t := &textTable{columns: []column{
		{head: "node", right: true}, {head: "kind"}, {head: "socket", right: true},
		{head: "memory", right: true}, {head: "distances"}, {head: "cpus"},
	}}
	for _, n := range nodes {
		t.appendRow(strconv.Itoa(n.ID), string(n.Kind), nullable.Text(n.Socket, ""), fact.Convert(n.MemoryBytes, humanize.Size).Text(), joinNumbers(n.Distances), n.CPUs.Text())
	}
	p.printCounted("NODES", t)
}

func (p *Page) printSources(sources []inventory.Source) {
	if len(sources) == 0 {
		p.printSection("SOURCES", "none")
		return
	}
	p.printSection("SOURCES", strconv.Itoa(len(sources)))
	width := 0
	for i := range sources {
		width = max(width, printable.Columns(printable.Clean(sources[i].Name)))
	}
	for _, s := range sources {
		p.padToColumn(2)
		p.appendClean(s.Name)
		p.padToColumn(2 + width + tableGap)
		p.appendClean(string(s.State))
		if s.Detail != "" {
			hang := 2 + width + tableGap + len("malformed") + tableGap
			p.padToColumn(hang)
			p.wrapWords(hang, string(s.Detail))
		}
		p.newline()
	}
}

// printSettings prints the values of every setting with at least one known value, and the reasons for the others.
// With full each has its sources below it.
func (p *Page) printSettings(all map[string]report.Setting, full bool) {
	if len(all) == 0 {
		if full {
			p.printSection("SETTINGS", "none known")
		}
		return
	}
	t := &textTable{below: map[int][]string{}, columns: []column{
		{head: "setting"}, {head: "configured"}, {head: "pending", drop: 2, always: full}, {head: "effective"},
		{head: "decided by", drop: 1, always: full}, {head: "certainty", drop: 3},
	}}
	if !full {
		t.columns = append(t.columns, column{head: "evidence", drop: 4})
	}
	unknown := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		s := all[id]
		if !s.IsWorthShowing() {
			why := settingWhy(&s)
			unknown[why] = append(unknown[why], id)
			continue
		}
		lines := wording.SettingReadings(&s)
		configured := string(s.Configured.Value)
		if configured == "" && s.Configured.State == report.FaceAbsent {
			configured = "not offered"
		}
		cells := []string{id, configured, string(s.Pending.Value), string(s.Effective.Value), string(s.DecidedBy.Value), settingCertainty(&s)}
		if full {
			t.below[len(t.rows)] = lines
		} else {
			cells = append(cells, strings.Join(lines, "; "))
		}
		t.appendRow(cells...)
	}
	p.printSection("SETTINGS", strconv.Itoa(len(t.rows))+" of "+strconv.Itoa(len(all))+" known; '-' is not known")
	if len(t.rows) > 0 {
		t.printRows(p, 2)
	}
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		p.printLine(2, "not known: "+gluedList(unknown[why]))
		if why != "" {
			p.printLine(2+belowIndent, why)
		}
	}
	p.newline()
}

// settingWhy returns the reasons for a setting without a known value: for the effective and the configured one
// why it is unknown and what would show it, each text once.
func settingWhy(s *report.Setting) string {
	parts := []string{}
	for _, f := range []report.Face{s.Effective, s.Configured} {
		for _, text := range []nullable.String{f.Reason, f.KnownBy} {
			parts = humanize.AddNew(parts, string(text))
		}
	}
	return strings.Join(parts, "; ")
}

func settingCertainty(s *report.Setting) string {
	var known []fact.Certainty
	for _, f := range []report.Face{s.Configured, s.Pending, s.Effective} {
		if f.Value != "" {
			known = append(known, f.Certainty)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return slices.Min(known).String()
}

// joinWithSlashes joins numbers with '/', with '?' for an unknown one; "" if none is known.
func joinWithSlashes(numbers ...string) string {
	if strings.Join(numbers, "") == "" {
		return ""
	}
	for i := range numbers {
		numbers[i] = cmp.Or(numbers[i], "?")
	}
	return strings.Join(numbers, "/")
}

func joinNumbers(values []int) string {
	return strings.Trim(fmt.Sprint(values), "[]")
}

// regionText lists interleave regions: "8 GiB x2, 4 GiB x1".
func regionText(regions []population.Region) string {
	return strings.Join(humanize.Each(regions, func(r population.Region) string { return humanize.Size(r.Bytes) + " x" + strconv.Itoa(r.Ways) }), ", ")
}

// printMachine prints the lines that identify the machine. beside is printed after the platform.
func (p *Page) printMachine(inv *report.Inventory, beside ...string) {
	m := &inv.Machine
	pieces := []string{wording.MachineName(m)}
	pieces = append(pieces, wording.CountProcessors(inv.Sockets)...)
	pieces = append(pieces, wording.SumCapacities(inv)...)
	if s := wording.DescribeBIOS(&m.BIOS); s != "" {
		pieces = append(pieces, s)
	}
	p.printUnbroken(p.printLabel(0, "memaudit"), pieces)
	if m.Host.Known() {
		p.printUnbroken(p.printLabel(0, "host"), []string{m.Host.Value})
	}
	p.printUnbroken(p.printLabel(0, "platform"), append(wording.PlatformNames(m), beside...))
}
