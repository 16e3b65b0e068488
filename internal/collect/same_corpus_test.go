//go:build corpus

package collect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// different lists the tables that dmidecode prints incorrectly; only the machine is compared for these.
var different = map[string]string{
	"hyperv": "dmidecode stops at a data block behind the OEM strings, the table goes on",
}

// TestDumpAndTextGiveOneInventory checks that a machine's dump and dmidecode's text of it give the same sockets,
// arrays, slots and identity, with the same states and certainties. The evidence and the reasons, which name the
// input and its version, are not compared, nor what only one of them can show: the version of a bare table, checksums
// and counts of the entry point.
func TestDumpAndTextGiveOneInventory(t *testing.T) {
	texts, err := filepath.Glob(filepath.Join(corpustest.Dir(t, "smbios-bin"), "*.dmidecode.txt"))
	require.NoError(t, err)
	require.Greater(t, len(texts), 30)
	for _, text := range texts {
		stem := strings.TrimSuffix(text, ".dmidecode.txt")
		name := filepath.Base(stem)
		t.Run(name, func(t *testing.T) {
			dump := stem + ".bin"
			if _, err := os.Stat(dump); err != nil {
				dump = stem + ".dmi"
			}
			one, two := fromFile(t, dump), fromFile(t, text)
			if why := different[name]; why != "" {
				t.Log(why)
				one.Sockets, one.Arrays, one.Slots = two.Sockets, two.Arrays, two.Slots
			}
			a, b := plainly(t, one), plainly(t, two)
			assert.Empty(t, without(a, b), "in the dump only")
			assert.Empty(t, without(b, a), "in the text only")
		})
	}
}

// without returns the lines of a that are not in b.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(l string) bool { return slices.Contains(b, l) })
}

func fromFile(t *testing.T, name string) *inventory.System {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	table, err := smbios.Parse(data)
	require.NoError(t, err)
	return collect.Collect(collect.Input{SMBIOS: table})
}

// plainly lists the content of a model, one line each, without its evidence and reasons, which name the input.
func plainly(t *testing.T, s *inventory.System) []string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"Machine": s.Machine, "Sockets": s.Sockets, "Arrays": s.Arrays, "Slots": s.Slots})
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	var out []string
	flatten("", v, &out)
	sort.Strings(out)
	return out
}

func flatten(path string, v any, out *[]string) {
	switch x := v.(type) {
	case map[string]any:
		if state, ok := x["State"].(float64); ok {
			*out = append(*out, fmt.Sprintf("%s = %v, %s, %v", path, x["Value"], fact.State(state), x["Certainty"]))
			return
		}
		for key, e := range x {
			if key != "Evidence" {
				flatten(path+"."+key, e, out)
			}
		}
	case []any:
		for i, e := range x {
			flatten(fmt.Sprintf("%s[%d]", path, i), e, out)
		}
	default:
		*out = append(*out, fmt.Sprintf("%s = %v", path, x))
	}
}
