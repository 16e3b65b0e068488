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

// answer is what a recorded capture notes of a question.
type answer struct {
	state fact.State
	// reason is the failure's cause, in words.
	reason string
	// names, kind and target answer list, stat and readlink.
	names  []string
	kind   Kind
	target string
}

// questions are the words of the notes.
var questions = [...]string{"read", "head", "list", "stat", "readlink"}

// kindWords are the kinds as notes write them.
var kindWords = map[Kind]string{KindFile: "file", KindDir: "dir", KindOther: "other"}

// noted is the failure that the notes give for a question, nil for none.
func (r *Root) noted(op, path string) *ReadError {
	a, ok := r.answers[question{op, path}]
	if !ok || a.state == fact.OK {
		return nil
	}
	if op == "head" {
		op = "read"
	}
	return &ReadError{Op: op, Path: path, State: a.state, Err: cause(a.reason)}
}

// listed is what the notes say that a folder lists.
func (r *Root) listed(path string) ([]string, bool) {
	if names, ok := r.names[path]; ok {
		return names, true
	}
	a, ok := r.answers[question{"list", path}]
	return a.names, ok && a.state == fact.OK
}

func (r *Root) notedKind(path string) (Kind, bool) {
	a, ok := r.answers[question{"stat", path}]
	return a.kind, ok && a.state == fact.OK
}

func (r *Root) notedLink(path string) (string, bool) {
	a, ok := r.answers[question{"readlink", path}]
	return a.target, ok && a.state == fact.OK
}

// cause gives a noted reason its own error back, so that callers that ask for
// one of the package's find it.
func cause(reason string) error {
	for _, err := range []error{ErrNotCaptured, ErrLeavesRoot, ErrNotRegular, ErrTooLarge, ErrMasked, ErrEmpty, ErrSkipped} {
		if err.Error() == reason {
			return err
		}
	}
	return errors.New(reason)
}

// failure takes in "PATH" or "PATH QUESTION REASON".
func (n *notes) failure(state fact.State, fields []string) error {
	switch {
	case len(fields) == 1:
		n.verdicts[fields[0]] = state
	case len(fields) != 3:
		return fmt.Errorf("%d fields behind the state, one or three were expected", len(fields))
	case !slices.Contains(questions[:], fields[1]):
		return fmt.Errorf("%q is not a question", fields[1])
	default:
		n.answers[question{fields[1], fields[0]}] = answer{state: state, reason: fields[2]}
	}
	return nil
}

// path takes in "link PATH TARGET" and "kind PATH WORD".
func (n *notes) path(fields []string) error {
	if len(fields) != 3 {
		return fmt.Errorf("%d fields of a %s, three were expected", len(fields), fields[0])
	}
	if fields[0] == "link" {
		n.answers[question{"readlink", fields[1]}] = answer{state: fact.OK, target: fields[2]}
		return nil
	}
	for kind, word := range kindWords {
		if word == fields[2] {
			n.answers[question{"stat", fields[1]}] = answer{state: fact.OK, kind: kind}
			return nil
		}
	}
	return fmt.Errorf("%q is not a kind of file", fields[2])
}

// line is an answer as a line of the notes; "" for one that has none.
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

// unnotable reports a name that would break a line of the notes.
func unnotable(name string) bool { return strings.ContainsAny(name, "\t\r\n") }

func plainReason(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, s)
}
