package fleet

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	alerts "memaudit.example/memaudit/deploy/prometheus"
	"memaudit.example/memaudit/internal/report/metrics"
)

// root is the repository.
var root = filepath.Join("..", "..", "..")

// rule is one rule of a rule file.
type rule struct {
	Record, Alert, Expr, For string
	Keep                     string `yaml:"keep_firing_for"`
	Labels, Annotations      map[string]string
}

// ruleFile reads the rules of a file below deploy/prometheus.
func ruleFile(t *testing.T, name string) []rule {
	t.Helper()
	var file struct {
		Groups []struct{ Rules []rule }
	}
	decode(t, filepath.Join(root, "deploy", "prometheus", name), &file)
	var all []rule
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	require.NotEmpty(t, all, name)
	return all
}

func decode(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, v), name)
}

// known is what an expression may name: for each metric its own labels, and
// all labels together.
type known struct {
	metrics map[string][]string
	labels  []string
}

// group is the label by which a site distinguishes machines of one product.
const group = "memaudit_group"

// target are the labels that Prometheus gives every series.
var target = []string{"job", "instance"}

// knownNames are memaudit's metrics, the recorded ones, and a few others.
func knownNames(t *testing.T) known {
	t.Helper()
	k := known{metrics: map[string][]string{
		"up": {}, "ALERTS": {"alertname", "severity", "alertstate", "rule", "product"},
		"process_resident_memory_bytes": {}, "process_cpu_seconds_total": {}, "node_uname_info": {"nodename"},
		"instance:memaudit_retired:info": {}, // a site's own
	}, labels: append([]string{"trait", "alertname", "host", "nodename", group}, target...)}
	for _, f := range metrics.Schema() {
		k.metrics[f.Name] = append(slices.Clone(f.Labels), group)
		k.labels = append(k.labels, f.Labels...)
	}
	for _, r := range ruleFile(t, "memaudit.rules.yml") {
		k.metrics[r.Record] = k.labels
	}
	for name := range k.metrics {
		if strings.Contains(name, ":") {
			k.metrics[name] = k.labels
		}
	}
	return k
}

// check checks an expression against the known names.
func (k *known) check(t *testing.T, where, expr string) {
	t.Helper()
	n := parseNames(expr)
	assert.NotEmpty(t, n.Metrics, "%s: names no metric", where)
	for metric, labels := range n.Metrics {
		own, ok := k.metrics[metric]
		if metric == "" {
			own, ok = append([]string{"__name__"}, k.labels...), true
		}
		if !assert.True(t, ok, "%s: no metric %s", where, metric) {
			continue
		}
		for _, l := range labels {
			assert.Contains(t, append(slices.Clone(own), target...), l, "%s: label of %s", where, metric)
		}
	}
	for _, l := range n.Labels {
		assert.Contains(t, k.labels, l, "%s: no metric has the label", where)
	}
}

// TestRuleNames checks that every expression uses existing metrics and labels, and that every recorded series is used
// or meant for queries.
func TestRuleNames(t *testing.T) {
	k := knownNames(t)
	for _, file := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		for _, r := range ruleFile(t, file) {
			k.check(t, r.Record+r.Alert, r.Expr)
		}
	}
}

// ofNoAnswer are the alerts about missed scrapes, which a missed scrape does not resolve.
var ofNoAnswer = map[string]bool{"MemauditDown": true, "MemauditVanished": true, "MemauditAbsent": true}

// runbookLink is a link to the daemon's runbook, or to the page that the packages install.
var runbookLink = regexp.MustCompile(`^(?:\{\{ if match "\^memaudit" \$labels\.job \}\}http\{\{ if match "tls" \$labels\.job \}\}s\{\{ end \}\}://\{\{ \$labels\.instance \}\}/runbook#(\S+|\{\{ \$labels\.rule \}\})\{\{ else \}\})?file:///usr/share/doc/memaudit/(\S+\.md)#(\S+|\{\{ reReplaceAll .*\}\})$`)

// TestAlertsAreComplete checks that each alert has severity, summary and subject, and a link to its part of the runbook,
// or to the rule's.
func TestAlertsAreComplete(t *testing.T) {
	for _, r := range ruleFile(t, "memaudit.alerts.yml") {
		assert.Contains(t, []string{"info", "warning", "critical"}, r.Labels["severity"], r.Alert)
		assert.NotEmpty(t, r.For, r.Alert)
		assert.NotEqual(t, ofNoAnswer[r.Alert], r.Keep != "", "%s: a missed scrape must not resolve it", r.Alert)
		assert.NotEmpty(t, r.Annotations["summary"], r.Alert)
		assert.LessOrEqual(t, strings.Count(strings.TrimSpace(r.Expr), "\n"), 2, "%s: an expression of at most three lines", r.Alert)
		for name, text := range r.Annotations {
			assert.NotContains(t, text, "query }}", "%s: %s asks Prometheus", r.Alert, name)
			assert.NotRegexp(t, `\|\s*query\b`, text, "%s: %s asks Prometheus", r.Alert, name)
		}
		about := r.Annotations["description"]
		assert.Regexp(t, `[Rr]ules?:? `, about, r.Alert)
		assert.Regexp(t, `labels\.(instance|host)|label instance|no instance`, about, r.Alert)
		link := runbookLink.FindStringSubmatch(strings.TrimSuffix(r.Annotations["runbook_url"], "{{ end }}"))
		require.NotNil(t, link, r.Alert)
		switch link[2] {
		case "rules/by-name.md":
			assert.Equal(t, []string{"{{ $labels.rule }}", `{{ reReplaceAll "[.]" "" $labels.rule }}`}, []string{link[1], link[3]}, r.Alert)
		case "deploy/prometheus/README.md":
			assert.Contains(t, []string{"", r.Alert}, link[1])
			assert.Equal(t, strings.ToLower(r.Alert), link[3])
			assert.Contains(t, alerts.Page, "\n### "+r.Alert+"\n")
		default:
			t.Errorf("%s: %s is not in the packages", r.Alert, link[2])
		}
	}
}

// TestEveryRuleHasCases checks that promtool's tests show every alert firing and not firing, and every recorded
// series.
func TestEveryRuleHasCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "deploy", "prometheus", "tests", "*.yml"))
	require.NoError(t, err)
	fires, silent, recorded := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, name := range files {
		var file struct {
			Tests []struct {
				Alerts []struct {
					Name string `yaml:"alertname"`
					Exp  []any  `yaml:"exp_alerts"`
				} `yaml:"alert_rule_test"`
				Exprs []struct {
					Expr string
					Exp  []any `yaml:"exp_samples"`
				} `yaml:"promql_expr_test"`
			}
		}
		decode(t, name, &file)
		for _, c := range file.Tests {
			for _, a := range c.Alerts {
				fires[a.Name] = fires[a.Name] || len(a.Exp) > 0
				silent[a.Name] = silent[a.Name] || len(a.Exp) == 0
			}
			for _, e := range c.Exprs {
				name, _, _ := strings.Cut(e.Expr, "{")
				recorded[name] = recorded[name] || len(e.Exp) > 0
			}
		}
	}
	for _, r := range ruleFile(t, "memaudit.alerts.yml") {
		assert.True(t, fires[r.Alert], "%s: no case where it fires", r.Alert)
		assert.True(t, silent[r.Alert], "%s: no case where it does not", r.Alert)
	}
	for _, r := range ruleFile(t, "memaudit.rules.yml") {
		assert.True(t, recorded[r.Record], "%s: no case in %v", r.Record, slices.Sorted(maps.Keys(recorded)))
	}
}

// names is what a PromQL expression names.
type names struct {
	// Metrics maps each metric to the labels in its matchers; the key "" is a selector without a metric.
	Metrics map[string][]string
	// Labels are those named by by, without, on, ignoring and group_left.
	Labels []string
}

// promqlToken matches one lexical element of PromQL; the groups match identifiers.
var promqlToken = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`" + // strings
	`|\[[^\]]*\]` + // ranges
	`|[0-9][0-9a-zA-Z.]*` + // numbers and durations
	`|\$\{?[a-zA-Z_]+\}?` + // Grafana's variables
	`|([a-zA-Z_:][a-zA-Z0-9_:]*)` + `|[^\s]`)

// Keywords of PromQL that are not metrics. Functions are recognised by their parenthesis.
var (
	grouping  = []string{"by", "without", "on", "ignoring", "group_left", "group_right"}
	operators = []string{"and", "or", "unless", "bool", "offset", "inf", "nan"}
	// aggregators may be followed by their grouping.
	aggregators = []string{"sum", "min", "max", "avg", "group", "count", "topk", "bottomk", "count_values", "quantile", "stddev", "stdvar"}
)

// parseNames lists the names of an expression. It does not check the grammar:
// promtool does that.
func parseNames(expr string) names {
	n := names{Metrics: map[string][]string{}}
	words := promqlToken.FindAllStringSubmatch(expr, -1)
	text := func(i int) string {
		if i < len(words) {
			return words[i][0]
		}
		return ""
	}
	metric, braces, inList := "", false, false
	for i, w := range words {
		name, next := w[1], text(i+1)
		switch {
		case w[0] == "{":
			braces = true
			n.Metrics[metric] = append(n.Metrics[metric], []string{}...)
		case w[0] == "}":
			braces, metric = false, ""
		case w[0] == "(" && i > 0:
			inList = slices.Contains(grouping, text(i-1))
		case w[0] == ")":
			inList = false
		case name == "":
		case braces:
			n.Metrics[metric] = append(n.Metrics[metric], name)
		case inList:
			n.Labels = append(n.Labels, name)
		case next == "(" || slices.ContainsFunc([][]string{grouping, operators, aggregators}, func(words []string) bool { return slices.Contains(words, strings.ToLower(name)) }):
		default:
			n.Metrics[name] = append(n.Metrics[name], []string{}...)
			metric = ""
			if next == "{" {
				metric = name
			}
		}
	}
	return n
}

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
