package plan

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// Spare are equal modules in stock.
type Spare struct {
	// Part is the part number; a module of a machine that has it, too, is the same.
	Part  string
	Count int
	Traits
}

// Stake is what a machine has to do with the plan of a fleet: what moving its modules gains, which it
// can give up, what modules in stock would gain.
type Stake struct {
	// Why is the reason why nothing is planned for the machine.
	Why string
	// Bytes is the installed capacity.
	Bytes fact.Fact[int64]
	// Moves is what moving modules alone gains, nil if that is nothing.
	Moves *Gain
	// GivesUp takes out the most modules that the machine does not need for its class.
	GivesUp *Gain
	// Takes are alternatives; each installs modules of one kind that is in stock. Needs are those of any number.
	Takes, Needs []Take
}

// Gain compares a proven advice with the present machine.
type Gain struct {
	Advice
	// Critical and Warning are by how many there are fewer failures about the layout.
	Critical, Warning int
	// Times is how many times the memory bandwidth of today there is at least; 0 if it is not known.
	Times float64
}

// Take is what modules of one kind, Wants, gain. Of are the indexes of the spares that may be used; Alike is set if the
// platform's document asks for equal modules.
type Take struct {
	Gain
	Of    []int
	Wants Traits
	Alike bool
}

// ForFleet returns a machine's part in the plan of a fleet; made is its own plan. Modules are given up down to a
// capacity of floor bytes, if that is 0 to half of today's.
func ForFleet(sys *inventory.System, topo *population.Result, found *verdict.Audit, made *Plan, p Pipeline, spares []Spare, floor int64) *Stake {
	if slices.ContainsFunc(found.Findings, func(f verdict.Finding) bool { return f.Waiver != nil && f.Waiver.Population }) {
		return &Stake{Why: "the configuration accepts its population as it is"}
	}
	p.seats = controllersOfNodes(sys, topo)
	s, why := newSearch(sys, topo, found, p)
	if why != "" {
		return &Stake{Why: why}
	}
	out := &Stake{Bytes: topo.InstalledBytes}
	if i := slices.IndexFunc(made.Advice, func(a Advice) bool { return a.ID == Move }); i >= 0 {
		g := s.computeGain(&made.Advice[i])
		out.Moves = &g
	}
	out.GivesUp = s.largestSurplus(cmp.Or(floor, (topo.InstalledBytes.Or(0)+1)/2), topo)
	out.Takes, out.Needs = s.gainsOfStocks(spares, out.Moves)
	return out
}

func (s *search) computeGain(a *Advice) Gain {
	was, is := &s.before, a.score
	g := Gain{Advice: *a, Critical: was.severities[0] - is.severities[0], Warning: was.severities[1] - is.severities[1]}
	unknown := func(p population.Population) bool { return !p.Relative.Known() }
	if most := was.bandwidth()[2]; most > 0 && !slices.ContainsFunc(s.board.population.Populations, unknown) {
		g.Times = math.Round(1000*is.bandwidth()[1]/most) / 1000
	}
	return g
}

// largestSurplus is what takes the most modules out so that documents name the number that stays, every
// channel keeps as many, nothing fails that does not today, and neither class nor bandwidth of any
// processor is less. It is nil if there is nothing.
func (s *search) largestSurplus(floor int64, topo *population.Result) *Gain {
	b := s.board
	if b.redundancyOn() || slices.ContainsFunc(b.units, func(u memoryUnit) bool { return u.doubted != "" }) {
		return nil
	}
	var stocks []*stock
	layer, have := b.units[0].layerWidth()*len(b.units[0].groups), b.countsBySize(b.kindCounts())
	for i := range have {
		have[i] /= max(1, layer*len(b.units))
	}
	for want := range columnsOf(have, modulesIn(have)) { // as many of each size on every channel
		for i := range want {
			want[i] *= layer
		}
		x := b.supplyUnits(slices.Repeat([][]int{want}, len(b.units)), b.kindsToBuy()[0], false)
		if x.bought == 0 && x.left > 0 && b.isRecommendedCount(modulesIn(want)) && b.totalCapacity(b.kindCounts())-x.givenUp >= floor {
			stocks = append(stocks, x)
		}
	}
	slices.SortStableFunc(stocks, func(x, y *stock) int {
		return cmp.Or(cmp.Compare(y.left, x.left), cmp.Compare(x.givenUp, y.givenUp), cmp.Compare(x.crossing, y.crossing))
	})
	s.setBudget(mostRemoved)
	for _, x := range stocks {
		for _, p := range s.proposeLayouts(x) {
			c := s.tryProposal(&p, x)
			if c == nil {
				return nil
			}
			if s.makesWorse(c) || len(goneFailures(c.score.fails, s.before.fails)) > 0 {
				continue
			}
			if a, ok := s.proveCandidate(c); ok && keepsClass(topo.Populations, topo.Repopulate(ApplySteps(b.sys, c.steps)).Populations) {
				g := s.computeGain(&a)
				return &g
			}
		}
	}
	return nil
}

// Every class must be known, no worse nor less documented than before, and no share of the best bandwidth less.
func keepsClass(before, after []population.Population) bool {
	for i := range before {
		was, known := before[i].Class.Get()
		is, still := after[i].Class.Get()
		if !known || !still || is.Name > was.Name || was.Documented && !is.Documented || is.Discouraged && !was.Discouraged ||
			remainingShare(&after[i]) < remainingShare(&before[i]) {
			return false
		}
	}
	return true
}

// remainingShare is the remaining share of the full bandwidth: as measured, else what is certain; 0 if unknown.
func remainingShare(p *population.Population) float64 {
	r := population.RelativeOf(p.Relative)
	if low, _ := r.Bounds(); !math.IsInf(low, 1) {
		return low
	}
	return 0
}

// Needs are of any number of the kind. Nothing is taken for what moving modules reaches as well.
func (s *search) gainsOfStocks(spares []Spare, moves *Gain) (takes, needs []Take) {
	if !s.before.worthBuying(&s.pipeline) || s.ratedBelow(&s.before) || s.takenByMode(&s.before) || moves != nil && !moves.score.hasSevereFailure() {
		return nil, nil
	}
	stocks := slices.DeleteFunc(s.board.listStocks(), func(x *stock) bool { return x.left > 0 || x.kinds != 1 })
	for k := range s.board.kinds {
		var of []int
		have := 0
		for i := range spares {
			if s.board.similarSpare(&spares[i], k) {
				of, have = append(of, i), have+spares[i].Count
			}
		}
		takes = append(takes, s.gainsFromStock(stocks, k, have, of, moves)...)
		needs = append(needs, s.gainsFromStock(stocks, k, math.MaxInt, nil, moves)...)
	}
	return takes, needs
}

// The result is the fewest modules after which nothing severe fails, and fewer that cure a part.
func (s *search) gainsFromStock(stocks []*stock, k, have int, of []int, moves *Gain) []Take {
	list := slices.DeleteFunc(slices.Clone(stocks), func(x *stock) bool {
		n := -s.board.kinds[k].count
		for _, unit := range x.split {
			n += unit[k]
		}
		return n != x.bought || n > have || s.filledWithoutDocument(&candidate{stock: x})
	})
	if len(list) == 0 {
		return nil
	}
	var out []Take
	full, part := s.cheapestStock(list, keepsAll, hasNoSevereFailure, mostBought, nil, &s.before)
	for _, c := range []*candidate{full, part} {
		if c == nil {
			continue
		}
		a, ok := s.proveCandidate(c)
		if !ok {
			continue
		}
		if g := s.computeGain(&a); moves == nil || cmp.Or(g.Critical-moves.Critical, g.Warning-moves.Warning) > 0 {
			out = append(out, Take{Gain: g, Of: of, Wants: s.board.kinds[k].traits, Alike: s.board.population.Platform.Value.UniformDIMMs})
		}
	}
	return out
}

// similarSpare has a part number of theirs, or their size, type and ranks, and is not known to be slower or of another buffer type.
func (b *board) similarSpare(s *Spare, kind int) bool {
	if s.Part != "" {
		for i, k := range b.at {
			if k == kind && strings.EqualFold(strings.TrimSpace(b.sys.Slots[i].PartNumber.Or("")), s.Part) {
				return true
			}
		}
	}
	return s.Fits(&b.kinds[kind].traits)
}

// The advice about BIOS settings, and what its step does.
const (
	Settings = "settings"
	Set      = "set"
)

// fewestRows is the number of findings that one step must cure to be advised: a single one has its own remedy.
const fewestRows = 2

// onLayout are settings that decide how the memory appears to the system. If one of them changes, only the next boot
// shows the result of rules about nodes and visible memory.
var onLayout = []string{
	"sub_numa", "l3_as_numa", "virtual_numa", "node_interleave", "controller_interleave", "channel_interleave",
	"hemisphere_mode", "memory_ras_mode", "memory_speed",
}

// ProvePreset proves the step that sets the vendor's preset: what the preset writes is put into a copy of the model and
// audited there against the same profile. ok is false if that cures less than two findings, makes a failure unknown,
// or causes a new one.
func ProvePreset(sys *inventory.System, found *verdict.Audit, step *verdict.PresetStep, p Pipeline) (Advice, bool) {
	if step == nil {
		return Advice{}, false
	}
	after := ApplyPreset(sys, step)
	topo := p.Derive(after)
	audited, err := p.Audit(after, topo, nil)
	if err != nil {
		return Advice{}, false
	}
	rules := decidableRules(sys, after, &p)
	before, then := collectFailures(found.Findings, rules), collectFailures(audited.Findings, rules)
	cured := goneFailures(before, then)
	a := Advice{ID: Settings, Cures: failureReferences(cured), Reaches: reachesOf(topo), Source: step.Source,
		Steps: []Step{{Do: Set, Setting: step.Setting, Value: step.Value, Tool: step.Tool, Command: step.Command, Menu: step.Menu, FromSlot: none, ToSlot: none, LikeSlot: none}}}
	a.Reaches.Findings = append(a.Reaches.Findings, then...)
	if len(cured) < fewestRows || slices.ContainsFunc(cured, func(f Failure) bool { return !hasResult(audited, f, verdict.Pass) }) {
		return Advice{}, false
	}
	news := goneFailures(then, before)
	return a, !slices.ContainsFunc(news, func(f Failure) bool { return !hasResult(found, f, verdict.Waived) })
}

func hasResult(found *verdict.Audit, f Failure, result verdict.Result) bool {
	return slices.ContainsFunc(found.Findings, func(g verdict.Finding) bool {
		return g.Rule == f.Rule && g.Subject == f.Subject && g.Result == result
	})
}

// Those that compare firmware's settings with the running system are not, nor what the system sees of a new layout.
func decidableRules(now, after *inventory.System, p *Pipeline) func(rule string) bool {
	changes := slices.ContainsFunc(onLayout, func(id string) bool {
		return now.Settings[id].Configured.Or("") != after.Settings[id].Configured.Or("")
	})
	return func(rule string) bool {
		switch {
		case strings.HasPrefix(rule, "settings."):
			return false
		case changes && strings.HasPrefix(rule, "numa."):
			return false
		default:
			return p.AboutLayout(rule) || p.aboutOthers(rule)
		}
	}
}

// ApplyPreset is a copy of the machine after the next boot with the preset: the
// export states what the preset writes, as it stated the values before. What
// the preset governs without a word of its document, and what the running
// system then shows, is not known.
func ApplyPreset(sys *inventory.System, step *verdict.PresetStep) *inventory.System {
	out := *sys
	out.Measurements, out.Accepted = nil, nil // a machine that does not exist yet was not measured
	out.Settings = maps.Clone(sys.Settings)
	stateSetting(&out, step.Setting, step.Preset)
	for id, value := range step.Writes {
		stateSetting(&out, id, value)
	}
	for _, id := range step.Silent {
		s, ok := out.Settings[id]
		if !ok {
			continue
		}
		if s.Configured.Known() {
			s.Configured = fact.Unknown[string](fact.Unstated, "what the preset "+step.Preset+" makes of it is not on record", "an export made after the next boot")
		}
		out.Settings[id] = settingAfterBoot(s)
	}
	return &out
}

func stateSetting(sys *inventory.System, id, value string) {
	s, ok := sys.Settings[id]
	if !ok {
		return
	}
	switch c := &s.Configured; {
	case c.Known() && c.Certainty == fact.Direct && !c.Unverified:
		c.Value = value
	case c.Known():
		*c = fact.Unknown[string](fact.Unstated, "the present value is in doubt, and so is the next", "an export made after the next boot")
	}
	sys.Settings[id] = settingAfterBoot(s)
}

func settingAfterBoot(s inventory.Setting) inventory.Setting {
	s.Pending = fact.Unknown[string](fact.Unread, "nothing waits after the boot", "")
	s.Effective = fact.Unknown[string](fact.Unread, "only the next boot shows it", "an audit after the next boot")
	s.DecidedBy = fact.Unknown[string](fact.Unread, "only the next boot shows it", "an audit after the next boot")
	return s
}
