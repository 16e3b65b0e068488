package platform

import (
	"fmt"
	"io/fs"
	"strings"
)

// platformDocuments reads the documents of platforms/sources.tsv by key.
func platformDocuments(k fs.FS) (map[string]Citation, error) {
	raw, err := fs.ReadFile(k, "platforms/sources.tsv")
	if err != nil {
		return nil, fmt.Errorf("read the sources of the platforms: %w", err)
	}
	out := map[string]Citation{}
	for line := range strings.Lines(string(raw)) {
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(col) == 6 && !strings.HasPrefix(line, "#") {
			out[col[0]] = Citation{Key: col[0], Vendor: col[1], Title: col[2], Year: atoiOr(col[3], 0), Place: col[4], URL: col[5]}
		}
	}
	return out, nil
}

// documentsBehind are the sources that rules/platforms/sources.tsv describes, in
// the order of the platform's file.
func documentsBehind(k fs.FS, keys []string) []Citation {
	all, err := platformDocuments(k)
	if err != nil {
		return nil // a site's own platform may have no list
	}
	var out []Citation
	for _, key := range keys {
		if c, ok := all[key]; ok {
			out = append(out, c)
		}
	}
	return out
}

// Citation names a document.
type Citation struct {
	Key, Vendor, Title string
	Year               int
	Place, URL         string
}
