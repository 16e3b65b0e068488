package host

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// kernelLog is the device of the kernel's log
// (Documentation/ABI/testing/dev-kmsg). Reading it needs CAP_SYSLOG where
// kernel.dmesg_restrict is set.
const kernelLog = "/dev/kmsg"

// readKernelLog reads the running kernel's log, below the descriptor of "/", up to
// the end of the boot and keeps the messages asked for: the rest may name the machine or its people.
func readKernelLog(root int, dst []byte) ([]byte, error) {
	fd, err := openRetry(func() (int, error) { return unix.Openat(root, kernelLog[1:], openFlags, 0) })
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
