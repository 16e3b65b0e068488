package host

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"memaudit.example/memaudit/internal/model/fact"
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
	return classify(err)
}

// classify returns the State for a cause. ENOENT is Absent here; the backend has decided before
// whether it means Unread.
func classify(err error) fact.State {
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
	return &ReadError{Op: op, Path: path, State: classify(err), Err: err}
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
