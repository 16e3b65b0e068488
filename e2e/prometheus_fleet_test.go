//go:build e2e && nightly

package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/tools/fleet"
)

// faster is by how much the copy of the rules is faster than the rules: an hour
// is twelve seconds.
const faster = 300

// duration matches PromQL's durations of elapsed time: in for, interval, offset and ranges.
var duration = regexp.MustCompile(`\b(keep_firing_for|for|interval|offset):? (\d+)([smhd])|(\[|:)(\d+)([smhd])|(_seconds >) (\d+)()`)

// hasten divides every time in a rule file.
func hasten(text string) string {
	unit := map[string]int{"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "": 1000}
	return duration.ReplaceAllStringFunc(text, func(s string) string {
		m := regexp.MustCompile(`^(.*?)(\d+)([smhd]?)$`).FindStringSubmatch(s)
		n := 0
		fmt.Sscan(m[2], &n)
		ms := n * unit[m[3]] / faster
		if m[3] == "" {
			return fmt.Sprint(m[1], ms/1000)
		}
		return fmt.Sprintf("%s%dms", m[1], ms)
	})
}

// TestPrometheusFleet checks the example configuration with Prometheus scraping three daemons for three machines, one
// of them over TLS with a password, and the textfile of a fourth. The rules fire for the bad ones and not for the
// good ones; failed audits, a daemon that dies and a textfile that vanishes are reported.
func TestPrometheusFleet(t *testing.T) {
	needProgram(t, "prometheus")
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(prometheusDir)))
	const password = "example" // the hash in web.example.yml is of it
	pool := certificates(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "memaudit-password"), []byte(password), 0o600))
	tree := filepath.Join(dir, "machine")
	require.NoError(t, os.CopyFS(tree, os.DirFS(treeOf(t, "dell-r610-interleaved"))))

	good, _ := daemon(t, "--root", treeOf(t, "dell-r610-good"))
	bad, _ := daemon(t, "--root", treeOf(t, "dell-r610-unbalanced"), "--web.config.file", filepath.Join(dir, "web.example.yml"))
	worse, stop := daemon(t, "--root", tree)
	text, gone := textfile(t, "dell-m610-good")
	counting, _ := daemon(t, kept(t, "dell-r740-errors", "memory.errors.uncorrected")...)
	daemonPages(t, good, bad, pool, password)

	p := startPrometheus(t, dir, map[string]string{"memaudit": good + " " + counting, "memaudit-files": worse, "memaudit-tls": bad, "node": text})
	p.wait(t, map[string]string{
		"MemauditWarning " + bad + " memory.channel.populated": "warning",
		"MemauditWarning " + worse + " numa.node-interleaving": "warning",
		"MemauditPopulationOutliers  ":                         "info",
		"MemauditSettingDrift  ":                               "info",
	})
	for name := range p.alerts(t, "firing") {
		assert.NotContains(t, name, good)
		assert.NotContains(t, name, text)
		assert.NotContains(t, name, "symmetric", "what follows from empty channels is not an alert of its own")
	}
	p.healthy(t, good, bad, worse, text)
	p.shown(t, counting)

	require.NoError(t, os.Rename(tree, tree+".gone"))
	p.wait(t, map[string]string{"MemauditAuditIncomplete " + worse + " ": "warning"})
	stop()
	gone.Store(true)
	p.wait(t, map[string]string{"MemauditDown " + worse + " ": "warning", "MemauditVanished " + text + " ": "warning"})
	for name := range p.alerts(t, "firing") {
		assert.NotContains(t, name, good)
	}
}

// daemon starts memaudit serve at a free port and waits until it is ready.
func daemon(t *testing.T, args ...string) (address string, stop func()) {
	t.Helper()
	address = freeAddress(t)
	cmd := exec.Command(binary(t), append([]string{"serve", "--web.listen-address", address, "--interval", "1s", "--log.level", "warn"}, args...)...)
	cmd.Dir = root
	stop = startProcess(t, cmd)
	waitForPort(t, address)
	return address, stop
}

// kept are the arguments for a machine with an accepted baseline and a waiver of a rule that fails there, which ends
// in a few days.
func kept(t *testing.T, machine, rule string) []string {
	t.Helper()
	dir, tree := t.TempDir(), treeOf(t, machine)
	baseline, config := filepath.Join(dir, "baseline.json"), filepath.Join(dir, "memaudit.yaml")
	status, _, errs := run(t, nil, "baseline", "save", "--root", tree, "--file", baseline)
	require.Zero(t, status, errs)
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, "waivers: [{rule: %s, reason: on order, until: %s}]\n", rule, time.Now().AddDate(0, 0, 3).Format(time.DateOnly)), 0o600))
	return []string{"--root", tree, "--baseline", baseline, "--config", config}
}

// startProcess starts a process that ends with the test at the latest.
func startProcess(t *testing.T, cmd *exec.Cmd) (stop func()) {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	var stopped atomic.Bool
	stop = func() {
		if stopped.Swap(true) {
			return
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s: %s", filepath.Base(cmd.Path), out.String())
		}
	}
	t.Cleanup(stop)
	return stop
}

// waitForPort waits until a program listens.
func waitForPort(t *testing.T, address string) {
	t.Helper()
	waitFor(t, 20*time.Second, address, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// waitForReady waits until Prometheus or Alertmanager is ready.
func waitForReady(t *testing.T, address string) {
	t.Helper()
	waitFor(t, 30*time.Second, address, func() bool {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	_, port, err := net.SplitHostPort(freeAddress(t))
	require.NoError(t, err)
	return port
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func waitFor(t *testing.T, most time.Duration, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(most); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", most, what)
		}
	}
}

// certificates creates the files that web.example.yml and the scrape configuration name: the daemon's certificate and
// key, and its authority.
func certificates(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	cert, key := certificate(t)
	pool := x509.NewCertPool()
	for name, from := range map[string]string{"memaudit.crt": cert, "memaudit.key": key, "memaudit-ca.pem": cert} {
		data := readFile(t, from)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
		pool.AppendCertsFromPEM([]byte(data))
	}
	return pool
}

// daemonPages requests the daemons' pages: promtool has no complaint about their metrics, and without the password
// there are none.
func daemonPages(t *testing.T, good, bad string, pool *x509.CertPool, password string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for _, c := range []struct {
		url, password string
		status        int
	}{{"http://" + good, "", 200}, {"https://" + bad, password, 200}, {"https://" + bad, "", 401}, {"https://" + bad, "wrong", 401}} {
		var body []byte
		waitFor(t, 20*time.Second, c.url, func() bool {
			req, err := http.NewRequest(http.MethodGet, c.url+"/metrics", nil)
			require.NoError(t, err)
			if c.password != "" {
				req.SetBasicAuth("prometheus", c.password)
			}
			resp, err := client.Do(req)
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			body, err = io.ReadAll(resp.Body)
			require.NoError(t, err)
			return resp.StatusCode == c.status && (c.status != 200 || strings.Contains(string(body), "memaudit_rule_failed"))
		})
		if c.status == 200 {
			promtool(t, string(body), "check", "metrics")
		}
	}
}

// textfile serves a machine's metrics as node_exporter does; if gone is set, none.
func textfile(t *testing.T, machine string) (address string, gone *atomic.Bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "memaudit.prom")
	status, _, errs := run(t, nil, "check", "--root", treeOf(t, machine), "--format", "prometheus", "--output", file, "--fail-on", "never")
	require.Zero(t, status, errs)
	gone = &atomic.Bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		data, err := os.ReadFile(file)
		if err == nil && !gone.Load() {
			// The file is written once; a timer would keep this one current.
			data = regexp.MustCompile(`(?m)^(memaudit_audit_timestamp_seconds) .*$`).ReplaceAll(data, fmt.Appendf(nil, "$1 %d", time.Now().Unix()))
			_, _ = w.Write(data)
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), gone
}

// prometheus is a running one.
type prometheus struct{ url string }

// startPrometheus runs it by the example configuration, with the targets of its
// jobs replaced and all times made shorter.
func startPrometheus(t *testing.T, dir string, targets map[string]string) *prometheus {
	t.Helper()
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		text := readFile(t, filepath.Join(dir, name))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(hasten(text)), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "targets", "memaudit.yml"), fmt.Appendf(nil, "- targets: ['%s']\n", targets["memaudit-files"]), 0o600))
	var config map[string]any
	text := readFile(t, filepath.Join(dir, "prometheus.example.yml"))
	require.NoError(t, yaml.Unmarshal([]byte(text), &config))
	config["global"] = map[string]any{"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"}
	for _, job := range config["scrape_configs"].([]any) {
		job := job.(map[string]any)
		if target, ok := targets[job["job_name"].(string)]; ok && job["static_configs"] != nil {
			job["static_configs"] = []any{map[string]any{"targets": strings.Fields(target)}}
		}
	}
	made, err := yaml.Marshal(config)
	require.NoError(t, err)
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, made, 0o600))
	assert.Contains(t, promtoolIn(t, dir, "check", "config", "prometheus.yml"), "SUCCESS")
	address := freeAddress(t)
	startProcess(t, exec.Command("prometheus", "--config.file", file, "--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", address, "--log.level", "warn"))
	waitForReady(t, address)
	return &prometheus{"http://" + address}
}

// get requests a path of the API.
func (p *prometheus) get(t *testing.T, path string, into any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode, path)
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&struct {
		Data any `json:"data"`
	}{into}))
}

// alerts returns the severity of each alert in a state by name, instance and rule.
func (p *prometheus) alerts(t *testing.T, state string) map[string]string {
	t.Helper()
	var data struct {
		Alerts []struct {
			State  string
			Labels map[string]string
		}
	}
	p.get(t, "/api/v1/alerts", &data)
	out := map[string]string{}
	for _, a := range data.Alerts {
		if a.State == state {
			out[a.Labels["alertname"]+" "+a.Labels["instance"]+" "+a.Labels["rule"]] = a.Labels["severity"]
		}
	}
	return out
}

// wait waits until each of the alerts has fired.
func (p *prometheus) wait(t *testing.T, want map[string]string) {
	t.Helper()
	var missing []string
	defer func() {
		if t.Failed() {
			t.Log("do not fire: ", missing, "\nfire: ", slices.Sorted(maps.Keys(p.alerts(t, "firing"))), "\nwait: ", slices.Sorted(maps.Keys(p.alerts(t, "pending"))))
		}
	}()
	fired := map[string]string{}
	waitFor(t, 90*time.Second, "alerts", func() bool {
		maps.Copy(fired, p.alerts(t, "firing"))
		missing = nil
		for name, severity := range want {
			if fired[name] != severity {
				missing = append(missing, name)
			}
		}
		return len(missing) == 0
	})
}

// healthy checks that all targets answer, that no rule has an error, and that one query gives how many of how many
// differ.
func (p *prometheus) healthy(t *testing.T, targets ...string) {
	t.Helper()
	var data struct {
		Result []struct {
			Metric map[string]string
			Value  [2]any
		}
	}
	for _, target := range targets {
		p.get(t, "/api/v1/query?query="+url.QueryEscape(`up{instance="`+target+`"} == 1 and on (instance) memaudit_build_info`), &data)
		assert.Len(t, data.Result, 1, target)
	}
	p.get(t, "/api/v1/query?query="+url.QueryEscape(`{__name__=~"product:memaudit_(outliers|compared):count", trait="population", product="PowerEdge R610"}`), &data)
	got := map[string]any{}
	for _, r := range data.Result {
		got[r.Metric["__name__"]] = r.Value[1]
	}
	assert.Equal(t, map[string]any{"product:memaudit_outliers:count": "1", "product:memaudit_compared:count": "3"}, got)
	var groups struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	p.get(t, "/api/v1/rules", &groups)
	count := 0
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			count++
			assert.Equal(t, "ok", r.Health, "%s: %s", r.Name, r.LastError)
		}
	}
	assert.Positive(t, count)
}

// empty are the panels that are empty for this test's machines, with the reason; every other one shows something.
var empty = map[string]string{
	"memaudit-fleet Waits for a reboot A":       "no controller tells of a change that waits",
	"memaudit-fleet Another BIOS A":             "all machines of a product have one version",
	"memaudit-fleet Slowest measured memory A":  "nobody measured",
	"memaudit-machine Problems A":               "its one failure at warning is waived",
	"memaudit-machine Measured memory A":        "nobody measured",
	"memaudit-machine Measured memory B":        "nobody measured",
	"memaudit-machine Memory errors D":          "no controller tells of its event log",
	"memaudit-machine Measured memory C":        "nobody measured",
	"memaudit-machine Measured memory D":        "nobody measured",
	"memaudit-machine Measured memory E":        "nobody measured",
	"memaudit-machine Measured memory F":        "nobody measured",
	"memaudit-machine Age of the measurement A": "nobody measured",
}

// shown runs the queries of both pages unfiltered, and with one machine selected: a panel shows something, or the
// reason why it does not is known.
func (p *prometheus) shown(t *testing.T, machine string) {
	t.Helper()
	chosen := strings.NewReplacer("$job", ".*", "$product", ".*", "$instance", machine)
	for _, page := range []*fleet.Dashboard{fleet.Overview(t), fleet.Machine(t)} {
		for _, panel := range page.Panels {
			for _, q := range panel.Targets {
				var data struct{ Result []any }
				p.get(t, "/api/v1/query?query="+url.QueryEscape(chosen.Replace(q.Expr)), &data)
				name := page.UID + " " + panel.Title + " " + q.RefID
				if why := empty[name]; why == "" {
					assert.NotEmpty(t, data.Result, name)
				} else {
					assert.Empty(t, data.Result, "%s: %s", name, why)
				}
			}
		}
	}
}

// alertmanagerConfig is the example.
var alertmanagerConfig = filepath.Join(prometheusDir, "alertmanager.example.yml")

// TestAlertmanagerRoutes checks that amtool reads the example and finds a receiver for the alerts' labels.
func TestAlertmanagerRoutes(t *testing.T) {
	amtool := needProgram(t, "amtool")
	for _, args := range [][]string{{"check-config", alertmanagerConfig},
		{"config", "routes", "test", "--config.file", alertmanagerConfig, "--verify.receivers=fleet", "alertname=MemauditCritical", "severity=critical"},
		{"config", "routes", "test", "--config.file", alertmanagerConfig, "--verify.receivers=fleet", "alertname=MemauditBiosDrift", "severity=info"}} {
		must(t, amtool, args...)
	}
}

// TestAlertmanagerGroups checks that one cause on a hundred machines is one group, and that alerts implied by another
// are inhibited.
func TestAlertmanagerGroups(t *testing.T) {
	address := freeAddress(t)
	startProcess(t, exec.Command(needProgram(t, "prometheus-alertmanager"), "--config.file", alertmanagerConfig, "--storage.path", t.TempDir(), "--web.listen-address", address,
		"--cluster.listen-address=", "--log.level=error"))
	base := "http://" + address + "/api/v2/"
	waitForReady(t, address)
	alert := func(name, severity, instance string, more ...string) map[string]any {
		labels := map[string]string{"alertname": name, "severity": severity, "job": "memaudit", "instance": instance}
		for i := 0; i+1 < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		return map[string]any{"labels": labels}
	}
	var alerts []map[string]any
	for i := range 100 {
		alerts = append(alerts, alert("MemauditWarning", "warning", fmt.Sprintf("n%d:9822", i), "rule", "memory.channel.populated"))
	}
	alerts = append(alerts, alert("MemauditSourceDown", "warning", "denied:9822", "source", "smbios"), alert("MemauditUnknown", "warning", "denied:9822"),
		alert("MemauditAuditIncomplete", "warning", "denied:9822"), alert("MemauditUnknown", "warning", "other:9822"),
		alert("MemauditWarning", "warning", "lost:9822", "rule", "baseline.changed"), alert("MemauditMemoryShrunk", "warning", "lost:9822"),
		alert("MemauditAbsent", "critical", "", "cluster", "east"), alert("MemauditVanished", "warning", "of-east:9822", "cluster", "east"),
		alert("MemauditVanished", "warning", "of-west:9822", "cluster", "west"))
	body, err := json.Marshal(alerts)
	require.NoError(t, err)
	resp, err := http.Post(base+"alerts", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)

	var groups []struct {
		Labels map[string]string
		Alerts []struct{ Labels map[string]string }
	}
	ask := func(query string) {
		groups = nil
		resp, err := http.Get(base + "alerts/groups" + query)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&groups))
	}
	active := func() map[string]int {
		ask("?inhibited=false")
		out := map[string]int{}
		for _, g := range groups {
			out[g.Labels["alertname"]+" "+g.Labels["rule"]+g.Labels["source"]] = len(g.Alerts)
		}
		return out
	}
	waitFor(t, 30*time.Second, "groups", func() bool { return len(active()) == 6 })
	assert.Equal(t, map[string]int{"MemauditWarning memory.channel.populated": 100, "MemauditSourceDown smbios": 1, "MemauditUnknown ": 1,
		"MemauditWarning baseline.changed": 1, "MemauditAbsent ": 1, "MemauditVanished ": 1}, active())
}
