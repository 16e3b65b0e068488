package prose

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestSizes(t *testing.T) {
	assert.Equal(t, "16", GiB(16<<30))
	assert.Equal(t, "0.5", GiB(512<<20))
	assert.Equal(t, "512 MiB", Size(512<<20))
	assert.Equal(t, "1.5 GiB", Size(1536<<20))
	assert.Equal(t, "64 KiB", Size(64<<10))
	assert.Equal(t, "2048 GiB", Size(2<<40))
	assert.Equal(t, "15.6 GiB", Memory(16_777_216_000))
	assert.Equal(t, "16 GiB", Rounded(16_777_216_000))
	assert.Equal(t, "2 TiB", ExactSize(2<<40))
	assert.Equal(t, "1536 MiB", ExactSize(1536<<20))
	assert.Equal(t, "1.0 KiB", ExactSize(1<<10+1))
	assert.Equal(t, "0 bytes", ExactSize(0))
	assert.Equal(t, "12.8 GB/s", Bandwidth(int64(12_800_000_000)))
	assert.Equal(t, "12.8 GB/s", Bandwidth(12.8e9))
}

func TestLists(t *testing.T) {
	assert.Equal(t, "1 DIMM", Count(1, "DIMM"))
	assert.Equal(t, "0 DIMMs", Count(0, "DIMM"))
	assert.Empty(t, And(nil))
	assert.Equal(t, "A", And([]string{"A"}))
	assert.Equal(t, "A and B", And([]string{"A", "B"}))
	assert.Equal(t, "A, B and C", And([]string{"A", "B", "C"}))
	assert.Equal(t, "a; b", FirstFew(2, []string{"a", "b"}))
	assert.Equal(t, "a; and 2 more", FirstFew(1, []string{"a", "b", "c"}))
}

// TestYAMLErrors: what the YAML reader says of files is told with the line where the fault
// or what holds it begins, and names no type of a program. The lines are counted by hand.
func TestYAMLErrors(t *testing.T) {
	type file struct {
		Rules []struct {
			ID   string
			Year int
			Ok   bool
		}
	}
	for _, c := range []struct {
		name, src string
		line      int
		says      string
	}{
		{"an open brace", "rules:\n  - id: a\n    citation: {vendor: Dell\n  - id: b\n", 3, "a comma or } is missing, here or below"},
		{"an open bracket", "rules:\n  - id: a\n  - [a, b\n", 3, "a comma or ] is missing, here or below"},
		{"a line left of its key", "rules:\n  - id: a\n    year: 1\n   ok: true\n", 2, "a list with a line that neither begins with - nor is indented below one that does: look at indentation, here or below"},
		{"text after a quote", "rules:\n  - id: a\n    title: 'a' b\n", 2, "neither a key nor part of the value before it: look at quotes and indentation, here or below"},
		{"a colon in a text", "rules:\n  - id: a: b\n", 2, "mapping values are not allowed here: put a text with a colon in quotes"},
		{"a tab", "rules:\n  - id: a\n\tyear: 1\n", 2, "found a tab character that violates indentation, here or below: indent with spaces"},
		{"a text for a number", "rules:\n  - id: a\n    year: \"2010\"\n", 3, "a text `2010` where a whole number was expected"},
		{"a word for yes", "rules:\n  - ok: maybe\n", 2, "a text `maybe` where true or false was expected"},
		{"a list for a text", "rules:\n  - id: [a]\n", 2, "a list where a text was expected"},
	} {
		var into file
		err := yaml.Unmarshal([]byte(c.src), &into)
		require.Error(t, err, c.name)
		line, text := YAMLError(err.Error())
		assert.Equal(t, c.line, line, "%s: %v", c.name, err)
		assert.Equal(t, c.says, text, c.name)
	}
	line, text := YAMLError("no place in it")
	assert.Zero(t, line)
	assert.Equal(t, "no place in it", text)
}

// TestNearest: letters put in, taken out or changed count one each, and case does not.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"hpc", "", 3}, {"", "hpc", 3}, {"hpc", "hpc", 0}, {"hpc", "hcp", 2}, {"database", "databse", 1}, {"latency", "latencies", 3}, {"KITTEN", "SITTING", 3}, {"A1", "B1", 1}} {
		assert.Equal(t, c.want, Distance(c.a, c.b), "%s %s", c.a, c.b)
	}
	assert.Equal(t, []string{"rome", "milan"}, Nearest([]string{"cascade-lake-sp", "milan", "rome"}, "ROMA", 2))
	assert.Equal(t, []string{"rome"}, Nearest([]string{"rome"}, "ROMA", 2))
}
