package platform

import (
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

type knownIdentity struct {
	cpuIdentity
	from fact.Evidence
	// kernel is true if the kernel reports the brand string, too.
	kernel bool
}

// identities lists the populated sockets' identities; what SMBIOS does not contain is taken from the kernel.
// Without sockets it returns only the kernel's processor.
func identities(sys *inventory.System) []knownIdentity {
	ids := make([]knownIdentity, 0, len(sys.Sockets)+1)
	for i := range sys.Sockets {
		s := &sys.Sockets[i]
		if populated, ok := s.Populated.Get(); !ok || !populated {
			continue
		}
		ids = append(ids, identifySocket(s, &sys.CPU))
	}
	if len(ids) == 0 && (sys.CPU.Brand.Known() || sys.CPU.Family.Known()) {
		ids = append(ids, identifySocket(&inventory.Socket{}, &sys.CPU))
	}
	return ids
}

func identifySocket(s *inventory.Socket, cpu *inventory.CPU) knownIdentity {
	id := knownIdentity{cpuIdentity: cpuIdentity{
		vendor: s.Vendor.Or(""),
		family: s.Family.Or(-1), model: s.Model.Or(-1), stepping: s.Stepping.Or(-1),
		brand: s.Brand.Or(""), series: s.Series.Or(""),
	}, from: s.Family.From, kernel: cpu.Brand.Known()}
	if id.family < 0 || id.model < 0 {
		id.family, id.model = cpu.Family.Or(-1), cpu.Model.Or(-1)
		id.stepping = cpu.Stepping.Or(-1)
		id.from = cpu.Family.From
	}
	if cpu.Brand.Known() && undecided(id.brand) {
		id.brand = cpu.Brand.Value
	}
	if id.from == (fact.Evidence{}) {
		id.from = s.Brand.From
	}
	if id.vendor == "" {
		id.vendor = cpu.Vendor.Or("")
	}
	maker := s.Manufacturer.Or("")
	if id.vendor == "" {
		id.vendor = vendorOf(id.brand + " " + maker)
	}
	if maker != "" && !isX86Vendor(id.vendor) {
		id.brand = maker + " " + id.brand
	}
	return id
}

func vendorOf(text string) string {
	text = strings.ToLower(text)
	switch {
	case strings.Contains(text, "intel"):
		return Intel
	case strings.Contains(text, "amd"), strings.Contains(text, "advanced micro devices"):
		return AMD
	default:
		return ""
	}
}

func identifyMachine(sys *inventory.System) machineIdentity {
	m := machineIdentity{product: sys.Machine.Product.Or("") + " " + sys.Machine.Board.Or("")}
	for i := range sys.Sockets {
		if sys.Sockets[i].Populated.Or(false) {
			m.sockets++
		}
	}
	for i := range sys.Slots {
		s := &sys.Slots[i]
		if s.State != inventory.SlotPopulated {
			continue
		}
		for _, f := range [...]string{s.Type.Or(""), s.FormFactor.Or("")} {
			if f != "" && !strings.Contains(m.memory, f) {
				m.memory += f + " "
			}
		}
	}
	return m
}

// SameMemory reports whether two states of one machine have the same kinds of memory for recognition, which
// reads nothing else of DIMMs.
func SameMemory(x, y *inventory.System) bool {
	return identifyMachine(x).memory == identifyMachine(y).memory
}

func isX86Vendor(v string) bool { return v == Intel || v == AMD }

// cpuIdentity identifies a processor; -1 and "" are unknown.
type cpuIdentity struct {
	vendor                  string
	family, model, stepping int
	brand                   string // manufacturer and brand string
	series                  string // firmware's name of the product family
}

func (p *cpuIdentity) signature() cpuIdentity {
	return cpuIdentity{vendor: p.vendor, family: p.family, model: p.model, stepping: p.stepping}
}

type machineIdentity struct {
	product string
	memory  string // types and form factors of the populated slots
	sockets int    // populated ones
}

// undecided reports whether the brand string does not identify a processor: no digit in it, so that a better string
// could decide, or that of an engineering sample, whose numbers are in no table.
func undecided(brand string) bool {
	return !strings.ContainsAny(brand, "123456789") || isSample(brand)
}

// isSample reports whether a brand string is that of an engineering sample: "Genuine Intel(R) CPU 0000%@", "AMD Eng
// Sample: 100-000000054-04_32/20_N".
func isSample(brand string) bool {
	return strings.Contains(brand, "0000%") || strings.Contains(brand, "Eng Sample")
}

// VendorWord normalises vendors' names; of an unknown one it keeps the first word.
func VendorWord(name string) string {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(name)), " ")
	word = strings.Trim(word, ",.")
	switch word {
	case "hpe", "hewlett-packard", "hewlett", "compaq":
		return "hp"
	case "ibm", "thinkstation":
		return "lenovo"
	case "sun", "oracle":
		return "oracle"
	default:
		return word
	}
}

// CPUVendors are the processor vendors that CPUVendor knows.
var CPUVendors = [...]string{"intel", "amd"}

// CPUVendor returns the vendor for a CPUID vendor string, "" if unknown.
func CPUVendor(vendor string) string {
	switch vendor {
	case Intel:
		return "intel"
	case AMD:
		return "amd"
	default:
		return ""
	}
}

// CPUID vendor strings.
const (
	Intel = "GenuineIntel"
	AMD   = "AuthenticAMD"
)
