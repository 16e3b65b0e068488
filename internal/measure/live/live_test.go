package live_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"memaudit.example/memaudit/internal/model/figure"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/measure/live"
	"memaudit.example/memaudit/internal/source/host"
)

// tree creates a machine's files.
func tree(t *testing.T, files map[string]string) *host.Root {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o644))
	}
	root, err := host.OpenDir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return root
}

// twoSockets has two sockets with one L3 and two cores of two threads each.
func twoSockets() map[string]string {
	files := map[string]string{
		"sys/devices/system/node/online":         "0-1",
		"sys/devices/system/cpu/online":          "0-7",
		"sys/devices/system/node/node0/cpulist":  "0-1,4-5",
		"sys/devices/system/node/node1/cpulist":  "2-3,6-7",
		"sys/devices/system/node/node0/distance": "10 21",
		"sys/devices/system/node/node1/distance": "21 10",
		"sys/devices/system/node/node0/meminfo":  "Node 0 MemTotal: 33554432 kB\nNode 0 MemFree: 16777216 kB",
		"sys/devices/system/node/node1/meminfo":  "Node 1 MemTotal: 33554432 kB\nNode 1 MemFree: 8388608 kB",
	}
	for cpu := range 8 {
		core, socket := cpu%4, cpu%4/2
		dir := "sys/devices/system/cpu/cpu" + string(rune('0'+cpu))
		both := string(rune('0'+core)) + "," + string(rune('4'+core))
		files[dir+"/topology/thread_siblings_list"] = both
		files[dir+"/topology/physical_package_id"] = string(rune('0' + socket))
		files[dir+"/cache/index0/level"], files[dir+"/cache/index0/size"], files[dir+"/cache/index0/shared_cpu_list"] = "1", "32K", both
		files[dir+"/cache/index1/level"], files[dir+"/cache/index1/size"], files[dir+"/cache/index1/shared_cpu_list"] = "2", "1024K", both
		files[dir+"/cache/index2/level"], files[dir+"/cache/index2/size"] = "3", "16M"
		files[dir+"/cache/index2/shared_cpu_list"] = []string{"0-1,4-5", "2-3,6-7"}[socket]
	}
	return files
}

// TestSurvey checks one CPU per core, the caches of the socket and the free memory of the node.
func TestSurvey(t *testing.T) {
	s := live.Survey(tree(t, twoSockets()), "")
	require.Equal(t, &measure.Machine{MemoryBytes: -1, Nodes: []measure.Node{
		{ID: 0, Socket: 0, CPUs: []int{0, 1}, FreeBytes: 16 << 30, CacheBytes: 18 << 20},
		{ID: 1, Socket: 1, CPUs: []int{2, 3}, FreeBytes: 8 << 30, CacheBytes: 18 << 20},
	}}, s)
}

// TestSurveyLimits checks a cpuset, a quota two groups up, and the memory that a group may still use.
func TestSurveyLimits(t *testing.T) {
	files := twoSockets()
	files["proc/self/status"] = "Name:\tmemaudit\nCpus_allowed_list:\t0-2,4-6\nMems_allowed_list:\t0"
	files["proc/self/cgroup"] = "0::/a.slice/b.service"
	files["sys/fs/cgroup/a.slice/cpu.max"] = "150000 100000"
	files["sys/fs/cgroup/a.slice/b.service/cpu.max"] = "max 100000"
	files["sys/fs/cgroup/a.slice/b.service/memory.max"] = "8589934592"
	files["sys/fs/cgroup/a.slice/b.service/memory.current"] = "4294967296"
	files["sys/kernel/mm/transparent_hugepage/enabled"] = "always madvise [never]"
	s := live.Survey(tree(t, files), "kvm")
	require.Equal(t, "kvm", s.Guest)
	require.Equal(t, "cpu.max is 150000 100000", s.Quota)
	require.Equal(t, int64(4<<30), s.MemoryBytes)
	require.Empty(t, s.Nodes[0].Barred)
	require.Equal(t, []int{3}, s.Nodes[1].Barred)
	require.Equal(t, []int{2}, s.Nodes[1].CPUs)
	require.False(t, s.Nodes[0].MemoryBarred)
	require.True(t, s.Nodes[1].MemoryBarred)
	require.Contains(t, s.Notes[0], "huge pages are switched off")
}

// TestGroups checks that the lowest limit of a group and its parents applies, to the byte, and that no limit is not
// zero.
func TestGroups(t *testing.T) {
	const a, b = "sys/fs/cgroup/a/", "sys/fs/cgroup/a/b/"
	const cpu, mem = "sys/fs/cgroup/cpu/job/", "sys/fs/cgroup/memory/job/"
	two, one := "0::/a/b", "4:memory:/job\n3:cpu,cpuacct:/job\n2:cpuset:/job\n1:name=systemd:/job"
	for name, c := range map[string]struct {
		groups string
		files  map[string]string
		quota  string
		memory int64
	}{
		"the group above":    {two, map[string]string{a + "memory.max": "4000", a + "memory.current": "3000", b + "memory.max": "5000", b + "memory.current": "1000"}, "", 1000},
		"the group itself":   {two, map[string]string{a + "memory.max": "9000", a + "memory.current": "3000", b + "memory.max": "5000", b + "memory.current": "1000"}, "", 4000},
		"nothing left":       {two, map[string]string{a + "memory.max": "9000", a + "memory.current": "3000", b + "memory.max": "1000", b + "memory.current": "1000"}, "", 0},
		"more than that":     {two, map[string]string{b + "memory.max": "1000", b + "memory.current": "1200"}, "", 0},
		"no limit":           {two, map[string]string{b + "memory.max": "max", b + "memory.current": "1000", b + "cpu.max": "max 100000"}, "", -1},
		"use not known":      {two, map[string]string{b + "memory.max": "1000"}, "", -1},
		"own quota first":    {two, map[string]string{a + "cpu.max": "900000 100000", b + "cpu.max": "100000 100000"}, "cpu.max is 100000 100000", -1},
		"version 1":          {one, map[string]string{cpu + "cpu.cfs_quota_us": "-1", mem + "memory.limit_in_bytes": "8000", mem + "memory.usage_in_bytes": "5000"}, "", 3000},
		"version 1, quota":   {one, map[string]string{cpu + "cpu.cfs_quota_us": "1000", mem + "memory.limit_in_bytes": "1152921504606846976", mem + "memory.usage_in_bytes": "1"}, "cpu.cfs_quota_us is 1000", -1},
		"not of their kind":  {one, map[string]string{mem + "cpu.cfs_quota_us": "1000", cpu + "memory.limit_in_bytes": "8000", cpu + "memory.usage_in_bytes": "5000"}, "", -1},
		"other lines":        {"x\n1:a\n0::b", map[string]string{"sys/fs/cgroup/memory.max": "1000", "sys/fs/cgroup/memory.current": "1"}, "", -1},
		"no relative groups": {"0::a/b", map[string]string{b + "memory.max": "1000", b + "memory.current": "1"}, "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			c.files["proc/self/cgroup"] = c.groups
			s := live.Survey(tree(t, c.files), "")
			require.Equal(t, c.quota, s.Quota)
			require.Equal(t, c.memory, s.MemoryBytes)
		})
	}
}

// TestNotes checks the notes on what affects the figures, and that there are none without it.
func TestNotes(t *testing.T) {
	const huge, governor, balancing = "sys/kernel/mm/transparent_hugepage/enabled", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "proc/sys/kernel/numa_balancing"
	files := map[string]string{huge: "[always] madvise never", governor: "performance", balancing: "0"}
	require.Empty(t, live.Survey(tree(t, files), "").Notes)
	files = map[string]string{huge: "always madvise [never]", governor: "powersave", balancing: "1"}
	require.Equal(t, []string{"huge pages are switched off: latency is up to twice as long", "the governor is powersave: clocks may be low",
		"NUMA balancing is on; memory that is bound stays where it is"}, live.Survey(tree(t, files), "").Notes)
}

// TestSurveyOddNodes checks nodes without processors, without memory and with different caches.
func TestSurveyOddNodes(t *testing.T) {
	cpu := func(n int) string { return fmt.Sprintf("sys/devices/system/cpu/cpu%d/", n) }
	files := twoSockets()
	for _, n := range []int{2, 3, 6, 7} {
		files[cpu(n)+"cache/index2/size"] = "64M"
	}
	files["sys/devices/system/node/online"] = "0-3"
	files["sys/devices/system/node/node2/cpulist"] = ""
	files["sys/devices/system/node/node2/meminfo"] = "Node 2 MemTotal: 33554432 kB\nNode 2 MemFree: 4194304 kB"
	files["sys/devices/system/node/node3/cpulist"] = ""
	files["sys/devices/system/node/has_memory"] = "0-2"
	s := live.Survey(tree(t, files), "")
	require.Equal(t, []measure.Node{
		{ID: 0, Socket: 0, CPUs: []int{0, 1}, FreeBytes: 16 << 30, CacheBytes: 18 << 20},
		{ID: 1, Socket: 1, CPUs: []int{2, 3}, FreeBytes: 8 << 30, CacheBytes: 66 << 20},
		{ID: 2, Socket: -1, FreeBytes: 4 << 30, CacheBytes: 84 << 20}, // that of all, whoever reads it
		{ID: 3, Socket: -1, CacheBytes: 84 << 20},
	}, s.Nodes)

	delete(files, "sys/devices/system/node/has_memory")
	require.EqualValues(t, -1, live.Survey(tree(t, files), "").Nodes[3].FreeBytes, "neither file says")
	files["sys/devices/system/node/node2/meminfo"] = "Node 2 MemTotal: 33554432 kB"
	require.EqualValues(t, -1, live.Survey(tree(t, files), "").Nodes[2].FreeBytes)

	// Nodes of one core each: the socket of the only processor is known, and a cache that cannot be read is not.
	one := map[string]string{"sys/devices/system/node/online": "0-1"}
	for n := range 2 {
		one[fmt.Sprintf("sys/devices/system/node/node%d/cpulist", n)] = fmt.Sprint(n)
		one[fmt.Sprintf("sys/devices/system/node/node%d/meminfo", n)] = fmt.Sprintf("Node %d MemTotal: 33554432 kB\nNode %d MemFree: 4194304 kB", n, n)
		one[cpu(n)+"topology/physical_package_id"] = "5"
		one[cpu(n)+"topology/core_cpus_list"] = "7" // another's list is not believed
		one[cpu(n)+"cache/index0/level"], one[cpu(n)+"cache/index0/size"], one[cpu(n)+"cache/index0/shared_cpu_list"] = "2", "1K", fmt.Sprint(n)
	}
	s = live.Survey(tree(t, one), "")
	require.Equal(t, []measure.Node{{ID: 0, Socket: 5, CPUs: []int{0}, FreeBytes: 4 << 30, CacheBytes: 2 << 10}, {ID: 1, Socket: 5, CPUs: []int{1}, FreeBytes: 4 << 30, CacheBytes: 2 << 10}}, s.Nodes)
	one[cpu(1)+"cache/index0/size"] = "?"
	require.Zero(t, live.Survey(tree(t, one), "").Nodes[0].CacheBytes, "half of a socket's caches is not all of them")
}

// TestSurveyWithoutNUMA checks that a kernel without nodes has one node of all CPUs.
func TestSurveyWithoutNUMA(t *testing.T) {
	for meminfo, free := range map[string]int64{
		"MemTotal: 4194304 kB\nMemFree: 2097152 kB": 2 << 30,
		"MemTotal: 4194304 kB\nMemFree: 97152 kB\nDirty: 20480 kB\nWriteback: 1024 kB\nActive(file): 1048576 kB\nInactive(file): 2097152 kB\n": (97152 + 1048576 + 2097152 - 20480 - 1024) << 10,
	} {
		files := map[string]string{"sys/devices/system/cpu/online": "0-1", "proc/meminfo": meminfo}
		s := live.Survey(tree(t, files), "")
		require.Equal(t, []measure.Node{{Socket: -1, CPUs: []int{0, 1}, FreeBytes: free}}, s.Nodes, "clean pages of files are free")
	}
}

// TestKernelTexts parses what the kernel prints (man 5 numa, proc.rst, psi.rst).
func TestKernelTexts(t *testing.T) {
	maps := []byte("7f0000000000 default anon=9 N0=9 kernelpagesize_kB=4\n" +
		"7f1000000000 bind:1 anon=512 dirty=512 N0=128 N1=384 kernelpagesize_kB=4\n" +
		"7f1000200000 bind:1 anon=1 N1=1 kernelpagesize_kB=2048\n")
	share, known := live.OnNode(maps, 0x7f1000000000, 0x7f1000400000, 1)
	require.True(t, known)
	require.InDelta(t, (384.*4+2048)/(512*4+2048), share, 1e-9)
	_, known = live.OnNode(maps, 0x600000000000, 0x600000001000, 1)
	require.False(t, known)
	share, known = live.OnNode(maps, 0x7f1000000000, 0x7f1000200000, 1)
	require.True(t, known)
	require.InDelta(t, 384./512, share, 1e-9, "what begins at the end is another's")

	smaps := []byte("7f1000000000-7f1000400000 rw-p 00000000 00:00 0 \nSize: 4096 kB\nRss:  4096 kB\nAnonHugePages:  2048 kB\nVmFlags: rd wr\n" +
		"7f2000000000-7f2000400000 rw-p 00000000 00:00 0 \nRss:  4096 kB\nAnonHugePages:  0 kB\n")
	require.InDelta(t, 0.5, live.HugeShare(smaps, 0x7f1000000000, 0x7f1000400000), 1e-9)
	require.InDelta(t, -1, live.HugeShare(smaps, 0x600000000000, 0x600000001000), 0)
	require.InDelta(t, 0.5, live.HugeShare(smaps, 0x7f1000000000, 0x7f2000000000), 1e-9, "what begins at the end is another's")

	stat := []byte("cpu  99 99 99 99 99 99 99 99 0 0\ncpu0 10 0 5 900 7 1 2 3 0 0\ncpu1 20 1 5 900 7 0 0 4 0 0\nintr 1 2 3\n")
	foreign, steal := live.ProcessorTimes(stat, []int{0})
	require.Equal(t, 260*time.Millisecond, foreign)
	require.Equal(t, 30*time.Millisecond, steal)
	foreign, steal = live.ProcessorTimes([]byte("cpu0 1 2 3 4 5 6 7\ncpu1 1 2 3 4 5 6 7\n"), []int{0})
	require.Equal(t, []time.Duration{190 * time.Millisecond, 0}, []time.Duration{foreign, steal}, "a kernel that knows no steal")
	foreign, _ = live.ProcessorTimes([]byte("intr 1\n"), []int{0})
	require.Negative(t, foreign)

	require.Equal(t, 1234*time.Microsecond, live.SomeTotal([]byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 total=9\n")))
	require.Negative(t, live.SomeTotal(nil))
	require.Negative(t, live.SomeTotal([]byte("full avg10=0.00 total=9\n")))
}

// TestCounters reads the kernel's counters for a pass on two of four processors; those that it lacks are negative.
func TestCounters(t *testing.T) {
	const dir = "sys/devices/system/cpu/cpu"
	stat := "cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 10 0 5 900 7 1 2 3 0 0\ncpu1 20 1 5 900 7 0 0 4 0 0\ncpu2 1 0 0 900 0 0 0 9 0 0\ncpu3 1 0 1 900 0 0 0 9 0 0"
	files := map[string]string{"proc/stat": stat, "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9"}
	counters := func() measure.Counters {
		return live.NewBench(context.Background(), tree(t, files)).Counters([]int{0, 1})
	}
	require.Equal(t, measure.Counters{Foreign: 30 * time.Millisecond, Steal: 70 * time.Millisecond, Stall: 1234 * time.Microsecond, Throttled: -1}, counters())
	files[dir+"0/thermal_throttle/core_throttle_count"] = "0"
	files[dir+"1/thermal_throttle/core_throttle_count"] = "3"
	require.EqualValues(t, 3, counters().Throttled, "no count of the package, which does not hide the second core's")
	files[dir+"0/thermal_throttle/package_throttle_count"] = "4"
	files[dir+"1/thermal_throttle/package_throttle_count"] = "4"
	require.EqualValues(t, 11, counters().Throttled)
	clear(files)
	files["proc/version"] = "Linux"
	require.Equal(t, measure.Counters{Foreign: -1, Steal: -1, Stall: -1, Throttled: -1}, counters())
}

// TestPlacement reads both files of this process; the page size is known without numa_maps.
func TestPlacement(t *testing.T) {
	b := make([]byte, 4096)
	at := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	pid := fmt.Sprintf("proc/%d/", os.Getpid())
	files := map[string]string{pid + "smaps": fmt.Sprintf("%x-%x rw-p 00000000 00:00 0 \nRss:  4 kB\nAnonHugePages:  1 kB", at, at+4096)}
	require.Equal(t, measure.Placement{Huge: 0.25}, live.Placement(tree(t, files), b, 1))
	files[pid+"numa_maps"] = fmt.Sprintf("%x bind:1 anon=4 N0=1 N1=3 kernelpagesize_kB=4", at)
	require.Equal(t, measure.Placement{Known: true, Here: 0.75, Huge: 0.25}, live.Placement(tree(t, files), b, 1))
	delete(files, pid+"smaps")
	require.Equal(t, measure.Placement{Known: true, Here: 0.75, Huge: -1}, live.Placement(tree(t, files), b, 1))
	clear(files)
	files["proc/version"] = "Linux"
	require.Equal(t, measure.Placement{Huge: -1}, live.Placement(tree(t, files), b, 1))
}

// TestWork checks a thread's work: a third of its part is 400 KiB per stream, in blocks of 128 KiB of which three
// count; the next pass continues where the last one ended. A chase ends after an eighth of its lines.
func TestWork(t *testing.T) {
	const k = 1 << 10
	streams := make([]byte, 2400*k)
	for i := 0; i < len(streams); i += 8 {
		binary.NativeEndian.PutUint64(streams[i:], math.Float64bits(1))
	}
	work := live.Work(streams, make([]byte, 2048*k))
	pieces := func(next func() int64, n int) (out []int64) {
		for range n {
			out = append(out, next())
		}
		return out
	}
	for _, kind := range []measure.Kind{measure.Read, measure.Triad} {
		require.Equal(t, []int64{384 * k, 384 * k, 384 * k, 48 * k, 384 * k}, pieces(work(kind, 1, 2), 5), kind)
		require.Equal(t, []int64{384 * k, 384 * k, 48 * k}, pieces(work(kind, 1, 2), 3), "it stood behind the first piece")
		require.Equal(t, []int64{384 * k, 384 * k, 384 * k, 48 * k}, pieces(work(kind, 0, 2), 4), "the other thread's place is its own")
		require.Equal(t, []int64{384 * k}, pieces(work(kind, 0, 1), 1), "one thread alone begins anew")
		first, want := math.Float64frombits(binary.NativeEndian.Uint64(streams)), 1.0
		if kind == measure.Triad {
			want = 1.5 // 1 + 0.5 * 1
		}
		require.InDelta(t, want, first, 0, "only Triad writes")
	}
	require.Equal(t, []int64{2048, 2048, 0}, pieces(work(measure.Latency, 0, 1), 3), "32768 lines")
}

// TestBench measures briefly on this machine: there are figures, and the memory is on the node, in huge pages unless
// these are disabled, and released at the end.
func TestBench(t *testing.T) {
	root, err := host.OpenLive()
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	machine := live.Survey(root, "")
	require.NotEmpty(t, machine.Nodes)
	node := machine.Nodes[0]
	if len(node.CPUs) == 0 || node.FreeBytes < 256<<20 {
		t.Skip("the first node has no memory or no processors for us")
	}
	bench := live.NewBench(context.Background(), root)
	mapped := mappings(t)
	m, err := bench.Map(node.ID, node.CPUs, measure.Buffer{Streams: 16 << 20, Chain: 8 << 20})
	require.NoError(t, err)
	if p := m.Placed(); p.Known {
		require.InDelta(t, 1, p.Here, 0.001)
	}
	for _, kind := range figure.Kinds() {
		s, err := bench.Pass(kind, node.CPUs, m, time.Millisecond)
		require.NoError(t, err)
		require.Positive(t, s.Value)
		require.Positive(t, s.CPU)
		require.Positive(t, s.Clock)
	}
	for _, chains := range []int{1, 8} {
		s, err := bench.Load(chains, node.CPUs, m, time.Millisecond)
		require.NoError(t, err)
		require.Positive(t, s.Value)
		require.Positive(t, s.CPU)
	}
	with := []int{node.CPUs[0], 1000} // no machine of the tests has that one
	_, err = bench.Pass(measure.Latency, with, m, time.Millisecond)
	require.NoError(t, err, "a chase has one processor")
	for _, kind := range []measure.Kind{measure.Read, measure.Triad} {
		_, err = bench.Pass(kind, with, m, time.Millisecond)
		require.ErrorContains(t, err, "cannot pin a thread to CPU 1000")
	}
	c := bench.Counters(node.CPUs)
	require.GreaterOrEqual(t, c.Foreign, time.Duration(0))
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "twice is once")
	require.Equal(t, mapped, mappings(t))
	bench.Close()
}

// mappings counts this process's large mappings with a page size hint or a memory policy: those of 24 MiB and more
// that are not Go's.
func mappings(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	return strings.Count(string(text), " hg")
}

// TestBenchEnds checks that an expired context ends a pass, and that a missing CPU is an error that names it.
func TestBenchEnds(t *testing.T) {
	root, err := host.OpenLive()
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	ctx, cancel := context.WithCancel(context.Background())
	bench := live.NewBench(ctx, root)
	defer bench.Close()
	for _, node := range []int{-1, 1024} {
		_, err = bench.Map(node, []int{0}, measure.Buffer{Streams: 4 << 20, Chain: 2 << 20})
		require.EqualError(t, err, fmt.Sprintf("cannot bind memory to node %d: node %d is out of range", node, node))
	}
	_, err = bench.Map(0, []int{1000}, measure.Buffer{Streams: 4 << 20, Chain: 2 << 20})
	require.ErrorContains(t, err, "cannot pin a thread to CPU 1000")
	cancel()
	_, err = bench.Map(0, live.Survey(root, "").Nodes[0].CPUs, measure.Buffer{Streams: 4 << 20, Chain: 2 << 20})
	require.ErrorIs(t, err, context.Canceled)
}
