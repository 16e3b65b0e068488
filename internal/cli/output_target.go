package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// target is where an output goes: a path without links, or a descriptor.
type target struct {
	name string
	// is describes what has the name now, nil for nothing.
	is fs.FileInfo
	// descriptor is one of ours that the name stands for, -1 for none.
	descriptor int
}

// maxOutputLinks is the kernel's own bound on links in one path.
const maxOutputLinks = 40

// findTarget follows the links of a path that nobody else can have planted, and
// refuses the others, as the kernel does with fs.protected_symlinks (linux
// Documentation/admin-guide/sysctl/fs.rst), which not every system sets.
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
		next, is, err := followOne(name)
		if err != nil {
			return nil, err
		}
		if next == "" {
			return &target{name: name, is: is, descriptor: -1}, planted(name, is)
		}
		name = next
	}
	return nil, fmt.Errorf("%s: more than %d links", asked, maxOutputLinks)
}

// descriptor reads the names under which a process has its own streams.
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

// followOne replaces the first link of a path by what it names; "" when there is
// none, and then what stands at the path, nil for nothing.
func followOne(name string) (next string, is fs.FileInfo, err error) {
	at, rest := "/", strings.TrimPrefix(name, "/")
	folder, err := os.Lstat(at)
	for err == nil && rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at = filepath.Join(at, part)
		is, err = os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && rest == "":
			return "", nil, nil
		case err != nil:
			return "", nil, err
		case is.Mode().Type() == fs.ModeSymlink:
			return throughLink(at, rest, folder, is)
		}
		folder = is
	}
	return "", is, err
}

// throughLink is the path with the link at its place.
func throughLink(at, rest string, folder, link fs.FileInfo) (string, fs.FileInfo, error) {
	if !trusted(folder, link) {
		return "", nil, fmt.Errorf("%s: is a link in a folder where others may make one, which is not followed, expected a file", at)
	}
	to, err := os.Readlink(at)
	if err != nil {
		return "", nil, err
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(at), to)
	}
	return filepath.Join(to, rest), nil, nil
}

// planted refuses a pipe, socket or device that another user made where all may
// write: its maker would read the report, or keep us waiting.
func planted(name string, is fs.FileInfo) error {
	if is == nil || is.IsDir() || is.Mode().IsRegular() {
		return nil
	}
	folder, err := os.Lstat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if owner, _ := ownerOf(is); folder.Mode().Perm()&0o002 != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s: is a %s that another user made in a folder where all may write, expected a file", name, kindWord(is))
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

// trusted reports whether a link is the doing of root or of the user who asks:
// its folder is theirs, not all may write there, and where a group may, the link
// is theirs too.
func trusted(folder, link fs.FileInfo) bool {
	mode := folder.Mode().Perm()
	return ownedByUser(folder) && mode&0o002 == 0 && (mode&0o020 == 0 || ownedByUser(link))
}

func ownedByUser(is fs.FileInfo) bool {
	owner, _ := ownerOf(is)
	return owner == 0 || owner == os.Geteuid()
}

// ownerOf is a file's owner and group, -1 where the system does not say.
func ownerOf(is fs.FileInfo) (owner, group int) {
	if st, ok := is.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}
