package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
)

// RowPart is the part of the compiled knowledge with one platform: an audit needs one of many.
func RowPart(id string) string { return "platforms/" + id }

type platformRow struct {
	File      platformFile
	Documents []Document
	Authors   []Author
}

// ByID reads a platform of rules/platforms by its id.
func ByID(k fs.FS, id string) (*Platform, error) { return loadPlatform(k, id, "") }

// loadPlatform reads a compiled platform, or rules/platforms/ID.yaml if there is none, because the platform or its
// documents are a site's own; brand chooses among the parts of the platform that differ.
func loadPlatform(k fs.FS, id, brand string) (*Platform, error) {
	r, err := compiled.Part[platformRow](k, RowPart(id))
	if errors.Is(err, fs.ErrNotExist) {
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

func readRow(k fs.FS, id string) (r platformRow, err error) {
	raw, err := fs.ReadFile(k, "platforms/"+id+".yaml")
	if err != nil {
		return r, fmt.Errorf("read platform %s: %w", id, err)
	}
	if err := yaml.Unmarshal(raw, &r.File); err != nil {
		return r, unreadable("platforms/"+id+".yaml", err)
	}
	if r.File.ID != id {
		return r, fmt.Errorf("read platform %s: its id is %q, expected the name of its file", id, r.File.ID)
	}
	r.Documents = documentsBehind(k, slices.Concat(r.File.Guides, r.File.Sources))
	if r.Authors, err = authorsOf(k, r.File.Sources); err != nil {
		return r, fmt.Errorf("read platform %s: %w", id, err)
	}
	return r, nil
}
