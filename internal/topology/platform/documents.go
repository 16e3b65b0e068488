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
	// FromVendor is a vendor of machines writing about its own; also the default.
	FromVendor = "maker"
	// FromCPUVendor is the vendor of the platform's processors.
	FromCPUVendor = "processor"
	// FromThirdParty is a third party: a review, a tutorial, a measurement.
	FromThirdParty = "third"
	// FromCollection is a list of observed machines: evidence without recommendations.
	FromCollection = "collection"
)

// Document is a document with what it may be cited for.
type Document struct {
	Citation
	// Authority is the kind of author.
	Authority string
	// Topics lists its topics, in the words of rules/platforms/sources.tsv; nil for a document that is not in the
	// list.
	Topics []string
}

// Covers reports whether the document covers one of the topics.
func (d *Document) Covers(topics []string) bool {
	return slices.ContainsFunc(d.Topics, func(s string) bool { return slices.Contains(topics, s) })
}

// platformDocuments reads the documents for the keys, or all documents if keys is empty.
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

// documentOf parses a row; one of a site may omit the last two columns.
func documentOf(col []string) Document {
	d := Document{Authority: FromVendor, Citation: Citation{Key: col[0], Vendor: col[1], Title: col[2], Year: atoiOr(col[3], 0), Place: col[4], URL: col[5]}}
	if len(col) == 8 {
		d.Authority, d.Topics = col[6], strings.Fields(col[7])
	}
	return d
}

// documentsBehind returns the listed documents of the keys, in their order.
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
