package platform

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// platformFile is the first YAML document of a file in rules/platforms; the second, recogniseFile, is read only
// to build the index.
type platformFile struct {
	ID            string `yaml:"id"`
	Name          string `yaml:"name"`
	Verified      *bool  `yaml:"verified"`
	NUMA          *bool  `yaml:"numa"`
	platformFacts `yaml:",inline"`
	Parts         []platformPart    `yaml:"parts"`
	PerSystem     int               `yaml:"channels_per_system"`
	Controllers   int               `yaml:"controllers"`
	Policy        string            `yaml:"policy"`
	MostDPC       map[string]int    `yaml:"max_dpc_of"`
	AlsoNormal    map[string][]int  `yaml:"also_normal"`
	Boards        []Board           `yaml:"boards"`
	ByDPC         *bool             `yaml:"speed_depends_on_dpc"`
	ByMode        bool              `yaml:"speed_by_mode"`
	BoardDepth    int               `yaml:"board_depth"`
	Allowed       []int             `yaml:"allowed_dimms"`
	Lockstep      bool              `yaml:"lockstep_pairs"`
	LockChannels  [][]int           `yaml:"lockstep_channels"`
	LockBoards    []Board           `yaml:"lockstep_boards"`
	Buffered      bool              `yaml:"buffered"`
	Classes       string            `yaml:"classes"`
	SixChannels   bool              `yaml:"six_channels"`
	PartsInOrder  bool              `yaml:"node_parts_in_order"`
	Measured      []Measurement     `yaml:"measured"`
	Loaded        LoadedLatency     `yaml:"loaded_latency"`
	ZeroDIMMs     bool              `yaml:"zero_dimms_legal"`
	NoDIMMs       bool              `yaml:"no_dimms"`
	OwnChannels   string            `yaml:"own_channels"`
	Modules       int               `yaml:"modules_per_socket"`
	Uniform       bool              `yaml:"uniform"`
	Notes         map[string]string `yaml:"notes"`
	Citation      citationFile      `yaml:"citation"`
	EDACOrder     []EDACOrder       `yaml:"edac_order"`
	Sources       []string          `yaml:"sources"`
	Guides        []string          `yaml:"guides"`
}

type platformFacts struct {
	Channels     int              `yaml:"channels_per_socket"`
	MaxDPC       int              `yaml:"max_dpc"`
	Speeds       map[string][]int `yaml:"speeds"`
	Recommended  []int            `yaml:"recommended_dimms"`
	Acceptable   []int            `yaml:"acceptable_dimms"`
	ProcessorMTs map[string]int   `yaml:"processor_mts"`
	RatedBelow   bool             `yaml:"rated_below"`
	Memoryless   int              `yaml:"memoryless_nodes"`
	Unverified   []string         `yaml:"unverified"`
}

// platformPart overrides facts for processors with a matching brand.
type platformPart struct {
	Brand         string `yaml:"brand"`
	platformFacts `yaml:",inline"`
}

type recogniseFile struct {
	// Rest is set if the rows match processors that no other platform with the CPUID matches.
	Rest      bool           `yaml:"rest"`
	Recognise []recogniseRow `yaml:"recognise"`
	Brands    []string       `yaml:"brands"`
	Cases     []Case         `yaml:"cases"`
}

type recogniseRow struct {
	Vendor   string `yaml:"vendor"`
	Family   *int   `yaml:"family"`
	Model    *int   `yaml:"model"`
	Stepping []int  `yaml:"stepping"`
	Brand    string `yaml:"brand"`
	Product  string `yaml:"product"`
	Memory   string `yaml:"memory"`
	Codename string `yaml:"codename"`
	Sockets  int    `yaml:"sockets"`
	Verified *bool  `yaml:"verified"`
}

type citationFile struct {
	Key    string `yaml:"key"`
	Vendor string `yaml:"vendor"`
	Title  string `yaml:"title"`
	Year   int    `yaml:"year"`
	Place  string `yaml:"place"`
	URL    string `yaml:"url"`
}

func (f *platformFile) choose(brand string) error {
	for _, part := range f.Parts {
		re, err := regexp.Compile("(?i)" + part.Brand)
		if err != nil {
			return fmt.Errorf("pattern %q of a part: %w", part.Brand, err)
		}
		if re.MatchString(brand) {
			p := &part.platformFacts
			if p.Channels > 0 {
				f.Channels = p.Channels
			}
			if p.MaxDPC > 0 {
				f.MaxDPC = p.MaxDPC
			}
			if p.Speeds != nil {
				f.Speeds = p.Speeds
			}
			if p.Recommended != nil {
				f.Recommended = p.Recommended
			}
			if p.Acceptable != nil {
				f.Acceptable = p.Acceptable
			}
			if p.ProcessorMTs != nil {
				f.ProcessorMTs = p.ProcessorMTs
			}
			f.RatedBelow = f.RatedBelow || p.RatedBelow
			f.Memoryless = max(f.Memoryless, p.Memoryless)
			f.Unverified = slices.Concat(f.Unverified, p.Unverified) // the platform is kept for the next audit
			return nil
		}
	}
	return nil
}

func (f *platformFile) platform() *Platform {
	p := &Platform{
		ID: f.ID, Name: f.Name, NUMA: orTrue(f.NUMA),
		ChannelsPerSocket: f.Channels, ChannelsPerSystem: f.PerSystem,
		Controllers: f.Controllers, MaxDPC: f.MaxDPC, Policy: f.Policy,
		Speeds: f.Speeds, MostDPC: f.MostDPC, AlsoNormal: f.AlsoNormal,
		RecommendedDIMMs: f.Recommended, AcceptableDIMMs: f.Acceptable, AllowedDIMMs: f.Allowed,
		LockstepPairs: f.Lockstep, SpeedDependsOnDPC: orTrue(f.ByDPC),
		ZeroDIMMsLegal: f.ZeroDIMMs, NoDIMMs: f.NoDIMMs, UniformDIMMs: f.Uniform,
		Verified: orTrue(f.Verified), Notes: f.Notes, Citation: Citation(f.Citation),
		Detail: Detail{
			OwnChannels: f.OwnChannels, ModulesPerSocket: f.Modules,
			Buffered: f.Buffered, RatedBelow: f.RatedBelow, MemorylessNodes: f.Memoryless, SpeedByMode: f.ByMode, SixChannels: f.SixChannels,
			NodePartsInOrder: f.PartsInOrder, BoardDepth: f.BoardDepth,
			LockstepChannels: f.LockChannels, LockstepBoards: f.LockBoards, Classes: f.Classes, ProcessorMTs: f.ProcessorMTs,
			Boards: f.Boards, Measured: f.Measured, Loaded: f.Loaded, EDACOrder: f.EDACOrder, Sources: f.Sources, Guides: f.Guides,
		},
	}
	if p.BoardDepth == 0 {
		p.BoardDepth = defaultBoardDepth
	}
	if len(f.Unverified) > 0 {
		p.Unverified = make(map[string]bool, len(f.Unverified))
		for _, name := range f.Unverified {
			p.Unverified[name] = true
		}
	}
	return p
}

// defaultBoardDepth is the number of DIMMs per channel from which boards differ, unless the platform defines
// another.
const defaultBoardDepth = 3

func orTrue(b *bool) bool { return b == nil || *b }

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
