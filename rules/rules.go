// Package rules embeds what memaudit knows: rule packs, profiles, platforms,
// slot maps and the processor table. The files are described in README.md
// beside this one.
package rules

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:generate go run ../internal/tools/generate ..

// Files that no audit reads lie packed in compiled.bin: as they are they were a megabyte of the program.
//
//go:embed compiled.bin platforms/modules.tsv platforms/observed-speeds.tsv slots/*.yaml slots/*.tsv settings/vocabulary.tsv settings/includes.tsv
var plainFiles embed.FS

//go:embed slots/sets.tsv
var slotSets string

// FS holds every data file below this folder but settings/spellings.tsv, which the settings'
// tables carry; the pages beside them are for readers of the repository.
var FS Files

// Files is the embedded knowledge.
type Files struct{ artefact }

// Text is a large table of which an audit looks for a few lines.
func (Files) Text(name string) (string, bool) {
	if name == "slots/sets.tsv" {
		return slotSets, true
	}
	return "", false
}

// Open implements fs.FS.
func (f Files) Open(name string) (fs.File, error) {
	if plain, err := plainFiles.Open(name); err == nil {
		if info, err := plain.Stat(); err != nil || !info.IsDir() {
			return plain, err
		}
	}
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name == withTables {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errWithTables}
	}
	if data, err := unpacked(name); err == nil {
		return &textFile{strings.NewReader(data), fileInfo{path.Base(name), int64(len(data)), 0o444}}, nil
	}
	entries, err := f.ReadDir(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &folder{name, entries}, nil
}

// ReadFile implements fs.ReadFileFS.
func (Files) ReadFile(name string) ([]byte, error) {
	if data, err := plainFiles.ReadFile(name); err == nil {
		return data, nil
	}
	data, err := unpacked(name)
	if name == withTables {
		err = errWithTables
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return []byte(data), nil
}

// ReadDir implements fs.ReadDirFS: what lies in a folder as it is, and what is packed.
func (Files) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := plainFiles.ReadDir(name)
	for _, e := range packedEntries(name) {
		if !slices.ContainsFunc(entries, func(have fs.DirEntry) bool { return have.Name() == e.Name() }) {
			entries, err = append(entries, e), nil
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
