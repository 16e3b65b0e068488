package platform

import (
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/inventory"
)

// dimmKind is a parsed key of Platform.Speeds: a module ("rdimm", "lrdimm", "udimm", "mrdimm"), then optionally
// the ranks it covers ("1r2r") and the voltage ("1.35v"), with dashes: "rdimm-2r-1.35v".
type dimmKind struct {
	module string
	ranks  string
	volts  string
}

func parseKind(key string) dimmKind {
	var k dimmKind
	k.module, key, _ = strings.Cut(key, "-")
	for part := range strings.SplitSeq(key, "-") {
		switch {
		case strings.HasSuffix(part, "v"):
			k.volts = part
		case strings.HasSuffix(part, "r"):
			k.ranks = part
		}
	}
	return k
}

func (k dimmKind) fewestRanks() int {
	if k.ranks == "" {
		return 0
	}
	return int(k.ranks[0] - '0')
}

// moduleClass classifies a DIMM; "" if the type detail is missing.
func moduleClass(s *inventory.Slot, p *Platform) string {
	if strings.Contains(s.Type.Or(""), "MRDIMM") || beyondRDIMM(s, p) {
		return "mrdimm"
	}
	switch reg, known := s.Registered.Get(); {
	case s.LoadReduced.Or(false):
		return "lrdimm"
	case !known:
		return ""
	case reg:
		return "rdimm"
	default:
		return "udimm"
	}
}

// IsMRDIMM reports whether a module is an MRDIMM.
func IsMRDIMM(s *inventory.Slot, p *Platform) bool { return moduleClass(s, p) == "mrdimm" }

func beyondRDIMM(s *inventory.Slot, p *Platform) bool {
	top := SpeedAt(p.Speeds["rdimm"], 1)
	return len(p.Speeds["mrdimm"]) > 0 && top > 0 && s.RatedMTs.Or(0) > top+ddr.Tolerance
}

// KindsFor lists the rows of the speed table that may describe the DIMM. exact is false if the table has no row
// for this kind and the rows are the nearest documented ones. The order is fixed: of two rows with one speed
// the first is reported.
func KindsFor(p *Platform, s *inventory.Slot) (keys []string, exact bool) {
	module, ranks := moduleClass(s, p), s.Ranks.Or(0)
	var same, more []string
	for _, key := range slices.Sorted(maps.Keys(p.Speeds)) {
		switch k := parseKind(key); {
		case k.module != module && (module != "" || k.module == "mrdimm"), !voltageFits(k, s):
		case ranks == 0 || ranks > 9 || k.ranks == "" || strings.Contains(k.ranks, string(rune('0'+ranks))+"r"):
			same = append(same, key)
		case k.fewestRanks() > ranks:
			more = append(more, key)
		}
	}
	if len(same) > 0 {
		return same, !LowVoltageUnlisted(p, s, same)
	}
	return lowestRanks(more), false
}

// A module with fewer ranks loads a channel less than the next documented one.
func lowestRanks(keys []string) []string {
	least := 10
	for _, key := range keys {
		least = min(least, parseKind(key).fewestRanks())
	}
	return slices.DeleteFunc(keys, func(key string) bool { return parseKind(key).fewestRanks() != least })
}

// voltageFits compares the voltage of the kind with the configured one; an unknown one matches both.
func voltageFits(k dimmKind, s *inventory.Slot) bool {
	mv, ok := s.ConfiguredMV.Get()
	if k.volts == "" || !ok {
		return true
	}
	low := mv < 1425
	return low == (k.volts == "1.35v")
}

// LowVoltageUnlisted reports whether a module runs at 1.35 V on a platform whose table distinguishes voltages,
// but not for this kind of module. At the lower voltage it may be slower (Sandy Bridge-EP with LRDIMMs, for
// which firmware before SMBIOS 2.8 does not report the voltage).
func LowVoltageUnlisted(p *Platform, s *inventory.Slot, keys []string) bool {
	if mv, ok := s.ConfiguredMV.Get(); ok && mv >= 1425 || !ok && !s.LoadReduced.Or(false) {
		return false
	}
	hasVolts := func(key string) bool { return parseKind(key).volts != "" }
	return !slices.ContainsFunc(keys, hasVolts) && slices.ContainsFunc(slices.Collect(maps.Keys(p.Speeds)), hasVolts)
}

// AllowsDepth reports whether a channel takes d modules of the kind. If a document allows fewer, an installed module
// must be of another kind.
func (p *Platform) AllowsDepth(kind string, d int) bool {
	most := p.MostDPC[kind]
	return most == 0 || d <= most
}

// SpeedAt returns the speed in MT/s with d DIMMs per channel, 0 if the row has none.
func SpeedAt(row []int, d int) int {
	if d < 1 || d > len(row) {
		return 0
	}
	return row[d-1]
}

// FrontSideBus reports whether the memory is attached to the chipset. Without a platform the memory type
// decides: Intel moved the controller into the processor with DDR3 (Nehalem), AMD long before.
func FrontSideBus(sys *inventory.System, p *Platform) bool {
	if p != nil {
		return !p.NUMA
	}
	if slices.ContainsFunc(sys.Sockets, func(s inventory.Socket) bool { return s.Vendor.Or(Intel) != Intel }) {
		return false
	}
	for i := range sys.Slots {
		if sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		switch sys.Slots[i].Type.Or("") {
		case "DDR2 FB-DIMM", "FB-DIMM":
			return true
		case "DDR", "DDR2", "SDRAM":
			isIntel := func(s inventory.Socket) bool { return s.Vendor.Or("") == Intel }
			return sys.CPU.Vendor.Or("") == Intel || slices.ContainsFunc(sys.Sockets, isIntel)
		}
	}
	return false
}
