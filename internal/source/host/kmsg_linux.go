package host

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/source/host/kerneltext"
)

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
