package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
)

// TestRelevanceOfAProfile checks that a finding shows whether its document is the vendor's for this machine, the
// vendor's for others, or another vendor's.
func TestRelevanceOfAProfile(t *testing.T) {
	e := NewEngine(builtinPacks(t))
	for _, c := range []struct {
		who           identity
		intent, given string
		standing      string
	}{
		{identity{"Dell Inc.", "PowerEdge R740", "skylake-sp", ""}, "low-latency", "workloads/vdu", verdict.Practice},
		{identity{"Dell Inc.", "PowerEdge R670", "granite-rapids-sp", ""}, "max-performance", "dell-system-profiles/performance-optimized", verdict.Analogous},
		{identity{"Dell Inc.", "PowerEdge R650", "ice-lake-sp", ""}, "max-performance", "dell-14g-15g/performance", ""},
		{identity{"-", "-", "skylake-sp", ""}, "low-latency", "workloads/vdu", verdict.Practice},
	} {
		r := runFor(e, c.who)
		p, why := r.resolve(c.intent)
		require.NotNil(t, p, why)
		require.Equal(t, c.given, p.ID)
		table := p.Table()
		f := r.judge(p, &table[0], "another word")
		assert.EqualValues(t, c.standing, f.Citation.Standing, "%v %s", c.who, c.intent)
		if c.standing == verdict.Practice && c.who.vendor == "-" {
			assert.Contains(t, f.Why, "the machine's vendor is not known, general practice of Red Hat")
		} else if c.standing == verdict.Practice {
			assert.Contains(t, f.Why, "no document of the machine's vendor, general practice of Red Hat")
		} else {
			assert.NotContains(t, f.Why, "general practice")
		}
	}
}
