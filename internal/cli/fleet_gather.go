package cli

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/source/host"
)

// Limits for one argument of fleet.
const (
	// maxFleetEntries limits the files, folders, members of archives and lines of lists below it.
	maxFleetEntries = 1 << 18
	maxFleetDepth   = 32
	// maxFleetArchive limits the bytes of an archive of inputs after decompression.
	maxFleetArchive = 4 << 30
)

// gatherer finds the inputs, in order, and passes each to the pool. Only what the user named may name other
// files: a list of paths is accepted only as an argument or on standard input, and nothing outside a folder or
// an archive is read because of its content.
type gatherer struct {
	p    *Program
	pool *auditorPool
	// left is how many more entries the current argument may have.
	left int
}

type inputOrigin int

const (
	// fromArgument is an argument or standard input: it may be a list of paths, and errors may quote it.
	fromArgument inputOrigin = iota
	// fromList is a line of a list, fromFolder a file in a folder.
	fromList
	fromFolder
	// fromArchive is a member of an archive, and must not be an archive of inputs itself.
	fromArchive
)

func (g *gatherer) refuseInput(input string, err error) {
	g.pool.submitInput(input, func(*fleetAuditor) fleetInput { return fleetInput{input: input, refused: err} })
}

func (g *gatherer) countEntry() bool {
	g.left--
	return g.left >= 0
}

func errEntries() error {
	return fmt.Errorf("more than %d files and lines below one argument, expected fewer: divide it", maxFleetEntries)
}

func (g *gatherer) gatherArgument(path string) {
	g.left = maxFleetEntries
	if path != "-" {
		g.gatherPath(path, fromArgument)
		return
	}
	const name = "standard input"
	in := bufio.NewReaderSize(g.p.Stdin, 64<<10)
	var err error
	if head, _ := in.Peek(tarHead); isArchive(head) {
		var f *os.File
		if f, err = spoolInput(in); err == nil {
			g.gatherArchive(name, f, fromArgument)
		}
	} else {
		var data []byte
		if data, err = readAll(in, maxSMBIOSFile); err == nil {
			g.gatherContent(name, data, fromArgument)
		}
	}
	if err != nil {
		g.refuseInput(name, err)
	}
}

func spoolInput(in io.Reader) (*os.File, error) {
	f, err := os.CreateTemp("", "memaudit-fleet-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name())
	n, err := io.Copy(f, io.LimitReader(in, maxFleetArchive+1))
	if err == nil && n > maxFleetArchive {
		err = longerThanError(maxFleetArchive)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (g *gatherer) gatherPath(path string, from inputOrigin) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		g.refuseInput(path, withoutName(err))
	case !st.IsDir():
		g.gatherFile(path, st.Mode(), from, func() (*os.File, error) { return os.OpenFile(path, openFlags, 0) })
	case isMachineTree(os.Lstat, path):
		g.submitTree(path, func() (*host.Root, error) { return host.OpenDir(path) })
	default:
		root, err := os.OpenRoot(path)
		if err != nil {
			g.refuseInput(path, withoutName(err))
			return
		}
		defer func() { _ = root.Close() }()
		g.walkFolder(root, ".", 0)
	}
}

// openFlags open a file without blocking, in case it has become a pipe.
const openFlags = os.O_RDONLY | unix.O_NONBLOCK

func isMachineTree(lstat func(string) (fs.FileInfo, error), path string) bool {
	st, err := lstat(filepath.Join(path, "sys"))
	return err == nil && st.IsDir()
}

// walkFolder reads a folder below the root, which prevents links from leading out of it.
func (g *gatherer) walkFolder(root *os.Root, dir string, depth int) {
	entries, err := readFolder(root, dir, g.left)
	if err == nil && depth > maxFleetDepth {
		err = fmt.Errorf("more than %d folders deep", maxFleetDepth)
	}
	if err != nil {
		g.refuseInput(filepath.Join(root.Name(), dir), withoutName(err))
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if !g.countEntry() {
			g.refuseInput(filepath.Join(root.Name(), dir), errEntries())
			return
		}
		g.gatherEntry(root, filepath.Join(dir, e.Name()), e, depth)
	}
}

func readFolder(root *os.Root, dir string, most int) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > most {
		return nil, errEntries()
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (g *gatherer) gatherEntry(root *os.Root, rel string, e fs.DirEntry, depth int) {
	path := filepath.Join(root.Name(), rel)
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		target, st, err := linkTarget(root, rel)
		switch {
		case err != nil:
			g.refuseInput(path, errors.New("a link that leads out of the folder or to nothing; name its target as an argument"))
			return
		case st.IsDir():
			return // read under its own path
		}
		rel, mode = target, st.Mode()
	}
	switch {
	case !mode.IsDir():
		g.gatherFile(path, mode, fromFolder, func() (*os.File, error) { return root.OpenFile(rel, openFlags, 0) })
	case isMachineTree(root.Lstat, rel):
		folder, err := root.Open(rel) // now, and not by its path later
		if err != nil {
			g.refuseInput(path, withoutName(err))
			return
		}
		g.submitTree(path, func() (*host.Root, error) { return host.OpenFolder(path, folder) })
	default:
		g.walkFolder(root, rel, depth+1)
	}
}

// linkTarget returns the target of a link that stays in the root, also if the link is absolute.
func linkTarget(root *os.Root, rel string) (string, fs.FileInfo, error) {
	if target, err := root.Readlink(rel); err == nil && filepath.IsAbs(target) {
		top, err := filepath.Abs(root.Name())
		if err == nil {
			rel, err = filepath.Rel(top, target)
		}
		if err != nil {
			return "", nil, err
		}
	}
	st, err := root.Stat(rel)
	return rel, st, err
}

// gatherFile reads a file of any kind and opens it only if it is a regular one.
func (g *gatherer) gatherFile(name string, mode fs.FileMode, from inputOrigin, open func() (*os.File, error)) {
	if !mode.IsRegular() {
		g.refuseInput(name, fmt.Errorf("is %s, expected a file or a folder", kindOfFile(mode)))
		return
	}
	f, err := open()
	if err != nil {
		g.refuseInput(name, withoutName(err))
		return
	}
	archive, err := looksLikeArchive(f, name)
	if archive {
		g.gatherArchive(name, f, from) // closes it
		return
	}
	var data []byte
	if err == nil {
		data, err = readAll(f, maxSMBIOSFile)
	}
	if _ = f.Close(); err != nil {
		g.refuseInput(name, withoutName(err))
		return
	}
	g.gatherContent(name, data, from)
}

// looksLikeArchive reports whether a file is to be read as an archive. A file of size 0 is rejected unread: it
// is empty, or one of the kernel's, which may block (/proc/kmsg).
func looksLikeArchive(f *os.File, name string) (bool, error) {
	st, err := f.Stat()
	switch {
	case err != nil:
		return false, err
	case !st.Mode().IsRegular():
		return false, fmt.Errorf("is %s, expected a file or a folder", kindOfFile(st.Mode()))
	case st.Size() == 0:
		return false, errors.New("is empty: its size is 0 bytes")
	}
	head := make([]byte, tarHead)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return isArchive(head[:n]) || isTarName(name), nil
}

func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "no regular file"
	}
}

func isTarName(path string) bool {
	return slices.ContainsFunc([]string{".tar", ".tar.gz", ".tgz", ".tar.bz2"}, func(end string) bool { return strings.HasSuffix(path, end) })
}

func (g *gatherer) submitTree(path string, open func() (*host.Root, error)) {
	g.pool.submitInput(path, func(a *fleetAuditor) fleetInput { return a.auditRoot(path, open) })
}

func (g *gatherer) gatherContent(name string, data []byte, from inputOrigin) {
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		g.refuseInput(name, errors.New("is empty"))
	case isArchive(data) || isTarName(name):
		g.gatherArchive(name, struct {
			io.ReadSeeker
			io.Closer
		}{bytes.NewReader(data), io.NopCloser(nil)}, from)
	case from == fromArgument && trimmed[0] != '{' && isPathList(trimmed):
		g.gatherList(name, trimmed)
	default:
		g.pool.submitInput(name, func(a *fleetAuditor) fleetInput { return a.readContent(name, data, from == fromArgument) })
	}
}

func isPathList(data []byte) bool {
	for line := range strings.Lines(string(data[:min(len(data), 4096)])) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		_, err := os.Stat(line)
		return err == nil
	}
	return false
}

func (g *gatherer) gatherList(name string, data []byte) {
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if !g.countEntry() {
			g.refuseInput(name, errEntries())
			return
		}
		g.gatherPath(string(line), fromList)
	}
}

// gatherArchive reads the capture of one machine, of several, or an archive of inputs. It closes the file.
func (g *gatherer) gatherArchive(name string, in io.ReadSeekCloser, from inputOrigin) {
	capture, machines, err := containsTree(in)
	if _, again := in.Seek(0, io.SeekStart); again != nil {
		capture, err = false, again
	}
	switch {
	case capture && machines < 2:
		g.pool.submitInput(name, func(a *fleetAuditor) fleetInput {
			defer func() { _ = in.Close() }()
			return a.auditRoot(name, func() (*host.Root, error) { return host.OpenCapture(name, in) })
		})
		return
	case capture && from != fromArchive:
		if err = g.submitCaptures(name, in); err == nil {
			_, err = in.Seek(0, io.SeekStart)
		}
		if err == nil {
			err = g.submitMembers(name, in)
		}
	case from != fromArchive:
		err = g.submitMembers(name, in) // also of an archive that is truncated
	case err == nil:
		err = errors.New("an archive in an archive, expected the capture of one machine")
	}
	if err != nil {
		g.refuseInput(name, err)
	}
	_ = in.Close()
}

func (g *gatherer) submitCaptures(name string, in io.Reader) error {
	roots, err := host.OpenCaptures(name, in)
	for _, root := range roots {
		if !g.countEntry() {
			return errEntries()
		}
		g.pool.submitInput(root.Name(), func(a *fleetAuditor) fleetInput {
			return a.auditRoot(root.Name(), func() (*host.Root, error) { return root, nil })
		})
	}
	return err
}

var errFound = errors.New("found")

// containsTree reports whether a member of an archive belongs to a machine's tree, and how many machines' trees it
// has: 0, 1, or 2 for several.
func containsTree(in io.Reader) (tree bool, machines int, err error) {
	folders := map[string]bool{}
	err = host.EachMember(in, maxFleetArchive, func(h *tar.Header, _ io.Reader) error {
		tree = tree || belongsToMachine(h.Name)
		if folder, ok := host.MachineFolder(h.Name); ok {
			folders[folder] = true
		}
		if len(folders) > 1 {
			return errFound
		}
		return nil
	})
	if tree || errors.Is(err, errFound) {
		err = nil // a truncated capture is reported when it is read
	}
	return tree, len(folders), err
}

// belongsToMachine reports whether a member of an archive belongs to a machine: anything in its sys and proc, also below
// one leading folder, or a file of memaudit's captures, which have neither if only SMBIOS was readable.
func belongsToMachine(name string) bool {
	parts := strings.Split(strings.TrimPrefix(name, "./"), "/")
	parts = parts[:min(2, len(parts))]
	_, ok := host.MachineFolder(name)
	return ok || slices.Contains(parts, "sys") || slices.Contains(parts, "proc")
}

func (g *gatherer) submitMembers(path string, in io.Reader) error {
	unpacked := int64(0)
	return host.EachMember(in, maxFleetArchive, func(h *tar.Header, body io.Reader) error {
		if h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader || isHidden(h.Name) || belongsToMachine(h.Name) {
			return nil
		}
		if !g.countEntry() {
			return errEntries()
		}
		name := path + "/" + memberLabel(h.Name)
		switch {
		case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeGNUSparse:
			g.refuseInput(name, errors.New("is a link or a device in an archive, expected a file"))
			return nil
		case h.Size > maxSMBIOSFile:
			g.refuseInput(name, longerThanError(maxSMBIOSFile))
			return nil
		}
		// The holes of a sparse file are not in the archive.
		if unpacked += h.Size; unpacked > maxFleetArchive {
			return fmt.Errorf("more than %d bytes unpacked", int64(maxFleetArchive))
		}
		data, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		g.gatherContent(name, data, fromArchive)
		return nil
	})
}

// isHidden reports whether a member is hidden or in a hidden folder, which is skipped in a folder, too.
func isHidden(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && part != "." && part != ".."
	})
}

// memberLabel returns a member's name for printing, shortened, because a name may have a megabyte.
func memberLabel(name string) string {
	const most = 1 << 10
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "..."
	}
	return strings.TrimPrefix(name, "./")
}

const tarHead = 512

func isArchive(head []byte) bool {
	const at = 257 // offset of the magic in a tar header
	begins := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	return slices.ContainsFunc([]string{"\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"}, begins) ||
		len(head) > at && bytes.HasPrefix(head[at:], []byte("ustar"))
}
