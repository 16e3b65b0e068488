package platform

import (
	"fmt"
	"io/fs"
	"slices"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/datafile"
)

// wholePlatformFile is both YAML documents of a platform file.
type wholePlatformFile struct {
	platformFile
	recogniseFile
}

// readFiles reads every platform file and rejects unknown keys. Platforms that match the remaining processors
// of a CPUID come last.
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
		if err := datafile.Decode(raw, &f.platformFile, &f.recogniseFile); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if want := "platforms/" + f.ID + ".yaml"; name != want {
			return nil, fmt.Errorf("%s: the platform's id is %q, expected in %s", name, f.ID, want)
		}
		files = append(files, f)
	}
	// Platforms that match the remaining processors come last.
	slices.SortStableFunc(files, func(a, b wholePlatformFile) int {
		switch {
		case a.Rest == b.Rest:
			return 0
		case b.Rest:
			return -1
		}
		return 1
	})
	return files, nil
}

// Index lists how the platforms are recognised, from their files.
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

// Rows returns the platforms of a folder of rules with their documents, each encoded, by its part.
func Rows(k fs.FS) (map[string][]byte, error) {
	files, err := readFiles(k)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for i := range files {
		f := &files[i].platformFile
		row := platformRow{File: *f, Documents: documentsBehind(k, slices.Concat(f.Guides, f.Sources))}
		if row.Authors, err = authorsOf(k, f.Sources); err != nil {
			return nil, err
		}
		if out[RowPart(f.ID)], err = compiled.Encode(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}
