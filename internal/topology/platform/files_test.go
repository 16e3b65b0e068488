package platform

import (
	"slices"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/rules"
)

// platformFiles reads all of them.
func platformFiles(t testing.TB) []*Info {
	files, err := readOnce()
	require.NoError(t, err)
	return files
}

// readOnce are the files for all tests, changed by none.
var readOnce = sync.OnceValues(func() ([]*Info, error) { return readFiles(rules.FS) })

// TestNumbersHaveADocument checks that a number that may raise a finding above info has a document of a vendor or a
// review: collected observations, or a file of this project, are only used for recognition.
func TestNumbersHaveADocument(t *testing.T) {
	k := corpustest.Rules(t)
	describe, listed := Describer(k), Documents(k)
	for _, f := range platformFiles(t) {
		if !f.Verified {
			continue
		}
		info, err := describe(f.ID)
		require.NoError(t, err)
		assert.Contains(t, listed, f.Citation.Key, f.ID)
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
		for _, part := range append(f.Parts, Variant{ChannelsPerSocket: f.ChannelsPerSocket, MaxDPC: f.MaxDPC, Speeds: f.Speeds, RecommendedDIMMs: f.RecommendedDIMMs}) {
			open := slices.Concat(f.Unverified, part.Unverified)
			for _, n := range []struct {
				field  string
				stated bool
				by     bool
			}{
				{"channels_per_socket", part.ChannelsPerSocket > 0, says["number"] || says["channels"]},
				{"recommended_dimms", len(part.RecommendedDIMMs) > 0, says["channels"]},
				{"max_dpc", part.MaxDPC > 0, says["any"]},
				{"speeds", len(part.Speeds) > 0, says["any"]},
			} {
				assert.True(t, !n.stated || n.by || slices.Contains(open, n.field), "%s %s: no source says %s by the last column of rules/platforms/sources.tsv, and unverified does not list it", f.ID, part.Brand, n.field)
			}
		}
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

// A document applies to its vendor's machines, IBM's and Lenovo's to each other's, and none to blades.
func TestDocumentedFor(t *testing.T) {
	authors, err := authorsOf(rules.FS, []string{"DELL-11G", "IBM-X3650M3"})
	require.NoError(t, err)
	d := Platform{Authors: authors}
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

// A site's platform file, with a part that overrides every field that parts may, one that overrides none, and
// documents with one short row.
const sitePlatform = `id: site
name: A site's own
channels_per_socket: 8
max_dpc: 2
speeds: {rdimm: [4800, 4400]}
recommended_dimms: [8, 16]
acceptable_dimms: [4]
processor_mts: {"*": 4800}
unverified: [max_dpc]
sources: [OWN, MISSING]
guides: [SHORT]
parts:
  - {brand: Small, channels_per_socket: 1, max_dpc: 1, speeds: {udimm: [3200]}, recommended_dimms: [1], acceptable_dimms: [2], processor_mts: {"*": 3200}, rated_below: true, unverified: [speeds]}
  - {brand: Same}
`

const siteRecognised = `---
rest: true
recognise:
  - {vendor: GenuineIntel, family: 6, model: 0, stepping: [0, 3], brand: Site, product: P, memory: DDR4, codename: C, sockets: 1, verified: false}
  - {vendor: AuthenticAMD, brand: Other}
`

const siteDocuments = "# comment\tof\tas many\tcolumns\tas a\tdocument\nOWN\tExample\tManual\t2024\tp1\thttps://example.com\tthird\tchannels alike\n" +
	"SHORT\tExample\tGuide\t2023\tp2\t\nBROKEN\tExample\tGuide\nSEVEN\ta\tb\t2020\tp\tu\tmaker\n"

func site(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{documentsFile: {Data: []byte(siteDocuments)}}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// TestSitesPlatform checks that a part overrides the fields that it states, and nothing else.
func TestSitesPlatform(t *testing.T) {
	k := site(map[string]string{"platforms/site.yaml": sitePlatform + siteRecognised})
	for brand, want := range map[string]*Platform{
		"A Small One": {ChannelsPerSocket: 1, MaxDPC: 1, Speeds: map[string][]int{"udimm": {3200}}, RecommendedDIMMs: []int{1}, AcceptableDIMMs: []int{2},
			Unverified: []string{"max_dpc", "speeds"}, ProcessorMTs: map[string]int{"*": 3200}, RatedBelow: true},
		"the Same": {ChannelsPerSocket: 8, MaxDPC: 2, Speeds: map[string][]int{"rdimm": {4800, 4400}}, RecommendedDIMMs: []int{8, 16}, AcceptableDIMMs: []int{4},
			Unverified: []string{"max_dpc"}, ProcessorMTs: map[string]int{"*": 4800}},
	} {
		p, err := loadPlatform(k, "site", brand)
		require.NoError(t, err)
		have := &Platform{ChannelsPerSocket: p.ChannelsPerSocket, MaxDPC: p.MaxDPC, Speeds: p.Speeds, RecommendedDIMMs: p.RecommendedDIMMs, AcceptableDIMMs: p.AcceptableDIMMs,
			Unverified: p.Unverified, ProcessorMTs: p.ProcessorMTs, RatedBelow: p.RatedBelow}
		assert.Equal(t, want, have, brand)
		assert.Equal(t, 3, p.BoardDepth, brand)
		assert.Equal(t, []Document{{Citation: Citation{"SHORT", "Example", "Guide", 2023, "p2", ""}, Authority: FromVendor},
			{Citation: Citation{"OWN", "Example", "Manual", 2024, "p1", "https://example.com"}, Authority: FromThirdParty, Topics: []string{"channels", "alike"}}}, p.Documents)
	}
	deep, err := loadPlatform(site(map[string]string{"platforms/deep.yaml": "id: deep\nboard_depth: 1\n" + siteRecognised}), "deep", "")
	require.NoError(t, err)
	assert.Equal(t, 1, deep.BoardDepth)
	assert.Nil(t, deep.Unverified)
	all, err := platformDocuments(k, nil)
	require.NoError(t, err)
	assert.Len(t, all, 2, "neither the comment nor rows of other widths")
}

// TestDescribeSite checks that the description of a platform shows the content of its file.
func TestDescribeSite(t *testing.T) {
	described, err := Describer(site(map[string]string{"platforms/site.yaml": sitePlatform + siteRecognised}))("site")
	require.NoError(t, err)
	assert.Equal(t, []IndexRow{{Vendor: Intel, Family: 6, Model: 0, Steppings: []int{0, 3}, Brand: "Site", Product: "P", Memory: "DDR4", Codename: "C", Sockets: 1},
		{Vendor: AMD, Family: -1, Model: -1, Brand: "Other", Verified: true}}, described.Recognise)
	require.Len(t, described.Parts, 2)
	assert.Equal(t, 1, described.Parts[0].ChannelsPerSocket)
	assert.Len(t, described.Documents, 3)
}

// TestDamagedPlatforms checks that each fault of a site's files is an error that names the file.
func TestDamagedPlatforms(t *testing.T) {
	for name, text := range map[string]string{
		"not YAML": "id: [", "no second document": sitePlatform, "a second document that is not YAML": sitePlatform + "---\nrecognise: [",
		"another name": "id: other\n" + siteRecognised, "an unknown key": "id: site\nchannles: 8\n" + siteRecognised,
	} {
		t.Run(name, func(t *testing.T) {
			k := site(map[string]string{"platforms/site.yaml": text})
			_, err := ListIndexRows(k)
			require.ErrorContains(t, err, "platforms/site.yaml")
			_, err = Describer(k)("site")
			require.ErrorContains(t, err, "platforms/site.yaml")
		})
	}
	_, err := Describer(fstest.MapFS{"platforms/site.yaml": {Data: []byte(sitePlatform + siteRecognised)}})("site")
	require.ErrorContains(t, err, "read the sources of the platforms")
	folder := fstest.MapFS{"platforms/site.yaml/x": {Data: []byte("x")}, documentsFile: {Data: []byte(siteDocuments)}}
	_, err = Describer(folder)("site")
	require.ErrorContains(t, err, "platforms/site.yaml", "a folder of that name")
	_, err = ListIndexRows(folder)
	require.ErrorContains(t, err, "platforms/site.yaml")
	_, err = loadPlatform(site(map[string]string{"platforms/site.yaml": "id: other\n" + siteRecognised}), "site", "")
	require.ErrorContains(t, err, `id is "other"`)
	_, err = loadPlatform(site(map[string]string{"platforms/site.yaml": "id: site\nparts: [{brand: \"(\"}]\n" + siteRecognised}), "site", "")
	assert.ErrorContains(t, err, "of a part")
}
