//go:build corpus

package collect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/rules"
)

// TestCorpusOptions compares the values that machines offer for mapped attributes and that have no canonical value
// with a committed list. With one of them the setting is unknown, with a reason.
func TestCorpusOptions(t *testing.T) {
	tables, err := settings.LoadCompiled(rules.FS)
	require.NoError(t, err)
	registries, err := filepath.Glob(filepath.Join(corpustest.Shared(t, "corpus/redfish/registries"), "*.json"))
	require.NoError(t, err)
	require.Len(t, registries, 11)
	offered := 0
	var foreign []string
	for _, file := range append(corpusFiles(t), registries...) {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		e, err := bios.Decode(file, data)
		require.NoError(t, err)
		c := &collector{sys: &inventory.System{}}
		c.translate(tables, &Export{Export: e})
		for i := range e.Attributes {
			n, names := foreignOptions(e, &e.Attributes[i])
			offered, foreign = offered+n, append(foreign, names...)
		}
	}
	slices.Sort(foreign)
	got := strings.Join(slices.Compact(foreign), "\n") + "\n"
	t.Logf("%d values offered, %d different ones without a word", offered, strings.Count(got, "\n"))
	golden := filepath.Join(corpustest.Root(t), "testdata", "bios", "untranslated.txt")
	if *updateUnmapped {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "make unmapped, and read the difference")
}

// foreignOptions lists the offered values of a mapped attribute that no entry
// translates, and counts all.
func foreignOptions(e *bios.Export, a *bios.Attribute) (offered int, foreign []string) {
	if e.Table == nil {
		return 0, nil
	}
	matches := e.Table.Find(a.Name)
	if len(matches) == 0 {
		matches = e.Table.Find(a.Display)
	}
	if len(matches) == 0 {
		return 0, nil
	}
	for _, option := range a.Options {
		offered++
		if !translates(matches, option, "") {
			name := a.Display
			if name == "" {
				name = a.Name
			}
			foreign = append(foreign, fmt.Sprintf("%s: %s = %s", e.Table.Vendor, strings.TrimSpace(name), option))
		}
	}
	return offered, foreign
}
