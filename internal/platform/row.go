package platform

import (
	"fmt"
	"io/fs"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/compiled"
)

// RowPart is the part of the compiled knowledge that holds the platforms as their files
// say them, each with its documents: an audit needs one, and its YAML took longer than
// all the rest of recognising it.
const RowPart = "platform-rows"

// compiledRow is a platform as it is compiled ahead of time.
type compiledRow struct {
	file      platformFile
	documents []Document
	authors   []Author
}

// ByID reads a platform of rules/platforms by its id.
func ByID(k fs.FS, id string) (*Platform, error) { return loadPlatform(k, id, "") }

// loadPlatform reads a platform as it is compiled, else rules/platforms/ID.yaml; brand chooses
// among the parts of the platform that differ.
func loadPlatform(k fs.FS, id, brand string) (*Platform, error) {
	r, err := findRow(k, id)
	if err == nil && r == nil {
		r, err = readRow(k, id)
	}
	if err != nil {
		return nil, err
	}
	if err := r.file.choose(brand); err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	p := r.file.platform()
	p.Documents, p.Authors = r.documents, r.authors
	return p, nil
}

// readRow reads a platform from its file and the lists beside it.
func readRow(k fs.FS, id string) (*compiledRow, error) {
	raw, err := fs.ReadFile(k, "platforms/"+id+".yaml")
	if err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	var r compiledRow
	if err := yaml.Unmarshal(raw, &r.file); err != nil {
		return nil, unreadable("platforms/"+id+".yaml", err)
	}
	if r.file.ID != id {
		return nil, fmt.Errorf("read platform %s: its id is %q, expected the name of its file", id, r.file.ID)
	}
	r.documents = documentsBehind(k, slices.Concat(r.file.Guides, r.file.Sources))
	if r.authors, err = authorsOf(k, r.file.Sources); err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	return &r, nil
}

// rowTable finds a row: the ids and the lengths of what follows, platforms and then documents,
// which many of them share.
type rowTable struct {
	ids             []string
	rows, documents []int
}

func (t *rowTable) code(c *compiled.Coding) {
	compiled.CodeList(c, &t.ids, c.Text)
	compiled.CodeList(c, &t.rows, c.Int)
	compiled.CodeList(c, &t.documents, c.Int)
}

// CompileRows makes RowPart from the platform files and the lists beside them.
func CompileRows(k fs.FS) ([]byte, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	var t rowTable
	var bodies, documents []byte
	var keys []string
	for i := range files {
		f := &files[i].platformFile
		r := compiledRow{file: *f, documents: documentsBehind(k, slices.Concat(f.Guides, f.Sources))}
		if r.authors, err = authorsOf(k, f.Sources); err != nil {
			return nil, err
		}
		w := compiled.NewWriter()
		r.file.code(w)
		compiled.CodeList(w, &r.authors, func(a *Author) { a.code(w) })
		numbers := make([]int, 0, len(r.documents))
		for j := range r.documents {
			d := &r.documents[j]
			n := slices.Index(keys, d.Key)
			if n < 0 {
				n = len(keys)
				one := compiled.NewWriter()
				d.code(one)
				keys, t.documents, documents = append(keys, d.Key), append(t.documents, len(one.Written())), append(documents, one.Written()...)
			}
			numbers = append(numbers, n)
		}
		compiled.CodeList(w, &numbers, w.Int)
		t.ids, t.rows, bodies = append(t.ids, f.ID), append(t.rows, len(w.Written())), append(bodies, w.Written()...)
	}
	w := compiled.NewWriter()
	t.code(w)
	return slices.Concat([]byte(w.Written()), bodies, documents), nil
}

// findRow reads the row of a platform; nil where the artefact has none of it, as of a site's own
// platform, or no such part, as where a site has documents of its own.
func findRow(k fs.FS, id string) (*compiledRow, error) {
	text, err := compiled.Part(k, RowPart)
	if err != nil {
		return nil, nil //nolint:nilerr // its file is read then
	}
	var t rowTable
	c := compiled.NewReader(text)
	t.code(c)
	at := slices.Index(t.ids, id)
	if c.Err() != nil || at < 0 {
		return nil, c.Err()
	}
	var r compiledRow
	var numbers []int
	lengths := slices.Concat(t.rows, t.documents)
	body := compiled.NewReader(pieceOf(c.Rest(), lengths, at))
	r.file.code(body)
	compiled.CodeList(body, &r.authors, func(a *Author) { a.code(body) })
	compiled.CodeList(body, &numbers, body.Int)
	if len(numbers) > 0 {
		r.documents = make([]Document, len(numbers))
	}
	for i, n := range numbers {
		document := compiled.NewReader(pieceOf(c.Rest(), lengths, len(t.rows)+n))
		r.documents[i].code(document)
		if err := document.Err(); err != nil {
			return nil, err
		}
	}
	return &r, body.Err()
}

// pieceOf is one of the texts of these lengths that follow each other; none where the lengths
// are not those of the text.
func pieceOf(text string, lengths []int, n int) string {
	for i, length := range lengths {
		if length < 0 || length > len(text) {
			return ""
		}
		if i == n {
			return text[:length]
		}
		text = text[length:]
	}
	return ""
}

// code names what a platform's file says; how it is recognised is the index's.
func (f *platformFile) code(c *compiled.Coding) {
	c.Text(&f.ID)
	c.Text(&f.Name)
	compiled.CodePointer(c, &f.Verified, c.Bool)
	compiled.CodePointer(c, &f.NUMA, c.Bool)
	f.platformFacts.code(c)
	compiled.CodeList(c, &f.Parts, func(p *platformPart) { p.code(c) })
	c.Int(&f.PerSystem)
	c.Int(&f.Controllers)
	c.Text(&f.Policy)
	compiled.CodeMap(c, &f.MostDPC, c.Int)
	codeSpeeds(c, &f.AlsoNormal)
	compiled.CodeList(c, &f.Boards, func(b *Board) { b.code(c) })
	compiled.CodePointer(c, &f.ByDPC, c.Bool)
	c.Bool(&f.ByMode)
	c.Int(&f.BoardDepth)
	compiled.CodeList(c, &f.Allowed, c.Int)
	c.Bool(&f.Lockstep)
	compiled.CodeList(c, &f.LockChannels, func(pair *[]int) { compiled.CodeList(c, pair, c.Int) })
	compiled.CodeList(c, &f.LockBoards, func(b *Board) { b.code(c) })
	c.Bool(&f.Buffered)
	c.Text(&f.Classes)
	c.Bool(&f.SixChannels)
	c.Bool(&f.PartsInOrder)
	compiled.CodeList(c, &f.Measured, func(m *Measurement) { m.code(c) })
	c.Bool(&f.ZeroDIMMs)
	c.Bool(&f.NoDIMMs)
	c.Bool(&f.Uniform)
	compiled.CodeMap(c, &f.Notes, c.Text)
	f.Citation.code(c)
	compiled.CodeList(c, &f.EDACOrder, func(o *EDACOrder) { o.code(c) })
	compiled.CodeList(c, &f.Sources, c.Text)
	compiled.CodeList(c, &f.Guides, c.Text)
}

func (f *platformFacts) code(c *compiled.Coding) {
	c.Int(&f.Channels)
	c.Int(&f.MaxDPC)
	codeSpeeds(c, &f.Speeds)
	compiled.CodeList(c, &f.Recommended, c.Int)
	compiled.CodeList(c, &f.Acceptable, c.Int)
	compiled.CodeMap(c, &f.ProcessorMTs, c.Int)
	c.Bool(&f.RatedBelow)
	compiled.CodeList(c, &f.Unverified, c.Text)
}

func (p *platformPart) code(c *compiled.Coding) {
	c.Text(&p.Brand)
	p.platformFacts.code(c)
}

func codeSpeeds(c *compiled.Coding, speeds *map[string][]int) {
	compiled.CodeMap(c, speeds, func(mts *[]int) { compiled.CodeList(c, mts, c.Int) })
}

func (b *Board) code(c *compiled.Coding) {
	c.Text(&b.Product)
	c.Int(&b.MaxMTs)
	c.Text(&b.Source)
	compiled.CodePointer(c, &b.Verified, c.Bool)
}

func (m *Measurement) code(c *compiled.Coding) {
	c.Text(&m.Product)
	compiled.CodeMap(c, &m.Layouts, c.Float)
	compiled.CodeMap(c, &m.Spared, c.Text)
	c.Int(&m.Sockets)
	c.Int(&m.Slots)
	c.Int(&m.BestMTs)
	c.Text(&m.Source)
}

func (o *EDACOrder) code(c *compiled.Coding) {
	c.Text(&o.Maker)
	c.Text(&o.Products)
	c.Text(&o.Except)
	c.Text(&o.Source)
}

func (f *citationFile) code(c *compiled.Coding) { (*Citation)(f).code(c) }

func (d *Citation) code(c *compiled.Coding) {
	c.Text(&d.Key)
	c.Text(&d.Vendor)
	c.Text(&d.Title)
	c.Int(&d.Year)
	c.Text(&d.Place)
	c.Text(&d.URL)
}

func (d *Document) code(c *compiled.Coding) {
	d.Citation.code(c)
	c.Text(&d.Authority)
	compiled.CodeList(c, &d.Says, c.Text)
}

func (a *Author) code(c *compiled.Coding) {
	c.Text(&a.Maker)
	compiled.CodeList(c, &a.Not, c.Text)
}
