package settings

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/compiled"
)

// Part is the part of the compiled knowledge that holds the vendors' tables.
const Part = "settings"

// compiledHead is the entry of one table at the start of the part. The tables follow all heads, in
// the same order.
type compiledHead struct {
	manufacturers []string
	// size is the length of the packed table in bytes, whole that of the unpacked table.
	size, whole int
}

// mostTable limits an unpacked table, in bytes. The largest, HPE's, has 54 kB.
const mostTable = 1 << 20

func (h *compiledHead) code(c *compiled.Coding) {
	compiled.CodeList(c, &h.manufacturers, c.Text)
	c.Int(&h.size)
	c.Int(&h.whole)
}

// Compile makes Part from the tables of a folder. Each is compressed on its own because an audit
// needs at most a few of them; without compression the program would be 0.17 MB larger.
func Compile(fsys fs.FS, dir string) ([]byte, error) {
	tables, err := Load(fsys, dir)
	if err != nil {
		return nil, err
	}
	var heads []compiledHead
	var bodies bytes.Buffer
	for t := range tables.All() {
		table := compiled.NewWriter()
		t.code(table)
		text, before := table.Written(), bodies.Len()
		w, err := flate.NewWriter(&bodies, flate.BestCompression)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("settings: compile %s: %w", t.Vendor, err)
		}
		heads = append(heads, compiledHead{t.beginnings(), bodies.Len() - before, len(text)})
	}
	out := compiled.NewWriter()
	codeHeads(out, &heads)
	return append([]byte(out.Written()), bodies.Bytes()...), nil
}

func codeHeads(c *compiled.Coding, heads *[]compiledHead) {
	compiled.CodeList(c, heads, func(h *compiledHead) { h.code(c) })
}

// LoadCompiled reads the tables that Compile made. They were checked then and are not checked
// again.
func LoadCompiled(fsys fs.FS) (Tables, error) {
	raw, err := compiled.Part(fsys, Part)
	if err != nil {
		return Tables{}, fmt.Errorf("settings: %w", err)
	}
	var heads []compiledHead
	in := compiled.NewReader(raw)
	codeHeads(in, &heads)
	if err := in.Err(); err != nil {
		return Tables{}, fmt.Errorf("settings: %s: %w", compiled.File, err)
	}
	bodies := in.Rest()
	var all Tables
	for _, h := range heads {
		if h.size < 0 || h.size > len(bodies) || h.whole < 0 || h.whole > mostTable {
			return Tables{}, fmt.Errorf("settings: %s: a table of %d bytes, %d unpacked, where %d are left", compiled.File, h.size, h.whole, len(bodies))
		}
		body := bodies[:h.size]
		bodies = bodies[h.size:]
		all.entries = append(all.entries, vendorEntry{h.manufacturers, sync.OnceValue(func() *Table { return readCompiled(body, h.whole) })})
	}
	return all, nil
}

// readCompiled unpacks one table of a known length. If it is damaged the result is an empty table,
// which translates nothing; a test checks the shipped tables.
func readCompiled(body string, whole int) *Table {
	t := &Table{}
	var text strings.Builder
	text.Grow(whole)
	_, err := io.Copy(&text, flate.NewReader(strings.NewReader(body)))
	in := compiled.NewReader(text.String())
	if t.code(in); err != nil || in.Err() != nil {
		t = &Table{}
	}
	t.build()
	return t
}

// code reads or writes the content of a vendor's file and the spellings of its machines.
func (t *Table) code(c *compiled.Coding) {
	c.Text(&t.Vendor)
	compiled.CodeList(c, &t.Manufacturers, c.Text)
	compiled.CodeList(c, &t.Formats, c.Text)
	compiled.CodeMap(c, &t.Sources, func(s *Source) { s.code(c) })
	compiled.CodeList(c, &t.Except, c.Text)
	compiled.CodeMap(c, &t.Settings, func(list *[]Attribute) {
		compiled.CodeList(c, list, func(a *Attribute) { a.code(c) })
	})
	compiled.CodeList(c, &t.Masters, func(m *Master) { m.code(c) })
	compiled.CodeList(c, &t.Generations, func(g *Generation) { g.code(c) })
	compiled.CodeList(c, &t.Commands, func(command *Command) { command.code(c) })
	c.Text(&t.rows)
}

func (s *Source) code(c *compiled.Coding) {
	c.Text(&s.Vendor)
	c.Text(&s.Title)
	c.Int(&s.Year)
	c.Text(&s.Place)
	c.Text(&s.URL)
}

func (a *Attribute) code(c *compiled.Coding) {
	c.Text(&a.Name)
	c.Text(&a.Menu)
	c.Text(&a.Group)
	compiled.CodeMap(c, &a.Values, c.Text)
	compiled.CodeMap(c, &a.Texts, c.Text)
	c.Bool(&a.Numbers)
	c.Text(&a.With)
	compiled.CodeList(c, &a.For, c.Text)
	compiled.CodeList(c, &a.Tools, c.Text)
	c.Text(&a.Source)
	c.Bool(&a.Unverified)
	c.Text(&a.Note)
}

func (m *Master) code(c *compiled.Coding) {
	c.Text(&m.Setting)
	c.Text(&m.Attribute)
	compiled.CodeList(c, &m.Free, c.Text)
	compiled.CodeList(c, &m.Locks, c.Text)
	c.Bool(&m.Inert)
	compiled.CodeMap(c, &m.Means, func(words *map[string]string) { compiled.CodeMap(c, words, c.Text) })
	compiled.CodeList(c, &m.MeansFor, c.Text)
	c.Text(&m.Source)
}

func (g *Generation) code(c *compiled.Coding) {
	c.Text(&g.Source)
	compiled.CodeList(c, &g.For, c.Text)
	compiled.CodeList(c, &g.Products, c.Text)
	compiled.CodeList(c, &g.Firmware, c.Text)
}

func (d *Command) code(c *compiled.Coding) {
	c.Text(&d.Tool)
	compiled.CodeList(c, &d.Steps, c.Text)
	c.Text(&d.Form)
	c.Text(&d.Acts)
	compiled.CodeList(c, &d.For, c.Text)
	c.Text(&d.Source)
}
