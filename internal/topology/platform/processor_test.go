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
