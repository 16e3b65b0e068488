package host

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// readKernelLog reads the running kernel's log and keeps only the messages that an audit needs, because
// others may contain names of machines and people. root is the descriptor of "/".
func readKernelLog(root int, dst []byte) ([]byte, error) {
	fd, err := retry(func() (int, error) { return unix.Openat(root, kernelLog[1:], openFlags, 0) })
	if err != nil {
		return dst, err
	}
	defer closeFD(fd)
	return readRecords(fd, dst)
}

func readRecords(fd int, dst []byte) ([]byte, error) {
	record := make([]byte, 8<<10) // the longest that the device gives out
	for range 1 << 16 {
		n, err := unix.Read(fd, record)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EPIPE): // EPIPE: overwritten before it was read
			continue
		case errors.Is(err, unix.EAGAIN), err == nil && n == 0:
			return dst, nil
		case err != nil:
			return dst, err
		}
		priority, at, message := kerneltext.SplitRecord(record[:n])
		switch _, text, ofMemory := kerneltext.HardwareError(string(message)); {
		case len(dst) > 1<<20: // some thousand memory errors
			return dst, nil
		case priority == kerneltext.MirroredPriority && at < kerneltext.BootTime && bytes.HasPrefix(message, []byte(kerneltext.MirroredPrefix)):
			dst = append(append(dst, message...), '\n')
		case priority >= 0 && priority <= kerneltext.KernelPriorities && (ofMemory && text != "" || kerneltext.IsReported(string(message))):
			dst = fmt.Appendf(dst, "%d,0,%d,-;%s\n", priority, at, message)
		}
	}
	return dst, nil
}
