package fleet

import (
	"regexp"
	"testing"

	"memaudit.example/memaudit/internal/report/metrics"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// variable matches what Grafana replaces.
var variable = regexp.MustCompile(`\$\{?([a-zA-Z_]+)`)

// TestDashboardQueries checks that every query uses existing metrics and labels, that every variable is declared, and
// that no data source is fixed.
func TestDashboardQueries(t *testing.T) {
	k := knownNames(t)
	for _, d := range []*Dashboard{Overview(t), Machine(t)} {
		name, declared := d.Title, []string{}
		for _, v := range d.Templating.List {
			declared = append(declared, v.Name)
			if v.Type == "query" {
				m := regexp.MustCompile(`^label_values\((.*), ([a-z]+)\)$`).FindStringSubmatch(v.Definition)
				require.NotNil(t, m, v.Definition)
				assert.Equal(t, v.Name, m[2])
				k.check(t, name+" "+v.Name, m[1])
				for metric := range parseNames(m[1]).Metrics {
					assert.Contains(t, append([]string{"job", "instance"}, k.metrics[metric]...), v.Name, v.Definition)
				}
			}
		}
		for _, want := range []string{"datasource", "job", "product"} {
			assert.Contains(t, declared, want, name)
		}
		for _, p := range d.Panels {
			for _, m := range regexp.MustCompile(`"uid":"([^"]*)"`).FindAllStringSubmatch(p.JSON, -1) {
				assert.Equal(t, "${datasource}", m[1], name)
			}
			assert.Equal(t, p.Type == "row", len(p.Targets) == 0, "%s: %s", name, p.Title)
			for _, q := range p.Targets {
				k.check(t, name+" "+p.Title, q.Expr)
				assert.Equal(t, "${datasource}", q.Datasource.UID)
				for _, m := range variable.FindAllStringSubmatch(q.Expr, -1) {
					assert.Contains(t, declared, m[1], "%s: %s", name, p.Title)
				}
			}
		}
	}
}

// TestMachinePageShowsAll checks that one page shows every metric of memaudit.
func TestMachinePageShowsAll(t *testing.T) {
	shown := map[string]bool{}
	for _, p := range Machine(t).Panels {
		for _, q := range p.Targets {
			for m := range parseNames(q.Expr).Metrics {
				shown[m] = true
			}
		}
	}
	for _, f := range metrics.Schema() {
		assert.True(t, shown[f.Name], f.Name)
	}
}

// TestMachinesLead checks that every table of machines links each to its page, by the page's id and variables, and to
// its report.
func TestMachinesLead(t *testing.T) {
	machine, tables := Machine(t), 0
	names := []string{}
	for _, v := range machine.Templating.List {
		names = append(names, v.Name)
	}
	for _, p := range Overview(t).Panels {
		if p.Type != "table" || !regexp.MustCompile(`"names":\[[^\]]*"instance"`).MatchString(p.JSON) {
			continue
		}
		tables++
		assert.Contains(t, p.JSON, "/d/"+machine.UID+"?", p.Title)
		assert.Contains(t, p.JSON, `http://${__value.text}/report`, p.Title)
		for _, m := range regexp.MustCompile(`var-([a-z]+)=`).FindAllStringSubmatch(p.JSON, -1) {
			assert.Contains(t, names, m[1], p.Title)
		}
	}
	assert.GreaterOrEqual(t, tables, 8)
}

// TestEveryPanelIsFiltered checks that every query is filtered by the variables at the top of its page.
func TestEveryPanelIsFiltered(t *testing.T) {
	for _, c := range []struct {
		page    *Dashboard
		choices []string
	}{{Overview(t), []string{`$job"`, `$product`}}, {Machine(t), []string{`job=~"$job"`, `instance=~"$instance"`}}} {
		for _, p := range c.page.Panels {
			for _, q := range p.Targets {
				for _, choice := range c.choices {
					assert.Contains(t, q.Expr, choice, "%s: %s", c.page.Title, p.Title)
				}
			}
		}
	}
}
