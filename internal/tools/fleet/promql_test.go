package fleet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParse(t *testing.T) {
	for expr, want := range map[string]Names{
		`up{job=~"memaudit.*"} == 0`:                                                {Metrics: map[string][]string{"up": {"job"}}},
		`sum by (rule, severity) (memaudit_rule_failed)`:                            {Metrics: map[string][]string{"memaudit_rule_failed": nil}, Labels: []string{"rule", "severity"}},
		`sum(a:b:c{x="by (q) z", y!~'{'}) without (x)`:                              {Metrics: map[string][]string{"a:b:c": {"x", "y"}}, Labels: []string{"x"}},
		`{__name__=~"m.*", t="p"}`:                                                  {Metrics: map[string][]string{"": {"__name__", "t"}}},
		`a * on (job, instance) group_left (vendor) b{v=""}`:                        {Metrics: map[string][]string{"a": nil, "b": {"v"}}, Labels: []string{"job", "instance", "vendor"}},
		`time() - a offset 1d > 7200 unless max_over_time(b[1d:30m]) or $c{i="$i"}`: {Metrics: map[string][]string{"a": nil, "b": nil, "": {"i"}}},
		`topk(20, a > bool 1e3) and group without (x) (b) / 0.5`:                    {Metrics: map[string][]string{"a": nil, "b": nil}, Labels: []string{"x"}},
	} {
		got := Parse(expr)
		for m, labels := range got.Metrics {
			if len(labels) == 0 {
				got.Metrics[m] = nil
			}
			slices.Sort(labels)
		}
		assert.Equal(t, want, got, expr)
	}
}
