package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
)

// Plan is a plan for the memory modules of the whole fleet. Each change was audited on its machine; a machine
// has at most one: what gains most of modules of others, of spares, of moves and of what it can give up.
type Plan struct {
	// Moves are the machines that gain by moving modules, the largest gain first.
	Moves []Change `json:"moves"`
	// GiveUp are the machines that can give up modules, those with most first.
	GiveUp []Change `json:"give_up"`
	// Transfers are the machines that gain by modules that others give up, in the order in which they get them.
	Transfers []Change `json:"transfers"`
	// Spares are the machines that gain most from modules in stock, in the order in which they get them.
	Spares []Change `json:"spares"`
	// Stock is the use of each entry of the file of spares.
	Stock []Stock `json:"stock"`
	// NotPlanned are the machines without a plan.
	NotPlanned []NotPlanned `json:"not_planned"`
	// UnknownFloors are the machines and products of the file of floors that are not in the fleet.
	UnknownFloors []string `json:"unknown_floors"`
}

// Change is a change of the modules of one machine.
type Change struct {
	Machine string          `json:"machine"`
	Product nullable.String `json:"product" jsonschema:"nullable"`
	// Critical and Warning are by how many failures about the layout there are fewer.
	Critical int `json:"fewer_critical"`
	Warning  int `json:"fewer_warning"`
	// Times is the least ratio of the memory bandwidth after the steps to today's.
	Times *float64 `json:"least_times_bandwidth" jsonschema:"nullable,minimum=0"`
	// Modules counts those that are installed or removed.
	Modules int `json:"modules" jsonschema:"minimum=0"`
	// Spares are the entries of the file that the installed modules are taken from, counted from 1.
	Spares []int `json:"spares"`
	// Origins are the slots of other machines that the installed modules come out of, Given how many of those that are
	// given up other machines get.
	Origins []Origin `json:"origins"`
	Given   int      `json:"given" jsonschema:"minimum=0"`
	// Unlike names in what the modules of Origins are not known to be as those that the machine was audited with: the note
	// on mixed modules may come or go. "" if they are alike.
	Unlike string `json:"unlike"`
	// CapacityBytes is today's capacity, FloorBytes the least that the file of floors permits.
	CapacityBytes *int64 `json:"capacity_bytes" jsonschema:"nullable,minimum=1"`
	FloorBytes    *int64 `json:"floor_bytes" jsonschema:"nullable,minimum=1"`
	// Steps are the steps of the advice as sentences; Bandwidth names the CPUs whose share of the best bandwidth they
	// change, with the share before and after.
	Steps     []string    `json:"steps"`
	Bandwidth string      `json:"bandwidth"`
	Advice    plan.Advice `json:"advice"`

	// of are the indexes of the spares that can be used, wants is what the installed modules must be like (alike: in all that is known), and gives are
	// those that are removed.
	of    []int
	wants plan.Traits
	alike bool
	gives []given
}

// Origin is the slot of a machine that a module comes out of.
type Origin struct {
	Machine string `json:"machine"`
	Slot    string `json:"slot"`
}

type given struct {
	module plan.Traits
	slot   string
	used   bool
}

// Stock is one entry of the file of spares.
type Stock struct {
	Spare string `json:"spare"`
	// Assumed names the properties of the modules that are not given, and assumed to be those of the installed
	// ones.
	Assumed string `json:"assumed"`
	Count   int    `json:"count" jsonschema:"minimum=1"`
	Used    int    `json:"used" jsonschema:"minimum=0"`
	// Short is how many more modules of the kind would help machines that get none.
	Short int `json:"short" jsonschema:"minimum=0"`
	// Module is one of them, as a step names it.
	Module plan.Module `json:"-"`
}

// NotPlanned is one reason why machines have no plan.
type NotPlanned struct {
	Reason   string   `json:"reason"`
	Machines []string `json:"machines"`
}

// Floors are the minimum capacities in bytes of machines, by name and by product.
type Floors struct{ Machines, Products map[string]int64 }

// MinimumOf returns the floor of a machine: its own, otherwise that of its product, otherwise 0.
func (f *Floors) MinimumOf(machine, product string) int64 {
	if own, ok := f.Machines[machine]; ok {
		return own
	}
	return f.Products[product]
}

// Stake is one machine's part in the plan.
type Stake struct {
	why   string
	moves *Change
	gives *Change
	takes []Change
	needs []Change
}

// NoStake returns the stake of a machine without a plan.
func NoStake(why string) *Stake { return &Stake{why: why} }

// NewStake returns the stake of a machine with the inventory inv; floor is 0 for none.
func NewStake(sys *inventory.System, inv *report.Inventory, s *plan.Stake, floor int64) *Stake {
	change := func(g *plan.Gain) *Change {
		if g == nil {
			return nil
		}
		c := &Change{Product: nullable.String(inv.Machine.Product.Text()), Critical: g.Critical, Warning: g.Warning, Advice: g.Advice, Spares: []int{}, Origins: []Origin{}}
		c.Modules = c.Advice.Installs + c.Advice.Removes
		if bytes, ok := s.Bytes.Get(); ok && bytes > 0 {
			c.CapacityBytes = &bytes
		}
		if g.Times > 0 {
			c.Times = &g.Times
		}
		if floor > 0 {
			c.FloorBytes = &floor
		}
		c.Bandwidth = inv.BandwidthChanges(&c.Advice.Reaches)
		c.Steps = humanize.Each(report.StepLines(c.Advice.Steps, inv), func(line report.StepLine) string { return line.Text })
		return c
	}
	out := &Stake{why: s.Why, moves: change(s.Moves), gives: change(s.GivesUp)}
	if out.gives != nil {
		for _, step := range s.GivesUp.Steps {
			if step.Do == plan.Remove {
				out.gives.gives = append(out.gives.gives, given{module: plan.TraitsOf(&sys.Slots[step.FromSlot]), slot: sys.Slots[step.FromSlot].Name()})
			}
		}
	}
	list := func(takes []plan.Take) (list []Change) {
		for i := range takes {
			c := change(&takes[i].Gain)
			c.of, c.wants, c.alike = takes[i].Of, takes[i].Wants, takes[i].Alike
			list = append(list, *c)
		}
		return list
	}
	out.takes, out.needs = list(s.Takes), list(s.Needs)
	return out
}

type planner struct {
	stock                []Stock
	floors               *Floors
	moves, giveUp, takes []Change
	needs                []Change
	notPlanned           map[string][]string
}

// RequestPlan requests a plan for the fleet's machines, with modules in stock.
func (f *Fleet) RequestPlan(stock []Stock, floors *Floors) {
	f.plan = &planner{stock: stock, floors: floors, notPlanned: map[string][]string{}}
}

// AddStake adds the stake of a machine by its name in the fleet; without a plan it does nothing.
func (f *Fleet) AddStake(name string, s *Stake) {
	p := f.plan
	switch {
	case p == nil:
		return
	case s.why != "":
		p.notPlanned[s.why] = append(p.notPlanned[s.why], name)
		return
	}
	named := func(list []Change, c *Change) []Change {
		if c == nil {
			return list
		}
		c.Machine = name
		return append(list, *c)
	}
	p.moves, p.giveUp = named(p.moves, s.moves), named(p.giveUp, s.gives)
	less := func(c Change) bool { // giving up comes first where it gains more
		return s.gives != nil && slices.Compare(s.gives.gainPerModule(1), c.gainPerModule(1)) > 0
	}
	for _, c := range slices.DeleteFunc(s.takes, less) {
		p.takes = named(p.takes, &c)
	}
	for _, c := range slices.DeleteFunc(s.needs, less) {
		p.needs = named(p.needs, &c)
	}
}

func (p *planner) buildPlan(machines []Machine) *Plan {
	out := &Plan{Moves: sortChanges(p.moves, func(a, b *Change) int { return slices.Compare(b.gainPerModule(1), a.gainPerModule(1)) }),
		GiveUp:    sortChanges(p.giveUp, func(a, b *Change) int { return cmp.Compare(b.Modules, a.Modules) }),
		Transfers: []Change{}, Spares: []Change{}, Stock: append([]Stock{}, p.stock...), NotPlanned: []NotPlanned{}, UnknownFloors: p.unknownFloors(machines)}
	for why, names := range p.notPlanned {
		slices.Sort(names)
		out.NotPlanned = append(out.NotPlanned, NotPlanned{why, names})
	}
	slices.SortFunc(out.NotPlanned, func(a, b NotPlanned) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Reason, b.Reason))
	})
	changed := out.assignTransfers(p.needs)
	out.assignStock(slices.DeleteFunc(slices.Clone(p.takes), func(c Change) bool { return changed[c.Machine] }))
	changed = map[string]bool{}
	for _, c := range out.GiveUp {
		moved := slices.IndexFunc(out.Moves, func(m Change) bool { return m.Machine == c.Machine })
		changed[c.Machine] = c.Given > 0 || moved >= 0 && slices.Compare(c.gainPerModule(1), out.Moves[moved].gainPerModule(1)) > 0
	}
	out.Moves = slices.DeleteFunc(out.Moves, func(c Change) bool { return changed[c.Machine] })
	clear(changed)
	for _, list := range []*[]Change{&out.Transfers, &out.Spares, &out.Moves, &out.GiveUp} {
		*list = slices.DeleteFunc(*list, func(c Change) bool { return changed[c.Machine] })
		for i := range *list {
			changed[(*list)[i].Machine] = true
		}
	}
	return out
}

func sortChanges(list []Change, by func(a, b *Change) int) []Change {
	out := append([]Change{}, list...)
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Or(by(&a, &b), cmp.Compare(a.Machine, b.Machine)) })
	return out
}

// gainPerModule is the benefit of a change: the worst severity that it fixes something of, and the bandwidth gained.
func (c *Change) gainPerModule(modules int) []float64 {
	cures, more := 0.0, 0.0
	switch {
	case c.Critical > 0:
		cures = 2
	case c.Warning > 0:
		cures = 1
	}
	if c.Times != nil {
		more = (*c.Times - 1) / float64(modules)
	}
	return []float64{cures, more}
}

func compareByModule(a, b *Change) int {
	return cmp.Or(slices.Compare(b.gainPerModule(b.Modules), a.gainPerModule(a.Modules)), cmp.Compare(a.Modules, b.Modules))
}

// assignTransfers assigns the modules that machines give up first to the machines that gain most per module, and returns the
// machines that give or get some. A machine does not do both.
func (p *Plan) assignTransfers(needs []Change) map[string]bool {
	needs = sortChanges(needs, compareByModule)
	done, gives := map[string]bool{}, map[string]bool{}
	for i := range needs {
		c := &needs[i]
		if done[c.Machine] {
			continue
		}
		// From the machines that give already, and then from those with most to give.
		givers := make([]*Change, 0, len(p.GiveUp))
		for n := range p.GiveUp {
			if g := &p.GiveUp[n]; g.Machine != c.Machine && (gives[g.Machine] || !done[g.Machine]) {
				givers = append(givers, g)
			}
		}
		slices.SortStableFunc(givers, func(a, b *Change) int { return cmp.Compare(min(b.Given, 1), min(a.Given, 1)) })
		var found []*given
		var from []*Change
		for _, g := range givers {
			for n := range g.gives {
				if m := &g.gives[n]; len(found) < c.Modules && !m.used && m.module.Fits(&c.wants) && (!c.alike || differingTraits([]*given{m}, &c.wants) == "") {
					found, from = append(found, m), append(from, g)
				}
			}
		}
		if c.Modules == 0 || len(found) < c.Modules {
			continue
		}
		for n, m := range found {
			m.used = true
			from[n].Given++
			done[from[n].Machine], gives[from[n].Machine] = true, true
			c.Origins = append(c.Origins, Origin{from[n].Machine, m.slot})
		}
		c.Unlike = differingTraits(found, &c.wants)
		done[c.Machine] = true
		p.Transfers = append(p.Transfers, *c)
	}
	return done
}

// differingTraits names in what some modules differ from what is wanted, or may.
func differingTraits(list []*given, wants *plan.Traits) string {
	var out []string
	add := func(name string, differs func(t *plan.Traits) bool) {
		if slices.ContainsFunc(list, func(m *given) bool { return differs(&m.module) }) {
			out = append(out, name)
		}
	}
	add("rated speed", func(t *plan.Traits) bool { return ddr.Nominal(t.RatedMTs) != wants.RatedMTs })
	add("width", func(t *plan.Traits) bool { return t.DataWidth != wants.DataWidth || t.TotalWidth != wants.TotalWidth })
	add("buffer", func(t *plan.Traits) bool {
		return t.Registered != wants.Registered || t.LoadReduced != wants.LoadReduced
	})
	return humanize.List(out)
}

// assignStock assigns the modules in stock first to the machines that gain most per module. A machine gets at most
// one of its possible changes; Short counts what the stock lacks for the others.
func (p *Plan) assignStock(takes []Change) {
	takes = sortChanges(takes, compareByModule)
	served := map[string]bool{}
	for i := range takes {
		c := &takes[i]
		left := 0
		for _, n := range c.of {
			left += p.Stock[n].Count - p.Stock[n].Used
		}
		if served[c.Machine] || left < c.Modules {
			continue
		}
		served[c.Machine] = true
		need := c.Modules
		for _, n := range c.of {
			if take := min(need, p.Stock[n].Count-p.Stock[n].Used); take > 0 {
				c.nameInstalled(&p.Stock[n].Module, c.Modules-need, take)
				p.Stock[n].Used += take
				need -= take
				c.Spares = append(c.Spares, n+1)
			}
		}
		p.Spares = append(p.Spares, *c)
	}
	for i := range takes {
		if c := &takes[i]; !served[c.Machine] {
			served[c.Machine] = true
			p.Stock[c.of[0]].Short += c.Modules
		}
	}
}

// nameInstalled names the module of the stock in n steps that install one, behind the first done ones, in place of the
// installed one that it is like.
func (c *Change) nameInstalled(module *plan.Module, done, n int) {
	for i := range c.Advice.Steps {
		s := &c.Advice.Steps[i]
		if s.Do != plan.Install || s.Module == nil {
			continue
		}
		if done--; done >= 0 || n == 0 {
			continue
		}
		n--
		own := *s.Module
		was := report.ModuleWords(&own)
		own.SizeBytes, own.Ranks, own.RatedMTs = cmp.Or(module.SizeBytes, own.SizeBytes), cmp.Or(module.Ranks, own.Ranks), cmp.Or(module.RatedMTs, own.RatedMTs)
		own.Type, own.Kind = cmp.Or(module.Type, own.Type), cmp.Or(module.Kind, own.Kind)
		for line := range c.Steps {
			c.Steps[line] = strings.ReplaceAll(c.Steps[line], was, report.ModuleWords(&own))
		}
		s.Module = &own
	}
}

// unknownFloors lists the names in the file of floors that are not in the fleet: a misspelt name must not
// silently leave a machine without a floor.
func (p *planner) unknownFloors(machines []Machine) []string {
	names, products := map[string]bool{}, map[string]bool{}
	for i := range machines {
		names[machines[i].Name] = true
		products[string(machines[i].Product)] = true
	}
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(p.floors.Machines)) {
		if !names[name] {
			out = append(out, "machine "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.floors.Products)) {
		if !products[name] {
			out = append(out, "product "+name)
		}
	}
	return out
}
