package facts

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/place"
)

// Subjects lists what a rule of the given kind is evaluated for. An empty list has the reason: known and empty,
// or unknown.
func (m *Machine) Subjects(kind string) ([]Subject, Value) {
	if got, ok := m.asked[kind]; ok {
		return got.list, got.known
	}
	list, known := m.makeSubjects(kind)
	if m.asked == nil {
		m.asked = map[string]subjectList{}
	}
	m.asked[kind] = subjectList{list, known}
	return list, known
}

func (m *Machine) makeSubjects(kind string) ([]Subject, Value) {
	switch kind {
	case "socket":
		return m.socketSubjects()
	case "slot":
		return m.slotSubjects()
	case "node":
		return m.nodeSubjects()
	case "setting":
		return m.settingSubjects()
	case SubjectCounter:
		return m.counterSubjects()
	case SubjectBaseline:
		return m.changeSubjects()
	case SubjectMeasured:
		return m.measuredSubjects()
	default:
		return []Subject{{}}, PlainValue(true)
	}
}

// socketSubjects returns the populated sockets; on a front-side-bus machine also the chipset's memory, named
// machine.
func (m *Machine) socketSubjects() ([]Subject, Value) {
	var out []Subject
	t := Declared().objects["socket"]
	for i := range m.population.Populations {
		p := &m.population.Populations[i]
		facts := &socketFacts{m: m, pop: p}
		for j := range m.sys.Sockets {
			if p.Socket >= 0 && m.sys.Sockets[j].ID == p.Socket {
				facts.sock = &m.sys.Sockets[j]
			}
		}
		out = append(out, Subject{inventory.SocketSubject(p.Socket), "socket", &Object{typ: t, path: "socket", src: facts}})
	}
	if len(out) > 0 {
		return out, PlainValue(true)
	}
	for i := range m.sys.Sockets {
		s := &m.sys.Sockets[i]
		if s.Populated.Or(true) {
			out = append(out, Subject{inventory.SocketSubject(s.ID), "socket", &Object{typ: t, path: "socket", src: &socketFacts{m: m, sock: s}}})
		}
	}
	if len(out) == 0 {
		return nil, m.noPopulation()
	}
	return out, PlainValue(true)
}

// slotSubjects returns the populated slots.
func (m *Machine) slotSubjects() ([]Subject, Value) {
	if len(m.sys.Slots) == 0 {
		return nil, m.noPopulation()
	}
	var out []Subject
	t := Declared().objects["slot"]
	for i := range m.sys.Slots {
		s := &m.sys.Slots[i]
		if s.State != inventory.SlotPopulated {
			continue
		}
		out = append(out, Subject{s.Subject(), "slot", &Object{typ: t, path: "slot", src: &slotFacts{m: m, i: i}}})
	}
	return out, PlainValue(true)
}

// counterSubjects returns the populated slots and, if errors have no slot, the machine. It is the only one if
// firmware's table of the slots could not be read and the kernel counts errors.
func (m *Machine) counterSubjects() ([]Subject, Value) {
	var out []Subject
	t := Declared().objects[SubjectCounter]
	add := func(of inventory.Subject, x *counterFacts) {
		out = append(out, Subject{of, SubjectCounter, &Object{typ: t, path: SubjectCounter, src: x}})
	}
	for i := range m.sys.Slots {
		if s := &m.sys.Slots[i]; s.State == inventory.SlotPopulated {
			add(s.Subject(), &counterFacts{m: m, slot: &slotFacts{m: m, i: i}})
		}
	}
	stray := slices.Clone(m.population.UnplacedErrors)
	if len(m.sys.Slots) > 0 {
		stray = slices.DeleteFunc(stray, func(s place.UnplacedErrors) bool { return !s.Any() })
	}
	if len(stray) > 0 {
		slices.SortStableFunc(stray, func(a, b place.UnplacedErrors) int { return int(b.Corrected.Or(0) - a.Corrected.Or(0)) })
		add(inventory.Subject{}, &counterFacts{m: m, unplaced: stray})
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
	t := Declared().objects["node"]
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		out = append(out, Subject{inventory.NodeSubject(n.ID), "node", &Object{typ: t, path: "node", src: &nodeFacts{m, n}}})
	}
	return out, PlainValue(true)
}

// settingSubjects returns the settings with a value in BIOS setup, and those that the running system overrides.
// If there are none, there is nothing to compare; unknown settings are reported by the profile's rules.
func (m *Machine) settingSubjects() ([]Subject, Value) {
	var out []Subject
	t := Declared().objects["setting"]
	for _, id := range settings.IDs() {
		s := m.sys.Settings[id]
		if !s.Configured.Known() && !s.Pending.Known() && s.Configured.State != fact.Conflicting && len(s.Overrides) == 0 {
			continue
		}
		out = append(out, Subject{inventory.SettingSubject(id), "setting", &Object{typ: t, path: "setting", src: &settingFacts{id, s, m.wanted[id]}}})
	}
	known := PlainValue(true)
	if len(out) == 0 {
		known.Reason = "nothing to compare: no settings of BIOS setup are part of this input (--bios FILE, --redfish URL), and none is seen to be overridden"
	}
	return out, known
}

// changeSubjects returns the slots that have or had a DIMM, and the machine.
func (m *Machine) changeSubjects() ([]Subject, Value) {
	b, known := m.sys.Baseline, PlainValue(true)
	if b == nil {
		known.Reason = "nothing to compare with: no baseline was given (--baseline FILE, or baseline in the configuration)"
		return nil, known
	}
	var out []Subject
	t := Declared().objects[SubjectBaseline]
	for i := range b.Compared {
		c := &b.Compared[i]
		out = append(out, Subject{c.Subject, SubjectBaseline, &Object{typ: t, path: SubjectBaseline, src: c}})
	}
	return out, known
}

// measuredSubjects returns the nodes with a measurement of their local memory.
func (m *Machine) measuredSubjects() ([]Subject, Value) {
	known := PlainValue(true)
	nodes := m.local()
	if len(nodes) == 0 {
		known.Reason = m.notMeasured()
		return nil, known
	}
	var out []Subject
	t := Declared().objects[SubjectMeasured]
	for _, n := range nodes {
		out = append(out, Subject{inventory.NodeSubject(n.read.MemoryNode), SubjectMeasured, &Object{typ: t, path: SubjectMeasured, src: n}})
	}
	return out, known
}

// lists returns the objects of a list variable: all sockets, slots or nodes.
func (m *Machine) lists(variable string) Value {
	// New objects: those of a list are named by their index.
	subjects, ok := m.makeSubjects(variable[:len(variable)-1])
	if !ok.Known() {
		return ok
	}
	out := make([]*Object, len(subjects))
	for i, s := range subjects {
		out[i] = s.object
		out[i].path = variable + "[" + strconv.Itoa(i) + "]"
	}
	return PlainValue(out)
}

// Owner returns the socket that a node or slot belongs to, or the subject itself.
func (m *Machine) Owner(of inventory.Subject) inventory.Subject {
	if m.owners == nil {
		m.owners = map[inventory.Subject]inventory.Subject{}
		for i := range m.sys.Nodes {
			n := &m.sys.Nodes[i]
			m.own(inventory.NodeSubject(n.ID), n.Socket.Or(-1))
		}
		for i := range m.population.Placements {
			m.own(m.sys.Slots[i].Subject(), m.population.Placements[i].Socket)
		}
	}
	return cmp.Or(m.owners[of], of)
}

// own records the socket of a subject; a negative one is unknown.
func (m *Machine) own(part inventory.Subject, socket int) {
	if socket >= 0 {
		m.owners[part] = inventory.SocketSubject(socket)
	}
}

// SubjectMachine is the kind of subject of a machine-wide verdict.
const SubjectMachine = "machine"

// Subject is one thing that a rule is evaluated for.
type Subject struct {
	Of inventory.Subject
	// Variable is the expression variable bound to object; "" for machine.
	Variable string
	object   *Object
}

// SubjectBaseline is the kind of subject of what is compared with a baseline.
const SubjectBaseline = "baseline"

// SubjectMeasured is the kind of subject for nodes with measured local memory.
const SubjectMeasured = "measured"

// SubjectCounter is the kind of subject for memory errors: each populated slot, and the machine for errors
// without a known slot.
const SubjectCounter = "counter"
