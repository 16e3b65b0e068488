//go:build corpus

package platform

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	yaml "go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// namedRow is a platform of the knowledge's table as its own CPUID list names
// it: the yardstick of what has to be recognised.
type namedRow struct {
	id       string
	family   int
	model    int
	stepping []int
	brand    *regexp.Regexp
	vendor   string
}

func namedRows(t *testing.T) []namedRow {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/platforms.yaml"))
	require.NoError(t, err)
	var table struct {
		Platforms []struct {
			ID     string
			Vendor string
			Brand  string `yaml:"brand_regex"`
			CPUID  []struct {
				Family, Model int
				Stepping      []int
			} `yaml:"cpuid"`
		} `yaml:"platforms"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &table))
	var out []namedRow
	ours := map[string]bool{}
	for _, f := range platformFiles(t) {
		ours[f.ID] = true
	}
	for _, p := range table.Platforms {
		if !ours[p.ID] {
			continue
		}
		for _, c := range p.CPUID {
			r := namedRow{id: p.ID, family: c.Family, model: c.Model, stepping: c.Stepping, vendor: p.Vendor}
			if p.Brand != "" {
				r.brand = regexp.MustCompile("(?i)" + p.Brand)
			}
			out = append(out, r)
		}
	}
	return out
}

// excluded are brand strings that share a CPUID with a platform they do not belong to, or do not name a processor.
var excluded = regexp.MustCompile(`Core\(TM\)|Xeon\(R\) W-|CPU +W3[56]\d\d|Xeon\(R\) D-|Pentium|Celeron|Genuine Intel|Eng Sample|Phenom|Athlon|Sempron|FX\(tm\)|Ryzen|Threadripper|Opteron\(tm\) Processor [134]\d\d\d|EPYC 3|Core\(tm\)2|CPU +X?3[0-9]\d\d|W-3[23]`)

func named(rows []namedRow, s *inventory.Socket) string {
	for _, r := range rows {
		if s.Family.Or(-1) != r.family || s.Model.Or(-1) != r.model {
			continue
		}
		if len(r.stepping) > 0 && !slices.Contains(r.stepping, s.Stepping.Or(-1)) {
			continue
		}
		if r.vendor != "" && s.Vendor.Or("") != r.vendor {
			continue
		}
		if r.brand != nil && !r.brand.MatchString(s.Brand.Or("")) {
			continue
		}
		return r.id
	}
	return ""
}

func TestRecogniseCorpus(t *testing.T) {
	rows, k := namedRows(t), rules.FS
	var machines, recognised, total, looked, xeon, multi, multiRecognised int
	nameless := map[string]int{}
	missed := map[string]int{}
	unlisted := map[string]int{}
	ids := map[string]int{}
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		collecttest.Each(t, archive, func(_ string, sys *inventory.System) {
			i := slices.IndexFunc(sys.Sockets, func(s inventory.Socket) bool { return s.Populated.Value })
			if i < 0 {
				return
			}
			s := &sys.Sockets[i]
			f := Recognise(sys, k)
			if f.Known() {
				ids[f.Value.ID]++
			}
			if len(sys.Slots) > 1 && !sys.Machine.Virtual.Or(false) {
				multi++
				if f.Known() {
					multiRecognised++
				} else {
					nameless[s.Brand.Or("?")+": "+f.Reason]++
				}
			}
			if id := named(rows, s); id != "" && !excluded.MatchString(s.Brand.Or("")) && (s.Brand.Known() || id == "nehalem-ex") {
				machines++
				if f.Known() {
					recognised++
				} else {
					missed[fmt.Sprintf("%s (%s): %s", s.Brand.Or("?"), id, f.Reason)]++
				}
			}
			if regexp.MustCompile(`Xeon.*[0-9]{4}|EPYC`).MatchString(s.Brand.Or("")) {
				xeon++
				if Processors(sys, k)[i] != nil {
					looked++
				} else {
					unlisted[s.Brand.Value]++
				}
			}
			total++
		})
	}
	t.Logf("%d machines, %d with a processor of the table, %d of them recognised (%.2f %%)", total, machines, recognised, 100*float64(recognised)/float64(machines))
	t.Logf("%d Xeon or EPYC by number, %d in the processor table (%.2f %%)", xeon, looked, 100*float64(looked)/float64(xeon))
	t.Logf("%d machines with more than one slot, %d recognised (%.2f %%)", multi, multiRecognised, 100*float64(multiRecognised)/float64(multi))
	t.Log(ids)
	corpustest.LogCounts(t, "nameless", nameless)
	corpustest.LogCounts(t, "missed", missed)
	corpustest.LogCounts(t, "unlisted", unlisted)
	require.GreaterOrEqual(t, float64(recognised)/float64(machines), 0.97)
	require.GreaterOrEqual(t, float64(multiRecognised)/float64(multi), 0.97)
}

// TestRecogniseWithoutCPUID checks that without the CPUID the brand finds the same platform or none. LPDDR is not in
// the brand.
func TestRecogniseWithoutCPUID(t *testing.T) {
	machines, recognised := 0, 0
	lost := map[string]int{}
	for _, archive := range []string{corpustest.Servers, corpustest.Workstations, corpustest.Others} {
		collecttest.Each(t, archive, func(name string, sys *inventory.System) {
			whole, ok := Recognise(sys, rules.FS).Get()
			if !ok {
				return
			}
			machines++
			for i := range sys.Sockets {
				s := &sys.Sockets[i]
				s.Family, s.Model, s.Stepping = fact.Fact[int]{}, fact.Fact[int]{}, fact.Fact[int]{}
			}
			byBrand, ok := Recognise(sys, rules.FS).Get()
			if !ok {
				lost[whole.ID]++
				return
			}
			recognised++
			if whole.ID != "client-lpddr" {
				assert.Equal(t, whole.ID, byBrand.ID, name)
			}
		})
	}
	corpustest.LogCounts(t, "lost", lost)
	t.Logf("%d of %d machines recognised by brand alone", recognised, machines)
	assert.GreaterOrEqual(t, float64(recognised)/float64(machines), 0.92)
}
