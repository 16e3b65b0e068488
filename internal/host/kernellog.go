package host

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/fact"
)

// kernelLog is the device of the kernel's log
// (Documentation/ABI/testing/dev-kmsg). Reading it needs CAP_SYSLOG where
// kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

const (
	// limitRecord is the longest record that the device gives out, limitRecords
	// how many are read at most.
	limitRecord  = 8 << 10
	limitRecords = 1 << 16
	// bootTime is how many microseconds after the start of the kernel firmware's
	// memory map is reported at the latest, with much room.
	bootTime = 60_000_000
	// mirrored starts the message about mirrored memory (linux
	// drivers/firmware/efi/efi.c, efi_find_mirror).
	mirrored = "efi: Memory: "
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

// readKernelLog reads the running kernel's log up to the end of the boot and
// keeps the messages asked for: the rest may name the machine or its people.
func (d *dirBackend) readKernelLog(dst []byte) ([]byte, error) {
	fd, err := openRetry(func() (int, error) { return unix.Openat(d.fd, kernelLog[1:], openFlags, 0) })
	if err != nil {
		return dst, err
	}
	defer closeFD(fd)
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
		message, early := bootMessage(record[:n])
		if !early {
			return dst, nil
		}
		if bytes.Contains(message, []byte(mirrored)) {
			dst = append(append(dst, message...), '\n')
		}
	}
	return dst, nil
}

// bootMessage takes the text out of a record "priority,sequence,microseconds,
// flags;text" and says whether it is one of the boot.
func bootMessage(record []byte) (text []byte, early bool) {
	head, text, ok := bytes.Cut(record, []byte(";"))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	fields := bytes.SplitN(head, []byte(","), 4)
	if !ok || len(fields) < 3 {
		return nil, true
	}
	at, err := strconv.ParseInt(string(fields[2]), 10, 64)
	return text, err != nil || at < bootTime
}
