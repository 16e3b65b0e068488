package host

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// notesName is the member of memaudit's own captures with information that is not a file's content: paths
// that were absent, denied or refused, and the lists of folders. With it a read of the capture has the same
// result as on the machine.
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
// A state without a question applies if the path is not in the tree; "truncated" also applies to a file that is. One
// with a question (read, head, list, stat, readlink) applies to that operation only. "names" lists all entries of a
// folder, "some" those of a folder that may be incomplete. The reason of a register may be missing.
const notesName = "memaudit-notes"

const (
	notesHeader = "memaudit-notes 1"
	// limitNotes is enough for what an audit of 8,192 CPUs does not find, in bytes.
	limitNotes = 8 << 20
	// maxNotesMemory limits what the parsed notes take, in bytes; lineBytes is about what an entry
	// of a map of answers takes, and fieldBytes a name in a list.
	maxNotesMemory = 96 << 20
	lineBytes      = 320
	fieldBytes     = 16
)

// loadNotes reads the notes of a capture, if it has any, into at most room bytes of memory.
func (r *Root) loadNotes(room int64) error {
	b, more, err := r.b.read(nil, notesName, limitNotes)
	if err != nil {
		return nil // a capture by another program
	}
	if more {
		return &ReadError{Op: "read", Path: "/" + notesName, State: fact.Truncated, Err: ErrTooLarge}
	}
	n, err := parseNotes(b, room)
	if errors.Is(err, errBounds) {
		return &ReadError{Op: "parse", Path: "/" + notesName, State: fact.Refused, Err: err}
	}
	if err != nil {
		return &ReadError{Op: "parse", Path: "/" + notesName, State: fact.Malformed, Err: err}
	}
	r.notes = *n
	return nil
}

// query is one question to a Root.
type query struct {
	op, path string
	register uint32
}

// notes are the answers that a capture has besides its files.
type notes struct {
	// states are the answers to every question about a path that is not in the tree.
	states  map[string]fact.State
	answers map[query]Access
	// complete are the folders of which every name is noted, registers the files of which registers are.
	complete, registers map[string]bool
	// redacted: the identifiers in the capture are not the machine's real ones.
	redacted bool
}

func parseNotes(b []byte, room int64) (*notes, error) {
	n := &notes{map[string]fact.State{}, map[query]Access{}, map[string]bool{}, map[string]bool{}, false}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, limitNotes+1)
	if !lines.Scan() || lines.Text() != notesHeader {
		return nil, fmt.Errorf("first line is not %q", notesHeader)
	}
	for at := 2; lines.Scan(); at++ {
		room -= int64(lineBytes + len(lines.Bytes()) + fieldBytes*bytes.Count(lines.Bytes(), []byte("\t")))
		if room < 0 {
			return nil, fmt.Errorf("%w: line %d: the notes are too long", errBounds, at)
		}
		if err := n.parseLine(strings.Split(lines.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	return n, lines.Err()
}

func (n *notes) parseLine(fields []string) error {
	if len(fields) < 2 {
		return fmt.Errorf("%d field, two were expected", len(fields))
	}
	a := Access{Path: fields[1], State: fact.OK}
	switch word := fields[0]; word {
	case "redacted":
		n.redacted = true
		return nil
	case "names", "some":
		a.Op, a.Names = "list", fields[2:]
		n.complete[a.Path] = n.complete[a.Path] || word == "names"
	case "link", "kind":
		if len(fields) != 3 {
			return fmt.Errorf("%d fields of a %s, three were expected", len(fields), word)
		}
		if a.Op, a.Data = "readlink", []byte(fields[2]); word == "kind" {
			at := slices.Index(kindWords[:], fields[2])
			if at <= 0 {
				return fmt.Errorf("%q is not a kind of file", fields[2])
			}
			a.Op, a.Kind = "stat", Kind(at)
		}
	case inventory.SourceMSR:
		n.registers[a.Path] = true
		if err := a.parseRegister(fields[2:]); err != nil {
			return err
		}
	default:
		state, ok := noteState(word)
		switch {
		case !ok:
			return fmt.Errorf("unknown state %q", word)
		case len(fields) == 2:
			n.states[a.Path] = state
			return nil
		case len(fields) != 4:
			return fmt.Errorf("%d fields after the state, one or three were expected", len(fields)-1)
		case !slices.Contains([]string{"read", "head", "list", "stat", "readlink"}, fields[2]):
			return fmt.Errorf("%q is not a question", fields[2])
		}
		a.Op = fields[2]
		a.setFailure(state, fields[3])
	}
	n.answers[query{a.Op, a.Path, a.Register}] = a
	return nil
}

// parseRegister reads the fields "REGISTER VALUE" or "REGISTER STATE REASON".
func (a *Access) parseRegister(fields []string) error {
	if len(fields) != 2 && len(fields) != 3 {
		return fmt.Errorf("%d fields after msr, three or four were expected", len(fields)+1)
	}
	reg, err := strconv.ParseUint(fields[0], 0, 32)
	if err != nil {
		return fmt.Errorf("%q is not a register", fields[0])
	}
	a.Op, a.Register = "msr", uint32(reg)
	if state, ok := noteState(fields[1]); ok {
		a.setFailure(state, cmp.Or(strings.Join(fields[2:], ""), fmt.Sprintf("register 0x%X: as the capture notes", reg)))
		return nil
	}
	if a.Value, err = strconv.ParseUint(fields[1], 0, 64); err != nil {
		return fmt.Errorf("%q is neither a value nor a state", fields[1])
	}
	return nil
}

// setFailure sets a failure with the text of its cause; an error of the package with that text is taken, so that callers find it.
func (a *Access) setFailure(state fact.State, reason string) {
	op := a.Op
	if op == "head" || op == "msr" {
		op = "read"
	}
	known := []error{ErrNotCaptured, ErrLeavesRoot, ErrNotRegular, ErrTooLarge, ErrMasked, ErrEmpty, ErrSkipped}
	known = append(slices.DeleteFunc(known, func(err error) bool { return err.Error() != reason }), errors.New(reason))
	a.State, a.Err = state, &ReadError{Op: op, Path: a.Path, State: state, Err: known[0]}
}

func noteState(word string) (fact.State, bool) {
	all := []fact.State{fact.Unread, fact.Absent, fact.Unstated, fact.Denied, fact.Refused, fact.Truncated, fact.Malformed}
	i := slices.IndexFunc(all, func(s fact.State) bool { return s.String() == word })
	return all[max(0, i)], i >= 0
}

var kindWords = [...]string{KindFile: "file", KindDir: "dir", KindOther: "other"}

// formatLine returns the answer as a line of the notes, "" if none is needed.
func (a *Access) formatLine(complete bool) string {
	var fields []string
	switch failed := a.State != fact.OK; {
	case a.Op == "msr":
		fields = []string{"msr", a.Path, fmt.Sprintf("0x%x", a.Register)}
		if failed {
			fields = append(fields, a.State.String(), a.failureCause())
		} else {
			fields = append(fields, fmt.Sprintf("0x%x", a.Value))
		}
	case failed:
		fields = []string{a.State.String(), a.Path, a.Op, a.failureCause()}
	case a.Op == "list":
		names := slices.DeleteFunc(slices.Clone(a.Names), hasSeparator)
		slices.Sort(names)
		fields = append([]string{map[bool]string{true: "names", false: "some"}[complete], a.Path}, names...)
	case a.Op == "readlink" && !hasSeparator(string(a.Data)):
		fields = []string{"link", a.Path, string(a.Data)}
	case a.Op == "stat" && kindWords[a.Kind] != "":
		fields = []string{"kind", a.Path, kindWords[a.Kind]}
	default:
		return ""
	}
	return strings.Join(fields, "\t") + "\n"
}

func hasSeparator(name string) bool { return strings.ContainsAny(name, "\t\r\n") }

// failureCause returns the cause of a failure in one line.
func (a *Access) failureCause() string {
	if a.Err == nil {
		return ""
	}
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, a.Err.Err.Error())
}

// Recorder keeps the answers of a Root, including which files were absent or denied, so that a
// capture gives the same answers again.
type Recorder struct {
	root  *Root
	files map[string][]byte
	// answers are those that the files do not give, complete the folders whose listing is complete.
	answers  map[query]Access
	complete map[string]bool
}

// Record starts to record every answer of the root.
func (r *Root) Record() *Recorder {
	rec := &Recorder{root: r, files: map[string][]byte{}, answers: map[query]Access{}, complete: map[string]bool{}}
	r.watch(rec.recordAccess)
	return rec
}

// NoRecording returns an empty recording, for an audit without trees.
func NoRecording() *Recorder { return (&Root{b: newMemTree()}).Record() }

// Stop ends the recording.
func (c *Recorder) Stop() { c.root.watch(nil) }

// Paths lists the files that were read, sorted.
func (c *Recorder) Paths() []string { return slices.Sorted(maps.Keys(c.files)) }

// File returns the bytes that were read of a file, nil if it was not read.
func (c *Recorder) File(path string) []byte { return c.files[path] }

func (c *Recorder) recordAccess(a Access) {
	q := query{a.Op, a.Path, a.Register}
	switch a.Op {
	case "read", "head":
		known, stored := c.files[a.Path]
		if (a.State == fact.OK || a.State == fact.Truncated) && (!stored || len(a.Data) > len(known)) {
			c.files[a.Path] = append([]byte{}, a.Data...)
		}
		if a.Data = nil; a.State == fact.OK {
			delete(c.answers, q)
			return
		}
	case "list":
		if a.Names = slices.Clone(a.Names); a.State == fact.OK {
			c.complete[a.Path] = c.root.isConclusive(a.Path)
		}
	case "readlink":
		a.Data = bytes.Clone(a.Data)
	}
	c.answers[q] = a
}

// Redact decides what a capture contains of a file: the bytes to write; keep false leaves the file
// out and notes it as denied.
type Redact func(path string, data []byte) (out []byte, keep bool)

// Write stops the recording and writes it as .tar.gz, together with the members in more, by their
// paths below the root. Members are sorted and have the given time, so equal recordings give equal
// bytes. redact may be nil. A recording with more bytes than OpenCapture reads is an error.
func (c *Recorder) Write(out io.Writer, at time.Time, redact Redact, more map[string][]byte) error {
	c.Stop()
	zip := gzip.NewWriter(out)
	w := &captureWriter{tar: tar.NewWriter(zip), at: at}
	for _, path := range c.Paths() {
		data, keep := c.files[path], true
		if redact != nil {
			data, keep = redact(path, data)
		}
		if keep {
			w.writeMember(path, data)
			continue
		}
		for _, op := range [...]string{"read", "head"} {
			left := Access{Op: op, Path: path}
			left.setFailure(fact.Denied, "withheld by redaction")
			c.answers[query{op: op, path: path}] = left
		}
	}
	for _, path := range slices.Sorted(maps.Keys(more)) {
		w.writeMember(path, more[path])
	}
	// Folders that were only looked at are written for people who unpack a capture.
	for _, q := range c.sorted() {
		if q.op == "stat" && c.answers[q].Kind == KindDir {
			w.writeHeader(&tar.Header{Name: q.path[1:] + "/", Mode: 0o755, Typeflag: tar.TypeDir})
		}
	}
	w.writeMember("/"+notesName, c.formatNotes(c.root.notes.redacted || redact != nil))
	err := w.err
	if err == nil {
		err = w.tar.Close()
	}
	if err == nil {
		err = zip.Close()
	}
	if err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return nil
}

type captureWriter struct {
	tar  *tar.Writer
	at   time.Time
	kept int
	err  error
}

func (w *captureWriter) writeHeader(h *tar.Header) {
	if w.err == nil {
		h.ModTime = w.at
		w.err = w.tar.WriteHeader(h)
	}
}

func (w *captureWriter) writeMember(path string, data []byte) {
	most, weight := memberLimits(path[1:])
	if w.kept += len(path) + nodeBytes + len(data)*weight; w.err == nil && (w.kept > maxKept || len(data) > most) {
		w.err = fmt.Errorf("%w: %s", errBounds, path)
	}
	w.writeHeader(&tar.Header{Name: path[1:], Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg})
	if w.err == nil {
		_, w.err = w.tar.Write(data)
	}
}

func (c *Recorder) formatNotes(redacted bool) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, notesHeader)
	if redacted {
		fmt.Fprintln(&b, "redacted\tidentifiers")
	}
	if c.root.firmwareMasked() != nil {
		fmt.Fprintf(&b, "%s\t/sys/firmware\n", fact.Denied)
	}
	for _, q := range c.sorted() {
		if a := c.answers[q]; !hasSeparator(q.path) {
			b.WriteString(a.formatLine(c.complete[q.path]))
		}
	}
	return b.Bytes()
}

func (c *Recorder) sorted() []query {
	return slices.SortedFunc(maps.Keys(c.answers), func(a, b query) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.op, b.op), cmp.Compare(a.register, b.register))
	})
}
