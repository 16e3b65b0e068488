package house

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// mostLines and mostFiles bound one package.
	mostLines, mostFiles = 6000, 25
	// mostInCircles bounds the files of all packages that refer to each other in
	// circles; it may only shrink.
	mostInCircles = 253
)

// flat packages hold one topic a file, as many as there are topics (of cli: one
// command).
var flat = []string{"internal/host", "internal/smbios", "internal/cli"}

func TestCircles(t *testing.T) {
	assert.Empty(t, circles(map[string][]string{"a": {"b", "c"}, "b": {"c"}}))
	assert.Equal(t, [][]string{{"a", "b", "c"}, {"e", "f"}},
		circles(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "e": {"f"}, "f": {"e", "a"}}))
}

// TestHouse keeps rooms small and bounds the circles inside them.
func TestHouse(t *testing.T) {
	rooms, err := Measure("../../..", "internal/", "cmd/", "rules")
	require.NoError(t, err)
	require.NotEmpty(t, rooms)
	arrows, files := 0, 0
	for _, r := range rooms {
		arrows += len(r.Imports)
		files += r.InCircles()
		if !slices.Contains(flat, r.Path) {
			assert.LessOrEqual(t, r.Lines, mostLines, "lines of %s", r.Path)
			assert.LessOrEqual(t, r.Files, mostFiles, "files of %s", r.Path)
		}
		t.Logf("%-30s %3d files %5d lines %2d in circles", r.Path, r.Files, r.Lines, r.InCircles())
	}
	t.Log(len(rooms), "rooms,", arrows, "arrows,", files, "files in circles")
	assert.LessOrEqual(t, files, mostInCircles)
}
