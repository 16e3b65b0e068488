package settings

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/compiled"
)

// Part is the part of the compiled knowledge that holds the vendors' tables.
const Part = "settings"

// compiledHead is what the part's first line says of each table; the tables follow it
// in the same order.
type compiledHead struct {
	Manufacturers []string
	// Size is the length of the packed table in bytes.
	Size int
}

// Compile makes that part from the tables of a folder, each packed by itself: an audit needs
// one, if any, and as they are they were 0.17 MB more of the program.
func Compile(fsys fs.FS, dir string) ([]byte, error) {
	tables, err := Load(fsys, dir)
	if err != nil {
		return nil, err
	}
	var heads []compiledHead
	var bodies bytes.Buffer
	for t := range tables.All() {
		body, err := json.Marshal(t)
		if err != nil {
			return nil, fmt.Errorf("settings: compile %s: %w", t.Vendor, err)
		}
		before := bodies.Len()
		w, err := flate.NewWriter(&bodies, flate.BestCompression)
		if err == nil {
			_, err = w.Write(body)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("settings: compile %s: %w", t.Vendor, err)
		}
		heads = append(heads, compiledHead{t.beginnings(), bodies.Len() - before})
	}
	out, err := json.Marshal(heads)
	return append(append(out, '\n'), bodies.Bytes()...), err
}

// LoadCompiled reads the tables that Compile made of a folder; they were
// checked then. Spellings stay in their file, which few remedies need.
func LoadCompiled(fsys fs.FS, dir string) (Tables, error) {
	raw, err := compiled.Part(fsys, Part)
	if err != nil {
		return Tables{}, fmt.Errorf("settings: %w", err)
	}
	first, bodies, _ := strings.Cut(raw, "\n")
	var heads []compiledHead
	if err := json.Unmarshal([]byte(first), &heads); err != nil {
		return Tables{}, fmt.Errorf("settings: %s: %w", compiled.File, err)
	}
	rows := readSpellings(fsys, dir)
	var all Tables
	for _, h := range heads {
		if h.Size < 0 || h.Size > len(bodies) {
			return Tables{}, fmt.Errorf("settings: %s: a table of %d bytes where %d are left", compiled.File, h.Size, len(bodies))
		}
		body := bodies[:h.Size]
		bodies = bodies[h.Size:]
		all.entries = append(all.entries, vendorEntry{h.Manufacturers, sync.OnceValue(func() *Table { return readCompiled(body, rows) })})
	}
	return all, nil
}

// readCompiled reads one table. A test holds the shipped artefact; of a damaged one
// nothing is translated.
func readCompiled(body string, rows func() string) *Table {
	t := &Table{}
	if text, err := io.ReadAll(flate.NewReader(strings.NewReader(body))); err != nil || json.Unmarshal(text, t) != nil {
		t = &Table{}
	}
	t.build(rows)
	return t
}
