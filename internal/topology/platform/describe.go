package platform

import (
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

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
