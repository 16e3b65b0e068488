package host

import "memaudit.example/memaudit/internal/model/fact"

// Generation is a group of processors with the same layout of model-specific registers.
type Generation uint8

// The generations, by the groups of turbostat (linux tools/power/x86/turbostat/turbostat.c) and PerfSpect.
const (
	// GenOther: no register of it is documented here.
	GenOther Generation = iota
	// GenNehalem are Nehalem and Westmere, with the EX parts.
	GenNehalem
	// GenSandyBridge are Sandy Bridge and Ivy Bridge.
	GenSandyBridge
	// GenHaswell are Haswell and Broadwell.
	GenHaswell
	// GenSkylake are the servers from Skylake to Cooper Lake.
	GenSkylake
	// GenIcelake are the servers of Ice Lake.
	GenIcelake
	// GenSapphire are Sapphire Rapids and Emerald Rapids.
	GenSapphire
	// GenGranite are the servers of Granite Rapids.
	GenGranite
	// GenSierra are Sierra Forest and Clearwater Forest, which have the registers of GenGranite but for that of the LLC
	// prefetcher.
	GenSierra
	// GenDiamond is Diamond Rapids, on which an algorithm may switch the L2 prefetchers.
	GenDiamond
	// GenOpteron are AMD's families 15h and 16h, GenZen 17h, 18h (Hygon) and
	// 19h up to Zen 3, GenZen4 Zen 4 and newer.
	GenOpteron
	GenZen
	GenZen4
)

var intelGenerations = [...]struct {
	gen    Generation
	models []int
}{
	{GenNehalem, []int{26, 30, 31, 46, 37, 44, 47}},
	{GenSandyBridge, []int{42, 45, 58, 62}},
	{GenHaswell, []int{60, 63, 69, 70, 61, 71, 79, 86}},
	{GenSkylake, []int{85}},
	{GenIcelake, []int{106, 108}},
	{GenSapphire, []int{143, 207}},
	{GenGranite, []int{173, 174}},
	{GenSierra, []int{175, 221}},
}

// Generation returns the group of this processor, GenOther if its identity is not known.
func (c *CPU) Generation() Generation {
	family, model := c.Family, c.Model
	if family.State != fact.OK || model.State != fact.OK {
		return GenOther
	}
	switch c.Vendor.Value {
	case "GenuineIntel":
		switch {
		case family.Value == 19 && model.Value == 1:
			return GenDiamond
		case family.Value != 6:
			return GenOther
		}
		for _, g := range intelGenerations {
			for _, m := range g.models {
				if m == model.Value {
					return g.gen
				}
			}
		}
		return GenOther
	case "AuthenticAMD", "HygonGenuine":
		// Models 10h to 1Fh and from 60h on of family 19h are Zen 4 (linux arch/x86/kernel/cpu/amd.c, bsp_init_amd).
		switch {
		case family.Value == 0x15 || family.Value == 0x16:
			return GenOpteron
		case family.Value == 0x17 || family.Value == 0x18:
			return GenZen
		case family.Value == 0x19 && (model.Value >= 0x10 && model.Value <= 0x1f || model.Value >= 0x60):
			return GenZen4
		case family.Value == 0x19:
			return GenZen
		case family.Value >= 0x1a:
			return GenZen4
		default:
			return GenOther
		}
	default:
		return GenOther
	}
}

// Intel reports whether this is a generation of Intel processors.
func (g Generation) Intel() bool { return g >= GenNehalem && g <= GenDiamond }
