package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// saveBaseline accepts a machine and returns the file.
func saveBaseline(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lib", "baseline.json")
	assert.Contains(t, must(t, append([]string{"baseline", "save", "--file", file}, args...)...), file)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	return file
}

// compared runs baseline compare and returns the status and the report.
func compared(t *testing.T, file string, args ...string) (int, *report.Report) {
	t.Helper()
	status, out, errs := run(nil, append([]string{"baseline", "compare", "--format", "json", "--file", file}, args...)...)
	doc := decoded[report.Report](t, out, errs)
	for i := range doc.Findings {
		assert.Equal(t, "baseline.changed", doc.Findings[i].Rule)
	}
	return status, &doc
}

// changesOf is "SUBJECT KIND" of every change.
func changesOf(doc *report.Report) []string {
	out := []string{}
	for _, c := range doc.Baseline.Changes {
		out = append(out, c.Subject.String()+" "+c.Kind)
	}
	return out
}

// TestBaselineChanged checks that changes are named slot by slot, by the command, by check, in the metrics, and in
// the exit status.
func TestBaselineChanged(t *testing.T) {
	t.Parallel()
	good, uneven := tree(t, "dell-r610-good"), tree(t, "dell-r610-unbalanced")
	file := saveBaseline(t, "--root", good)
	status, doc := compared(t, file, "--root", uneven)
	assert.Equal(t, 1, status)
	assert.Equal(t, []string{"slot 0x1108 (DIMM_B3) dimm_moved", "slot 0x1109 (DIMM_B4) dimm_moved", "machine setting"}, changesOf(doc))
	assert.Equal(t, 3, doc.Summary.Fail)

	status, out, _ := run(nil, "check", "--root", uneven, "--baseline", file)
	assert.Equal(t, 1, status)
	assert.Contains(t, out, "baseline.changed")
	_, out, _ = run(nil, "check", "--root", uneven, "--baseline", file, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_baseline_changed{kind="dimm_moved"} 1`)
	assert.Contains(t, out, `memaudit_baseline_changed{kind="bios"} 0`)
	_, out, _ = run(nil, "check", "--root", uneven, "--format", "prometheus")
	assert.NotContains(t, out, "memaudit_baseline_changed{")
	status, _, _ = run(nil, "baseline", "compare", "--root", uneven, "--file", file, "--fail-on", "critical")
	assert.Zero(t, status)
}

// TestBaselineSeverities checks that a lost module is critical, a BIOS update a note and anything else a warning, and that each is a
// problem of its own.
func TestBaselineSeverities(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	lost := func(b map[string]any) { // the accepted machine had one more
		slots := b["slots"].([]any)
		module := slots[0].(map[string]any)
		for i := range slots {
			if s := slots[i].(map[string]any); s["state"] == "empty" {
				for key, value := range module {
					if key != "handle" && key != "locator" {
						s[key] = value
					}
				}
				return
			}
		}
	}
	bios := func(b map[string]any) { b["machine"].(map[string]any)["bios_version"] = "5.9.9" }
	smaller := func(b map[string]any) { b["slots"].([]any)[0].(map[string]any)["size_bytes"] = 2 << 30 }
	for _, c := range []struct {
		name     string
		accepted []func(map[string]any)
		status   int
		problems []string
	}{
		{"a module is gone", []func(map[string]any){lost}, 1, []string{"critical"}},
		{"another BIOS", []func(map[string]any){bios}, 0, []string{"info"}},
		{"a larger module", []func(map[string]any){smaller}, 1, []string{"warning"}},
		{"a module is gone and another BIOS", []func(map[string]any){lost, bios}, 1, []string{"critical", "info"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := saveBaseline(t, "--root", root)
			data := contentOf(t, file)
			b := decoded[map[string]any](t, string(data))
			for _, change := range c.accepted {
				change(b)
			}
			data, err := json.Marshal(b)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, data, 0o600))
			status, doc := compared(t, file, "--root", root)
			assert.Equal(t, c.status, status)
			var problems []string
			for _, p := range doc.Problems {
				problems = append(problems, string(p.Severity))
			}
			assert.Equal(t, c.problems, problems)
		})
	}
}

// TestBaselineNotComparable checks that an unknown value is neither a change nor a pass.
func TestBaselineNotComparable(t *testing.T) {
	t.Parallel()
	good := tree(t, "dell-r610-good")
	file := saveBaseline(t, "--root", good)
	// Without the SMBIOS table, as an unprivileged user has it.
	m := machinetest.Named(t, "dell-r610-good")
	denied := m.Tree().Without("sys/firmware/dmi").With(hosttest.Files{"memaudit-notes": "memaudit-notes 1\n" +
		"denied\t/sys/firmware/dmi/tables/DMI\ndenied\t/sys/firmware/dmi/tables/smbios_entry_point\ndenied\t/sys/firmware/dmi/entries\n"}).Write(t)
	status, doc := compared(t, file, "--root", denied)
	assert.Equal(t, 3, status)
	assert.Empty(t, doc.Baseline.Changes)
	require.Len(t, doc.Findings, 1)
	assert.EqualValues(t, "unknown", doc.Findings[0].Result)
	assert.Contains(t, string(doc.Findings[0].KnownBy), "root")

	status, doc = compared(t, file, "--root", tree(t, "supermicro-rome-half"))
	assert.Equal(t, 3, status)
	assert.False(t, *doc.Baseline.Comparable)
	assert.Contains(t, string(doc.Findings[0].Reason), "another machine")

	data := contentOf(t, file)
	for text, want := range map[string]int{strings.Replace(string(data), "baseline/v1", "baseline/v9", 1): 0, "{": 3} {
		other := fileOf(t, "b.json", text)
		status, doc := compared(t, other, "--root", good)
		assert.Equal(t, 3, status)
		assert.EqualValues(t, "unknown", doc.Findings[0].Result)
		status, _, _ = run(nil, "check", "--root", good, "--baseline", other, "--fail-on", "never")
		assert.Equal(t, want, status)
	}
	status, _, errs := run(nil, "baseline", "compare", "--root", good, "--file", "/nowhere")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "baseline save makes one")
	status, doc = compared(t, "/nowhere", "--root", good)
	assert.Equal(t, 3, status)
	assert.EqualValues(t, "unknown", doc.Findings[0].Result)
}

// TestBaselineOfCapture checks that a redacted capture, which has no serial numbers, is not reported as having other
// modules.
func TestBaselineOfCapture(t *testing.T) {
	t.Parallel()
	tree, _ := secretive()
	dir := tree.Write(t)
	file := saveBaseline(t, "--root", dir)
	data := contentOf(t, file)
	assert.NotContains(t, string(data), "SECRET")
	assert.Contains(t, string(data), `"serial"`)
	status, doc := compared(t, file, "--snapshot", capture(t, nil, "--root", dir))
	assert.Equal(t, 3, status)
	assert.Empty(t, doc.Baseline.Changes)
	again := capture(t, nil, "--snapshot", capture(t, nil, "--root", dir), "--identifiers")
	_, doc = compared(t, file, "--snapshot", again)
	assert.Empty(t, doc.Baseline.Changes)
	status, doc = compared(t, file, "--snapshot", capture(t, nil, "--root", dir, "--identifiers"))
	assert.Zero(t, status)
	assert.True(t, *doc.Baseline.Comparable)
}

// TestBaselineRefused checks usage errors, and what cannot be accepted.
func TestBaselineRefused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "b.json")
	for args, want := range map[string]int{"baseline other": 2, "baseline compare --fail-on x": 2, "baseline save --root /nowhere": 3,
		"baseline save --root " + t.TempDir(): 3} {
		status, _, errs := run(nil, append(strings.Fields(args), map[bool][]string{true: {"--file", file}}[strings.Contains(args, "--")]...)...)
		assert.Equal(t, want, status, "%s: %s", args, errs)
		assert.NoFileExists(t, file)
	}
}

// TestBaselineOfTheConfiguration checks that the configured baseline is used for the live machine only.
func TestBaselineOfTheConfiguration(t *testing.T) {
	t.Parallel()
	conf := &config{Baseline: "/x"}
	assert.Equal(t, "/x", (&inputFlags{conf: conf}).baselineFile("", "/default"))
	assert.Equal(t, "/flag", (&inputFlags{conf: conf}).baselineFile("/flag", "/default"))
	for _, f := range []inputFlags{{root: "x", conf: conf}, {snapshot: "x", conf: conf}, {smbios: "x", conf: conf}, {}} {
		assert.Equal(t, "/default", f.baselineFile("", "/default"))
	}
}
