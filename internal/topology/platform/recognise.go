package platform

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Part is the part of the compiled knowledge with the index of platforms, a list of IndexRow.
const Part = "platforms"

// IndexRow is one way to recognise a platform. The index has the "recognise" rows of all platform files, so
// that an audit reads one small part and one platform.
type IndexRow struct {
	_      struct{} `cbor:",toarray"` // stored without field names
	ID     string   `yaml:"-"`
	Vendor string   `yaml:"vendor"`
	// Family and Model are -1 if the row has no CPUID.
	Family    int   `yaml:"family"`
	Model     int   `yaml:"model"`
	Steppings []int `yaml:"stepping"`
	Verified  bool  `yaml:"verified"`
	// Brand and Product are patterns, Memory is a memory type; an empty one is not compared.
	Brand   string `yaml:"brand"`
	Product string `yaml:"product"`
	Memory  string `yaml:"memory"`
	// Codename finds the platform through the processor table if neither CPUID nor a pattern does.
	Codename string `yaml:"codename"`
	// Rest is set if the row matches processors that no other platform with the CPUID matches.
	Rest bool `yaml:"-"`
	// Sockets is the largest number of processors of a machine with this one, 0 for no limit. It excludes
	// candidates, but never a match by brand.
	Sockets int `yaml:"sockets"`
}

// UnmarshalYAML reads a row of a platform's file.
func (r *IndexRow) UnmarshalYAML(n *yaml.Node) error {
	type plain IndexRow
	r.Family, r.Model, r.Verified = -1, -1, true
	return n.Decode((*plain)(r))
}

func (r *IndexRow) compareCPUID(p *cpuIdentity) (same, known bool) {
	if p.family < 0 || p.model < 0 {
		return false, false
	}
	// Of an unknown stepping the brand pattern decides.
	stepping := len(r.Steppings) == 0 || p.stepping < 0 || slices.Contains(r.Steppings, p.stepping)
	return r.Family == p.family && r.Model == p.model && stepping, true
}

// vendorFits compares vendors; an unknown one matches everything.
func (r *IndexRow) vendorFits(p *cpuIdentity) bool {
	return p.vendor == "" || r.Vendor == p.vendor || !isX86Vendor(r.Vendor) && !isX86Vendor(p.vendor)
}

func (r *IndexRow) meetsConditions(m *machineIdentity) bool {
	return (r.Product == "" || matchesPattern(r.Product, m.product)) && strings.Contains(m.memory, r.Memory)
}

// Case differs: firmware prints "INTEL(R) XEON(R) GOLD 6526Y" and "E3-1230 V2". A test rejects invalid patterns.
func matchesPattern(pattern, text string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && re.MatchString(text)
}

type platformMatch struct {
	row *IndexRow
	// by is cpuid, brand or product.
	by string
	// candidates are rows of platforms that share the CPUID if the brand is missing.
	candidates []*IndexRow
}

// Recognise finds the platform of the machine by CPUID, brand string, the processor table and, if nothing else
// decides, the product name.
func Recognise(sys *inventory.System, k fs.FS) fact.Fact[*Platform] {
	if sys.Machine.Virtual.Or(false) {
		return fact.Unknown[*Platform](fact.Absent, "a virtual machine shows no physical DIMM slots", "audit the host")
	}
	rows, err := compiled.Part[[]IndexRow](k, Part)
	if err != nil {
		return fact.Unknown[*Platform](fact.Malformed, "the index of platforms cannot be read: "+err.Error(), "")
	}
	m := identifyMachine(sys)
	var found platformMatch
	var evidence fact.Evidence
	var last cpuIdentity
	for _, id := range dropIndecisive(listIdentities(sys)) {
		if id.cpuIdentity == last {
			continue
		}
		last = id.cpuIdentity
		v := lookUpPlatform(rows, &id.cpuIdentity, &m)
		v.decideUnmatched(k, rows, &id.cpuIdentity, &m)
		if v.row == nil {
			return unrecognised(v, id)
		}
		if found.row != nil && found.row.ID != v.row.ID {
			return fact.Unknown[*Platform](fact.Conflicting,
				fmt.Sprintf("the processors belong to two platforms, %s and %s", found.row.ID, v.row.ID), "", id.from)
		}
		found, evidence = v, id.from
	}
	if found.row == nil {
		return fact.Unknown[*Platform](fact.Unread, "no processor was identified", fact.ProcessorTable)
	}
	return loadRecognised(k, found, last.brand, evidence)
}

// dropIndecisive drops identities that do not contradict the others: processors without brand if another with the same
// CPUID has one, without CPUID and brand if another has one, and those without CPUID whose brand is that of one with it
// (boards of 2003 to 2005 repeat a hyper-threaded or dual-core processor this way).
func dropIndecisive(ids []knownIdentity) []knownIdentity {
	identified := map[string]bool{}
	branded := map[cpuIdentity]bool{}
	for _, id := range ids {
		if id.family >= 0 {
			identified[id.brand] = true
		}
		if !isUndecidedBrand(id.brand) {
			branded[id.signature()] = true
		}
	}
	said := slices.DeleteFunc(slices.Clone(ids), func(id knownIdentity) bool {
		if id.family < 0 {
			return isUndecidedBrand(id.brand) || identified[id.brand]
		}
		return isUndecidedBrand(id.brand) && branded[id.signature()]
	})
	if len(said) == 0 {
		return ids
	}
	return said
}

func loadRecognised(k fs.FS, v platformMatch, brand string, from fact.Evidence) fact.Fact[*Platform] {
	p, err := loadPlatform(k, v.row.ID, brand)
	if err != nil {
		return fact.Unknown[*Platform](fact.Malformed, err.Error(), "", from)
	}
	p.Recognised = v.by
	c := fact.Direct
	if !v.row.Verified && v.by != "brand" || v.by == "candidate" {
		c = fact.Indirect
	}
	return fact.Known(p, c, from).Unconfirmed(!v.row.Verified && v.by != "brand" && v.by != "product")
}

func unrecognised(v platformMatch, id knownIdentity) fact.Fact[*Platform] {
	if len(v.candidates) > 0 {
		ids := make([]string, 0, len(v.candidates))
		for _, r := range v.candidates {
			ids = append(ids, r.ID)
		}
		return fact.Unknown[*Platform](fact.Unstated,
			"the CPUID belongs to "+strings.Join(ids, " or ")+" and the brand string does not decide",
			brandKnownBy(id), id.from)
	}
	if id.brand == "" && id.family < 0 {
		return fact.Unknown[*Platform](fact.Unstated, "neither CPUID nor brand string of the processor is known",
			fact.ProcessorTable, id.from)
	}
	return fact.Unknown[*Platform](fact.Absent, "memaudit does not know this processor", "", id.from)
}

// brandKnownBy is "" for an engineering sample, or if the kernel reports the brand, which reads it from the processor.
func brandKnownBy(id knownIdentity) fact.Input {
	sample := isSample(id.brand) || strings.Contains(id.brand, "Genuine")
	switch {
	case id.brand == "":
		return fact.BrandString
	case sample || id.kernel:
		return ""
	default:
		return fact.OwnBrandString
	}
}

// lookUpPlatform tries rows with a verified CPUID first, then those that only a brand or product decides.
func lookUpPlatform(rows []IndexRow, p *cpuIdentity, m *machineIdentity) platformMatch {
	var v platformMatch
	for i := range rows {
		r := &rows[i]
		if r.Rest || !r.Verified || r.Family < 0 || !r.vendorFits(p) {
			continue
		}
		if v.tryIndexRow(r, p, m) {
			return v
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Rest || (r.Verified && r.Family >= 0) || !r.vendorFits(p) {
			continue
		}
		if v.tryNamedRow(r, p, m) {
			return v
		}
	}
	return v
}

func (v *platformMatch) tryIndexRow(r *IndexRow, p *cpuIdentity, m *machineIdentity) bool {
	same, known := r.compareCPUID(p)
	if known && !same {
		return false
	}
	if !known && (!namesModel(r.Brand) || isUndecidedBrand(p.brand)) {
		return false // "Xeon" alone is every Xeon, and so is a brand truncated before its number
	}
	if r.Brand == "" && p.vendor == "" {
		return false // AMD and Intel share family numbers
	}
	if r.Brand != "" && !matchesPattern(r.Brand, p.brand) {
		if known && isUndecidedBrand(p.brand) && r.meetsConditions(m) {
			v.addCandidate(r, m)
		}
		return false
	}
	if !r.meetsConditions(m) {
		return false
	}
	v.row, v.by = r, "cpuid"
	if !known {
		v.by = "brand"
	}
	return true
}

// The brand must match, or the product together with the CPUID, which is not verified.
func (v *platformMatch) tryNamedRow(r *IndexRow, p *cpuIdentity, m *machineIdentity) bool {
	if r.Brand == "" {
		same, _ := r.compareCPUID(p)
		if r.Product == "" || !same || !r.meetsConditions(m) {
			return false
		}
		v.row, v.by = r, "product"
		return true
	}
	if !r.meetsConditions(m) {
		return false
	}
	if same, _ := r.compareCPUID(p); same && isUndecidedBrand(p.brand) {
		v.addCandidate(r, m)
		return false
	}
	if p.brand == "" || !matchesPattern(r.Brand, p.brand) {
		return false
	}
	v.row, v.by = r, "brand"
	return true
}

func (v *platformMatch) addCandidate(r *IndexRow, m *machineIdentity) {
	if r.Sockets > 0 && m.sockets > r.Sockets {
		return
	}
	if !slices.ContainsFunc(v.candidates, func(have *IndexRow) bool { return have.ID == r.ID }) {
		v.candidates = append(v.candidates, r)
	}
}

// The processor table's code name, the only platform left by the CPUID, and the row for the remaining processors may decide.
func (v *platformMatch) decideUnmatched(k fs.FS, rows []IndexRow, p *cpuIdentity, m *machineIdentity) {
	if v.row != nil {
		return
	}
	r, generation := findByCodename(k, rows, p, m)
	if r != nil {
		v.row, v.by = r, "brand"
	}
	if generation {
		return
	}
	if r := v.findBySeries(p); r != nil {
		v.row, v.by = r, "candidate"
		return
	}
	for i := range rows {
		r := &rows[i]
		if same, _ := r.compareCPUID(p); r.Rest && same && p.vendor == r.Vendor && r.meetsConditions(m) {
			v.row, v.by = r, "cpuid"
			return
		}
	}
	for i := range rows {
		if r := &rows[i]; p.family < 0 && r.Rest && r.Family < 0 && r.vendorFits(p) && matchesPattern(r.Brand, p.brand) {
			v.row, v.by = r, "brand"
			return
		}
	}
}

// findBySeries is the only candidate, or the one that covers every processor of the series that firmware reports.
func (v *platformMatch) findBySeries(p *cpuIdentity) *IndexRow {
	if len(v.candidates) == 1 {
		return v.candidates[0]
	}
	for _, r := range v.candidates {
		if !namesModel(r.Brand) && matchesPattern(r.Brand, p.series) {
			return r
		}
	}
	return nil
}

// named is true if the generation is one of the index. A known CPUID of another one takes precedence; then row is nil.
func findByCodename(k fs.FS, rows []IndexRow, p *cpuIdentity, m *machineIdentity) (row *IndexRow, named bool) {
	key := processorKey(p.brand)
	if key == "" {
		return nil, false
	}
	proc := lookUpProcessor(k, key)
	if proc == nil || proc.Codename == "" {
		return nil, false
	}
	for i := range rows {
		r := &rows[i]
		if !slices.Contains(strings.Split(r.Codename, "|"), proc.Codename) || !r.vendorFits(p) || !r.meetsConditions(m) {
			continue
		}
		named = true
		if same, known := r.compareCPUID(p); (same || !known) && versionFits(key, p) {
			return r, true
		}
	}
	return nil, named
}

func namesModel(pattern string) bool {
	return strings.Contains(pattern, `\d`) || strings.ContainsAny(pattern, "123456789")
}
