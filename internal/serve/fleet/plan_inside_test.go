package fleet

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/advice/plan"
)

// TestShareOfStock checks that modules go where they help most, critical failures first, and that what no longer fits
// is replaced by the machine's smaller change, or else reported as short; no machine gets two changes.
func TestShareOfStock(t *testing.T) {
	take := func(machine string, modules, critical int, times float64, of ...int) Change {
		return Change{Machine: machine, Modules: modules, Critical: critical, Warning: 1, Times: &times, of: of}
	}
	p := &Plan{Stock: []Stock{{Count: 4}, {Count: 4}}}
	p.assignStock([]Change{
		take("much-for-many", 4, 0, 2, 0, 1), // 0.25 a module
		take("most", 2, 0, 2, 0, 1),          // 0.5 a module
		take("most", 4, 0, 2.5, 0, 1),
		take("critical", 4, 1, 1.1, 1),
		take("smaller", 4, 0, 1.9, 0), // does not fit
		take("smaller", 2, 0, 1.4, 0),
	})
	var got []string
	for i := range p.Spares {
		got = append(got, p.Spares[i].Machine+" "+strconv.Itoa(p.Spares[i].Modules))
	}
	assert.Equal(t, []string{"critical 4", "most 2", "smaller 2"}, got)
	assert.Equal(t, []Stock{{Count: 4, Used: 4, Short: 4}, {Count: 4, Used: 4}}, p.Stock)
	assert.Equal(t, []int{1}, p.Spares[1].Spares, "entries are counted from 1")
}

// TestTransfers checks that what machines give up goes where each module gains most, only to modules of its kind and
// only once, from a machine that gives already before another one, and that no machine gives and gets;
// what may differ is named.
func TestTransfers(t *testing.T) {
	kind := func(gib int64) plan.Traits {
		return plan.Traits{Bytes: gib << 30, Type: "DDR4", Ranks: 2, RatedMTs: 2666}
	}
	gives := func(machine string, modules ...int64) Change {
		c := Change{Machine: machine, Modules: len(modules)}
		for n, gib := range modules {
			c.gives = append(c.gives, given{module: kind(gib), slot: "A" + strconv.Itoa(n+1)})
		}
		return c
	}
	needs := func(machine string, modules int, gib int64, times float64) Change {
		return Change{Machine: machine, Modules: modules, Warning: 1, Times: &times, wants: kind(gib)}
	}
	p := &Plan{GiveUp: []Change{gives("small", 8, 8), gives("much", 32, 32, 16), gives("more", 32, 32)}}
	p.GiveUp[2].gives[1].module.RatedMTs, p.GiveUp[2].gives[1].module.TotalWidth = 2933, 72
	done := p.assignTransfers([]Change{
		needs("second", 1, 32, 1.3), needs("first", 1, 32, 1.7), needs("first", 2, 32, 1.9), needs("other size", 1, 64, 3), needs("too many", 3, 8, 1.2), needs("much", 1, 16, 5), needs("third", 2, 32, 1.1),
	})
	var got []string
	for i := range p.Transfers {
		got = append(got, p.Transfers[i].Machine+": "+strings.Join(append(originTexts(p.Transfers[i].Origins), p.Transfers[i].Unlike), ", "))
	}
	assert.Equal(t, []string{"first: much (A1), ", "second: much (A2), ", "third: more (A1, A2), rated speed and width"}, got)
	assert.Equal(t, []int{0, 2, 2}, []int{p.GiveUp[0].Given, p.GiveUp[1].Given, p.GiveUp[2].Given})
	assert.Equal(t, map[string]bool{"first": true, "second": true, "third": true, "much": true, "more": true}, done)
}
