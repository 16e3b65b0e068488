package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhyDearWords: what speaks against fewer new modules is what fails with all
// of them, else with some, and never what the taken layout leaves as well.
func TestWhyDearWords(t *testing.T) {
	taken := &candidate{score: score{fails: []Finding{{Rule: "memory.dimm.uniform"}}}}
	for want, stays := range map[string][][]string{
		"no layout with fewer new modules is even behind all processors":         nil,
		"no layout tried with fewer new modules mends a part and breaks nothing": {{"memory.dimm.uniform"}, {}},
		"with fewer new modules a still fails":                                   {{"a", "b"}, {"memory.dimm.uniform", "a"}},
		"with fewer new modules a and b still fails":                             {{"a", "b"}},
		"with fewer new modules a or b fails":                                    {{"a", "memory.dimm.uniform"}, {"b", "memory.dimm.uniform"}},
		"with fewer new modules a, b or c fails":                                 {{"a", "b"}, {"c"}},
		"with fewer new modules a fails":                                         {{"a"}, {}},
	} {
		s := &search{board: &board{}, stays: stays}
		require.Equal(t, want, s.whyDear(taken))
	}
}

// TestAgainst: a remark that stays speaks against no layout, a new one does.
func TestAgainst(t *testing.T) {
	before := &score{fails: []Finding{{"a", "machine", "warning"}, {"b", "machine", "info"}}}
	after := &score{fails: []Finding{{"a", "machine", "warning"}, {"b", "machine", "info"}, {"c", "socket 0", "info"}, {"c", "socket 1", "info"}}}
	require.Equal(t, []string{"a", "c"}, after.against(before))
}
