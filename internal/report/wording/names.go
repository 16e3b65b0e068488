// Package wording has the words that every writer for people uses: names of
// machines and processors, speeds and shares.
package wording

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// PrintedRate is the usual name of a speed: firmware's 1067 and 2934 are 1066 and 2933.
func PrintedRate(mts int) string { return strconv.Itoa(ddr.Nominal(mts)) }

// MachineName is vendor and product, without saying the vendor twice.
func MachineName(m *inventory.Machine) string {
	vendor, product := report.VendorName(m.Vendor.Text()), plainName(m.Product.Text())
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
var machineType, onlyType = lazy.Pattern(`:? *-\[[^\]]*\]-$| *\.{4,}$`),
	lazy.Pattern(`^-\[(.*)\]-$`)

// plainName is a name from firmware without what its vendor puts around it.
func plainName(name string) string {
	return machineType().ReplaceAllString(onlyType().ReplaceAllString(name, "$1"), "")
}

// VerdictSentence is the machine, if its vendor is known, and the sentence of its verdict: what follows the word.
func VerdictSentence(r *report.Report) string {
	if !r.Machine.Vendor.Known() && !r.Machine.Product.Known() {
		return r.Verdict.Sentence
	}
	return MachineName(&r.Machine) + ": " + r.Verdict.Sentence
}

// DescribeBIOS is the firmware's version with its date, "" when neither is known.
func DescribeBIOS(b *inventory.BIOS) string {
	version, date := plainName(b.Version.Text()), b.Date.Text()
	switch {
	case version == "" && date == "":
		return ""
	case version == "":
		return "BIOS of " + FormatDate(date)
	case date == "":
		return "BIOS " + version
	default:
		return "BIOS " + version + " (" + FormatDate(date) + ")"
	}
}

// PlatformNames is the recognised platform, and whether the machine is a guest.
func PlatformNames(m *inventory.Machine) []string {
	out := slices.DeleteFunc([]string{string(m.Platform.ID), string(m.Platform.Name)}, func(s string) bool { return s == "" })
	if len(out) == 0 {
		out = append(out, "not recognised")
	}
	if m.Platform.Certainty == fact.Indirect {
		out = append(out, "by one source only")
	}
	if m.Virtual.Or(false) {
		out = append(out, "virtual machine"+InBrackets(m.Hypervisor.Text()))
	}
	return out
}

// SettingReadings lists what the known values of a setting were read from, each once.
func SettingReadings(s *report.Setting) []string {
	var out []string
	add := func(known bool, evidence []fact.Evidence) {
		for i := range evidence {
			if known {
				out = humanize.AddNew(out, FormatReading(&evidence[i]))
			}
		}
	}
	for _, f := range []report.Face{s.Configured, s.Pending, s.Effective} {
		add(f.Value != "", f.Evidence)
	}
	add(s.DecidedBy.Value != "", s.DecidedBy.Evidence)
	return out
}

// CountProcessors counts the populated sockets by model: "2 x Xeon X5670".
func CountProcessors(sockets []inventory.Socket) []string {
	var models humanize.Groups[int]
	for _, s := range sockets {
		if !s.Populated.Or(true) {
			continue
		}
		name := "processor of unknown model"
		if s.Brand.Known() {
			name = ProcessorName(s.Brand.Value)
		}
		models.Add(name, s.ID)
	}
	return humanize.Each(models.Names, func(name string) string { return strconv.Itoa(len(models.Of[name])) + " x " + name })
}

// SumCapacities sums the modules by technology: "24 GiB DDR3". A module of unknown size makes it a lower limit. Without
// modules the kernel's count is used, and marked as such.
func SumCapacities(inv *report.Inventory) []string {
	var sizes humanize.Groups[int64]
	var kinds []string
	open := false
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
		sizes.Add(string(technology), s.SizeBytes.Value)
	}
	if len(sizes.Names) == 0 {
		return visibleMemory(inv.Nodes)
	}
	return humanize.Each(sizes.Names, func(technology string) string {
		var sum int64
		for _, bytes := range sizes.Of[technology] {
			sum += bytes
		}
		return capacityText(technology, sum, kinds, open)
	})
}

// MemoryKind is the kind of memory that a module is, "" when it is not known.
func MemoryKind(s *inventory.Slot) string { return cmp.Or(s.Memory, s.Type.Text()) }

// MemoryReported is the kind of memory, with firmware's if that differs: "DDR3 (reported as DDR2)".
func MemoryReported(s *inventory.Slot) string {
	kind, stated := MemoryKind(s), s.Type.Text()
	if strings.HasPrefix(kind, stated) { // DDR2 FB-DIMM, which firmware calls DDR2
		return kind
	}
	return kind + " (reported as " + stated + ")"
}

func capacityText(technology string, bytes int64, kinds []string, open bool) string {
	s := humanize.Size(bytes)
	if technology != string(inventory.DRAM) {
		return strings.TrimSpace(s + " " + strings.ToUpper(technology))
	}
	if len(kinds) > 0 {
		s += " " + strings.Join(kinds, " and ")
	}
	if open {
		s = "at least " + s
	}
	return s
}

func visibleMemory(nodes []report.Node) []string {
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

// ShortNames returns the names of a CPU's slots without what all of them have: DIMM_A1 and DIMM_A2 are A1 and A2 after the
// prefix DIMM_. Of slots named by both labels, each label is shortened: A DIMM 1 of P0 CHANNEL A DIMM 1, A if all are DIMM 1.
func ShortNames(slots []*inventory.Slot) (prefix string, names map[inventory.Handle]string) {
	names = map[inventory.Handle]string{}
	labels := []func(s *inventory.Slot) string{(*inventory.Slot).Name}
	if !slices.ContainsFunc(slots, func(s *inventory.Slot) bool { return s.Unique == "" }) {
		labels = []func(s *inventory.Slot) string{firstLabel, func(s *inventory.Slot) string {
			return strings.TrimSpace(strings.TrimPrefix(s.Unique, firstLabel(s)))
		}}
	}
	for i, label := range labels {
		common, differ := commonPrefix(slots, label)
		prefix = cmp.Or(prefix, common)
		for _, s := range slots {
			short := strings.TrimPrefix(label(s), common)
			if _, err := strconv.Atoi(short); i > 0 && err == nil { // a number alone could be a size
				short = label(s)
			}
			if differ {
				names[s.Handle] = strings.TrimSpace(names[s.Handle] + " " + printable.Clean(short))
			}
		}
	}
	return prefix, names
}

// firstLabel is the first of the two labels that a slot's name consists of.
func firstLabel(s *inventory.Slot) string {
	if bank := s.BankLocator.Text(); strings.HasPrefix(s.Unique, bank) {
		return bank
	}
	return s.Locator.Text()
}

// commonPrefix returns the common beginning of the slots' labels, up to a separator or the word DIMM, and whether they
// differ.
func commonPrefix(slots []*inventory.Slot, label func(s *inventory.Slot) string) (common string, differ bool) {
	if len(slots) < 2 {
		return "", true
	}
	common = label(slots[0])
	for _, s := range slots[1:] {
		differ = differ || label(s) != label(slots[0])
		for !strings.HasPrefix(label(s), common) {
			common = common[:len(common)-1]
		}
	}
	cut := strings.LastIndexAny(common, " _-:./#") + 1
	for _, word := range [...]string{"DIMM", "Dimm", "dimm"} {
		if i := strings.LastIndex(common, word); i >= 0 {
			cut = max(cut, i+len(word))
		}
	}
	return common[:cut], differ
}

// Percent writes a share in hundredths, without the sign: "33".
func Percent(share float64) string {
	return strconv.FormatFloat(share*100, 'f', 0, 64)
}

// FormatDate turns SMBIOS's month/day/year into year-month-day; anything else, also an invalid date, is returned unchanged.
func FormatDate(s string) string {
	day, err := time.Parse("01/02/2006", s)
	if err != nil {
		return s
	}
	return day.Format(time.DateOnly)
}

// ProcessorName shortens a brand string to the usual name of the processor: "Intel(R) Xeon(R) CPU X5670 @ 2.93GHz" is a
// Xeon X5670. A string that names no product keeps its words; Intel's samples print "Genuine Intel(R) CPU 0000%@".
func ProcessorName(brand string) string {
	if strings.Contains(brand, "Intel") && strings.Contains(brand, "0000%") {
		return "Intel engineering sample"
	}
	brand, _, _ = strings.Cut(brand, "@")
	brand = strings.NewReplacer("(R)", " ", "(r)", " ", "(TM)", " ", "(tm)", " ").Replace(brand)
	kept := make([]string, 0, 4)
	for w := range strings.FieldsSeq(brand) {
		if !strings.HasSuffix(w, "-Core") && !slices.Contains([]string{"CPU", "Processor", "processor", "Intel", "AMD", "Genuine"}, w) {
			kept = append(kept, w)
		}
	}
	short := strings.ReplaceAll(strings.Join(kept, " "), " -", "-") // "AMD FX(tm)-8120" is one word
	if !strings.ContainsFunc(short, unicode.IsLetter) {
		return strings.Join(strings.Fields(brand), " ")
	}
	return short
}
