package host

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

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
