package report

import (
	"slices"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// BuildInventory makes the inventory of one machine. topo may be nil: then no
// slot has a place and no processor a population.
func BuildInventory(sys *inventory.System, topo *population.Result, o Options) Inventory {
	if sys == nil {
		sys = &inventory.System{}
	}
	if topo == nil {
		topo = &population.Result{}
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
		Unmapped:   buildUnmapped(sys.Exports),

		UnplacedErrors: buildUnplacedErrors(topo.UnplacedErrors),
	}
}

func buildUnmapped(in []inventory.Export) []Unmapped {
	var out []Unmapped
	for i := range in {
		x := &in[i]
		out = append(out, Unmapped{Source: x.Source, Path: x.Path, Format: x.Format, Attributes: neverNil(x.Unmapped), Untranslated: neverNil(x.Foreign)})
	}
	return out
}

func buildMachine(m *inventory.Machine, topo *population.Result, identifiers bool) Machine {
	out := Machine{
		Vendor:  stated(m.Vendor),
		Product: stated(m.Product),
		BIOS: BIOS{
			Vendor:  stated(m.BIOSVendor),
			Version: stated(m.BIOSVersion),
			Date:    stated(m.BIOSDate),
		},
		Virtual:    boolOrNil(m.Virtual),
		Hypervisor: stated(m.Hypervisor),
		Platform:   buildPlatform(topo.Platform),
		Host:       m.Host.Or(""),
	}
	if identifiers {
		out.Identifiers = &Identifiers{
			SystemSerial:  nullable.String(m.Identifiers.SystemSerial),
			SystemUUID:    nullable.String(m.Identifiers.SystemUUID),
			BoardSerial:   nullable.String(m.Identifiers.BoardSerial),
			ChassisSerial: nullable.String(m.Identifiers.ChassisSerial),
			AssetTag:      nullable.String(m.Identifiers.AssetTag),
		}
	}
	return out
}

func buildPlatform(f fact.Fact[*platform.Platform]) Platform {
	if !f.Known() || f.Value == nil {
		return Platform{Certainty: fact.None.String()}
	}
	return Platform{ID: nullable.String(f.Value.ID), Name: nullable.String(f.Value.Name), Certainty: f.Certainty.String()}
}

func buildSources(sys *inventory.System) []Source {
	out := make([]Source, 0, len(sys.Sources))
	for _, s := range sys.Sources {
		none := s.State == fact.SourceAbsent && inventory.NoFirmwareTables(sys.Machine.Architecture.Or("")) &&
			slices.Contains([]string{inventory.SourceSMBIOS, inventory.SourceDMIID, inventory.SourceACPI}, s.Name)
		out = append(out, Source{Name: s.Name, State: string(s.State), Detail: nullable.String(s.Detail), NoSuch: none})
	}
	return out
}

func buildSockets(in []inventory.Socket, processors []*platform.Processor) []Socket {
	out := make([]Socket, 0, len(in))
	for i := range in {
		s := &in[i]
		socket := Socket{
			ID:           s.ID,
			Designation:  stated(s.Designation),
			Populated:    boolOrNil(s.Populated),
			Model:        stated(s.Brand),
			Family:       number(s.Family),
			ModelNumber:  number(s.Model),
			Stepping:     number(s.Stepping),
			Cores:        positive(s.Cores),
			CoresEnabled: positive(s.CoresEnabled),
			Threads:      positive(s.Threads),
		}
		if i < len(processors) && processors[i] != nil {
			socket.MaxMTs = positiveOrNil(processors[i].MaxMTs)
		}
		out = append(out, socket)
	}
	return out
}

func buildNodes(in []inventory.Node) []Node {
	out := make([]Node, 0, len(in))
	for i := range in {
		n := &in[i]
		node := Node{
			ID:          n.ID,
			Kind:        string(n.Kind.Or(inventory.NodeUnknown)),
			Socket:      number(n.Socket),
			MemoryBytes: number(n.MemoryBytes),
			Distances:   []int{},
		}
		if cpus, ok := n.CPUs.Get(); ok {
			s := CPUList(cpus)
			node.CPUs = &s
		}
		if d, ok := n.Distances.Get(); ok {
			node.Distances = neverNil(d)
		}
		node.KindReason = nullable.String(n.Kind.Reason)
		node.RatedBytesPerSecond, node.Tier = positive(n.RatedBytesPerSecond), number(n.Tier)
		node.InterleaveWeight = positive(n.InterleaveWeight)
		if size := positive(n.SideCacheBytes); size != nil {
			node.SideCache = &SideCache{Bytes: *size, Technology: nullable.String(string(n.SideCacheOf.Or("")))}
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
	return DecidedBy{Value: f.Value, Certainty: f.Certainty, Evidence: f.Evidence, Reason: f.Reason, KnownBy: f.KnownBy}
}

// buildSettingValue prints one fact of a setting with its reasons.
func buildSettingValue(f *fact.Fact[string]) Face {
	out := Face{Value: stated(*f), State: f.State.String(), Certainty: f.Certainty.String(), Evidence: neverNil(f.Evidence())}
	if !f.Known() {
		out.Reason, out.KnownBy = nullable.String(f.Reason), nullable.String(f.KnownBy)
	}
	return out
}
