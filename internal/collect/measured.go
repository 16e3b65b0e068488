package collect

import (
	"slices"

	"github.com/memaudit/memaudit/internal/inventory"
)

// measurements keeps what was measured. One of another machine is shown and
// never judged.
func (c *collector) measurements(given []inventory.Measurement) []inventory.Measurement {
	out := slices.Clone(given)
	own := c.sys.Machine.Product.Or("")
	for i := range out {
		if m := &out[i]; m.Unjudged == "" && m.Product != "" && own != "" && m.Product != own {
			m.Unjudged = "measured on another machine: " + m.Product + ", and this is " + own
		}
	}
	return out
}
