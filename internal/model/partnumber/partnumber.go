// Package partnumber decodes the part numbers of memory modules, which firmware copies from their SPD: size, generation,
// kind, ranks and rated speed. The patterns are data in rules/parts.
package partnumber

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/lazy"
)

// Part is the part of the compiled knowledge with the patterns.
const Part = "parts"

// Module is a decoded part number. Unknown fields are zero or empty.
type Module struct {
	// Pattern is the ID of the pattern that matched; Sources are its citation keys.
	Pattern string
	Sources []string
	// Documented is set if a vendor's document explains the number; otherwise the pattern was derived from firmware
	// of real machines.
	Documented bool
	// SizeBytes is the module's capacity.
	SizeBytes int64
	// Type is the generation as SMBIOS spells it: DDR4, DDR2 FB-DIMM.
	Type string
	// Kind is the module's kind as vendors spell it: RDIMM, LRDIMM, ECC UDIMM.
	Kind string
	// Ranks is the number of ranks, 0 for stacked (3DS) modules: vendors count logical ranks and SMBIOS package ranks.
	Ranks int
	// DeviceBits is the width of one DRAM device: 4, 8, 16.
	DeviceBits int
	// RatedMTs is the module's rating in MT/s, not what it runs at.
	RatedMTs int
}

// Registered reports whether the module is registered or load-reduced; ok is false if unknown.
func (m *Module) Registered() (registered, ok bool) {
	switch m.Kind {
	case "RDIMM", "VLP RDIMM", "LRDIMM", "MRDIMM":
		return true, true
	case "UDIMM", "ECC UDIMM", "SODIMM", "ECC SODIMM":
		return false, true
	default: // FB-DIMM has a buffer that is neither
		return false, false
	}
}

// LoadReduced reports whether the module has data buffers.
func (m *Module) LoadReduced() (reduced, ok bool) {
	_, ok = m.Registered()
	return m.Kind == "LRDIMM" || m.Kind == "MRDIMM", ok
}

// Widths returns the module's data width and total width with ECC in bits. ok is false if the kind does not determine
// them: DDR5 modules with ECC have 72 or 80.
func (m *Module) Widths() (data, total int, ok bool) {
	if m.Type != "DDR2" && m.Type != "DDR3" && m.Type != "DDR4" {
		return 0, 0, false
	}
	switch m.Kind {
	case "UDIMM", "SODIMM":
		return 64, 64, true
	case "RDIMM", "VLP RDIMM", "LRDIMM", "ECC UDIMM", "ECC SODIMM":
		return 64, 72, true
	default:
		return 0, 0, false
	}
}

// Table holds the patterns of all vendors. It compiles those that a number needs, so it is not safe for concurrent use.
type Table struct{ patterns []listedPattern }

// listedPattern is a pattern, decoded when a number begins with its prefix.
type listedPattern struct {
	_       struct{} `cbor:",toarray"`
	Prefix  string
	Encoded compiled.Raw

	whole *pattern
}

// Load reads the compiled patterns.
func Load(k fs.FS) (*Table, error) {
	t := &Table{}
	if err := compiled.ReadPart(k, Part, &t.patterns); err != nil {
		return nil, fmt.Errorf("part numbers: %w", err)
	}
	return t, nil
}

// Decode reads a number as firmware prints it; false when no pattern matches. The first pattern that does decides.
func (t *Table) Decode(number string) (Module, bool) {
	number = normaliseNumber(number)
	for i := range t.patterns {
		p := &t.patterns[i]
		if !strings.HasPrefix(number, p.Prefix) {
			continue
		}
		if p.whole == nil {
			p.whole = &pattern{}
			if compiled.Decode(p.Encoded, p.whole) != nil {
				continue // a test decodes all
			}
			p.whole.expression = regexp.MustCompile(p.whole.Match) // check refuses what does not compile
		}
		if found := p.whole.expression.FindStringSubmatch(number); found != nil {
			return p.whole.decodeModule(found), true
		}
	}
	return Module{}, false
}

var afterName = lazy.Pattern(`^(\d+[A-Z]|\d{6}-|P\d{5}-)`)

// normaliseNumber normalizes a part number as firmware prints it: it decodes hexadecimal bytes, and removes padding and leading
// vendor names.
func normaliseNumber(number string) string {
	s := strings.Trim(number, " \x00")
	if digits, ok := strings.CutPrefix(s, "0x"); ok && len(digits) >= 8 {
		if raw, err := hex.DecodeString(digits); err == nil {
			s = strings.Trim(string(raw), " \x00")
		}
	}
	s = strings.ToUpper(s)
	for _, old := range []string{"M3 ", "M4 "} { // older Samsung modules: "M3 93T5660QZA-CE6"
		if rest, ok := strings.CutPrefix(s, old); ok {
			s = old[:2] + rest
		}
	}
	// What labels print before a number and SPD does not: Micron's and HPE's.
	for _, name := range []string{"MTA", "MT", "HPE ", "HPE", "HP ", "HP"} { // longest first
		if rest, ok := strings.CutPrefix(s, name); ok && rest != "" && (rest[0] == 'P' || rest[0] <= '9') && afterName().MatchString(rest) {
			return rest
		}
	}
	return s
}

func (p *pattern) decodeModule(found []string) Module {
	group := func(name string) string {
		if i := p.expression.SubexpIndex(name); i >= 0 {
			return found[i]
		}
		return ""
	}
	v := p.Fixed
	for i := range p.Tables {
		key := ""
		for _, name := range p.Tables[i].By {
			key += group(name)
		}
		o := p.Tables[i].Map[key]
		setIfGiven(&v.SizeGB, o.SizeGB)
		setIfGiven(&v.DDR, o.DDR)
		setIfGiven(&v.Type, o.Type)
		setIfGiven(&v.Ranks, o.Ranks)
		setIfGiven(&v.Width, o.Width)
		setIfGiven(&v.Dies, o.Dies)
		setIfGiven(&v.Package, o.Package)
		setIfGiven(&v.Stacked, o.Stacked)
		setIfGiven(&v.Speed, o.Speed)
	}
	if unit, name, ok := strings.Cut(p.SizeFrom, ":"); ok {
		v.SizeGB, _ = strconv.ParseFloat(group(name), 64)
		if unit == "mwords" {
			v.SizeGB = v.SizeGB * 8 / 1024
		}
		if !moduleSize(v.SizeGB) {
			v.SizeGB = 0 // a number that was written amiss ("KVR16R11D4/1616") gives no capacity
		}
	}
	m := Module{Pattern: p.ID, Sources: p.Sources, Documented: slices.Contains(p.Check, "doc"), SizeBytes: int64(v.SizeGB * (1 << 30)),
		Type: v.DDR, Kind: v.Type, DeviceBits: v.Width, RatedMTs: v.Speed}
	if m.Kind == "FB-DIMM" {
		m.Type += " FB-DIMM"
	}
	if !v.Stacked && v.Package != "stacked" {
		m.Ranks = v.Ranks
		if m.Ranks == 0 {
			m.Ranks = p.countRanks(&v)
		}
	}
	return m
}

// moduleSize reports whether modules of so many GiB can be: powers of two and three times those (24, 48, 96), to 1 TiB.
func moduleSize(gib float64) bool {
	fraction, _ := math.Frexp(gib) // 0.5 of powers of two, 0.75 of three times those
	return gib <= 1024 && (fraction == 0.5 || fraction == 0.75)
}

// countRanks returns the capacity divided by the capacity of one rank of such devices, which is 64 data bits wide. If several
// densities are possible, the result is the only one with a valid number of ranks, or unknown.
func (p *pattern) countRanks(v *values) int {
	if v.Dies == nil {
		return 0
	}
	ranks := 0
	for _, gbit := range *v.Dies {
		for _, allowed := range p.RanksAllowed[v.Type] {
			if v.SizeGB*8 != float64(allowed)*gbit*64/float64(v.Width) {
				continue
			}
			if ranks != 0 && ranks != allowed {
				return 0
			}
			ranks = allowed
		}
	}
	return ranks
}
