package host

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
)

// notesName is the member of memaudit's own captures that holds what cannot
// be a file: which paths were absent, denied or refused when it was made, and
// what folders listed. With it a capture answers as the machine did.
//
// Format, one line each, fields separated by tabs:
//
//	memaudit-notes 1
//	STATE  PATH
//	names  PATH  NAME...
const notesName = "memaudit-notes"

const (
	notesHeader = "memaudit-notes 1"
	limitNotes  = 4 << 20
)

// noteStates are the states a capture can note about a path.
var noteStates = [...]State{NotCaptured, Absent, Unstated, Denied, Refused, Truncated, Malformed}

// loadNotes takes in the notes of a capture, if it has any.
func (r *Root) loadNotes() error {
	b, more, err := r.b.read(nil, notesName, limitNotes)
	if err != nil {
		return nil // someone else's capture
	}
	if more {
		return &ReadError{Op: "read", Path: "/" + notesName, State: Truncated, Err: ErrTooLarge}
	}
	verdicts, names, err := parseNotes(b)
	if err != nil {
		return &ReadError{Op: "parse", Path: "/" + notesName, State: Malformed, Err: err}
	}
	r.verdicts, r.names = verdicts, names
	return nil
}

func parseNotes(b []byte) (map[string]State, map[string][]string, error) {
	verdicts, names := map[string]State{}, map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, limitNotes+1)
	if !lines.Scan() || lines.Text() != notesHeader {
		return nil, nil, fmt.Errorf("first line is not %q", notesHeader)
	}
	for n := 2; lines.Scan(); n++ {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 2 {
			return nil, nil, fmt.Errorf("line %d has %d field, two were expected", n, len(fields))
		}
		if fields[0] == "names" {
			names[fields[1]] = fields[2:]
			continue
		}
		state, ok := noteState(fields[0])
		if !ok {
			return nil, nil, fmt.Errorf("line %d: unknown state %q", n, fields[0])
		}
		verdicts[fields[1]] = state
	}
	return verdicts, names, lines.Err()
}

func noteState(word string) (State, bool) {
	for _, s := range noteStates {
		if s.String() == word {
			return s, true
		}
	}
	return NotCaptured, false
}
