package live

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// Survey reads what must be known before a measurement. guest names the
// hypervisor of a virtual machine, "" on real hardware.
func Survey(root *host.Root, guest string) *measure.Machine {
	s := &measure.Machine{Guest: guest}
	for _, c := range []struct{ path, is, note string }{
		{"/sys/kernel/mm/transparent_hugepage/enabled", "[never]", "huge pages are switched off: latency is up to twice as long"},
		{cpuDir(0) + "/cpufreq/scaling_governor", "powersave", "the governor is powersave: clocks may be low"},
		{"/proc/sys/kernel/numa_balancing", "1", "NUMA balancing is on; memory that is bound stays where it is"},
	} {
		if b, err := root.ReadFile(c.path); err == nil && slices.Contains(strings.Fields(string(b)), c.is) {
			s.Notes = append(s.Notes, c.note)
		}
	}
	s.Quota, s.MemoryBytes = groupLimits(root)
	cpus, mems := allowedResources(root)
	numa := host.ReadNUMA(root)
	if len(numa.Nodes) == 0 { // a kernel without NUMA
		online, _ := readList(root, "/sys/devices/system/cpu/online")
		s.Nodes = []measure.Node{pickCPUs(root, 0, online, cpus)}
		s.Nodes[0].FreeBytes = freeMemory(root, "/proc/meminfo")
	}
	for i := range numa.Nodes {
		n := pickCPUs(root, numa.Nodes[i].ID, numa.Nodes[i].CPUs.Value, cpus)
		n.FreeBytes = freeMemory(root, fmt.Sprintf("/sys/devices/system/node/node%d/meminfo", n.ID))
		if has := numa.Nodes[i].HasMemory; has.State == fact.OK && !has.Value {
			n.FreeBytes = 0
		}
		n.MemoryBarred = mems != nil && !slices.Contains(mems, n.ID)
		s.Nodes = append(s.Nodes, n)
	}
	for i := range s.Nodes {
		s.Nodes[i].CacheBytes = cacheBytes(root, s.Nodes, s.Nodes[i].Socket)
	}
	return s
}

func pickCPUs(root *host.Root, id int, online, may []int) measure.Node {
	n := measure.Node{ID: id, Socket: -1, FreeBytes: -1}
	done := map[int]bool{}
	for _, cpu := range online {
		if done[cpu] {
			continue
		}
		core := siblingThreads(root, cpu)
		one := -1
		for _, c := range core {
			done[c] = true
			if one < 0 && (may == nil || slices.Contains(may, c)) {
				one = c
			}
		}
		if one < 0 {
			n.Barred = append(n.Barred, cpu)
			continue
		}
		n.CPUs = append(n.CPUs, one)
	}
	if len(online) > 0 {
		if p, ok := readNumber(root, cpuDir(online[0])+"/topology/physical_package_id"); ok && p >= 0 {
			n.Socket = int(p)
		}
	}
	return n
}

// siblingThreads returns the hardware threads of a CPU's core, only the CPU itself if unknown.
func siblingThreads(root *host.Root, cpu int) []int {
	for _, name := range []string{"/topology/core_cpus_list", "/topology/thread_siblings_list"} {
		if l, ok := readList(root, cpuDir(cpu)+name); ok && slices.Contains(l, cpu) {
			return l
		}
	}
	return []int{cpu}
}

func readList(root *host.Root, path string) ([]int, bool) {
	b, err := root.ReadLimit(path, host.LimitList)
	if err != nil {
		return nil, false
	}
	l, err := kerneltext.ParseCPUList(bytes.TrimSpace(b))
	return l, err == nil
}

// freeMemory returns the memory of a meminfo file that the kernel hands out at once, in bytes: what is free, and clean pages of
// files, which it drops. It is -1 if unknown.
func freeMemory(root *host.Root, path string) int64 {
	b, err := root.ReadLimit(path, host.LimitList)
	if err != nil {
		return -1
	}
	free, _, found, err := kerneltext.ParseMeminfo(b, "MemFree")
	if err != nil || !found {
		return -1
	}
	var cached int64
	for key, sign := range map[string]int64{"Active(file)": 1, "Inactive(file)": 1, "Dirty": -1, "Writeback": -1} {
		n, _, found, err := kerneltext.ParseMeminfo(b, key)
		if err != nil || !found {
			return free
		}
		cached += sign * n
	}
	return free + max(0, cached)
}

// allowedResources returns the CPUs and nodes that this process may use, nil if unknown. It reads the file of the main thread,
// which is never pinned.
func allowedResources(root *host.Root) (cpus, mems []int) {
	b, err := root.ReadLimit("/proc/self/status", host.LimitList)
	if err != nil {
		return nil, nil
	}
	for line := range strings.Lines(string(b)) {
		key, text, _ := strings.Cut(line, ":")
		switch l, err := kerneltext.ParseCPUList([]byte(strings.TrimSpace(text))); {
		case err != nil:
		case key == "Cpus_allowed_list":
			cpus = l
		case key == "Mems_allowed_list":
			mems = l
		}
	}
	return cpus, mems
}

// cacheBytes returns the total size of the caches of level 2 and above of a socket's nodes, of all nodes if the
// socket is unknown; 0 if the kernel does not report it.
func cacheBytes(root *host.Root, nodes []measure.Node, socket int) int64 {
	var sum int64
	for i := range nodes {
		if nodes[i].Socket != socket && socket >= 0 {
			continue
		}
		n := coreCaches(root, nodes[i].CPUs)
		if n == 0 && len(nodes[i].CPUs) > 0 {
			return 0
		}
		sum += n
	}
	return sum
}

// coreCaches sums up the distinct caches of level 2 and above of some CPUs: each
// counts with the first of the CPUs that share it.
func coreCaches(root *host.Root, cpus []int) int64 {
	var sum int64
	for at, cpu := range cpus {
		for i := range 8 {
			dir := fmt.Sprintf("%s/cache/index%d/", cpuDir(cpu), i)
			level, ok := readNumber(root, dir+"level")
			if !ok {
				break
			}
			sharers, ok := readList(root, dir+"shared_cpu_list")
			counted := slices.ContainsFunc(cpus[:at], func(before int) bool { return slices.Contains(sharers, before) })
			if level < 2 || !ok || counted || !slices.Contains(sharers, cpu) {
				continue
			}
			b, err := root.ReadFile(dir + "size")
			if err != nil {
				return 0
			}
			size, err := kerneltext.ParseSize(bytes.TrimSpace(b))
			if err != nil {
				return 0
			}
			sum += size
		}
	}
	return sum
}

// limitMaps bounds /proc/self/numa_maps and smaps, which have a paragraph for each of the process's own mappings.
const limitMaps = 4 << 20

// readPlacement reads the placement of the process's memory
// (Documentation/filesystems/proc.rst: smaps; man 5 numa: numa_maps).
func readPlacement(root *host.Root, b []byte, node int) measure.Placement {
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	p := measure.Placement{Huge: -1}
	pid := "/proc/" + strconv.Itoa(os.Getpid())
	if maps, err := root.ReadLimit(pid+"/numa_maps", limitMaps); err == nil {
		p.Here, p.Known = shareOnNode(maps, start, start+uint64(len(b)), node)
	}
	if maps, err := root.ReadLimit(pid+"/smaps", limitMaps); err == nil {
		p.Huge = hugeShare(maps, start, start+uint64(len(b)))
	}
	return p
}

// shareOnNode sums up the pages of the mappings in a range by node. Each line begins
// with the mapping's address and counts pages as N0=1234.
func shareOnNode(maps []byte, start, end uint64, node int) (share float64, known bool) {
	var here, all float64
	for line := range bytes.Lines(maps) {
		address, rest, _ := strings.Cut(string(line), " ")
		at, err := strconv.ParseUint(address, 16, 64)
		if err != nil || at < start || at >= end {
			continue
		}
		words := strings.Fields(rest)
		size := pageSize(words)
		for _, w := range words {
			id, count, found := strings.Cut(strings.TrimPrefix(w, "N"), "=")
			n, err := strconv.ParseFloat(count, 64)
			if !found || w[0] != 'N' || err != nil {
				continue
			}
			all += n * size
			if id == strconv.Itoa(node) {
				here += n * size
			}
		}
	}
	if all == 0 {
		return 0, false
	}
	return here / all, true
}

func pageSize(words []string) float64 {
	for _, w := range words {
		if kb, found := strings.CutPrefix(w, "kernelpagesize_kB="); found {
			if n, err := strconv.ParseFloat(kb, 64); err == nil {
				return n
			}
		}
	}
	return 4
}

// hugeShare returns AnonHugePages divided by Rss of the mappings in a range, -1 if they are missing.
func hugeShare(maps []byte, start, end uint64) float64 {
	var rss, huge float64
	inside := false
	for line := range bytes.Lines(maps) {
		var from, to uint64
		if n, _ := fmt.Sscanf(string(line), "%x-%x ", &from, &to); n == 2 {
			inside = from >= start && from < end
			continue
		}
		key, rest, _ := strings.Cut(string(line), ":")
		kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch n, err := strconv.ParseFloat(kb, 64); {
		case !inside || err != nil:
		case key == "Rss":
			rss += n
		case key == "AnonHugePages":
			huge += n
		}
	}
	if rss == 0 {
		return -1
	}
	return huge / rss
}

// groupLimits reads what the process's control group and those above it allow (Documentation/admin-guide/cgroup-v2.rst;
// cgroup-v1/memory.rst, scheduler/sched-bwc.rst). quota is "" and memory -1 without a limit.
func groupLimits(root *host.Root) (quota string, memory int64) {
	memory = -1
	for _, g := range controlGroups(root) {
		for dir := g.path; ; dir = path.Dir(dir) {
			at := path.Join(g.mount, dir)
			if g.cpu && quota == "" {
				quota = processorQuota(root, at)
			}
			if n, ok := memoryLeft(root, at); g.memory && ok && (memory < 0 || n < memory) {
				memory = n
			}
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return quota, memory
}

type controlGroup struct {
	mount, path string
	cpu, memory bool
}

// controlGroups reads /proc/self/cgroup: lines of number, controllers and path, the second empty in version 2.
func controlGroups(root *host.Root) []controlGroup {
	b, err := root.ReadLimit("/proc/self/cgroup", host.LimitList)
	if err != nil {
		return nil
	}
	var out []controlGroup
	for line := range strings.Lines(string(b)) {
		words := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(words) != 3 || !strings.HasPrefix(words[2], "/") {
			continue
		}
		if words[1] == "" {
			out = append(out, controlGroup{"/sys/fs/cgroup", words[2], true, true})
			continue
		}
		for _, c := range strings.Split(words[1], ",") {
			if c == "cpu" || c == "memory" {
				out = append(out, controlGroup{"/sys/fs/cgroup/" + c, words[2], c == "cpu", c == "memory"})
			}
		}
	}
	return out
}

func processorQuota(root *host.Root, dir string) string {
	if b, err := root.ReadFile(dir + "/cpu.max"); err == nil {
		if text := strings.TrimSpace(string(b)); text != "" && !strings.HasPrefix(text, "max") {
			return "cpu.max is " + text
		}
		return ""
	}
	if n, ok := readNumber(root, dir+"/cpu.cfs_quota_us"); ok && n > 0 {
		return fmt.Sprintf("cpu.cfs_quota_us is %d", n)
	}
	return ""
}

func memoryLeft(root *host.Root, dir string) (int64, bool) {
	for _, names := range [][2]string{{"memory.max", "memory.current"}, {"memory.limit_in_bytes", "memory.usage_in_bytes"}} {
		limit, ok := readNumber(root, dir+"/"+names[0]) // "max" is not a number
		used, known := readNumber(root, dir+"/"+names[1])
		if ok && known && limit < 1<<60 { // which is no limit
			return max(0, limit-used), true
		}
	}
	return 0, false
}
