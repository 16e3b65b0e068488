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

// writeAtomic writes a file beside the target, gives it to the disk and renames
// it. Where there is a device or a pipe it is written to: renaming a file over
// it would take /dev/null from the whole machine. The umask applies to mode,
// and a file that is replaced never becomes readable by more than before.
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

// replace writes the whole file under another name first.
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

// keepRights gives the new file no right that the old one did not have, and our
// own old file's group, for which somebody may have made it readable.
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
			keep = mode & t.is.Mode().Perm() // as it was, whatever the umask of today
		}
	}
	return tmp.Chmod(keep)
}

// writeInto writes to what is there already and is not a file. It is opened without
// waiting: a named pipe that nobody reads would wait for ever.
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

// writeDescriptor writes to a stream that the caller opened for us, where it
// stands: opening it by name again would begin at its start.
func writeDescriptor(fd int, body func(io.Writer) error) error {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fmt.Errorf("descriptor %d: %w", fd, err)
	}
	file := os.NewFile(uintptr(own), fmt.Sprintf("descriptor %d", fd))
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}
