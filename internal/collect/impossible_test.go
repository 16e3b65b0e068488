package collect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
)

// TestImpossibleModules checks that what a module cannot be beside the others is a defect of the table, and that
// modules that differ as real ones do are none.
func TestImpossibleModules(t *testing.T) {
	usual := smbiostest.DIMM{Bytes: 32 << 30, Speed: 2933, Configured: 2666}
	changed := func(change func(d *smbiostest.DIMM)) smbiostest.DIMM { d := usual; change(&d); return d }
	for name, c := range map[string]struct {
		last smbiostest.DIMM
		most int64
		want string
	}{
		"alike":                   {usual, 0, ""},
		"another size and rating": {changed(func(d *smbiostest.DIMM) { d.Bytes, d.Speed = 16<<30, 2666 }), 0, ""},
		"an empty slot":           {smbiostest.DIMM{}, 0, ""},
		"no speed":                {changed(func(d *smbiostest.DIMM) { d.Configured = 0 }), 0, ""},
		"DDR3":                    {changed(func(d *smbiostest.DIMM) { d.Type = 0x18 }), 0, "A3 is DDR3, and the others are DDR4, which no board takes together"},
		"half a DIMM":             {changed(func(d *smbiostest.DIMM) { d.DataBits = 32 }), 0, "A3 has a data width of 32 bits, and the others have 64"},
		"a slow one":              {changed(func(d *smbiostest.DIMM) { d.Configured = 400 }), 0, "A3 has a configured speed that the others do not have: 400 is not a speed that DDR4 can have"},
		"rated as a clock":        {changed(func(d *smbiostest.DIMM) { d.Speed = 800 }), 0, "A3 has a rated speed that the others do not have: the speed looks like a clock in MHz, not like transfers (800 for DDR4)"},
		"above its rating":        {changed(func(d *smbiostest.DIMM) { d.Speed = 1600 }), 0, "A3 runs at 2666 MT/s and is rated 1600"},
		"larger than its array":   {usual, 24 << 30, "A1 has 32 GiB, and its memory array takes 24 GiB"},
		"larger than its share":   {usual, 64 << 30, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := smbiostest.New(3, 2)
			array := b.Array(smbiostest.Array{Devices: 3, MaxBytes: c.most})
			for i, d := range []smbiostest.DIMM{usual, usual, c.last} {
				d.Array, d.Locator = array, []string{"A1", "A2", "A3"}[i]
				b.MemoryDevice(d)
			}
			var problems []string
			for _, p := range collecttest.Decoded(t, b).Firmware.Problems {
				problems = append(problems, p.Text)
			}
			if c.want == "" {
				assert.Empty(t, problems)
			} else {
				assert.Contains(t, problems, c.want)
			}
		})
	}
}
