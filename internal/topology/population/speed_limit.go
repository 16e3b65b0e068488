package population

import (
	"math"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// unlimited is the platform's limit if its documents set none.
const unlimited = math.MaxInt

// speedLimit is the platform's limit for a population: between lo and hi MT/s, which differ if the DIMM kind or
// the DIMMs per channel are unknown.
type speedLimit struct {
	lo, hi   int
	kind     string // row of the speed table behind lo
	dpc      int    // DIMMs per channel behind lo
	indirect bool   // unverified, or from a neighbouring row
	volts    bool   // the module may run at 1.35 V, which the row does not distinguish
	reason   string // why there is no limit; "" if there is one
}

// channelDepths is the possible number of DIMMs on each DIMM's channel.
type channelDepths struct {
	of    func(slot int) (lo, hi int)
	known bool
}

// platformLimit returns the lowest limit of the DIMMs of a population.
func platformLimit(p *platform.Platform, sys *inventory.System, slots []int, depth channelDepths) speedLimit {
	out := speedLimit{lo: unlimited, hi: unlimited}
	for _, i := range slots {
		lo, hi := depth.of(i)
		l := slotLimit(p, &sys.Slots[i], lo, hi)
		if l.reason != "" {
			return l
		}
		if l.lo < out.lo {
			out.lo, out.kind, out.dpc, out.volts = l.lo, l.kind, l.dpc, l.volts
		}
		out.hi = min(out.hi, l.hi)
		out.indirect = out.indirect || l.indirect
	}
	return out
}

// slotLimit returns the platform's limit for one DIMM on a channel with lo to hi DIMMs.
func slotLimit(p *platform.Platform, s *inventory.Slot, lo, hi int) speedLimit {
	// With DDR5 a board's second slot per channel and a second rank lower the clock of a single module, too:
	// two ASRock Rack boards run 4800 modules at 4400 with a Core i9-13900.
	ddr5 := strings.HasPrefix(s.Type.Or(""), "DDR5")
	if !p.SpeedDependsOnDPC || (len(p.Speeds) == 0 && hi == 1 && !ddr5) {
		return speedLimit{lo: unlimited, hi: unlimited}
	}
	if len(p.Speeds) == 0 {
		return speedLimit{reason: "no document gives the speed of " + p.Name + " with " + dpcText(hi)}
	}
	keys, exact := platform.KindsFor(p, s)
	if len(keys) == 0 && hi == 1 && s.Ranks.Or(0) > 0 && s.Ranks.Value <= 2 {
		return speedLimit{lo: unlimited, hi: unlimited, indirect: true}
	}
	if len(keys) == 0 && (!s.Registered.Known() || s.Ranks.Or(0) == 0) {
		return speedLimit{reason: "firmware does not say what kind of DIMM " + s.Name() + " is, on which the speed of " + p.Name + " depends"}
	}
	if len(keys) == 0 {
		return speedLimit{reason: "no document gives the speed of " + p.Name + " for this kind of DIMM"}
	}
	out := speedLimit{lo: unlimited, indirect: !exact, volts: platform.LowVoltageUnlisted(p, s, keys)}
	for _, key := range keys {
		for d := lo; d <= hi; d++ {
			if !p.Takes(key, d) {
				continue
			}
			v := platform.SpeedAt(p.Speeds[key], d)
			if v == 0 {
				return speedLimit{reason: undocumented(p, keys, key, lo, hi, d)}
			}
			if v < out.lo {
				out.lo, out.kind, out.dpc = v, key, d
			}
			out.hi = max(out.hi, v)
			out.indirect = out.indirect || p.Unverified["speeds"] || p.Unverified["speeds "+strconv.Itoa(d)]
		}
	}
	if out.lo == unlimited {
		return speedLimit{reason: undocumented(p, keys, keys[0], lo, hi, hi)}
	}
	return out
}

// undocumented describes the missing documented speed by what is known: the kind only if the module can be no
// other, the depth only if it is certain.
func undocumented(p *platform.Platform, keys []string, key string, lo, hi, d int) string {
	kind, depth := "each kind that this DIMM may be", "any number of DIMMs per channel that fits"
	if len(keys) == 1 {
		kind = key
	}
	if lo == hi {
		depth = dpcText(d)
	}
	return "no document gives the speed of " + p.Name + " for " + kind + " with " + depth
}

func dpcText(d int) string {
	if d == 1 {
		return "1 DIMM per channel"
	}
	return strconv.Itoa(d) + " DIMMs per channel"
}

// limiter returns the limiter behind a platform limit: depth if one DIMM per channel would run faster, voltage if
// the same kind at 1.5 V would, otherwise the ranks and type of the DIMM.
func (l speedLimit) limiter(p *platform.Platform) (limiter Limiter, detail string) {
	detail = dpcText(l.dpc) + " (" + l.kind + "): " + strconv.Itoa(l.lo)
	if l.volts {
		detail += ", which a board may not reach at 1.35 V"
	}
	if platform.SpeedAt(p.Speeds[l.kind], 1) > l.lo {
		return LimitDPC, detail
	}
	if base, ok := strings.CutSuffix(l.kind, "-1.35v"); ok && platform.SpeedAt(p.Speeds[base+"-1.5v"], l.dpc) > l.lo {
		return LimitVoltage, detail
	}
	return LimitRanks, detail
}
