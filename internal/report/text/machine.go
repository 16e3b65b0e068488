package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/report"
)

// machine prints the lines that say which machine this is.
func (p *printer) machine(inv *report.Inventory) {
	m := &inv.Machine
	pieces := []string{productName(m)}
	pieces = append(pieces, processors(inv.Sockets)...)
	pieces = append(pieces, capacities(inv)...)
	if s := biosName(&m.BIOS); s != "" {
		pieces = append(pieces, s)
	}
	p.units(p.label(0, "memaudit"), pieces)
	p.units(p.label(0, "platform"), platformLines(m))
}

// productName is vendor and product, without saying the vendor twice.
func productName(m *report.Machine) string {
	vendor, product := report.OrEmpty(m.Vendor), report.OrEmpty(m.Product)
	switch {
	case product == "" && vendor == "":
		return "machine of unknown make"
	case product == "":
		return vendor + ", model not known"
	case vendor == "":
		return product
	}
	vendor = makerName(vendor)
	first, _, _ := strings.Cut(vendor, " ")
	if strings.HasPrefix(strings.ToLower(product), strings.ToLower(first)) {
		return product
	}
	return vendor + " " + product
}

// makerName leaves a company's legal form away: "Dell Inc." is Dell.
func makerName(vendor string) string {
	for _, form := range [...]string{" Inc.", " Inc", " Corporation", " Corp.", " Ltd.", " Co."} {
		vendor = strings.TrimSuffix(strings.TrimSuffix(vendor, form), ",")
	}
	return vendor
}

func biosName(b *report.BIOS) string {
	version, date := report.OrEmpty(b.Version), report.OrEmpty(b.Date)
	switch {
	case version == "" && date == "":
		return ""
	case version == "":
		return "BIOS of " + isoDate(date)
	case date == "":
		return "BIOS " + version
	default:
		return "BIOS " + version + " (" + isoDate(date) + ")"
	}
}

// platformLines is the recognised platform, and that the machine is a guest.
func platformLines(m *report.Machine) []string {
	var out []string
	for _, s := range [...]*string{m.Platform.ID, m.Platform.Name} {
		if s != nil {
			out = append(out, *s)
		}
	}
	if len(out) == 0 {
		out = append(out, "not recognised")
	}
	if m.Platform.Certainty == fact.Indirect.String() {
		out = append(out, "by one source only")
	}
	if m.Virtual != nil && *m.Virtual {
		out = append(out, "virtual machine"+inBrackets(report.OrEmpty(m.Hypervisor)))
	}
	return out
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// processors counts the populated sockets by model: "2 x Xeon X5670".
func processors(sockets []report.Socket) []string {
	t := tally{}
	for i := range sockets {
		s := &sockets[i]
		if s.Populated != nil && !*s.Populated {
			continue
		}
		name := "processor of unknown model"
		if s.Model != nil {
			name = processorName(*s.Model)
		}
		t.add(name, 1)
	}
	out := make([]string, 0, len(t))
	for _, e := range t {
		out = append(out, strconv.FormatInt(e.n, 10)+" x "+e.name)
	}
	return out
}

// capacities sums the modules by technology: "24 GiB DDR3". A module whose
// size is not known makes it a lower bound. Without modules the kernel's own
// count stands in, and says so.
func capacities(inv *report.Inventory) []string {
	t, open := tally{}, false
	var kinds []string
	for i := range inv.Slots {
		s := &inv.Slots[i]
		technology := report.OrEmpty(s.Technology)
		switch {
		case s.State == string(inventory.SlotEmpty), technology == string(inventory.Flash), technology == string(inventory.Other):
			continue
		case s.SizeBytes == nil:
			open = true
			continue
		case technology == string(inventory.DRAM) && s.Type != nil && !slices.Contains(kinds, *s.Type):
			kinds = append(kinds, *s.Type)
		}
		t.add(technology, *s.SizeBytes)
	}
	if len(t) == 0 {
		return visible(inv.Nodes)
	}
	out := make([]string, 0, len(t))
	for _, e := range t {
		out = append(out, capacity(e, kinds, open))
	}
	return out
}

func capacity(e tallied, kinds []string, open bool) string {
	s := size(e.n)
	if e.name != string(inventory.DRAM) {
		return strings.TrimSpace(s + " " + strings.ToUpper(e.name))
	}
	if len(kinds) > 0 {
		s += " " + strings.Join(kinds, " and ")
	}
	if open {
		s = "at least " + s
	}
	return s
}

// visible is the memory the kernel shows, of the nodes that say.
func visible(nodes []report.Node) []string {
	var sum int64
	for i := range nodes {
		if nodes[i].MemoryBytes == nil {
			return nil
		}
		sum += *nodes[i].MemoryBytes
	}
	if sum == 0 {
		return nil
	}
	return []string{memory(sum) + " seen by the kernel"}
}

// tally sums by name in the order of first appearance.
type tally []tallied

type tallied struct {
	name string
	n    int64
}

func (t *tally) add(name string, n int64) {
	for i := range *t {
		if (*t)[i].name == name {
			(*t)[i].n += n
			return
		}
	}
	*t = append(*t, tallied{name, n})
}
