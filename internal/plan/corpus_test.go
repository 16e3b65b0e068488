//go:build corpus

package plan_test

import (
	"fmt"
	"testing"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

// TestCorpusKeepsPromises carries out every advice for the machines of the
// corpus and audits again: what was promised holds exactly, and no slot without
// a known position is named.
func TestCorpusKeepsPromises(t *testing.T) {
	p := pipeline(t)
	tally := map[string]int{}
	collecttest.Each(t, corpustest.Servers, func(name string, sys *inventory.System) {
		found, topo, made := planned(t, sys, p)
		if made.Why != "" {
			tally["no advice: "+made.Why]++
		}
		for i := range made.Advice {
			a := &made.Advice[i]
			tally["advice "+a.ID]++
			ok := t.Run(name, func(t *testing.T) {
				kept(t, sys, found, a, p)
				for _, s := range a.Steps {
					if s.To >= 0 && topo.Placements[s.To].Slot == place.Unplaced {
						t.Errorf("%d has no known position", s.To)
					}
				}
			})
			if !ok {
				fmt.Println(name, a.ID, a.Sentence(sys))
			}
		}
	})
	for k, n := range tally {
		fmt.Println(n, k)
	}
}
