package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
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

// Author is a vendor of machines with documents among a platform's sources.
type Author struct {
	// Vendor is the name as VendorWord normalises it.
	Vendor string
	// Not lists parts of product names that its documents do not cover.
	Not []string
}

// Detail is what the population model needs of a platform beyond the fields that rules read.
type Detail struct {
	// Buffered is true if memory buffers are between the processor's links and the DDR channels: the processor
	// table counts the links.
	Buffered bool
	// OwnChannels names modules that each have their own memory channels (SOCAMM), so that a missing or smaller
	// one is found by number and size, not by channel; "" for DIMMs.
	OwnChannels string
	// ModulesPerSocket is how many of them a processor takes; 0 if unknown.
	ModulesPerSocket int
	// RatedBelow is true for processors whose rated bandwidth is below the sum of their channels (AMD EPYC
	// 7232P, 7252, 7272, 7282: half), so that the effect of fewer channels is unknown.
	RatedBelow bool
	// MemorylessNodes is the number of a processor's nodes without a memory channel (dies of Threadripper
	// 2970WX and 2990WX).
	MemorylessNodes int
	// SpeedByMode is true if the highest speed applies in one memory mode only, so that a lower one is not a
	// finding.
	SpeedByMode bool
	// SixChannels is true if ACDEGH interleaves as one set (Milan).
	SixChannels bool
	// NodePartsInOrder is true if the NUMA nodes of a processor (NPS2, NPS4) consist of consecutive channel
	// numbers.
	NodePartsInOrder bool
	// LockstepChannels are the pairs of channels behind the two buffers of a controller, in fill order: the
	// first half belongs to controller 0.
	LockstepChannels [][]int
	// LockstepBoards are the products with slot labels that number the channels this way.
	LockstepBoards []Board
	// Classes is the document's own classification scheme, "" if it has none.
	Classes string
	// ProcessorMTs are speeds in MT/s by processor number that take precedence over the processor table; "*" is
	// every part of the platform.
	ProcessorMTs map[string]int
	// BoardDepth is the number of DIMMs per channel from which boards differ in speed, so that a document
	// applies only to its own vendor's boards.
	BoardDepth int
	// Boards are limits set by a board, whatever the processor.
	Boards []Board
	// Measured are layouts with a documented bandwidth measurement.
	Measured []Measurement
	// Loaded is the latency of reads under load, zero if no document measured it.
	Loaded LoadedLatency
	// EDACOrder lists the boards on which the kernel's driver counts controllers and channels in the order of
	// the slot map, as label files confirm.
	EDACOrder []EDACOrder
	// Sources are the keys of all documents behind the row, defined in rules/platforms/sources.tsv.
	Sources []string
	// Guides are the keys of documents with recommendations, but without any number of the row.
	Guides []string
	// Documents are the listed documents of Guides, then of Sources, in their order.
	Documents []Document
	// Authors are the vendors of machines that Sources cover.
	Authors []Author
}

// Board is a server model, with the speed limit in MT/s that it sets, if any.
type Board struct {
	Product  string `yaml:"product"`
	MaxMTs   int    `yaml:"max_mts"`
	Source   string `yaml:"source"`
	Verified *bool  `yaml:"verified"`
}

// EDACOrder are one vendor's boards that match Products and not Except (regular expressions over product and
// board; an empty Products matches all, an empty Except none).
type EDACOrder struct {
	Maker    string `yaml:"maker"`
	Products string `yaml:"products"`
	Except   string `yaml:"except"`
	// Channels are the slot map's channels, by the driver's channel; empty if they are the same.
	Channels []int  `yaml:"channels"`
	Source   string `yaml:"source"`
}

// Covers reports whether it applies to the boards of a product; an invalid pattern covers nothing.
func (o *EDACOrder) Covers(product string) bool {
	in, err := regexp.Compile("(?i)" + o.Products)
	if err != nil || !in.MatchString(product) {
		return false
	}
	if o.Except == "" {
		return true
	}
	out, err := regexp.Compile("(?i)" + o.Except)
	return err == nil && !out.MatchString(product)
}

// Measurement is relative bandwidth by layout as one document measured it, on the products that match:
// "1-1|1-0" (lockstep pairs), "4/8" (channels, one DIMM each), "6/6, 1 per channel", "3/3, 2 per channel, 1066
// MT/s".
type Measurement struct {
	Product string             `yaml:"product"`
	Layouts map[string]float64 `yaml:"layouts"`
	// DIMMs are the lowest and the highest share at an equal clock that the document states for a number of equal
	// DIMMs, spread evenly over a processor's channels and controllers.
	DIMMs map[int][]float64 `yaml:"dimms"`
	// Spared maps a layout to the one that sparing leaves of it.
	Spared map[string]string `yaml:"spared"`
	// Sockets (populated), Slots (per processor) and BestMTs (its highest memory speed in MT/s) are the
	// conditions of the measurement; 0 is any.
	Sockets int    `yaml:"sockets"`
	Slots   int    `yaml:"slots"`
	BestMTs int    `yaml:"best_mts"`
	Source  string `yaml:"source"`
}

// LoadedLatency is the lowest and the highest latency in nanoseconds while reads take half of the peak (empty if that was not
// measured), and while they saturate the channels, of the processors Of.
type LoadedLatency struct {
	Half      []float64 `yaml:"half"`
	Saturated []float64 `yaml:"saturated"`
	Of        string    `yaml:"of"`
	Source    string    `yaml:"source"`
}

// Words returns the figures in words, "" without any.
func (l *LoadedLatency) Words() string {
	var out []string
	for _, at := range []struct {
		ns   []float64
		load string
	}{{l.Half, " at half of the peak"}, {l.Saturated, " saturated"}} {
		if len(at.ns) == 2 {
			out = append(out, Nanoseconds(at.ns)+at.load)
		}
	}
	if out == nil {
		return ""
	}
	return "reads " + strings.Join(out, ", ") + " (" + l.Of + ")"
}

// Nanoseconds prints the lowest and the highest latency: "118 to 128 ns", "158 ns".
func Nanoseconds(between []float64) string {
	if between[0] == between[1] {
		return fmt.Sprintf("%g ns", between[0])
	}
	return fmt.Sprintf("%g to %g ns", between[0], between[1])
}

// Interleave policies of docs/population.md, Regions.
const (
	PolicyAny          = "any"
	PolicySymmetricIMC = "symmetric-imc"
	PolicyEX           = "ex-lockstep"
	PolicyAMD          = "amd-mode"
	PolicyZen4         = "amd-zen4"
	PolicySingle       = "single"
)

// unreadable returns an error that names the file, and the line if the decoder names one.
func unreadable(file string, err error) error {
	text := err.Error()
	var wrong *yaml.TypeError
	if errors.As(err, &wrong) {
		text = strings.Join(wrong.Errors, "; ")
	}
	text = strings.TrimPrefix(text, "yaml: ")
	if rest, found := strings.CutPrefix(text, "line "); found {
		return fmt.Errorf("read platform: %s:%s", file, rest)
	}
	return fmt.Errorf("read platform: %s: %s", file, text)
}
