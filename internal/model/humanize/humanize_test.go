package humanize

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"
)

func TestSizes(t *testing.T) {
	for _, c := range [][2]string{
		{Size(16 << 30), "16 GiB"},
		{Size(1536 << 20), "1.5 GiB"},
		{Size(20_568_866 << 10), "19.6 GiB"},
		{Size(8_020_468 << 10), "7.6 GiB"},
		{Size(64<<30 - 384<<10), "64 GiB"},
		{Size(2 << 40), "2048 GiB"},
		{Size(512 << 20), "512 MiB"},
		{Size(64 << 10), "64 KiB"},
		{Size(0), "0 GiB"},
		{Rounded(16_777_216_000), "16 GiB"},
		{Decimal(3.4736458333333333), "3.5"},
		{Decimal(40), "40"},
		{Decimal(0.9996), "1"},
		{Decimal(0.0023148), "0.002"},
		{Decimal(0), "0"},
		{Days(3.4736458333333333), "3.5 days"},
		{Days(1), "1 day"},
		{Days(1.03), "1 day"},
		{Days(40), "40 days"},
		{Days(0.23), "5 hours"},
		{Days(0.0023148148148148147), "3 minutes"},
		{Days(0.0007), "1 minute"},
		{Days(1.1574074074074073e-05), "less than a minute"},
		{Bandwidth(int64(12_800_000_000)), "12.8 GB/s"},
		{Bandwidth(12.8e9), "12.8 GB/s"},
	} {
		if have, want := c[0], c[1]; have != want {
			t.Errorf("%q, expected %q", have, want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range [][2]string{
		{Plural(1, "DIMM"), "1 DIMM"},
		{Plural(0, "DIMM"), "0 DIMMs"},
		{List([]string{"A"}), "A"},
		{List([]string{"A", "B"}), "A and B"},
		{List([]string{"A", "B", "C"}), "A, B and C"},
		{Truncated(2, []string{"a", "b"}), "a; b"},
		{Truncated(1, []string{"a", "b", "c"}), "a; and 2 more"},
		{List(nil), ""},
	} {
		if have, want := c[0], c[1]; have != want {
			t.Errorf("%q, expected %q", have, want)
		}
	}
}

// TestYAMLErrors checks that errors of the YAML reader get the line where the fault or its parent begins, and name no Go type.
// The expected lines are counted by hand.
func TestYAMLErrors(t *testing.T) {
	type file struct {
		Rules []struct {
			ID string
		}
	}
	for _, c := range []struct {
		name, src string
		line      int
		want      string
	}{
		{"an open brace", "rules:\n  - id: a\n    citation: {vendor: Dell\n  - id: b\n", 3, "a comma or } is missing, here or below"},
		{"an open bracket", "rules:\n  - id: a\n  - [a, b\n", 3, "a comma or ] is missing, here or below"},
		{"a line left of its key", "rules:\n  - id: a\n    year: 1\n   ok: true\n", 2, "a list with a line that neither begins with - nor is indented below one that does: look at indentation, here or below"},
		{"text after a quote", "rules:\n  - id: a\n    title: 'a' b\n", 2, "neither a key nor part of the value before it: look at quotes and indentation, here or below"},
		{"a colon in a text", "rules:\n  - id: a: b\n", 2, "mapping values are not allowed here: put a text with a colon in quotes"},
		{"a tab", "rules:\n  - id: a\n\tyear: 1\n", 2, "found a tab character that violates indentation, here or below: indent with spaces"},
		{"a list for a text", "rules:\n  - id: [a]\n", 2, "more than one text where a text was expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var into file
			err := yaml.Unmarshal([]byte(c.src), &into)
			if err == nil {
				t.Fatalf("expected an error")
			}
			if line, text := YAMLError(err.Error()); line != c.line || text != c.want {
				t.Errorf("line %d: %s, expected %d: %s; of %v", line, text, c.line, c.want, err)
			}
		})
	}
	if line, text := YAMLError("no place in it"); line != 0 || text != "no place in it" {
		t.Errorf("line %d: %s, expected the text as it is", line, text)
	}
}

// TestNearest checks edit distances, and that case does not count.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"hpc", "", 3}, {"", "hpc", 3}, {"hpc", "hpc", 0}, {"hpc", "hcp", 2}, {"database", "databse", 1}, {"latency", "latencies", 3}, {"KITTEN", "SITTING", 3}, {"A1", "B1", 1}} {
		if have := Distance(c.a, c.b); have != c.want {
			t.Errorf("%d from %q to %q, expected %d", have, c.a, c.b, c.want)
		}
	}
	for _, c := range []struct{ names, want []string }{{[]string{"cascade-lake-sp", "milan", "rome"}, []string{"rome", "milan"}}, {[]string{"rome"}, []string{"rome"}}} {
		if have := Nearest(c.names, "ROMA", 2); !slices.Equal(have, c.want) {
			t.Errorf("%v of %v, expected %v", have, c.names, c.want)
		}
	}
}

// TestSpans checks that names are shortened only by what the name before has, too, and that a span has each number once.
func TestSpans(t *testing.T) {
	for names, want := range map[string]string{
		"A1|A2|B1":                          "A1, A2 and B1",
		"A5|A6|A7|A8|B5|B6|B7|B9":           "A5-A8, B5-B7 and B9",
		"DIMM_A8|DIMM_A9|DIMM_A10":          "DIMM_A8 to DIMM_A10",
		"PROC  1 DIMM  1|PROC  1 DIMM 12":   "PROC 1 DIMM 1 and 12",
		"PROC 1 DIMM 1|PROC 2 DIMM 1":       "PROC 1 DIMM 1 and PROC 2 DIMM 1",
		"DIMM 1|DIMM 2|DIMM 3|DIMM 7|X":     "DIMM 1-3, 7 and X",
		"P1-DIMMA1|P1-DIMMB1|P1-DIMMC1":     "P1-DIMMA1, P1-DIMMB1 and P1-DIMMC1",
		"MB/CPU 0 DIMM B1|MB/CPU 0 DIMM C1": "MB/CPU 0 DIMM B1 and C1",
	} {
		assert.Equal(t, want, List(Spans(strings.Split(names, "|"))))
	}
}

// TestWords checks that a number and its unit are not parted.
func TestWords(t *testing.T) {
	assert.Equal(t, []string{"CPU2", "rises", "from", "33-50 %", "to", "25.6 GB/s,", "in", "12", "of", "16"}, slices.Collect(Words("CPU2 rises from 33-50 %  to 25.6 GB/s, in 12 of 16")))
}
