package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// target is where an output goes: a name in an open folder, or a descriptor.
type target struct {
	// name is the complete path, for messages.
	name string
	// folder is the open folder and base the name in it, so that replacing a part of the path later does not
	// affect where is written.
	folder *os.File
	base   string
	// is describes the existing file, nil if there is none.
	is fs.FileInfo
	// descriptor is one of this process that the name refers to, -1 for none.
	descriptor int
}

// close closes the folder.
func (t *target) close() {
	if t.folder != nil {
		_ = t.folder.Close()
	}
}

// maxOutputLinks is the kernel's own bound on links in one path.
const maxOutputLinks = 40

// findTarget follows the links of a path that no other user can have planted, and rejects the others, as the
// kernel does with fs.protected_symlinks (linux Documentation/admin-guide/sysctl/fs.rst), which not every
// system sets.
func findTarget(name string) (*target, error) {
	asked := name
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	for range maxOutputLinks {
		if fd, ok := descriptor(name); ok {
			return &target{name: asked, descriptor: fd}, nil
		}
		next, t, err := followOne(name)
		if err != nil {
			return nil, err
		}
		if next == "" {
			if err := t.planted(); err != nil {
				t.close()
				return nil, err
			}
			return t, nil
		}
		name = next
	}
	return nil, fmt.Errorf("%s: more than %d links", asked, maxOutputLinks)
}

// descriptor parses the names of a process's own streams.
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

// followOne opens the folders of a path one after the other. It replaces the first link by its target; if there
// is none, it returns the target.
func followOne(name string) (next string, t *target, err error) {
	at, rest := "/", strings.TrimPrefix(name, "/")
	folder, err := openPart(unix.AT_FDCWD, "/", "/")
	if err != nil {
		return "", nil, err
	}
	for {
		var base string
		base, rest, _ = strings.Cut(rest, "/")
		at = filepath.Join(at, base)
		part, err := openPart(int(folder.Fd()), cmp.Or(base, "."), at)
		if errors.Is(err, fs.ErrNotExist) && rest == "" {
			return "", &target{name: name, folder: folder, base: base, descriptor: -1}, nil
		}
		var is fs.FileInfo
		if err == nil {
			is, err = part.Stat()
		}
		switch {
		case err != nil:
		case is.Mode().Type() == fs.ModeSymlink:
			next, err = throughLink(folder, part, rest, is)
		case rest == "":
			_ = part.Close()
			return "", &target{name: name, folder: folder, base: base, is: is, descriptor: -1}, nil
		case !is.IsDir():
			err = &fs.PathError{Op: "open", Path: at, Err: unix.ENOTDIR}
		}
		_ = folder.Close()
		if err != nil || next != "" {
			_ = part.Close()
			return next, nil, err
		}
		folder = part
	}
}

// openPart opens a name in a folder without following a link, whatever its kind, so that it can be examined and
// entered.
func openPart(folder int, base, path string) (*os.File, error) {
	fd, err := unix.Openat(folder, base, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

// throughLink returns the path with an open link replaced by its target.
func throughLink(folder, link *os.File, rest string, is fs.FileInfo) (string, error) {
	in, err := folder.Stat()
	if err != nil {
		return "", err
	}
	at := link.Name()
	if !trusted(in, is) {
		return "", fmt.Errorf("%s: is a link in a folder where others may make one, which is not followed, expected a file", at)
	}
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(link.Fd()), "", buf)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: at, Err: err}
	}
	to := string(buf[:n])
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(at), to)
	}
	return filepath.Join(to, rest), nil
}

// planted returns an error for a pipe, socket or device of another user in a folder writable by all: that user
// could read the report, or block the program.
func (t *target) planted() error {
	if t.is == nil || t.is.IsDir() || t.is.Mode().IsRegular() {
		return nil
	}
	folder, err := t.folder.Stat()
	if err != nil {
		return err
	}
	if owner, _ := ownerOf(t.is); folder.Mode().Perm()&0o002 != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s: is a %s that another user made in a folder where all may write, expected a file", t.name, kindWord(t.is))
	}
	return nil
}

func kindWord(is fs.FileInfo) string {
	switch is.Mode().Type() &^ fs.ModeCharDevice {
	case fs.ModeNamedPipe:
		return "named pipe"
	case fs.ModeSocket:
		return "socket"
	default:
		return "device"
	}
}

// trusted reports whether a link was created by root or the user: its folder is theirs and not writable by all,
// and if it is writable by a group, the link is theirs, too.
func trusted(folder, link fs.FileInfo) bool {
	mode := folder.Mode().Perm()
	return ownedByUser(folder) && mode&0o002 == 0 && (mode&0o020 == 0 || ownedByUser(link))
}

func ownedByUser(is fs.FileInfo) bool {
	owner, _ := ownerOf(is)
	return owner == 0 || owner == os.Geteuid()
}

// ownerOf returns a file's owner and group, -1 if the system does not report it.
func ownerOf(is fs.FileInfo) (owner, group int) {
	if st, ok := is.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}
