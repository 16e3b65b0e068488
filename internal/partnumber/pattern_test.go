package partnumber

import (
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
		"^A B": "", "^(A|B)$": "A B",
	} {
		got, err := beginnings(match)
		require.NoError(t, err, match)
		assert.Equal(t, want, strings.Join(got, " "), match)
	}
	_, err := beginnings("^(")
	require.Error(t, err)
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
