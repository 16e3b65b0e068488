package platform

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/compiled"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// Part is the part of the compiled knowledge that says how platforms are
// recognised: a list of IndexRow.
const Part = "platforms"

// verdict is the outcome of looking one processor up in the index.
type verdict struct {
	row *IndexRow
	// by is cpuid, brand or product.
	by string
	// candidates are rows of platforms that share the CPUID when a brand was
	// missing.
	candidates []*IndexRow
}

// Recognise finds the platform of the machine by CPUID, brand string, the
// processor table and, where nothing else decides, product name.
func Recognise(sys *inventory.System, k fs.FS) fact.Fact[*Platform] {
	if virtual, ok := sys.Machine.Virtual.Get(); ok && virtual {
		return fact.Unknown[*Platform](fact.Absent, "a virtual machine shows no physical DIMM slots", "audit the host")
	}
	var rows []IndexRow
	if err := compiled.ReadPart(k, Part, &rows); err != nil {
		return fact.Unknown[*Platform](fact.Malformed, "the index of platforms cannot be read: "+err.Error(), "")
	}
	m := identifyMachine(sys)
	var found verdict
	var evidence fact.Evidence
	var last cpuIdentity
	for _, id := range speaking(identities(sys)) {
		if id.cpuIdentity == last {
			continue
		}
		last = id.cpuIdentity
		v := lookUpPlatform(rows, &id.cpuIdentity, &m)
		v.decide(k, rows, &id.cpuIdentity, &m)
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
		return fact.Unknown[*Platform](fact.Unread, "no processor was identified", "audit with SMBIOS type 4 or /proc/cpuinfo")
	}
	return loadRecognised(k, found, last.brand, evidence)
}

// speaking leaves out processors that split no machine: those of which firmware
// says neither CPUID nor brand while it says one of another, and those without
// CPUID whose brand is that of one with it (boards of 2003 to 2005 repeat a
// hyper-threaded or two-core processor so).
func speaking(ids []knownIdentity) []knownIdentity {
	identified := map[string]bool{}
	for _, id := range ids {
		if id.family >= 0 {
			identified[id.brand] = true
		}
	}
	said := slices.DeleteFunc(slices.Clone(ids), func(id knownIdentity) bool {
		return id.family < 0 && (undecided(id.brand) || identified[id.brand])
	})
	if len(said) == 0 {
		return ids
	}
	return said
}

func loadRecognised(k fs.FS, v verdict, brand string, from fact.Evidence) fact.Fact[*Platform] {
	p, err := loadPlatform(k, v.row.ID, brand)
	if err != nil {
		return fact.Unknown[*Platform](fact.Malformed, err.Error(), "", from)
	}
	p.Recognised = v.by
	c := fact.Direct
	if !v.row.Verified && v.by != "brand" || v.by == "candidate" {
		c = fact.Indirect
	}
	f := fact.Known(p, c, from)
	f.Unverified = !p.Verified || (!v.row.Verified && v.by != "brand" && v.by != "product")
	return f
}

func unrecognised(v verdict, id knownIdentity) fact.Fact[*Platform] {
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
			"audit with SMBIOS type 4 or /proc/cpuinfo", id.from)
	}
	return fact.Unknown[*Platform](fact.Absent, "no platform data for this processor", "", id.from)
}

// brandKnownBy is what would say which processor it is: "" where the brand string is
// that of a sample, or the kernel says it, which has it from the processor.
func brandKnownBy(id knownIdentity) string {
	sample := strings.Contains(id.brand, "Genuine") || strings.Contains(id.brand, "Eng Sample")
	switch {
	case id.brand == "":
		return "a processor brand string (SMBIOS type 4 version, or /proc/cpuinfo)"
	case sample || id.kernel:
		return ""
	default:
		return "the processor's own brand string: audit the live machine or a capture with proc/cpuinfo"
	}
}

// lookUpPlatform tries rows with a verified CPUID first, then those that only
// a brand or product decides.
func lookUpPlatform(rows []IndexRow, p *cpuIdentity, m *machineIdentity) verdict {
	var v verdict
	for i := range rows {
		r := &rows[i]
		if r.Rest || !r.Verified || r.Family < 0 || !r.vendorFits(p) {
			continue
		}
		if v.try(r, p, m) {
			return v
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Rest || (r.Verified && r.Family >= 0) || !r.vendorFits(p) {
			continue
		}
		if v.tryNamed(r, p, m) {
			return v
		}
	}
	return v
}

// try decides a row whose CPUID is verified.
func (v *verdict) try(r *IndexRow, p *cpuIdentity, m *machineIdentity) bool {
	same, known := r.cpuid(p)
	if known && !same {
		return false
	}
	if !known && (!namesModel(r.Brand) || undecided(p.brand)) {
		return false // "Xeon" alone is every Xeon there ever was, and so is a brand cut short before its number
	}
	if r.Brand == "" && p.vendor == "" {
		return false // AMD and Intel share family numbers
	}
	if r.Brand != "" && !matches(r.Brand, p.brand) {
		if known && undecided(p.brand) && r.conditions(m) {
			v.addCandidate(r, m)
		}
		return false
	}
	if !r.conditions(m) {
		return false
	}
	v.row, v.by = r, "cpuid"
	if !known {
		v.by = "brand"
	}
	return true
}

// tryNamed decides a row whose CPUID is missing or not verified: the brand
// must match, or the product together with the CPUID.
func (v *verdict) tryNamed(r *IndexRow, p *cpuIdentity, m *machineIdentity) bool {
	if r.Brand == "" {
		same, _ := r.cpuid(p)
		if r.Product == "" || !same || !r.conditions(m) {
			return false
		}
		v.row, v.by = r, "product"
		return true
	}
	if !r.conditions(m) {
		return false
	}
	if same, _ := r.cpuid(p); same && undecided(p.brand) {
		v.addCandidate(r, m)
		return false
	}
	if p.brand == "" || !matches(r.Brand, p.brand) {
		return false
	}
	v.row, v.by = r, "brand"
	return true
}

func (v *verdict) addCandidate(r *IndexRow, m *machineIdentity) {
	if r.Sockets > 0 && m.sockets > r.Sockets {
		return
	}
	for _, have := range v.candidates {
		if have.ID == r.ID {
			return
		}
	}
	v.candidates = append(v.candidates, r)
}

// decide is the last resort where no row matched: the processor table's code
// name, the only platform that the CPUID leaves, the row that takes the rest.
func (v *verdict) decide(k fs.FS, rows []IndexRow, p *cpuIdentity, m *machineIdentity) {
	if v.row != nil {
		return
	}
	r, generation := byCodename(k, rows, p, m)
	if r != nil {
		v.row, v.by = r, "brand"
	}
	if generation {
		return
	}
	if r := v.bySeries(p); r != nil {
		v.row, v.by = r, "candidate"
		return
	}
	for i := range rows {
		r := &rows[i]
		if same, _ := r.cpuid(p); r.Rest && same && p.vendor == r.Vendor && r.conditions(m) {
			v.row, v.by = r, "cpuid"
			return
		}
	}
	if p.family < 0 {
		v.restByBrand(rows, p)
	}
}

// restByBrand finds what takes the rest by its brand, where firmware gives no
// CPUID.
func (v *verdict) restByBrand(rows []IndexRow, p *cpuIdentity) {
	for i := range rows {
		r := &rows[i]
		if r.Rest && r.Family < 0 && r.vendorFits(p) && matches(r.Brand, p.brand) {
			v.row, v.by = r, "brand"
			return
		}
	}
}

// bySeries is the only candidate, or the one that takes every processor of the
// series that firmware states: what it says is true of all of them.
func (v *verdict) bySeries(p *cpuIdentity) *IndexRow {
	if len(v.candidates) == 1 {
		return v.candidates[0]
	}
	for _, r := range v.candidates {
		if !namesModel(r.Brand) && matches(r.Brand, p.series) {
			return r
		}
	}
	return nil
}

// byCodename asks the processor table which generation the brand string names;
// named is true when it names one of ours. A CPUID that is known and another
// one's goes before it, and then there is no row.
func byCodename(k fs.FS, rows []IndexRow, p *cpuIdentity, m *machineIdentity) (row *IndexRow, named bool) {
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
		if !slices.Contains(strings.Split(r.Codename, "|"), proc.Codename) || !r.vendorFits(p) || !r.conditions(m) {
			continue
		}
		named = true
		if same, known := r.cpuid(p); (same || !known) && versionFits(key, p) {
			return r, true
		}
	}
	return nil, named
}

// namesModel reports whether a brand pattern asks for a model number and so
// decides without a CPUID.
func namesModel(pattern string) bool {
	return strings.Contains(pattern, `\d`) || strings.ContainsAny(pattern, "123456789")
}
