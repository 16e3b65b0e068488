//go:build corpus

package plan_test

import (
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// TestCorpusKeepsPromises checks every advice for every machine of the corpus, and counts the plans.
func TestCorpusKeepsPromises(t *testing.T) {
	p := pipeline(t)
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		counts := map[string]int{}
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			t.Run(name, func(t *testing.T) {
				c := hold(t, sys, p)
				counts["no advice: "+c.made.Why]++
				for i := range c.made.Advice[:min(len(c.made.Advice), 1)] {
					counts["no advice: "]--
					counts["first advice: "+string(c.made.Advice[i].ID)]++
				}
			})
		})
		corpustest.LogCounts(t, archive, counts)
	}
}
