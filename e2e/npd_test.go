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
