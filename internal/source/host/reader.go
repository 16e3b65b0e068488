package host

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

func (r *reader) at(path, raw string) fact.Evidence { return fact.At(r.source, path, raw) }

// bytes reads a file into the shared buffer; the result is valid until the next call.
func (r *reader) bytes(path string, limit int) ([]byte, *ReadError) {
	b, err := r.root.appendFile(r.buf, "read", path, limit)
	if cap(b) > cap(r.buf) {
		r.buf = b[:0]
	}
	return b, err
}

// line reads an attribute of one line and trims it. An empty file is Truncated: the kernel prints
// at least the end of the line, but captures of unreadable files contain empty ones.
func (r *reader) line(path string, limit int) ([]byte, *ReadError) {
	b, err := r.bytes(path, limit)
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

// text reads a string; an empty line is Unstated.
func (r *reader) text(path string) fact.Fact[string] {
	b, err := r.line(path, LimitAttribute)
	if err != nil {
		return unknown[string](r.source, err)
	}
	if len(b) == 0 {
		return unknown[string](r.source, &ReadError{Op: "read", Path: path, State: fact.Unstated, Err: ErrUnstated})
	}
	if bytes.Contains(b, []byte{0}) {
		return malformed[string](r.at(path, ""), errors.New("text with NUL bytes"))
	}
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	return fact.Known(s, fact.Direct, r.at(path, s))
}

func (r *reader) number(path string) fact.Fact[int64] {
	return r.numberBase(path, 10)
}

// numberBase reads an integer in a base; base 0 accepts hexadecimal with 0x.
func (r *reader) numberBase(path string, base int) fact.Fact[int64] {
	b, err := r.line(path, LimitAttribute)
	if err != nil {
		return unknown[int64](r.source, err)
	}
	raw := string(kerneltext.Excerpt(b))
	n, perr := strconv.ParseInt(string(b), base, 64)
	if perr != nil {
		return malformed[int64](r.at(path, raw), fmt.Errorf("%q is not a number", raw))
	}
	return fact.Known(n, fact.Direct, r.at(path, raw))
}

func (r *reader) set(path string) fact.Fact[[]int] { return r.numbers(path, kerneltext.ParseCPUList) }

func (r *reader) mask(path string) fact.Fact[[]int] { return r.numbers(path, kerneltext.ParseCPUMask) }

func (r *reader) numbers(path string, parse func([]byte) ([]int, error)) fact.Fact[[]int] {
	b, err := r.line(path, LimitList)
	if err != nil {
		return unknown[[]int](r.source, err)
	}
	list, perr := parse(b)
	if perr != nil {
		return malformed[[]int](r.at(path, string(kerneltext.Excerpt(b))), perr)
	}
	if list == nil {
		list = []int{}
	}
	return fact.Known(list, fact.Direct, r.at(path, string(b)))
}

func (r *reader) numbered(dir, prefix string) fact.Fact[[]int] {
	names, err := r.root.readDir(dir)
	if err != nil {
		return unknown[[]int](r.source, err)
	}
	found := []int{}
	for _, name := range names {
		if n, ok := numericSuffix(name, prefix); ok {
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return fact.Known(found, fact.Direct, r.at(dir, ""))
}

// numericSuffix returns the number in a name such as "cpu17" with the prefix "cpu". The kernel
// writes no leading zeros, so such a name has none.
func numericSuffix(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || len(digits) == 0 || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + int(digits[i]-'0')
	}
	return n, true
}

// isDir reports whether a folder exists. Like readDir it is strict: a missing folder is false only if the
// tree is complete or the notes list it as absent.
func (r *reader) isDir(path string) fact.Fact[bool] {
	_, err := r.root.readDir(path)
	switch {
	case err == nil:
		return fact.Known(true, fact.Direct, r.at(path, ""))
	case err.State == fact.Absent:
		return fact.Known(false, fact.Direct, r.at(path, ""))
	default:
		return unknown[bool](r.source, err)
	}
}

// indexed joins the parts of a path such as "/sys/devices/system/cpu/cpu", 17, "/topology/core_id".
func indexed(prefix string, n int, rest string) string {
	b := make([]byte, 0, len(prefix)+len(rest)+6)
	b = append(b, prefix...)
	b = strconv.AppendInt(b, int64(n), 10)
	return string(append(b, rest...))
}

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
