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
	lineBytes      = 256
	fieldBytes     = 16
)

var noteStates = [...]fact.State{fact.Unread, fact.Absent, fact.Unstated, fact.Denied, fact.Refused, fact.Truncated, fact.Malformed}

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
	r.verdicts, r.names, r.registers, r.results, r.redacted = n.verdicts, n.names, n.registers, n.results, n.redacted
	return nil
}

type manifest struct {
	verdicts  map[string]fact.State
	names     map[string][]string
	registers map[string]map[uint32]registerNote
	results   map[query]queryResult
	redacted  bool
}

func parseNotes(b []byte, room int64) (*manifest, error) {
	n := &manifest{map[string]fact.State{}, map[string][]string{}, map[string]map[uint32]registerNote{}, map[query]queryResult{}, false}
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
		if err := n.line(strings.Split(lines.Text(), "\t")); err != nil {
			return nil, fmt.Errorf("line %d: %w", at, err)
		}
	}
	return n, lines.Err()
}

func (n *manifest) line(fields []string) error {
	switch {
	case len(fields) < 2:
		return fmt.Errorf("%d field, two were expected", len(fields))
	case fields[0] == "names":
		n.names[fields[1]] = fields[2:]
	case fields[0] == inventory.SourceMSR:
		return n.register(fields[1:])
	case fields[0] == "redacted":
		n.redacted = true
	case fields[0] == "some":
		n.results[query{"list", fields[1]}] = queryResult{state: fact.OK, names: fields[2:]}
	case fields[0] == "link", fields[0] == "kind":
		if len(fields) != 3 {
			return fmt.Errorf("%d fields of a %s, three were expected", len(fields), fields[0])
		}
		if fields[0] == "link" {
			n.results[query{"readlink", fields[1]}] = queryResult{state: fact.OK, target: fields[2]}
			return nil
		}
		for kind, word := range kindWords {
			if word == fields[2] {
				n.results[query{"stat", fields[1]}] = queryResult{state: fact.OK, kind: kind}
				return nil
			}
		}
		return fmt.Errorf("%q is not a kind of file", fields[2])
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
func (n *manifest) register(fields []string) error {
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
func (n *manifest) failure(state fact.State, fields []string) error {
	switch {
	case len(fields) == 1:
		n.verdicts[fields[0]] = state
	case len(fields) != 3:
		return fmt.Errorf("%d fields after the state, one or three were expected", len(fields))
	case !slices.Contains(operations[:], fields[1]):
		return fmt.Errorf("%q is not a question", fields[1])
	default:
		n.results[query{fields[1], fields[0]}] = queryResult{state: state, reason: fields[2]}
	}
	return nil
}

type query struct{ op, path string }

type queryResult struct {
	state fact.State
	// reason is the cause of the failure as text.
	reason string
	// names, kind and target are the answers to list, stat and readlink.
	names  []string
	kind   Kind
	target string
}

var operations = [...]string{"read", "head", "list", "stat", "readlink"}

var kindWords = map[Kind]string{KindFile: "file", KindDir: "dir", KindOther: "other"}

// notedError returns the error with this text, so that callers which compare with one of the package's errors find it.
func notedError(reason string) error {
	for _, err := range []error{ErrNotCaptured, ErrLeavesRoot, ErrNotRegular, ErrTooLarge, ErrMasked, ErrEmpty, ErrSkipped} {
		if err.Error() == reason {
			return err
		}
	}
	return errors.New(reason)
}

// line returns the answer as a line of the notes, "" if none is needed.
func (a *queryResult) line(q query) string {
	var fields []string
	switch {
	case a.state != fact.OK:
		fields = []string{a.state.String(), q.path, q.op, plainReason(a.reason)}
	case q.op == "list":
		names := slices.DeleteFunc(slices.Clone(a.names), hasSeparator)
		slices.Sort(names)
		fields = append([]string{"some", q.path}, names...)
	case q.op == "readlink":
		if hasSeparator(a.target) {
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

func hasSeparator(name string) bool { return strings.ContainsAny(name, "\t\r\n") }

func plainReason(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, s)
}

type registerNote struct {
	value uint64
	state fact.State
	// reason is the cause of a failure, "" when it is not noted.
	reason string
}

func (n registerNote) value64(path string, reg uint32) fact.Fact[uint64] {
	if n.state == fact.OK {
		return fact.Known(n.value, fact.Direct, fact.At(inventory.SourceMSR, path, fmt.Sprintf("0x%x", n.value)))
	}
	if n.reason == "" {
		n.reason = fmt.Sprintf("register 0x%X: as the capture notes", reg)
	}
	return unknown[uint64](inventory.SourceMSR, &ReadError{Op: "read", Path: path, State: n.state, Err: notedError(n.reason)})
}

// Recorder keeps the answers of a Root, including which files were absent or denied, so that a
// capture gives the same answers again.
type Recorder struct {
	root  *Root
	files map[string][]byte
	// complete are the folders whose listing is complete.
	complete map[string]bool
	results  map[query]queryResult
	// left are the files that the redaction leaves out.
	left map[string]bool
	// redacted: what is written differs from what was read.
	redacted bool
	// registers are written as notes and not as files, because they overlap in a file.
	registers map[string]map[uint32]registerNote
}

// Record starts to record every answer of the root.
func (r *Root) Record() *Recorder {
	rec := &Recorder{root: r, files: map[string][]byte{}, complete: map[string]bool{}, results: map[query]queryResult{},
		left: map[string]bool{}, registers: map[string]map[uint32]registerNote{}}
	r.Observe(rec.note)
	return rec
}

// NoRecording returns an empty recording, for an audit without trees.
func NoRecording() *Recorder { return (&Root{b: newMemTree()}).Record() }

// Stop ends the recording.
func (c *Recorder) Stop() { c.root.Observe(nil) }

// Paths lists the files that were read, sorted.
func (c *Recorder) Paths() []string { return slices.Sorted(maps.Keys(c.files)) }

// File returns the bytes that were read of a file, nil if it was not read.
func (c *Recorder) File(path string) []byte { return c.files[path] }

func (c *Recorder) note(a Access) {
	switch a.Op {
	case "msr":
		if c.registers[a.Path] == nil {
			c.registers[a.Path] = map[uint32]registerNote{}
		}
		c.registers[a.Path][a.Register] = registerNote{value: a.Value, state: a.State, reason: reasonOf(a.Err)}
		return
	case "read", "head":
		c.content(&a)
		return
	}
	n := queryResult{state: a.State, kind: a.Kind}
	switch {
	case a.State != fact.OK:
		n.reason = reasonOf(a.Err)
	case a.Op == "list":
		n.names, c.complete[a.Path] = slices.Clone(a.Names), c.root.conclusive(a.Path)
	case a.Op == "readlink":
		n.target = string(a.Data)
	}
	c.results[query{a.Op, a.Path}] = n
}

func reasonOf(e *ReadError) string {
	if e == nil {
		return ""
	}
	return e.Err.Error()
}

func (c *Recorder) content(a *Access) {
	q := query{a.Op, a.Path}
	if (a.State == fact.OK || a.State == fact.Truncated) && (c.files[a.Path] == nil || len(a.Data) > len(c.files[a.Path])) {
		c.files[a.Path] = append([]byte{}, a.Data...)
	}
	if a.State == fact.OK {
		delete(c.results, q)
		return
	}
	c.results[q] = queryResult{state: a.State, reason: reasonOf(a.Err)}
}

// Redact decides what a capture contains of a file: the bytes to write; keep false leaves the file
// out and notes it as denied.
type Redact func(path string, data []byte) (out []byte, keep bool)

// Write stops the recording and writes it as .tar.gz, together with the members in more, by their
// paths below the root. Members are sorted and have the given time, so equal recordings give equal
// bytes. redact may be nil. A recording with more bytes than OpenCapture reads is an error.
func (c *Recorder) Write(out io.Writer, at time.Time, redact Redact, more map[string][]byte) error {
	c.Stop()
	c.redacted = c.root.redacted || redact != nil
	zip := gzip.NewWriter(out)
	w := &captureWriter{tar: tar.NewWriter(zip), at: at}
	for _, path := range c.Paths() {
		data, keep := c.files[path], true
		if redact != nil {
			data, keep = redact(path, data)
		}
		if keep {
			w.member(path, data)
		} else {
			c.left[path] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(more)) {
		w.member(path, more[path])
	}
	// Folders that were only looked at are written for people who unpack a capture.
	var found []string
	for q, a := range c.results {
		if q.op == "stat" && a.state == fact.OK && a.kind == KindDir {
			found = append(found, q.path)
		}
	}
	slices.Sort(found)
	for _, path := range found {
		w.header(&tar.Header{Name: path[1:] + "/", Mode: 0o755, Typeflag: tar.TypeDir})
	}
	w.member("/"+notesName, c.notes())
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

func (w *captureWriter) header(h *tar.Header) {
	if w.err == nil {
		h.ModTime = w.at
		w.err = w.tar.WriteHeader(h)
	}
}

func (w *captureWriter) member(path string, data []byte) {
	if w.kept += len(path) + nodeBytes + len(data)*weightOf(path[1:]); w.err == nil && (w.kept > maxKept || len(data) > maxMemberOf(path[1:])) {
		w.err = fmt.Errorf("%w: %s", errBounds, path)
	}
	w.header(&tar.Header{Name: path[1:], Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg})
	if w.err == nil {
		_, w.err = w.tar.Write(data)
	}
}

func (c *Recorder) notes() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, notesHeader)
	if c.redacted {
		fmt.Fprintln(&b, "redacted\tidentifiers")
	}
	if c.root.firmwareMasked() != nil {
		fmt.Fprintf(&b, "%s\t/sys/firmware\n", fact.Denied)
	}
	for _, path := range slices.Sorted(maps.Keys(c.left)) {
		for _, op := range [...]string{"read", "head"} {
			fmt.Fprintf(&b, "%s\t%s\t%s\twithheld by redaction\n", fact.Denied, path, op)
		}
	}
	order := func(a, b query) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.op, b.op))
	}
	for _, q := range slices.SortedFunc(maps.Keys(c.results), order) {
		a := c.results[q]
		switch {
		case hasSeparator(q.path), (q.op == "read" || q.op == "head") && c.left[q.path]:
		case q.op == "list" && a.state == fact.OK && c.complete[q.path]:
			b.WriteString("names" + strings.TrimPrefix(a.line(q), "some"))
		default:
			b.WriteString(a.line(q))
		}
	}
	c.registerNotes(&b)
	return b.Bytes()
}

func (c *Recorder) registerNotes(b *bytes.Buffer) {
	for _, path := range slices.Sorted(maps.Keys(c.registers)) {
		for _, reg := range slices.Sorted(maps.Keys(c.registers[path])) {
			n := c.registers[path][reg]
			word := n.state.String() + "\t" + plainReason(n.reason)
			if n.state == fact.OK {
				word = fmt.Sprintf("0x%x", n.value)
			}
			fmt.Fprintf(b, "msr\t%s\t0x%x\t%s\n", path, reg, word)
		}
	}
}
