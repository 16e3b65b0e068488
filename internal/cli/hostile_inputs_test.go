package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// spoilt is the audit of an R610 with an export: result by rule and subject. It checks what must be true whatever an
// export contains: the report matches its schema and prints nothing that a terminal would interpret, no rule breaks,
// and the status is the findings', or says that the export could not be read, with the reason.
func spoilt(t *testing.T, schema *validator.Schema, root string, export []byte) (results map[string]verdict.Result, read bool) {
	t.Helper()
	ask := func(format string) (int, string, string) {
		return run(export, "check", "--root", root, "--bios", "-", "--profile", "max-performance", "--format", format)
	}
	status, out, errs := ask("json")
	require.NotEmpty(t, out, errs)
	r := validReport(t, schema, out)
	results = map[string]verdict.Result{}
	for i := range r.Findings {
		f := &r.Findings[i]
		assert.NotEqual(t, verdict.Error, f.Result, f.Rule)
		results[f.Rule+" / "+f.Subject.String()] = f.Result
	}
	at := slices.IndexFunc(r.Inventory.Sources, func(s inventory.Source) bool { return s.Name == inventory.SourceBIOS })
	require.GreaterOrEqual(t, at, 0, "the state of the export is reported")
	source := r.Inventory.Sources[at]
	if read = source.State == "ok" || source.State == "partial"; read {
		assert.Equal(t, r.Verdict.ExitStatus, status)
	} else {
		assert.Equal(t, report.ExitNotAudited, status, source.State)
		assert.NotEmpty(t, errs)
		assert.NotEmpty(t, source.Detail)
	}
	text := ""
	if bytes.ContainsAny(export, "\x1b") || bytes.Contains(export, []byte(`\u001b`)) {
		_, text, _ = ask("text")
	}
	for _, stream := range []string{text, errs} {
		for line := range strings.Lines(stream) {
			line = strings.TrimSuffix(line, "\n")
			assert.Equal(t, printable.Clean(line), line)
		}
	}
	return results, read
}

// exportOf is a Redfish Bios resource of a Dell server.
func exportOf(t *testing.T, attributes map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"@odata.id": "/redfish/v1/Systems/System.Embedded.1/Bios", "Id": "Bios",
		"AttributeRegistry": "BiosAttributeRegistry.v1_0_0", "Attributes": attributes})
	require.NoError(t, err)
	return text
}

func exampleAttributes() map[string]any {
	return map[string]any{"LogicalProc": "Enabled", "NodeInterleave": "Enabled", "ProcTurboMode": "Disabled", "ProcCStates": "Disabled",
		"ProcC1E": "Enabled", "SysProfile": "Custom", "ProcPwrPerf": "OsDbpm", "MemOpMode": "MirrorMode", "SnoopMode": "EarlySnoop", "ProcVirtualization": "Enabled"}
}

// TestDamagedExport damages an export: an attribute without a value that it can have counts like a missing one and affects no
// other, and an export that is cut or too long counts like none. A setting may still pass by what the kernel shows.
func TestDamagedExport(t *testing.T) {
	t.Parallel()
	schema, root, attributes := reportSchema(t), tree(t, "dell-r610-good"), exampleAttributes()
	file := exportOf(t, attributes)
	whole, _ := spoilt(t, schema, root, file)
	require.Equal(t, verdict.Fail, whole["setting.turbo / setting turbo"])
	none, read := spoilt(t, schema, root, []byte("{"))
	require.False(t, read)
	mattered := 0
	noneBetter := func(what string, results, base map[string]verdict.Result) {
		for key, result := range results {
			if result == verdict.Pass {
				assert.Equal(t, verdict.Pass, base[key], "%s: %s passes", what, key)
			}
			if result != whole[key] {
				mattered++
			}
		}
	}
	for i, value := range []any{nil, "", -1e300, []int{1}, map[string]any{"Other": "Disabled"}, "\x1b[2JDisabled", strings.Repeat("Disabled", 9000), "Disabledd"} {
		name := slices.Sorted(maps.Keys(attributes))[i]
		spoiled := maps.Clone(attributes)
		spoiled[name] = value
		results, read := spoilt(t, schema, root, exportOf(t, spoiled))
		delete(spoiled, name)
		base, _ := spoilt(t, schema, root, exportOf(t, spoiled))
		if !read {
			base = none
		}
		assert.Equal(t, i != 6, read, "only a text without limits spoils all of it")
		noneBetter(fmt.Sprintf("%s is %.9v", name, value), results, base)
	}
	assert.Greater(t, mattered, 5, "what was spoiled mattered to some verdict")
	for _, n := range []int{len(file) / 7, len(file) / 2, len(file) - 1} {
		results, read := spoilt(t, schema, root, file[:n])
		assert.False(t, read, "cut at %d", n)
		noneBetter(fmt.Sprint("cut at ", n), results, none)
	}
}
