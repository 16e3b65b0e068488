package place

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/fact"
)

// slotMap maps the slot numbers of one product line to channels, for labels that do not show them. It is one
// line of a file in rules/slots.
type slotMap struct {
	ID     string   `yaml:"id"`
	Models []string `yaml:"models"`
	// Locators are the locator rules whose number the map resolves.
	Locators []string `yaml:"locators"`
	// Groups has one entry per channel: its slot numbers in filling order.
	Groups [][]int `yaml:"groups"`
	// Second replaces Groups on the second and later CPUs.
	Second [][]int `yaml:"second"`
	// Offset is added to the numbers for each further CPU.
	Offset int `yaml:"offset"`
	// PerBoard is added to the numbers for each further memory board or riser, on which numbers restart.
	PerBoard int `yaml:"per_board"`
	// Controllers names the memory controller of each channel; empty if no document gives it.
	Controllers []int `yaml:"controllers"`
	// Unordered is true if it is unknown which slot of a channel is first.
	Unordered bool `yaml:"unordered"`
	// Unknown is the reason why the machine must not be placed; "" if it may be.
	Unknown string `yaml:"unknown"`
	// SocketsOnly is true if the CPU is known but the channel is not; Sockets is the number of CPU sockets for
	// which that is so.
	SocketsOnly bool `yaml:"sockets_only"`
	Sockets     int  `yaml:"sockets"`
	// PartWired is true if the board does not wire all channels of a CPU, so that the CPU's number of channels
	// does not apply.
	PartWired bool `yaml:"part_wired"`
	// Slots is the number of slots of the machine that the map is for, if two boards share a name; 0 is any.
	Slots int `yaml:"slots"`
	// Check is how the map was verified: doc, field, label, first, count, infer.
	Check   []string `yaml:"check"`
	Sources []string `yaml:"sources"`
	Note    string   `yaml:"note"`
}

// MapPart is the part of the compiled knowledge with the slot map for each product and pattern.
const MapPart = "slots"

var errNoSlotMap = errors.New("no slot map for this product")

// findSlotMap looks up the map of the machine's products for the locator rule; a map for its number of slots
// takes precedence. It parses only the line of the map that is needed.
func findSlotMap(k fs.FS, id identity, rule string, slots int) (*slotMap, error) {
	index, err := compiled.Part[map[string]string](k, MapPart)
	if err != nil {
		return nil, fmt.Errorf("read index of slot maps: %w", err)
	}
	for _, model := range id.models {
		where := index[model+"\t"+boardRule(rule, slots)]
		if where == "" {
			where = index[model+"\t"+rule]
		}
		if where != "" {
			return readSlotMap(k, where)
		}
	}
	return nil, errNoSlotMap
}

func boardRule(rule string, slots int) string {
	if slots == 0 {
		return rule
	}
	return rule + "/" + strconv.Itoa(slots)
}

func indexed(index, prefix string) string {
	at := strings.Index(index, "\n"+prefix)
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(index[at+1+len(prefix):], "\n")
	return line
}

func readSlotMap(k fs.FS, where string) (*slotMap, error) {
	file, id, _ := strings.Cut(where, "#")
	raw, err := fs.ReadFile(k, "slots/"+file)
	if err != nil {
		return nil, fmt.Errorf("read slot map %s: %w", where, err)
	}
	line := indexed(string(raw), "  - {id: "+id+",")
	if line == "" {
		return nil, fmt.Errorf("read slot map %s: listed in the index and missing in %s", where, file)
	}
	var m slotMap
	if err := yaml.Unmarshal([]byte("{id: "+id+","+line), &m); err != nil {
		return nil, fmt.Errorf("read slot map %s: %w", where, err)
	}
	return &m, nil
}

// certainty returns Indirect for a slot that no document, dump, label or number of slots confirms: of a map whose first
// slots alone are documented, any but these. slot counts the slots of a channel from 0.
func (m *slotMap) certainty(slot int) fact.Certainty {
	if len(m.Check) == 0 || slices.Contains(m.Check, "infer") && (slot != 0 || !slices.Contains(m.Check, "first")) {
		return fact.Indirect
	}
	return fact.Corroborated
}

func (m *slotMap) groups(socket int) [][]int {
	if socket > 0 && m.Second != nil {
		return m.Second
	}
	return m.Groups
}

func (m *slotMap) locate(socket, number int) (channel, slot int, ok bool) {
	number -= m.Offset * max(socket, 0)
	for c, slots := range m.groups(socket) {
		for s, n := range slots {
			if n == number {
				return c, s, true
			}
		}
	}
	return Unplaced, Unplaced, false
}

// owner returns the CPU of a slot number; false if the numbers are the same on every CPU, or no CPU has it.
func (m *slotMap) owner(number, sockets int) (int, bool) {
	if m.Offset == 0 && m.Second == nil {
		return Unplaced, false
	}
	for s := range sockets {
		if _, _, ok := m.locate(s, number); ok {
			return s, true
		}
	}
	return Unplaced, false
}

func (m *slotMap) depth() int {
	d := 0
	for _, g := range [][][]int{m.Groups, m.Second} {
		for _, slots := range g {
			d = max(d, len(slots))
		}
	}
	return d
}
