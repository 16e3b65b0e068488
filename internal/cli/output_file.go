package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// writeAtomic writes a temporary file next to the target, syncs it and renames it. A device or a pipe is
// written to directly: replacing it would remove /dev/null for the whole machine. The umask applies to mode,
// and a replaced file never becomes readable by more users than before.
func writeAtomic(name string, mode fs.FileMode, body func(io.Writer) error) error {
	t, err := findTarget(name)
	if err != nil {
		return err
	}
	defer t.close()
	switch {
	case t.descriptor >= 0:
		return writeDescriptor(t.descriptor, body)
	case t.is != nil && t.is.IsDir():
		return fmt.Errorf("%s: is a folder, expected a file", name)
	case t.is != nil && !t.is.Mode().IsRegular():
		return writeInto(t, body)
	default:
		return t.replace(mode, body)
	}
}

// replace writes the complete file under another name first.
func (t *target) replace(mode fs.FileMode, body func(io.Writer) error) (err error) {
	folder, other := int(t.folder.Fd()), "."+t.base+"."+rand.Text()[:10]
	fd, err := unix.Openat(folder, other, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return &fs.PathError{Op: "create", Path: t.name, Err: err}
	}
	tmp := os.NewFile(uintptr(fd), t.name)
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = unix.Unlinkat(folder, other, 0)
		}
	}()
	if err = t.keepRights(tmp, mode); err != nil {
		return err
	}
	buf := bufio.NewWriter(tmp)
	for _, step := range []func() error{func() error { return body(buf) }, buf.Flush, tmp.Sync, tmp.Close} {
		if err = step(); err != nil {
			return err
		}
	}
	if err = unix.Renameat(folder, other, folder, t.base); err != nil {
		return &fs.PathError{Op: "rename", Path: t.name, Err: err}
	}
	return nil
}

// keepRights gives the new file no permission that the old one did not have, and if the old one is ours its
// group, which may have been chosen for reading it.
func (t *target) keepRights(tmp *os.File, mode fs.FileMode) error {
	if t.is == nil {
		return nil
	}
	st, err := tmp.Stat()
	if err != nil {
		return err
	}
	keep := st.Mode().Perm() & t.is.Mode().Perm()
	if owner, group := ownerOf(t.is); owner == os.Geteuid() {
		if tmp.Chown(-1, group) == nil {
			keep = mode & t.is.Mode().Perm() // as it was, whatever the present umask
		}
	}
	return tmp.Chmod(keep)
}

// writeInto writes to an existing target that is not a regular file. It opens it without blocking, because a
// named pipe without a reader would block forever.
func writeInto(t *target, body func(io.Writer) error) error {
	fd, err := unix.Openat(int(t.folder.Fd()), t.base, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%s: no process reads this pipe or socket", t.name)
	case err != nil:
		return &fs.PathError{Op: "open", Path: t.name, Err: err}
	}
	file := os.NewFile(uintptr(fd), t.name)
	if st, err := file.Stat(); err != nil || !os.SameFile(st, t.is) {
		return errors.Join(fmt.Errorf("%s: was replaced while it was opened", t.name), file.Close())
	}
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}

// writeDescriptor writes to a descriptor that the caller opened, at its present offset: opening it by name
// would start at its beginning.
func writeDescriptor(fd int, body func(io.Writer) error) error {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fmt.Errorf("descriptor %d: %w", fd, err)
	}
	file := os.NewFile(uintptr(own), fmt.Sprintf("descriptor %d", fd))
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}
