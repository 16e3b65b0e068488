package host

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
)

// kernelLog is the device of the kernel's log (Documentation/ABI/testing/dev-kmsg). Reading it
// needs CAP_SYSLOG if kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

// readKernelLog reads the running kernel's log up to the end of the boot and keeps only the
// messages that are asked for, because others may name the machine or people. root is the
// descriptor of "/".
func readKernelLog(root int, dst []byte) ([]byte, error) {
	fd, err := openRetry(func() (int, error) { return unix.Openat(root, kernelLog[1:], openFlags, 0) })
	if err != nil {
		return dst, err
	}
	defer closeFD(fd)
	return readRecords(fd, dst)
}

// readRecords reads the log from its device, which gives one record at a time.
func readRecords(fd int, dst []byte) ([]byte, error) {
	record := make([]byte, limitRecord)
	for range limitRecords {
		n, err := unix.Read(fd, record)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EPIPE): // EPIPE: overwritten before it was read
			continue
		case errors.Is(err, unix.EAGAIN), err == nil && n == 0:
			return dst, nil
		case err != nil:
			return dst, err
		}
		priority, message, early := kerneltext.BootMessage(record[:n])
		if !early {
			return dst, nil
		}
		if priority == kerneltext.MirroredPriority && bytes.HasPrefix(message, []byte(kerneltext.MirroredPrefix)) {
			dst = append(append(dst, message...), '\n')
		}
	}
	return dst, nil
}

const (
	// limitRecord is the longest record that the device gives out, limitRecords
	// how many are read at most.
	limitRecord  = 8 << 10
	limitRecords = 1 << 16
)

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
		Err: errors.New("the kernel log does not speak of mirrored memory, or no longer")})}
}
