package platform

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// documentsFile lists the documents behind the platforms.
const documentsFile = "platforms/sources.tsv"

// Citation names a document.
type Citation struct {
	Key, Vendor, Title string
	Year               int
	Place, URL         string
}

// Authorities of a document.
const (
	// OfMaker is a maker of machines about its own; also what nothing is said of.
	OfMaker = "maker"
	// OfProcessorMaker is the maker of the platform's processors.
	OfProcessorMaker = "processor"
	// OfThird is somebody who makes neither: a review, a tutorial, a measurement.
	OfThird = "third"
	// OfCollection is a list of what was seen: evidence, which asks for nothing.
	OfCollection = "collection"
)

// Document is a document with what it may be cited for.
type Document struct {
	Citation
	// Authority is whose word it is.
	Authority string
	// Says lists what was read in it, in the words of rules/platforms/sources.tsv;
	// nil for a document that the list does not have.
	Says []string
}

// Speaks reports whether the document says something of one of the topics.
func (d *Document) Speaks(topics []string) bool {
	return slices.ContainsFunc(d.Says, func(s string) bool { return slices.Contains(topics, s) })
}

// platformDocuments reads the documents of the keys, or of all keys when there
// are none.
func platformDocuments(k fs.FS, keys []string) (map[string]Document, error) {
	raw, err := fs.ReadFile(k, documentsFile)
	if err != nil {
		return nil, fmt.Errorf("read the sources of the platforms: %w", err)
	}
	out := map[string]Document{}
	for line := range strings.Lines(string(raw)) {
		key, _, _ := strings.Cut(line, "\t")
		if strings.HasPrefix(line, "#") || keys != nil && !slices.Contains(keys, key) {
			continue
		}
		if col := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(col) == 6 || len(col) == 8 {
			out[key] = documentOf(col)
		}
	}
	return out, nil
}

// documentOf is a row; one of a site may end before the last two columns.
func documentOf(col []string) Document {
	d := Document{Authority: OfMaker, Citation: Citation{Key: col[0], Vendor: col[1], Title: col[2], Year: atoiOr(col[3], 0), Place: col[4], URL: col[5]}}
	if len(col) == 8 {
		d.Authority, d.Says = col[6], strings.Fields(col[7])
	}
	return d
}

// documentsBehind are those of the keys that are listed, in their order.
func documentsBehind(k fs.FS, keys []string) []Document {
	all, err := platformDocuments(k, keys)
	if err != nil {
		return nil // a site's own platform may have no list
	}
	var out []Document
	for _, key := range keys {
		if d, ok := all[key]; ok {
			out = append(out, d)
		}
	}
	return out
}
