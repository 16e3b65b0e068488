package platform

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// Author is a maker of machines whose documents are among a platform's sources.
type Author struct {
	// Maker is the name as MakerWord folds it.
	Maker string
	// Not are parts of product names of which its documents say nothing.
	Not []string
}

// Detail is what the population model needs of a platform beyond the
// fields that rules read.
type Detail struct {
	// Buffered is true where memory buffers sit between the processor's links
	// and the DDR channels: the processor table counts the links.
	Buffered bool
	// OwnChannels names modules of which each has memory channels of its own (SOCAMM), so that one that is
	// missing or smaller is found by number and size and not by channel; "" for DIMMs.
	OwnChannels string
	// ModulesPerSocket is how many of them a processor takes; 0 if it is not known.
	ModulesPerSocket int
	// RatedBelow is true for processors that their maker rates below what their
	// channels give together (AMD EPYC 7232P, 7252, 7272, 7282: half), so that what
	// fewer channels leave of it is not known.
	RatedBelow bool
	// MemorylessNodes is the number of a processor's nodes that have no memory channel: dies without
	// one (Threadripper 2970WX, 2990WX).
	MemorylessNodes int
	// SpeedByMode is true where the highest speed holds in one memory mode
	// only, so that a lower one is not a finding.
	SpeedByMode bool
	// SixChannels is true where ACDEGH interleaves as one set (Milan).
	SixChannels bool
	// NodePartsInOrder is true where a NUMA part of a processor (NPS2, NPS4) is a
	// run of channels as they are numbered.
	NodePartsInOrder bool
	// LockstepChannels are the pairs of channels behind the two buffers of a
	// controller, in fill order: the first half belongs to controller 0.
	LockstepChannels [][]int
	// LockstepBoards are the products whose labels number the channels so.
	LockstepBoards []Board
	// Classes names the scheme of the document's own classes, "" without.
	Classes string
	// ProcessorMTs are speeds by processor number that go before the processor
	// table; "*" is every part of the platform.
	ProcessorMTs map[string]int
	// BoardDepth is the number of DIMMs per channel from which on boards differ
	// in speed, so that a document speaks for its own maker's boards only.
	BoardDepth int
	// Boards are limits that a board sets whatever the processor.
	Boards []Board
	// Measured are layouts whose bandwidth a document measured.
	Measured []Measurement
	// EDACOrder lists the boards on which the kernel's driver counts controllers
	// and channels in the order of the slot map, as label files confirm.
	EDACOrder []EDACOrder
	// Sources are the keys of all documents behind the row, resolved in
	// rules/platforms/sources.tsv.
	Sources []string
	// Guides are the keys of documents that ask for something and are behind no
	// number of the row.
	Guides []string
	// Documents are those of Guides, then Sources, that are listed, in their order.
	Documents []Document
	// Authors are the makers of machines that Sources speak of.
	Authors []Author
}

// Board is a server model, with the speed limit in MT/s that it sets, if any.
type Board struct {
	Product  string `yaml:"product"`
	MaxMTs   int    `yaml:"max_mts"`
	Source   string `yaml:"source"`
	Verified *bool  `yaml:"verified"`
}

// EDACOrder are one maker's boards that match Products and not Except (regular
// expressions over product and board; "" matches all, and none).
type EDACOrder struct {
	Maker    string `yaml:"maker"`
	Products string `yaml:"products"`
	Except   string `yaml:"except"`
	// Channels are the slot map's channel of each of the driver's; empty where they are the same.
	Channels []int  `yaml:"channels"`
	Source   string `yaml:"source"`
}

// Covers reports whether the boards of a product are among them; a pattern that
// cannot be read covers nothing.
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

// Measurement holds relative bandwidth by layout as one document measured it, on
// the products that match: "1-1|1-0" (lockstep pairs), "4/8" (channels, one
// module each), "6/6, 1 per channel", "3/3, 2 per channel, 1066 MT/s".
type Measurement struct {
	Product string             `yaml:"product"`
	Layouts map[string]float64 `yaml:"layouts"`
	// Spared says which layout is left of another one under sparing.
	Spared map[string]string `yaml:"spared"`
	// Sockets (populated), Slots (of a processor) and BestMTs (its highest
	// memory speed) are the conditions of the measurement; 0 is any.
	Sockets int    `yaml:"sockets"`
	Slots   int    `yaml:"slots"`
	BestMTs int    `yaml:"best_mts"`
	Source  string `yaml:"source"`
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

// channelPairs are pairs of channels that answer as one.
type channelPairs [][]int

// UnmarshalYAML refuses what is not a list of pairs: whoever reads the platform takes
// both channels of each without looking.
func (c *channelPairs) UnmarshalYAML(list *yaml.Node) error {
	var pairs [][]int
	if err := list.Decode(&pairs); err != nil {
		return err
	}
	for i, pair := range pairs {
		if len(pair) != 2 {
			return fmt.Errorf("line %d: lockstep_channels[%d]: %d channels, expected 2", list.Content[i].Line, i, len(pair))
		}
	}
	*c = pairs
	return nil
}

// unreadable says which file cannot be read, with the line where the decoder names one.
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
