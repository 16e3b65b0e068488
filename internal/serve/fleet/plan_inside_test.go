package fleet

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestShareOfStock checks that modules go where they help most, critical failures first, and that what no longer fits
// is replaced by the machine's smaller change, or else reported as short; no machine gets two changes.
func TestShareOfStock(t *testing.T) {
	take := func(machine string, modules, critical int, times float64, of ...int) Change {
		return Change{Machine: machine, Modules: modules, Critical: critical, Warning: 1, Times: &times, of: of}
	}
	p := &Plan{Stock: []Stock{{Count: 4}, {Count: 4}}}
	p.share([]Change{
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
