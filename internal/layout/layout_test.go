package layout_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/memaudit/memaudit/"

// allowed is the import table of ARCHITECTURE.md: what each package may import
// beside the standard library. "..." ends a prefix.
var allowed = map[string][]string{
	"cmd/memaudit":       {module + "internal/cli"},
	"internal/host":      {"golang.org/x/sys/..."},
	"internal/smbios":    {},
	"internal/inventory": {},
	"internal/bios":      {},
	"internal/baseline":  {module + "internal/inventory"},
	"internal/settings":  {"go.yaml.in/yaml/v3"},
	"internal/redfish":   {},
	"internal/collect": {module + "internal/host", module + "internal/smbios", module + "internal/redfish",
		module + "internal/bios", module + "internal/settings", module + "internal/inventory", "github.com/jaypipes/ghw/..."},
	"internal/snapshot": {module + "internal/host", module + "internal/smbios", module + "internal/bios", module + "internal/redfish",
		module + "internal/settings", module + "internal/inventory", module + "internal/collect"},
	"internal/topology": {module + "internal/inventory", "go.yaml.in/yaml/v3"},
	"internal/audit": {module + "internal/inventory", module + "internal/settings", module + "internal/topology", "go.yaml.in/yaml/v3",
		"cel.dev/cel-go/..."},
	"internal/report": {module + "internal/inventory", module + "internal/topology", module + "internal/audit"},
	"internal/exporter": {module + "internal/report", "github.com/prometheus/client_golang/...", "github.com/prometheus/exporter-toolkit/web",
		"github.com/coreos/go-systemd/v22/...", "github.com/fsnotify/fsnotify", "github.com/landlock-lsm/go-landlock/landlock", "golang.org/x/sys/unix"},
	"internal/reference": {module + "internal/audit", module + "internal/report", module + "internal/settings", module + "internal/topology"},
	"internal/cli": {module + "internal/...", module + "rules", "github.com/spf13/cobra/...", "github.com/spf13/pflag", "go.yaml.in/yaml/v3",
		"golang.org/x/sys/...", "golang.org/x/term"},
	"rules": {},
}

// testOnly packages are imported by tests alone.
var testOnly = []string{"internal/layout", "internal/corpustest", "internal/smbios/smbiostest", "internal/host/hosttest", "internal/bios/biostest"}

// TestImports holds the imports of every package against the table.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, module+"...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], module)
		if slices.Contains(testOnly, pkg) || strings.HasPrefix(pkg, "e2e") || strings.HasPrefix(pkg, "internal/tools/") {
			continue
		}
		table, ok := allowed[pkg]
		require.True(t, ok, "package %s stands in no row of the import table", pkg)
		for _, imp := range words[1:] {
			if standard(imp) || matches(table, imp) {
				continue
			}
			t.Errorf("%s imports %s, which the table does not allow", pkg, imp)
		}
	}
}

// standard reports whether an import path is the standard library's: its first
// element has no dot.
func standard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func matches(table []string, imp string) bool {
	return slices.ContainsFunc(table, func(row string) bool {
		if prefix, ok := strings.CutSuffix(row, "/..."); ok {
			return imp == prefix || strings.HasPrefix(imp, prefix+"/")
		}
		return imp == row
	})
}
