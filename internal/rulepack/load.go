package rulepack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/facts"
)

// maxPackBytes bounds one file of rules.
const maxPackBytes = 4 << 20

// Complaint is one fault of a pack with its place.
type Complaint struct {
	File         string
	Line, Column int
	Text         string
}

// String prints file:line:column: text.
func (c Complaint) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", c.File, c.Line, c.Column, c.Text)
}

// Error implements error.
func (c Complaint) Error() string { return c.String() }

// Complaints are all faults found; as an error it prints one a line.
type Complaints []Complaint

// maxComplaints bounds the faults told of one file.
const maxComplaints = 200

// add appends a complaint; of very many the rest is left out.
func (c Complaints) add(more Complaint) Complaints {
	switch {
	case len(c) < maxComplaints:
		return append(c, more)
	case len(c) == maxComplaints:
		more.Text = "more faults than are told here, the next: " + more.Text
		return append(c, more)
	default:
		return c
	}
}

func (c Complaints) Error() string {
	lines := make([]string, len(c))
	for i, e := range c {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

// ParsePack reads one file of rules and profiles. It reports every unknown
// key and wrong type with line and column; expressions are checked by Validate.
func ParsePack(file string, data []byte) (*Pack, Complaints) {
	if len(data) > maxPackBytes {
		return nil, Complaints{{file, 1, 1, fmt.Sprintf("file of %d bytes, at most %d are read", len(data), maxPackBytes)}}
	}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return &Pack{File: file}, nil
		}
		return nil, Complaints{yamlComplaint(file, err)}
	}
	root := doc.Content[0]
	if faults := checkKeys(file, root); len(faults) > 0 {
		return nil, faults
	}
	p := &Pack{File: file}
	if err := root.Decode(p); err != nil {
		return nil, yamlComplaints(file, err)
	}
	p.adopt(root)
	return p, nil
}

// adopt connects rules and profiles to their pack and their place in the file.
func (p *Pack) adopt(root *yaml.Node) {
	rules, profiles := child(root, "rules"), child(root, "profiles")
	for i, r := range p.Rules {
		r.pack, r.node = p, rules.Content[i]
		if r.For == nil {
			r.For = p.For
		}
		if r.Subject == "" {
			r.Subject = facts.SubjectMachine
		}
		r.measure()
	}
	for i, q := range p.Profiles {
		q.pack, q.node = p, profiles.Content[i]
		if q.For == nil {
			q.For = p.For
		}
	}
}

// child finds a key's value in a mapping, nil when absent.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return resolve(n.Content[i+1])
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// yamlComplaint reads the line out of a yaml error: "yaml: line 3: ...".
func yamlComplaint(file string, err error) Complaint {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if n, tail, ok := strings.Cut(rest, ": "); ok {
			if _, scanErr := fmt.Sscanf(n, "%d", &line); scanErr == nil {
				text = tail
			}
		}
	}
	return Complaint{file, line, 1, text}
}

func yamlComplaints(file string, err error) Complaints {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return Complaints{yamlComplaint(file, err)}
	}
	var out Complaints
	for _, e := range te.Errors {
		out = append(out, yamlComplaint(file, errors.New(e)))
	}
	return out
}

// LoadDir reads every .yaml file below a folder of rules, in name order. A
// file that cannot be read is a complaint, never a silent gap.
func LoadDir(fsys fs.FS, dir string, site bool) ([]*Pack, Complaints) {
	var packs []*Pack
	var faults Complaints
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			faults = append(faults, Complaint{name, 1, 1, err.Error()})
			return nil
		}
		if d.IsDir() && holdsData(d.Name()) {
			return fs.SkipDir
		}
		if ext := path.Ext(name); d.IsDir() || ext != ".yaml" && ext != ".yml" {
			return nil
		}
		p, f := loadFile(fsys, name, site)
		faults = append(faults, f...)
		if p != nil {
			packs = append(packs, p)
		}
		return nil
	})
	if err != nil {
		faults = append(faults, Complaint{dir, 1, 1, err.Error()})
	}
	return packs, faults
}

func loadFile(fsys fs.FS, name string, site bool) (*Pack, Complaints) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, Complaints{{name, 1, 1, err.Error()}}
	}
	p, faults := ParsePack(name, data)
	if p != nil {
		p.Site = site
	}
	return p, faults
}

// holdsData reports whether a folder of that name holds no packs but data of
// other shapes.
func holdsData(name string) bool {
	return name == "platforms" || name == "slots" || name == "settings" || name == "explain" || name == "parts"
}

// builtinDirs are the folders of the embedded rules that hold packs.
func builtinDirs(fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !holdsData(e.Name()) {
			out = append(out, e.Name())
		}
	}
	sort.Strings(out)
	return out, nil
}

// LoadBuiltin reads the packs embedded in the binary.
func LoadBuiltin(fsys fs.FS) ([]*Pack, error) {
	dirs, err := builtinDirs(fsys)
	if err != nil {
		return nil, fmt.Errorf("rules: list the built-in packs: %w", err)
	}
	var packs []*Pack
	var faults Complaints
	for _, d := range dirs {
		p, f := LoadDir(fsys, d, false)
		packs, faults = append(packs, p...), append(faults, f...)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return packs, nil
}

// LoadPath reads a site's own rules: one file, or every .yaml file below a
// folder. Names in complaints begin with the given path.
func LoadPath(name string) ([]*Pack, Complaints) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, Complaints{{name, 1, 1, err.Error()}}
	}
	dir, start := name, "."
	if !st.IsDir() {
		dir, start = filepath.Dir(name), filepath.Base(name)
	}
	packs, faults := LoadDir(os.DirFS(dir), start, true)
	for _, p := range packs {
		p.File = filepath.Join(dir, p.File)
	}
	for i := range faults {
		faults[i].File = filepath.Join(dir, faults[i].File)
	}
	return packs, faults
}
