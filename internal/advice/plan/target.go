package plan

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Target is one processor with its slots (or the chipset with all of them), for
// which capacities are planned; the other processors are populated alike.
type Target struct {
	// Platform is the one planned for, Sockets the number of processors.
	Platform *platform.Platform
	Sockets  int
	// Assumed lists the assumptions of a plan without a machine.
	Assumed string
	// board has empty slots, and the processor as its only unit; others are the machine's other processors.
	board  *board
	others []memoryUnit
	// labelled is set if the slots have labels that firmware does not contradict.
	labelled bool
	// doubted is the reason why it is not certain which label is on which channel, "" if it is.
	doubted string
	// open says of each group whether it is not ordered on the machine.
	open []bool
	// today is the bandwidth of the machine's processors.
	today []bandwidth
	// numbered are the labels of a machine's slots by printed number if their places are unknown: the vendor's own
	// table names them nevertheless.
	numbered map[int]string
	// sizes are those of the modules that can be had, the largest first; like is a module like those to buy.
	sizes []moduleSize
	like  inventory.Slot
	// owned counts the machine's modules by size, largest is the largest of them.
	owned   map[int64]int
	largest int64
	// stated is the capacity that firmware states as the highest, statedModule its share of a slot; 0 without, or if
	// what is installed exceeds it.
	stated, statedModule int64
	pipeline             Pipeline
}

// ForMachine makes a target of a machine that was read, or returns the reason why it cannot. If the places of its
// slots are unknown the plan names channels.
func ForMachine(sys *inventory.System, topo *population.Result, p Pipeline) (*Target, string) {
	pf, ok := topo.Platform.Get()
	if !ok {
		return nil, "the platform is not known: " + topo.Platform.Reason
	}
	t := &Target{Platform: pf, Sockets: max(len(topo.Populations), 1), pipeline: p, today: bandwidths(topo, nil)}
	memory := PlatformMemory(p.Rules, pf.ID)
	t.like = existingModule(mostCommon(sys), memory)
	if !t.like.SizeBytes.Known() {
		t.like = documentedModule(pf, memory)
	}
	t.sizes = sizesFor(p.Rules, pf.ID, t.like.Type.Or(""), sys)
	t.adoptMachine(sys)
	b, why := newBoard(sys, topo)
	if why == "" {
		t.fromBoard(b)
		return t, ""
	}
	if channelCount(pf) == 0 || pf.MaxDPC == 0 || len(sys.Sockets) == 0 {
		return nil, why
	}
	t.numbered = labelsByNumber(sys, topo)
	t.Assumed = why + ": channels and slots are those of the platform's document"
	socket := sys.Sockets[0]
	socket.ID, socket.Populated = 0, assumedFact(true)
	t.fromDocument(&population.Result{Platform: topo.Platform, Sets: topo.Sets, Processors: topo.Processors[:1]}, sys.Machine, socket)
	return t, ""
}

// ForPlatform makes a target of a platform's document alone, or returns the reason why it cannot: every channel with
// as many slots as the platform takes, and the fastest of its processors.
func ForPlatform(pf *platform.Platform, p Pipeline) (*Target, string) {
	memory := PlatformMemory(p.Rules, pf.ID)
	if pf.NoDIMMs || channelCount(pf) == 0 || pf.MaxDPC == 0 || memory == "" {
		return nil, "no document gives the channels, slots and kind of memory of " + pf.Name
	}
	own := *pf
	if len(own.LockstepBoards) > 0 { // the channels below are numbered as the document's own
		own.LockstepBoards = []platform.Board{{Product: ".", Verified: true}}
	}
	t := &Target{Platform: &own, Sockets: 1, pipeline: p, like: documentedModule(&own, memory), sizes: sizesFor(p.Rules, pf.ID, memory, &inventory.System{}),
		Assumed: "the fastest processors of the platform, as many slots on a channel as it takes, and registered modules that are as fast; boards may be slower"}
	if t.sizes[0].ranks == 0 {
		t.Assumed += "; modules of more than two ranks too"
	}
	known := assumedFact(&own)
	known.Unverified = !pf.Verified
	machine := inventory.Machine{Virtual: assumedFact(false), Product: assumedFact(pf.Name)}
	t.fromDocument(&population.Result{Platform: known, Processors: []*platform.Processor{{Name: pf.Name, MaxMTs: topSpeed(pf, "")}}}, machine,
		inventory.Socket{Populated: assumedFact(true)})
	return t, ""
}

func (t *Target) adoptMachine(sys *inventory.System) {
	t.owned = map[int64]int{}
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.HoldsDRAM() && s.SizeBytes.Known() {
			t.owned[s.SizeBytes.Value]++
			t.largest = max(t.largest, s.SizeBytes.Value)
		}
	}
	for _, a := range sys.Arrays {
		if !a.MaxBytes.Known() || a.Devices.Or(0) <= 0 {
			t.stated, t.statedModule = 0, 0
			return
		}
		t.stated += a.MaxBytes.Value
		t.statedModule = max(t.statedModule, a.MaxBytes.Value/int64(a.Devices.Value))
	}
	if installedBytes(sys) > t.stated || t.largest > t.statedModule {
		t.stated, t.statedModule = 0, 0
	}
}

func assumedFact[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

func channelCount(pf *platform.Platform) int {
	if pf.NUMA {
		return pf.ChannelsPerSocket
	}
	return pf.ChannelsPerSystem
}

// topSpeed is that in MT/s of a module alone on its channel, of any kind for ""; 0 without one.
func topSpeed(pf *platform.Platform, of string) int {
	top := 0
	for kind, row := range pf.Speeds {
		if strings.HasPrefix(kind, of) {
			top = max(top, platform.SpeedAt(row, 1))
		}
	}
	for _, v := range pf.ProcessorMTs {
		if of == "" {
			top = max(top, v)
		}
	}
	return top
}

// base is what a layout is derived from, but for the slots' places.
func (t *Target) fromDocument(base *population.Result, machine inventory.Machine, socket inventory.Socket) {
	p := base.Platform.Value
	sys := &inventory.System{Machine: machine, Sockets: []inventory.Socket{socket}}
	sys.Firmware.SMBIOS = assumedFact(true)
	u, source := memoryUnit{}, place.SourceMap
	if !p.NUMA {
		u.socket = place.Unplaced
	}
	if p.Policy == platform.PolicyAMD { // its document letters the channels
		source = place.SourceLocator
	}
	n := channelCount(p)
	channels := make([][]int, n)
	for slot := range p.MaxDPC {
		for c := range n {
			at := place.Placement{Socket: u.socket, Controller: place.Unplaced, Channel: c, Slot: slot, Source: source, Certainty: fact.Direct}
			if p.Controllers > 0 && n%p.Controllers == 0 {
				at.Controller = c * p.Controllers / n
			}
			i := len(sys.Slots)
			u.slots, channels[c] = append(u.slots, i), append(channels[c], i)
			base.Placements = append(base.Placements, at)
			sys.Slots = append(sys.Slots, inventory.Slot{Handle: inventory.Handle(i), Row: i, State: inventory.SlotEmpty,
				Soldered: assumedFact(false), Technology: assumedFact(inventory.DRAM), Locator: assumedFact(documentSlot(c, slot))})
		}
	}
	t.board = &board{sys: sys, population: base}
	u.groups = t.board.groupChannels(p, channels) // the document counts slots in the order in which they are filled
	t.emptyBoard(u)
}

func (t *Target) emptyBoard(u memoryUnit) {
	u.groups = slices.Clone(u.groups)
	for n := range u.groups {
		u.groups[n].ordered = true
	}
	t.board.units, t.board.at = []memoryUnit{u}, slices.Repeat([]int{none}, len(t.board.sys.Slots))
	t.board.size, t.board.distinct = []int{0}, []int64{1 << 30} // of equal modules
}

// The first processor's slots come first in the table. Without sets of the vendor the printed numbers count.
func labelsByNumber(sys *inventory.System, topo *population.Result) map[int]string {
	out := map[int]string{}
	for i := range sys.Slots {
		label := strings.TrimSpace(sys.Slots[i].Locator.Or(""))
		n := place.PrintedNumber(label)
		if topo.Sets != nil {
			n = topo.Sets.SlotNumber(label, &topo.Placements[i])
		}
		if n >= 0 && out[n] == "" {
			out[n] = label
		}
	}
	return out
}

func (t *Target) fromBoard(b *board) {
	u := b.units[0]
	t.others, t.doubted, t.labelled = b.units[1:], u.doubted, u.doubted != doubtedMap
	for _, g := range u.groups {
		t.open = append(t.open, !g.ordered)
	}
	sys := &inventory.System{Machine: b.sys.Machine, Firmware: b.sys.Firmware, CPU: b.sys.CPU, Arrays: b.sys.Arrays, Slots: slices.Clone(b.sys.Slots)}
	for i := range sys.Slots {
		clearSlot(&sys.Slots[i])
	}
	base := &population.Result{Platform: b.population.Platform, Sets: b.population.Sets, Fill: b.population.Fill, Placements: b.population.Placements}
	for i := range b.sys.Sockets {
		if u.socket == place.Unplaced || b.sys.Sockets[i].ID == u.socket {
			sys.Sockets, base.Processors = append(sys.Sockets, b.sys.Sockets[i]), append(base.Processors, b.population.Processors[i])
		}
	}
	u.doubted = ""
	t.board = &board{sys: sys, population: base}
	t.emptyBoard(u)
}

func slotLabel(sys *inventory.System, slot int) string {
	s := &sys.Slots[slot]
	label := strings.TrimSpace(s.Locator.Or(""))
	if s.Unique != "" {
		return s.BankLocator.Or("") + "/" + label
	}
	return label
}

func documentSlot(channel, slot int) string {
	return "channel " + strconv.Itoa(channel) + " slot " + strconv.Itoa(slot)
}

// mostCommon is the most frequent kind of module; one without a known size if there is none.
func mostCommon(sys *inventory.System) inventory.Slot {
	count := map[Traits]int{}
	best := inventory.Slot{}
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.HoldsDRAM() && s.SizeBytes.Or(0) > 0 {
			count[TraitsOf(s)]++
			if count[TraitsOf(s)] > count[TraitsOf(&best)] {
				best = *s
			}
		}
	}
	return best
}

// documentedModule is a registered module as fast as the platform takes them.
func documentedModule(pf *platform.Platform, memory string) inventory.Slot {
	s := inventory.Slot{State: inventory.SlotPopulated, Technology: assumedFact(inventory.DRAM), Soldered: assumedFact(false), Type: assumedFact(memory), FormFactor: assumedFact("DIMM"),
		SizeBytes: assumedFact(int64(0)), Ranks: assumedFact(2), TotalWidth: assumedFact(72), DataWidth: assumedFact(64), Registered: assumedFact(true), LoadReduced: assumedFact(false)}
	if top := cmp.Or(topSpeed(pf, "rdimm"), topSpeed(pf, "")); top > 0 {
		s.RatedMTs = assumedFact(top)
	}
	if memory == "DDR3" {
		s.ConfiguredMV = assumedFact(1500)
	}
	return s
}

// deriveLayout is the target with modules: layout holds for every slot an index into sizes, or none.
func (t *Target) deriveLayout(layout []int) (*inventory.System, *population.Result) {
	sys := *t.board.sys
	sys.Slots = slices.Clone(sys.Slots)
	for i, k := range layout {
		if k == none {
			continue
		}
		module := t.like
		if size := t.sizes[k]; size.bytes != module.SizeBytes.Or(0) {
			module.SizeBytes = assumedFact(size.bytes)
			module.PartNumber = fact.Unknown[string](fact.Unstated, "the module is not bought yet", "")
			if size.ranks > 0 {
				module.Ranks = assumedFact(size.ranks)
			}
		}
		moveModule(&sys.Slots[i], &module)
		sys.Slots[i].ConfiguredMTs = unreadUntilBoot()
	}
	return &sys, t.board.population.Repopulate(&sys)
}

// ListConfigurations lists the configurations for a capacity of the complete machine in bytes with equal processors, best first;
// all adds the discouraged ones. If none has it, reached is the nearest capacity above and below the one below, 0 for
// none.
func (t *Target) ListConfigurations(bytes int64, all bool) (ways []Configuration, reached, below int64) {
	of := map[int64][]documentedCount{}
	for _, c := range t.documentedCounts(all) {
		for _, mix := range t.sizeMixes(c.n, all) {
			total := int64(0)
			for k, m := range mix {
				total += int64(m*t.Sockets) * t.sizes[k].bytes
			}
			c.mix = mix
			of[total] = append(of[total], c)
		}
	}
	totals := slices.Sorted(maps.Keys(of))
	at, _ := slices.BinarySearch(totals, bytes)
	for i := at; i < len(totals) && reached == 0; i++ {
		if ways = t.bestConfigurations(of[totals[i]], all); len(ways) > 0 {
			reached = totals[i]
		}
	}
	for i := at - 1; i >= 0 && reached != bytes && below == 0; i-- {
		if len(t.bestConfigurations(of[totals[i]], all)) > 0 {
			below = totals[i]
		}
	}
	return ways, reached, below
}

func (t *Target) bestConfigurations(of []documentedCount, all bool) []Configuration {
	var out []Configuration
	for i := range of {
		out = append(out, t.configurationsOf(&of[i], all)...)
	}
	if !all {
		out = slices.DeleteFunc(out, func(c Configuration) bool { return c.Discouraged })
	}
	slices.SortStableFunc(out, func(x, y Configuration) int { return slices.Compare(x.rankingKey(), y.rankingKey()) })
	return out
}

// rankingKey orders configurations, the least first: by what documents and rules have against them; then what buys nothing comes
// first, and what firmware's stated capacity allows; then by bandwidth, an unknown clock taken to be today's; of equally
// fast ones those come first with modules at most twice as large as the installed ones, and then those with the fewest
// modules, and the least capacity, to buy.
func (c *Configuration) rankingKey() []float64 {
	out := make([]float64, 13)
	if c.Discouraged {
		out[0] = 1
	}
	for _, f := range c.Findings {
		out[verdict.Critical.Rank()-f.Severity.Rank()+1]++
	}
	if c.beyond {
		out[5] = 1
	}
	copy(out[6:], c.speed)
	out[9] = float64(c.stretch)
	for _, m := range c.DIMMs {
		out[4] = max(out[4], float64(min(m.Bought, 1)))
		out[10], out[11], out[12] = out[10]+float64(m.Bought), out[11]+float64(m.Bought)*float64(m.Bytes), out[12]+float64(m.Count)
	}
	return out
}

// documentedCounts lists the numbers of modules of one processor that documents name, or with all every number that no document
// forbids. On a board without slots on some channels, complete layers of the others count too: documents name numbers
// for all channels.
func (t *Target) documentedCounts(all bool) []documentedCount {
	p := t.Platform
	u, sets := &t.board.units[0], t.board.population.Sets
	width := u.layerWidth()
	slots, wired := 0, 0
	for _, g := range u.groups {
		slots += len(g.layers) * width
		if len(g.layers) > 0 {
			wired++
		}
	}
	silent := sets == nil && len(p.RecommendedDIMMs)+len(p.AcceptableDIMMs)+len(p.AllowedDIMMs) == 0
	var out []documentedCount
	for n := width; n <= slots; n += width {
		c := documentedCount{n: n, documented: slices.Contains(slices.Concat(p.RecommendedDIMMs, p.AcceptableDIMMs, p.AllowedDIMMs), n)}
		if sets != nil {
			if row, ok := sets.Rows[n]; ok && row.Source != "" {
				if len(row.Sets) == 0 {
					continue // the maker does not allow the number
				}
				c.row = &row
			}
		}
		switch {
		case len(p.AllowedDIMMs) > 0 && !slices.Contains(p.AllowedDIMMs, n):
		case all, c.documented, c.row != nil && !discouraged(c.row), t.lockstepKitSize() > 1 && n%t.lockstepKitSize() == 0,
			silent && n%len(u.groups) == 0, wired < len(u.groups) && n%(wired*width) == 0:
			out = append(out, c)
		}
	}
	return out
}

// sizeMixes lists the numbers of modules of each size, by index into sizes, that make n modules. Sizes are mixed in lockstep kits, which documents describe, and in complete layers of
// equal modules over all channels: on request, and if one layer is the installed modules of a size.
func (t *Target) sizeMixes(n int, all bool) [][]int {
	step, kinds, groups := n, 1, len(t.board.units[0].groups)
	switch {
	case t.lockstepKitSize() > 1 && n%t.lockstepKitSize() == 0:
		step, kinds = t.lockstepKitSize(), 3
	case (all || len(t.owned) > 0) && !t.Platform.UniformDIMMs && n%groups == 0:
		step, kinds = groups, 2
	}
	mixed := all || kinds == 3
	keeps := func(k, m int) bool { return mixed || m == n || t.owned[t.sizes[k].bytes] == m*t.Sockets }
	var out [][]int
	for mix := range columnsOf(slices.Repeat([]int{n / step}, len(t.sizes)), n/step) {
		used, kept := 0, false
		for k := range mix {
			if mix[k] *= step; mix[k] > 0 {
				used, kept = used+1, kept || keeps(k, mix[k])
			}
		}
		if modulesIn(mix) == n && used <= kinds && kept {
			out = append(out, mix)
		}
	}
	return out
}

// configurationsOf are the vendor's own set of slots, else the best layout on most channels, and on request that on fewer.
func (t *Target) configurationsOf(c *documentedCount, all bool) []Configuration {
	var out []Configuration
	if names := t.numberedSlots(c); len(names) > 0 && c.n < len(t.board.at) { // nothing can be derived of them
		way := t.configuration(c, names[0])
		way.Also, way.Discouraged = append(way.Also, names[1:]...), discouraged(c.row)
		return append(out, way)
	}
	if c.row != nil && t.numbered == nil {
		if layout, ok := t.layoutOfSet(c.row.Sets[0], c.mix); ok {
			return t.withConfiguration(out, c, layout)
		}
	}
	for _, layout := range t.spreadLayouts(c.mix, all) {
		out = t.withConfiguration(out, c, layout)
	}
	return out
}

// layoutExtent is on how many controllers, if modules are bought in kits, and channels a layout has modules.
func (t *Target) layoutExtent(layout []int) (controllers, channels int) {
	behind := map[int]bool{}
	for _, g := range t.board.units[0].groups {
		if len(g.layers) > 0 && layout[g.layers[0][0]] != none {
			channels++
			behind[g.controller] = true
		}
	}
	if t.lockstepKitSize() > 1 {
		controllers = len(behind)
	}
	return controllers, channels
}

// spreadLayouts lists layouts of a mix: the best one over as many channels as possible (if modules work in lockstep, on one
// controller too), and on request the best over each smaller number of channels.
func (t *Target) spreadLayouts(mix []int, all bool) [][]int {
	type ranked struct {
		layout                []int
		controllers, channels int
		speed                 []float64
	}
	var list []ranked
	for _, layout := range t.arrangeMix(mix) {
		if sys, topo := t.deriveLayout(layout); !hasTooDeepChannel(sys, topo) {
			controllers, channels := t.layoutExtent(layout)
			list = append(list, ranked{layout, controllers, channels, t.speedRanking(topo)})
		}
	}
	slices.SortStableFunc(list, func(x, y ranked) int {
		return cmp.Or(y.controllers-x.controllers, y.channels-x.channels, slices.Compare(x.speed, y.speed))
	})
	var out [][]int
	for i, r := range list {
		if i == 0 || r.controllers != list[i-1].controllers || all && r.channels != list[i-1].channels {
			out = append(out, r.layout)
		}
	}
	return out
}

// The least comes first; the class counts if the platform's document has classes, the unknown one last.
func (t *Target) speedRanking(topo *population.Result) []float64 {
	class, u := 0.0, bandwidths(topo, t.today)[0]
	if t.Platform.Classes != "" {
		class = 'x'
		if c, ok := topo.Populations[0].Class.Get(); ok {
			class = float64(c.Name[0]) // 1, 2, 3, discouraged
		}
	}
	return []float64{class, -u.low, -u.high}
}

// mostRanked bounds how many layouts of one mix are derived.
const mostRanked = 256

// The most even comes first: as many equal modules each, the larger ones first in the fill order.
func (t *Target) arrangeMix(mix []int) [][]int {
	b, u := t.board, &t.board.units[0]
	b.work = mostWork
	found := b.unitChoices(0, []int{modulesIn(mix)})
	var out [][]int
	for _, c := range found[:min(len(found), mostRanked)] {
		left, k := slices.Clone(mix), 0
		for _, layer := range u.inFillOrder() {
			if c.layout[layer[0]] == none {
				continue
			}
			for k < len(left)-1 && left[k] <= 0 {
				k++
			}
			for _, slot := range layer {
				c.layout[slot] = k
				left[k]--
			}
		}
		if !slices.ContainsFunc(left, func(n int) bool { return n != 0 }) {
			out = append(out, c.layout)
		}
	}
	return out
}
