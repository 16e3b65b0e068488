package host

import (
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
	defer func() { w.rewind() }()
	for len(w.parts) > 0 {
		part := w.parts[0]
		w.parts = w.parts[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if err := w.up(); err != nil {
				return -1, err
			}
			continue
		}
		fd, done, err := w.step(part, flags)
		if err != nil || done {
			return fd, err
		}
	}
	// The path ended in "." or "..": open the current folder.
	return unix.Openat(w.top(), ".", flags|unix.O_NOFOLLOW, 0)
}

// step resolves one component: the target of a link is put before the remaining components, and the
// last component is opened with the caller's flags.
func (w *walker) step(part string, flags int) (fd int, done bool, err error) {
	var st unix.Stat_t
	if err := unix.Fstatat(w.top(), part, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return -1, false, err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return -1, false, w.link(part)
	}
	if len(w.parts) == 0 {
		fd, err := openRetry(func() (int, error) { return unix.Openat(w.top(), part, flags|unix.O_NOFOLLOW, 0) })
		return fd, true, err
	}
	fd, err = unix.Openat(w.top(), part, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, false, err
	}
	w.stack = append(w.stack, fd)
	return -1, false, nil
}

func (w *walker) link(part string) error {
	if w.links++; w.links > maxLinks {
		return unix.ELOOP
	}
	target, err := readlinkAt(w.top(), part)
	if err != nil {
		return err
	}
	if strings.HasPrefix(target, "/") {
		w.rewind()
	}
	w.parts = append(strings.Split(target, "/"), w.parts...)
	if len(w.parts) > maxParts {
		return unix.ELOOP
	}
	return nil
}

func (w *walker) top() int { return w.stack[len(w.stack)-1] }

func (w *walker) up() error {
	if len(w.stack) == 1 {
		return ErrLeavesRoot
	}
	closeFD(w.top())
	w.stack = w.stack[:len(w.stack)-1]
	return nil
}

func (w *walker) rewind() {
	for len(w.stack) > 1 {
		_ = w.up()
	}
}
