package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report/page"

	"github.com/stretchr/testify/require"
)

// TestBlocks checks the blocks of a page, separated by one empty line each, with an example as the program prints it.
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
