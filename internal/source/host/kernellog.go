package host

import (
	"bytes"
	"errors"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
)

// kernelLog is the device of the kernel's log (Documentation/ABI/testing/dev-kmsg). Reading it
// needs CAP_SYSLOG if kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

// KernelLog is what the kernel reported at boot and shows in no file.
type KernelLog struct {
	// Mirrored is the memory that the EFI memory map marks as more reliable, and all memory, both
	// in bytes. It is Absent if the log does not say so: nothing is mirrored, or the message is no
	// longer in the log.
	Mirrored Value[kerneltext.MirroredMemory]
}

// kernelLogOf reads the log unless the processor's hypervisor flag says that
// this is a guest.
func kernelLogOf(root *Root, virt *Virtualization) *KernelLog {
	if virt.HypervisorFlag.V {
		return &KernelLog{unknown[kerneltext.MirroredMemory](&ReadError{Op: "read", Path: kernelLog, State: fact.Refused,
			Err: errors.New("a hypervisor makes up the memory of its guest")})}
	}
	return ReadKernelLog(root)
}

// ReadKernelLog reads the messages of the boot. In a capture they are a plain file.
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
		Err: errors.New("the kernel log has no line about mirrored memory, or no longer")})}
}
