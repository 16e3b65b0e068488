package host

import (
	"bytes"
	"errors"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// kernelLog is the device of the kernel's log (Documentation/ABI/testing/dev-kmsg). Reading it
// needs CAP_SYSLOG if kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

// KernelLog is what the kernel reported at boot and shows in no file.
type KernelLog struct {
	// Mirrored is the memory that the EFI memory map marks as more reliable, and all memory, both
	// in bytes. It is Absent if the message is not in the log (any more).
	Mirrored fact.Fact[kerneltext.MirroredMemory]
	// MemoryErrors are those that firmware reported to the kernel (APEI) and that are still in the log, in order. The list may be empty.
	MemoryErrors fact.Fact[[]kerneltext.MemoryError]
	// Messages tell how features of the platform came up and which pages were taken away (kerneltext.Reported). The list may be
	// empty: the log forgets old messages.
	Messages fact.Fact[[]string]
}

func kernelLogOf(root *Root, virt *Virtualization) *KernelLog {
	if virt.HypervisorFlag.Value {
		return noKernelLog(&ReadError{Op: "read", Path: kernelLog, State: fact.Refused, Err: errors.New("a hypervisor makes up the memory of its guest")})
	}
	return ReadKernelLog(root)
}

func noKernelLog(err *ReadError) *KernelLog {
	return &KernelLog{unknown[kerneltext.MirroredMemory](inventory.SourceMemory, err), unknown[[]kerneltext.MemoryError](inventory.SourceKernelLog, err), unknown[[]string](inventory.SourceKernelLog, err)}
}

// ReadKernelLog reads the kernel's messages. In a capture they are a plain file.
func ReadKernelLog(root *Root) *KernelLog {
	r := newReader(root, inventory.SourceKernelLog)
	b, err := r.bytes(kernelLog, limitLog)
	if err != nil {
		return noKernelLog(err)
	}
	out := &KernelLog{MemoryErrors: fact.Known(kerneltext.ParseMemoryErrors(string(b)), fact.Direct, r.at(kernelLog, "")),
		Messages: fact.Known(kerneltext.Messages(string(b)), fact.Direct, r.at(kernelLog, ""))}
	for line := range bytes.Lines(b) {
		if m, ok := kerneltext.ParseMirrored(string(line)); ok {
			out.Mirrored = fact.Known(m, fact.Direct, fact.At(inventory.SourceMemory, kernelLog, strings.TrimSpace(string(line))))
			return out
		}
	}
	out.Mirrored = unknown[kerneltext.MirroredMemory](inventory.SourceMemory, &ReadError{Op: "parse", Path: kernelLog, State: fact.Absent,
		Err: errors.New("the kernel log has no line about mirrored memory, or no longer")})
	return out
}

const limitLog = 4 << 20
