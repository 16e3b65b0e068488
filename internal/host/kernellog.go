package host

import (
	"bytes"
	"errors"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/kerneltext"
)

// KernelLog is what the kernel said at boot and no file shows.
type KernelLog struct {
	// Mirrored is what the EFI memory map marks as more reliable: mirrored
	// memory beside all of it, both in bytes. Absent when the log does not say
	// so, be it that nothing is mirrored or that the log has forgotten.
	Mirrored Value[kerneltext.MirroredMemory]
}

// kernelLogOf reads the log where it can tell something: the processor of a
// guest says that it is one.
func kernelLogOf(root *Root, virt *Virtualization) *KernelLog {
	if virt.HypervisorFlag.V {
		return &KernelLog{unknown[kerneltext.MirroredMemory](&ReadError{Op: "read", Path: kernelLog, State: fact.Refused,
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
		return &KernelLog{unknown[kerneltext.MirroredMemory](err)}
	}
	for line := range bytes.Lines(b) {
		if m, ok := kerneltext.ParseMirrored(string(line)); ok {
			return &KernelLog{known(m, kernelLog, strings.TrimSpace(string(line)))}
		}
	}
	return &KernelLog{unknown[kerneltext.MirroredMemory](&ReadError{Op: "parse", Path: kernelLog, State: fact.Absent,
		Err: errors.New("the kernel log does not speak of mirrored memory, or no longer")})}
}
