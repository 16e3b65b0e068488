package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownWriters returns the users and groups that may change this program's inputs: root, the user who runs it,
// and the one who ran sudo.
func ownWriters() (users, groups []int) {
	users, groups = []int{0, os.Geteuid()}, []int{0, os.Getegid()}
	if uid, err := strconv.Atoi(os.Getenv("SUDO_UID")); err == nil {
		users = append(users, uid)
	}
	if gid, err := strconv.Atoi(os.Getenv("SUDO_GID")); err == nil {
		groups = append(groups, gid)
	}
	return users, groups
}

func foreignOwner(is fs.FileInfo) bool {
	users, _ := ownWriters()
	owner, _ := ownerOf(is)
	return owner >= 0 && !slices.Contains(users, owner)
}

// foreignWriter describes who else can change a file or folder, "" if no one can.
func foreignWriter(is fs.FileInfo) string {
	_, groups := ownWriters()
	owner, group := ownerOf(is)
	mode := is.Mode().Perm()
	switch {
	case foreignOwner(is):
		return fmt.Sprintf("belongs to user %d", owner)
	case mode&0o002 != 0:
		return fmt.Sprintf("all users can write to it (mode %04o)", mode)
	case mode&0o020 != 0 && !slices.Contains(groups, group):
		return fmt.Sprintf("group %d can write to it (mode %04o)", group, mode)
	default:
		return ""
	}
}

// othersCanChange describes how other users can change a file, or replace it, "" if they cannot. They cannot on
// a file system that is mounted read-only, as Kubernetes mounts a ConfigMap in a folder of mode 0777, nor in a
// folder with the sticky bit.
func othersCanChange(name string) string {
	var on unix.Statfs_t
	if unix.Statfs(name, &on) == nil && on.Flags&unix.ST_RDONLY != 0 {
		return ""
	}
	is, err := os.Stat(name)
	if err != nil {
		return "" // reported by the reader
	}
	if why := foreignWriter(is); why != "" {
		return why
	}
	folder := filepath.Dir(name)
	is, err = os.Stat(folder)
	if err != nil || is.Mode()&fs.ModeSticky != 0 {
		return ""
	}
	if why := foreignWriter(is); why != "" {
		return "its folder " + folder + ": " + why
	}
	return ""
}

// checkWriters rejects a configuration or rules that other users can change if root runs the program, as sudo
// and sshd do, and warns otherwise.
func (p *Program) checkWriters(what string, names ...string) error {
	for _, name := range names {
		why := othersCanChange(name)
		if why == "" {
			continue
		}
		if os.Geteuid() == 0 {
			return usageError("%s %s: %s; as root, expected files and folders that only root can change", what, name, why)
		}
		p.warn(fmt.Sprintf("%s %s: %s", what, name, why))
		return nil
	}
	return nil
}

func (p *Program) warn(text string) {
	if p.log != nil {
		p.log.Warn(text)
		return
	}
	_, _ = fmt.Fprintf(p.stderr(), "memaudit: warning: %s\n", text)
}
