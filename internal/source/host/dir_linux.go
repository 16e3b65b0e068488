package host

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

type dirBackend struct {
	fd int
	// live is set if the folder is "/" of the running machine, whose links need no confinement.
	live bool
	// openat2: the kernel can resolve a path beneath a folder. Otherwise every path is resolved here.
	openat2 bool
	// safe[0] and safe[1] are set if DIR/sys and DIR/proc are the kernel's own file systems, which are
	// complete and have no device nodes; on the live machine, if they are not empty.
	safe [2]bool
}

// OpenLive opens the running machine.
func OpenLive() (*Root, error) { return openLive("/") }

func openLive(dir string) (*Root, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, readError("open", dir, err)
	}
	b := &dirBackend{fd: fd, live: true, safe: [2]bool{true, true}}
	// If /sys is empty, missing files do not count as absent.
	for i, tree := range []string{"sys", "proc"} {
		names, _ := b.list(tree) // none if it cannot be listed
		b.safe[i] = len(names) > 0
	}
	return &Root{name: dir, kernel: dir, b: b}, nil
}

// OpenDir opens a machine that is mounted or unpacked below dir, which contains sys, proc or both, directly or below
// one or two leading folders. If DIR/sys is a mounted sysfs, a missing folder is Absent; in an unpacked tree it is
// Unread. Links are followed only inside dir. It returns an error if there is no machine or there are several.
func OpenDir(dir string) (*Root, error) {
	top, err := findMachine(dir)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(top, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, readError("open", top, err)
	}
	r, err := openTop(dir, fd)
	if err == nil && r.b.(*dirBackend).running() {
		r.kernel = top
	}
	return r, err
}

// OpenFolder is OpenDir for an open folder with sys or proc directly in it, so that whoever exchanges the folder meanwhile
// cannot choose what is read. It closes the folder.
func OpenFolder(name string, folder *os.File) (*Root, error) {
	defer func() { _ = folder.Close() }()
	fd, err := unix.Openat(int(folder.Fd()), ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, readError("open", name, err)
	}
	return openTop(name, fd)
}

func openTop(name string, fd int) (*Root, error) {
	b := &dirBackend{fd: fd, openat2: haveOpenat2(fd)}
	b.safe = [2]bool{b.hasMagic("sys", unix.SYSFS_MAGIC), b.hasMagic("proc", unix.PROC_SUPER_MAGIC)}
	r := &Root{name: name, b: b}
	if err := r.loadNotes(maxNotesMemory); err != nil {
		_ = b.close()
		return nil, err
	}
	return r, nil
}

// RunningKernel reports whether dir contains the sysfs of the running kernel, that is, of this machine.
func RunningKernel(dir string) bool {
	fd, err := unix.Open(dir+"/sys", unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	return hasMagic(fd, err, unix.SYSFS_MAGIC)
}

// hasMagic reports whether an open folder, which it closes, is on a file system of this kind.
func hasMagic(fd int, err error, magic int64) bool {
	if err != nil {
		return false
	}
	defer closeFD(fd)
	var st unix.Statfs_t
	return unix.Fstatfs(fd, &st) == nil && int64(st.Type) == magic
}

// haveOpenat2 tries the system call once: kernels before 5.6 answer ENOSYS, old seccomp filters EPERM.
func haveOpenat2(fd int) bool {
	probe, err := unix.Openat2(fd, ".", &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH})
	if err != nil {
		return false
	}
	closeFD(probe)
	return true
}

func (d *dirBackend) running() bool { return d.live || d.safe[0] && d.safe[1] }

func (d *dirBackend) hasMagic(name string, magic int64) bool {
	fd, err := d.openInRoot(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	return hasMagic(fd, err, magic)
}

func (d *dirBackend) close() error { return unix.Close(d.fd) }

func (d *dirBackend) complete(path string) bool {
	switch top, _, _ := strings.Cut(path, "/"); top {
	case "sys":
		return d.safe[0]
	case "proc":
		return d.safe[1]
	default:
		// /dev is never captured completely.
		return d.live
	}
}

func (d *dirBackend) read(dst []byte, path string, limit int) ([]byte, bool, error) {
	if d.live && path == kernelLog[1:] {
		b, err := readKernelLog(d.fd, dst)
		return b, false, err
	}
	fd, err := d.openFile(path)
	if err != nil {
		return dst, false, d.missing(path, err)
	}
	defer closeFD(fd)
	// Files of /proc come in pieces; a short read of any other is the end.
	return readBounded(fd, dst, limit, strings.HasPrefix(path, "proc/"))
}

// openFile opens a file for reading. On the live machine the type is not checked, on a kernel file
// system of another root it is checked after opening. Elsewhere it is checked before anything is
// opened, because just opening a device can do harm (a watchdog, a tape).
func (d *dirBackend) openFile(path string) (int, error) {
	if d.live {
		return d.openInRoot(path, openFlags)
	}
	if d.complete(path) {
		return d.openChecked(path)
	}
	fd, err := d.openInRoot(path, unix.O_PATH|unix.O_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer closeFD(fd)
	if kind, err := kindOf(fd); err != nil || kind != KindFile {
		return -1, errors.Join(ErrNotRegular, err)
	}
	file, err := retry(func() (int, error) {
		return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), openFlags, 0)
	})
	if errors.Is(err, unix.ENOENT) {
		// Our own /proc is not mounted.
		return d.openChecked(path)
	}
	return file, err
}

func (d *dirBackend) openChecked(path string) (int, error) {
	fd, err := d.openInRoot(path, openFlags)
	if err != nil {
		return -1, err
	}
	if kind, err := kindOf(fd); err != nil || kind != KindFile {
		closeFD(fd)
		return -1, errors.Join(ErrNotRegular, err)
	}
	return fd, nil
}

// openInRoot opens a path beneath the root, in one system call if possible. Paths with absolute links or with links that
// seem to leave the root are resolved step by step, which keeps the former inside and refuses the latter.
func (d *dirBackend) openInRoot(path string, flags int) (int, error) {
	if d.live {
		return retry(func() (int, error) { return unix.Openat(d.fd, path, flags, 0) })
	}
	if !d.openat2 {
		return openBeneath(d.fd, path, flags)
	}
	how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := retry(func() (int, error) { return unix.Openat2(d.fd, path, &how) })
	if errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EAGAIN) {
		return openBeneath(d.fd, path, flags)
	}
	return fd, err
}

func (d *dirBackend) list(path string) ([]string, error) {
	fd, err := d.openInRoot(path, openFlags|unix.O_DIRECTORY)
	if err != nil {
		return nil, d.missing(path, err)
	}
	defer closeFD(fd)
	buf := make([]byte, 32<<10)
	var names []string
	for {
		n, err := retry(func() (int, error) { return unix.ReadDirent(fd, buf) })
		if err != nil {
			return nil, err
		}
		if n <= 0 {
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], limitNames, names)
		if len(names) > limitNames {
			return nil, ErrTooLarge
		}
	}
}

func (d *dirBackend) stat(path string) (Kind, error) {
	fd, err := d.openInRoot(path, unix.O_PATH|unix.O_CLOEXEC)
	if err != nil {
		return KindNone, d.missing(path, err)
	}
	defer closeFD(fd)
	return kindOf(fd)
}

func (d *dirBackend) readlink(path string) (string, error) {
	parent, name := splitPath(path)
	fd, err := d.openInRoot(parent, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return "", d.missing(path, err)
	}
	defer closeFD(fd)
	target, err := readlinkAt(fd, name)
	if err != nil {
		return "", d.missing(path, err)
	}
	return target, nil
}

// missing distinguishes "not in the folder" from "folder not captured". In an incomplete tree a missing name is absent
// only if its folder exists outside /proc and the name is not a dangling link.
func (d *dirBackend) missing(path string, err error) error {
	if !errors.Is(err, unix.ENOENT) || d.complete(path) {
		return err
	}
	parent, name := splitPath(path)
	fd, perr := d.openInRoot(parent, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if perr != nil {
		return ErrNotCaptured
	}
	defer closeFD(fd)
	if strings.HasPrefix(path, "proc/") {
		return ErrNotCaptured // people capture single files of /proc
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
		return fmt.Errorf("%w: the link's target is missing", ErrNotCaptured)
	}
	return err
}

// readAt reads registers. The driver's device is opened only if sys and proc are the running kernel's: a
// device below an unpacked tree would return the registers of this machine, not of the other one.
func (d *dirBackend) readAt(path string, cpu int, chunks []registerRead) (plain bool, err error) {
	fd, plain, err := d.openRegisters(path, cpu)
	if err != nil {
		return plain, d.missing(path, err)
	}
	defer closeFD(fd)
	for i := range chunks {
		c := &chunks[i]
		n, err := retry(func() (int, error) { return unix.Pread(fd, c.data[:], c.at) })
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
	probe, err := d.openInRoot(path, unix.O_PATH|unix.O_CLOEXEC)
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
	fd, err = retry(func() (int, error) { return unix.Open("/proc/self/fd/"+strconv.Itoa(probe), openFlags, 0) })
	return fd, plain, err
}

func isRegisters(device uint64, cpu int) error {
	if unix.Major(device) != 202 || // linux include/uapi/linux/major.h, MSR_MAJOR
		unix.Minor(device) != uint32(cpu) {
		return fmt.Errorf("%w: device %d:%d is not the registers of CPU %d", ErrNotRegular, unix.Major(device), unix.Minor(device), cpu)
	}
	return nil
}
