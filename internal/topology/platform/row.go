package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/compiled"
)

// RowPart is the part of the compiled knowledge with the platforms, by id.
const RowPart = "platform-rows"

// platformRow is a platform as its file describes it, with its documents.
type platformRow struct {
	File      platformFile
	Documents []Document
	Authors   []Author
}

// ByID reads a platform of rules/platforms by its id.
func ByID(k fs.FS, id string) (*Platform, error) { return loadPlatform(k, id, "") }

// loadPlatform reads a compiled platform, or otherwise rules/platforms/ID.yaml; brand chooses among the parts
// of the platform that differ.
func loadPlatform(k fs.FS, id, brand string) (*Platform, error) {
	r, err := findRow(k, id)
	if err == nil && r == nil {
		r, err = readRow(k, id)
	}
	if err != nil {
		return nil, err
	}
	if err := r.File.choose(brand); err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	p := r.File.platform()
	p.Documents, p.Authors = r.Documents, r.Authors
	return p, nil
}

// readRow reads a platform from its file and the lists next to it.
func readRow(k fs.FS, id string) (*platformRow, error) {
	raw, err := fs.ReadFile(k, "platforms/"+id+".yaml")
	if err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	var r platformRow
	if err := yaml.Unmarshal(raw, &r.File); err != nil {
		return nil, unreadable("platforms/"+id+".yaml", err)
	}
	if r.File.ID != id {
		return nil, fmt.Errorf("read platform %s: its id is %q, expected the name of its file", id, r.File.ID)
	}
	r.Documents = documentsBehind(k, slices.Concat(r.File.Guides, r.File.Sources))
	if r.Authors, err = authorsOf(k, r.File.Sources); err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	return &r, nil
}

// findRow reads the compiled row of a platform; nil if there is none, because the platform or its documents are
// a site's own.
func findRow(k fs.FS, id string) (*platformRow, error) {
	rows, err := compiled.Part[map[string]compiled.Raw](k, RowPart)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && rows[id] == nil:
		return nil, nil // then its file is read
	case err != nil:
		return nil, err
	}
	var out platformRow
	err = compiled.Decode(rows[id], &out)
	return &out, err
}
