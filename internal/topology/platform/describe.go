package platform

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	yaml "go.yaml.in/yaml/v3"
)

// Info describes a platform for a reader.
type Info struct {
	Platform
	// Recognise lists the ways in which it is known.
	Recognise []Recognition
	// Brands are brand strings as machines print them.
	Brands []string
	// Cases are populations and what a check finds on them.
	Cases []Case
	// Parts are processors whose facts differ from the platform's.
	Parts []PartInfo
	// Documents are its guides and sources, resolved.
	Documents []Document
}

// Recognition is one way to know a platform; an empty field is not asked for.
type Recognition struct {
	Vendor string
	// Family and Model are -1 where CPUID is not asked for.
	Family, Model int
	Steppings     []int
	// Brand and Product are patterns, Memory is a kind of memory.
	Brand, Product, Memory string
	Verified               bool
}

// Case is a population of a platform's file and what a check finds on it.
type Case struct {
	Name string `yaml:"name"`
	// Brand of the processors; the first of Brands if it is empty.
	Brand string `yaml:"brand"`
	// DIMMs are the modules of each processor, Slots the slots of one.
	DIMMs []int `yaml:"dimms"`
	Slots int   `yaml:"slots"`
	// Memory is the modules' type, MTs the rate at which they are rated and run.
	Memory string `yaml:"memory"`
	MTs    int    `yaml:"mts"`
	// Finds maps rules to a result (pass, unknown, not_applicable) or the severity of a failure.
	Finds map[string]string `yaml:"finds"`
}

// PartInfo is what differs for the processors of a brand pattern.
type PartInfo struct {
	Brand string
	Platform
}

// Describer reads the files of single platforms by their ids, and the documents that
// they name once.
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
