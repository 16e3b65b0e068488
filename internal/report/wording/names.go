package wording

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// PrintedRate is the usual name of a speed: firmware's 1067 and 2934 are 1066 and 2933.
func PrintedRate(mts int) string { return strconv.Itoa(ddr.Nominal(mts)) }

// Machine is vendor and product, without saying the vendor twice.
func Machine(m *inventory.Machine) string {
	vendor, product := report.VendorName(m.Vendor.Text()), unmarked(m.Product.Text())
	switch {
	case product == "" && vendor == "":
		return "machine of unknown make"
	case product == "":
		return vendor + ", model not known"
	case vendor == "":
		return product
	}
	first, _, _ := strings.Cut(vendor, " ")
	if strings.HasPrefix(strings.ToLower(product), strings.ToLower(first)) {
		return product
	}
	return vendor + " " + product
}

// machineType is IBM's and Lenovo's machine type behind a name: "System x3650 M4: -[7915E1G]-"; onlyType encloses what is
// nothing else: "-[TKE152BUS-2.00]-". Intel fills a name with dots.
var machineType, onlyType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:? *-\[[^\]]*\]-$| *\.{4,}$`) }),
	sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-\[(.*)\]-$`) })

// unmarked is a name from firmware without what its vendor puts around it.
func unmarked(name string) string {
	return machineType().ReplaceAllString(onlyType().ReplaceAllString(name, "$1"), "")
}

// Verdict is the machine, if its vendor is known, and the sentence of its verdict: what follows the word.
func Verdict(r *report.Report) string {
	if !r.Machine.Vendor.Known() && !r.Machine.Product.Known() {
		return r.Verdict.Sentence
	}
	return Machine(&r.Machine) + ": " + r.Verdict.Sentence
}

// BIOS is the firmware's version with its date, "" when neither is known.
func BIOS(b *inventory.BIOS) string {
	version, date := unmarked(b.Version.Text()), b.Date.Text()
	switch {
	case version == "" && date == "":
		return ""
	case version == "":
		return "BIOS of " + Date(date)
	case date == "":
		return "BIOS " + version
	default:
		return "BIOS " + version + " (" + Date(date) + ")"
	}
}

// Processors counts the populated sockets by model: "2 x Xeon X5670".
func Processors(sockets []inventory.Socket) []string {
	t := Tally{}
	for i := range sockets {
		s := &sockets[i]
		if !s.Populated.Or(true) {
			continue
		}
		name := "processor of unknown model"
		if s.Brand.Known() {
			name = Processor(s.Brand.Value)
		}
		t.Add(name, 1)
	}
	out := make([]string, 0, len(t))
	for _, e := range t {
		out = append(out, strconv.FormatInt(e.N, 10)+" x "+e.Name)
	}
	return out
}

// Capacities sums the modules by technology: "24 GiB DDR3". A module of unknown size makes it a lower limit. Without
// modules the kernel's count is used, and marked as such.
func Capacities(inv *report.Inventory) []string {
	t, open := Tally{}, false
	var kinds []string
	for i := range inv.Slots {
		s := &inv.Slots[i]
		technology := s.Technology.Or("")
		switch {
		case s.State == inventory.SlotEmpty, technology == inventory.Flash, technology == inventory.Other:
			continue
		case !s.SizeBytes.Known():
			open = true
			continue
		case technology == inventory.DRAM && s.Type.Known() && !slices.Contains(kinds, MemoryReported(s)):
			kinds = append(kinds, MemoryReported(s))
		}
		t.Add(string(technology), s.SizeBytes.Value)
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

// Memory is the kind of memory that a module is, "" when it is not known.
func Memory(s *inventory.Slot) string { return cmp.Or(s.Memory, s.Type.Text()) }

// MemoryReported is the kind of memory, with firmware's if that differs: "DDR3 (reported as DDR2)".
func MemoryReported(s *inventory.Slot) string {
	kind, stated := Memory(s), s.Type.Text()
	if strings.HasPrefix(kind, stated) { // DDR2 FB-DIMM, which firmware calls DDR2
		return kind
	}
	return kind + " (reported as " + stated + ")"
}

func capacity(e Tallied, kinds []string, open bool) string {
	s := humanize.Size(e.N)
	if e.Name != string(inventory.DRAM) {
		return strings.TrimSpace(s + " " + strings.ToUpper(e.Name))
	}
	if len(kinds) > 0 {
		s += " " + strings.Join(kinds, " and ")
	}
	if open {
		s = "at least " + s
	}
	return s
}

// visible is the memory the kernel shows, of the nodes that report it.
func visible(nodes []report.Node) []string {
	var sum int64
	for i := range nodes {
		if !nodes[i].MemoryBytes.Known() {
			return nil
		}
		sum += nodes[i].MemoryBytes.Value
	}
	if sum == 0 {
		return nil
	}
	return []string{humanize.Size(sum) + " seen by the kernel"}
}

// Boards names, by controller, the board of a processor's slots, if their own labels repeat and the banks distinguish
// them: 1A on MEM-A, and 1A on MEM-B. It is empty if labels are unique, or if a controller's slots are on several
// boards, or two controllers' on one.
func Boards(inv *report.Inventory, slots []*inventory.Slot) map[int]string {
	labels, boards, controllers := map[string]bool{}, map[int]string{}, map[string]int{}
	repeated := false
	for _, s := range slots {
		bank := s.BankLocator.Text()
		if s.Controller == nil || bank == "" {
			return nil
		}
		known, seen := boards[*s.Controller]
		owner, owned := controllers[bank]
		if seen && known != bank || owned && owner != *s.Controller {
			return nil
		}
		boards[*s.Controller], controllers[bank] = bank, *s.Controller
		label := s.Locator.Text()
		repeated = repeated || labels[label]
		labels[label] = true
	}
	if !repeated {
		return nil
	}
	processor := report.Designation(inv, slots[0].Socket)
	for id, bank := range boards {
		if short := strings.TrimLeft(strings.TrimPrefix(bank, processor), " _-/.:"); short != "" {
			bank = short
		}
		boards[id] = printable.Clean(bank)
	}
	return boards
}

// CommonPrefix returns the common prefix of a CPU's slot names, up to a separator or the word DIMM. Without it
// DIMM_A1 and DIMM_A2 are A1 and A2.
func CommonPrefix(slots []*inventory.Slot) string {
	if len(slots) < 2 {
		return ""
	}
	prefix := slots[0].Locator.Text()
	for _, s := range slots[1:] {
		for !strings.HasPrefix(s.Locator.Text(), prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	cut := strings.LastIndexAny(prefix, " _-:./#") + 1
	for _, word := range [...]string{"DIMM", "Dimm", "dimm"} {
		if i := strings.LastIndex(prefix, word); i >= 0 {
			cut = max(cut, i+len(word))
		}
	}
	return prefix[:cut]
}
