package text

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// printMemory prints the memory of the CPUs: a picture of the slots if a problem is about them, otherwise one line
// per kind of CPU.
func (p *Page) printMemory(r *report.Report) {
	inv := &r.Inventory
	switch {
	case r.Verdict.Status == report.StatusNotApplicable:
		return
	case len(inv.Slots) == 0:
		p.printItem("Slots", "none known: "+noSlots(inv))
		p.newline()
		return
	}
	b := NewBoard(r)
	atFault := slices.ContainsFunc(r.Problems, func(pr report.Problem) bool {
		return pr.IsAboveNote() && (strings.HasPrefix(pr.Rule, "memory.") || strings.HasPrefix(pr.Rule, "numa.node"))
	})
	if atFault && len(b.keys) > 0 || withoutProcessors(inv) {
		p.printPicture(b)
	} else {
		for _, g := range b.groupByBody(b.MemoryLines) {
			p.printProcessors(b, g.keys)
		}
	}
	p.printUnplaced(inv)
	if withoutProcessors(inv) {
		p.printItem("Labels", strings.Join(b.labels, "; "))
		p.printItem("Speed", moduleSpeeds(inv))
	}
	for _, doubt := range DescribeDoubts(r) {
		p.printLine(0, doubt)
	}
	p.separatePart()
}

// withoutProcessors reports whether the table describes no processor, as the output of dmidecode -t memory.
func withoutProcessors(inv *report.Inventory) bool {
	return !slices.ContainsFunc(inv.Sockets, func(s inventory.Socket) bool { return s.Brand.Known() || s.Designation.Known() })
}

// Board is the layout and the annotations of a machine's slots.
type Board struct {
	inv   *report.Inventory
	keys  []int
	cells map[int]map[int][]cell
	// misnamed are the sockets whose slots are labelled with another's name.
	misnamed map[int]string
	// labels are the first and the last label of each socket.
	labels []string
	// notes are the annotations of channels, by socket and channel.
	notes map[int]map[int][]remark
}

// remark is an annotation of a channel's row, about the slot of that label, "" for the whole channel.
type remark struct{ label, text string }

// cell is one slot in the picture.
type cell struct {
	handle, label, size string
	// wrong marks the DIMM to move, and the empty slot to fill.
	wrong bool
}

// NewBoard arranges the slots of a report's machine.
func NewBoard(r *report.Report) *Board {
	b := &Board{inv: &r.Inventory, misnamed: report.MisnamedSockets(&r.Inventory), cells: map[int]map[int][]cell{}, notes: map[int]map[int][]remark{}}
	placed := map[int][]*inventory.Slot{}
	for i := range b.inv.Slots {
		if s := &b.inv.Slots[i]; s.Channel != nil {
			key := report.SocketID(s.Socket)
			placed[key] = append(placed[key], s)
		}
	}
	labels := map[string]string{}
	for key, slots := range placed {
		b.keys = append(b.keys, key)
		_, names := wording.ShortNames(slots)
		for handle, name := range names {
			labels[handle.String()] = name
		}
	}
	slices.Sort(b.keys)
	marks, notes := findMarks(r, labels)
	for _, key := range b.keys {
		slots := placed[key]
		slices.SortStableFunc(slots, func(x, y *inventory.Slot) int {
			return cmp.Or(cmp.Compare(*x.Channel, *y.Channel), cmp.Compare(numberOrLast(x.Slot), numberOrLast(y.Slot)))
		})
		b.cells[key], b.notes[key] = map[int][]cell{}, map[int][]remark{}
		for _, s := range slots {
			c, handle := *s.Channel, s.Handle.String()
			b.cells[key][c] = append(b.cells[key][c], cell{handle, labels[handle], cellSize(s), marks[handle]})
			if note := notes[handle]; note != "" {
				b.notes[key][c] = append(b.notes[key][c], remark{labels[handle], note})
			}
		}
		b.labels = append(b.labels, b.processorName(key)+": "+slots[0].Name()+" to "+slots[len(slots)-1].Name())
		b.markEmptyChannels(r, key)
	}
	return b
}

// findMarks finds the slots that the first problem with steps is about, and what to do there.
func findMarks(r *report.Report, labels map[string]string) (marks map[string]bool, notes map[string]string) {
	marks, notes = map[string]bool{}, map[string]string{}
	for i := range r.Problems {
		pr := &r.Problems[i]
		if !pr.IsAboveNote() {
			break
		}
		for _, f := range pr.Members {
			if f.Subject.Kind == inventory.AboutSlot {
				handle := f.Subject.Handle.String()
				marks[handle], notes[handle] = true, "problem "+strconv.Itoa(i+1)
			}
		}
		if pr.Shown < 0 || r.Advice[pr.Shown].ID == plan.Settings {
			continue
		}
		for _, s := range r.Advice[pr.Shown].Steps {
			from := s.From
			switch s.Do {
			case "move":
				marks[from], notes[from] = true, "move to "+cmp.Or(labels[s.To], s.ToLocator)
			case "swap":
				marks[from], notes[from] = true, "swap with "+cmp.Or(labels[s.To], s.ToLocator)
				marks[s.To] = true
			case "remove":
				marks[from], notes[from] = true, "take out"
			case "exchange":
				marks[s.At], notes[s.At] = true, "replace"
			}
		}
		return marks, notes
	}
	return marks, notes
}

func (b *Board) markEmptyChannels(r *report.Report, key int) {
	subject := inventory.SocketSubject(key)
	if !slices.ContainsFunc(r.Problems, func(pr report.Problem) bool {
		return pr.IsAboveNote() && (pr.Rule == "memory.channel.populated" || pr.Rule == "memory.socket.populated") && slices.Contains(pr.Subjects, subject)
	}) {
		return
	}
	for channel, cells := range b.cells[key] {
		if slices.ContainsFunc(cells, func(c cell) bool { return c.size != "-" }) {
			continue
		}
		cells[0].wrong = true
		b.notes[key][channel] = append(b.notes[key][channel], remark{text: "empty"})
	}
}

func numberOrLast(n *int) int {
	if n == nil {
		return 1 << 20
	}
	return *n
}

// group is CPUs with the same memory.
type group struct {
	keys []int
	body string
}

func (b *Board) groupByBody(body func(key int) string) []group {
	var out []group
	for _, key := range b.keys {
		text := body(key)
		at := slices.IndexFunc(out, func(g group) bool { return g.body == text && key != report.NoSocket })
		if at < 0 {
			out = append(out, group{body: text})
			at = len(out) - 1
		}
		out[at].keys = append(out[at].keys, key)
	}
	return out
}

func (b *Board) processorName(key int) string {
	if key == report.NoSocket {
		return "memory"
	}
	name := b.inv.SocketName(key)
	if label := b.misnamed[key]; label != "" {
		name += " (slots " + label + ")"
	}
	return name
}

func (b *Board) processorNames(keys []int) []string { return humanize.Each(keys, b.processorName) }

func (p *Page) printProcessors(b *Board, keys []int) {
	body := b.MemoryLines(keys[0])
	if body == "" {
		return
	}
	p.wrapWords(0, strings.Join(b.processorNames(keys), ", "))
	if p.col+2 > bodyColumn {
		p.newline()
	}
	for line := range strings.SplitSeq(body, "\n") {
		p.printLine(bodyColumn, line)
	}
}

// MemoryLines describes the memory of a CPU in two lines, "" if nothing is known of it.
func (b *Board) MemoryLines(key int) string {
	pop := b.inv.PopulationOf(key)
	if pop == nil {
		return ""
	}
	speed, slow := b.runningSpeed(key)
	if speed != "" && !slow {
		speed += wording.InBrackets(limitWords[pop.Limiter])
	}
	out := humanize.Joined(", ", channelsText(pop), describeDepth(pop.DIMMsPerChannel), speed)
	if bandwidth, how := b.describeBandwidth(key); bandwidth != "" {
		if how == "" {
			bandwidth = bestText(pop, bandwidth)
		}
		out += "\n" + bandwidth + wording.InBrackets(how)
	}
	return out
}

var limitWords = map[population.Limiter]string{
	population.LimitDIMM:      "the DIMMs' limit",
	population.LimitProcessor: "the CPU's limit",
	population.LimitDPC:       "the limit with this many DIMMs per channel",
	population.LimitRanks:     "the limit with DIMMs of this rank",
	population.LimitVoltage:   "the limit at this voltage",
	population.LimitFirmware:  "firmware's limit",
}

func describeDepth(dpc []int) string {
	low, high := 0, 0
	for _, n := range dpc {
		if n > 0 && (low == 0 || n < low) {
			low = n
		}
		high = max(high, n)
	}
	switch {
	case high == 0:
		return ""
	case low != high:
		return strconv.Itoa(low) + " to " + strconv.Itoa(high) + " DIMMs each"
	default:
		return humanize.Plural(low, "DIMM") + " each"
	}
}

func channelsText(pop *report.PopulationSocket) string {
	switch {
	case !pop.ChannelsPopulated.Known():
		return "channels not known"
	case !pop.ChannelsTotal.Known():
		return humanize.Plural(pop.ChannelsPopulated.Value, "channel") + " in use"
	default:
		return strconv.Itoa(pop.ChannelsPopulated.Value) + " of " + strconv.Itoa(pop.ChannelsTotal.Value) + " channels"
	}
}

// runningSpeed returns the running speed of the memory, and the expected one if it differs; slow is set if that is higher.
func (b *Board) runningSpeed(key int) (text string, slow bool) {
	pop := b.inv.PopulationOf(key)
	if pop == nil || !pop.RunningMTs.Known() && !pop.ExpectedMTs.Known() {
		return "", false
	}
	running, expected := pop.RunningMTs.Value, pop.ExpectedMTs.Value
	switch {
	case !pop.RunningMTs.Known():
		return wording.PrintedRate(expected) + " MT/s expected", false
	case !pop.ExpectedMTs.Known() || ddr.SameSpeed(running, expected):
		return wording.PrintedRate(running) + " MT/s", false
	case running > expected:
		return wording.PrintedRate(running) + " MT/s, above " + wording.PrintedRate(expected), false
	default:
		return wording.PrintedRate(running) + " of " + wording.PrintedRate(expected) + " MT/s", true
	}
}

// fullShare is the share from which on the bandwidth counts as the best.
const fullShare = 0.995

// describeBandwidth returns the bandwidth of a CPU's memory with its best, and how it is known: "measured" or
// "estimate", "" if all channels are in use at the highest clock, or at an unknown one.
func (b *Board) describeBandwidth(key int) (text, how string) {
	pop := b.inv.PopulationOf(key)
	if pop == nil || !pop.PeakBytes.Known() {
		return "", ""
	}
	share, peak := &pop.Relative, humanize.Bandwidth(pop.PeakBytes.Value)
	sure := cmp.Or(share.Value, share.Low)
	full := sure != nil && *sure >= fullShare
	switch {
	case sure == nil:
		return peak, "peak of the channels in use"
	case !pop.BestBytes.Known() && full:
		return peak + ", all channels", ""
	case !pop.BestBytes.Known():
		return peak + ", " + strings.Replace(share.Percent(), " to ", "-", 1) + " by channels", "estimate"
	case full:
		return peak, ""
	}
	best := humanize.Bandwidth(pop.BestBytes.Value)
	part := func(v float64) string {
		return strconv.FormatFloat(v*float64(pop.BestBytes.Value)/1e9, 'f', 1, 64) + " of " + best
	}
	switch {
	case share.Value != nil:
		return part(*share.Value), "measured"
	case *share.High-*share.Low < 1-fullShare:
		return part(*share.Low), "estimate"
	case len(pop.Regions) == 0 && *share.High < fullShare:
		return "at most " + part(*share.High), "estimate"
	default:
		return strings.Replace(share.Percent(), " to ", "-", 1) + " of " + best, "estimate"
	}
}

// bestText describes a bandwidth that is the best by its share.
func bestText(pop *report.PopulationSocket, bandwidth string) string {
	const tolerance = 1.005
	switch peak := float64(pop.PeakBytes.Value); {
	case !pop.BestBytes.Known():
		return bandwidth + " (the CPU's highest speed is not known)"
	case peak > tolerance*float64(pop.BestBytes.Value):
		return bandwidth + " per CPU, above its rated " + humanize.Bandwidth(pop.BestBytes.Value)
	case tolerance*peak < float64(pop.BestBytes.Value):
		return bandwidth + " of " + humanize.Bandwidth(pop.BestBytes.Value) + ", and the memory buffers' links at full speed"
	default:
		return bandwidth + " per CPU, the best possible"
	}
}

func noSlots(inv *report.Inventory) string {
	if len(inv.Sources) == 0 {
		return "nothing was read"
	}
	return cmp.Or(inv.WithoutTable(), "the SMBIOS table lists no memory")
}

func (p *Page) printUnplaced(inv *report.Inventory) {
	var kinds humanize.Groups[string]
	var reasons []string
	empty := map[string]int{}
	for i := range inv.Slots {
		s := &inv.Slots[i]
		kind := unplacedKind(s)
		if s.Channel != nil || kind == kindOther {
			continue
		}
		if s.State == inventory.SlotEmpty {
			empty[kind]++
		}
		kinds.Add(kind, strings.ReplaceAll(strings.TrimSpace(cmp.Or(s.Unique, s.Locator.Text())+" "+cellSize(s)), " ", hardBlank))
		reasons = humanize.AddNew(reasons, string(s.Mapping.Reason))
	}
	if len(kinds.Names) == 0 {
		return
	}
	p.printLine(0, "Slots of which the channel is not known: "+strings.Join(reasons, "; "))
	for _, kind := range kinds.Names {
		cells := kinds.Of[kind]
		if same := slices.Compact(slices.Clone(cells)); len(same) == 1 && len(cells) > 1 {
			cells = []string{strconv.Itoa(len(cells)) + " x " + same[0]}
		} else if empty[kind] > mostEmpty {
			cells = slices.DeleteFunc(cells, func(cell string) bool { return strings.HasSuffix(cell, hardBlank+"-") })
			cells = append(cells, strconv.Itoa(empty[kind])+" empty slots")
		}
		p.printItem(kind, strings.Join(cells, ", "))
	}
}

// mostEmpty limits the empty slots that are listed with those of one CPU whose channel is not known.
const mostEmpty = 8

// moduleSpeeds returns how many DIMMs run at which speed and what they are rated at, for a table without processors.
func moduleSpeeds(inv *report.Inventory) string {
	var speeds humanize.Groups[string]
	for _, s := range inv.Slots {
		if s.State != inventory.SlotPopulated || s.Technology.Or("") != inventory.DRAM {
			continue
		}
		at, rated := "", ""
		if s.ConfiguredMTs.Known() {
			at = "at " + wording.PrintedRate(s.ConfiguredMTs.Value) + " MT/s"
		}
		if s.RatedMTs.Known() && (!s.ConfiguredMTs.Known() || !ddr.SameSpeed(s.RatedMTs.Value, s.ConfiguredMTs.Value)) {
			rated = "rated " + wording.PrintedRate(s.RatedMTs.Value) + " MT/s"
		}
		if speed := humanize.Joined(", ", at, rated); speed != "" {
			speeds.Add(speed, s.Name())
		}
	}
	return strings.Join(humanize.Each(speeds.Names, func(speed string) string { return humanize.Plural(len(speeds.Of[speed]), "DIMM") + " " + speed }), "; ")
}

const kindOther = "not system memory"

func unplacedKind(s *inventory.Slot) string {
	switch technology := s.Technology.Or(""); {
	case technology == inventory.Flash || technology == inventory.Other:
		return kindOther
	case slices.Contains(ownNames, technology):
		return strings.ToUpper(string(technology))
	}
	if s.Socket != nil {
		return "socket " + strconv.Itoa(*s.Socket)
	}
	return "CPU unknown"
}

// DescribeDoubts describes once what makes the slots' placements and the bandwidth uncertain.
func DescribeDoubts(r *report.Report) []string {
	var out, doubts []string
	unconfirmed := map[inventory.Subject]bool{}
	for _, s := range r.Inventory.Population.Sockets {
		unconfirmed[inventory.SocketSubject(report.SocketID(s.Socket))] = s.ChannelsPopulated.Known() && s.ChannelsPopulated.Unverified
		if s.Relative.Note != "" {
			out = humanize.AddNew(out, UpperFirst(s.Relative.Note)+".")
		}
	}
	for i := range r.Inventory.Slots {
		doubts = humanize.AddNew(doubts, string(r.Inventory.Slots[i].Mapping.Doubt))
	}
	switch {
	case len(doubts) > 0:
		out = append(out, "The channels of the slots are in doubt: "+doubts[0]+". Check the labels on the board before moving anything.")
	case slices.ContainsFunc(r.Findings, func(f verdict.Finding) bool {
		return f.Result == verdict.Fail && f.Rule == "memory.channel.populated" && unconfirmed[f.Subject]
	}):
		out = append(out, "No document confirms which slot is on which channel. Check the labels on the board before moving anything.")
	}
	return out
}
