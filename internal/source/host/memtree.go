package host

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"syscall"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

type memNode struct {
	kind Kind
	// link is the target of a symbolic link, "" otherwise.
	link string
	data []byte
	// cut: the member was longer than the limit.
	cut bool
	// differs: members of this name differ.
	differs bool
	kids    map[string]*memNode
}

// memTree is a capture in memory. It is not changed after loading.
type memTree struct {
	root *memNode
	// nodes counts what put and folder added, replaced members as well.
	nodes int
	// counted is the number of nodes whose memory was counted.
	counted int
}

func newMemTree() *memTree {
	return &memTree{root: &memNode{kind: KindDir, kids: map[string]*memNode{}}}
}

// addMember adds a member that is not a folder, and creates its folders. Of several members with one name that differ none is
// read: tar takes the last one, and nothing says which is the machine's. Members below a file are dropped, as is a file in
// place of a folder.
func (t *memTree) addMember(path string, n *memNode) {
	parent, name := splitPath(path)
	dir := t.root
	if parent != "." {
		if dir = t.makeFolder(parent); dir == nil {
			return
		}
	}
	switch old := dir.kids[name]; {
	case old == nil:
		dir.kids[name] = n
	case old.kind == KindDir:
		return
	case old.kind != n.kind || old.link != n.link || old.cut != n.cut || !bytes.Equal(old.data, n.data):
		dir.kids[name] = &memNode{kind: KindOther, differs: true} // a new one: a hard link shares its node
	}
	t.nodes++
}

// makeFolder returns the folder at path and creates it; nil if there is a file in its place.
func (t *memTree) makeFolder(path string) *memNode {
	dir := t.root
	for part := range strings.SplitSeq(path, "/") {
		next := dir.kids[part]
		if next == nil {
			next = &memNode{kind: KindDir, kids: map[string]*memNode{}}
			dir.kids[part] = next
			t.nodes++
		}
		if next.kind != KindDir {
			return nil
		}
		dir = next
	}
	return dir
}

// find resolves a path. Links are followed inside the tree only.
func (t *memTree) find(path string, follow bool) (*memNode, error) {
	stack := []*memNode{t.root}
	parts := strings.Split(path, "/")
	links, own := 0, len(parts) // own: how many of the last parts are the caller's
	for len(parts) > 0 {
		part, asked := parts[0], len(parts) <= own
		parts = parts[1:]
		own = min(own, len(parts))
		switch part {
		case "", ".":
			continue
		case "..":
			if len(stack) == 1 {
				return nil, ErrLeavesRoot
			}
			stack = stack[:len(stack)-1]
			continue
		}
		top := stack[len(stack)-1]
		next := top.kids[part]
		switch {
		case top.kind != KindDir:
			return nil, syscall.ENOTDIR
		case next == nil:
			return nil, missingNameError(path, len(parts) == 0, asked)
		case next.differs:
			return nil, ErrDiffers
		case next.link == "" || len(parts) == 0 && !follow:
			stack = append(stack, next)
			continue
		}
		if links++; links > maxLinks || len(parts) > maxParts {
			return nil, syscall.ELOOP
		}
		if strings.HasPrefix(next.link, "/") {
			stack = stack[:1]
		}
		parts = append(strings.Split(next.link, "/"), parts...)
	}
	return stack[len(stack)-1], nil
}

// missingNameError returns the error for a missing name: absent if its folder was captured and the caller requested
// the name itself, otherwise not captured. /proc does not count as captured, because usually only single
// files of it are captured.
func missingNameError(path string, last, asked bool) error {
	switch {
	case last && asked && !strings.HasPrefix(path, "proc/"):
		return syscall.ENOENT
	case last && !asked:
		return fmt.Errorf("%w: the link's target is missing", ErrNotCaptured)
	default:
		return ErrNotCaptured
	}
}

func (t *memTree) read(dst []byte, path string, limit int) ([]byte, bool, error) {
	n, err := t.find(path, true)
	switch {
	case err != nil:
		return dst, false, err
	case n.kind == KindDir:
		return dst, false, syscall.EISDIR
	case n.kind != KindFile:
		return dst, false, ErrNotRegular
	}
	return append(dst, n.data[:min(len(n.data), limit)]...), n.cut || len(n.data) > limit, nil
}

func (t *memTree) list(path string) ([]string, error) {
	n, err := t.find(path, true)
	if err != nil {
		return nil, err
	}
	if n.kind != KindDir {
		return nil, syscall.ENOTDIR
	}
	return slices.Collect(maps.Keys(n.kids)), nil
}

func (t *memTree) stat(path string) (Kind, error) {
	n, err := t.find(path, true)
	if err != nil {
		return KindNone, err
	}
	return n.kind, nil
}

func (t *memTree) readlink(path string) (string, error) {
	n, err := t.find(path, false)
	if err != nil {
		return "", err
	}
	if n.link == "" {
		return "", syscall.EINVAL
	}
	return n.link, nil
}

// complete returns false: a capture contains only what its program selected.
func (t *memTree) complete(string) bool { return false }

func (t *memTree) close() error { return nil }

func (t *memTree) readAt(path string, _ int, chunks []registerRead) (plain bool, err error) {
	n, err := t.find(path, true)
	if err != nil {
		return true, err
	}
	if n.kind != KindFile {
		return true, ErrNotRegular
	}
	for i := range chunks {
		c := &chunks[i]
		if c.at+int64(len(c.data)) > int64(len(n.data)) {
			c.err = errBeyondEnd
			continue
		}
		copy(c.data[:], n.data[c.at:])
	}
	return true, nil
}

// captured are the folders that are kept from an archive: all files that an audit can read are below them.
// Other members (network, processes, most files of PCI devices) are skipped.
var captured = [...]string{
	"sys/devices/system/cpu/", "sys/devices/system/node/", "sys/devices/system/memory/",
	"sys/devices/system/edac/", "sys/devices/system/machinecheck/",
	"sys/devices/virtual/dmi/", "sys/devices/virtual/firmware-attributes/", "sys/devices/virtual/memory_tiering/",
	"sys/devices/virtual/powercap/",
	"sys/devices/cpu_core/", "sys/devices/cpu_atom/", "sys/devices/soc0/",
	"sys/class/dmi/", "sys/class/firmware-attributes/", "sys/class/powercap/",
	"sys/bus/dax/", "sys/bus/cxl/", "sys/bus/nd/", "sys/bus/node/", "sys/bus/edac/", "sys/bus/pci/devices/",
	"sys/firmware/", "sys/hypervisor/", "sys/kernel/mm/", "sys/kernel/kexec_crash_size", "sys/kernel/security/lockdown",
	"sys/module/intel_idle/", "sys/module/processor/", "sys/module/cpuidle/", "sys/module/kvm_intel/", "sys/module/kvm_amd/",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline", "proc/version", "proc/sys/kernel/", "proc/sys/vm/",
	"proc/device-tree/hypervisor/", "proc/driver/nvidia/gpus/", "proc/iomem", "proc/config.gz",
	"sys/class/iommu/", "sys/devices/virtual/misc/kvm/", "dev/cpu/", "dev/cpu_dma_latency", "dev/kmsg",
	notesName, InputsFolder,
}

// linked are parts of the paths of devices to which links from bus folders lead, anywhere below
// sys/devices: DAX, memory controllers, the CXL decoders of the root.
var linked = [...]string{"/dax", "/edac/", "/mc/mc", "/decoder0."}

// InputsFolder holds the inputs of an audit other than the trees, in memaudit's own captures.
const InputsFolder = "memaudit-inputs/"

// LimitInputs is for one file in it, in bytes.
const LimitInputs = 16 << 20

// machineTrees are names below sys, proc and dev that identify a machine in an archive; other folders
// called "sys" have none of them.
var machineTrees = [...]string{
	"sys/devices", "sys/class", "sys/bus", "sys/firmware", "sys/kernel", "sys/hypervisor", "sys/module",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline", "dev/cpu_dma_latency", "dev/kmsg",
}

func isWantedPath(path string) bool {
	folder := path + "/"
	for _, c := range captured {
		if strings.HasPrefix(path, c) || strings.HasPrefix(c, folder) {
			return true
		}
	}
	if strings.HasPrefix(path, "sys/devices/pci") && (strings.HasSuffix(path, "/class") || strings.HasSuffix(path, "/numa_node") || strings.HasSuffix(path, "/vendor")) {
		return true
	}
	return strings.HasPrefix(path, "sys/devices/") && slices.ContainsFunc(linked[:], func(part string) bool { return strings.Contains(path, part) })
}

// splitMember splits a member's name into the machine's leading folders and the path below them. ok
// is false for members that are not in a machine's trees (isMachineTree) and neither notes nor inputs.
func splitMember(name string) (prefix, path string, ok bool) {
	start := 0
	for range 1 + 3 { // leading folders
		rest := name[start:]
		if isMachineTree(rest) || rest == notesName || strings.HasPrefix(rest, InputsFolder) {
			return strings.TrimSuffix(name[:start], "/"), rest, true
		}
		top, _, more := strings.Cut(rest, "/")
		if !more || top == "sys" || top == "proc" {
			return "", "", false
		}
		start += len(top) + 1
	}
	return "", "", false
}

func isMachineTree(path string) bool {
	return slices.ContainsFunc(machineTrees[:], func(t string) bool { return path == t || strings.HasPrefix(path, t+"/") }) ||
		strings.HasPrefix(path, "proc/sys/") || strings.HasPrefix(path, "proc/device-tree/") ||
		strings.HasPrefix(path, "proc/driver/nvidia/") || strings.HasPrefix(path, "dev/cpu/")
}

const (
	memmapDir = "/sys/firmware/memmap"
	memoryDir = "/sys/devices/system/memory"
	systemRAM = "System RAM"
)

// Memory is what the operating system sees of the memory, in bytes.
type Memory struct {
	Source Source
	// TotalBytes is MemTotal of /proc/meminfo, after kernel reservations.
	TotalBytes fact.Fact[int64]
	// CorruptedBytes is HardwareCorrupted there: pages that the kernel took away after errors.
	CorruptedBytes fact.Fact[int64]
	// CrashBytes is what is kept for a crash kernel (/sys/kernel/kexec_crash_size); MemTotal leaves it out.
	CrashBytes fact.Fact[int64]
	// MapBytes is the "System RAM" of firmware's own memory map
	// (/sys/firmware/memmap, the raw e820, not changed by mem=).
	MapBytes fact.Fact[int64]
	// NUMABalancing is /proc/sys/kernel/numa_balancing.
	NUMABalancing fact.Fact[string]
	// BlockSizeBytes is block_size_bytes. Blocks is the number of existing memory blocks in any state.
	BlockSizeBytes fact.Fact[int64]
	Blocks         fact.Fact[int]
	// OnlineBytes is the sum of the online blocks. It costs one file for each block, so it is read
	// only if MapBytes is not known and there are at most 1,024 blocks; otherwise it is unread.
	OnlineBytes fact.Fact[int64]
}

// ReadMemory reads /proc/meminfo, /sys/firmware/memmap and /sys/devices/system/memory.
func ReadMemory(root *Root) *Memory {
	r := newReader(root, inventory.SourceMemory)
	m := &Memory{
		TotalBytes:     r.readMemorySize("/proc/meminfo", LimitList, "MemTotal"),
		CorruptedBytes: r.readMemorySize("/proc/meminfo", LimitList, "HardwareCorrupted"),
		CrashBytes:     r.readNumber("/sys/kernel/kexec_crash_size"),
		MapBytes:       r.sumMemoryMap(),
		NUMABalancing:  r.readText("/proc/sys/kernel/numa_balancing"),
		BlockSizeBytes: r.numberBase(memoryDir+"/block_size_bytes", 16),
	}
	blocks := r.listNumbered(memoryDir, "memory")
	m.Blocks = fact.Convert(blocks, func(b []int) int { return len(b) })
	m.OnlineBytes = r.onlineBytes(m, blocks)
	m.Source = summariseSource("memory", []stater{m.TotalBytes}, m.MapBytes, m.BlockSizeBytes, m.Blocks)
	return m
}

// The ends of ranges are inclusive. If one range cannot be read, the sum is unknown.
func (r *reader) sumMemoryMap() fact.Fact[int64] {
	entries := r.listNumbered(memmapDir, "")
	if entries.State != fact.OK {
		return fact.UnknownFrom[int64](entries)
	}
	if len(entries.Value) == 0 || len(entries.Value) > 4096 {
		return malformedFact[int64](r.evidenceAt(memmapDir, ""), fmt.Errorf("%d entries", len(entries.Value)))
	}
	var sum int64
	for _, n := range entries.Value {
		size := r.mappedBytes(numberedPath(memmapDir+"/", n, ""))
		if size.State != fact.OK {
			return size
		}
		if sum > math.MaxInt64-size.Value {
			return malformedFact[int64](r.evidenceAt(memmapDir, ""), errors.New("the sum of the ranges overflows"))
		}
		sum += size.Value
	}
	if sum == 0 {
		return malformedFact[int64](r.evidenceAt(memmapDir, ""), errors.New("no range of System RAM"))
	}
	return fact.Known(sum, fact.Direct, r.evidenceAt(memmapDir, systemRAM))
}

func (r *reader) mappedBytes(dir string) fact.Fact[int64] {
	kind := r.readText(dir + "/type")
	if kind.State != fact.OK {
		return fact.UnknownFrom[int64](kind)
	}
	if kind.Value != systemRAM {
		// The other types that the kernel prints (arch/x86/kernel/e820.c). An unknown type could be RAM.
		switch strings.ToLower(kind.Value) {
		case "reserved", "device reserved", "soft reserved", "acpi tables", "acpi non-volatile storage", "unusable memory",
			"persistent memory", "persistent memory (legacy)", "unknown e820 type", "ram buffer":
			return fact.Known(int64(0), fact.Direct, kind.From)
		default:
			return malformedFact[int64](kind.From, fmt.Errorf("unknown type of memory %q", kerneltext.Excerpt([]byte(kind.Value))))
		}
	}
	start, end := r.numberBase(dir+"/start", 0), r.numberBase(dir+"/end", 0)
	switch {
	case start.State != fact.OK:
		return start
	case end.State != fact.OK:
		return end
	case start.Value < 0 || end.Value < start.Value || end.Value-start.Value == math.MaxInt64:
		return malformedFact[int64](end.From, fmt.Errorf("range from %s to %s", start.From.Raw, end.From.Raw))
	default:
		return fact.Known(end.Value-start.Value+1, fact.Direct, end.From)
	}
}

func (r *reader) onlineBytes(m *Memory, blocks fact.Fact[[]int]) fact.Fact[int64] {
	switch {
	case blocks.State != fact.OK:
		return fact.UnknownFrom[int64](blocks)
	case m.BlockSizeBytes.State != fact.OK:
		return m.BlockSizeBytes
	case len(blocks.Value) == 0 || m.BlockSizeBytes.Value <= 0:
		return malformedFact[int64](r.evidenceAt(memoryDir, ""), fmt.Errorf("%d blocks of %d bytes", len(blocks.Value), m.BlockSizeBytes.Value))
	case m.MapBytes.State == fact.OK || len(blocks.Value) > 1024:
		return unknownFact[int64](r.source, &ReadError{Op: "read", Path: memoryDir, State: fact.Unread, Err: ErrSkipped})
	}
	var online int64
	for _, n := range blocks.Value {
		state := r.readText(numberedPath(memoryDir+"/memory", n, "/state"))
		if state.State != fact.OK {
			return fact.UnknownFrom[int64](state)
		}
		if state.Value == "online" {
			online++
		}
	}
	if online > math.MaxInt64/m.BlockSizeBytes.Value {
		return malformedFact[int64](r.evidenceAt(memoryDir, ""), errors.New("the sum of the blocks overflows"))
	}
	return fact.Known(online*m.BlockSizeBytes.Value, fact.Direct, r.evidenceAt(memoryDir, fmt.Sprintf("%d blocks online", online)))
}
