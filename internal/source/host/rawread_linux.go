package host

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// readBounded appends at most limit bytes of the file to dst and reports whether the file is longer. A read
// of a kernel attribute or a file on disk that returns less than a page is at its end; pieces is set for
// files of /proc, which may continue. A read is never larger than the rest plus one byte.
func readBounded(fd int, dst []byte, limit int, pieces bool) ([]byte, bool, error) {
	start := len(dst)
	for {
		room := min(limit+1-(len(dst)-start), 256<<10)
		// The size of a read grows with the file, so that a small file does not need a large buffer.
		dst = slices.Grow(dst, min(room, max(LimitAttribute+1, len(dst)-start)))
		buf := dst[len(dst):min(cap(dst), len(dst)+room)]
		n, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return dst[:start], false, err
		}
		dst = dst[:len(dst)+n]
		if len(dst)-start > limit {
			return dst[:start+limit], true, nil
		}
		if n == 0 || !pieces && n < LimitAttribute {
			return dst, false, nil
		}
	}
}

// readlinkAt reads a link; a target that fills a page is ErrTooLarge.
func readlinkAt(fd int, name string) (string, error) {
	buf := make([]byte, LimitAttribute)
	n, err := unix.Readlinkat(fd, name, buf)
	if err != nil {
		return "", err
	}
	if n == len(buf) {
		return "", ErrTooLarge
	}
	return string(buf[:n]), nil
}

// openFlags never block on a FIFO and never acquire a controlling terminal.
const openFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// closeFD closes a descriptor that was only read from; an error does not matter.
func closeFD(fd int) { _ = unix.Close(fd) }

func openRetry(open func() (int, error)) (int, error) {
	for {
		fd, err := open()
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

func kindOf(fd int) (Kind, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return KindNone, err
	}
	return kindOfMode(st.Mode), nil
}

func kindOfMode(mode uint32) Kind {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindFile
	case unix.S_IFDIR:
		return KindDir
	default:
		return KindOther
	}
}
