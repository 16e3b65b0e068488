package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// TestOfflineCPUs checks that CPUs offline because SMT is off do not count, and that an option counts only if it
// limits the CPUs.
func TestOfflineCPUs(t *testing.T) {
	known := func(n ...int) fact.Fact[[]int] { return fact.Known(n, fact.Direct, fact.Evidence{}) }
	for name, c := range map[string]struct {
		online, present []int
		smt, by         string
		options         []string
		offline         any
		limits          any
	}{
		"all":                          {[]int{0, 1, 2, 3}, []int{0, 1, 2, 3}, "enabled", "", nil, "", []string{}},
		"some":                         {[]int{0, 3}, []int{0, 1, 2, 3, 4}, "enabled", "", nil, "1-2,4", []string{}},
		"SMT off":                      {[]int{0, 1}, []int{0, 1, 2, 3}, "disabled", inventory.DecidedAdministrator, nil, "", []string{}},
		"SMT off, four threads a core": {[]int{0, 1}, []int{0, 1, 2, 3, 4, 5, 6, 7}, "disabled", inventory.DecidedAdministrator, nil, "", []string{}},
		"SMT off, cores without it":    {[]int{0, 1, 3}, []int{0, 1, 2, 3}, "disabled", inventory.DecidedAdministrator, nil, "", []string{}},
		"SMT off by firmware":          {[]int{0, 1}, []int{0, 1, 2}, "disabled", inventory.DecidedFirmware, nil, "2", []string{}},
		"SMT off and one more":         {[]int{0}, []int{0, 1, 2, 3}, "disabled", inventory.DecidedAdministrator, nil, "1-3", []string{}},
		"an option that limits":        {[]int{0, 1}, []int{0, 1}, "enabled", "", []string{"nr_cpus=2"}, "", []string{"nr_cpus=2"}},
		"an option that leaves room":   {[]int{0, 1}, []int{0, 1}, "enabled", "", []string{"nr_cpus=64"}, "", []string{}},
	} {
		sys := &inventory.System{CPU: inventory.CPU{Online: known(c.online...), Present: known(c.present...)},
			Sockets:  []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{}), Threads: fact.Known(4, fact.Direct, fact.Evidence{}), CoresEnabled: fact.Known(2, fact.Direct, fact.Evidence{})}},
			Settings: map[string]inventory.Setting{"smt": {Effective: fact.Known(c.smt, fact.Direct, fact.Evidence{}), DecidedBy: fact.Known(c.by, fact.Direct, fact.Evidence{})}}}
		sys.NUMA.Options = fact.Known(c.options, fact.Direct, fact.Evidence{})
		m := &Machine{sys: sys}
		assert.Equal(t, c.offline, offlineCPUs(m).v, name)
		assert.Equal(t, c.limits, limitedBy(m).v, name)
	}
}
