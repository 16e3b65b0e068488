//go:build e2e && nightly && rig

package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/tools/corpustest"
)

// guest is a virtual machine with a described truth: a real kernel on the
// SMBIOS table, NUMA nodes and processors of a machine file of ../shared/rig.
type guest struct {
	machine string
	flags   []string // of the rig
	// capabilities are all capabilities of the program, as another user than root; if empty, it runs as flags say, by
	// default as root.
	capabilities []string
	// cache is the folder of another kernel than the distribution's usual
	// one; empty: that one.
	cache string
}

// ended is the rig's record of one run.
type ended struct {
	status         int
	stdout, stderr string
	// writes are the attempts to write a model-specific register.
	writes []string
}

// command is a command of the rig. Where the rig is there and cannot run, as
// without QEMU, the test fails under CI and is skipped elsewhere.
func (g guest) command(t *testing.T, flags, args []string) *exec.Cmd {
	t.Helper()
	rig := corpustest.Shared(t, "rig")
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no qemu-system-x86_64, which ../shared/rig/setup installs")
		}
		t.Skip("no qemu-system-x86_64: ../shared/rig/setup installs it")
	}
	program, err := filepath.Abs(binary(t))
	require.NoError(t, err)
	start := []string{program}
	if g.capabilities != nil {
		var files []string
		files, start = setpriv(t, program, g.capabilities)
		flags = slices.Concat(files, flags)
	}
	all := slices.Concat(g.flags, flags, []string{g.machine, "--"}, start, args)
	cmd := exec.Command(filepath.Join(rig, "run"), all...)
	if g.cache != "" {
		cmd.Env = append(os.Environ(), "RIG_CACHE="+g.cache)
	}
	return cmd
}

// setpriv returns what starts a program in a guest as nobody with these capabilities alone, and the rig's flags that
// put this machine's setpriv, its libraries and the program there.
func setpriv(t *testing.T, program string, capabilities []string) (flags, start []string) {
	t.Helper()
	path, err := exec.LookPath("setpriv")
	require.NoError(t, err)
	needs, err := exec.Command("ldd", path).Output()
	require.NoError(t, err)
	for word := range strings.FieldsSeq(string(needs)) {
		if strings.HasPrefix(word, "/") {
			flags = append(flags, "--file", word+":"+word)
		}
	}
	only := "-all,+" + strings.Join(capabilities, ",+")
	return append(flags, "--file", program+":/bin/memaudit"),
		[]string{path, "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=" + only, "--inh-caps=" + only, "--ambient-caps=" + only, "/bin/memaudit"}
}

// attempts is how often a guest that did not come up is started again. Emulation without KVM sometimes hangs before
// the kernel has printed a line (once in some hundred boots on two busy cores), which does not involve memaudit: it
// had not been started. A guest that never comes up fails the test.
const attempts = 3

// run runs a command of memaudit in the machine.
func (g guest) run(t *testing.T, args ...string) ended {
	t.Helper()
	for attempt := 1; ; attempt++ {
		out := t.TempDir()
		cmd := g.command(t, []string{"--time", "150", "--out", out}, args)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			require.NoError(t, err)
		}
		e := ended{status: cmd.ProcessState.ExitCode(), stdout: string(stdout), stderr: stderr.String()}
		if attempt < attempts && e.status == 125 && strings.Contains(e.stderr, "the guest did not come up") {
			t.Logf("start %d of %s: the guest did not come up", attempt, g.machine)
			continue
		}
		require.NotContains(t, []int{124, 125, 127}, e.status, "the rig failed: %s", e.stderr)
		e.writes = registerWrites(t, out)
		return e
	}
}

// guestDaemon is a daemon in a machine.
type guestDaemon struct {
	cmd  *exec.Cmd
	out  string // what the rig keeps of the run
	page string // the address of its metrics
	ctl  string // the rig's socket, by which the machine is changed
}

// serve starts the daemon in the machine, which is ended with the test if it
// has not ended before.
func (g guest) serve(t *testing.T, args ...string) *guestDaemon {
	t.Helper()
	const port = "9822"
	for attempt := 1; ; attempt++ {
		d := &guestDaemon{out: t.TempDir()}
		d.cmd = g.command(t, []string{"--serve", port, "--time", "300", "--out", d.out},
			append([]string{"serve", "--web.listen-address", ":" + port}, args...))
		stdout, err := d.cmd.StdoutPipe()
		require.NoError(t, err)
		d.cmd.Stderr = os.Stderr
		require.NoError(t, d.cmd.Start())
		t.Cleanup(func() {
			if d.cmd.ProcessState == nil {
				_ = d.cmd.Process.Signal(syscall.SIGTERM)
				_ = d.cmd.Wait()
			}
		})
		// The rig prints its first line as soon as memaudit was started.
		late := time.AfterFunc(100*time.Second, func() { _ = d.cmd.Process.Signal(syscall.SIGTERM) })
		lines := bufio.NewScanner(stdout)
		said := lines.Scan()
		late.Stop()
		if !said && attempt < attempts {
			t.Logf("start %d of %s: the guest did not come up", attempt, g.machine)
			continue
		}
		require.True(t, said, "the rig prints where it listens")
		var ready struct {
			Ports map[string]int
			Ctl   string
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &ready), lines.Text())
		d.page = fmt.Sprintf("http://127.0.0.1:%d/metrics", ready.Ports[port])
		d.ctl = ready.Ctl
		return d
	}
}

// registerWrites are the attempts to write a model-specific register that the rig recorded: its registers refuse and
// record each.
func registerWrites(t *testing.T, out string) (writes []string) {
	t.Helper()
	data := readFile(t, filepath.Join(out, "result.json"))
	result := decoded[struct {
		Events []struct{ Event, Reg string }
	}](t, data)
	for _, e := range result.Events {
		if e.Event == "msr-write" {
			writes = append(writes, e.Reg)
		}
	}
	return writes
}

// finding is one rule and subject of a JSON report.
type finding struct{ Rule, Result, Severity, Subject, Remedy string }

// sighting is the part of a JSON report on a machine that a machine file states too.
type sighting struct {
	Machine struct {
		Product  string
		Virtual  bool
		Platform struct{ ID *string }
	}
	Findings  []finding
	Inventory struct {
		Sockets []struct {
			Designation string
			Populated   bool
		}
		Slots []struct {
			State     string
			SizeBytes *uint64 `json:"size_bytes"`
			Socket    *int
			Channel   *int
		}
		Nodes []struct {
			Kind   string
			CPUs   *string
			Socket *int
		}
		Settings map[string]struct {
			Effective struct {
				Value *string
				State string
			}
		}
		Population struct {
			Sockets []struct {
				ChannelsPopulated *int    `json:"channels_populated"`
				Class             *string `json:"class"`
				Expected          *int    `json:"expected_mts"`
			}
		}
	}
}

// fails lists the rules that failed at a severity above info.
func (s *sighting) fails() (rules []string) {
	for _, f := range s.Findings {
		if f.Result == "fail" && f.Severity != "info" {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

// of returns the findings of a rule by subject.
func (s *sighting) of(rule string) map[string]finding {
	found := map[string]finding{}
	for _, f := range s.Findings {
		if f.Rule == rule {
			found[f.Subject] = f
		}
	}
	return found
}

// modules counts the populated slots, those among them with a known channel,
// and their GiB.
func (s *sighting) modules() (count, placed int, gib uint64) {
	for _, slot := range s.Inventory.Slots {
		if slot.State != "populated" {
			continue
		}
		count++
		if slot.Channel != nil && (slot.Socket != nil || len(s.Inventory.Population.Sockets) == 1) {
			placed++
		}
		if slot.SizeBytes != nil {
			gib += *slot.SizeBytes >> 30
		}
	}
	return count, placed, gib
}

// audited runs check in the machine and checks that nothing was written.
func (g guest) audited(t *testing.T, args ...string) (*sighting, ended) {
	t.Helper()
	e := g.run(t, append([]string{"check", "--format", "json"}, args...)...)
	s := &sighting{}
	require.NoError(t, json.Unmarshal([]byte(e.stdout), s), "status %d: %s%s", e.status, e.stdout, e.stderr)
	assert.Empty(t, e.writes, "registers are only read")
	return s, e
}

// truth is the content of a machine file, in memaudit's terms. Platforms, classes and speeds are the papers'.
type truth struct {
	product, platform string
	processors        int
	modules           int
	gib               uint64
	nodes             int
	channels          int    // populated of each processor, or of the machine where its memory is the chipset's
	class             string // empty: no document states classes, or the speed is not known
	speed             int    // MT/s expected; 0: not known
	settings          map[string]string
	fails             []string // rules that fail at warning or above
	status            int
}

var guests = map[string]truth{
	"dell-r610-good": {product: "PowerEdge R610", platform: "nehalem-ep", processors: 2, modules: 6, gib: 24, nodes: 2, channels: 3,
		class: "A", speed: 1333, settings: map[string]string{"node_interleave": "disabled", "turbo": "enabled", "smt": "disabled", "c1e": "enabled"}},
	"dell-r610-interleaved": {product: "PowerEdge R610", platform: "nehalem-ep", processors: 2, modules: 6, gib: 24, nodes: 1, channels: 3,
		class: "A", speed: 1333, settings: map[string]string{"node_interleave": "enabled"}, fails: []string{"numa.node-interleaving"}, status: 1},
	"fujitsu-rx600s6-class1": {product: "PRIMERGY RX600 S6", platform: "westmere-ex", processors: 4, modules: 32, gib: 256, nodes: 4, channels: 8,
		class: "1", speed: 1066, settings: map[string]string{"node_interleave": "disabled"}},
	"fujitsu-rx600s6-class3": {product: "PRIMERGY RX600 S6", platform: "westmere-ex", processors: 4, modules: 16, gib: 128, nodes: 4, channels: 4,
		class: "3", speed: 1066, status: 1,
		fails: []string{"memory.channel.populated", "memory.class.optimal", "memory.interleave.controllers"}},
	"ibm-e326m-full": {product: "eServer 326m -[796976U]-", platform: "opteron-939-940", processors: 2, modules: 8, gib: 16, nodes: 2, channels: 2,
		settings: map[string]string{"node_interleave": "disabled"}},
	"sun-x6440":   {product: "SUN BLADE X6440 SERVER MODULE", platform: "opteron-socket-f", processors: 4, modules: 32, gib: 64, nodes: 4, channels: 2},
	"bensley-4ch": {product: "X7DB8+", platform: "bensley", processors: 2, modules: 4, gib: 4, nodes: 1, channels: 4},
	"xeon-spr-snc2": {product: "PowerEdge R760", platform: "sapphire-rapids", processors: 2, modules: 16, gib: 1024, nodes: 4, channels: 8,
		class: "A", speed: 4800, settings: map[string]string{"sub_numa": "snc2", "smt": "enabled", "turbo": "enabled"}},
}

// holds compares a report with the machine's truth.
func (w truth) holds(t *testing.T, s *sighting, e ended) {
	t.Helper()
	assert.Equal(t, w.status, e.status, "exit status")
	assert.Equal(t, w.product, s.Machine.Product)
	assert.Equal(t, w.platform, deref(s.Machine.Platform.ID))
	assert.False(t, s.Machine.Virtual)
	assert.Len(t, s.Inventory.Sockets, w.processors)
	count, placed, gib := s.modules()
	assert.Equal(t, []any{w.modules, w.modules, w.gib}, []any{count, placed, gib}, "modules, those placed on a channel, GiB")
	assert.Len(t, s.Inventory.Nodes, w.nodes)
	require.NotEmpty(t, s.Inventory.Population.Sockets)
	for i, p := range s.Inventory.Population.Sockets {
		assert.Equal(t, w.channels, deref(p.ChannelsPopulated), "channels of socket %d", i)
		assert.Equal(t, w.class, deref(p.Class), "class of socket %d", i)
		assert.Equal(t, w.speed, deref(p.Expected), "speed of socket %d", i)
	}
	for name, value := range w.settings {
		assert.Equal(t, value, deref(s.Inventory.Settings[name].Effective.Value), name)
	}
	assert.Equal(t, w.fails, s.fails(), "findings at warning or above")
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// TestVM checks that each described machine is seen as in its description and the papers.
func TestVM(t *testing.T) {
	described, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "rig"), "machines", "*.yaml"))
	require.NoError(t, err)
	for _, path := range described {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		w, ok := guests[name]
		if !ok {
			continue // a machine that ../shared got since; vm-qemu has a test of its own
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := guest{machine: name}.audited(t)
			w.holds(t, s, e)
		})
	}
}

// TestVMOtherKernel checks that a second kernel, younger than the distribution's usual one, shows the same machines.
func TestVMOtherKernel(t *testing.T) {
	cache := os.Getenv("RIG_OTHER_CACHE")
	if cache == "" {
		t.Skip("RIG_OTHER_CACHE names no folder with a second kernel: make vm sets it")
	}
	for _, name := range []string{"dell-r610-interleaved", "fujitsu-rx600s6-class3", "xeon-spr-snc2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := guest{machine: name, cache: cache}.audited(t)
			w := guests[name]
			w.settings = maps.Clone(w.settings)
			delete(w.settings, "turbo") // laid over /sys, for which the rig finds no module in this kernel's package
			w.holds(t, s, e)
		})
	}
}

// TestVMGuest checks that the slots of a machine that reports to be virtual are not checked.
func TestVMGuest(t *testing.T) {
	t.Parallel()
	s, e := guest{machine: "vm-qemu"}.audited(t)
	assert.True(t, s.Machine.Virtual)
	assert.Nil(t, s.Machine.Platform.ID)
	assert.Empty(t, s.fails())
	assert.Equal(t, 0, e.status)
}

// TestVMUnprivileged checks that without privileges the table is denied, which is neither an empty machine nor a
// pass, and that the kernel's world-readable files are still used.
func TestVMUnprivileged(t *testing.T) {
	t.Parallel()
	s, e := guest{machine: "dell-r610-interleaved", flags: []string{"--uid", "65534"}}.audited(t)
	assert.Empty(t, s.Inventory.Slots)
	assert.Len(t, s.Inventory.Nodes, 1)
	byRule := map[string][]string{}
	for _, f := range s.Findings {
		byRule[f.Rule] = append(byRule[f.Rule], f.Result)
	}
	assert.Equal(t, []string{"unknown"}, byRule["memory.socket.symmetric"])
	assert.NotContains(t, byRule["memory.channel.populated"], "pass")
	assert.Equal(t, []string{"fail"}, byRule["numa.node-interleaving"], "two processors in one node need no right to be seen")
	assert.Equal(t, 1, e.status)
}

// TestVMCapability checks that one capability gives the user nobody the table, which is checked as for root.
// Registers stay denied.
func TestVMCapability(t *testing.T) {
	t.Parallel()
	s, e := guest{machine: "fujitsu-rx600s6-class3", capabilities: []string{"dac_read_search"}}.audited(t)
	guests["fujitsu-rx600s6-class3"].holds(t, s, e)
}

// TestVMOptions checks that memory hidden by a kernel option is reported, and that the fix names the option.
func TestVMOptions(t *testing.T) {
	for _, c := range []struct {
		option string
		flags  []string
		fails  []string
	}{
		{"numa=off", nil, []string{"numa.nodes.used"}},
		// The claimed options are mounted over /proc, where they hide the real ones.
		{"mem=4G", []string{"--real-ram"}, []string{"memory.capacity.visible", "numa.node.memory"}},
	} {
		t.Run(c.option, func(t *testing.T) {
			t.Parallel()
			s, e := guest{machine: "dell-r610-good", flags: append(c.flags, "--set", "append="+c.option)}.audited(t)
			assert.Equal(t, c.fails, s.fails())
			assert.Equal(t, 1, e.status)
			for _, rule := range c.fails {
				for _, f := range s.of(rule) {
					if f.Result == "fail" {
						assert.Contains(t, f.Remedy, c.option, rule)
					}
				}
			}
		})
	}
}

// EDAC counts nothing in these machines: the kernels are built without EDAC_DEBUG and without the driver of ACPI's
// error tables, and none of their drivers is for a controller that QEMU has.

// TestVMDaemon checks that the page follows changes of the machine under the daemon.
func TestVMDaemon(t *testing.T) {
	t.Parallel()
	d := guest{machine: "dell-r610-good"}.serve(t, "--interval", "1h")
	waitForPage(t, d.page, `memaudit_setting_info{setting="turbo",value="enabled",view="effective"} 1`)
	rig := corpustest.Shared(t, "rig")
	// The driver sets bit 38 of IA32_MISC_ENABLE with the file: either alone is a contradiction.
	for _, order := range [][]string{{"set", "/sys/devices/system/cpu/cpufreq/boost", "0"}, {"msr", "all:0x1a0", "0x4000850089"}, {"signal", "HUP"}} {
		must(t, filepath.Join(rig, "ctl"), append([]string{d.ctl}, order...)...)
	}
	waitForPage(t, d.page, `memaudit_setting_info{setting="turbo",value="disabled",view="effective"} 1`)

	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, d.cmd.Wait(), "the daemon ends well on SIGTERM")
	assert.Empty(t, registerWrites(t, d.out), "registers are only read")
}

// waitForPage requests a page until it contains a text.
func waitForPage(t *testing.T, page, text string) {
	t.Helper()
	waitFor(t, 2*time.Minute, "the page to say "+text, func() bool {
		answer, err := http.Get(page)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return err == nil && strings.Contains(string(body), text)
	})
}

// TestMeasureInRig checks that a guest is refused, and that, when it is measured, all of the memory is on the
// requested node.
func TestMeasureInRig(t *testing.T) {
	g := guest{machine: "dell-r610-good", flags: []string{"--no-overlay", "--real-ram", "--set", "hypervisor=true",
		"--set", "cpu.cores=2", "--set", `numa.nodes=[{"cpus":"0-1","mem_mb":2048},{"cpus":"2-3","mem_mb":2048}]`}}
	measured := func(args ...string) *measure.Result {
		e := g.run(t, append([]string{"measure", "--format", "json"}, args...)...)
		r := &measure.Result{}
		require.NoError(t, json.Unmarshal([]byte(e.stdout), r), "%s%s", e.stdout, e.stderr)
		return r
	}
	refused := measured()
	require.NotEmpty(t, refused.Refused)
	assert.Contains(t, string(refused.Refused), "this is a virtual machine")
	assert.Empty(t, refused.Nodes)

	r := measured("--force")
	require.Empty(t, r.Refused)
	assert.True(t, r.Forced)
	require.NotNil(t, r.HugePages, "the pages were looked at")
	var pairs [][2]int
	for _, c := range r.Nodes {
		pairs = append(pairs, [2]int{c.CPUNode, c.MemoryNode})
		assert.Equal(t, 2, c.Threads)
		for _, p := range c.Passes {
			if p.Discarded != "" {
				assert.NotContains(t, string(p.Discarded), "memory lies")
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	assert.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, pairs)
}
