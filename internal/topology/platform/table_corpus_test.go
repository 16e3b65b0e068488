//go:build corpus

package platform

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// tableRow is the rest of a row of the knowledge's platforms.yaml; each field names what it is compared with.
type tableRow struct {
	ID          string            `yaml:"id"`
	NUMA        *bool             `yaml:"numa"`
	PerSystem   int               `yaml:"channels_per_system"`
	SystemDIMMs []int             `yaml:"recommended_dimms_per_system"`
	Controllers yaml.Node         `yaml:"controllers"`
	Lockstep    bool              `yaml:"lockstep_pairs"`
	Buffers     int               `yaml:"buffers"`
	ByDPC       *bool             `yaml:"speed_depends_on_dpc"`
	Speeds      map[string][]*int `yaml:"speeds"`
	ByVendor    map[string][]*int `yaml:"speeds_by_vendor"`
	SKUMax      yaml.Node         `yaml:"sku_max"`
	Measured    map[string]float64
	Mixing      string `yaml:"mixing"`
	DellMixing  string `yaml:"dell_mixing"`
}

// tableRows are the rows of platforms that the project has; TestPlatformTable names the missing ones.
func tableRows(t *testing.T) []tableRow {
	name := corpustest.Shared(t, "knowledge/memory-population/platforms.yaml")
	tableOnce.Do(func() { tableOnce.rows = readTable(t, name) })
	return tableOnce.rows
}

// tableOnce keeps the rows for all tests, changed by none.
var tableOnce struct {
	sync.Once
	rows []tableRow
}

func readTable(t *testing.T, name string) []tableRow {
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	var table struct {
		Platforms []tableRow `yaml:"platforms"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &table))
	have := map[string]bool{}
	for _, f := range platformFiles(t) {
		have[f.ID] = true
	}
	table.Platforms = slices.DeleteFunc(table.Platforms, func(row tableRow) bool { return !have[row.ID] })
	require.GreaterOrEqual(t, len(table.Platforms), 44)
	return table.Platforms
}

// renamed maps kinds of DIMM to the names used in the code, "" if the table's row is a variant that is also normal.
var renamed = map[string]string{
	"rdimm-3ds-4r8r": "rdimm-4r8r", "rdimm-2r-dense-boards": "",
	"opteron-4100-1r": "rdimm-1r", "opteron-4100-2r": "rdimm-2r", "opteron-4100-4r": "rdimm-4r", "w-2100": "rdimm", "w-2200": "rdimm",
	"w3500": "rdimm", "w3570-3580-w3680-3690": "rdimm", "threadripper-ddr5 7000": "rdimm", "threadripper-ddr5 9000": "rdimm", "ryzen-am5 7000": "udimm", "ryzen-am5 9000": "udimm", "3000-5000-1r": "udimm-1r", "3000-5000-2r": "udimm-2r",
	"ddr3l": "", "opteron-6100-rdimm": "rdimm-1r2r", "rdimm-6700E": "rdimm", "ampereone-x": "rdimm", "ampereone-m": "rdimm",
}

// partBrands maps parts of a platform in a row of the table to brand strings.
var partBrands = map[string]string{
	"opteron-4100-1r": "AMD Opteron(tm) Processor 4180", "opteron-4100-2r": "AMD Opteron(tm) Processor 4180", "opteron-4100-4r": "AMD Opteron(tm) Processor 4180",
	"w-2100": "Intel(R) Xeon(R) W-2145 CPU @ 3.70GHz", "w-2200": "Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz",
	"w3500": "Intel(R) Xeon(R) CPU           W3520  @ 2.67GHz", "w3570-3580-w3680-3690": "Intel(R) Xeon(R) CPU           W3680  @ 3.33GHz",
	"threadripper-ddr5 7000": "AMD Ryzen Threadripper PRO 7965WX 24-Cores", "threadripper-ddr5 9000": "AMD Ryzen Threadripper PRO 9965WX 24-Cores",
	"ryzen-am5 7000": "AMD Ryzen 9 7950X 16-Core Processor", "ryzen-am5 9000": "AMD Ryzen 9 9950X 16-Core Processor",
	"3000-5000-1r": "AMD Ryzen 5 3600 6-Core Processor", "3000-5000-2r": "AMD Ryzen 5 3600 6-Core Processor",
	"opteron-6100-rdimm": "AMD Opteron(tm) Processor 6172", "rdimm-6700E": "Intel(R) Xeon(R) 6780E",
	"ampereone-x": "AmpereOne A192-32X", "ampereone-m": "AmpereOne A192-32M",
}

// TestPlatformTableSpeeds checks controllers, lockstep and every speed by kind
// and depth against the table.
func TestPlatformTableSpeeds(t *testing.T) {
	kinds := 0
	for _, row := range tableRows(t) {
		p, err := loadPlatform(corpustest.Rules(t), row.ID, "")
		require.NoError(t, err)
		assert.Equal(t, orTrue(row.NUMA), p.NUMA, row.ID)
		assert.Equal(t, row.PerSystem, p.ChannelsPerSystem, row.ID)
		if row.SystemDIMMs != nil {
			assert.Equal(t, row.SystemDIMMs, p.RecommendedDIMMs, row.ID)
		}
		if n, err := strconv.Atoi(row.Controllers.Value); err == nil {
			assert.Equal(t, n, p.Controllers, row.ID)
		}
		assert.Equal(t, row.Lockstep, p.LockstepPairs, row.ID)
		if row.Buffers > 0 {
			assert.True(t, p.Buffered, row.ID)
		}
		assert.Equal(t, orTrue(row.ByDPC), p.SpeedDependsOnDPC, row.ID)
		for kind, speeds := range row.Speeds {
			kinds++
			checkKind(t, row.ID, kind, plain(speeds))
		}
		for vendor, speeds := range row.ByVendor {
			checkVendor(t, p, vendor, plain(speeds))
		}
	}
	assert.GreaterOrEqual(t, kinds, 44)
}

// plain turns "not documented" into 0.
func plain(speeds []*int) []int {
	out := make([]int, len(speeds))
	for i, v := range speeds {
		if v != nil {
			out[i] = ddr.Nominal(*v)
		}
	}
	return out
}

// notTaken are speeds that the table gives in general and the project does not use, with the reason.
var notTaken = map[string]string{
	"xeon-e-2400 udimm":        "4800 is the processor's highest; boards with two slots per channel run one DIMM at 4400, and the table does not part them",
	"kunpeng-920-ddr5 7260W":   "the memory of a reference configuration, no maximum",
	"kunpeng-920-ddr5 7280Z":   "the memory of a reference configuration, no maximum",
	"kunpeng-920-ddr5 7282C":   "the memory of a reference configuration, no maximum",
	"granite-rapids-ws mrdimm": "a report of the press, of parts from 674X up",
}

func checkKind(t *testing.T, id, kind string, want []int) {
	if why := notTaken[id+" "+kind]; why != "" {
		p, err := loadPlatform(corpustest.Rules(t), id, partBrands[kind])
		require.NoError(t, err)
		assert.Zero(t, SpeedAt(p.Speeds[kind], 1), why)
		return
	}
	key := kind
	if _, own := renamed[id+" "+kind]; own {
		key = id + " " + kind
	}
	p, err := loadPlatform(corpustest.Rules(t), id, partBrands[key])
	require.NoError(t, err)
	name, other := renamed[key]
	switch {
	case !other:
		name = kind
	case kind == "ddr3l": // another generation of memory than the file's rows
		return
	case name == "":
		assert.Contains(t, alsoRows(p), want, "%s %s", id, kind)
		return
	}
	if n := len(p.Speeds[name]); n < len(want) && want[n] == 0 {
		want = want[:n] // no slot that deep
	}
	for len(want) < p.MaxDPC && len(want) < len(p.Speeds[name]) {
		want = append(want, 0) // a depth of which the table says nothing
	}
	assert.Equal(t, want, p.Speeds[name], "%s %s", id, kind)
}

func alsoRows(p *Platform) [][]int {
	var out [][]int
	for _, row := range p.AlsoNormal {
		out = append(out, row)
	}
	return out
}

// checkVendor checks that every speed of a vendor's boards is the expected one or also normal: a board must not be
// reported for its own speed.
func checkVendor(t *testing.T, p *Platform, vendor string, want []int) {
	for i, v := range want {
		ok := false
		for _, rows := range []map[string][]int{p.Speeds, p.AlsoNormal} {
			for _, row := range rows {
				ok = ok || SpeedAt(row, i+1) == v
			}
		}
		assert.True(t, ok, "%s %s: %d with %d DIMMs per channel", p.ID, vendor, v, i+1)
	}
}

// skuRange is a key of sku_max that covers several parts.
var skuRange = map[string]string{
	"X55xx": `^x55\d\d$`, "E552x-up": `^e55[2-4]\d$`, "E550x": `^e550\d$`,
	"X56xx": `^x56\d\d$`, "E5603-E5640": `^e56(0[3-9]|[123]\d|40)$`,
	"E5-2603v2": `^e5-2603 v2$`, "E5-2620v2": `^e5-2620 v2$`, "E5-2637v2": `^e5-2637 v2$`,
}

// TestPlatformTableProcessors compares the table's maxima with the processor table; if both list a part separately
// (X5647 next to X56xx), the single entry counts.
func TestPlatformTableProcessors(t *testing.T) {
	raw, err := rules.FS.ReadFile(processorTable)
	require.NoError(t, err)
	parts := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		p := parseProcessor(strings.TrimSuffix(line, "\n"))
		parts[strings.ToLower(p.Number)] = p.MaxMTs
	}
	checked := 0
	for _, row := range tableRows(t) {
		var max map[string]int
		if row.SKUMax.Decode(&max) != nil {
			continue
		}
		for name, mts := range max {
			if _, group := skuRange[name]; group {
				continue
			}
			assert.Equal(t, mts, parts[strings.ToLower(name)], "%s %s", row.ID, name)
			delete(parts, strings.ToLower(name))
			checked++
		}
		for name, mts := range max {
			pattern, group := skuRange[name]
			if !group {
				continue
			}
			seen, numbers := 0, regexp.MustCompile(pattern)
			for number, have := range parts {
				if have > 0 && numbers.MatchString(number) {
					seen++
					assert.Equal(t, mts, have, "%s %s: %s", row.ID, name, number)
				}
			}
			assert.Positive(t, seen, "%s %s", row.ID, name)
			checked += seen
		}
	}
	assert.GreaterOrEqual(t, checked, 30)
	t.Log(checked, "maxima compared")
}

// TestPlatformTableMixing checks that the table's rules on mixing DIMMs are also in the platform's file.
func TestPlatformTableMixing(t *testing.T) {
	for _, row := range tableRows(t) {
		if row.Mixing == "" && row.DellMixing == "" {
			continue
		}
		p, err := loadPlatform(corpustest.Rules(t), row.ID, "")
		require.NoError(t, err)
		assert.NotEmpty(t, p.Notes["mixing"], row.ID)
	}
}
