package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// boundary is the start of a word in a workload profile's name.
var boundary = regexp.MustCompile(`([a-z])([A-Z])`)

// profileID is the id that a workload profile has in its pack.
func profileID(pack, workload string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(workload, "I/O", "Io-"), "(")
	return pack + "/" + strings.ToLower(boundary.ReplaceAllString(name, "$1-$2"))
}

// hpeTable is a table carried from one of HPE's attribute registries: the
// factory's value of each attribute, and what each workload profile writes.
type hpeTable struct {
	registry string
	factory  map[string]string
	writes   map[string]map[string]string
}

func readHPETable(t *testing.T, system string) *hpeTable {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "profiles", "hpe-"+system+".tsv"))
	require.NoError(t, err)
	out := &hpeTable{factory: map[string]string{}, writes: map[string]map[string]string{}}
	var names []string
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		switch {
		case cells[0] == "# registry":
			out.registry = cells[1]
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = cells[2:]
		default:
			out.factory[cells[0]] = cells[1]
			for i, value := range cells[2:] {
				if value == "." || value == "" {
					continue
				}
				if out.writes[names[i]] == nil {
					out.writes[names[i]] = map[string]string{}
				}
				out.writes[names[i]][cells[0]] = value
			}
		}
	}
	return out
}

// export is the Bios resource with the factory's values, and what a workload
// profile then writes.
func (h *hpeTable) export(t *testing.T, workload string) string {
	t.Helper()
	attributes := maps.Clone(h.factory)
	maps.Copy(attributes, h.writes[workload])
	attributes["WorkloadProfile"] = workload
	data, err := json.Marshal(map[string]any{"@odata.type": "#Bios.v1_0_0.Bios", "AttributeRegistry": h.registry, "Attributes": attributes})
	require.NoError(t, err)
	return biosFile(t, string(data))
}

// advisedDoc is what the test reads of a report.
type advisedDoc struct {
	Findings []struct {
		Rule, Result string
		Advice       []string
	}
	Advice []struct {
		ID    string
		Cures []struct{ Rule string }
		Steps []struct {
			Do, Setting, Value, Tool, Command string
		}
		Reaches struct {
			Findings []struct{ Rule string }
		}
	}
}

// settings lists the rules of settings with a result.
func (d *advisedDoc) settings(result string) []string {
	var out []string
	for _, f := range d.Findings {
		if strings.HasPrefix(f.Rule, "setting.") && f.Result == result {
			out = append(out, f.Rule)
		}
	}
	return out
}

func checked(t *testing.T, args ...string) advisedDoc {
	t.Helper()
	_, out, errs := run(nil, append([]string{"check", "--root", emptyTree(t), "--format", "json"}, args...)...)
	var doc advisedDoc
	require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
	return doc
}

// TestOneStepForManySettings checks for every workload profile (a third of them, all in make corpus) of two of HPE's
// registries, Intel's and AMD's, that a machine with factory settings is advised one step, and that applying it as
// firmware does by the registry gives what the advice promises.
func TestOneStepForManySettings(t *testing.T) {
	t.Parallel()
	packs := map[string]string{"u58": "hpe-gen11", "a42": "hpe-gen10plus-amd-7003"}
	steps := 0
	for system, pack := range packs {
		h := readHPETable(t, system)
		now := h.export(t, "Custom")
		for _, workload := range corpustest.Sample(slices.Sorted(maps.Keys(h.writes)), 3) {
			profile := profileID(pack, workload)
			before, after := checked(t, "--bios", now, "--profile", profile), checked(t, "--bios", h.export(t, workload), "--profile", profile)
			assert.Empty(t, after.settings("fail"), profile)
			assert.Empty(t, after.Advice, "%s: nothing is left to do", profile)
			if len(before.Advice) == 0 {
				assert.Less(t, len(before.settings("fail")), 2, profile)
				continue
			}
			a := before.Advice[0]
			require.Equal(t, "settings", a.ID)
			require.Len(t, a.Steps, 1)
			set := "WorkloadProfile=" + workload
			if strings.Contains(set, "(") { // a shell's own character: "bash: syntax error near unexpected token"
				set = "'" + set + "'"
			}
			assert.Equal(t, "ilorest set "+set+" --select Bios. --commit; reboot", a.Steps[0].Command)
			assert.Equal(t, workload, a.Steps[0].Value)
			assert.Len(t, a.Cures, len(before.settings("fail")), profile)
			for _, c := range a.Cures {
				assert.Contains(t, after.settings("pass"), c.Rule, profile)
			}
			for _, f := range before.Findings {
				if strings.HasPrefix(f.Rule, "setting.") && f.Result == "fail" {
					assert.Equal(t, []string{"settings"}, f.Advice)
				}
			}
			for _, f := range a.Reaches.Findings {
				assert.False(t, strings.HasPrefix(f.Rule, "setting."), "%s: %s", profile, f.Rule)
			}
			steps++
		}
	}
	t.Logf("%d steps", steps)
	least := 6
	if corpustest.Stage {
		least = 20
	}
	assert.Greater(t, steps, least)
}

// Text and page carry the step; what cannot be proven is not there.
func TestOneStepIsPrinted(t *testing.T) {
	t.Parallel()
	now := readHPETable(t, "u58").export(t, "Custom")
	for _, format := range []string{"text", "html"} {
		_, out, _ := run(nil, "check", "--root", emptyTree(t), "--bios", now, "--profile", "low-latency", "--format", format)
		flat := strings.Join(strings.Fields(out), " ")
		assert.Contains(t, flat, "set workload_profile to LowLatency (ilorest set WorkloadProfile=LowLatency --select Bios. --commit; reboot", format)
		_, out, _ = run(nil, "check", "--root", emptyTree(t), "--bios", now, "--format", format)
		assert.NotContains(t, out, "ilorest set WorkloadProfile=GeneralPowerEfficientCompute --select Bios. --commit; reboot; or", "%s: nobody asked for a profile", format)
	}
}
