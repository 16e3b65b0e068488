package host

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// Recorder keeps the answers of a Root, so that a capture can be written that
// gives the same answers again: also which files were absent or denied.
type Recorder struct {
	root     *Root
	files    map[string][]byte
	links    map[string]string
	folders  map[string]bool
	names    map[string][]string
	verdicts map[string]State
	// registers are noted, not written as files: they overlap in one.
	registers map[string]map[uint32]registerNote
}

// Record starts to keep every answer of the root.
func (r *Root) Record() *Recorder {
	rec := &Recorder{
		root: r, files: map[string][]byte{}, links: map[string]string{}, folders: map[string]bool{},
		names: map[string][]string{}, verdicts: map[string]State{}, registers: map[string]map[uint32]registerNote{},
	}
	r.Observe(rec.note)
	return rec
}

// Paths lists the files that were read, sorted.
func (c *Recorder) Paths() []string { return slices.Sorted(maps.Keys(c.files)) }

func (c *Recorder) note(a Access) {
	if a.Op == "msr" {
		if c.registers[a.Path] == nil {
			c.registers[a.Path] = map[uint32]registerNote{}
		}
		c.registers[a.Path][a.Register] = registerNote{value: a.Value, state: a.State}
		return
	}
	if a.State != OK {
		c.verdicts[a.Path] = a.State
	}
	switch {
	case (a.Op == "read" || a.Op == "head") && (a.State == OK || a.State == Truncated):
		if len(a.Data) >= len(c.files[a.Path]) {
			c.files[a.Path] = bytes.Clone(a.Data)
		}
		if a.Op == "head" {
			delete(c.verdicts, a.Path)
		}
	case a.State != OK:
	case a.Op == "list":
		c.names[a.Path] = slices.Clone(a.Names)
	case a.Op == "readlink":
		c.links[a.Path] = string(a.Data)
	case a.Op == "stat" && a.Kind == KindDir:
		c.folders[a.Path] = true
	}
}

// Redact decides what a capture may hold of a file: the bytes to write, or
// keep false to leave the file out, noted as denied.
type Redact func(path string, data []byte) (out []byte, keep bool)

// Write stops the recording and writes it as .tar.gz. The members are sorted
// and have the time given, so equal recordings give equal bytes. redact may be
// nil.
func (c *Recorder) Write(out io.Writer, at time.Time, redact Redact) error {
	c.root.Observe(nil)
	if c.root.firmwareMasked() != nil {
		c.verdicts["/sys/firmware"] = Denied
	}
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
			c.verdicts[path] = Denied
		}
	}
	w.extras(c)
	w.member("/"+notesName, c.notes())
	if w.err != nil {
		return fmt.Errorf("write capture: %w", w.err)
	}
	if err := w.tar.Close(); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return nil
}

// captureWriter writes members until the first error.
type captureWriter struct {
	tar *tar.Writer
	at  time.Time
	err error
}

func (w *captureWriter) header(h *tar.Header) {
	if w.err == nil {
		h.ModTime = w.at
		w.err = w.tar.WriteHeader(h)
	}
}

func (w *captureWriter) member(path string, data []byte) {
	w.header(&tar.Header{Name: path[1:], Mode: 0o644, Size: int64(len(data)), Typeflag: tar.TypeReg})
	if w.err == nil {
		_, w.err = w.tar.Write(data)
	}
}

func (w *captureWriter) extras(c *Recorder) {
	for _, path := range slices.Sorted(maps.Keys(c.links)) {
		w.header(&tar.Header{Name: path[1:], Linkname: c.links[path], Mode: 0o777, Typeflag: tar.TypeSymlink})
	}
	for _, path := range slices.Sorted(maps.Keys(c.folders)) {
		w.header(&tar.Header{Name: path[1:] + "/", Mode: 0o755, Typeflag: tar.TypeDir})
	}
}

// notes writes what parseNotes reads.
func (c *Recorder) notes() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, notesHeader)
	for _, path := range slices.Sorted(maps.Keys(c.verdicts)) {
		if !strings.ContainsAny(path, "\t\n") {
			fmt.Fprintf(&b, "%s\t%s\n", c.verdicts[path], path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(c.names)) {
		names := slices.DeleteFunc(slices.Clone(c.names[path]), func(n string) bool { return strings.ContainsAny(n, "\t\n") })
		slices.Sort(names)
		fmt.Fprintln(&b, strings.Join(append([]string{"names", path}, names...), "\t"))
	}
	for _, path := range slices.Sorted(maps.Keys(c.registers)) {
		for _, reg := range slices.Sorted(maps.Keys(c.registers[path])) {
			n := c.registers[path][reg]
			word := n.state.String()
			if n.state == OK {
				word = fmt.Sprintf("0x%x", n.value)
			}
			fmt.Fprintf(&b, "msr\t%s\t0x%x\t%s\n", path, reg, word)
		}
	}
	return b.Bytes()
}
