package report

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// BuildInventory makes the inventory of one machine. topo may be nil: then no
// slot has a place and no processor a population.
func BuildInventory(sys *inventory.System, topo *population.Result, o Options) Inventory {
	sys = cmp.Or(sys, &inventory.System{})
	topo = cmp.Or(topo, &population.Result{})
	return Inventory{
		Schema:     SchemaInventory,
		Machine:    buildMachine(&sys.Machine, topo, o.Identifiers),
		Sources:    buildSources(sys),
		Sockets:    buildSockets(sys.Sockets, topo.Processors),
		Slots:      buildSlots(sys.Slots, topo, &o),
		Nodes:      buildNodes(sys.Nodes),
		Settings:   buildSettings(sys.Settings),
		Population: buildPopulation(topo),
		Unmapped:   buildUnmapped(sys.Exports),

		UnplacedErrors: buildUnplacedErrors(topo.UnplacedErrors),
	}
}

func buildUnmapped(in []inventory.Export) []inventory.Export {
	out := slices.Clone(in)
	for i := range out {
		out[i].Unmapped, out[i].Foreign = neverNil(out[i].Unmapped), neverNil(out[i].Foreign)
	}
	return out
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
	for i := range in {
		n := &in[i]
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
		out[id] = Setting{
			Configured: buildSettingValue(&s.Configured),
			Pending:    buildSettingValue(&s.Pending),
			Effective:  buildSettingValue(&s.Effective),
			DecidedBy:  buildDecidedBy(&s.DecidedBy),
		}
	}
	return out
}

func buildDecidedBy(by *fact.Fact[string]) DecidedBy {
	f := buildSettingValue(by)
	return DecidedBy{Value: inventory.Decider(f.Value), Certainty: f.Certainty, Evidence: f.Evidence, Reason: f.Reason, KnownBy: f.KnownBy}
}

func buildSettingValue(f *fact.Fact[string]) Face {
	out := Face{Value: nullable.String(f.Or("")), State: FaceState(f.State.String()), Certainty: f.Certainty, Evidence: neverNil(f.Evidence())}
	if !f.Known() {
		out.Reason, out.KnownBy = nullable.String(f.Reason), nullable.String(f.KnownBy)
	}
	return out
}
