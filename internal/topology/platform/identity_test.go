package platform

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

func lookUpBrand(brand string, model int) *Processor {
	sys := &inventory.System{Sockets: collecttest.Sockets(1, "", 6, model, 1, brand)}
	if model == 0 {
		sys.Sockets[0].Family = fact.Fact[int]{}
	}
	return Processors(sys, rules.FS)[0]
}

func TestLookUpProcessor(t *testing.T) {
	assert.Equal(t, &Processor{Vendor: "intel", Number: "6252N", Name: "Intel Xeon Gold 6252N", Codename: "Cascade Lake", Cores: 24, Threads: 48,
		SMT: "yes", Turbo: "yes", Channels: 6, MaxMTs: 2933, How: "max-speed-field", Source: lookUpBrand("Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", 85).Source},
		lookUpBrand("Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz", 85))
	assert.Equal(t, "AMD EPYC 7543", lookUpBrand("AMD EPYC 7543 32-Core Processor", 0).Name)
	for _, brand := range []string{
		"AMD Opteron(tm) Processor 6378",                  // no Opteron in the table
		"Intel(R) Xeon(R) CPU            5120  @ 1.86GHz", // Woodcrest, not the Gold 5120
		"Intel(R) Xeon(R) CPU E5-2696 v4 @ 2.20GHz",       // sold to one customer only
		"Intel(R) Xeon(R) Gold 6252",                      // exact only: below
		"Intel(R) Xeon(R) Gold 62",
		"AMD EPYC 7K62 48-Core Processor",
		"AMD EPYC 3251 8-Core Processor",
		"Intel Xeon Processor (Skylake, IBRS)",
		"Genuine Intel(R) CPU 0000%@",
	} {
		p := lookUpBrand(brand, 0)
		if brand == "Intel(R) Xeon(R) Gold 6252" {
			assert.Equal(t, "6252", p.Number)
			continue
		}
		assert.Nil(t, p, brand)
	}
	assert.Nil(t, lookUpBrand("Intel(R) Xeon(R) CPU E5-2620", 79), "an E5-2620 v4 whose brand was cut short")
	assert.NotNil(t, lookUpBrand("Intel(R) Xeon(R) CPU E5-2620", 45))
}

// TestProcessorsFitPlatforms checks that a processor of a platform has its channels, unless the table counts links to
// buffers. The unit tests take every third processor, make corpus all.
func TestProcessorsFitPlatforms(t *testing.T) {
	var rows []IndexRow
	require.NoError(t, compiled.ReadPart(rules.FS, Part, &rows))
	table, err := fs.ReadFile(rules.FS, processorTable)
	require.NoError(t, err)
	// Many rows of one platform differ by their CPUID alone.
	type row struct{ id, brand string }
	brands := map[row]*regexp.Regexp{}
	for i := range rows {
		if r := (row{rows[i].ID, rows[i].Brand}); r.brand != "" && !strings.HasSuffix(r.id, "-fsb") && brands[r] == nil {
			brands[r] = regexp.MustCompile("(?i)" + r.brand)
		}
	}
	seen := map[string]int{}
	for _, line := range corpustest.Sample(strings.Split(strings.TrimSpace(string(table)), "\n")[1:], 3) {
		c := parseProcessor(line)
		brand := strings.Replace(c.Name, "Intel Xeon ", "Intel(R) Xeon(R) ", 1)
		var hits []string
		for r, pattern := range brands {
			if !slices.Contains(hits, r.id) && pattern.MatchString(brand) {
				hits = append(hits, r.id)
			}
		}
		require.LessOrEqual(t, len(hits), 1, "%s: %v", brand, hits)
		if len(hits) == 0 || c.Channels == 0 {
			continue
		}
		seen[hits[0]]++
		p, err := loadPlatform(rules.FS, hits[0], brand)
		require.NoError(t, err)
		if p.ChannelsPerSocket > 0 && !p.Buffered {
			assert.Equal(t, p.ChannelsPerSocket, c.Channels, "%s on %s", brand, p.ID)
		}
	}
	assert.GreaterOrEqual(t, len(seen), 20)
	t.Log(seen)
}

// dimm is a module of these ranks, 0 for not stated, at a voltage in mV.
func dimm(registered bool, ranks, mv int) *inventory.Slot {
	s := &inventory.Slot{Registered: collecttest.Known(registered)}
	if ranks > 0 {
		s.Ranks = collecttest.Known(ranks)
	}
	if mv > 0 {
		s.ConfiguredMV = collecttest.Known(mv)
	}
	return s
}

// TestKindsFor checks which rows of a table of speeds may describe a module, and whether one of them is for exactly
// this kind.
func TestKindsFor(t *testing.T) {
	table := func(keys ...string) *Platform {
		p := &Platform{Speeds: map[string][]int{}}
		for _, key := range keys {
			p.Speeds[key] = []int{1333}
		}
		return p
	}
	changed := func(s *inventory.Slot, f func(*inventory.Slot)) *inventory.Slot { f(s); return s }
	loadReduced := changed(dimm(true, 4, 1350), func(s *inventory.Slot) { s.LoadReduced = collecttest.Known(true) })
	multiplexed := changed(dimm(true, 2, 0), func(s *inventory.Slot) { s.Type = collecttest.Known("DDR5 MRDIMM") })
	ranked := table("rdimm-1r2r", "rdimm-4r", "udimm")
	volts := table("rdimm-1.35v", "rdimm-1.5v", "lrdimm")
	for _, c := range []struct {
		name  string
		p     *Platform
		s     *inventory.Slot
		want  []string
		exact bool
	}{
		{"by ranks", ranked, dimm(true, 2, 0), []string{"rdimm-1r2r"}, true},
		{"by ranks", ranked, dimm(true, 4, 0), []string{"rdimm-4r"}, true},
		{"ranks not stated", ranked, dimm(true, 0, 0), []string{"rdimm-1r2r", "rdimm-4r"}, true},
		{"more ranks than a row can name", ranked, dimm(true, 10, 0), []string{"rdimm-1r2r", "rdimm-4r"}, true},
		{"fewer ranks than documented: the nearest", table("rdimm-2r", "rdimm-4r", "rdimm-2r3r"), dimm(true, 1, 0), []string{"rdimm-2r", "rdimm-2r3r"}, false},
		{"more ranks than documented", table("rdimm-1r2r"), dimm(true, 4, 0), nil, false},
		{"unbuffered", ranked, dimm(false, 2, 0), []string{"udimm"}, true},
		{"no row of the kind", table("udimm"), dimm(true, 2, 0), nil, false},
		{"registering not stated", table("rdimm", "udimm", "mrdimm"), &inventory.Slot{}, []string{"rdimm", "udimm"}, true},
		{"said not to be load-reduced", table("rdimm", "lrdimm"), changed(dimm(true, 2, 0), func(s *inventory.Slot) { s.LoadReduced = collecttest.Known(false) }), []string{"rdimm"}, true},
		{"multiplexed by its type", table("rdimm", "mrdimm"), multiplexed, []string{"mrdimm"}, true},
		// JESD79-3 has 1.5 V down to 1.425, JESD79-3-1 1.35 V below 1.45.
		{"at 1.35 V", volts, dimm(true, 2, 1350), []string{"rdimm-1.35v"}, true},
		{"at 1.5 V", volts, dimm(true, 2, 1500), []string{"rdimm-1.5v"}, true},
		{"the least of 1.5 V", volts, dimm(true, 2, 1425), []string{"rdimm-1.5v"}, true},
		{"below it", volts, dimm(true, 2, 1424), []string{"rdimm-1.35v"}, true},
		{"voltage not stated", volts, dimm(true, 2, 0), []string{"rdimm-1.35v", "rdimm-1.5v"}, true},
		{"a kind of which the lower voltage is not listed", volts, loadReduced, []string{"lrdimm"}, false},
		{"no voltages listed at all", table("rdimm"), dimm(true, 2, 1350), []string{"rdimm"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, exact := KindsFor(c.p, c.s)
			assert.Equal(t, c.want, have)
			assert.Equal(t, c.exact, exact)
		})
	}
	for _, c := range []struct {
		mv    int
		exact bool
	}{{1350, false}, {1424, false}, {1425, true}, {1500, true}, {0, false}} { // 0: firmware says none
		s := dimm(true, 4, c.mv)
		s.LoadReduced = collecttest.Known(true)
		_, exact := KindsFor(volts, s)
		assert.Equal(t, c.exact, exact, "LRDIMM at %d mV", c.mv)
	}
}

// TestFrontSideBusByMemory checks that the kind of memory decides without a platform: Intel's processors have memory
// controllers since DDR3 (Nehalem), AMD's since the first Opteron with DDR.
func TestFrontSideBusByMemory(t *testing.T) {
	of := func(kernel, firmware string, slots ...inventory.Slot) *inventory.System {
		sys := &inventory.System{Slots: slots}
		if kernel != "" {
			sys.CPU.Vendor = collecttest.Known(kernel)
		}
		if firmware != "" {
			sys.Sockets = []inventory.Socket{{}, {Vendor: collecttest.Known(firmware)}}
		}
		return sys
	}
	module := func(kind string) inventory.Slot {
		return inventory.Slot{State: inventory.SlotPopulated, Type: collecttest.Known(kind)}
	}
	empty := inventory.Slot{State: inventory.SlotEmpty, Type: collecttest.Known("DDR2 FB-DIMM")}
	for _, c := range []struct {
		name string
		sys  *inventory.System
		p    *Platform
		want bool
	}{
		{"the platform's word", of(Intel, Intel, module("DDR2 FB-DIMM")), &Platform{NUMA: true}, false},
		{"the platform's word", of(Intel, Intel, module("DDR3")), &Platform{}, true},
		{"FB-DIMMs", of("", "", module("DDR2 FB-DIMM")), nil, true},
		{"DDR2 by the kernel's processor", of(Intel, "", module("DDR2")), nil, true},
		{"DDR2 by firmware's", of("", Intel, module("DDR2")), nil, true},
		{"DDR2 of nobody", of("", "", module("DDR2")), nil, false},
		{"DDR2 of a processor that does not say whose it is", &inventory.System{Sockets: []inventory.Socket{{}}, Slots: []inventory.Slot{module("DDR2")}}, nil, false},
		{"DDR2 by AMD", of("", AMD, module("DDR2")), nil, false},
		{"DDR2 by AMD in the kernel", of(AMD, "", module("DDR2")), nil, false},
		{"an AMD machine of FB-DIMMs is none", of("", AMD, module("DDR2 FB-DIMM")), nil, false},
		{"DDR3", of(Intel, Intel, module("DDR3")), nil, false},
		{"an empty slot says nothing", of(Intel, Intel, empty, module("DDR3")), nil, false},
		{"an empty slot says nothing", of(Intel, Intel, empty), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, FrontSideBus(c.sys, c.p))
		})
	}
}

// TestTakes checks that three unbuffered modules do not fit on a channel of Westmere-EP (IBM, x3650 M3 product guide,
// p13), and that the number is unlimited without a document.
func TestTakes(t *testing.T) {
	p := &Platform{MostDPC: map[string]int{"udimm": 2, "lrdimm-8r": 1}}
	for _, c := range []struct {
		kind string
		d    int
		want bool
	}{{"udimm", 1, true}, {"udimm", 2, true}, {"udimm", 3, false}, {"lrdimm-8r", 1, true}, {"lrdimm-8r", 2, false}, {"rdimm", 1, true}, {"rdimm", 3, true}} {
		assert.Equal(t, c.want, p.AllowsDepth(c.kind, c.d), "%d of %s", c.d, c.kind)
	}
}
