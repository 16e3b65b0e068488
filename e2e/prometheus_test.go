//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/tools/fleet"
)

// prometheusDir has rules and examples.
var prometheusDir = filepath.Join(root, "deploy", "prometheus")

// needProgram returns the first of the programs that is installed, or skips the test; in CI there must be one.
func needProgram(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Empty(t, os.Getenv("CI"), "%v is not installed: .ci/run installs it", names)
	t.Skipf("%v is not installed", names)
	return ""
}

// promtoolIn runs promtool in a folder and expects that it finds no fault.
func promtoolIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(needProgram(t, "promtool"), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "promtool %s: %s", strings.Join(args, " "), out)
	return string(out)
}

// TestPrometheusRules runs the commands of deploy/prometheus/README.md: the
// grammar of all rules, and their cases.
func TestPrometheusRules(t *testing.T) {
	page := readFile(t, filepath.Join(prometheusDir, "README.md"))
	count := 0
	for line := range strings.Lines(page) {
		if args, ok := strings.CutPrefix(line, "promtool "); ok {
			out := promtoolIn(t, root, strings.Fields(args)...)
			assert.Contains(t, out, "SUCCESS")
			count++
		}
	}
	assert.Equal(t, 2, count)
}

// TestPrometheusConfig checks that the example loads, with its rules, its list of targets and the files that it
// names.
func TestPrometheusConfig(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(prometheusDir)))
	for _, name := range []string{"memaudit-ca.pem", "memaudit-password"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	out := promtoolIn(t, dir, "check", "config", "prometheus.example.yml")
	assert.Contains(t, out, "2 rule files found")
	assert.NotContains(t, out, "FAILED")
}

// nodesLeave checks that a node that left the cluster causes no missing alerts, that one that is there without
// memaudit causes all, and that nothing is retired if no nodes are known.
const nodesLeave = `
rule_files: [memaudit.rules.yml, memaudit.alerts.yml, nodes.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'memaudit_build_info{job="memaudit", instance="left"}', values: '1x60 stale'}
      - {series: 'memaudit_build_info{job="memaudit", instance="evicted"}', values: '1x60 stale'}
      - {series: 'memaudit_build_info{job="memaudit", instance="stays"}', values: '1x400'}
      - {series: 'kube_node_info{instance="ksm:8080", node="left"}', values: '1x60 stale'}
      - {series: 'kube_node_info{instance="ksm:8080", node="evicted"}', values: '1x200 stale'}
      - {series: 'kube_node_info{instance="ksm:8080", node="stays"}', values: '1x200 stale'}
    promql_expr_test:
      - expr: 'count by (instance) (ALERTS{alertname="MemauditVanished", alertstate="firing"})'
        eval_time: 120m
        exp_samples: [{labels: '{instance="evicted"}', value: 1}]
      - expr: 'count by (instance) (ALERTS{alertname="MemauditVanished", alertstate="firing"})'
        eval_time: 240m
        exp_samples: [{labels: '{instance="evicted"}', value: 1}, {labels: '{instance="left"}', value: 1}]
`

// TestKubernetesNodesLeave runs the rule of deploy/kubernetes/README.md.
func TestKubernetesNodesLeave(t *testing.T) {
	page := readFile(t, filepath.Join(root, "deploy", "kubernetes", "README.md"))
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(prometheusDir)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nodes.yml"), []byte(fenced(page, "yaml")[0]), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nodes.test.yml"), []byte(nodesLeave), 0o600))
	assert.Contains(t, promtoolIn(t, dir, "test", "rules", "nodes.test.yml"), "SUCCESS")
}

// TestDashboardGrammar checks that promtool parses every query of the dashboards.
func TestDashboardGrammar(t *testing.T) {
	var rules []map[string]string
	for _, d := range []*fleet.Dashboard{fleet.Overview(t), fleet.Machine(t)} {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				rules = append(rules, map[string]string{"record": fmt.Sprintf("q%d", len(rules)), "expr": q.Expr})
			}
		}
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboards", "rules": rules}}})
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "q.yml"), text, 0o600))
	assert.Contains(t, promtoolIn(t, dir, "check", "rules", "q.yml"), fmt.Sprintf("SUCCESS: %d rules found", len(rules)))
}
