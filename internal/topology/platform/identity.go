package platform

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
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

// What SMBIOS does not contain is taken from the kernel, without sockets its processor alone.
func listIdentities(sys *inventory.System) []knownIdentity {
	ids := make([]knownIdentity, 0, len(sys.Sockets)+1)
	for i := range sys.Sockets {
		if s := &sys.Sockets[i]; s.Populated.Or(false) {
			ids = append(ids, identifySocket(s, &sys.CPU))
		}
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
	if cpu.Brand.Known() && isUndecidedBrand(id.brand) {
		id.brand = cpu.Brand.Value
	}
	id.from = cmp.Or(id.from, s.Brand.From)
	maker := s.Manufacturer.Or("")
	id.vendor = cmp.Or(id.vendor, cpu.Vendor.Or(""), vendorInText(id.brand+" "+maker))
	if maker != "" && !isX86Vendor(id.vendor) {
		id.brand = maker + " " + id.brand
	}
	return id
}

func vendorInText(text string) string {
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

// Without a digit a better string could decide, and the numbers of engineering samples are in no table.
func isUndecidedBrand(brand string) bool {
	return !strings.ContainsAny(brand, "123456789") || isSample(brand)
}

// Strings are like "Genuine Intel(R) CPU 0000%@" and "AMD Eng Sample: 100-000000054-04_32/20_N".
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

// CPUID vendor strings.
const (
	Intel = "GenuineIntel"
	AMD   = "AuthenticAMD"
)

// ProductName returns the machine's product and board, as the patterns of the platform files expect them.
func ProductName(m *inventory.Machine) string {
	product, board := m.Product.Or(""), m.Board.Or("")
	if board == "" || board == product {
		return product
	}
	return strings.TrimSpace(product + " " + board)
}

// FindBoard returns the first board with a matching pattern, nil if there is none.
func FindBoard(boards []Board, product string) *Board {
	for i := range boards {
		if product != "" && matchesPattern(boards[i].Product, product) {
			return &boards[i]
		}
	}
	return nil
}

// Document returns the document of a key as "vendor, title"; the key itself if the document is not listed (a
// site's own platform).
func (p *Platform) Document(key string) string {
	for _, d := range append([]Document{{Citation: p.Citation}}, p.Documents...) {
		if d.Key == key && d.Title != "" {
			return d.Vendor + ", " + d.Title
		}
	}
	return key
}

// MeasuredOn lists the measurements that apply to a product.
func (p *Platform) MeasuredOn(product string) []*Measurement {
	var out []*Measurement
	for i := range p.Measured {
		if m := &p.Measured[i]; m.Product == "" || matchesPattern(m.Product, product) {
			out = append(out, m)
		}
	}
	return out
}

// LengthOfName returns the length of the name in a list of models that a product starts with, 0 if none does. A
// version or a generation after the name is another model; words after a slash or in brackets are another name
// of the same board.
func LengthOfName(models, product string) int {
	longest := 0
	for m := range strings.SplitSeq(models, ";") {
		rest, ok := strings.CutPrefix(product, m)
		if m != "" && ok && (rest == "" || rest[0] == '/' || rest[0] == '(' || rest[0] == ' ' && !anotherModel(rest)) {
			longest = max(longest, len(m))
		}
	}
	return longest
}

// Such words after a model's name are "V2", "Plus", "II", "Gen10" and "M5".
func anotherModel(rest string) bool {
	words := strings.Fields(strings.ToLower(rest))
	if len(words) == 0 {
		return false
	}
	w := words[0]
	if w == "plus" || strings.Trim(w, "i") == "" {
		return true
	}
	number := strings.TrimLeft(w, "0123456789")
	for _, prefix := range []string{"gen", "v", "m", "g"} {
		if left, ok := strings.CutPrefix(w, prefix); ok && left != "" {
			number = strings.TrimLeft(left, "0123456789")
		}
	}
	return number == ""
}

const vendorsFile = "platforms/makers.tsv"

// DocumentedFor reports whether a document of the machine's vendor that covers the product is a source of the
// platform's table.
func (p *Platform) DocumentedFor(vendor, product string) bool {
	maker := VendorWord(vendor)
	return slices.ContainsFunc(p.Authors, func(a Author) bool {
		return a.Vendor == maker && !slices.ContainsFunc(a.Not, func(n string) bool { return strings.Contains(product, n) })
	})
}

// A site's own knowledge may lack makersFile.
func authorsOf(k fs.FS, keys []string) ([]Author, error) {
	raw, err := fs.ReadFile(k, vendorsFile)
	if err != nil {
		return nil, nil //nolint:nilerr // without authors, speeds of full channels stay unverified
	}
	var out []Author
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 || cells[0] == "" || cells[0] != VendorWord(cells[0]) || cells[1] == "" {
			return nil, fmt.Errorf("%s:%d: expected a maker in one small word, beginnings of keys, parts of products", vendorsFile, n)
		}
		begins := func(key string) bool {
			return slices.ContainsFunc(strings.Fields(cells[1]), func(b string) bool { return strings.HasPrefix(key, b) })
		}
		if slices.ContainsFunc(keys, begins) {
			out = append(out, Author{cells[0], strings.FieldsFunc(cells[2], func(r rune) bool { return r == ',' })})
		}
	}
	return out, nil
}
