package platform

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/compiled"
)

// wholePlatformFile is both documents of a platform file.
type wholePlatformFile struct {
	platformFile
	recogniseFile
}

// readFiles reads every platform file, those that take what no other platform
// does last. An unknown key is an error.
func readFiles(k fs.FS) ([]wholePlatformFile, error) {
	names, err := fs.Glob(k, "platforms/*.yaml")
	if err != nil {
		return nil, err
	}
	files := make([]wholePlatformFile, 0, len(names))
	for _, name := range names {
		raw, err := fs.ReadFile(k, name)
		if err != nil {
			return nil, err
		}
		var f wholePlatformFile
		d := yaml.NewDecoder(bytes.NewReader(raw))
		d.KnownFields(true)
		if err := d.Decode(&f.platformFile); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if err := d.Decode(&f.recogniseFile); err != nil {
			return nil, fmt.Errorf("%s: how the platform is recognised: %w", name, err)
		}
		if want := "platforms/" + f.ID + ".yaml"; name != want {
			return nil, fmt.Errorf("%s: the platform's id is %q, expected in %s", name, f.ID, want)
		}
		files = append(files, f)
	}
	slices.SortStableFunc(files, func(a, b wholePlatformFile) int { return cmp.Compare(orderOfRest(a.Rest), orderOfRest(b.Rest)) })
	return files, nil
}

// orderOfRest puts what takes the rest after the others.
func orderOfRest(rest bool) int {
	if rest {
		return 1
	}
	return 0
}

// Index lists how the platforms are recognised, by their files.
func Index(k fs.FS) ([]IndexRow, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	var out []IndexRow
	for i := range files {
		for j := range files[i].Recognise {
			out = append(out, files[i].Recognise[j].indexed(files[i].ID, files[i].Rest))
		}
	}
	return out, nil
}

// indexed is the row in the index.
func (r *recogniseRow) indexed(id string, takesRest bool) IndexRow {
	out := IndexRow{ID: id, Vendor: r.Vendor, Family: -1, Model: -1, Steppings: r.Stepping, Verified: orTrue(r.Verified), Brand: r.Brand,
		Product: r.Product, Memory: r.Memory, Codename: r.Codename, Rest: takesRest, Sockets: r.Sockets}
	if r.Family != nil {
		out.Family = *r.Family
	}
	if r.Model != nil {
		out.Model = *r.Model
	}
	return out
}

// Rows are the platforms of a folder of rules by id, each encoded by itself with its documents: an audit needs one.
func Rows(k fs.FS) (map[string]compiled.Raw, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	out := map[string]compiled.Raw{}
	for i := range files {
		f := &files[i].platformFile
		row := platformRow{File: *f, Documents: documentsBehind(k, slices.Concat(f.Guides, f.Sources))}
		if row.Authors, err = authorsOf(k, f.Sources); err != nil {
			return nil, err
		}
		if out[f.ID], err = compiled.Encode(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}
