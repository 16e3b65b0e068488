//go:build corpus

package population

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// TestSpeedCorpus checks the expected speed against the configured one of real
// machines. Firmware runs memory at what it may run at, so nearly every
// machine must sit at the expectation or at a speed documented as normal.
func TestSpeedCorpus(t *testing.T) {
	var known, at, normal, above, below, verified int
	list := map[string]int{}
	unknown := map[string]int{}
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations} {
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			r := Derive(sys, rules.FS)
			for i := range r.Populations {
				p := &r.Populations[i]
				run, ok := p.RunningMTs.Get()
				if !ok || len(p.Slots) == 0 {
					continue
				}
				s, ok := p.Speed.Get()
				if !ok {
					unknown[p.Speed.Reason]++
					return
				}
				known++
				switch {
				case ddr.SameSpeed(run, s.MTs):
					at++
				case run > s.MTs:
					above++
					list[fmt.Sprintf("above %s: %d runs %d %s", platformID(r), s.MTs, run, s.Detail)]++
				case !runsBelow(s, run):
					normal++
				default:
					below++
					if !p.Speed.Unverified {
						verified++
					}
					list[fmt.Sprintf("below %s: %d runs %d, %s unverified %v  %s", platformID(r), s.MTs, run, s.Detail, p.Speed.Unverified, name)]++
				}
				return
			}
		})
	}
	t.Logf("%d machines with both speeds: %d at the expected one, %d at another normal one, %d above, %d below (%d on verified knowledge)", known, at, normal, above, below, verified)
	corpustest.LogCounts(t, "", list)
	corpustest.LogCounts(t, "unknown", unknown)
	require.Positive(t, known)
	require.GreaterOrEqual(t, float64(at)/float64(known), 0.95)
	require.LessOrEqual(t, float64(verified)/float64(known), 0.01, "machines that a warning would call too slow")
}

func platformID(r *Result) string {
	if p, ok := r.Platform.Get(); ok {
		return p.ID
	}
	return "-"
}
