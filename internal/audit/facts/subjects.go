package facts

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

// Subjects lists what a rule of the given kind is evaluated for. An empty list has the reason: known and empty,
// or unknown.
func (m *Machine) Subjects(kind string) ([]Subject, Value) {
	if got, ok := m.asked[kind]; ok {
		return got.list, got.known
	}
	list, known := []Subject{{}}, PlainValue(true)
	switch kind {
	case "socket":
		list, known = m.socketSubjects()
	case "slot":
		list, known = m.slotSubjects()
	case "node":
		list, known = m.nodeSubjects()
	case "setting":
		list, known = m.settingSubjects()
	case SubjectCounter:
		list, known = m.counterSubjects()
	case SubjectDevice:
		list, known = m.deviceSubjects()
	case SubjectBaseline:
		list, known = m.changeSubjects()
	case SubjectMeasured:
		list, known = m.measuredSubjects()
	}
	if m.asked == nil {
		m.asked = map[string]subjectList{}
	}
	m.asked[kind] = subjectList{list, known}
	return list, known
}

// A front-side-bus machine has the chipset's memory, named machine, instead.
func (m *Machine) socketSubjects() ([]Subject, Value) {
	var out []Subject
	for i := range m.population.Populations {
		p := &m.population.Populations[i]
		out = append(out, newSubject(inventory.SocketSubject(p.Socket), "socket", m.ofSocket(p)))
	}
	for _, s := range m.doubtfulSockets() {
		out = append(out, newSubject(inventory.SocketSubject(s.ID), "socket", &socketFacts{m: m, sock: s}))
	}
	if len(out) == 0 {
		return nil, m.noPopulation()
	}
	return out, PlainValue(true)
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
func (m *Machine) slotSubjects() ([]Subject, Value) {
	if len(m.sys.Slots) == 0 {
		return nil, m.noPopulation()
	}
	var out []Subject
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated || hasUnknownSize(s) {
			out = append(out, newSubject(s.Subject(), "slot", &slotFacts{m: m, i: i}))
		}
	}
	return out, PlainValue(true)
}

// The machine is one if errors have no slot, the only one if the table of slots could not be read and the kernel counts.
func (m *Machine) counterSubjects() ([]Subject, Value) {
	var out []Subject
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated {
			out = append(out, newSubject(s.Subject(), SubjectCounter, &counterFacts{m: m, slot: &slotFacts{m: m, i: i}}))
		}
	}
	stray := slices.Clone(m.population.UnplacedErrors)
	if len(m.sys.Slots) > 0 {
		stray = slices.DeleteFunc(stray, func(s place.UnplacedErrors) bool { return !s.HasCounts() && len(s.Standing()) == 0 })
	}
	if len(stray) > 0 {
		slices.SortStableFunc(stray, func(a, b place.UnplacedErrors) int { return cmp.Compare(b.Corrected.Or(0), a.Corrected.Or(0)) })
		out = append(out, newSubject(inventory.Subject{}, SubjectCounter, &counterFacts{m: m, unplaced: stray}))
	}
	if len(out) == 0 && len(m.sys.Slots) == 0 {
		return nil, m.noPopulation()
	}
	return out, PlainValue(true)
}

func (m *Machine) nodeSubjects() ([]Subject, Value) {
	if v := m.nodesRead(); !v.Known() {
		return nil, v
	}
	var out []Subject
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		out = append(out, newSubject(inventory.NodeSubject(n.ID), "node", &nodeFacts{m, n}))
	}
	return out, PlainValue(true)
}

// settingSubjects have a value in BIOS setup, or the system overrides them; unknown ones are reported by the profile's rules.
func (m *Machine) settingSubjects() ([]Subject, Value) {
	var out []Subject
	for _, id := range settings.IDs() {
		s := m.Setting(id)
		if !s.Configured.Known() && !s.Pending.Known() && s.Configured.State != fact.Conflicting && len(s.Overrides) == 0 {
			continue
		}
		out = append(out, newSubject(inventory.SettingSubject(id), "setting", &settingFacts{id, s, m.wanted[id], m.intent}))
	}
	known := PlainValue(true)
	if len(out) == 0 {
		known.Reason = "nothing to compare: no settings of BIOS setup are part of this input (--bios FILE, --redfish URL), and none is seen to be overridden"
	}
	return out, known
}

func (m *Machine) changeSubjects() ([]Subject, Value) {
	b, known := m.sys.Baseline, PlainValue(true)
	if b == nil {
		known.Reason = "nothing to compare with: no baseline was given (--baseline FILE, or baseline in the configuration)"
		return nil, known
	}
	var out []Subject
	for i := range b.Compared {
		c := &b.Compared[i]
		out = append(out, newSubject(c.Subject, SubjectBaseline, c))
	}
	return out, known
}

func (m *Machine) measuredSubjects() ([]Subject, Value) {
	known := PlainValue(true)
	nodes := m.localMeasurements()
	if len(nodes) == 0 {
		known.Reason = m.notMeasured()
		return nil, known
	}
	var out []Subject
	for _, n := range nodes {
		out = append(out, newSubject(inventory.NodeSubject(n.read.MemoryNode), SubjectMeasured, n))
	}
	return out, known
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
		for i := range m.sys.Nodes {
			n := &m.sys.Nodes[i]
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

func newSubject(of inventory.Subject, kind string, src any) Subject {
	return Subject{of, kind, &Object{typ: Declared().objects[kind], path: kind, src: src}}
}
