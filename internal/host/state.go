package host

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// State says whether a value is known and, if not, why. The zero State is
// NotCaptured: what nobody read is not known.
type State uint8

// The states. Only OK comes with a value.
const (
	// NotCaptured: this root cannot say anything about the path, because the
	// folder is not in the capture (or nobody asked).
	NotCaptured State = iota
	// OK: the value is known.
	OK
	// Absent: the folder was there and does not hold the file.
	Absent
	// Unstated: the file is there and says "unknown" in it.
	Unstated
	// Denied: no permission to read, or hidden by a container runtime.
	Denied
	// Refused: the driver, the kernel or our own bounds said no (EIO, EAGAIN,
	// ENODEV, a FIFO or device instead of a file, a link out of the root).
	Refused
	// Truncated: the data end before the value does.
	Truncated
	// Malformed: the data do not make a value.
	Malformed
)

// String gives the word used in reports; NotCaptured is "unread".
func (s State) String() string {
	switch s {
	case OK:
		return "ok"
	case Absent:
		return "absent"
	case Unstated:
		return "unstated"
	case Denied:
		return "denied"
	case Refused:
		return "refused"
	case Truncated:
		return "truncated"
	case Malformed:
		return "malformed"
	case NotCaptured:
		return "unread"
	default:
		return "unread"
	}
}

// Reasons that are not an errno. They are wrapped in a ReadError.
var (
	// ErrNotCaptured: the folder of the file is not in this root.
	ErrNotCaptured = errors.New("not in this capture")
	// ErrLeavesRoot: a link leads out of the audited root.
	ErrLeavesRoot = errors.New("link leads out of the root")
	// ErrNotRegular: a FIFO, device, socket or folder where a file is expected.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge: the file is longer than the bound of this read.
	ErrTooLarge = errors.New("longer than the bound")
	// ErrMasked: a container runtime hides the folder behind an empty one.
	ErrMasked = errors.New("/sys/firmware is empty, as container runtimes mask it")
	// ErrEmpty: the file holds no byte where the kernel always prints a line.
	ErrEmpty = errors.New("file is empty, a line was expected")
	// ErrUnstated: the kernel prints its own word for "unknown".
	ErrUnstated = errors.New("the kernel does not know")
	// ErrSkipped: not read, because another reading makes it superfluous.
	ErrSkipped = errors.New("not read")
)

// ReadError is a failed reading: what was done, to which path below the
// audited root, which State follows, and the cause.
type ReadError struct {
	Op, Path string
	State    State
	Err      error
}

// Error gives "read /sys/x: denied: permission denied".
func (e *ReadError) Error() string {
	return fmt.Sprintf("%s %s: %s: %v", e.Op, e.Path, e.State, e.Err)
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// StateOf gives the State of an error made by this package: OK for nil,
// Refused for an error it does not know.
func StateOf(err error) State {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*ReadError](err); ok {
		return e.State
	}
	return classify(err)
}

// classify maps a cause to its State. ENOENT is Absent here; the backend
// decides before whether it means NotCaptured.
func classify(err error) State {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, ErrNotCaptured), errors.Is(err, ErrSkipped):
		return NotCaptured
	case errors.Is(err, ErrUnstated):
		return Unstated
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrEmpty):
		return Truncated
	case errors.Is(err, unix.ENOENT), errors.Is(err, fs.ErrNotExist):
		return Absent
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM), errors.Is(err, ErrMasked):
		return Denied
	default:
		return Refused
	}
}

// readError wraps a cause, or keeps a ReadError as it is.
func readError(op, path string, err error) *ReadError {
	if e, ok := errors.AsType[*ReadError](err); ok {
		return e
	}
	return &ReadError{Op: op, Path: path, State: classify(err), Err: err}
}
