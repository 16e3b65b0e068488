package host

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
)

const (
	memmapDir   = "/sys/firmware/memmap"
	memoryDir   = "/sys/devices/system/memory"
	maxMapped   = 4096
	maxBlocks   = 1024
	systemRAM   = "System RAM"
	blockPrefix = memoryDir + "/memory"
)

// Memory is what the operating system sees of the memory, in bytes.
type Memory struct {
	Source Source
	// TotalBytes is MemTotal of /proc/meminfo, after kernel reservations.
	TotalBytes Value[int64]
	// CrashBytes is what is kept for a crash kernel (/sys/kernel/kexec_crash_size); MemTotal leaves
	// it out.
	CrashBytes Value[int64]
	// MapBytes is the "System RAM" of firmware's own memory map
	// (/sys/firmware/memmap, the raw e820, not changed by mem=).
	MapBytes Value[int64]
	// BlockSizeBytes is block_size_bytes. Blocks is the number of existing memory blocks in any state.
	BlockSizeBytes Value[int64]
	Blocks         Value[int]
	// OnlineBytes is the sum of the online blocks. It costs one file for each block, so it is read
	// only if MapBytes is not known and there are at most 1,024 blocks; otherwise it is unread.
	OnlineBytes Value[int64]
}

// ReadMemory reads /proc/meminfo, /sys/firmware/memmap and
// /sys/devices/system/memory.
func ReadMemory(root *Root) *Memory {
	r := newReader(root)
	m := &Memory{
		TotalBytes:     r.memTotal("/proc/meminfo", LimitList),
		CrashBytes:     r.number("/sys/kernel/kexec_crash_size"),
		MapBytes:       r.memmap(),
		BlockSizeBytes: r.numberBase(memoryDir+"/block_size_bytes", 16),
	}
	blocks := r.numbered(memoryDir, "memory")
	m.Blocks = derive(blocks, func(b []int) int { return len(b) })
	m.OnlineBytes = r.onlineBytes(m, blocks)
	m.Source = sourceOf("memory", []stater{m.TotalBytes}, m.MapBytes, m.BlockSizeBytes, m.Blocks)
	return m
}

// memmap adds up the ranges of type System RAM, whose ends are inclusive. If one range cannot be
// read, the sum is unknown.
func (r *reader) memmap() Value[int64] {
	entries := r.numbered(memmapDir, "")
	if entries.State != fact.OK {
		return unknownAs[int64](entries)
	}
	if len(entries.V) == 0 || len(entries.V) > maxMapped {
		return malformed[int64](memmapDir, "", fmt.Errorf("%d entries", len(entries.V)))
	}
	var sum int64
	for _, n := range entries.V {
		size := r.mapped(indexed(memmapDir+"/", n, ""))
		if size.State != fact.OK {
			return size
		}
		if sum > math.MaxInt64-size.V {
			return malformed[int64](memmapDir, "", errors.New("the sum of the ranges overflows"))
		}
		sum += size.V
	}
	if sum == 0 {
		return malformed[int64](memmapDir, "", errors.New("no range of System RAM"))
	}
	return known(sum, memmapDir, systemRAM)
}

// mapped returns the size of one range in bytes, 0 if it is not System RAM.
func (r *reader) mapped(dir string) Value[int64] {
	kind := r.text(dir + "/type")
	if kind.State != fact.OK {
		return unknownAs[int64](kind)
	}
	if kind.V != systemRAM {
		return notRAM(kind)
	}
	start, end := r.numberBase(dir+"/start", 0), r.numberBase(dir+"/end", 0)
	switch {
	case start.State != fact.OK:
		return start
	case end.State != fact.OK:
		return end
	case start.V < 0 || end.V < start.V || end.V-start.V == math.MaxInt64:
		return malformed[int64](end.Path, end.Raw, fmt.Errorf("range from %s to %s", start.Raw, end.Raw))
	default:
		return known(end.V-start.V+1, end.Path, end.Raw)
	}
}

// notRAM returns 0 bytes for the other types that the kernel prints (arch/x86/kernel/e820.c). An unknown type
// could be RAM, so the size is then unknown.
func notRAM(kind Value[string]) Value[int64] {
	switch strings.ToLower(kind.V) {
	case "reserved", "device reserved", "soft reserved", "acpi tables", "acpi non-volatile storage", "unusable memory",
		"persistent memory", "persistent memory (legacy)", "unknown e820 type", "ram buffer":
		return known(int64(0), kind.Path, kind.Raw)
	default:
		return malformed[int64](kind.Path, kind.Raw, fmt.Errorf("unknown type of memory %q", kerneltext.Excerpt([]byte(kind.V))))
	}
}

// onlineBytes multiplies the online blocks with their size.
func (r *reader) onlineBytes(m *Memory, blocks Value[[]int]) Value[int64] {
	switch {
	case blocks.State != fact.OK:
		return unknownAs[int64](blocks)
	case m.BlockSizeBytes.State != fact.OK:
		return m.BlockSizeBytes
	case len(blocks.V) == 0 || m.BlockSizeBytes.V <= 0:
		return malformed[int64](memoryDir, "", fmt.Errorf("%d blocks of %d bytes", len(blocks.V), m.BlockSizeBytes.V))
	case m.MapBytes.State == fact.OK || len(blocks.V) > maxBlocks:
		return unknown[int64](&ReadError{Op: "read", Path: memoryDir, State: fact.Unread, Err: ErrSkipped})
	}
	var online int64
	for _, n := range blocks.V {
		state := r.text(indexed(blockPrefix, n, "/state"))
		if state.State != fact.OK {
			return unknownAs[int64](state)
		}
		if state.V == "online" {
			online++
		}
	}
	if online > math.MaxInt64/m.BlockSizeBytes.V {
		return malformed[int64](memoryDir, "", errors.New("the sum of the blocks overflows"))
	}
	return known(online*m.BlockSizeBytes.V, memoryDir, fmt.Sprintf("%d blocks online", online))
}
