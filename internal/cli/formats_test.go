package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judged is what every format must have in common.
type judged struct{ Rule, Subject, Result, Severity string }

func verdictsOf(t *testing.T, out string) []judged {
	t.Helper()
	if list, ok := judgedIn.Load(out); ok {
		return slices.Clone(list.([]judged))
	}
	var doc struct{ Findings []judged }
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	judgedIn.Store(out, slices.Clone(doc.Findings))
	return doc.Findings
}

// judgedIn caches JSON reports, because several tests use the same ones.
var judgedIn sync.Map

// TestPluginStatus checks the plugin's own statuses against the findings.
func TestPluginStatus(t *testing.T) {
	t.Parallel()
	root := func(name string) []string {
		return []string{"check", "--format", "nagios", "--root", tree(t, name)}
	}
	for _, c := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"good", root("dell-r610-good"), 0, "MEMAUDIT OK - Dell PowerEdge R610: "},
		{"warnings", root("dell-r610-unbalanced"), 1, "MEMAUDIT WARNING - "},
		{"info asked for", append(root("supermicro-x7db8-4ch"), "--fail-on", "info"), 1, "MEMAUDIT OK - "},
		{"info not asked for", root("supermicro-x7db8-4ch"), 0, "MEMAUDIT OK - "},
		{"warnings do not count", append(root("dell-r610-unbalanced"), "--fail-on", "critical"), 0, "MEMAUDIT WARNING - "},
		{"never", append(root("dell-r610-unbalanced"), "--fail-on", "never"), 0, "MEMAUDIT WARNING - "},
		{"strict", append(root("dell-r610-good"), "--strict"), 3, "MEMAUDIT UNKNOWN - "},
		{"guest", root("guest-without-smbios"), 0, "MEMAUDIT NOT APPLICABLE - "},
		{"nothing read", []string{"check", "--format", "nagios", "--root", "/nowhere"}, 3, "MEMAUDIT UNKNOWN - --root "},
		{"an input failed", append(root("dell-r610-unbalanced"), "--smbios", "/nowhere"), 3, "MEMAUDIT UNKNOWN - Dell PowerEdge R610: --smbios /nowhere: no such file"},
		{"wrong usage", append(root("dell-r610-good"), "--fail-on", "often"), 3, "MEMAUDIT UNKNOWN - --fail-on"},
		{"wrong flag", []string{"check", "--nonsense", "--format=nagios"}, 3, "MEMAUDIT UNKNOWN - unknown flag: --nonsense"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, _ := run(nil, c.args...)
			assert.Equal(t, c.status, status, out)
			assert.True(t, strings.HasPrefix(out, c.says), out)
		})
	}
}
