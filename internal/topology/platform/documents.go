package platform

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const documentsFile = "platforms/sources.tsv"

// Citation names a document.
type Citation struct {
	Key    string `yaml:"key"`
	Vendor string `yaml:"vendor"`
	Title  string `yaml:"title"`
	Year   int    `yaml:"year"`
	Place  string `yaml:"place"`
	URL    string `yaml:"url"`
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
	// Unread is a vendor's document that is known by name alone: it is named, and nothing rests on it.
	Unread = "unread"
)

// Document is a document with what it may be cited for.
type Document struct {
	Citation
	// Authority is the kind of author.
	Authority string
	// Topics lists its topics, in the words of rules/platforms/sources.tsv; nil for a document that is not in the
	// list.
	Topics []string
	// Models are the products that it covers, and with * in a name those of a whole generation, as in
	// rules/platforms/sources.tsv; nil for a document that is not in the list, or that names no product.
	Models []string
}

// Author is a vendor of machines with documents among a platform's sources.
type Author struct {
	// Vendor is the name as VendorWord normalises it.
	Vendor string
	// Not lists parts of product names that its documents do not cover.
	Not []string
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
		if col := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(col) == 6 || len(col) == 8 || len(col) == 9 {
			year, _ := strconv.Atoi(col[3])
			d := Document{Authority: FromVendor, Citation: Citation{Key: col[0], Vendor: col[1], Title: col[2], Year: year, Place: col[4], URL: col[5]}}
			if len(col) > 6 {
				d.Authority, d.Topics = col[6], strings.Fields(col[7])
			}
			if len(col) > 8 {
				d.Models = strings.FieldsFunc(col[8], func(r rune) bool { return r == ';' })
			}
			out[key] = d
		}
	}
	return out, nil
}

// Info describes a platform for `memaudit platforms show`.
type Info struct {
	Platform
	recogniseFile
}

type recogniseFile struct {
	// Rest is set if the rows match processors that no other platform with the CPUID matches.
	Rest bool `yaml:"rest"`
	// Recognise lists the ways to recognise the platform.
	Recognise []IndexRow `yaml:"recognise"`
	// Brands are brand strings as machines print them.
	Brands []string `yaml:"brands"`
	// Cases are populations with the expected findings.
	Cases []Case `yaml:"cases"`
}

// Case is a population in a platform's file with the expected findings.
type Case struct {
	Name string `yaml:"name"`
	// Brand of the processors; the first of Brands if empty.
	Brand string `yaml:"brand"`
	// DIMMs is the number of DIMMs of each processor, Slots the slots per processor.
	DIMMs []int `yaml:"dimms"`
	Slots int   `yaml:"slots"`
	// Memory is the DIMMs' type, MTs their rated and configured speed in MT/s.
	Memory string `yaml:"memory"`
	MTs    int    `yaml:"mts"`
	// Finds maps rules to a result (pass, unknown, not_applicable) or the severity of a failure.
	Finds map[string]string `yaml:"finds"`
}

// Describer returns a function that reads the file of one platform by its id; documents are read only once.
func Describer(k fs.FS) func(id string) (*Info, error) {
	read := sync.OnceValues(func() (map[string]Document, error) { return platformDocuments(k, nil) })
	return func(id string) (*Info, error) {
		documents, err := read()
		if err != nil {
			return nil, err
		}
		p, err := readFile(k, id)
		if err != nil {
			return nil, fmt.Errorf("describe platform: %w", err)
		}
		for _, key := range slices.Concat(p.Guides, p.Sources) {
			p.Documents = append(p.Documents, documents[key])
		}
		slices.Sort(p.Unverified)
		return p, nil
	}
}
