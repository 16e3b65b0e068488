package facts

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/population"
)

// SubjectMachine is the subject of a machine-wide verdict.
const SubjectMachine = "machine"

// Subject is one thing a rule is asked of.
type Subject struct {
	Name string
	// Variable is the expression variable bound to object; "" for machine.
	Variable string
	object   *Object
}

// Subjects lists what a rule of the given kind is asked of. An empty list
// comes with the reason: known and empty, or not known.
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
	case SubjectBaseline:
		return m.changeSubjects()
	case SubjectMeasured:
		return m.measuredSubjects()
	default:
		return []Subject{{Name: SubjectMachine}}, Plain(true)
	}
}

// socketSubjects are the populated sockets; on a front-side-bus machine the
// chipset's memory is one more, named machine.
func (m *Machine) socketSubjects() ([]Subject, Value) {
	var out []Subject
	t := Declared().objects["socket"]
	for i := range m.topo.Populations {
		p := &m.topo.Populations[i]
		facts := &socketFacts{m: m, pop: p}
		for j := range m.sys.Sockets {
			if p.Socket >= 0 && m.sys.Sockets[j].ID == p.Socket {
				facts.sock = &m.sys.Sockets[j]
			}
		}
		out = append(out, Subject{SubjectOfPopulation(p), "socket", &Object{typ: t, path: "socket", src: facts}})
	}
	if len(out) > 0 {
		return out, Plain(true)
	}
	for i := range m.sys.Sockets {
		s := &m.sys.Sockets[i]
		if s.Populated.Or(true) {
			out = append(out, Subject{"socket " + itoa(s.ID), "socket", &Object{typ: t, path: "socket", src: &socketFacts{m: m, sock: s}}})
		}
	}
	if len(out) == 0 {
		return nil, m.noPopulation()
	}
	return out, Plain(true)
}

// slotSubjects are the populated slots.
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
		out = append(out, Subject{SlotSubject(s), "slot", &Object{typ: t, path: "slot", src: &slotFacts{m: m, i: i}}})
	}
	return out, Plain(true)
}

// SlotSubject names a slot as findings do: slot 0x1101 (DIMM_A4).
func SlotSubject(s *inventory.Slot) string {
	return fmt.Sprintf("slot 0x%04X (%s)", s.Handle, s.Locator.Or("no name"))
}

func (m *Machine) nodeSubjects() ([]Subject, Value) {
	if v := m.nodesRead(); !v.Known() {
		return nil, v
	}
	var out []Subject
	t := Declared().objects["node"]
	for i := range m.sys.Nodes {
		n := &m.sys.Nodes[i]
		out = append(out, Subject{"node " + itoa(n.ID), "node", &Object{typ: t, path: "node", src: n}})
	}
	return out, Plain(true)
}

// SubjectOfPopulation names the processor of a population, or the machine on a
// front-side bus.
func SubjectOfPopulation(p *population.Population) string {
	if p.Socket < 0 {
		return SubjectMachine
	}
	return "socket " + itoa(p.Socket)
}

// lists gives the objects of a list variable: all sockets, slots or nodes.
func (m *Machine) lists(variable string) Value {
	// Objects of their own: a list's objects are named by their place in it.
	subjects, ok := m.makeSubjects(variable[:len(variable)-1])
	if !ok.Known() {
		return ok
	}
	out := make([]*Object, len(subjects))
	for i, s := range subjects {
		out[i] = s.object
		out[i].path = variable + "[" + itoa(i) + "]"
	}
	return Plain(out)
}

// Owner names the socket that a node or slot belongs to, else the subject
// itself.
func (m *Machine) Owner(name string) string {
	if m.owners == nil {
		m.owners = map[string]string{}
		for i := range m.sys.Nodes {
			n := &m.sys.Nodes[i]
			m.own("node "+itoa(n.ID), n.Socket.Or(-1))
		}
		for i := range m.topo.Placements {
			if i < len(m.sys.Slots) {
				m.own(SlotSubject(&m.sys.Slots[i]), m.topo.Placements[i].Socket)
			}
		}
	}
	return cmp.Or(m.owners[name], name)
}

// own notes the socket of a subject; a negative one is not known.
func (m *Machine) own(name string, socket int) {
	if socket >= 0 {
		m.owners[name] = "socket " + itoa(socket)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// plural prints a count with its noun: "1 DIMM", "2 DIMMs".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}
