package host

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// walker resolves a path below a root one component at a time. It keeps a descriptor of every
// folder on the way, so that ".." does not rely on the file system.
type walker struct {
	stack []int
	parts []string
	links int
}

// openBeneath opens a path beneath a root, given by its descriptor, without openat2. Absolute links
// start at the root again; ".." above it is ErrLeavesRoot.
func openBeneath(root int, path string, flags int) (int, error) {
	w := walker{stack: []int{root}, parts: strings.Split(path, "/")}
	defer w.returnToRoot()
	for len(w.parts) > 0 {
		part := w.parts[0]
		w.parts = w.parts[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(w.stack) == 1 {
				return -1, ErrLeavesRoot
			}
			w.leaveFolder()
			continue
		}
		fd, done, err := w.resolvePart(part, flags)
		if err != nil || done {
			return fd, err
		}
	}
	// The path ended in "." or "..": open the current folder.
	return unix.Openat(w.topFolder(), ".", flags|unix.O_NOFOLLOW, 0)
}

// resolvePart resolves one component: the target of a link is put before the remaining components, and the
// last component is opened with the caller's flags.
func (w *walker) resolvePart(part string, flags int) (fd int, done bool, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(w.topFolder(), part, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, false, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return -1, false, w.followLink(part)
	}
	if len(w.parts) == 0 {
		fd, err := retry(func() (int, error) { return unix.Openat(w.topFolder(), part, flags|unix.O_NOFOLLOW, 0) })
		return fd, true, err
	}
	fd, err = unix.Openat(w.topFolder(), part, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, false, err
	}
	w.stack = append(w.stack, fd)
	return -1, false, nil
}

func (w *walker) followLink(part string) error {
	if w.links++; w.links > maxLinks {
		return unix.ELOOP
	}
	target, err := readlinkAt(w.topFolder(), part)
	if err != nil {
		return err
	}
	if strings.HasPrefix(target, "/") {
		w.returnToRoot()
	}
	w.parts = append(strings.Split(target, "/"), w.parts...)
	if len(w.parts) > maxParts {
		return unix.ELOOP
	}
	return nil
}

func (w *walker) topFolder() int { return w.stack[len(w.stack)-1] }

func (w *walker) leaveFolder() {
	closeFD(w.topFolder())
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *walker) returnToRoot() {
	for len(w.stack) > 1 {
		w.leaveFolder()
	}
}

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
		n, err := retry(func() (int, error) { return unix.Read(fd, buf) })
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

// retry repeats a call that a signal interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func kindOf(fd int) (Kind, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return KindNone, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return KindFile, nil
	case unix.S_IFDIR:
		return KindDir, nil
	default:
		return KindOther, nil
	}
}
