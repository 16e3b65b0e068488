package house

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mostLines and mostFiles bound one package.
const mostLines, mostFiles = 6000, 25

// flat packages hold one topic a file, as many as there are topics (of cli: one
// command); their lines are bounded as all others'.
var flat = []string{"internal/host", "internal/smbios", "internal/cli"}

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
	rooms, err := Measure("../../..", "internal/", "cmd/", "rules")
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
