//go:build corpus

package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// TestHarmIsFoundCorpus does the same with every seventh real machine: no rule that passed and that the harm
// contradicts may still pass. What becomes unknown has a reason; how often is logged.
func TestHarmIsFoundCorpus(t *testing.T) {
	e := builtin(t)
	n := 0
	counts := map[string]int{}
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			if n++; n%7 != 0 || len(sys.Slots) > 64 || sys.Machine.Virtual.Or(false) {
				return
			}
			before := outcomes(t, e, sys)
			for _, h := range harms() {
				got := harmed(t, e, sys, before, &h)
				switch {
				case got == nil:
					counts[h.name+": not asked"]++
				case got.fails:
					counts[h.name+": "+string(got.severity)]++
				case got.unknown:
					counts[h.name+": unknown"]++
				default:
					assert.Fail(t, "a harm is not found", "%s: %s", name, h.name)
				}
			}
		})
	}
	corpustest.LogCounts(t, "harms", counts)
}
