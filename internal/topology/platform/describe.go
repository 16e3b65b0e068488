package platform

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	yaml "go.yaml.in/yaml/v3"
)

// Info describes a platform for `memaudit platforms show`.
type Info struct {
	Platform
	// Recognise lists the ways to recognise it.
	Recognise []Recognition
	// Brands are brand strings as machines print them.
	Brands []string
	// Cases are populations with the expected findings.
	Cases []Case
	// Parts are processors whose facts differ from the platform's.
	Parts []PartInfo
	// Documents are its guides and sources.
	Documents []Document
}

// Recognition is one way to recognise a platform; an empty field is not compared.
type Recognition struct {
	Vendor string
	// Family and Model are -1 if CPUID is not compared.
	Family, Model int
	Steppings     []int
	// Brand and Product are patterns, Memory is a memory type.
	Brand, Product, Memory string
	Verified               bool
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

// PartInfo lists what differs for the processors of a brand pattern.
type PartInfo struct {
	Brand string
	Platform
}

// Describer returns a function that reads the file of one platform by its id; documents are read only once.
func Describer(k fs.FS) func(id string) (*Info, error) {
	read := sync.OnceValues(func() (map[string]Document, error) { return platformDocuments(k, nil) })
	return func(id string) (*Info, error) {
		documents, err := read()
		if err != nil {
			return nil, err
		}
		name := "platforms/" + id + ".yaml"
		p, err := describePlatform(k, name)
		if err != nil {
			return nil, fmt.Errorf("describe %s: %w", name, err)
		}
		for _, key := range slices.Concat(p.Guides, p.Sources) {
			p.Documents = append(p.Documents, documents[key])
		}
		return p, nil
	}
}

func describePlatform(k fs.FS, name string) (*Info, error) {
	raw, err := fs.ReadFile(k, name)
	if err != nil {
		return nil, err
	}
	var f platformFile
	var r recogniseFile
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	if err := dec.Decode(&f); err != nil {
		return nil, err
	}
	if err := dec.Decode(&r); err != nil {
		return nil, err
	}
	out := &Info{Platform: *f.platform(), Brands: r.Brands, Cases: r.Cases}
	for i := range f.Parts {
		own := platformFile{platformFacts: f.Parts[i].platformFacts}
		out.Parts = append(out.Parts, PartInfo{f.Parts[i].Brand, *own.platform()})
	}
	for i := range r.Recognise {
		out.Recognise = append(out.Recognise, r.Recognise[i].info())
	}
	return out, nil
}

func (r *recogniseRow) info() Recognition {
	number := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	return Recognition{Vendor: r.Vendor, Family: number(r.Family), Model: number(r.Model), Steppings: slices.Clone(r.Stepping),
		Brand: r.Brand, Product: r.Product, Memory: r.Memory, Verified: orTrue(r.Verified)}
}
