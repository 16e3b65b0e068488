package house

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostLines and mostFiles bound one package.
const mostLines, mostFiles = 6000, 25

// flat packages hold one topic a file, as many as there are topics (of cli: one
// command); their lines are bounded as all others'.
var flat = []string{"internal/host", "internal/smbios", "internal/cli"}

// packages are what the go command lists, asked once for all tests: the project's and all others
// that they need.
var packages = sync.OnceValues(func() ([]listed, error) { return listPackages("../../..") })

// project measures the whole module once.
var project = sync.OnceValues(func() ([]Room, error) {
	all, err := packages()
	if err != nil {
		return nil, err
	}
	return measureAll(all, "internal/", "cmd/", "rules")
})

func TestCircles(t *testing.T) {
	assert.Empty(t, circles(map[string][]string{"a": {"b", "c"}, "b": {"c"}}))
	assert.Equal(t, [][]string{{"a", "b", "c"}, {"e", "f"}},
		circles(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "e": {"f"}, "f": {"e", "a"}}))
}

func TestAcrossTopics(t *testing.T) {
	r := Room{Circles: [][]string{{"text.go", "text_menu.go"}, {"a.go", "a_b.go", "c.go"}}}
	assert.Equal(t, 5, r.InCircles())
	assert.Equal(t, 3, r.AcrossTopics())
}

// TestHouse keeps rooms small, and without circles between files of different
// topics.
func TestHouse(t *testing.T) {
	rooms, err := project()
	require.NoError(t, err)
	require.NotEmpty(t, rooms)
	arrows, files, across := 0, 0, 0
	for _, r := range rooms {
		arrows += len(r.Imports)
		files += r.InCircles()
		across += r.AcrossTopics()
		assert.Zero(t, r.AcrossTopics(), "files of %s in circles across topics: %v", r.Path, r.Circles)
		assert.Less(t, r.Lines, mostLines, "lines of %s", r.Path)
		if !slices.Contains(flat, r.Path) {
			assert.LessOrEqual(t, r.Files, mostFiles, "files of %s", r.Path)
		}
		t.Logf("%-30s %3d files %5d lines %2d in circles, %2d across topics", r.Path, r.Files, r.Lines, r.InCircles(), r.AcrossTopics())
	}
	t.Log(len(rooms), "rooms,", arrows, "arrows,", files, "files in circles,", across, "across topics")
}

// forTests are exported names that tests alone use, each with its reason; a name that is
// not here is dead, or belongs into an export_test.go.
var forTests = map[string]string{
	"internal/host.OpenMembers":           "a capture without the way through an archive, for the trees of all packages' tests",
	"internal/measure/kernel.TriadNormal": "Triad of processors without the assembly, held beside it",
	"internal/report/metrics.Schema":      "all metrics there may be, against which the operators' rules and dashboards are held",
}

// TestNothingIsExportedForTests: what a package exports, another or itself uses
// outside tests. The tools may be used by tests, and packages that help tests are tests.
func TestNothingIsExportedForTests(t *testing.T) {
	all, err := project()
	require.NoError(t, err)
	rooms := slices.DeleteFunc(slices.Clone(all), func(r Room) bool {
		return strings.HasSuffix(r.Path, "test") || r.Path == "internal/fact/want"
	})
	unused := map[string]bool{}
	for _, name := range Unused(rooms) {
		unused[name] = true
		if !strings.HasPrefix(name, "internal/tools/") && forTests[name] == "" {
			t.Errorf("only tests use %s, if anything does", name)
		}
	}
	for name := range forTests {
		assert.True(t, unused[name], "%s is used by now, or gone", name)
	}
}

// TestUnused: what another package names is used, and so is the constant beside one that
// is used, and the method that an interface is asked for.
func TestUnused(t *testing.T) {
	rooms := []Room{
		{Exports: []Declared{{Name: "a.Used"}, {Name: "a.Dead"}, {Name: "a.First", Or: []string{"a.First", "a.Second"}}, {Name: "a.T.Asked", Or: []string{"any.Asked"}}}},
		{Names: []string{"a.Used", "a.Second", "any.Asked"}},
	}
	assert.Equal(t, []string{"a.Dead"}, Unused(rooms))
	assert.Equal(t, []string{"a.Dead", "a.First", "a.T.Asked", "a.Used"}, Unused(rooms[:1]))
}
