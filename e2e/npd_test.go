//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNodeProblemDetectorPlugin checks the plugin against node-problem-detector's protocol for custom plugins: status
// 0 is no problem, 1 a problem, anything else unknown, and one line of standard output of at most max_output_length
// bytes. What could not be checked is never 0.
func TestNodeProblemDetectorPlugin(t *testing.T) {
	hostile := filepath.Join(t.TempDir(), "hostile")
	require.NoError(t, os.WriteFile(hostile, []byte("#!/bin/sh\nprintf 'MEMAUDIT WARNING - a.b \\033[31m%0200d\\n' 7; exit 1\n"), 0o700))
	for name, c := range map[string]struct {
		args, env []string
		status    int
		says      string
	}{
		"good":            {[]string{"--root", treeOf(t, goodMachine)}, nil, 0, "memory is installed as Dell recommends"},
		"bad":             {[]string{"--root", treeOf(t, machine)}, nil, 1, "WARNING - Dell PowerEdge R610: a DIMM is in the wrong slot"},
		"below":           {[]string{"--root", treeOf(t, machine)}, []string{"MEMAUDIT_FAIL_ON=critical"}, 0, "WARNING - Dell PowerEdge R610: "},
		"unreadable":      {[]string{"--root", "/nowhere"}, nil, 2, "not judged (status 3): MEMAUDIT UNKNOWN"},
		"wrong usage":     {[]string{"--nonsense"}, nil, 2, "not judged (status "},
		"no program":      {nil, []string{"MEMAUDIT=/nowhere/memaudit"}, 2, "not judged (status 127)"},
		"another program": {nil, []string{"MEMAUDIT=/bin/true"}, 2, "not judged (status 0)"},
		"one that fails":  {nil, []string{"MEMAUDIT=/bin/false"}, 2, "not judged (status 1)"},
		"hostile text":    {nil, []string{"MEMAUDIT=" + hostile}, 1, "a.b [31m000"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("deploy/kubernetes/npd/memaudit-plugin", c.args...)
			cmd.Dir, cmd.Env = root, append(append(os.Environ(), "MEMAUDIT="+binary(t)), c.env...)
			out, err := cmd.Output()
			if cmd.ProcessState == nil {
				require.NoError(t, err)
			}
			assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), c.says)
			assert.Equal(t, 1, strings.Count(string(out), "\n"))
			assert.LessOrEqual(t, len(strings.TrimSuffix(string(out), "\n")), 80)
		})
	}
}

// TestNodeProblemDetectorMonitor checks the monitor's file as node-problem-detector reads it: every rule has a
// condition, and its timeout is within the monitor's.
func TestNodeProblemDetectorMonitor(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "kubernetes", "npd", "memaudit-monitor.json"))
	require.NoError(t, err)
	var monitor struct {
		Plugin       string
		PluginConfig struct {
			Timeout      string `json:"timeout"`
			MaxOutput    int    `json:"max_output_length"`
			Interval     string `json:"invoke_interval"`
			Concurrency  int    `json:"concurrency"`
			ByTheMessage bool   `json:"enable_message_change_based_condition_update"`
		} `json:"pluginConfig"`
		Source           string
		MetricsReporting bool `json:"metricsReporting"`
		Conditions       []struct{ Type, Reason, Message string }
		Rules            []struct{ Type, Condition, Reason, Path, Timeout string }
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&monitor))
	assert.Equal(t, "custom", monitor.Plugin)
	assert.Equal(t, 80, monitor.PluginConfig.MaxOutput)
	whole, err := time.ParseDuration(monitor.PluginConfig.Timeout)
	require.NoError(t, err)
	require.Len(t, monitor.Conditions, 1)
	for _, r := range monitor.Rules {
		assert.Equal(t, "permanent", r.Type)
		assert.Equal(t, monitor.Conditions[0].Type, r.Condition)
		own, err := time.ParseDuration(r.Timeout)
		require.NoError(t, err)
		assert.LessOrEqual(t, own, whole)
		assert.Equal(t, "memaudit-plugin", filepath.Base(r.Path))
	}
}

// condition is a node's condition as node-problem-detector keeps it.
type condition struct{ status, reason, message string }

// next returns the condition for a plugin's result, as node-problem-detector's custom plugin monitor sets it
// (pkg/custompluginmonitor, generateStatus): a problem has the rule's reason and the plugin's line, no problem the
// default's reason and message, and an unknown result the default's reason and the plugin's line. Nothing changes
// while the status stays False or Unknown.
func (c condition) next(status int, line string, initial condition, problem string) condition {
	word := map[int]string{0: "False", 1: "True"}[status]
	switch {
	case word == "True":
		return condition{"True", problem, line}
	case word == "" && c.status != "Unknown":
		return condition{"Unknown", initial.reason, line}
	case word == "False" && c.status != "False":
		return condition{"False", initial.reason, initial.message}
	}
	return c
}

// TestNodeProblemDetectorCondition checks that the node's condition is true before the first result, when
// node-problem-detector sets the default with status False, and for an unknown result, with the default's reason.
func TestNodeProblemDetectorCondition(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "deploy", "kubernetes", "npd", "memaudit-monitor.json"))
	require.NoError(t, err)
	var monitor struct {
		PluginConfig map[string]any
		Conditions   []struct{ Type, Reason, Message string }
		Rules        []struct{ Reason string }
	}
	require.NoError(t, json.Unmarshal(raw, &monitor))
	assert.NotContains(t, monitor.PluginConfig, "skip_initial_status",
		"node-problem-detector then never makes the condition, and no result changes it")
	initial := condition{"False", monitor.Conditions[0].Reason, monitor.Conditions[0].Message}
	problem := monitor.Rules[0].Reason
	nothingKnown := condition{"False", "NoMemoryConfigurationProblemKnown", "no problem of memory or BIOS settings is known"}
	assert.Equal(t, nothingKnown, initial, "no audit yet")

	run := func(c condition, args ...string) condition {
		cmd := exec.Command("deploy/kubernetes/npd/memaudit-plugin", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "MEMAUDIT="+binary(t))
		out, _ := cmd.Output()
		require.NotNil(t, cmd.ProcessState)
		return c.next(cmd.ProcessState.ExitCode(), strings.TrimSpace(string(out)), initial, problem)
	}
	c := run(initial, "--root", "/nowhere")
	assert.Equal(t, condition{"Unknown", "NoMemoryConfigurationProblemKnown", c.message}, c)
	assert.Contains(t, c.message, "not judged (status 3)")
	c = run(c, "--root", treeOf(t, machine))
	assert.Equal(t, condition{"True", "MemoryConfigurationIsBad", c.message}, c)
	assert.Contains(t, c.message, "a DIMM is in the wrong slot")
	c = run(c, "--root", "/nowhere")
	assert.Equal(t, "Unknown", c.status, "a problem is not fixed because it cannot be seen")
	c = run(c, "--root", treeOf(t, goodMachine))
	assert.Equal(t, nothingKnown, c)
}
