package facts

import (
	"iter"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
)

// Machine is the source of every machine-wide object.
type Machine struct {
	sys        *inventory.System
	population *population.Result
	// wanted are the values that the selected profile wants, by setting; intent is what was asked for.
	wanted map[string][]string
	intent string
	// asked caches the subjects of each kind, so that their facts are derived once for all rules.
	asked map[string]subjectList
	// measured are the measured nodes, nil until first used.
	measured *[]*measuredNode
	// owners maps subjects to the sockets of their nodes and slots, nil until first used.
	owners map[inventory.Subject]inventory.Subject
	// differing caches how the DIMMs of each CPU differ, common how those of all do.
	differing map[*population.Population]Value
	common    *Value
}

// NewMachine returns the facts of a machine and of what was derived for it.
func NewMachine(sys *inventory.System, topo *population.Result) *Machine {
	return &Machine{sys: sys, population: topo}
}

// SetWanted sets the values that the selected profile wants, by setting, and the intent that was asked for.
func (m *Machine) SetWanted(words map[string][]string, intent string) {
	m.wanted, m.intent = words, intent
}

// Setting returns a setting; a processor that by its vendor's table has what is off was not the one that decided.
func (m *Machine) Setting(id string) inventory.Setting {
	s := m.sys.Settings[id]
	if has, _ := m.ProcessorsHave(id); has == "yes" && s.DecidedBy.Or("") == inventory.DecidedHardware {
		s.DecidedBy = fact.Known(inventory.DecidedFirmware, fact.Corroborated, s.DecidedBy.From, s.DecidedBy.More...)
	}
	return s
}

// ProcessorsHave returns whether the processors have SMT or Turbo by their vendor's table: "yes" or "no", "" if they
// differ or the table does not show it for one of them; and the name of one.
func (m *Machine) ProcessorsHave(id string) (has, name string) {
	for i, p := range m.population.Processors {
		switch {
		case i < len(m.sys.Sockets) && m.sys.Sockets[i].Populated.Known() && !m.sys.Sockets[i].Populated.Value:
		case p == nil || has != "" && has != p.Capability(id):
			return "", ""
		default:
			has, name = p.Capability(id), p.Name
		}
	}
	return has, name
}

type subjectList struct {
	list  []Subject
	known Value
}

func typedReader[S any](f func(S) Value) func(any) Value {
	return func(src any) Value { return f(src.(S)) }
}

func ofItem[S any](f func(S) any) func(any) Value {
	return func(src any) Value { return PlainValue(f(src.(S))) }
}

func machineReader(f func(m *Machine) Value) func(any) Value { return typedReader(f) }

func modulesReader(f func(m *Machine) Value) func(any) Value {
	return machineReader(func(m *Machine) Value {
		if !m.hasListedSlots() {
			return m.noPopulation()
		}
		return f(m)
	})
}

// socketFacts is the source of a socket object: one CPU with its memory, or the chipset's memory on a
// front-side-bus machine (sock nil).
type socketFacts struct {
	m    *Machine
	sock *inventory.Socket
	pop  *population.Population
}

func socketReader(f func(s *socketFacts) Value) func(any) Value { return typedReader(f) }

func populationReader(f func(s *socketFacts) Value) func(any) Value {
	return socketReader(func(s *socketFacts) Value {
		if s.pop == nil || !s.m.hasListedSlots() { // CPUs are also read from the kernel: without a list of slots, having no DIMMs is unknown, not a finding
			return s.m.noPopulation()
		}
		return f(s)
	})
}

func ofPopulation(f func(p *population.Population) Value) func(any) Value {
	return populationReader(func(s *socketFacts) Value { return f(s.pop) })
}

func (m *Machine) eachDRAMModule() iter.Seq2[int, *inventory.Slot] {
	return func(yield func(int, *inventory.Slot) bool) {
		for i := range m.sys.Slots {
			if s := &m.sys.Slots[i]; s.HoldsDRAM() && !yield(i, s) {
				return
			}
		}
	}
}

func (m *Machine) ofProcessors(f func(s *inventory.Socket) Value) []Value {
	var out []Value
	for i := range m.sys.Sockets {
		if s := &m.sys.Sockets[i]; s.Populated.Or(true) {
			out = append(out, f(s))
		}
	}
	if len(out) == 0 {
		out = append(out, MissingValue(fact.Absent, "no processor is described", fact.CompleteOutput))
	}
	return out
}

// The list of slots may be incomplete (Result.Unlisted), and a slot map contradicted (mapDoubt).
func markSlotFields(fields []Field, of func(src any) (m *Machine, mapDoubt string)) []Field {
	for i := range fields {
		get := fields[i].get
		fields[i].get = func(src any) Value {
			v := get(src)
			switch m, mapDoubt := of(src); {
			case m.population.Unlisted != nil:
				return withDoubt(v, &fact.Doubt{Reason: m.population.Unlisted.DescribeDoubt(), KnownBy: fact.WholeTable})
			case v.Unverified && mapDoubt != "":
				return withDoubt(v, &fact.Doubt{Reason: mapDoubt, KnownBy: fact.SlotMap})
			default:
				return v
			}
		}
	}
	return fields
}

func (m *Machine) hasListedSlots() bool {
	return len(m.sys.Slots) > 0 && m.sys.Firmware.Lost == nil
}

func (m *Machine) noPopulation() Value {
	f := m.sys.Firmware.SMBIOS
	if !f.Known() {
		return MissingValue(f.State, f.Reason, f.KnownBy)
	}
	if p := m.sys.Firmware.Lost; p != nil {
		return MissingValue(fact.Truncated, p.DescribeHidden("modules"), fact.WholeTable)
	}
	if len(m.sys.Slots) == 0 {
		return MissingValue(fact.Absent, "the SMBIOS table lists no memory", "")
	}
	return MissingValue(fact.Absent, "the processors (type 4) are missing from the SMBIOS table (dmidecode -t memory prints none)", fact.CompleteOutput)
}

type slotFacts struct {
	m *Machine
	i int
}

type nodeFacts struct {
	m *Machine
	n *inventory.Node
}

// measuredNode is a node's local memory in the last measurement.
type measuredNode struct {
	m           *Machine
	read, triad *inventory.Measured
	path        string
}

type settingFacts struct {
	id string
	inventory.Setting
	// wanted are the values that the selected profile wants.
	wanted []string
	intent string
}

func (s *socketFacts) kernelNodes() ([]inventory.Node, Value) {
	if s.sock == nil || len(s.m.sys.Nodes) == 0 {
		return nil, MissingValue(fact.Unread, "the kernel's NUMA nodes were not read", fact.LiveNodes)
	}
	var own []inventory.Node
	for _, n := range s.m.sys.Nodes {
		if n.HasCPU.Known() && !n.HasCPU.Value {
			continue
		}
		if !n.Socket.Known() {
			return nil, valueOf(n.Socket)
		}
		if n.Socket.Value == s.sock.ID {
			own = append(own, n)
		}
	}
	return own, PlainValue(true)
}

func (s *socketFacts) countNodes(f func(inventory.Node) Value) Value {
	own, known := s.kernelNodes()
	return countNodesWhere(own, known, f)
}

func (m *Machine) nodesRead() Value {
	if len(m.sys.Nodes) > 0 {
		return PlainValue(true)
	}
	for _, s := range m.sys.Sources {
		if s.Name == inventory.SourceNUMA && s.State != fact.SourceOK {
			why := string(s.State)
			if s.Detail != "" {
				why += ": " + string(s.Detail)
			}
			return MissingValue(fact.Unread, "the kernel's NUMA nodes were not read ("+why+")", fact.LiveNodes)
		}
	}
	return MissingValue(fact.Unread, "the kernel's NUMA nodes are not part of this input", fact.LiveNodes)
}
