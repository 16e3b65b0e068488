//go:build corpus

package audit_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/inventory"
)

// TestErasureCorpus holds the same over real machines: every twentieth, or with
// ERASE=all every one (an hour).
func TestErasureCorpus(t *testing.T) {
	e := builtin(t)
	step := 20
	if os.Getenv("ERASE") == "all" {
		step = 1
	}
	n, machines, audits := 0, 0, 0
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			if n++; n%step != 0 || len(sys.Slots) > 64 {
				return
			}
			held := &erasure{engine: e, sys: sys, every: 5, pairs: 15}
			if !t.Run(name, held.hold) {
				t.Logf("%s", name)
			}
			if audits += held.audits; held.audits > 0 {
				machines++
			}
		})
	}
	t.Logf("%d machines with a failure, %d audits", machines, audits)
	assert.Greater(t, machines, 800/step)
}
