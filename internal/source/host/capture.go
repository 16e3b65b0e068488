package host

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
)

// Limits for a capture.
const (
	maxStream   = 1 << 30  // bytes after decompression
	minUnpacked = 16 << 20 // above them at most
	maxRatio    = 1000     // times the packed bytes
	// maxKept limits the memory that the kept members take, in bytes. A small archive may take
	// keptAtLeast and keptPerByte for each of its bytes: a capture of a real machine that bzip2
	// packed 70 times smaller than it is in memory takes 6 MB.
	maxKept     = 128 << 20
	keptAtLeast = 48 << 20
	keptPerByte = 32
	maxMembers  = 1 << 20 // members, kept or not
	maxFiles    = 1 << 19 // kept files and folders
	maxDepth    = 32      // slashes in a path
	// maxTarget limits the target of a link, as the kernel does (PATH_MAX).
	maxTarget = 4096
	// maxMember limits one kept file, in bytes; a longer one is cut and Truncated. Only cpuinfo comes near it.
	maxMember = LimitCPUInfo
)

// OpenCaptureFile opens a capture from a named file, which must be a regular file.
func OpenCaptureFile(name string) (*Root, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, readError("open", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &ReadError{Op: "open", Path: name, State: fact.Refused, Err: ErrNotRegular}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, readError("open", name, err)
	}
	defer func() { _ = f.Close() }()
	return OpenCapture(name, f)
}

// OpenCapture reads an archive (.tar, .tar.gz, .tar.bz2, recognised by content) with the sys and proc trees of one
// machine into memory: memaudit's own captures, and those of hwloc-gather-topology, lscpu and ghw. The trees may be
// below up to three leading folders. Files that no audit reads are skipped. An archive that is cut short is Truncated,
// one with several machines or above the limits is Refused, and one without a machine is Malformed.
func OpenCapture(name string, in io.Reader) (*Root, error) {
	l := newLoader()
	return l.buildRoot(name, l.load(in))
}

// OpenCaptures opens an archive with the trees of several machines, each below a separate folder. The
// machines are named after these folders and in their order. Errors are those of OpenCapture.
func OpenCaptures(name string, in io.Reader) ([]*Root, error) {
	l := newLoader()
	if err := l.load(in); err != nil {
		return nil, openError(name, err)
	}
	var out []*Root
	for _, prefix := range slices.Sorted(maps.Keys(l.machines)) {
		r := &Root{name: path.Join(name, prefix), b: l.machines[prefix]}
		if err := r.loadNotes(l.remainingRoom()); err != nil {
			return nil, openError(r.name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// OpenMembers opens a capture from the members of an archive that is not packed.
func OpenMembers(name string, members iter.Seq2[*tar.Header, io.Reader]) (*Root, error) {
	l := newLoader()
	l.packed.n = maxKept // not packed
	for h, body := range members {
		if err := l.readMember(h, body); err != nil {
			return l.buildRoot(name, fmt.Errorf("member %d: %w", l.members, err))
		}
	}
	l.resolveHardLinks()
	return l.buildRoot(name, nil)
}

func (l *loader) buildRoot(name string, err error) (*Root, error) {
	var tree *memTree
	if err == nil {
		tree, err = l.onlyMachine()
	}
	r := &Root{name: name, b: tree}
	if err == nil {
		err = r.loadNotes(l.remainingRoom())
	}
	if err != nil {
		return nil, openError(name, err)
	}
	return r, nil
}

func openError(name string, err error) error {
	state := fact.Malformed
	switch e, known := errors.AsType[*ReadError](err); {
	case known:
		state, err = e.State, e.Err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		state = fact.Truncated
	case errors.Is(err, errBounds), errors.Is(err, errSeveral):
		state = fact.Refused
	case errors.Is(err, os.ErrPermission):
		state = fact.Denied
	}
	return &ReadError{Op: "open", Path: name, State: state, Err: err}
}

var (
	errNoTar   = errors.New("not a complete tar archive")
	errSeveral = errors.New("capture")
)

type loader struct {
	machines map[string]*memTree
	members  int
	// packed counts how much of the archive was read, kept the memory that its members take, in bytes.
	packed *counter
	kept   int64
	// stream and keep are the limits of the bytes unpacked and kept.
	stream, keep int64
	// hard are hard links, which are resolved after all members are loaded.
	hard []hardLink
	// data is the file that is being read.
	data bytes.Buffer
}

func newLoader() *loader {
	return &loader{machines: map[string]*memTree{}, packed: &counter{}, stream: maxStream, keep: maxKept}
}

type hardLink struct {
	tree                 *memTree
	prefix, path, target string
}

func (l *loader) load(in io.Reader) error {
	l.packed = &counter{in: in}
	err := EachMember(l.packed, l.stream, l.readMember)
	if errors.Is(err, errNoTar) {
		return fmt.Errorf("%w; expected a capture that memaudit snapshot wrote", err)
	}
	if err == nil {
		l.resolveHardLinks()
	}
	return err
}

// EachMember calls take for each member of an archive (.tar, .tar.gz, .tar.bz2; the format is detected automatically).
// It returns an error for an archive that is larger than limit bytes after decompression, that is cut short, also
// between two members, or that does not match its checksum. take has then been called for the members before.
func EachMember(in io.Reader, limit int64, take func(h *tar.Header, body io.Reader) error) error {
	packed := &counter{in: in}
	plain, err := decompress(packed)
	if err != nil {
		return err
	}
	tail := &zeroTail{in: &bounded{counter{in: plain}, packed, limit}}
	archive := tar.NewReader(tail)
	for members := 0; ; members++ {
		h, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			zeros := tail.zeros
			switch behind := checkTrailingData(tail.in); {
			case behind != nil:
				return fmt.Errorf("behind the end mark: %w", behind)
			case zeros < endOfArchive:
				return fmt.Errorf("no end mark after %d members: %w", members, io.ErrUnexpectedEOF)
			}
			return nil
		case err == nil:
			err = take(h, archive)
		case members == 0 && !errors.Is(err, errBounds):
			return fmt.Errorf("%w: %w", errNoTar, err)
		}
		if err != nil {
			return fmt.Errorf("member %d: %w", members+1, err)
		}
	}
}

type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded reads what was unpacked up to a limit, and up to a multiple of what it was packed in: bzip2
// packs a gigabyte of zeros in a few hundred bytes.
type bounded struct {
	counter
	packed *counter
	limit  int64
}

func (u *bounded) Read(b []byte) (int, error) {
	limit := min(u.limit, minUnpacked+maxRatio*u.packed.n)
	if u.n >= limit {
		return 0, fmt.Errorf("%w: %d bytes unpacked and more", errBounds, limit)
	}
	return u.counter.Read(b[:min(int64(len(b)), limit-u.n)])
}

// checkTrailingData reads what follows the archive, because only there the decompressor compares its checksums.
// Other bytes that follow the compressed ones do not matter, but another archive would be left out in silence.
func checkTrailingData(in io.Reader) error {
	other := false
	for b := make([]byte, 32<<10); ; {
		n, err := in.Read(b)
		other = other || !allZero(b[:n])
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF) && !errors.Is(err, gzip.ErrHeader):
			return err
		case other:
			return errors.New("another archive or other data, expected one archive")
		default:
			return nil
		}
	}
}

func (l *loader) resolveHardLinks() {
	for _, h := range l.hard {
		// A hard link gets the content of its target if that is a kept file of the same machine, and is refused otherwise.
		node := &memNode{kind: KindOther}
		if name, ok := memberName(h.target); ok {
			if prefix, p, ok := splitMember(name); ok && prefix == h.prefix {
				if target, err := h.tree.find(p, false); err == nil && target.kind == KindFile {
					node = target
				}
			}
		}
		h.tree.addMember(h.path, node)
	}
}

// endOfArchive is the length in bytes of the zero blocks that end a tar archive. The tar reader
// accepts any end between two members as the end of the archive, so an archive that was cut there
// would seem complete and its missing files absent.
const endOfArchive = 1024

type zeroTail struct {
	in    io.Reader
	zeros int
}

func (z *zeroTail) Read(b []byte) (int, error) {
	n, err := z.in.Read(b)
	if tail := n - len(bytes.TrimRight(b[:n], "\x00")); tail == n {
		z.zeros += n
	} else {
		z.zeros = tail
	}
	return n, err
}

func decompress(in io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	magic, err := b.Peek(6)
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%d bytes, a tar archive was expected: %w", len(magic), io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return gzip.NewReader(b)
	case bytes.HasPrefix(magic, []byte("BZh")):
		return bzip2.NewReader(b), nil
	case bytes.Equal(magic, []byte("\xfd7zXZ\x00")):
		return nil, errors.New("compressed with xz; .tar, .tar.gz or .tar.bz2 were expected")
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		return nil, errors.New("compressed with zstd; .tar, .tar.gz or .tar.bz2 were expected")
	default:
		return b, nil
	}
}

func (l *loader) readMember(h *tar.Header, body io.Reader) error {
	if l.members++; l.members > maxMembers {
		return fmt.Errorf("%w: more than %d members", errBounds, maxMembers)
	}
	name, ok := memberName(h.Name)
	if !ok {
		return nil
	}
	prefix, p, ok := splitMember(name)
	if !ok {
		return nil
	}
	tree := l.machineTree(prefix)
	if !isWantedPath(p) || strings.Count(p, "/") >= maxDepth {
		return l.keepBytes(0)
	}
	p = strings.Clone(p) // the header is one text of up to 1 MiB, and p would keep all of it
	target := ""
	if len(h.Linkname) <= maxTarget {
		target = strings.Clone(h.Linkname) // "" for an impossible target
	}
	var err error
	switch h.Typeflag {
	case tar.TypeDir:
		tree.makeFolder(p)
	case tar.TypeReg, tar.TypeGNUSparse:
		err = l.storeFile(tree, p, h.Size, body)
	case tar.TypeSymlink:
		tree.addMember(p, &memNode{kind: KindOther, link: target})
	case tar.TypeLink:
		l.hard = append(l.hard, hardLink{tree, strings.Clone(prefix), p, target})
	default:
		tree.addMember(p, &memNode{kind: KindOther})
	}
	if tree.nodes+len(l.hard) > maxFiles {
		return fmt.Errorf("%w: more than %d files below sys and proc", errBounds, maxFiles)
	}
	added := tree.nodes - tree.counted
	tree.counted = tree.nodes
	return cmp.Or(err, l.keepBytes(len(p)+len(target)+added*nodeBytes))
}

// nodeBytes is about what a file or folder takes in memory besides its name and content.
const nodeBytes = 224

func (l *loader) keepBytes(n int) error {
	l.kept += int64(n)
	if l.remainingRoom() < 0 {
		return fmt.Errorf("%w: its members take more than %d bytes of memory", errBounds, l.keptLimit())
	}
	return nil
}

func (l *loader) keptLimit() int64 { return min(l.keep, keptAtLeast+keptPerByte*l.packed.n) }

func (l *loader) remainingRoom() int64 { return l.keptLimit() - l.kept }

// memberName cleans a name; false if it is empty, too long or points outside of the archive.
func memberName(name string) (string, bool) {
	for strings.HasPrefix(name, "./") {
		name = name[2:]
	}
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/"), "/")
	if name == "" || len(name) > maxParts || strings.Contains(name, "..") && slices.Contains(strings.Split(name, "/"), "..") {
		return "", false
	}
	return path.Clean(name), true
}

// MachineFolder returns the leading folders of the machine that a member of an archive belongs to. ok is
// false for a member that is neither in a machine's trees nor a file of memaudit's own captures.
func MachineFolder(name string) (folder string, ok bool) {
	if name, ok = memberName(name); ok {
		folder, _, ok = splitMember(name)
	}
	return folder, ok
}

func (l *loader) machineTree(prefix string) *memTree {
	tree := l.machines[prefix]
	if tree == nil {
		tree = newMemTree()
		l.machines[strings.Clone(prefix)] = tree
		l.kept += int64(len(prefix) + 2*nodeBytes)
	}
	return tree
}

func (l *loader) storeFile(tree *memTree, p string, size int64, body io.Reader) error {
	most, weight := memberLimits(p)
	keep := min(size, int64(most))
	if err := l.keepBytes(int(keep) * weight); err != nil {
		return err
	}
	// Grown while reading, because a header may state a wrong size.
	l.data.Reset()
	if _, err := l.data.ReadFrom(io.LimitReader(body, keep)); err != nil {
		return err
	}
	if int64(l.data.Len()) < keep {
		return io.ErrUnexpectedEOF
	}
	tree.addMember(p, &memNode{kind: KindFile, data: bytes.Clone(l.data.Bytes()), cut: size > keep})
	return nil
}

// memberLimits returns the longest member that is kept at a path, and how many bytes of memory one byte of it takes: notes and
// inputs are kept and copied to be parsed, and what is parsed of inputs may take ParsedPerByte.
func memberLimits(p string) (most, weight int) {
	switch {
	case p == notesName:
		return limitNotes, 2
	case strings.HasPrefix(p, InputsFolder):
		return LimitInputs, 2 + ParsedPerByte
	default:
		return maxMember, 1
	}
}

// ParsedPerByte is the number of bytes of memory that decoded inputs of a capture may take for each byte
// of their text. Inputs written by memaudit take less than two.
const ParsedPerByte = 4

func (l *loader) onlyMachine() (*memTree, error) {
	switch found := slices.Collect(maps.Keys(l.machines)); len(found) {
	case 0:
		return nil, fmt.Errorf("no sys or proc tree among %d members", l.members)
	case 1:
		return l.machines[found[0]], nil
	default:
		return nil, fmt.Errorf("%w %w", errSeveral, severalMachines(found))
	}
}
