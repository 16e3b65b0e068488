package platform

import (
	"regexp"
	"strconv"
	"strings"
)

// indexRow is one line of the compiled index: one way to recognise a platform.
// The index repeats the "recognise" rows of all platform files, so that an
// audit reads one small part and one platform.
type indexRow struct {
	id, vendor    string
	family, model int // -1 when the row gives no CPUID
	steppings     string
	verified      bool
	brand         string
	product       string
	memory        string
	// codename finds the platform through the processor table, where neither
	// CPUID nor a pattern does.
	codename string
	// rest is set where the row takes what no other platform with the CPUID
	// does.
	rest bool
	// sockets is the most processors that a machine with this one has, 0 when
	// there is no such limit; it drops candidates, never what a brand names.
	sockets int
}

const indexColumns = 12

// parseIndexRow reads one line; ok is false for a damaged one.
func parseIndexRow(line string) (r indexRow, ok bool) {
	var col [indexColumns]string
	n := 0
	for ; n < indexColumns; n++ {
		var more bool
		col[n], line, more = strings.Cut(line, "\t")
		if !more {
			n++
			break
		}
	}
	if n != indexColumns {
		return r, false
	}
	return indexRow{
		id: col[0], vendor: col[1], family: atoiOr(col[2], -1), model: atoiOr(col[3], -1),
		steppings: col[4], verified: col[5] == "ok", brand: col[6], product: col[7], memory: col[8], codename: col[9],
		rest: col[10] == "rest", sockets: atoiOr(col[11], 0),
	}, true
}

func atoiOr(s string, other int) int {
	if s == "" {
		return other // most columns: the error would take memory
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return other
	}
	return n
}

// cpuid compares the row's CPUID with the processor's; known is false when
// the processor's is not known.
func (r *indexRow) cpuid(p *cpuIdentity) (same, known bool) {
	if p.family < 0 || p.model < 0 {
		return false, false
	}
	if r.family != p.family || r.model != p.model {
		return false, true
	}
	if r.steppings == "" {
		return true, true
	}
	if p.stepping < 0 {
		return true, true // the brand pattern decides
	}
	for s := range strings.SplitSeq(r.steppings, ",") {
		if atoiOr(s, -1) == p.stepping {
			return true, true
		}
	}
	return false, true
}

// vendorFits compares vendors; an unknown one fits everything.
func (r *indexRow) vendorFits(p *cpuIdentity) bool {
	if p.vendor == "" || r.vendor == p.vendor {
		return true
	}
	return !isX86Vendor(r.vendor) && !isX86Vendor(p.vendor)
}

// conditions checks product and memory, which some rows ask for.
func (r *indexRow) conditions(m *machineIdentity) bool {
	if r.product != "" && !matches(r.product, m.product) {
		return false
	}
	return r.memory == "" || strings.Contains(m.memory, r.memory)
}

// matches tries one pattern without regard to case: firmware prints
// "INTEL(R) XEON(R) GOLD 6526Y" and "E3-1230 V2". A broken pattern (a test
// forbids it) never matches.
func matches(pattern, text string) bool {
	re, err := regexp.Compile("(?i)" + pattern)
	return err == nil && re.MatchString(text)
}
