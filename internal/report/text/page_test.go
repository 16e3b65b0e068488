package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report/text"
)

// TestPage checks the parts of a page, separated by one empty line each, with an example as the program prints it.
func TestPage(t *testing.T) {
	page := text.NewPage(text.Options{})
	page.Head(1, "rule", "memory.x")
	page.Text("Every channel of a processor has a DIMM.")
	page.Field(2, "severity", "warning", false)
	page.Field(2, "effect", "", false)
	page.Head(2, "profile", "example/hpc")
	page.Head(3, "part", "Dell PowerEdge")
	page.Field(0, "source", "page 4", false)
	page.Example("$ memaudit check\nPASS\n\nno failure\n")
	page.Table([]string{"setting", "wanted"}, [][]string{{"smt", "disabled"}, {"turbo", "enabled"}})
	var b strings.Builder
	require.NoError(t, page.Write(&b))
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
