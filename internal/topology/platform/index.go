package platform

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// IndexRow is one way to recognise a platform. The index has the "recognise" rows of all platform files, so
// that an audit reads one small part and one platform.
type IndexRow struct {
	_          struct{} `cbor:",toarray"` // stored without field names
	ID, Vendor string
	// Family and Model are -1 if the row has no CPUID.
	Family, Model int
	Steppings     []int
	Verified      bool
	Brand         string
	Product       string
	Memory        string
	// Codename finds the platform through the processor table if neither CPUID nor a pattern does.
	Codename string
	// Rest is set if the row matches processors that no other platform with the CPUID matches.
	Rest bool
	// Sockets is the largest number of processors of a machine with this one, 0 for no limit. It excludes
	// candidates, but never a match by brand.
	Sockets int
}

func atoiOr(s string, other int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return other
	}
	return n
}

// cpuid compares the row's CPUID with the processor's; known is false if the processor's is unknown.
func (r *IndexRow) cpuid(p *cpuIdentity) (same, known bool) {
	if p.family < 0 || p.model < 0 {
		return false, false
	}
	if r.Family != p.family || r.Model != p.model {
		return false, true
	}
	if len(r.Steppings) == 0 {
		return true, true
	}
	if p.stepping < 0 {
		return true, true // the brand pattern decides
	}
	return slices.Contains(r.Steppings, p.stepping), true
}

// vendorFits compares vendors; an unknown one matches everything.
func (r *IndexRow) vendorFits(p *cpuIdentity) bool {
	if p.vendor == "" || r.Vendor == p.vendor {
		return true
	}
	return !isX86Vendor(r.Vendor) && !isX86Vendor(p.vendor)
}

func (r *IndexRow) conditions(m *machineIdentity) bool {
	if r.Product != "" && !matches(r.Product, m.product) {
		return false
	}
	return r.Memory == "" || strings.Contains(m.memory, r.Memory)
}

// matches tries one pattern without regard to case: firmware prints "INTEL(R) XEON(R) GOLD 6526Y" and "E3-1230
// V2". An invalid pattern (a test rejects it) never matches.
func matches(pattern, text string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && re.MatchString(text)
}
