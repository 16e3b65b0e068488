package house

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinkedPackages: no linked package looks methods up by a name that it reads
// as soon as it starts, for then the linker keeps every exported method of the
// program, 4 MB. text/template is imported by cobra and exporter-toolkit and may
// not be reached: that is what the binary's budget in e2e holds.
func TestLinkedPackages(t *testing.T) {
	imports, err := listImports()
	require.NoError(t, err)
	linked := []string{module + "cmd/memaudit"}
	for i := 0; i < len(linked); i++ {
		require.Contains(t, imports, linked[i])
		for _, path := range imports[linked[i]] {
			if path != "C" && !slices.Contains(linked, path) {
				linked = append(linked, path)
			}
		}
	}
	require.Contains(t, linked, "github.com/prometheus/exporter-toolkit/web")
	for _, name := range []string{"html/template", "golang.org/x/net/trace", "net/http/pprof"} {
		assert.NotContains(t, linked, name)
	}
	assert.NotContains(t, linked, "github.com/prometheus/client_golang/prometheus", "every start pays for it; tests alone need it")
}
