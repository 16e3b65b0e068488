package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/source/host/kerneltext"
)

// reader reads from a root into one shared buffer. It must not be used concurrently.
type reader struct {
	root *Root
	// source is the source of all facts that it reads.
	source string
	buf    []byte
}

func newReader(root *Root, source string) *reader {
	return &reader{root: root, source: source, buf: make([]byte, 0, 2*LimitAttribute)}
}

func (r *reader) evidenceAt(path, raw string) fact.Evidence { return fact.At(r.source, path, raw) }

// readBytes reads a file into the shared buffer; the result is valid until the next call.
func (r *reader) readBytes(path string, limit int) ([]byte, *ReadError) {
	b, err := r.root.appendFile(r.buf, "read", path, limit)
	if cap(b) > cap(r.buf) {
		r.buf = b[:0]
	}
	return b, err
}

// readLine reads an attribute of one line and trims it. An empty file is Truncated: the kernel prints
// at least the end of the line, but captures of unreadable files contain empty ones.
func (r *reader) readLine(path string, limit int) ([]byte, *ReadError) {
	b, err := r.readBytes(path, limit)
	if err != nil {
		return nil, err
	}
	if allZero(b) {
		return nil, &ReadError{Op: "read", Path: path, State: fact.Truncated, Err: ErrEmpty}
	}
	return kerneltext.Trim(b), nil
}

func allZero(b []byte) bool {
	return len(bytes.TrimLeft(b, "\x00")) == 0
}

// readText reads a string; an empty line is Unstated.
func (r *reader) readText(path string) fact.Fact[string] {
	b, err := r.readLine(path, LimitAttribute)
	if err != nil {
		return unknownFact[string](r.source, err)
	}
	if len(b) == 0 {
		return unknownFact[string](r.source, &ReadError{Op: "read", Path: path, State: fact.Unstated, Err: ErrUnstated})
	}
	if bytes.Contains(b, []byte{0}) {
		return malformedFact[string](r.evidenceAt(path, ""), errors.New("text with NUL bytes"))
	}
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	return fact.Known(s, fact.Direct, r.evidenceAt(path, s))
}

// parsedText reads what parse makes of a string.
func parsedText[T any](r *reader, path string, parse func(string) (T, error)) fact.Fact[T] {
	text := r.readText(path)
	if text.State != fact.OK {
		return fact.UnknownFrom[T](text)
	}
	v, err := parse(text.Value)
	if err != nil {
		return malformedFact[T](text.From, err)
	}
	return fact.Known(v, fact.Direct, text.From)
}

func (r *reader) readNumber(path string) fact.Fact[int64] { return r.numberBase(path, 10) }

// numberBase reads an integer in a base; base 0 accepts hexadecimal with 0x.
func (r *reader) numberBase(path string, base int) fact.Fact[int64] {
	b, err := r.readLine(path, LimitAttribute)
	if err != nil {
		return unknownFact[int64](r.source, err)
	}
	raw := string(kerneltext.Excerpt(b))
	n, perr := strconv.ParseInt(string(b), base, 64)
	if perr != nil {
		return malformedFact[int64](r.evidenceAt(path, raw), fmt.Errorf("%q is not a number", raw))
	}
	return fact.Known(n, fact.Direct, r.evidenceAt(path, raw))
}

func (r *reader) readCPUList(path string) fact.Fact[[]int] {
	return r.readNumbers(path, kerneltext.ParseCPUList)
}

func (r *reader) readCPUMask(path string) fact.Fact[[]int] {
	return r.readNumbers(path, kerneltext.ParseCPUMask)
}

func (r *reader) readNumbers(path string, parse func([]byte) ([]int, error)) fact.Fact[[]int] {
	b, err := r.readLine(path, LimitList)
	if err != nil {
		return unknownFact[[]int](r.source, err)
	}
	list, perr := parse(b)
	if perr != nil {
		return malformedFact[[]int](r.evidenceAt(path, string(kerneltext.Excerpt(b))), perr)
	}
	if list == nil {
		list = []int{}
	}
	return fact.Known(list, fact.Direct, r.evidenceAt(path, string(b)))
}

func (r *reader) listNumbered(dir, prefix string) fact.Fact[[]int] {
	return fact.Convert(r.listing(dir), func(names []string) []int {
		found := []int{}
		for _, name := range names {
			if n, ok := numericSuffix(name, prefix); ok {
				found = append(found, n)
			}
		}
		slices.Sort(found)
		return found
	})
}

func each[T, U any](list fact.Fact[[]T], convert func(T) U) fact.Fact[[]U] {
	return fact.Convert(list, func(items []T) []U {
		out := make([]U, 0, len(items))
		for _, item := range items {
			out = append(out, convert(item))
		}
		return out
	})
}

// numericSuffix returns the number in a name such as "cpu17" with the prefix "cpu". The kernel
// writes no leading zeros, so such a name has none.
func numericSuffix(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return int(n), err == nil
}

// Like readDir it is strict: a missing folder is false only if the tree is complete or the notes list it as absent.
func (r *reader) hasFolder(path string) fact.Fact[bool] {
	switch _, err := r.root.readDir(path); {
	case err == nil:
		return fact.Known(true, fact.Direct, r.evidenceAt(path, ""))
	case err.State == fact.Absent:
		return fact.Known(false, fact.Direct, r.evidenceAt(path, ""))
	default:
		return unknownFact[bool](r.source, err)
	}
}

// holdsFolder reports whether there is a folder, after following links.
func (r *reader) holdsFolder(path string) bool {
	kind, err := r.root.Stat(path)
	return err == nil && kind == KindDir
}

// numberedPath joins the parts of a path such as "/sys/devices/system/cpu/cpu", 17, "/topology/core_id".
func numberedPath(prefix string, n int, rest string) string { return prefix + strconv.Itoa(n) + rest }

var errBounds = errors.New("archive exceeds the size limit")

// Limits of single reads, in bytes.
const (
	// LimitAttribute is for a sysfs attribute (one page).
	LimitAttribute = 4096
	// LimitList is for files that may be longer than a page: CPU lists and masks, meminfo, the command line.
	LimitList = 64 << 10
	// LimitCPUInfo is for /proc/cpuinfo (4 MB with 2,048 CPUs).
	LimitCPUInfo = 16 << 20
	// LimitSMBIOS is for the SMBIOS structure table.
	LimitSMBIOS = 4 << 20
	// limitNames is the number of entries in one folder; a node with 12 TiB links 100,000 memory blocks.
	limitNames = 1 << 20
)

// Folders of the CPU tree.
const (
	cpuDir    = "/sys/devices/system/cpu"
	cpuPrefix = cpuDir + "/cpu"
	cpuinfo   = "/proc/cpuinfo"
	// cpuinfoHead is enough for the first processor of every architecture (x86 needs about 2.5 KB).
	cpuinfoHead = 16 << 10
)

const (
	nodeDir    = "/sys/devices/system/node"
	nodePrefix = nodeDir + "/node"
	maxNodes   = 1 << 10
)

// Reasons that are not an errno. They are wrapped in a ReadError.
var (
	// ErrNotCaptured is returned if the capture does not show whether the machine has the file.
	ErrNotCaptured = errors.New("not in this capture")
	// ErrLeavesRoot: a link leads out of the audited root.
	ErrLeavesRoot = errors.New("link leads out of the root")
	// ErrNotRegular is returned for a FIFO, device, socket or folder if a file is expected.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file, link or folder is longer than the bound of this read.
	ErrTooLarge = errors.New("longer than the bound")
	// ErrMasked is returned if a container runtime replaces the folder with an empty one.
	ErrMasked = errors.New("/sys/firmware is empty, as container runtimes mask it")
	// ErrEmpty is returned for an empty file that should have a line.
	ErrEmpty = errors.New("file is empty, a line was expected")
	// ErrUnstated is returned if the kernel prints "unknown" or an empty line.
	ErrUnstated = errors.New("the kernel does not know")
	// ErrDiffers is returned for a member that a capture has several times, with different contents.
	ErrDiffers = errors.New("the capture has several members of this name, and they differ")
	// ErrSkipped: not read, because another reading makes it superfluous.
	ErrSkipped = errors.New("not read")
)

// ReadError is a failed reading: the operation, the path below the audited root, the resulting State and the cause.
type ReadError struct {
	Op, Path string
	State    fact.State
	Err      error
}

// Error returns for example "read /sys/x: denied: permission denied".
func (e *ReadError) Error() string {
	return fmt.Sprintf("%s %s: %s: %v", e.Op, e.Path, e.State, e.Err)
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// StateOf returns the State of an error: OK for nil, that of a ReadError, or else the result of classify,
// which is Refused for an unknown cause.
func StateOf(err error) fact.State {
	if err == nil {
		return fact.OK
	}
	if e, ok := errors.AsType[*ReadError](err); ok {
		return e.State
	}
	return classifyError(err)
}

// ENOENT is Absent here; the backend has decided before whether it means Unread.
func classifyError(err error) fact.State {
	switch {
	case err == nil:
		return fact.OK
	case errors.Is(err, ErrNotCaptured), errors.Is(err, ErrSkipped):
		return fact.Unread
	case errors.Is(err, ErrUnstated):
		return fact.Unstated
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrEmpty):
		return fact.Truncated
	case errors.Is(err, ErrDiffers):
		return fact.Malformed
	case errors.Is(err, syscall.ENOENT), errors.Is(err, fs.ErrNotExist):
		return fact.Absent
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, ErrMasked):
		return fact.Denied
	default:
		return fact.Refused
	}
}

func readError(op, path string, err error) *ReadError {
	if e, ok := errors.AsType[*ReadError](err); ok {
		return e
	}
	return &ReadError{Op: op, Path: path, State: classifyError(err), Err: err}
}

// Kind is the type of a file below the root, after following links.
type Kind uint8

// The kinds.
const (
	KindNone Kind = iota
	KindFile
	KindDir
	// KindOther is a FIFO, device or socket. None is opened as a file; /dev/kmsg and the devices of
	// the msr driver are read as what they are.
	KindOther
)

func unknownFact[T any](source string, err *ReadError) fact.Fact[T] {
	f := fact.Unknown[T](err.State, err.Error(), AccessAdvice(err.State, err.Path), fact.At(source, err.Path, ""))
	f.Err = err
	return f
}

func malformedFact[T any](at fact.Evidence, err error) fact.Fact[T] {
	f := unknownFact[T](at.Source, &ReadError{Op: "parse", Path: at.Path, State: fact.Malformed, Err: err})
	f.From = at
	return f
}

// unavailable reports whether the file is missing, not captured or empty, so that another file may be used.
// Captures of unreadable files contain empty ones.
func unavailable[T any](f fact.Fact[T]) bool {
	return f.State == fact.Absent || f.State == fact.Unread || errors.Is(f.Err, ErrEmpty)
}

// Sampled is an attribute that exists for each CPU, policy or package and was read for some of
// them. Different values are all kept and never averaged.
type Sampled struct {
	// Distinct are the first readings of each value, in the order in which they were found.
	Distinct []fact.Fact[string]
	// Counts are the number of files that have each value of Distinct.
	Counts []int
	// Read counts the files that gave a value.
	Read int
	// Failed is the first failure. State is OK only if at least one file was read and all of them had a value.
	State  fact.State
	Failed fact.Fact[string]
}

// UniformValue returns the value if every sampled file has the same, otherwise the first failure.
func (s Sampled) UniformValue() fact.Fact[string] {
	if s.State != fact.OK || len(s.Distinct) != 1 {
		return s.Failed
	}
	return s.Distinct[0]
}

// Outcome returns the state and the reason of the first failure.
func (s Sampled) Outcome() (fact.State, string) { return s.State, s.Failed.Reason }

func (s *Sampled) add(f fact.Fact[string]) {
	if !f.Known() {
		if s.Failed.Reason == "" {
			s.Failed, s.State = f, f.State
		}
		return
	}
	s.Read++
	if s.Failed.Reason == "" {
		s.State = fact.OK
	}
	if at := slices.IndexFunc(s.Distinct, func(o fact.Fact[string]) bool { return o.Value == f.Value }); at >= 0 {
		s.Counts[at]++
		return
	}
	s.Distinct, s.Counts = append(s.Distinct, f), append(s.Counts, 1)
}

// AccessAdvice tells the user how to make a file readable, "" if that is unknown.
func AccessAdvice(s fact.State, path string) fact.Input {
	switch s {
	case fact.Denied:
		return fact.Root
	case fact.Unread:
		if path == "" {
			return fact.LiveFiles
		}
		return fact.CaptureOf(path)
	default:
		return ""
	}
}
