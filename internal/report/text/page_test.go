package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"

	"github.com/stretchr/testify/require"
)

// TestBlocks: the blocks of a page, separated by one empty line each; an example stands as the
// program prints it.
func TestBlocks(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteBlocks(&b, []page.Block{
		{Head: &page.Head{Level: 1, Kind: "rule", Name: "memory.x"}},
		{Text: "Every channel of a processor has a DIMM."},
		{Fields: []page.Field{{Name: "severity", Value: "warning"}, {Name: "effect"}}, Indent: 2},
		{Head: &page.Head{Level: 2, Kind: "profile", Name: "example/hpc"}},
		{Head: &page.Head{Level: 3, Kind: "part", Name: "Dell PowerEdge"}, Fields: []page.Field{{Name: "source", Value: "page 4"}}},
		{Example: "$ memaudit check\nPASS\n\nno failure\n"},
		{Table: &page.Table{Heads: []string{"setting", "wanted"}, Rows: [][]string{{"smt", "disabled"}, {"turbo", "enabled"}}}},
	}, Options{}))
	require.Equal(t, `rule      memory.x

Every channel of a processor has a DIMM.
  severity  warning

profile   example/hpc

  Dell PowerEdge
source    page 4

  $ memaudit check
  PASS

  no failure

setting  wanted
smt      disabled
turbo    enabled
`, b.String())
}

// TestOneFinding: a failure is printed as a report has it, any other as a note.
func TestOneFinding(t *testing.T) {
	one := failing("memory.x", "channel 2 is empty")[0]
	require.Equal(t, "WARNING   memory.x   socket 0\n  found     channel 2 is empty\n", Finding(&one, Options{}))
	cost, year := &report.Effect{Text: "a third is lost"}, 2010
	one.Result, one.Effect, one.Citation = "pass", cost, &report.Citation{Vendor: "Dell", Title: "Guide", Year: &year}
	why := "it is by design"
	one.Why = &why
	require.Equal(t, `NOTE      memory.x socket 0
  found     channel 2 is empty
  why       it is by design
  measured  a third is lost
  source    Dell, Guide, 2010
`, Finding(&one, Options{}))
	one.Effect, one.Citation = nil, nil
	require.Equal(t, "NOTE      memory.x socket 0\n  found     channel 2 is empty\n  why       it is by design\n", Finding(&one, Options{}))
}
