package host

import (
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// msrMajor is the major device number of the kernel's msr driver (linux
// include/uapi/linux/major.h, MSR_MAJOR).
const msrMajor = 202

// errBeyondEnd: a plain file ends before the register.
var errBeyondEnd = fmt.Errorf("%w: the file ends before it", ErrNotCaptured)

// readAt reads registers. The driver's device is opened only if sys and proc beside it are the
// running kernel's: a device below an unpacked tree would give this machine's registers for the
// other machine's.
func (d *dirBackend) readAt(path string, cpu int, chunks []registerRead) (plain bool, err error) {
	fd, plain, err := d.openRegisters(path, cpu)
	if err != nil {
		return plain, d.missing(path, err)
	}
	defer closeFD(fd)
	for i := range chunks {
		c := &chunks[i]
		n, err := preadRetry(fd, c.data[:], c.at)
		switch {
		case err != nil:
			c.err = err
		case n < len(c.data):
			c.err = errBeyondEnd
		}
	}
	return plain, nil
}

// openRegisters checks the type of the file before it opens it, for reading only.
func (d *dirBackend) openRegisters(path string, cpu int) (fd int, plain bool, err error) {
	probe, err := d.locate(path, unix.O_PATH|unix.O_CLOEXEC)
	if err != nil {
		return -1, false, err
	}
	defer closeFD(probe)
	var st unix.Stat_t
	if err := unix.Fstat(probe, &st); err != nil {
		return -1, false, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		plain = !d.live
	case unix.S_IFCHR:
		if err := isRegisters(st.Rdev, cpu); err != nil {
			return -1, false, err
		}
		if !d.running() {
			return -1, false, fmt.Errorf("%w: the device would show the registers of the running machine", ErrNotRegular)
		}
	default:
		return -1, false, ErrNotRegular
	}
	fd, err = openRetry(func() (int, error) { return unix.Open("/proc/self/fd/"+strconv.Itoa(probe), openFlags, 0) })
	return fd, plain, err
}

// isRegisters checks that a device belongs to the msr driver and that its minor number is that of
// the CPU.
func isRegisters(device uint64, cpu int) error {
	if unix.Major(device) != msrMajor || unix.Minor(device) != uint32(cpu) {
		return fmt.Errorf("%w: device %d:%d is not the registers of CPU %d", ErrNotRegular, unix.Major(device), unix.Minor(device), cpu)
	}
	return nil
}

func preadRetry(fd int, b []byte, at int64) (int, error) {
	for {
		n, err := unix.Pread(fd, b, at)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
