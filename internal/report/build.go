package report

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Options are what a document needs besides the machine and the audit.
type Options struct {
	// Version and Revision are this program's.
	Version, Revision string
	// Now is the time of the audit.
	Now time.Time
	// Identifiers adds serial numbers, UUID and asset tags.
	Identifiers bool
	// Rules is the tree below rules/, which has the memory that a platform takes; nil if firmware's type of a module
	// is used.
	Rules fs.FS
	// Plan is what to do about the memory population; nil if nothing was planned.
	Plan *plan.Plan
	Criteria
}

// Build makes the report of one audit. With a nil derivation or audit the report has the rest, so that an audit that
// failed still shows what was read.
func Build(sys *inventory.System, topo *population.Result, a *verdict.Audit, o Options) Report {
	a = cmp.Or(a, &verdict.Audit{})
	inv := BuildInventory(sys, topo, o)
	r := Report{
		Schema:       SchemaReport,
		GeneratedAt:  o.Now.UTC().Format(time.RFC3339),
		Memaudit:     Program{Version: o.Version, Revision: nullable.String(o.Revision)},
		Machine:      inv.Machine,
		Profile:      a.Profile,
		ProfileAsked: a.ProfileAsked,
		Summary:      a.Summary,
		Findings:     neverNil(slices.Clone(a.Findings)),
		Advice:       []plan.Advice{},
		Inventory:    inv,
		Notices:      a.Notices,
	}
	if sys != nil {
		r.Baseline, r.Changed = buildBaseline(sys.Baseline)
		r.Measured = buildMeasured(sys.Measurements, &r.Inventory, topo)
	}
	if r.Profile == nil {
		r.Why = nullable.String(a.ProfileWhy)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Advice, f.Evidence, f.Fix = []string{}, neverNil(f.Evidence), cmp.Or(f.Fix, string(f.Remedy))
	}
	if o.Plan != nil && sys != nil {
		r.addAdvice(o.Plan)
	}
	r.MakeVerdict(o.Criteria)
	return r
}

// BuildInventory makes the inventory of one machine. topo may be nil: then no
// slot has a place and no processor a population.
func BuildInventory(sys *inventory.System, topo *population.Result, o Options) Inventory {
	sys = cmp.Or(sys, &inventory.System{})
	topo = cmp.Or(topo, &population.Result{})
	unmapped := slices.Clone(sys.Exports)
	for i := range unmapped {
		unmapped[i].Unmapped, unmapped[i].Foreign = neverNil(unmapped[i].Unmapped), neverNil(unmapped[i].Foreign)
	}
	return Inventory{
		Schema:     SchemaInventory,
		Machine:    buildMachine(&sys.Machine, topo, o.Identifiers),
		Sources:    buildSources(sys),
		Sockets:    buildSockets(sys.Sockets, topo.Processors),
		Slots:      buildSlots(sys.Slots, topo, &o),
		Nodes:      buildNodes(sys.Nodes),
		Settings:   buildSettings(sys.Settings),
		Population: buildPopulation(topo),
		Unmapped:   unmapped,

		UnplacedErrors: buildUnplacedErrors(topo.UnplacedErrors),
	}
}

func buildMachine(in *inventory.Machine, topo *population.Result, identifiers bool) inventory.Machine {
	m := *in
	if p, ok := topo.Platform.Get(); ok && p != nil {
		m.Platform = inventory.Platform{ID: nullable.String(p.ID), Name: nullable.String(p.Name), Certainty: topo.Platform.Certainty}
	}
	if !identifiers {
		m.Identifiers = inventory.Identifiers{}
	}
	return m
}

func buildSources(sys *inventory.System) []inventory.Source {
	out := slices.Clone(sys.Sources)
	for i := range out {
		out[i].NoSuch = out[i].State == fact.SourceAbsent && inventory.NoFirmwareTables(sys.Machine.Architecture.Or("")) &&
			slices.Contains([]string{inventory.SourceSMBIOS, inventory.SourceDMIID, inventory.SourceACPI}, out[i].Name)
	}
	return neverNil(out)
}

func buildSockets(in []inventory.Socket, processors []*platform.Processor) []inventory.Socket {
	out := slices.Clone(in)
	for i := range out {
		if i < len(processors) && processors[i] != nil && processors[i].MaxMTs > 0 {
			out[i].MaxMTs = fact.Known(processors[i].MaxMTs, fact.Corroborated, out[i].Brand.From)
		}
	}
	return neverNil(out)
}

func buildNodes(in []inventory.Node) []Node {
	out := make([]Node, 0, len(in))
	for _, n := range in {
		node := Node{
			ID:          n.ID,
			Kind:        n.Kind.Or(inventory.NodeUnknown),
			Socket:      n.Socket.Pointer(),
			CPUs:        fact.Convert(n.CPUs, func(cpus []int) CPUList { return CPUList(humanize.Ranges(cpus)) }),
			MemoryBytes: n.MemoryBytes,
			Distances:   neverNil(n.Distances.Or(nil)),
			KindReason:  nullable.String(n.Kind.Reason), RatedBytesPerSecond: n.RatedBytesPerSecond, Tier: n.Tier,
			InterleaveWeight: n.InterleaveWeight,
		}
		if size := nullable.Positive(n.SideCacheBytes.Or(0)); size != nil {
			node.SideCache = &SideCache{Bytes: *size, Technology: n.SideCacheOf}
		}
		out = append(out, node)
	}
	return out
}

func buildSettings(in map[string]inventory.Setting) map[string]Setting {
	out := make(map[string]Setting, len(in))
	for id, s := range in {
		by := buildSettingValue(&s.DecidedBy)
		out[id] = Setting{
			Configured: buildSettingValue(&s.Configured),
			Pending:    buildSettingValue(&s.Pending),
			Effective:  buildSettingValue(&s.Effective),
			DecidedBy:  DecidedBy{Value: inventory.Decider(by.Value), Certainty: by.Certainty, Evidence: by.Evidence, Reason: by.Reason, KnownBy: by.KnownBy},
		}
	}
	return out
}

func buildSettingValue(f *fact.Fact[string]) Face {
	out := Face{Value: nullable.String(f.Or("")), State: FaceState(f.State.String()), Certainty: f.Certainty, Evidence: neverNil(f.Evidence())}
	if !f.Known() {
		out.Reason, out.KnownBy = nullable.String(f.Reason), nullable.String(f.KnownBy)
	}
	return out
}

func buildSlots(in []inventory.Slot, topo *population.Result, o *Options) []inventory.Slot {
	out := slices.Clone(in)
	documented := ""
	if pf, known := topo.Platform.Get(); known && o.Rules != nil {
		documented = plan.PlatformMemory(o.Rules, pf.ID)
	}
	for i := range out {
		s, at := &out[i], place.Placement{Socket: place.Unplaced, Controller: place.Unplaced, Channel: place.Unplaced, Slot: place.Unplaced, Reason: "slots were not mapped"}
		if i < len(topo.Placements) {
			at = topo.Placements[i]
		}
		s.Place = inventory.Place{Socket: nullable.Coordinate(at.Socket), Controller: nullable.Coordinate(at.Controller), Channel: nullable.Coordinate(at.Channel),
			Slot: nullable.Coordinate(at.Slot), Mapping: inventory.Mapping{Source: nullable.String(at.Source), Reason: nullable.String(at.Reason), Doubt: nullable.String(at.Doubt)}}
		if at.Source != "" {
			s.Mapping.Certainty = &at.Certainty
		} else {
			s.Mapping.Reason = cmp.Or(s.Mapping.Reason, "nothing says where the slot is")
		}
		if i < len(topo.Errors) && (topo.Errors[i].By != "" || topo.Errors[i].Log != nil) {
			s.Errors = buildErrors(topo.Errors[i])
		}
		s.Memory = purchaseType(s, documented)
		if !o.Identifiers {
			s.Serial, s.AssetTag = "", ""
		}
	}
	return neverNil(out)
}

// purchaseType is the kind of memory that advice names for a module to buy like this one, if that differs from
// firmware's; documented is what the platform takes.
func purchaseType(s *inventory.Slot, documented string) string {
	if documented == "" || s.State != inventory.SlotPopulated || !s.Type.Known() || s.Technology.Or("") != inventory.DRAM {
		return ""
	}
	if kind := plan.MemoryKind(documented, s); kind != s.Type.Value {
		return kind
	}
	return ""
}

func buildErrors(e *place.Errors) *place.Errors {
	counted := e.Corrected.Known() || e.Uncorrected.Known()
	if !counted && e.Log == nil {
		return nil
	}
	out := *e
	switch {
	case e.By == place.ByController, e.By == place.ByEvents && e.Uncorrected.From.Source != inventory.SourceEDAC, !counted:
		out.Source = inventory.SourceRedfish
	case e.By == place.ByLog:
		out.Source = inventory.SourceKernelLog
	default:
		out.Source = inventory.SourceEDAC
	}
	return &out
}

// buildUnplacedErrors leaves zeroes out: nothing happened there.
func buildUnplacedErrors(in []place.UnplacedErrors) []place.UnplacedErrors {
	var out []place.UnplacedErrors
	for _, u := range in {
		if e := buildErrors(&u.Errors); e != nil && (u.HasCounts() || u.Log != nil) {
			u.Errors = *e
			out = append(out, u)
		}
	}
	return out
}

func buildPopulation(topo *population.Result) Population {
	out := Population{Sockets: []PopulationSocket{}, Symmetric: topo.Symmetric.Pointer()}
	for _, p := range topo.Populations {
		out.Sockets = append(out.Sockets, PopulationSocket{
			Socket:            nullable.Coordinate(p.Socket),
			DIMMs:             p.DIMMs,
			ChannelsTotal:     aboveZero(p.ChannelsTotal),
			ChannelsPopulated: p.ChannelsPopulated,
			DIMMsPerChannel:   neverNil(p.DPC.Or(nil)),
			Regions:           neverNil(p.Regions.Or(nil)),
			Class:             nullable.String(p.Class.Or(population.Class{}).Name),
			ExpectedMTs:       aboveZero(fact.Convert(p.Speed, func(s population.Speed) int { return s.MTs })),
			Limiter:           p.Speed.Or(population.Speed{}).Limiter,
			PeakBytes:         aboveZero(p.Peak),
			BestBytes:         aboveZero(p.Best),
			RunningMTs:        aboveZero(p.RunningMTs),
			Relative:          population.RelativeOf(p.Relative),
			ChannelNames:      p.ChannelNames,
		})
	}
	return out
}

// addAdvice puts the plan into the report: the advice itself, and into each finding
// that it cures its ids and the remedy in a sentence.
func (r *Report) addAdvice(p *plan.Plan) {
	expensive := ""
	if p.WhyExpensive != "" {
		r.AdviceExpensive, expensive = "none is documented: "+p.WhyExpensive, " (no cheaper layout is documented: "+p.WhyExpensive+")"
	}
	r.Advice = append(r.Advice, p.Advice...)
	for i := range r.Findings {
		f := &r.Findings[i]
		for j := range p.Advice {
			a := &p.Advice[j]
			if !a.CuresFinding(f.Rule, f.Subject) {
				continue
			}
			if len(f.Advice) == 0 && a.ID != plan.Settings {
				f.Remedy = nullable.String(stepsSentence(&r.Advice[j], &r.Inventory) + expensive)
			}
			f.Advice = humanize.AddNew(f.Advice, string(a.ID)) // two exchanges are one word
		}
		if p.Why != "" && f.Remedy != "" && f.Result == verdict.Fail && p.IsAskedFor(f.Rule, f.Subject) {
			f.Remedy = nullable.String(string(f.Remedy) + " (no layout is advised: " + p.Why + ")")
		}
	}
}

func stepsSentence(a *plan.Advice, inv *Inventory) string {
	out := strings.Join(humanize.Each(StepLines(a.Steps, inv), func(line StepLine) string { return line.Text }), "; ")
	if a.GivenUpBytes > 0 {
		out += ", which gives up " + humanize.Size(a.GivenUpBytes)
	}
	return out
}

// aboveZero is not known for 0, which has no speed and no channel.
func aboveZero[T int | int64](f fact.Fact[T]) fact.Fact[T] {
	if f.Or(0) <= 0 {
		return fact.Fact[T]{State: fact.Absent}
	}
	return f
}

// neverNil is never nil, so that JSON has [] and not null.
func neverNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// CPUList is a list of CPUs as the kernel writes it, "0-5,12-17"; "" for a node without CPUs.
type CPUList string
