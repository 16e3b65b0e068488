// Package host reads processors, memory and their settings from /sys and /proc of a Linux kernel: of the
// live machine, of a machine mounted or unpacked in a folder, or of a capture archive.
//
// A Root reads single files and folders with a limit on their size. A reader such as ReadNUMA returns values
// with the file that they come from, or the reason why they are unknown. Absent, denied, refused, cut short,
// malformed and not captured are six different states, and none of them is a value. docs/threat-model.md
// lists attacks by a hostile tree and the limits that stop them.
package host

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// backend holds a tree. Paths are clean and relative to the root, without a leading slash. Errors
// are plain causes; ENOENT means that the tree has the folder and the name is not in it.
type backend interface {
	// read appends at most limit bytes to dst; more is set if the file is longer.
	read(dst []byte, path string, limit int) (out []byte, more bool, err error)
	list(path string) ([]string, error)
	stat(path string) (Kind, error)
	readlink(path string) (string, error)
	// readAt fills chunks from a CPU's register file, each with its bytes or its error. plain is set if it
	// is an ordinary file, not the driver's device, and the root is not the live "/".
	readAt(path string, cpu int, chunks []registerRead) (plain bool, err error)
	// complete reports whether the tree is complete at this path. A missing folder is then absent and not just
	// missing from the capture.
	complete(path string) bool
	close() error
}

// registerRead is one register: 8 bytes of a file at an offset, or why they were not read.
type registerRead struct {
	at   int64
	data [8]byte
	err  error
}

var errBeyondEnd = fmt.Errorf("%w: the file ends before it", ErrNotCaptured)

// maxLinks is the kernel's own limit for links in one path.
const maxLinks = 40

// maxParts limits the components of a path after all its links were expanded, and the bytes of a
// member's name in an archive.
const maxParts = 4096

// Root is the machine below a folder: "/" of the live system, a tree mounted or unpacked elsewhere, or a capture in
// memory. Its methods may be called concurrently. Paths are absolute within the root: "/sys/...".
type Root struct {
	name   string
	kernel string
	b      backend
	notes  notes

	mu sync.Mutex
	// observe is called for every question.
	observe func(Access)
	masked  sync.Once
	maskErr error
}

// Access is one question put to a Root and its answer.
type Access struct {
	// Op is "read", "head" (only the beginning was wanted), "list", "stat", "readlink" or "msr".
	Op, Path string
	State    fact.State
	// Err is the failure; nil when State is OK.
	Err *ReadError
	// Data are the bytes read, or the target of a link.
	Data []byte
	// Names are the entries of a folder, in any order.
	Names []string
	// Kind is what "stat" found.
	Kind Kind
	// Register and Value are those of "msr".
	Register uint32
	Value    uint64
}

// Name returns what was opened: "/", a folder or the name of a file.
func (r *Root) Name() string { return r.name }

// KernelFolder returns the folder below which sys and proc are the kernel's own file systems, "" for captures and
// unpacked trees. Only such a folder may be given to a library that follows links and reads without limits.
func (r *Root) KernelFolder() string { return r.kernel }

// Redacted reports whether serial numbers and UUIDs in the capture were replaced with hashes. Equal ones are
// still equal.
func (r *Root) Redacted() bool { return r.notes.redacted }

// Close releases the descriptors.
func (r *Root) Close() error { return r.b.close() }

// watch has f called for every later question, one at a time; nil ends that. Data is valid only during the call.
func (r *Root) watch(f func(Access)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.observe = f
}

func (r *Root) reportAccess(a Access) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.observe != nil {
		r.observe(a)
	}
}

// ReadFile reads a complete file of at most LimitAttribute bytes. Errors are those of ReadLimit.
func (r *Root) ReadFile(path string) ([]byte, error) {
	return r.ReadLimit(path, LimitAttribute)
}

// ReadLimit reads a complete file of at most limit bytes. For a longer one it returns the first limit
// bytes and a ReadError with State Truncated.
func (r *Root) ReadLimit(path string, limit int) ([]byte, error) {
	b, err := r.appendFile(nil, "read", path, limit)
	return b, asError(err)
}

// appendFile reads a file into the caller's buffer, which it overwrites; op is "head" if only its beginning is wanted. With an
// error it returns bytes only if the State is Truncated.
func (r *Root) appendFile(dst []byte, op, path string, limit int) ([]byte, *ReadError) {
	rel, err := relativePath(path)
	var out []byte
	more := false
	noted := r.notes.answers[query{op: op, path: path}].Err
	if err == nil && (noted == nil || noted.State == fact.Truncated) {
		out, more, err = r.b.read(dst[:0], rel, limit)
	}
	var e *ReadError
	switch {
	case noted != nil && (noted.State != fact.Truncated || err == nil && !more):
		e = noted
	case err != nil:
		e = r.explainError("read", path, err)
		out = nil
	case more, r.notes.states[path] == fact.Truncated:
		e = &ReadError{Op: "read", Path: path, State: fact.Truncated, Err: ErrTooLarge}
	}
	r.reportAccess(Access{Op: op, Path: path, State: stateOf(e), Err: e, Data: out})
	return out, e
}

// ask puts a question to the notes or, if they do not answer it, to the tree by get.
func (r *Root) ask(op, path string, explain func(op, path string, err error) *ReadError, get func(rel string, a *Access) error) Access {
	a, noted := r.notes.answers[query{op: op, path: path}]
	if !noted {
		a = Access{Op: op, Path: path, State: fact.OK}
		rel, err := relativePath(path)
		if err == nil {
			err = get(rel, &a)
		}
		if err != nil {
			a.Err = explain(op, path, err)
			a.State = a.Err.State
		}
	}
	r.reportAccess(a)
	return a
}

// readDir lists the names in a folder in any order. A folder that is not in a capture is Unread, never empty.
func (r *Root) readDir(path string) ([]string, *ReadError) {
	a := r.ask("list", path, r.explainFolder, func(rel string, a *Access) (err error) {
		a.Names, err = r.b.list(rel)
		return err
	})
	return a.Names, a.Err
}

// Stat returns the kind of a file, after following links. In an incomplete root a missing name in a
// captured folder is Absent, but in /proc Unread; readDir is stricter about folders.
func (r *Root) Stat(path string) (Kind, error) {
	a := r.ask("stat", path, r.explainError, func(rel string, a *Access) (err error) {
		a.Kind, err = r.b.stat(rel)
		return err
	})
	return a.Kind, asError(a.Err)
}

// Readlink returns the target of a symbolic link as written.
func (r *Root) Readlink(path string) (string, error) {
	a := r.ask("readlink", path, r.explainError, func(rel string, a *Access) error {
		target, err := r.b.readlink(rel)
		a.Data = []byte(target)
		return err
	})
	return string(a.Data), asError(a.Err)
}

// explainError converts a cause to a ReadError. The notes of the capture take precedence over a missing file. A
// missing file in a masked /sys/firmware is Denied.
func (r *Root) explainError(op, path string, err error) *ReadError {
	e := readError(op, path, err)
	if s, ok := r.notes.states[path]; ok && s != e.State && (e.State == fact.Absent || e.State == fact.Unread) {
		e = &ReadError{Op: op, Path: path, State: s, Err: errors.New("as the capture notes")}
	}
	if (e.State == fact.Absent || e.State == fact.Unread) && strings.HasPrefix(path, "/sys/firmware/") {
		if masked := r.firmwareMasked(); masked != nil {
			e = &ReadError{Op: op, Path: path, State: fact.Denied, Err: masked}
		}
	}
	return e
}

// A folder is absent only if the tree is complete or the notes list it as absent.
func (r *Root) explainFolder(op, path string, err error) *ReadError {
	e := readError(op, path, err)
	if e.State == fact.Absent && !r.b.complete(path[1:]) {
		e = &ReadError{Op: op, Path: path, State: fact.Unread, Err: ErrNotCaptured}
	}
	return r.explainError(op, path, e)
}

// isConclusive reports whether a missing or empty folder is conclusive: the tree is complete, or the notes list
// the folder's entries.
func (r *Root) isConclusive(path string) bool {
	return r.notes.complete[path] || r.b.complete(path[1:])
}

// firmwareMasked returns ErrMasked if /sys/firmware is an empty folder in an otherwise complete tree, as OCI
// runtimes mask it by default, or if the notes list it as denied.
func (r *Root) firmwareMasked() error {
	r.masked.Do(func() {
		if r.notes.states["/sys/firmware"] == fact.Denied {
			r.maskErr = ErrMasked
			return
		}
		if !r.b.complete("sys/firmware") {
			return
		}
		if names, err := r.b.list("sys/firmware"); err == nil && len(names) == 0 {
			r.maskErr = ErrMasked
		}
	})
	return r.maskErr
}

func stateOf(e *ReadError) fact.State {
	if e == nil {
		return fact.OK
	}
	return e.State
}

// asError returns nil of type error for no error.
func asError(e *ReadError) error {
	if e == nil {
		return nil
	}
	return e
}

// Only clean absolute paths are accepted, so no path can lead out of the root.
func relativePath(path string) (string, error) {
	if len(path) < 2 || path[0] != '/' || strings.Contains(path, "\x00") {
		return "", errors.New("not an absolute path below the root")
	}
	for part := range strings.SplitSeq(path[1:], "/") {
		if part == "" || part == "." || part == ".." {
			return "", errors.New("not a clean path")
		}
	}
	return path[1:], nil
}

func splitPath(path string) (parent, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return ".", path
}

// maxCPUs is Linux's own limit (NR_CPUS_RANGE_END in arch/x86/Kconfig; other architectures have less). A package is at least
// one of its nodes, of which it has at most 1,024 (NODES_SHIFT is at most 10, arch/x86/Kconfig).
const maxCPUs = 1 << 13

// ErrOversized is returned if the tree describes more than any machine has.
var ErrOversized = errors.New("more than any machine has")

// CheckSize refuses a tree that describes more than any machine has: the cost of an audit grows
// with the numbers of processors and nodes.
func CheckSize(root *Root) error {
	r := newReader(root, inventory.SourceNUMA)
	online := r.onlineCPUs()
	if n := len(online.Value); n > maxCPUs {
		return oversizedError(online.From.Path, n, "processors online", maxCPUs)
	}
	if nodes := r.listNumbered(nodeDir, "node"); len(nodes.Value) > maxNodes {
		return oversizedError(nodes.From.Path, len(nodes.Value), "memory nodes", maxNodes)
	}
	if len(online.Value) <= maxNodes {
		return nil
	}
	if packages := r.readPackages(online.Value); len(packages.Value) > maxNodes {
		return oversizedError(packages.From.Path, len(packages.Value), "processor packages", maxNodes)
	}
	return nil
}

func oversizedError(path string, n int, what string, most int) error {
	return &ReadError{Op: "read", Path: path, State: fact.Refused, Err: fmt.Errorf("%w: %d %s, at most %d are read", ErrOversized, n, what, most)}
}
