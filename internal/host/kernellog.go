package host

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// KernelLog is what the kernel said at boot and no file shows.
type KernelLog struct {
	// Mirrored is what the EFI memory map marks as more reliable: mirrored
	// memory beside all of it, both in bytes. Absent when the log does not say
	// so, be it that nothing is mirrored or that the log has forgotten.
	Mirrored Value[MirroredMemory]
}

// MirroredMemory is a share of the memory map, in bytes.
type MirroredMemory struct{ Mirrored, All int64 }

// kernelLogOf reads the log where it can tell something: the processor of a
// guest says that it is one.
func kernelLogOf(root *Root, virt *Virt) *KernelLog {
	if virt.HypervisorFlag.V {
		return &KernelLog{unknown[MirroredMemory](&ReadError{Op: "read", Path: kernelLog, State: fact.Refused,
			Err: errors.New("a hypervisor makes up the memory of its guest")})}
	}
	return ReadKernelLog(root)
}

// ReadKernelLog reads the boot's part of the kernel log. In a capture it is a
// plain file of messages.
func ReadKernelLog(root *Root) *KernelLog {
	r := newReader(root)
	b, err := r.bytes(kernelLog, LimitList)
	if err != nil {
		return &KernelLog{unknown[MirroredMemory](err)}
	}
	for line := range bytes.Lines(b) {
		if m, ok := parseMirrored(string(line)); ok {
			return &KernelLog{known(m, kernelLog, strings.TrimSpace(string(line)))}
		}
	}
	return &KernelLog{unknown[MirroredMemory](&ReadError{Op: "parse", Path: kernelLog, State: fact.Absent,
		Err: errors.New("the kernel log does not speak of mirrored memory, or no longer")})}
}

// parseMirrored reads "efi: Memory: 4096M/65536M mirrored memory", also after
// a time stamp.
func parseMirrored(line string) (MirroredMemory, bool) {
	_, rest, ok := strings.Cut(line, mirrored)
	share, tail, found := strings.Cut(rest, " ")
	part, all, slash := strings.Cut(share, "/")
	if !ok || !found || !slash || !strings.HasPrefix(tail, "mirrored memory") {
		return MirroredMemory{}, false
	}
	p, ok1 := mebibytes(part)
	a, ok2 := mebibytes(all)
	return MirroredMemory{p, a}, ok1 && ok2 && p > 0 && p <= a
}

func mebibytes(s string) (int64, bool) {
	digits, ok := strings.CutSuffix(s, "M")
	n, err := strconv.ParseInt(digits, 10, 43)
	return n << 20, ok && err == nil && n >= 0
}
