//go:build fleetscale

package fleetscale

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/fleet"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// root is the repository.
var root = filepath.Join("..", "..")

// measured is what one size of fleet came to. Times are in seconds.
type measured struct {
	machines, series, recorded int
	createMB, serveMB          int
	create                     float64
	// groups are the shortest times of complete evaluations reported by Prometheus.
	groups map[string]float64
	// rules and queries are what each cost when asked alone.
	rules, queries map[string]cost
}

// cost is the cost of a query: the shortest of three times in seconds, and the samples that it read, which do not
// depend on the machine's load.
type cost struct {
	seconds float64
	samples int
}

// TestFleetScale writes the metrics of simulated fleets as blocks of Prometheus,
// lets it evaluate the rules and asks the queries of the dashboards. `make
// fleet-scale` runs it; FLEET_SIZES gives the sizes.
func TestFleetScale(t *testing.T) {
	sizes := strings.Fields(os.Getenv("FLEET_SIZES"))
	if len(sizes) == 0 {
		sizes = []string{"1000", "3000", "10000"}
	}
	var all []*measured
	for _, size := range sizes {
		n, err := strconv.Atoi(size)
		require.NoError(t, err)
		all = append(all, measure(t, n))
	}
	fmt.Println(table(all))
	for i := 1; i < len(all); i++ {
		small, large := all[i-1], all[i]
		assert.LessOrEqual(t, float64(large.recorded)/float64(large.machines), float64(small.recorded)/float64(small.machines), "recorded series per machine")
		notFaster(t, small, large, small.rules, large.rules)
		notFaster(t, small, large, small.queries, large.queries)
	}
}

// notFaster checks that the samples read grow no faster than the fleet, plus a hundred. A query over recorded series
// reads one sample per machine for every half hour that has passed meanwhile.
func notFaster(t *testing.T, small, large *measured, before, after map[string]cost) {
	t.Helper()
	require.NotEmpty(t, before)
	for name, was := range before {
		grant := 100
		if strings.HasPrefix(name, "MemauditMemoryShrunk") {
			grant += large.machines
		}
		assert.LessOrEqual(t, after[name].samples, was.samples*large.machines/small.machines+grant,
			"%s, from %d to %d machines", name, small.machines, large.machines)
	}
}

// measure does one size.
func measure(t *testing.T, machines int) *measured {
	t.Helper()
	m := &measured{machines: machines, groups: map[string]float64{}, rules: map[string]cost{}, queries: map[string]cost{}}
	dir := t.TempDir()
	page, data := filepath.Join(dir, "fleet.om"), filepath.Join(dir, "data")
	m.series = writeFleet(t, page, machines, time.Now())
	start := time.Now()
	cmd := exec.Command("promtool", "tsdb", "create-blocks-from", "openmetrics", "--quiet", page, data)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	m.create, m.createMB = time.Since(start).Seconds(), peakMB(cmd.ProcessState)
	require.NoError(t, os.Remove(page))

	server, base, stop := serve(t, dir, data)
	m.evaluate(t, base)
	m.dashboards(t, base)
	m.serveMB = residentMB(t, server.Process.Pid)
	stop()
	require.NoError(t, os.RemoveAll(data))
	return m
}

// writeFleet writes one sample of every series of a fleet, in OpenMetrics. Two
// example machines are the model, with 226 and 274 series; there are twenty
// products, and of each product a few machines have another BIOS, another
// population, another setting or a finding.
func writeFleet(t *testing.T, file string, machines int, at time.Time) (series int) {
	t.Helper()
	var trees machinetest.Trees
	defer func() { require.NoError(t, trees.Remove()) }()
	var models [2][]string
	for i, name := range []string{"fujitsu-rx600s6-class1", "fujitsu-rx600s6-class2"} {
		out, err := exec.Command(filepath.Join(root, "bin", "memaudit"), "check", "--root", trees.Dir(t, name),
			"--format", "prometheus", "--fail-on", "never").Output()
		require.NoError(t, err)
		models[i] = strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	families := map[string][2][]string{}
	for i, lines := range models {
		for _, l := range lines {
			if name, _, _ := strings.Cut(strings.FieldsFunc(l, func(r rune) bool { return r == '{' || r == ' ' })[0], " "); l[0] != '#' {
				f := families[name]
				f[i] = append(f[i], l)
				families[name] = f
			}
		}
	}
	out, err := os.Create(file)
	require.NoError(t, err)
	w := bufio.NewWriterSize(out, 1<<20)
	stamp := fmt.Sprintf(" %d\n", at.Unix())
	for _, name := range slices.Sorted(maps.Keys(families)) {
		fmt.Fprintf(w, "# TYPE %s gauge\n", name)
		for n := range machines {
			for _, l := range families[name][n%2] {
				series++
				w.WriteString(vary(l, n, at))
				w.WriteString(stamp)
			}
		}
	}
	w.WriteString("# EOF\n")
	require.NoError(t, w.Flush())
	require.NoError(t, out.Close())
	return series
}

// vary turns a model's line into that of the n-th machine.
func vary(l string, n int, at time.Time) string {
	target := fmt.Sprintf(`job="memaudit",instance="node-%05d:9822"`, n)
	name, rest, ok := strings.Cut(l, "{")
	if !ok {
		name, value, _ := strings.Cut(l, " ")
		if name == "memaudit_audit_timestamp_seconds" {
			value = fmt.Sprint(at.Unix())
		}
		return name + "{" + target + "} " + value
	}
	switch {
	case name == "memaudit_machine_info":
		rest = strings.Replace(rest, "PRIMERGY RX600 S6", fmt.Sprintf("PRODUCT %02d", n%20), 1)
		if n%97 == 0 {
			rest = regexp.MustCompile(`bios_version="[^"]*"`).ReplaceAllString(rest, `bios_version="other"`)
		}
	case name == "memaudit_population_info" && n%193 == 0:
		rest = regexp.MustCompile(`signature="[^"]*"`).ReplaceAllString(rest, `signature="other"`)
	case name == "memaudit_setting_info" && n%89 == 0:
		rest = strings.Replace(rest, `setting="smt",value="`, `setting="smt",value="not_`, 1)
	case name == "memaudit_rule_failed" && n%2 == 0 && n%101 == 0:
		rest = strings.Replace(rest, `rule="memory.channel.populated",severity="warning"} 0`, `rule="memory.channel.populated",severity="warning"} 1`, 1)
	}
	return name + "{" + target + "," + rest
}

// serve starts Prometheus over the blocks, with the rules as they are. The one
// sample of each series stays visible for an hour.
func serve(t *testing.T, dir, data string) (cmd *exec.Cmd, base string, stop func()) {
	t.Helper()
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		text, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	config := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(config, []byte("global: {evaluation_interval: 1m}\nrule_files: [memaudit.rules.yml, memaudit.alerts.yml]\n"), 0o600))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	l.Close()
	cmd = exec.Command("prometheus", "--config.file", config, "--storage.tsdb.path", data, "--web.listen-address", address,
		"--query.lookback-delta", "1h", "--storage.tsdb.retention.time", "10y", "--log.level", "warn")
	require.NoError(t, cmd.Start())
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	}
	t.Cleanup(stop)
	base = "http://" + address
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		require.True(t, time.Now().Before(end), "Prometheus is not ready")
		if resp, err := http.Get(base + "/-/ready"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return cmd, base, stop
			}
		}
	}
}

// evaluate waits until every group was evaluated, the fleet's twice, keeps the
// shortest times, and then asks each rule's expression alone.
func (m *measured) evaluate(t *testing.T, base string) {
	t.Helper()
	var groups struct {
		Groups []struct {
			Name           string
			EvaluationTime float64
			LastEvaluation time.Time
			Rules          []struct{ Name, Query, Health, LastError string }
		}
	}
	seen := map[string]map[time.Time]bool{}
	for end, done := time.Now().Add(10*time.Minute), false; !done; time.Sleep(time.Second) {
		require.True(t, time.Now().Before(end), "the rules are not evaluated")
		get(t, base+"/api/v1/rules", &groups)
		done = true
		for _, g := range groups.Groups {
			if seen[g.Name] == nil {
				seen[g.Name] = map[time.Time]bool{}
			}
			if g.LastEvaluation.Year() > 2000 {
				before, again := m.groups[g.Name]
				if !again || g.EvaluationTime < before {
					m.groups[g.Name] = g.EvaluationTime
				}
				seen[g.Name][g.LastEvaluation] = true
			}
			done = done && len(seen[g.Name]) >= 1 && len(seen["memaudit.fleet"]) >= 2
		}
	}
	for _, g := range groups.Groups {
		for i, r := range g.Rules {
			assert.Equal(t, "ok", r.Health, "%s: %s", r.Name, r.LastError)
			m.rules[fmt.Sprintf("%s (%s %d)", r.Name, g.Name, i+1)] = ask(t, base, r.Query)
		}
	}
	m.recorded = int(value(t, base, `count({__name__=~".+:memaudit_.+"})`))
	require.Equal(t, m.machines, int(value(t, base, `sum(product:memaudit_compared:count{trait="population"})`)), "machines compared")
}

// dashboards runs every query of the dashboards.
func (m *measured) dashboards(t *testing.T, base string) {
	t.Helper()
	replace := strings.NewReplacer("$job", ".*", "$product", ".*", "$instance", "node-00007:9822")
	for _, d := range []*fleet.Dashboard{fleet.Overview(t), fleet.Machine(t)} {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				m.queries[d.Title+", "+p.Title+" "+q.RefID] = ask(t, base, replace.Replace(q.Expr))
			}
		}
	}
}

// ask runs a query three times.
func ask(t *testing.T, base, query string) cost {
	t.Helper()
	var c cost
	for i := range 3 {
		var data struct {
			Stats struct {
				Samples struct{ TotalQueryableSamples int }
			}
		}
		start := time.Now()
		get(t, base+"/api/v1/query?stats=all&query="+url.QueryEscape(query), &data)
		if took := time.Since(start).Seconds(); i == 0 || took < c.seconds {
			c.seconds = took
		}
		c.samples = data.Stats.Samples.TotalQueryableSamples
	}
	return c
}

// value is the result of a query that gives one number.
func value(t *testing.T, base, query string) float64 {
	t.Helper()
	var data struct {
		Result []struct{ Value [2]any }
	}
	get(t, base+"/api/v1/query?query="+url.QueryEscape(query), &data)
	require.Len(t, data.Result, 1, query)
	v, err := strconv.ParseFloat(data.Result[0].Value[1].(string), 64)
	require.NoError(t, err)
	return v
}

func get(t *testing.T, address string, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
	require.NoError(t, json.Unmarshal(body, &struct {
		Data any `json:"data"`
	}{into}))
}

// peakMB is the maximum memory of a process.
func peakMB(s *os.ProcessState) int {
	return int(s.SysUsage().(*syscall.Rusage).Maxrss / 1024)
}

// residentMB is the maximum memory of a running process.
func residentMB(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(data)
	require.NotNil(t, m)
	kb, err := strconv.Atoi(string(m[1]))
	require.NoError(t, err)
	return kb / 1024
}

// table prints the figures as Markdown: totals, then what takes longest.
func table(all []*measured) string {
	var b strings.Builder
	row := func(name string, cell func(*measured) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, m := range all {
			fmt.Fprintf(&b, " %s |", cell(m))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s, %s/%s, %d CPUs\n\n", time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	row("machines", func(m *measured) string { return strconv.Itoa(m.machines) })
	row("---", func(*measured) string { return "---" })
	row("series", func(m *measured) string { return strconv.Itoa(m.series) })
	row("recorded series", func(m *measured) string { return strconv.Itoa(m.recorded) })
	row("writing the blocks, s", func(m *measured) string { return fmt.Sprintf("%.0f", m.create) })
	row("its peak memory, MB", func(m *measured) string { return strconv.Itoa(m.createMB) })
	row("Prometheus's peak memory, MB", func(m *measured) string { return strconv.Itoa(m.serveMB) })
	last := all[len(all)-1]
	for _, name := range slices.Sorted(maps.Keys(last.groups)) {
		row("evaluation of the group "+name+", s", func(m *measured) string { return fmt.Sprintf("%.2f", m.groups[name]) })
	}
	for what, part := range map[string]func(*measured) map[string]cost{
		"rule":  func(m *measured) map[string]cost { return m.rules },
		"query": func(m *measured) map[string]cost { return m.queries },
	} {
		costs := part(last)
		names := slices.SortedFunc(maps.Keys(costs), func(x, y string) int { return cmp.Compare(costs[y].seconds, costs[x].seconds) })
		for _, name := range names[:min(6, len(names))] {
			row(what+" "+name+", s (samples)", func(m *measured) string {
				return fmt.Sprintf("%.2f (%d)", part(m)[name].seconds, part(m)[name].samples)
			})
		}
		row(fmt.Sprintf("all %d of kind %s together, s (samples)", len(names), what), func(m *measured) string {
			var sum cost
			for _, c := range part(m) {
				sum.seconds += c.seconds
				sum.samples += c.samples
			}
			return fmt.Sprintf("%.2f (%d)", sum.seconds, sum.samples)
		})
	}
	return b.String()
}
