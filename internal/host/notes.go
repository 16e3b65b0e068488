package host

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
)

// notesName is the member of memaudit's own captures that holds what cannot
// be a file: which paths were absent, denied or refused when it was made, and
// what folders listed. With it a capture answers as the machine did.
//
// Format, one line each, fields separated by tabs:
//
//	memaudit-notes 1
//	STATE  PATH
//	STATE  PATH  QUESTION  REASON
//	names  PATH  NAME...
//	some   PATH  NAME...
//	link   PATH  TARGET
//	kind   PATH  dir or file or other
//	msr    PATH  REGISTER  VALUE
//	msr    PATH  REGISTER  STATE  REASON
//	redacted  identifiers
//
// A state without a question applies if the tree itself has no answer, "truncated"
// also to a file that it has; one with a question (read, head, list, stat, readlink)
// is the answer to it. After "names" are all entries of a folder, after "some" those
// of a folder that may be incomplete. The reason of a register may be missing.
const notesName = "memaudit-notes"

const (
	notesHeader = "memaudit-notes 1"
	// limitNotes is enough for what an audit of 2,048 CPUs does not find, in bytes.
	limitNotes = 32 << 20
)

// noteStates are the states a capture can note about a path.
var noteStates = [...]fact.State{fact.Unread, fact.Absent, fact.Unstated, fact.Denied, fact.Refused, fact.Truncated, fact.Malformed}

// loadNotes reads the notes of a capture, if it has any.
func (r *Root) loadNotes() error {
	b, more, err := r.b.read(nil, notesName, limitNotes)
	if err != nil {
		return nil // someone else's capture
	}
	if more {
		return &ReadError{Op: "read", Path: "/" + notesName, State: fact.Truncated, Err: ErrTooLarge}
	}
	n, err := parseNotes(b)
	if err != nil {
		return &ReadError{Op: "parse", Path: "/" + notesName, State: fact.Malformed, Err: err}
	}
	r.verdicts, r.names, r.registers, r.answers, r.redacted = n.verdicts, n.names, n.registers, n.answers, n.redacted
	return nil
}

// captureNotes are the content of the notes file.
type captureNotes struct {
	verdicts  map[string]fact.State
	names     map[string][]string
	registers map[string]map[uint32]registerNote
	answers   map[question]answer
	redacted  bool
}

func parseNotes(b []byte) (*captureNotes, error) {
	n := &captureNotes{map[string]fact.State{}, map[string][]string{}, map[string]map[uint32]registerNote{}, map[question]answer{}, false}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, limitNotes+1)
	if !lines.Scan() || lines.Text() != notesHeader {
		return nil, fmt.Errorf("first line is not %q", notesHeader)
	}
	for at := 2; lines.Scan(); at++ {
		if err := n.line(strings.Split(lines.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	return n, lines.Err()
}

func (n *captureNotes) line(fields []string) error {
	switch {
	case len(fields) < 2:
		return fmt.Errorf("%d field, two were expected", len(fields))
	case fields[0] == "names":
		n.names[fields[1]] = fields[2:]
	case fields[0] == msrSource:
		return n.register(fields[1:])
	case fields[0] == "redacted":
		n.redacted = true
	case fields[0] == "some":
		n.answers[question{"list", fields[1]}] = answer{state: fact.OK, names: fields[2:]}
	case fields[0] == "link", fields[0] == "kind":
		return n.path(fields)
	default:
		state, ok := noteState(fields[0])
		if !ok {
			return fmt.Errorf("unknown state %q", fields[0])
		}
		return n.failure(state, fields[1:])
	}
	return nil
}

// register reads the fields "PATH REGISTER VALUE" or "PATH REGISTER STATE REASON".
func (n *captureNotes) register(fields []string) error {
	if len(fields) != 3 && len(fields) != 4 {
		return fmt.Errorf("%d fields after msr, three or four were expected", len(fields))
	}
	path := fields[0]
	reg, err := strconv.ParseUint(fields[1], 0, 32)
	if err != nil {
		return fmt.Errorf("%q is not a register", fields[1])
	}
	if n.registers[path] == nil {
		n.registers[path] = map[uint32]registerNote{}
	}
	if state, ok := noteState(fields[2]); ok {
		n.registers[path][uint32(reg)] = registerNote{state: state, reason: strings.Join(fields[3:], "")}
		return nil
	}
	value, err := strconv.ParseUint(fields[2], 0, 64)
	if err != nil {
		return fmt.Errorf("%q is neither a value nor a state", fields[2])
	}
	n.registers[path][uint32(reg)] = registerNote{value: value, state: fact.OK}
	return nil
}

func noteState(word string) (fact.State, bool) {
	for _, s := range noteStates {
		if s.String() == word {
			return s, true
		}
	}
	return fact.Unread, false
}

// failure reads the fields "PATH" or "PATH QUESTION REASON".
func (n *captureNotes) failure(state fact.State, fields []string) error {
	switch {
	case len(fields) == 1:
		n.verdicts[fields[0]] = state
	case len(fields) != 3:
		return fmt.Errorf("%d fields after the state, one or three were expected", len(fields))
	case !slices.Contains(questions[:], fields[1]):
		return fmt.Errorf("%q is not a question", fields[1])
	default:
		n.answers[question{fields[1], fields[0]}] = answer{state: state, reason: fields[2]}
	}
	return nil
}

// path reads the fields "link PATH TARGET" or "kind PATH WORD".
func (n *captureNotes) path(fields []string) error {
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
