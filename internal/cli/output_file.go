package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// writeAtomic writes a temporary file next to the target, syncs it and renames it; a link is replaced, not followed. A device
// or a pipe is written to directly: replacing it would remove /dev/null for the whole machine. The umask applies to mode, and
// a replaced file never becomes readable by more users than before.
func writeAtomic(name string, mode fs.FileMode, body func(io.Writer) error) error {
	if fd, ok := descriptor(name); ok {
		// At its present offset: opening it by name would start at its beginning.
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return fmt.Errorf("descriptor %d: %w", fd, err)
		}
		file := os.NewFile(uintptr(own), fmt.Sprintf("descriptor %d", fd))
		buf := bufio.NewWriter(file)
		return errors.Join(body(buf), buf.Flush(), file.Close())
	}
	old, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && old.Mode().Type() == fs.ModeSymlink: // another user may have made the link
		old = nil
	case err != nil:
		return err
	case old.IsDir():
		return fmt.Errorf("%s: is a folder, expected a file", name)
	case !old.Mode().IsRegular():
		return writeInto(name, old, body)
	}
	return replaceFile(name, old, mode, body)
}

// replaceFile writes the complete file under another name first. The new file gets no permission that the old one did not
// have, and if the old one is ours its group, which may have been chosen for reading it.
func replaceFile(name string, old fs.FileInfo, mode fs.FileMode, body func(io.Writer) error) (err error) {
	other := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:10])
	tmp, err := os.OpenFile(other, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, mode.Perm())
	if err != nil {
		return &fs.PathError{Op: "create", Path: name, Err: withoutName(err)}
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(other)
		}
	}()
	if old != nil {
		st, err := tmp.Stat()
		if err != nil {
			return err
		}
		keep := st.Mode().Perm() & old.Mode().Perm()
		if owner, group := ownerOf(old); owner == os.Geteuid() && tmp.Chown(-1, group) == nil {
			keep = mode & old.Mode().Perm() // as it was, whatever the present umask
		}
		if err := tmp.Chmod(keep); err != nil {
			return err
		}
	}
	buf := bufio.NewWriter(tmp)
	for _, step := range []func() error{func() error { return body(buf) }, buf.Flush, tmp.Sync, tmp.Close, func() error { return os.Rename(other, name) }} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeInto writes to an existing target that is not a regular file. It opens it without blocking, because a named pipe
// without a reader would block forever. Another user's in a folder writable by all is refused: that user could read the
// report, or block the program.
func writeInto(name string, old fs.FileInfo, body func(io.Writer) error) error {
	folder, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if owner, _ := ownerOf(old); folder.Mode().Perm()&0o002 != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s: is a device, socket or named pipe that another user made in a folder where all may write, expected a file", name)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_NOCTTY, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%s: no process reads this pipe or socket", name)
	case err != nil:
		return err
	}
	if st, err := file.Stat(); err != nil || !os.SameFile(st, old) {
		return errors.Join(fmt.Errorf("%s: was replaced while it was opened", name), file.Close())
	}
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}

func descriptor(name string) (int, bool) {
	switch name {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if digits, ok := strings.CutPrefix(name, dir); ok {
			fd, err := strconv.ParseUint(digits, 10, 16)
			return int(fd), err == nil
		}
	}
	return 0, false
}

func ownerOf(is fs.FileInfo) (owner, group int) {
	if st, ok := is.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}
