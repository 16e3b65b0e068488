//go:build e2e && nightly

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slurmConf is a cluster of one node, which is this machine, with both hooks of
// deploy/slurm/slurm.conf. Only its times and names are the test's.
const slurmConf = `ClusterName=memaudit
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%[2]s
SlurmdPort=%[3]s
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
ReturnToService=2
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=1 Features=rack7 State=UNKNOWN
PartitionName=all Nodes=n1 Default=YES State=UP
HealthCheckProgram=%[1]s/check
HealthCheckInterval=1
HealthCheckNodeState=ANY
Prolog=%[1]s/check
`

// slurm is a running cluster of one node.
type slurm struct{ dir string }

// startSlurm starts slurmctld and slurmd.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	for _, name := range []string{"slurmctld", "slurmd", "scontrol"} {
		needProgram(t, name)
	}
	if os.Getuid() != 0 {
		t.Skip("only root starts slurmd")
	}
	s := &slurm{t.TempDir()}
	for _, name := range []string{"state", "spool"} {
		require.NoError(t, os.Mkdir(filepath.Join(s.dir, name), 0o700))
	}
	conf := filepath.Join(s.dir, "slurm.conf")
	require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil, slurmConf, s.dir, freePort(t), freePort(t)), 0o600))
	// slurmd gives a hook no more of the environment than a node's name and a job's numbers, so these two,
	// which differ from an installed Slurm, are set here.
	script, err := filepath.Abs(filepath.Join(root, "deploy/slurm/memaudit-healthcheck"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "check"),
		fmt.Appendf(nil, "#!/bin/sh\nSLURM_CONF=%s MEMAUDIT_CONF=%s/memaudit.conf exec %s\n", conf, s.dir, script), 0o700))
	for _, args := range [][]string{{"slurmctld", "-D", "-f", conf}, {"slurmd", "-D", "-N", "n1", "-f", conf}} {
		startProcess(t, exec.Command(args[0], args[1:]...))
	}
	return s
}

// machine replaces the node's machine.
func (s *slurm) machine(t *testing.T, tree string) {
	t.Helper()
	text := fmt.Sprintf("MEMAUDIT=%s\nMEMAUDIT_ARGS='--root %s'\nMEMAUDIT_FEATURES=yes\n", binary(t), tree)
	next := filepath.Join(s.dir, "next")
	require.NoError(t, os.WriteFile(next, []byte(text), 0o600))
	require.NoError(t, os.Rename(next, filepath.Join(s.dir, "memaudit.conf")))
}

// run runs a program of Slurm's.
func (s *slurm) run(name string, args ...string) (out string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = append(os.Environ(), "SLURM_CONF="+filepath.Join(s.dir, "slurm.conf")), s.dir
	data, err := cmd.CombinedOutput()
	return string(data), err
}

// node is what slurmctld knows of it.
func (s *slurm) node() (features []string, state, reason string) {
	out, _ := s.run("scontrol", "show", "node", "-o", "n1")
	find := func(pattern string) string {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(out); m != nil {
			return m[1]
		}
		return ""
	}
	active := find(` ActiveFeatures=(\S*)`)
	if active != find(` AvailableFeatures=(\S*)`) {
		return nil, "", "the active features are not the available ones: " + out
	}
	return strings.Split(active, ","), find(` State=(\S*)`), find(` Reason=(.*?) \[`)
}

// TestSlurmCluster runs the health check under the real slurmctld and slurmd: a good node has features by which jobs
// select it, in addition to the site's own; a bad one is drained with the reason; one that cannot be checked is
// reported and not drained.
func TestSlurmCluster(t *testing.T) {
	s := startSlurm(t)
	s.machine(t, treeOf(t, goodMachine))
	wait := func(what, state string, features ...string) {
		t.Helper()
		var have []string
		var now, reason string
		defer func() {
			if t.Failed() {
				t.Log(have, now, reason)
			}
		}()
		waitFor(t, time.Minute, what, func() bool {
			have, now, reason = s.node()
			for _, f := range features {
				if !slices.Contains(have, f) {
					return false
				}
			}
			return strings.HasPrefix(now, state)
		})
		failures := slices.DeleteFunc(slices.Clone(have), func(f string) bool { return !strings.HasPrefix(f, "memaudit_failure_") })
		assert.Len(t, failures, 1, "%s: %v", what, have)
	}
	wait("a good node", "IDLE", "rack7", "memaudit_failure_none", "memaudit_platform_westmere-ep", "memaudit_profile_dell-11g_balanced")

	job := filepath.Join(s.dir, "job")
	require.NoError(t, os.WriteFile(job, []byte("#!/bin/sh\necho ran >>ran\n"), 0o700))
	out, err := s.run("sbatch", "--constraint", "memaudit_failure_none&rack7", "--wait", "--output", "/dev/null", job)
	require.NoError(t, err, out)
	assert.FileExists(t, filepath.Join(s.dir, "ran"), "the job's own features and the prolog let it run")
	out, err = s.run("sbatch", "--constraint", "memaudit_failure_critical", job)
	require.Error(t, err)
	assert.Contains(t, out, "Invalid feature specification")

	s.machine(t, treeOf(t, machine))
	wait("a bad node", "IDLE+DRAIN", "rack7", "memaudit_failure_warning", "memaudit_platform_westmere-ep")
	_, _, reason := s.node()
	assert.Equal(t, drainedReason, reason)

	out, err = s.run("scontrol", "update", "nodename=n1", "state=resume")
	require.NoError(t, err, out)
	s.machine(t, "/nowhere")
	wait("a node that cannot be checked", "IDLE", "rack7", "memaudit_failure_unknown")
	features, _, _ := s.node()
	assert.Equal(t, []string{"rack7", "memaudit_failure_unknown"}, features, "what was known of the machine of before is gone")
}

// TestSlurmMeasure runs the page's script for a maintenance window, with only the measurement faked: a node that
// measures as predicted returns to work, one that is slow or undecided stays drained with a message.
func TestSlurmMeasure(t *testing.T) {
	scripts := fenced(readFile(t, filepath.Join(root, "docs/measure.md")), "sh")
	require.Len(t, scripts, 1)
	s := startSlurm(t)
	s.machine(t, treeOf(t, goodMachine))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "measure"), []byte(scripts[0]), 0o700))
	for name, text := range map[string]string{"hostname": "echo n1", "memaudit": `[ "$*" = "measure --save /var/lib/memaudit/measured.json" ] && exit $MEASURED; exit 2`} {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700))
	}
	waitFor(t, time.Minute, "the node", func() bool { _, state, _ := s.node(); return state == "IDLE" })
	for status, want := range map[string]string{"0": "", "1": "memaudit measure: memory slower than predicted", "3": "memaudit measure: undecided, measure again"} {
		out, err := s.run("scontrol", "update", "nodename=n1", "state=drain", "reason=measure")
		require.NoError(t, err, out)
		out, err = s.run("env", "PATH="+s.dir+":"+os.Getenv("PATH"), "MEASURED="+status, "./measure")
		require.NoError(t, err, out)
		_, state, reason := s.node()
		assert.Equal(t, want, reason, status)
		assert.Equal(t, want != "", strings.Contains(state, "+DRAIN"), state) // a node may also be NOT_RESPONDING
	}
}
