package facts

import (
	"cmp"
	"iter"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/place"
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

func (m *Machine) ofSlots(slots []int, f func(s *inventory.Slot) Value) []Value {
	out := make([]Value, len(slots))
	for i, at := range slots {
		out[i] = f(&m.sys.Slots[at])
	}
	return out
}

func (m *Machine) slotNames(slots []int) []string {
	out := make([]string, len(slots))
	for i, at := range slots {
		out[i] = m.sys.Slots[at].Name()
	}
	return out
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

// subjectKinds add the subjects of each kind but the machine, with the sources of their facts. If there is none, the reason is
// known, or it is unknown whether there are some.
var subjectKinds = map[string]func(m *Machine, add func(of inventory.Subject, src any)) (none Value){
	"socket": (*Machine).socketSubjects, "slot": (*Machine).slotSubjects, "node": (*Machine).nodeSubjects, "setting": (*Machine).settingSubjects,
	SubjectCounter: (*Machine).counterSubjects, SubjectDevice: (*Machine).deviceSubjects, SubjectBaseline: (*Machine).changeSubjects,
	SubjectMeasured: (*Machine).measuredSubjects,
}

// Subjects lists what a rule of the given kind is evaluated for. An empty list has the reason: known and empty,
// or unknown.
func (m *Machine) Subjects(kind string) ([]Subject, Value) {
	if got, ok := m.asked[kind]; ok {
		return got.list, got.known
	}
	list, known := []Subject{{}}, PlainValue(true)
	if addAll, ok := subjectKinds[kind]; ok {
		list = nil
		none := addAll(m, func(of inventory.Subject, src any) {
			list = append(list, Subject{of, kind, &Object{typ: Declared().objects[kind], path: kind, src: src}})
		})
		if len(list) == 0 {
			known = none
		}
	}
	if m.asked == nil {
		m.asked = map[string]subjectList{}
	}
	m.asked[kind] = subjectList{list, known}
	return list, known
}

// A front-side-bus machine has the chipset's memory, named machine, instead.
func (m *Machine) socketSubjects(add func(inventory.Subject, any)) Value {
	for i := range m.population.Populations {
		p := &m.population.Populations[i]
		add(inventory.SocketSubject(p.Socket), m.ofSocket(p))
	}
	doubtful := m.doubtfulSockets()
	for _, s := range doubtful {
		add(inventory.SocketSubject(s.ID), &socketFacts{m: m, sock: s})
	}
	if len(m.population.Populations)+len(doubtful) > 0 {
		return PlainValue(true)
	}
	return m.noPopulation()
}

func (m *Machine) ofSocket(p *population.Population) *socketFacts {
	out := &socketFacts{m: m, pop: p}
	for i := range m.sys.Sockets {
		if p.Socket >= 0 && m.sys.Sockets[i].ID == p.Socket {
			out.sock = &m.sys.Sockets[i]
		}
	}
	return out
}

// Their state is unknown, or slot labels name them and the table leaves them out, unless the kernel confirms the number.
func (m *Machine) doubtfulSockets() []*inventory.Socket {
	pops := m.population.Populations
	if len(pops) == 1 && pops[0].Socket == place.Unplaced {
		return nil // one memory controller for all
	}
	var out []*inventory.Socket
	for i := range m.sys.Sockets {
		if s := &m.sys.Sockets[i]; !s.Populated.Known() || len(pops) == 0 && s.Populated.Value {
			out = append(out, s)
		}
	}
	if packages, ok := m.sys.CPU.Packages.Get(); ok && len(packages) == len(m.sys.Running()) {
		return out
	}
	named := map[int]bool{}
	for i := range m.population.Placements {
		if at := &m.population.Placements[i]; at.Undescribed > 0 && !named[at.Undescribed] {
			named[at.Undescribed] = true
			out = append(out, &inventory.Socket{ID: at.Undescribed - 1, Handle: -1, Populated: fact.Unknown[bool](fact.Truncated, at.Reason, fact.WholeTable)})
		}
	}
	return out
}

// A slot of which firmware names the module and not the size is one.
func (m *Machine) slotSubjects(add func(inventory.Subject, any)) Value {
	if len(m.sys.Slots) == 0 {
		return m.noPopulation()
	}
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated || hasUnknownSize(s) {
			add(s.Subject(), &slotFacts{m: m, i: i})
		}
	}
	return PlainValue(true)
}

// The machine is one if errors have no slot, the only one if the table of slots could not be read and the kernel counts.
func (m *Machine) counterSubjects(add func(inventory.Subject, any)) Value {
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated {
			add(s.Subject(), &counterFacts{m: m, slot: &slotFacts{m: m, i: i}})
		}
	}
	stray := slices.Clone(m.population.UnplacedErrors)
	if len(m.sys.Slots) > 0 {
		stray = slices.DeleteFunc(stray, func(s place.UnplacedErrors) bool { return !s.HasCounts() && len(s.Standing()) == 0 })
	}
	if len(stray) > 0 {
		slices.SortStableFunc(stray, func(a, b place.UnplacedErrors) int { return cmp.Compare(b.Corrected.Or(0), a.Corrected.Or(0)) })
		add(inventory.Subject{}, &counterFacts{m: m, unplaced: stray})
	}
	if len(m.sys.Slots) == 0 {
		return m.noPopulation()
	}
	return PlainValue(true)
}

func (m *Machine) nodeSubjects(add func(inventory.Subject, any)) Value {
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		add(inventory.NodeSubject(n.ID), &nodeFacts{m, n})
	}
	return m.nodesRead()
}

// settingSubjects have a value in BIOS setup, or the system overrides them; unknown ones are reported by the profile's rules.
func (m *Machine) settingSubjects(add func(inventory.Subject, any)) Value {
	for _, id := range settings.IDs() {
		s := m.Setting(id)
		if !s.Configured.Known() && !s.Pending.Known() && s.Configured.State != fact.Conflicting && len(s.Overrides) == 0 {
			continue
		}
		add(inventory.SettingSubject(id), &settingFacts{id, s, m.wanted[id], m.intent})
	}
	return knownEmpty("nothing to compare: no settings of BIOS setup are part of this input (--bios FILE, --redfish URL), and none is seen to be overridden")
}

// knownEmpty is the value of a list that is known to be empty, with the reason.
func knownEmpty(reason string) Value {
	known := PlainValue(true)
	known.Reason = reason
	return known
}

func (m *Machine) changeSubjects(add func(inventory.Subject, any)) Value {
	if m.sys.Baseline == nil {
		return knownEmpty("nothing to compare with: no baseline was given (--baseline FILE, or baseline in the configuration)")
	}
	for i := range m.sys.Baseline.Compared {
		c := &m.sys.Baseline.Compared[i]
		add(c.Subject, c)
	}
	return PlainValue(true)
}

func (m *Machine) measuredSubjects(add func(inventory.Subject, any)) Value {
	for _, n := range m.localMeasurements() {
		add(inventory.NodeSubject(n.read.MemoryNode), n)
	}
	return knownEmpty(m.notMeasured())
}

func (m *Machine) subjectObjects(variable string) Value {
	subjects, ok := m.Subjects(variable[:len(variable)-1])
	if !ok.Known() {
		return ok
	}
	out := make([]*Object, len(subjects))
	for i, s := range subjects { // new ones: those of a list are named by their index, not as a subject
		out[i] = &Object{typ: s.object.typ, src: s.object.src}
	}
	return PlainValue(out)
}

// OwningSocket returns the socket that a node or slot belongs to, or the subject itself.
func (m *Machine) OwningSocket(of inventory.Subject) inventory.Subject {
	if m.owners == nil {
		m.owners = map[inventory.Subject]inventory.Subject{}
		own := func(part inventory.Subject, socket int) {
			if socket >= 0 { // known
				m.owners[part] = inventory.SocketSubject(socket)
			}
		}
		for _, n := range m.sys.Nodes {
			own(inventory.NodeSubject(n.ID), n.Socket.Or(-1))
		}
		for i := range m.population.Placements {
			own(m.sys.Slots[i].Subject(), m.population.Placements[i].Socket)
		}
	}
	return cmp.Or(m.owners[of], of)
}

// The kinds of subject besides socket, slot, node and setting.
const (
	SubjectMachine = "machine"
	// SubjectBaseline is what is compared with a baseline, SubjectMeasured a node with measured local memory.
	SubjectBaseline = "baseline"
	SubjectMeasured = "measured"
	// SubjectCounter is for memory errors: each populated slot, and the machine for errors without a known slot.
	SubjectCounter = "counter"
	// SubjectDevice is a PCI device whose NUMA node matters.
	SubjectDevice = "device"
)

// Subject is one thing that a rule is evaluated for.
type Subject struct {
	Of inventory.Subject
	// Variable is the expression variable bound to object; "" for machine.
	Variable string
	object   *Object
}
