package cli

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host"
	"github.com/memaudit/memaudit/internal/source/host/hosttest"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// patience bounds what one audit of a damaged machine costs: processor time of
// its thread, since a busy test machine makes everything last longer.
const patience = 2 * time.Second

// threadTime is the processor time that this thread has used.
func threadTime(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}

// verdicts audits the machine below a folder: result by rule and subject. What is read
// of it is shown to seen, which may be nil.
func verdicts(t *testing.T, engine *audit.Engine, dir string, seen func(host.Access)) map[string]verdict.Result {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime(t)
	root, err := host.OpenDir(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	if seen != nil {
		root.Observe(seen)
	}
	sys := collect.Collect(collect.Input{Root: root})
	result, err := engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{Profile: "max-performance", Asked: true, Now: time.Now()})
	require.NoError(t, err)
	assert.Less(t, threadTime(t)-start, patience)
	out := map[string]verdict.Result{}
	for i := range result.Findings {
		f := &result.Findings[i]
		out[f.Rule+" / "+f.Subject.String()] = f.Result
		assert.NotEqual(t, verdict.Error, f.Result, "%s %s: %s", f.Rule, f.Subject, f.Reason)
	}
	return out
}

// improved lists what a damage turned from a fail or an unknown into a pass.
func improved(whole, damaged map[string]verdict.Result) []string {
	var out []string
	for key, result := range damaged {
		if before := whole[key]; result == verdict.Pass && (before == verdict.Fail || before == verdict.Unknown) {
			out = append(out, fmt.Sprintf("%s: %s -> pass", key, before))
		}
	}
	slices.Sort(out)
	return out
}

// damage ruins one path below a root; outside is a folder beyond it.
type damage struct {
	name  string
	apply func(t *testing.T, path, outside string)
	// content is true for what can only be wrong with a file.
	content bool
}

// write replaces a path by a file.
func write(content string) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// replace removes a path and creates something else there.
func replace(make func(path, outside string) error) func(*testing.T, string, string) {
	return func(t *testing.T, path, outside string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, make(path, outside))
	}
}

// damages are the damages of a kernel file.
func damages() []damage {
	garbage := make([]byte, 5000)
	for i := range garbage {
		garbage[i] = byte(i*i*7 + i>>3)
	}
	return []damage{
		{"absent", replace(func(string, string) error { return nil }), false},
		{"empty", write(""), true},
		{"blank", write("\n"), true},
		{"zeros", write(strings.Repeat("\x00", 64)), true},
		{"garbage", write(string(garbage)), true},
		{"huge number", write("99999999999999999999\n"), true},
		{"negative", write("-1\n"), true},
		{"huge", replace(func(path, _ string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<30)
		}), true},
		{"link to itself", replace(func(path, _ string) error { return os.Symlink(filepath.Base(path), path) }), false},
		{"link out of the root", replace(func(path, outside string) error { return os.Symlink(filepath.Join(outside, "one"), path) }), false},
		{"link up and out", replace(func(path, outside string) error {
			return os.Symlink(strings.Repeat("../", 40)+strings.TrimPrefix(outside, "/")+"/one", path)
		}), false},
		{"FIFO", replace(func(path, _ string) error { return unix.Mkfifo(path, 0o644) }), false},
		{"socket", replace(socket), false},
		{"folder", replace(func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "one"), 0o755) }), false},
	}
}

// socket creates a socket at a path that may be longer than an address can be.
func socket(path, outside string) error {
	near := filepath.Join(outside, "s")
	if err := os.RemoveAll(near); err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: near, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	defer func() { _ = l.Close() }()
	return os.Rename(near, path)
}

// hostileMachines are machines that fail by their DIMMs and by their nodes, and some that are wrong or cannot be
// checked in what only the kernel shows. Four CPUs are enough.
func hostileMachines() []machinetest.Machine {
	good, uneven := []string{"A1", "A2", "A3", "B1", "B2", "B3"}, []string{"A1", "A2", "A3", "B1", "B2", "B4"}
	out := []machinetest.Machine{machinetest.EPYC("one socket, AMD", "")}
	variant := func(name string, populated []string, change func(s *machinetest.Machine)) {
		s := machinetest.R610(name, "", populated, 2)
		s.Host.CoresPerSocket = 1
		change(&s)
		out = append(out, s)
	}
	variant("unbalanced", uneven, func(*machinetest.Machine) {})
	variant("interleaved", good, func(s *machinetest.Machine) { *s = machinetest.Interleaved(*s) })
	variant("numa=off", good, func(s *machinetest.Machine) {
		*s = machinetest.Interleaved(*s)
		s.Without = slices.DeleteFunc(s.Without, func(p string) bool { return strings.Contains(p, "acpi") })
		s.Files["proc/cmdline"] = "ro numa=off\n"
	})
	variant("numa=fake", good, func(s *machinetest.Machine) { faked(s.Files) })
	variant("CPUs offline", good, func(s *machinetest.Machine) { s.Files["sys/devices/system/cpu/present"] = "0-5\n" })
	variant("memory hidden", good, func(s *machinetest.Machine) {
		s.Files["proc/cmdline"] = "ro mem=12G\n"
		s.Files["proc/meminfo"] = "MemTotal: 12582912 kB\n"
		s.Files["sys/firmware/memmap/2/end"] = "0x2ffffffff\n"
	})
	variant("node without memory", uneven, func(s *machinetest.Machine) {
		s.Files["sys/devices/system/node/node1/meminfo"] = "Node 1 MemTotal: 0 kB\n"
		s.Files["sys/devices/system/node/has_memory"] = "0\n"
		s.Files["sys/devices/system/node/node0/distance"] = "10 9\n"
	})
	variant("controllers known", good, func(s *machinetest.Machine) { edacOf(s.Files, 2, 3) })
	return out
}

// faked makes four nodes of two, each CPU in both parts of its own.
func faked(f hosttest.Files) {
	const dir = "sys/devices/system/node/"
	f["proc/cmdline"] = "ro numa=fake=4\n"
	for _, list := range []string{"online", "possible", "has_cpu", "has_memory", "has_normal_memory"} {
		f[dir+list] = "0-3\n"
	}
	for n, cpus := range []string{"0,2", "0,2", "1,3", "1,3"} {
		node := fmt.Sprintf("%snode%d/", dir, n)
		f[node+"cpulist"], f[node+"distance"] = cpus+"\n", "10 10 20 20\n"
		f[node+"meminfo"] = fmt.Sprintf("Node %d MemTotal: 6291456 kB\n", n)
	}
}

// edacOf adds the memory controllers that the kernel's driver lists.
func edacOf(f hosttest.Files, sockets, channels int) {
	for socket := range sockets {
		dir := fmt.Sprintf("sys/devices/system/edac/mc/mc%d/", socket)
		f[dir+"mc_name"], f[dir+"size_mb"] = fmt.Sprintf("i7 core #%d\n", socket), "12288\n"
		for ch := range channels {
			d := fmt.Sprintf("%sdimm%d/", dir, ch)
			f[d+"dimm_label"], f[d+"dimm_location"] = fmt.Sprintf("CPU#%dChannel#%d_DIMM#0\n", socket, ch), fmt.Sprintf("channel %d slot 0\n", ch)
			f[d+"size"], f[d+"dimm_mem_type"], f[d+"dimm_edac_mode"], f[d+"dimm_dev_type"] = "4096\n", "Registered-DDR3\n", "SECDED\n", "x4\n"
		}
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// asked audits the machine below a folder and lists the existing files and folders that it read. Of paths that differ
// only in numbers (CPUs, nodes, blocks) the first two represent all.
func asked(t *testing.T, engine *audit.Engine, dir string) (whole map[string]verdict.Result, paths []string) {
	t.Helper()
	seen, kinds := map[string]bool{}, map[string]int{}
	whole = verdicts(t, engine, dir, func(a host.Access) {
		kind := digits.ReplaceAllString(a.Path, "N")
		if seen[a.Path] || a.State != fact.OK || kinds[kind] == 2 {
			return
		}
		seen[a.Path] = true
		kinds[kind]++
		paths = append(paths, a.Path)
	})
	slices.Sort(paths)
	return whole, paths
}

// victim is a machine on disk whose files are ruined.
type victim struct {
	engine       *audit.Engine
	dir, outside string
	victimFacts
}

// victimFacts are facts of an undamaged machine by its name, never modified.
type victimFacts struct {
	whole map[string]verdict.Result
	// paths are the paths that an audit reads; folders marks the folders among them.
	paths   []string
	folders map[string]bool
}

func newVictim(t *testing.T, m *machinetest.Machine) *victim {
	t.Helper()
	v := &victim{engine: anEngine(t), dir: t.TempDir(), outside: t.TempDir()}
	m.Tree().WriteTo(t, v.dir)
	require.NoError(t, os.WriteFile(filepath.Join(v.outside, "one"), []byte("1\n"), 0o644))
	known, ok := unharmed.Load(m.Name)
	if !ok {
		known = v.ask(t)
		unharmed.Store(m.Name, known)
	}
	v.victimFacts = known.(victimFacts)
	return v
}

// unharmed are the facts of the machines used before.
var unharmed sync.Map

// ask audits the machine before anything of it is ruined.
func (v *victim) ask(t *testing.T) victimFacts {
	t.Helper()
	known := victimFacts{folders: map[string]bool{}}
	known.whole, known.paths = asked(t, v.engine, v.dir)
	for _, path := range known.paths {
		info, err := os.Stat(filepath.Join(v.dir, path))
		require.NoError(t, err)
		known.folders[path] = info.IsDir()
	}
	return known
}

// compare audits again; no result may have become better.
func (v *victim) compare(t *testing.T, what string) map[string]verdict.Result {
	t.Helper()
	damaged := verdicts(t, v.engine, v.dir, nil)
	for _, better := range improved(v.whole, damaged) {
		t.Errorf("%s: %s", what, better)
	}
	return damaged
}

// ruin damages one path, audits, and puts the path back.
func (v *victim) ruin(t *testing.T, path string, d *damage) {
	t.Helper()
	full, aside := filepath.Join(v.dir, path), filepath.Join(v.outside, "kept")
	require.NoError(t, os.Rename(full, aside))
	d.apply(t, full, v.outside)
	v.compare(t, path+", "+d.name)
	require.NoError(t, os.RemoveAll(full))
	require.NoError(t, os.Rename(aside, full))
}

// TestDamagedRoot ruins every file that an audit reads, one at a time. No
// damage may make a verdict better. Of the pairs of a path and a way one in 48 is tried,
// each on one of three machines; in make corpus all of them, each on one of all
// machines, with HOSTILE=all on every machine.
func TestDamagedRoot(t *testing.T) {
	t.Parallel()
	everything := os.Getenv("HOSTILE") == "all"
	list := hostileMachines()
	if !everything {
		list = corpustest.Sample(list, 4)
	}
	for i := range list {
		t.Run(list[i].Name, func(t *testing.T) {
			t.Parallel()
			v, runs := newVictim(t, &list[i]), 0
			for at, path := range v.paths {
				for n, d := range damages() {
					turn := (len(digits.ReplaceAllString(path, "")) + n) % len(list)
					if d.content && v.folders[path] {
						continue
					}
					if everything || turn == i && (corpustest.Stage || (at+n)%48 == 0) {
						v.ruin(t, path, &d)
						runs++
					}
				}
			}
			t.Logf("%d damages", runs)
			assert.Greater(t, runs, 2)
		})
	}
}

// TestDeniedRoot makes every file unreadable in turn, and does the same in a capture, which works for root too.
func TestDeniedRoot(t *testing.T) {
	t.Parallel()
	list := hostileMachines()
	v := newVictim(t, &list[1])
	const header = "memaudit-notes 1\n"
	file := filepath.Join(v.dir, "memaudit-notes")
	states := []string{"denied", "refused", "truncated", "malformed", "unstated", "absent"}
	for i, path := range corpustest.Sample(v.paths, 15) {
		full := filepath.Join(v.dir, path)
		for _, state := range []string{states[0], states[i%len(states)]} {
			if state != "truncated" { // of a cut file the beginning is there
				require.NoError(t, os.Rename(full, filepath.Join(v.outside, "kept")))
			}
			require.NoError(t, os.WriteFile(file, []byte(header+state+"\t"+path+"\n"), 0o644))
			v.compare(t, path+", noted as "+state)
			if state != "truncated" {
				require.NoError(t, os.Rename(filepath.Join(v.outside, "kept"), full))
			}
		}
	}
	require.NoError(t, os.Remove(file))
	if os.Geteuid() == 0 {
		t.Log("run by root, whom modes do not stop: chmod was not tried")
		return
	}
	for _, path := range v.paths {
		full := filepath.Join(v.dir, path)
		info, err := os.Stat(full)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(full, 0))
		v.compare(t, path+", mode 000")
		require.NoError(t, os.Chmod(full, info.Mode()))
	}
}

// TestCutTable truncates the SMBIOS table at every structure and inside each. A rule about the lost part must not
// pass, and of an incomplete list only what a slot shows by itself may be reported.
func TestCutTable(t *testing.T) {
	t.Parallel()
	for _, m := range append(machinetest.General(), machinetest.Named(t, "supermicro-x7db8-1ch"), machinetest.Named(t, "supermicro-x6dh8-g2")) {
		if m.Table == nil {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, &m)
			data, file := m.Table.Table(), filepath.Join(v.dir, "sys/firmware/dmi/tables/DMI")
			ends := cuts(data)
			require.NotEmpty(t, ends)
			for _, end := range ends {
				require.NoError(t, os.WriteFile(file, data[:end], 0o644))
				what := fmt.Sprintf("cut at %d of %d", end, len(data))
				for key, result := range v.compare(t, what) {
					if strings.HasPrefix(key, "memory.") && !strings.Contains(key, "/ slot") {
						assert.NotEqual(t, verdict.Pass, result, "%s: %s", what, key)
					}
				}
			}
		})
	}
}

// cuts are the offsets to truncate a table at: before each structure, in its header, in its middle and in its
// strings, and of these every 67th in the unit tests; every byte with HOSTILE=all.
func cuts(data []byte) []int {
	var out []int
	if os.Getenv("HOSTILE") == "all" {
		for end := 1; end < len(data)-6; end++ {
			out = append(out, end)
		}
		return out
	}
	for _, s := range smbios.Decode(nil, data).Structures {
		for _, end := range []int{s.Offset, s.Offset + 3, s.Offset + int(s.Length)/2, s.Offset + int(s.Length) + 1} {
			if end > 0 && end < len(data)-6 {
				out = append(out, end)
			}
		}
	}
	return corpustest.Sample(out, 67)
}
