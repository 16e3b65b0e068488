package partnumber

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/compiled"
	"github.com/memaudit/memaudit/rules"
)

// TestBeginnings: texts are named only where every match begins with one of them.
func TestBeginnings(t *testing.T) {
	for match, want := range map[string]string{
		"^CT(?P<sz>4|8)G4": "CT4G4 CT8G4", "^M(?P<f>393|386)A": "M386A M393A", "^AB*C": "A", "^AB": "AB",
		"^(HY)?MP": "HYMP MP", "^A?B": "AB B", "^A{0,1}B": "", "^A*B": "", "^A|B": "", "^[AB]C": "AC BC", "AB": "", "^(?i)ab": "", "(?i)^ab": "", "^": "", "^.": "",
		"^A+B": "A", "^A{2,3}B": "A", "^[0-3]{6}-": "0 1 2 3", "^A[0-9][0-9]": "A0 A1 A2 A3 A4 A5 A6 A7 A8 A9", "^[^A]B": "", "^(A|)": "", "^(A|)B": "AB B", "^A(B|C*)D": "A AB",
		"^A B": "", "^(A|B)$": "A B", "^A{1,2}B": "A", "^A{0,2}B": "", `^[^\x00-\x{10FFFF}]B`: "", `^(A|[^\x00-\x{10FFFF}])B`: "AB",
		// Of more than 32 texts only what comes before is named.
		"^X[0-7][0-3]Z": eachOf("X", "01234567", "0123", "Z"), "^X[0-7][0-4]Z": eachOf("X", "01234567"),
		"^[0-5A-Z]-": eachOf("", "012345ABCDEFGHIJKLMNOPQRSTUVWXYZ", "-"), "^[0-6A-Z]-": "",
		"^([0-7][0-3]|A)B": "", "^([0-7][0-3])B": eachOf("", "01234567", "0123", "B"),
	} {
		got, err := beginnings(match)
		require.NoError(t, err, match)
		assert.Equal(t, want, strings.Join(got, " "), match)
	}
	_, err := beginnings("^(")
	require.Error(t, err)
}

// eachOf are texts of one character of each group, one after the other.
func eachOf(begin string, groups ...string) string {
	texts := []string{begin}
	for _, group := range groups {
		var longer []string
		for _, text := range texts {
			for _, r := range group {
				longer = append(longer, text+string(r))
			}
		}
		texts = longer
	}
	return strings.Join(texts, " ")
}

// TestDamagedPattern: what is no expression, no pattern or no row leaves the number unread.
func TestDamagedPattern(t *testing.T) {
	row := func(p *pattern) compiledPattern {
		w := compiled.NewWriter()
		p.code(w)
		return compiledPattern{raw: w.Written()}
	}
	table := valueTable{By: []string{"b"}, Map: map[string]values{"1": {Speed: 1600}, "2": {Speed: 1866}}}
	table.compile()
	good := pattern{ID: "a", Match: "^A(?P<b>.)", Tables: []valueTable{{By: table.By, Rows: table.Rows}}}
	m, ok := (&Table{rows: []compiledPattern{row(&good)}}).Decode("A2")
	assert.True(t, ok)
	assert.Equal(t, Module{Pattern: "a", RatedMTs: 1866, Sources: m.Sources}, m)
	bad, cut := good, good
	bad.Match = "^A("
	cut.Tables = []valueTable{{By: table.By, Rows: table.Rows[:len(table.Rows)-2]}}
	for name, p := range map[string]*pattern{"no expression": &bad, "no row": &cut} {
		m, ok := (&Table{rows: []compiledPattern{row(p), row(&good)}}).Decode("A2")
		assert.False(t, ok, name)
		assert.Zero(t, m, name)
	}
}

// TestCompiledRows: a table says the same of every row as it is written by people and
// as it is compiled ahead of time, and nothing of a row that it does not have.
func TestCompiledRows(t *testing.T) {
	all, err := readPatterns(rules.FS)
	require.NoError(t, err)
	rows := 0
	for i := range all {
		for j := range all[i].Tables {
			written := &all[i].Tables[j]
			written.compile()
			made := valueTable{By: written.By, Rows: written.Rows}
			for caught, want := range written.Map {
				got, err := made.row(caught)
				require.NoError(t, err)
				assert.Equal(t, want, got, "%s: %q", all[i].ID, caught)
				rows++
			}
			none, err := made.row("no such row")
			require.NoError(t, err)
			assert.Zero(t, none)
		}
	}
	assert.Greater(t, rows, 500)
	damaged, first, cut := compiled.NewWriter(), "1", "11"
	one := valueTable{Map: map[string]values{first: {Ranks: 1}}}
	one.compile()
	damaged.Text(&cut)
	damaged.Text(&cut)
	for n := 1; n < len(one.Rows); n++ {
		_, err = (&valueTable{Rows: one.Rows[:n]}).row(cut)
		require.Error(t, err, n)
	}
	whole := valueTable{Rows: one.Rows + damaged.Written()}
	_, err = whole.row(cut)
	require.Error(t, err)
	got, err := whole.row(first)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Ranks, "what stands before the damage")
}

// TestNormal: what firmware and labels do to a number is undone only where it is told by its
// form.
func TestNormal(t *testing.T) {
	for number, want := range map[string]string{
		"0x4D333933": "M393", "0x4D3339": "0X4D3339", "4D333933": "4D333933", "0x4D33393z": "0X4D33393Z",
		"M3 93T5660QZA-CE6": "M393T5660QZA-CE6",
		"MTA9ASF1G72PZ":     "9ASF1G72PZ", "MT18JSF": "18JSF", "HP 752369-081": "752369-081", "HPE P00924-B21": "P00924-B21", "HPP00924-B21": "P00924-B21",
		"HP": "HP", "HPE": "HPE", "MTASF": "MTASF", "HPA752369-081": "HPA752369-081", "HP 7523-081": "HP 7523-081", "MT9": "MT9",
	} {
		assert.Equal(t, want, normal(number), number)
	}
}

// TestModuleSizes: 1 GiB and 1 TiB are sizes of modules, half a GiB too, and nothing is none.
func TestModuleSizes(t *testing.T) {
	for gib, want := range map[float64]bool{0.5: true, 1: true, 24: true, 1024: true, 1024.5: false, 1025: false, 1536: false, 2048: false, 0: false, -1: false, 17: false, math.Inf(1): false, math.Inf(-1): false, math.NaN(): false, -0.5: false, 0.75: true} {
		assert.Equal(t, want, moduleSize(gib), gib)
	}
}

// TestRanksOfDevices: a rank is 64 bits wide; where several densities give other ranks, none
// is known, and without densities or a width none either.
func TestRanksOfDevices(t *testing.T) {
	p := &pattern{RanksAllowed: map[string][]int{"RDIMM": {1, 2, 4}}}
	for _, c := range []struct {
		dies  *[]float64
		width int
		want  int
	}{
		{&[]float64{8}, 4, 1}, {&[]float64{4}, 4, 2}, {&[]float64{8, 8}, 4, 1}, {&[]float64{8, 4}, 4, 0}, {&[]float64{3}, 4, 0}, {nil, 4, 0}, {&[]float64{8}, 0, 0}, {&[]float64{0}, 0, 0}, {&[]float64{2}, 1, 1},
	} {
		assert.Equal(t, c.want, p.ranks(&values{SizeGB: 16, Type: "RDIMM", Width: c.width, Dies: c.dies}), c)
	}
}
