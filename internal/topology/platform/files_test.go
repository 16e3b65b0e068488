package platform

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// platformFiles reads all of them.
func platformFiles(t testing.TB) []wholePlatformFile {
	files, err := readOnce()
	require.NoError(t, err)
	return files
}

// readOnce are the files for all tests, changed by none.
var readOnce = sync.OnceValues(func() ([]wholePlatformFile, error) { return readFiles(rules.FS) })

// sourceKeys are the keys of the documents in rules/platforms/sources.tsv.
func sourceKeys(t testing.TB) map[string]Citation {
	raw, err := fs.ReadFile(corpustest.Rules(t), "platforms/sources.tsv")
	require.NoError(t, err)
	out := map[string]Citation{}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		col := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, col, 9, line)
		require.Contains(t, []string{FromVendor, FromCPUVendor, FromThirdParty, FromCollection, Unread}, col[6], line)
		if col[6] == FromCollection {
			require.Empty(t, col[7], "what was seen asks for nothing: %s", line)
		}
		for _, topic := range strings.Fields(col[7]) {
			require.Contains(t, []string{"channels", "alike", "sockets", "modules", "voltage", "number", "speed", "errors"}, topic, line)
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

// TestNumbersHaveADocument checks that a number that may raise a finding above info has a document of a vendor or a
// review: collected observations, or a file of this project, are only used for recognition.
func TestNumbersHaveADocument(t *testing.T) {
	k := corpustest.Rules(t)
	describe := Describer(k)
	for _, f := range platformFiles(t) {
		if !orTrue(f.Verified) {
			continue
		}
		info, err := describe(f.ID)
		require.NoError(t, err)
		says := map[string]bool{}
		for _, d := range info.Documents {
			assert.NotContains(t, d.Place, "rules/", "%s: %s is a file of this project", f.ID, d.Key)
			if d.Authority != FromCollection {
				says["any"] = true
				for _, topic := range d.Topics {
					says[topic] = true
				}
			}
		}
		for _, part := range append(f.Parts, platformPart{platformFacts: f.platformFacts}) {
			open := slices.Concat(f.Unverified, part.Unverified)
			for _, n := range []struct {
				field  string
				stated bool
				by     bool
			}{
				{"channels_per_socket", part.Channels > 0, says["number"] || says["channels"]},
				{"recommended_dimms", len(part.Recommended) > 0, says["channels"]},
				{"max_dpc", part.MaxDPC > 0, says["any"]},
				{"speeds", len(part.Speeds) > 0, says["any"]},
			} {
				assert.True(t, !n.stated || n.by || slices.Contains(open, n.field), "%s %s: no source says %s by the last column of rules/platforms/sources.tsv, and unverified does not list it", f.ID, part.Brand, n.field)
			}
		}
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

// TestDocumentForPeople checks that the source of a share is printed as a document, not as a key of our list, and
// that every measured layout has one.
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

// TestNodePartsInOrder checks that Dell's tables of NPS and slots (PowerEdge R6525 Installation and Service Manual,
// tables 41 and 42) are used for these two.
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

// A document applies to its vendor's machines, IBM's and Lenovo's to each other's, and none to blades.
func TestDocumentedFor(t *testing.T) {
	authors, err := authorsOf(rules.FS, []string{"DELL-11G", "IBM-X3650M3"})
	require.NoError(t, err)
	d := Detail{Authors: authors}
	for _, c := range []struct {
		vendor, product string
		want            bool
	}{
		{"Dell Inc.", "PowerEdge R710", true},
		{"LENOVO", "System x3650 M5", true},
		{"IBM", "System x3650 M3", true},
		{"IBM", "BladeCenter HS22", false},
		{"IBM", "Flex System x240", false},
		{"HP", "ProLiant DL380 G7", false},
		{"FUJITSU", "PRIMERGY RX300 S6", false},
		{"", "", false},
	} {
		assert.Equal(t, c.want, d.DocumentedFor(c.vendor, c.product), "%s %s", c.vendor, c.product)
	}
	for _, broken := range []string{"dell\tDELL-\n", "Dell Inc.\tDELL-\t\n", "dell\t\t\n"} {
		_, err := authorsOf(fstest.MapFS{vendorsFile: {Data: []byte(broken)}}, []string{"DELL-11G"})
		assert.ErrorContains(t, err, "makers.tsv:1", broken)
	}
}

// TestRowsAreTheFiles checks that a compiled platform equals its file, whatever the processor.
func TestRowsAreTheFiles(t *testing.T) {
	k := corpustest.Rules(t)
	for _, f := range platformFiles(t) {
		file, err := readRow(k, f.ID)
		require.NoError(t, err)
		compiled, err := compiled.Part[platformRow](k, RowPart(f.ID))
		require.NoError(t, err, "go generate ./rules writes it")
		assert.Equal(t, file, compiled, f.ID)
	}
}
