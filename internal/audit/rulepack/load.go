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

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/facts"
)

// maxPackBytes limits the size of one file of rules.
const maxPackBytes = 4 << 20

// ParsePack parses one file of rules and profiles. It reports every unknown key and wrong type with line and
// column; Validate checks the expressions. The values of presets that profiles name are not loaded.
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
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, Complaints{{file, second.Content[0].Line, 1, "a second YAML document, expected one"}}
	case !errors.Is(err, io.EOF):
		return nil, Complaints{yamlComplaint(file, err)}
	}
	return packOf(file, doc.Content[0])
}

// packOf returns the pack of a file's document.
func packOf(file string, root *yaml.Node) (*Pack, Complaints) {
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

// adopt links rules and profiles to their pack and their position in the file.
func (p *Pack) adopt(root *yaml.Node) {
	rules, profiles := valueOfKey(root, "rules"), valueOfKey(root, "profiles")
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

// LoadDir loads every .yaml file below a folder of rules, in name order. A file that cannot be read is an
// error, never skipped silently.
func LoadDir(fsys fs.FS, dir string, site bool) ([]*Pack, Complaints) {
	var packs []*Pack
	var faults Complaints
	presets := newPresetReader(fsys)
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
		p, f := loadFile(fsys, name, site, presets)
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

func loadFile(fsys fs.FS, name string, site bool, presets *presetReader) (*Pack, Complaints) {
	data, err := readPack(fsys, name)
	if err != nil {
		return nil, Complaints{{name, 1, 1, err.Error()}}
	}
	p, faults := ParsePack(name, data)
	return finished(p, faults, site, presets)
}

// readPack reads a regular file: a pipe would block, and a device has no end.
func readPack(fsys fs.FS, name string) ([]byte, error) {
	st, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case st.Size() > maxPackBytes:
		return nil, fmt.Errorf("file of %d bytes, at most %d are read", st.Size(), maxPackBytes)
	}
	return fs.ReadFile(fsys, name)
}

// finished completes a loaded pack with what its file does not contain.
func finished(p *Pack, faults Complaints, site bool, presets *presetReader) (*Pack, Complaints) {
	if p == nil {
		return nil, faults
	}
	p.Site = site
	if faults := presets.fill(p); len(faults) > 0 {
		return nil, faults
	}
	return p, nil
}

// holdsData reports whether a folder of that name contains data files instead of packs.
func holdsData(name string) bool {
	return name == "platforms" || name == "slots" || name == "settings" || name == "explain" || name == "parts"
}

// builtinDirs are the folders of the embedded rules with packs.
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

// LoadBuiltin loads the packs embedded in the binary.
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

// LoadPath loads a site's own rules: one file, or every .yaml file below a folder. File names in errors begin
// with the given path.
func LoadPath(name string) ([]*Pack, Complaints) {
	st, err := os.Stat(name)
	if err != nil {
		var named *fs.PathError // the message already begins with the name
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, Complaints{{name, 1, 1, err.Error()}}
	}
	dir, start := name, "."
	if !st.IsDir() {
		dir, start = filepath.Dir(name), filepath.Base(name)
	}
	packs, faults := LoadDir(os.DirFS(dir), start, true)
	placeBelow(dir, packs, faults)
	return packs, faults
}

// LoadParsed is LoadPath for one file with parsed YAML.
func LoadParsed(name string, root *yaml.Node) ([]*Pack, Complaints) {
	dir := filepath.Dir(name)
	p, faults := packOf(filepath.Base(name), root)
	p, faults = finished(p, faults, true, newPresetReader(os.DirFS(dir)))
	var packs []*Pack
	if p != nil {
		packs = []*Pack{p}
	}
	placeBelow(dir, packs, faults)
	return packs, faults
}

// placeBelow prefixes the names of files with a folder.
func placeBelow(dir string, packs []*Pack, faults Complaints) {
	for _, p := range packs {
		p.File = filepath.Join(dir, p.File)
	}
	for i := range faults {
		faults[i].File = filepath.Join(dir, faults[i].File)
	}
}
