// Package platform recognises the platform of a machine and reads its facts from rules/platforms, and the
// vendors' data of each processor. A machine that cannot be recognised stays unknown with the reason.
package platform

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/compiled"
)

// Platform is one file of rules/platforms: how a processor generation attaches its memory, and what its
// documents recommend for populating it. It is the file's first YAML document; the second, recogniseFile, is read
// only to build the index.
type Platform struct {
	ID   string `yaml:"id"`
	Name string `yaml:"name"`
	// NUMA is false on front-side-bus machines.
	NUMA bool `yaml:"numa"`
	// ChannelsPerSocket is 0 on a front-side-bus machine, which has ChannelsPerSystem; if both are 0 the number
	// is not documented.
	ChannelsPerSocket int `yaml:"channels_per_socket"`
	ChannelsPerSystem int `yaml:"channels_per_system"`
	// Controllers per socket; 0 if unknown.
	Controllers int `yaml:"controllers"`
	MaxDPC      int `yaml:"max_dpc"`
	// Policy is the interleave policy of the population model; "" means that a population is counted, not
	// graded.
	Policy string `yaml:"policy"`
	// Speeds in MT/s by DIMM kind (rdimm-1r2r, lrdimm-4r ...), by DIMMs per channel from one; 0 is "not
	// supported or not documented".
	Speeds map[string][]int `yaml:"speeds"`
	// MostDPC limits the DIMMs of one kind per channel, if a document allows fewer of it than MaxDPC.
	MostDPC map[string]int `yaml:"max_dpc_of"`
	// AlsoNormal are speeds of single vendors' boards, by DPC.
	AlsoNormal map[string][]int `yaml:"also_normal"`
	// RecommendedDIMMs, AcceptableDIMMs and AllowedDIMMs are counts per socket (per system on a front-side
	// bus).
	RecommendedDIMMs []int `yaml:"recommended_dimms"`
	AcceptableDIMMs  []int `yaml:"acceptable_dimms"`
	AllowedDIMMs     []int `yaml:"allowed_dimms"`
	// LockstepPairs is true if DIMMs are installed in lockstep pairs (EX).
	LockstepPairs bool `yaml:"lockstep_pairs"`
	// LockstepChannels are the pairs of channels behind the two buffers of a controller, in fill order: the
	// first half belongs to controller 0.
	LockstepChannels [][]int `yaml:"lockstep_channels"`
	// LockstepBoards are the products with slot labels that number the channels this way.
	LockstepBoards []Board `yaml:"lockstep_boards"`
	// SpeedDependsOnDPC is false if only the processor limits the speed.
	SpeedDependsOnDPC bool `yaml:"speed_depends_on_dpc"`
	// SpeedByMode is true if the highest speed applies in one memory mode only, so that a lower one is not a
	// finding.
	SpeedByMode bool `yaml:"speed_by_mode"`
	// ProcessorMTs are speeds in MT/s by processor number that take precedence over the processor table; "*" is
	// every part of the platform.
	ProcessorMTs map[string]int `yaml:"processor_mts"`
	// ZeroDIMMsLegal is true if processors have HBM.
	ZeroDIMMsLegal bool `yaml:"zero_dimms_legal"`
	// NoDIMMs is true if memory is soldered and there are no slots.
	NoDIMMs bool `yaml:"no_dimms"`
	// UniformDIMMs is true if the document requires identical DIMMs.
	UniformDIMMs bool `yaml:"uniform"`
	// Buffered is true if memory buffers are between the processor's links and the DDR channels: the processor
	// table counts the links.
	Buffered bool `yaml:"buffered"`
	// OwnChannels names modules that each have their own memory channels (SOCAMM), so that a missing or smaller
	// one is found by number and size, not by channel; "" for DIMMs.
	OwnChannels string `yaml:"own_channels"`
	// ModulesPerSocket is how many of them a processor takes; 0 if unknown.
	ModulesPerSocket int `yaml:"modules_per_socket"`
	// RatedBelow is true for processors whose rated bandwidth is below the sum of their channels (AMD EPYC
	// 7232P, 7252, 7272, 7282: half), so that the effect of fewer channels is unknown.
	RatedBelow bool `yaml:"rated_below"`
	// MemorylessNodes is the number of a processor's nodes without a memory channel (dies of Threadripper
	// 2970WX and 2990WX).
	MemorylessNodes int `yaml:"memoryless_nodes"`
	// SixChannels is true if ACDEGH interleaves as one set (Milan).
	SixChannels bool `yaml:"six_channels"`
	// NodePartsInOrder is true if the NUMA nodes of a processor (NPS2, NPS4) consist of consecutive channel
	// numbers.
	NodePartsInOrder bool `yaml:"node_parts_in_order"`
	// Classes is the document's own classification scheme, "" if it has none.
	Classes string `yaml:"classes"`
	// BoardDepth is the number of DIMMs per channel from which boards differ in speed, so that a document
	// applies only to its own vendor's boards.
	BoardDepth int `yaml:"board_depth"`
	// Boards are limits set by a board, whatever the processor.
	Boards []Board `yaml:"boards"`
	// Measured are layouts with a documented bandwidth measurement.
	Measured []Measurement `yaml:"measured"`
	// Loaded is the latency of reads under load, zero if no document measured it.
	Loaded LoadedLatency `yaml:"loaded_latency"`
	// EDACOrder lists the boards on which the kernel's driver counts controllers and channels in the order of
	// the slot map, as label files confirm.
	EDACOrder []EDACOrder `yaml:"edac_order"`
	// Parts are processors whose facts differ from the platform's.
	Parts []Variant `yaml:"parts"`
	// Verified is false if the row as a whole is from general knowledge; Unverified names single fields that
	// are.
	Verified   bool     `yaml:"verified"`
	Unverified []string `yaml:"unverified"`
	// Notes are sentences of the document that a report may quote, by topic.
	Notes map[string]string `yaml:"notes"`
	// Citation is the document behind the row.
	Citation Citation `yaml:"citation"`
	// Sources are the keys of all documents behind the row, defined in rules/platforms/sources.tsv.
	Sources []string `yaml:"sources"`
	// Guides are the keys of documents with recommendations, but without any number of the row.
	Guides []string `yaml:"guides"`
	// Documents are the listed documents of Guides, then of Sources, in their order.
	Documents []Document `yaml:"-"`
	// Authors are the vendors of machines that Sources cover.
	Authors []Author `yaml:"-"`
	// Recognised is how it was recognised: cpuid, brand, product, or candidate for the only platform with the
	// CPUID if the brand string does not decide.
	Recognised string `yaml:"-"`
}

// Variant overrides facts of a platform for processors with a matching brand.
type Variant struct {
	Brand             string           `yaml:"brand"`
	ChannelsPerSocket int              `yaml:"channels_per_socket"`
	MaxDPC            int              `yaml:"max_dpc"`
	Speeds            map[string][]int `yaml:"speeds"`
	RecommendedDIMMs  []int            `yaml:"recommended_dimms"`
	AcceptableDIMMs   []int            `yaml:"acceptable_dimms"`
	ProcessorMTs      map[string]int   `yaml:"processor_mts"`
	RatedBelow        bool             `yaml:"rated_below"`
	MemorylessNodes   int              `yaml:"memoryless_nodes"`
	Unverified        []string         `yaml:"unverified"`
}

// TakesRegistered reports whether the platform supports registered modules, as server processors do.
func (p *Platform) TakesRegistered() bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.Speeds)), func(kind string) bool {
		return strings.HasPrefix(kind, "rdimm") || strings.HasPrefix(kind, "lrdimm")
	})
}

// Board is a server model, with the speed limit in MT/s that it sets, if any.
type Board struct {
	Product  string `yaml:"product"`
	MaxMTs   int    `yaml:"max_mts"`
	Source   string `yaml:"source"`
	Verified bool   `yaml:"verified"`
}

// UnmarshalYAML reads a board, whose data have a document unless it says otherwise.
func (b *Board) UnmarshalYAML(n *yaml.Node) error {
	type plain Board
	b.Verified = true
	return n.Decode((*plain)(b))
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

// DescribeFigures returns the figures in words, "" without any.
func (l *LoadedLatency) DescribeFigures() string {
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

// RowPart is the part of the compiled knowledge with one platform: an audit needs one of many.
func RowPart(id string) string { return "platforms/" + id }

// LoadByID reads a platform of rules/platforms by its id.
func LoadByID(k fs.FS, id string) (*Platform, error) { return loadPlatform(k, id, "") }

// A site's own platform or documents are not compiled. brand chooses among the parts of the platform that differ.
func loadPlatform(k fs.FS, id, brand string) (*Platform, error) {
	p, err := compiled.Part[Platform](k, RowPart(id))
	if errors.Is(err, fs.ErrNotExist) {
		var own *Info
		if own, err = readFile(k, id); err == nil {
			p, err = own.Platform, own.addDocuments(k)
		}
	}
	if err == nil {
		err = p.selectPart(brand)
	}
	if err != nil {
		return nil, fmt.Errorf("read platform %s: %w", id, err)
	}
	return &p, nil
}

func (p *Platform) addDocuments(k fs.FS) (err error) {
	keys := slices.Concat(p.Guides, p.Sources)
	all, _ := platformDocuments(k, keys) // a site's own platform may have no list
	for _, key := range keys {
		if d, ok := all[key]; ok {
			p.Documents = append(p.Documents, d)
		}
	}
	p.Authors, err = authorsOf(k, p.Sources)
	return err
}

func (p *Platform) selectPart(brand string) error {
	for _, part := range p.Parts {
		re, err := regexp.Compile("(?i)" + part.Brand)
		if err != nil {
			return fmt.Errorf("pattern %q of a part: %w", part.Brand, err)
		}
		if !re.MatchString(brand) {
			continue
		}
		p.ChannelsPerSocket, p.MaxDPC = cmp.Or(part.ChannelsPerSocket, p.ChannelsPerSocket), cmp.Or(part.MaxDPC, p.MaxDPC)
		if part.RecommendedDIMMs != nil {
			p.RecommendedDIMMs = part.RecommendedDIMMs
		}
		if part.AcceptableDIMMs != nil {
			p.AcceptableDIMMs = part.AcceptableDIMMs
		}
		if part.Speeds != nil {
			p.Speeds = part.Speeds
		}
		if part.ProcessorMTs != nil {
			p.ProcessorMTs = part.ProcessorMTs
		}
		p.RatedBelow = p.RatedBelow || part.RatedBelow
		p.MemorylessNodes = max(p.MemorylessNodes, part.MemorylessNodes)
		p.Unverified = slices.Concat(p.Unverified, part.Unverified) // the platform is kept for the next audit
		return nil
	}
	return nil
}

// IDs lists the platforms of rules/platforms, sorted.
func IDs(k fs.FS) ([]string, error) {
	names, err := fs.Glob(k, "platforms/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list platforms: %w", err)
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(path.Base(name), ".yaml")
	}
	return names, nil
}
