package rulepack

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/settings"
)

// maxPackBytes limits the size of one file of rules.
const maxPackBytes = 4 << 20

// ParsePack parses one file of rules and profiles. It reports every unknown key and wrong type with line and
// column; Validate checks the expressions. The values of presets that profiles name are not loaded.
func ParsePack(file string, data []byte) (*Pack, datafile.Complaints) {
	if len(data) > maxPackBytes {
		return nil, datafile.Complaints{datafile.OfFile(file, fmt.Sprintf("file of %d bytes, at most %d are read", len(data), maxPackBytes))}
	}
	p, f := &Pack{File: file}, datafile.Parse(file, data)
	switch {
	case len(f.Faults) > 0:
		return nil, f.Faults
	case len(f.Docs) == 0:
		return p, nil
	case len(f.Docs) > 1:
		return nil, datafile.Complaints{{File: file, Line: f.Docs[1].Line, Column: 1, Text: "a second YAML document, expected one"}}
	case !f.Decode(0, p):
		return nil, f.Faults
	}
	root := f.Docs[0]
	rules, profiles := datafile.Value(root, "rules"), datafile.Value(root, "profiles")
	for i, r := range p.Rules {
		r.pack, r.node = p, rules.Content[i]
		r.For = cmp.Or(r.For, p.For)
		r.Subject = cmp.Or(r.Subject, facts.SubjectMachine)
		r.measureExpressions()
	}
	for i, q := range p.Profiles {
		q.pack, q.node = p, profiles.Content[i]
		q.For = cmp.Or(q.For, p.For)
		q.whole = func() *ProfileSpec { return q }
	}
	return p, nil
}

// LoadDir loads every .yaml file below a folder of rules, in name order. A file that cannot be read is an
// error, never skipped silently.
func LoadDir(fsys fs.FS, dir string) ([]*Pack, datafile.Complaints) {
	var packs []*Pack
	var faults datafile.Complaints
	presets := &presetReader{fsys: fsys, tables: map[string]*settings.Table{}}
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			faults = append(faults, datafile.OfFile(name, err.Error()))
			return nil
		}
		if d.IsDir() && holdsData(d.Name()) {
			return fs.SkipDir
		}
		if ext := path.Ext(name); d.IsDir() || ext != ".yaml" && ext != ".yml" {
			return nil
		}
		data, err := readPack(fsys, name)
		if err != nil {
			faults = append(faults, datafile.OfFile(name, err.Error()))
			return nil
		}
		p, found := ParsePack(name, data)
		if p != nil {
			found = presets.fillPresetWords(p)
		}
		if faults = append(faults, found...); len(found) == 0 {
			packs = append(packs, p)
		}
		return nil
	})
	if err != nil {
		faults = append(faults, datafile.OfFile(dir, err.Error()))
	}
	return packs, faults
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

func holdsData(name string) bool {
	return name == "platforms" || name == "slots" || name == "settings" || name == "explain" || name == "parts" || name == "events"
}

// LoadBuiltin loads the packs embedded in the binary.
func LoadBuiltin(fsys fs.FS) ([]*Pack, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("rules: list the built-in packs: %w", err)
	}
	var packs []*Pack
	var faults datafile.Complaints
	for _, e := range entries {
		if e.IsDir() && !holdsData(e.Name()) {
			p, f := LoadDir(fsys, e.Name())
			packs, faults = append(packs, p...), append(faults, f...)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return packs, nil
}

// LoadPath loads a site's own rules: one file, or every .yaml file below a folder. File names in errors begin
// with the given path.
func LoadPath(name string) ([]*Pack, datafile.Complaints) {
	st, err := os.Stat(name)
	if err != nil {
		var named *fs.PathError // the message already begins with the name
		if errors.As(err, &named) {
			err = named.Err
		}
		return nil, datafile.Complaints{datafile.OfFile(name, err.Error())}
	}
	dir, start := name, "."
	if !st.IsDir() {
		dir, start = filepath.Dir(name), filepath.Base(name)
	}
	packs, faults := LoadDir(os.DirFS(dir), start)
	for _, p := range packs {
		p.File = filepath.Join(dir, p.File)
		for _, r := range p.Rules {
			r.Narrowness++
		}
	}
	for i := range faults {
		faults[i].File = filepath.Join(dir, faults[i].File)
	}
	return packs, faults
}

// presetReader loads the values of the presets that profiles name; a table that several name is read once.
type presetReader struct {
	fsys   fs.FS
	tables map[string]*settings.Table
}

func (r *presetReader) vendorTable(name string) (*settings.Table, error) {
	if t := r.tables[name]; t != nil {
		return t, nil
	}
	t, err := settings.OpenTable(r.fsys, name)
	r.tables[name] = t
	return t, err
}

// The vendor's table is the only place for what a preset writes: a row that repeats it is an error.
func (r *presetReader) fillPresetWords(p *Pack) datafile.Complaints {
	var out datafile.Complaints
	for _, q := range p.Profiles {
		words, fault := r.presetWords(q)
		if fault != "" {
			out = out.Add(complaintAt(p.File, keyOrRule(q.node, "written_by"), fmt.Sprintf("profile %s: %s", q.ID, fault)))
			continue
		}
		table := datafile.Value(q.node, "settings")
		for i := range q.Settings {
			w := &q.Settings[i]
			if n, fault := w.setPresetWord(words[w.ID], keyOrRule(table, w.ID)); fault != "" {
				out = out.Add(complaintAt(p.File, n, fmt.Sprintf("profile %s: %s", q.ID, fault)))
			}
		}
	}
	return out
}

func (r *presetReader) presetWords(q *ProfileSpec) (words map[string]string, fault string) {
	if q.WrittenBy == nil {
		return nil, ""
	}
	preset := cmp.Or(q.WrittenBy.Preset, q.Preset)
	t, err := r.vendorTable(q.WrittenBy.Settings)
	if err != nil {
		return nil, err.Error()
	}
	if words = t.PresetMeaning(preset); words == nil {
		expected := "no preset: it says so of none"
		if all := t.PresetsWithMeaning(); len(all) > 0 {
			expected = "one of " + strings.Join(all, ", ")
		}
		return nil, fmt.Sprintf("the table of %s does not say what preset %q writes, expected %s", t.Vendor, preset, expected)
	}
	return words, ""
}

func (w *WantedSetting) setPresetWord(word string, row *yaml.Node) (n *yaml.Node, fault string) {
	switch {
	case word == "" && len(w.Also) > 0:
		return keyOrRule(row, "also"), w.ID + " has also, which adds to the word of a preset, and no preset writes it: expected want"
	case word == "":
		return nil, ""
	case len(w.Want) > 0:
		return keyOrRule(row, "want"), fmt.Sprintf("%s has want, but the preset writes it (%s): expected no want, or also with what stands for the same", w.ID, word)
	}
	w.Want, w.Also = append(Words{word}, w.Also...), nil
	return nil, ""
}

// RulesByID lists the rules of all packs by id, in the order of reports. Within one id the narrowest comes
// first; at equal width a site's own rule precedes a built-in one.
func RulesByID(packs []*Pack) [][]*Rule {
	rules := map[string][]*Rule{}
	for _, p := range packs {
		for _, r := range p.Rules {
			rules[r.ID] = append(rules[r.ID], r)
		}
	}
	out := make([][]*Rule, 0, len(rules))
	rank := func(id string) int {
		area, _, _ := strings.Cut(id, ".")
		if i := slices.Index(areaOrder[:], area); i >= 0 {
			return i
		}
		return len(areaOrder)
	}
	for _, id := range slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) }) {
		slices.SortStableFunc(rules[id], func(a, b *Rule) int { return cmp.Compare(b.Narrowness, a.Narrowness) })
		out = append(out, rules[id])
	}
	return out
}

// areaOrder is the order of areas in a report; others follow by name.
var areaOrder = [...]string{"firmware", "memory", "numa", "setting", "settings", "baseline", "measure"}

//go:generate go test -count=1 -run TestCompiledPacksAreCurrent . -update

// Part is the part of the compiled knowledge with the built-in rules and profiles, PiecesPart that with their texts,
// expressions and profiles.
const (
	Part       = "rules"
	PiecesPart = "pieces"
)

// builtin is the content of Part: the packs with the example of each rule's cases, and every expression parsed, by the digest of its
// text.
type builtin struct {
	Packs       []*Pack
	Expressions map[uint64]compiled.Piece
}

func digest(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}

// LoadCompiled reads the built-in rules.
func LoadCompiled(fsys fs.FS) ([]*Pack, error) {
	var in builtin
	if err := compiled.ReadPart(fsys, Part, &in); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	for _, p := range in.Packs {
		p.Expressions = func(src string, into any) (bool, error) {
			at, known := in.Expressions[digest(src)]
			if !known {
				return false, nil
			}
			return true, at.Decode(fsys, PiecesPart, into)
		}
		for _, r := range p.Rules {
			r.pack, r.knowledge = p, fsys
		}
		for _, q := range p.Listed {
			q.whole = func() *ProfileSpec {
				out := &ProfileSpec{ListedProfile: *q, pack: p}
				_ = q.Encoded.Decode(fsys, PiecesPart, out) // a test compares every profile with its file
				return out
			}
		}
	}
	return in.Packs, nil
}

// complaintAt returns one for a node; without a position it is at the file's beginning.
func complaintAt(file string, n *yaml.Node, text string) datafile.Complaint {
	if n == nil {
		return datafile.OfFile(file, text)
	}
	return datafile.Complaint{File: file, Line: n.Line, Column: n.Column, Text: text}
}
