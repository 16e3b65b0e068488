package platform

import (
	"io/fs"
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

	"github.com/memaudit/memaudit/internal/compiled"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/ddr"
	"github.com/memaudit/memaudit/rules"
)

// platformFiles reads all of them.
func platformFiles(t testing.TB) []wholePlatformFile {
	files, err := readOnce()
	require.NoError(t, err)
	return files
}

// readOnce are the files for all tests, none of which changes them.
var readOnce = sync.OnceValues(func() ([]wholePlatformFile, error) { return readFiles(rules.FS) })

// TestPlatformIndexIsInStep: the compiled index is that of the files.
func TestPlatformIndexIsInStep(t *testing.T) {
	k := corpustest.Rules(t)
	want, err := Compile(k)
	require.NoError(t, err)
	have, err := compiled.Part(k, Part)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "go generate ./rules makes %s anew", compiled.File)
	require.Len(t, parseIndex(string(have)), strings.Count(string(want), "\n"))
}

// sourceKeys are the documents of rules/platforms/sources.tsv.
func sourceKeys(t testing.TB) map[string]Citation {
	raw, err := fs.ReadFile(corpustest.Rules(t), "platforms/sources.tsv")
	require.NoError(t, err)
	out := map[string]Citation{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, col, 8, line)
		require.Contains(t, []string{OfMaker, OfProcessorMaker, OfThird, OfCollection}, col[6], line)
		if col[6] == OfCollection {
			require.Empty(t, col[7], "what was seen asks for nothing: %s", line)
		}
		for _, topic := range strings.Fields(col[7]) {
			require.Contains(t, []string{"channels", "alike", "sockets", "modules", "voltage", "number", "speed"}, topic, line)
		}
		out[col[0]] = Citation{Key: col[0], Vendor: col[1], Title: col[2], Year: atoiOr(col[3], 0), Place: col[4], URL: col[5]}
	}
	return out
}

func TestPlatformFiles(t *testing.T) {
	files, sources := platformFiles(t), sourceKeys(t)
	require.GreaterOrEqual(t, len(files), 43)
	for _, f := range files {
		t.Run(f.ID, func(t *testing.T) {
			p, err := loadPlatform(corpustest.Rules(t), f.ID, "")
			require.NoError(t, err)
			assert.NotEmpty(t, p.Name)
			if p.Verified {
				assert.Equal(t, sources[p.Citation.Key], p.Citation)
				assert.NotEmpty(t, p.Citation.Vendor)
				assert.NotEmpty(t, p.Citation.Title)
			}
			for _, s := range slices.Concat(f.Sources, f.Guides) {
				assert.Contains(t, sources, s)
			}
			for _, b := range f.Boards {
				assert.Contains(t, f.Sources, b.Source)
			}
			for _, m := range f.Measured {
				assert.Contains(t, f.Sources, m.Source)
			}
			assert.NotEmpty(t, f.Recognise)
			for _, r := range f.Recognise {
				for _, pattern := range []string{r.Brand, r.Product} {
					_, err := regexp.Compile(pattern)
					require.NoError(t, err)
				}
			}
			assert.Contains(t, []string{"", PolicyAny, PolicySymmetricIMC, PolicyEX, PolicyAMD, PolicyZen4}, p.Policy)
			checkSpeeds(t, p)
		})
	}
}

// checkSpeeds pins the shape of the speed table: rates that exist, falling
// with depth, kinds that the code reads, no deeper than the platform.
func checkSpeeds(t *testing.T, p *Platform) {
	for _, table := range []map[string][]int{p.Speeds, p.AlsoNormal} {
		for kind, row := range table {
			last := 1 << 30
			for _, v := range row {
				if v == 0 {
					continue
				}
				assert.Equal(t, v, ddr.Nominal(v), "%s: %d", kind, v)
				assert.LessOrEqual(t, v, last, kind)
				last = v
			}
			if p.MaxDPC > 0 {
				assert.LessOrEqual(t, len(row), p.MaxDPC, kind)
			}
		}
	}
	for kind := range p.Speeds {
		k := parseKind(kind)
		assert.Contains(t, []string{"rdimm", "lrdimm", "udimm", "mrdimm"}, k.module, kind)
		assert.Regexp(t, `^(\dr)*$`, k.ranks, kind)
	}
}

// TestPlatformTable compares the files with the table they were converted
// from: the same platforms, channels, depths, policies and speeds.
func TestPlatformTable(t *testing.T) {
	raw, err := os.ReadFile(corpustest.Shared(t, "knowledge/memory-population/platforms.yaml"))
	require.NoError(t, err)
	var table struct {
		Platforms []struct {
			ID       string    `yaml:"id"`
			Channels yaml.Node `yaml:"channels_per_socket"`
			MaxDPC   yaml.Node `yaml:"max_dpc"`
			Policy   string    `yaml:"interleave_policy"`
			Rec      []int     `yaml:"recommended_dimms_per_socket"`
			Allowed  []int     `yaml:"allowed_dimms_per_socket"`
			Sources  []string  `yaml:"sources"`
			V        string    `yaml:"v"`
			CPUID    []struct {
				Family, Model int
				V             string
			} `yaml:"cpuid"`
		} `yaml:"platforms"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &table))
	have := map[string]wholePlatformFile{}
	for _, f := range platformFiles(t) {
		have[f.ID] = f
	}
	for _, row := range table.Platforms {
		f, ok := have[row.ID]
		if !ok {
			corpustest.Gap(t, "platform "+row.ID+" of platforms.yaml")
			continue
		}
		delete(have, row.ID)
		if n, err := strconv.Atoi(row.Channels.Value); err == nil {
			assert.Equal(t, n, f.Channels, row.ID)
		}
		if n, err := strconv.Atoi(row.MaxDPC.Value); err == nil {
			assert.Equal(t, n, f.MaxDPC, row.ID)
		}
		if row.Policy == "" && f.Policy != "" {
			assert.Contains(t, f.Unverified, "policy", "%s: a policy that the table does not have", row.ID)
		} else {
			assert.Equal(t, row.Policy, f.Policy, row.ID)
		}
		if len(f.Parts) == 0 && row.ID != "bensley" {
			assert.Equal(t, row.Rec, f.Recommended, row.ID)
		}
		assert.Equal(t, row.Allowed, f.Allowed, row.ID)
		// The table's acceptable counts leave channels empty and lose a quarter to a half
		// of the bandwidth: on other generations the same loss is not an acceptable count, and
		// one loss has one severity.
		assert.Empty(t, f.Acceptable, row.ID)
		assert.Equal(t, row.V == "ok", orTrue(f.Verified), row.ID)
		for _, s := range row.Sources {
			assert.Contains(t, f.Sources, s, row.ID)
		}
		for _, c := range row.CPUID {
			assert.True(t, recognises(f, c.Family, c.Model, c.V == "ok"), "%s %d/%d %s", row.ID, c.Family, c.Model, c.V)
		}
	}
	for id := range have {
		t.Logf("platform %s rests on its own documents: the table has no row for it", id)
	}
}

func recognises(f wholePlatformFile, family, model int, verified bool) bool {
	for _, r := range f.Recognise {
		if r.Family != nil && *r.Family == family && *r.Model == model && orTrue(r.Verified) == verified {
			return true
		}
	}
	return false
}

// TestDocumentForPeople: who reads a share is told its document, not the key of
// our list; every measured layout has one.
func TestDocumentForPeople(t *testing.T) {
	for _, f := range platformFiles(t) {
		p, err := loadPlatform(corpustest.Rules(t), f.ID, "")
		require.NoError(t, err)
		for _, m := range p.Measured {
			assert.NotEqual(t, m.Source, p.Document(m.Source), f.ID)
		}
	}
	p, err := loadPlatform(corpustest.Rules(t), "westmere-ex", "")
	require.NoError(t, err)
	assert.Equal(t, "Fujitsu Technology Solutions, Memory Performance of Xeon E7-8800/4800/2800 (Westmere-EX) based Systems", p.Document("FTS-WEX"))
	assert.Equal(t, "A-SITES-KEY", p.Document("A-SITES-KEY"))
}

// TestNodePartsInOrder: Dell's tables of NPS and slots (PowerEdge R6525 Installation and
// Service Manual, tables 41 and 42) are for these two.
func TestNodePartsInOrder(t *testing.T) {
	ids, err := IDs(corpustest.Rules(t))
	require.NoError(t, err)
	var have []string
	for _, id := range ids {
		p, err := ByID(corpustest.Rules(t), id)
		require.NoError(t, err)
		if p.NodePartsInOrder {
			have = append(have, id)
		}
	}
	assert.Equal(t, []string{"milan", "rome"}, have)
}
