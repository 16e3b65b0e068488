//go:build corpus

package plan_test

import (
	"maps"
	"slices"
	"testing"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// tally counts the plans and reports failures without ending the test, because a list of all exceptions is more
// useful than the first.
type tally struct {
	t      *testing.T
	counts map[string]int
	broken int
}

func (y *tally) add(name string, sys *inventory.System, p plan.Pipeline) {
	c := check(y.t, sys, p)
	for _, b := range c.broken {
		if y.broken++; y.broken < 200 {
			y.t.Errorf("%s: %s", name, b)
		}
	}
	y.counts["machines"]++
	switch {
	case c.made.Why != "" && severe(c.found) > 0:
		y.counts["fails at warning, no advice: "+c.made.Why]++
	case severe(c.found) > 0:
		y.counts["fails at warning, advice: "+string(c.made.Advice[0].ID)]++
	case c.made.Why != "":
		y.counts["no advice: "+c.made.Why]++
	}
}

func (y *tally) log(what string) {
	for _, k := range slices.Sorted(maps.Keys(y.counts)) {
		y.t.Logf("%s %4d %s", what, y.counts[k], k)
	}
}

// TestCorpusKeepsPromises checks every advice for every machine of the corpus.
func TestCorpusKeepsPromises(t *testing.T) {
	p := pipeline(t)
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		y := &tally{t: t, counts: map[string]int{}}
		collecttest.Each(t, archive, func(name string, sys *inventory.System) { y.add(name, sys, p) })
		y.log(archive)
	}
}

// TestEveryLayoutKeepsPromises checks every advice for every generated layout.
func TestEveryLayoutKeepsPromises(t *testing.T) {
	p := pipeline(t)
	for _, g := range generators() {
		t.Run(g.name, func(t *testing.T) {
			y := &tally{t: t, counts: map[string]int{}}
			for name, sys := range g.all(t) {
				y.add(name, sys, p)
			}
			y.log(g.name)
		})
	}
}

// TestMovesAreMinimalEverywhere checks samples of up to eight equal modules for every machine with a documented map.
func TestMovesAreMinimalEverywhere(t *testing.T) {
	p := pipeline(t)
	for _, g := range generators() {
		held := 0
		g.every, g.sample = nil, 200
		for name, sys := range g.all(t) {
			if held == 5 {
				break
			}
			if minimal(t, g.name+" "+name, sys, p) {
				held++
			}
		}
		t.Logf("%s: %d layouts", g.name, held)
	}
}

// TestSwapsAreMinimalEverywhere checks every full board of eight modules of two sizes.
func TestSwapsAreMinimalEverywhere(t *testing.T) { t.Log(swapsAreMinimal(t, 1)) }

// TestMoreModulesAreNoSlowerEverywhere checks every generated layout.
func TestMoreModulesAreNoSlowerEverywhere(t *testing.T) {
	for _, g := range generators() {
		added, slower := monotone(t, &g, func(use func(string, *inventory.System)) {
			for name, sys := range g.all(t) {
				use(name, sys)
			}
		})
		t.Logf("%s: %d additions, %d times slower", g.name, added, slower)
	}
}
