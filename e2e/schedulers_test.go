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

// fakeScontrol knows one node, whose line is in the file node, and records its arguments.
const fakeScontrol = `#!/bin/sh
here=$(dirname "$0")
case "$1 $2" in
"show node") [ "$4" = n1 ] && cat "$here/node" ;;
*) printf '%s\n' "$@" >>"$here/told" ;;
esac
`

const (
	badVerdict    = "WARNING - Dell PowerEdge R610: a DIMM is in the wrong slot; CPU2 has 33 to 50 % of its memory bandwidth"
	drainedReason = "memaudit: " + badVerdict
)

// script starts a script of deploy in the repository.
func script(t *testing.T, env []string, name string, args ...string) (status int, out string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	data, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(data)
}

// TestSlurm runs the health check with the real program and compares it with the calls of scontrol.
func TestSlurm(t *testing.T) {
	idle := "NodeName=n1 Arch=x86_64 State=IDLE CPUTot=8"
	cases := map[string]struct {
		node   string
		env    []string
		status int
		drains string // the reason, "" for no drain
		says   string
	}{
		"good":               {idle, []string{"MEMAUDIT_ARGS=--root " + treeOf(t, goodMachine)}, 0, "", ""},
		"bad":                {idle, nil, 1, drainedReason, ""},
		"full name":          {idle, []string{"SLURMD_NODENAME=n1.cluster.example"}, 1, drainedReason, ""},
		"below":              {idle, []string{"MEMAUDIT_FAIL_ON=critical"}, 0, "", ""},
		"drained by us":      {"NodeName=n1 State=IDLE+DRAIN Reason=" + drainedReason + " [root@2026-11-20T10:00:00]", nil, 1, "", ""},
		"drained before":     {"NodeName=n1 State=IDLE+DRAIN Reason=memaudit: something else [root@2026-11-20T10:00:00]", nil, 1, drainedReason, ""},
		"drained by others":  {"NodeName=n1 State=DOWN+DRAIN Reason=bad disk [root@2026-11-20T10:00:00]", nil, 1, "", "bad disk"},
		"drained by slurmd":  {"NodeName=n1 State=IDLE+DRAIN Reason=Low RealMemory [slurm@2026-11-20T10:00:00]", nil, 1, "", ""},
		"another node":       {idle, []string{"SLURMD_NODENAME=n2"}, 1, "", "does not know the node n2"},
		"unreadable":         {idle, []string{"MEMAUDIT_ARGS=--root /nowhere"}, 0, "", "could not be checked (status 3)"},
		"unreadable, strict": {idle, []string{"MEMAUDIT_ARGS=--root /nowhere", "MEMAUDIT_UNKNOWN=drain"}, 1, "memaudit: not judged: MEMAUDIT UNKNOWN - --root /nowhere: ", ""},
		"wrong usage":        {idle, []string{"MEMAUDIT_ARGS=--nonsense"}, 0, "", "unknown flag"},
		"no program":         {idle, []string{"MEMAUDIT=/nowhere/memaudit"}, 0, "", "could not be checked (status 127)"},
		"another program":    {idle, []string{"MEMAUDIT=/bin/false"}, 0, "", "could not be checked (status 1)"},
		"too slow":           {idle, []string{"MEMAUDIT_SECONDS=0.2", "MEMAUDIT=SLOW"}, 0, "", "could not be checked (status 124)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(file, text string) string {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o700))
				return filepath.Join(dir, file)
			}
			write("scontrol", fakeScontrol)
			write("node", c.node+"\n")
			slow := write("slow", "#!/bin/sh\nexec sleep 30\n")
			env := []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SLURMD_NODENAME=n1", "MEMAUDIT_CONF=/nowhere", "MEMAUDIT=" + binary(t), "MEMAUDIT_ARGS=--root " + treeOf(t, machine)}
			for _, e := range c.env {
				env = append(env, strings.ReplaceAll(e, "SLOW", slow))
			}
			status, out := script(t, env, "deploy/slurm/memaudit-healthcheck")
			assert.Equal(t, c.status, status, out)
			assert.Contains(t, out, c.says)
			told, _ := os.ReadFile(filepath.Join(dir, "told"))
			if name == "drained by slurmd" {
				assert.Equal(t, "update\nnodename=n1\nreason=Low RealMemory; "+drainedReason+"\n", string(told), "Slurm's reason stays, and the audit names the DIMM")
				return
			}
			if c.drains == "" {
				assert.Empty(t, string(told))
				return
			}
			assert.True(t, strings.HasPrefix(string(told), "update\nnodename=n1\nstate=drain\nreason="+c.drains), string(told))
			assert.Equal(t, 4, strings.Count(string(told), "\n"), "one update, one line a word")
			if c.drains == drainedReason {
				assert.True(t, strings.HasSuffix(string(told), drainedReason+"\n"), string(told))
			}
		})
	}
}

// TestSlurmConfiguration checks that the page's settings are read, and that both hooks of the example name the script
// in the repository.
func TestSlurmConfiguration(t *testing.T) {
	data := readFile(t, filepath.Join(root, "deploy/slurm/README.md"))
	blocks := fenced(data, "sh")
	require.Len(t, blocks, 2)
	dir := t.TempDir()
	conf := filepath.Join(dir, "slurm.conf")
	described := filepath.Join(dir, "described")
	require.NoError(t, os.WriteFile(described, []byte("NodeName=n1 RealMemory=24000 Sockets=2 CoresPerSocket=2 ThreadsPerCore=1\n"), 0o600))
	hook := strings.NewReplacer("--profile hpc", "--profile hpc --root "+treeOf(t, goodMachine), "/etc/slurm/slurm.conf", described).Replace(blocks[0])
	require.NoError(t, os.WriteFile(conf, []byte(hook), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte(fakeScontrol), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "node"), []byte("NodeName=n1 AvailableFeatures=(null) ActiveFeatures=(null) State=IDLE\n"), 0o600))
	env := []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "SLURMD_NODENAME=n1", "MEMAUDIT_CONF=" + conf, "MEMAUDIT=" + binary(t)}
	status, out := script(t, env, "deploy/slurm/memaudit-healthcheck")
	assert.Zero(t, status, out)
	assert.Empty(t, out)
	assert.Contains(t, readFile(t, filepath.Join(dir, "told")), ",memaudit_profile_dell-11g_hpc,", "both settings of the page are read")

	data = readFile(t, filepath.Join(root, "deploy/slurm/slurm.conf"))
	for _, hook := range []string{"HealthCheckProgram", "Prolog"} {
		assert.Contains(t, data, "\n"+hook+"=/usr/libexec/memaudit/memaudit-healthcheck\n")
	}
}

// TestNHC sources the check as NHC does, with fakes for its two functions.
func TestNHC(t *testing.T) {
	_, line, ok := strings.Cut(readFile(t, filepath.Join(root, "deploy/nhc/README.md")), "* || ")
	require.True(t, ok)
	line, _, _ = strings.Cut(line, "\n")
	for name, c := range map[string]struct {
		call   string
		status string
		says   string
	}{
		"good":        {line + " -b " + binary(t) + " -- --root " + treeOf(t, goodMachine), "0", ""},
		"bad":         {line + " -b " + binary(t) + " -- --root " + treeOf(t, machine), "1", "DIE 1 check_memaudit: " + badVerdict},
		"below":       {"check_memaudit -b " + binary(t) + " -f critical -- --root " + treeOf(t, machine), "0", ""},
		"unreadable":  {"check_memaudit -b " + binary(t) + " -- --root /nowhere", "0", "LOG check_memaudit: not judged (status 3): MEMAUDIT UNKNOWN - --root /nowhere"},
		"unknown":     {"check_memaudit -u -b " + binary(t) + " -- --root /nowhere", "1", "DIE 1 check_memaudit: not judged (status 3)"},
		"no program":  {"check_memaudit -b /nowhere/memaudit", "0", "LOG check_memaudit: not judged (status 127): no output"},
		"foreign":     {"check_memaudit -u -b /bin/false", "1", "DIE 1 check_memaudit: not judged (status 1)"},
		"wrong usage": {"check_memaudit -x", "1", "DIE 1 check_memaudit: -x is not one of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, out := script(t, nil, "bash", "-c", `die() { echo "DIE $1 $2"; }; log() { echo "LOG $*"; }; . deploy/nhc/memaudit.nhc; `+c.call+`; echo "ends with $?"`)
			said, ends, ok := strings.Cut(out, "ends with ")
			require.True(t, ok, out)
			assert.Equal(t, c.status+"\n", ends)
			if c.says == "" {
				assert.Empty(t, said)
			}
			assert.Contains(t, said, c.says)
			if name == "bad" {
				assert.Equal(t, c.says+"\n", said)
			}
		})
	}
}

// TestScripts checks the scripts against shellcheck.
func TestScripts(t *testing.T) {
	status, out := script(t, nil, needProgram(t, "shellcheck"), "deploy/slurm/memaudit-healthcheck", "deploy/nhc/memaudit.nhc")
	assert.Zero(t, status, out)
}

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
	raw := readFile(t, filepath.Join(root, "deploy", "kubernetes", "npd", "memaudit-monitor.json"))
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
	d := json.NewDecoder(strings.NewReader(raw))
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
