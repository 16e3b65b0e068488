package host

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/model/fact"
)

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
