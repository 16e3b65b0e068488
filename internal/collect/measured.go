package collect

import (
	"slices"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

// measurements returns the measured results. Those of another machine are marked: they are shown
// and never judged.
func (c *collector) measurements(given []inventory.Measurement) []inventory.Measurement {
	out := slices.Clone(given)
	own := c.sys.Machine.Product.Or("")
	for i := range out {
		m := &out[i]
		m.Foreign = m.Product != "" && own != "" && m.Product != own
		if m.Foreign && m.Unjudged == "" {
			m.Unjudged = "measured on another machine: " + m.Product + ", and this is " + own
		}
	}
	return out
}
