package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// question is one operation on one path: "read", "head", "list", "stat",
// "readlink".
type question struct{ op, path string }

// answer is what the notes of a capture record for a question.
type answer struct {
	state fact.State
	// reason is the cause of the failure, in words.
	reason string
	// names, kind and target are the answers to list, stat and readlink.
	names  []string
	kind   Kind
	target string
}

// questions are the words of the notes.
var questions = [...]string{"read", "head", "list", "stat", "readlink"}

// kindWords are the kinds as they are written in the notes.
var kindWords = map[Kind]string{KindFile: "file", KindDir: "dir", KindOther: "other"}

// notedError returns the error with this text, so that callers which compare with one of the
// package's errors find it.
func notedError(reason string) error {
	for _, err := range []error{ErrNotCaptured, ErrLeavesRoot, ErrNotRegular, ErrTooLarge, ErrMasked, ErrEmpty, ErrSkipped} {
		if err.Error() == reason {
			return err
		}
	}
	return errors.New(reason)
}

// line returns the answer as a line of the notes, "" if it needs none.
func (a *answer) line(q question) string {
	var fields []string
	switch {
	case a.state != fact.OK:
		fields = []string{a.state.String(), q.path, q.op, plainReason(a.reason)}
	case q.op == "list":
		names := slices.DeleteFunc(slices.Clone(a.names), unnotable)
		slices.Sort(names)
		fields = append([]string{"some", q.path}, names...)
	case q.op == "readlink":
		if unnotable(a.target) {
			return ""
		}
		fields = []string{"link", q.path, a.target}
	case q.op == "stat" && kindWords[a.kind] != "":
		fields = []string{"kind", q.path, kindWords[a.kind]}
	default:
		return ""
	}
	return strings.Join(fields, "\t") + "\n"
}

// unnotable tells whether a name would break a line of the notes.
func unnotable(name string) bool { return strings.ContainsAny(name, "\t\r\n") }

func plainReason(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, s)
}

// registerNote is what the notes record for one register: its value, or why it was not read.
type registerNote struct {
	value uint64
	state fact.State
	// reason is the cause of a failure, "" when it is not noted.
	reason string
}

func (n registerNote) value64(path string, reg uint32) Value[uint64] {
	if n.state == fact.OK {
		return known(n.value, path, fmt.Sprintf("0x%x", n.value))
	}
	if n.reason == "" {
		n.reason = fmt.Sprintf("register 0x%X: as the capture notes", reg)
	}
	return unknown[uint64](&ReadError{Op: "read", Path: path, State: n.state, Err: notedError(n.reason)})
}
