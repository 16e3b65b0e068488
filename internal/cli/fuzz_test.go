package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// seeds are tables of the project in every form that --smbios takes.
func seeds(f *testing.F) {
	f.Helper()
	for i, m := range corpustest.Seeds(machinetest.Sample(f), 3) {
		if m.Table == nil {
			continue
		}
		if corpustest.Stage || i%2 == 0 {
			f.Add(m.Table.Dump())
		}
		if corpustest.Stage || i%2 == 1 {
			f.Add(m.Table.Table())
		}
	}
	legacy := smbiostest.New(2, 3)
	legacy.Kind = smbiostest.DMI
	legacy.MemoryDevice(smbiostest.DIMM{Array: legacy.Array(smbiostest.Array{Devices: 1}), Locator: "DIMM 1", Bytes: 1 << 30})
	f.Add(legacy.Dump())
	texts, err := filepath.Glob(filepath.Join("..", "..", "testdata", "smbios", "*.dmidecode.txt"))
	if err != nil || len(texts) == 0 {
		f.Fatalf("no texts of the project: %v", err)
	}
	for _, name := range corpustest.Seeds(texts, 3) {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte{})
	f.Add([]byte("# dmidecode 3.6\n# No SMBIOS nor DMI entry point found, sorry.\n"))
}

func decodeJSON(t *testing.T, out string, into any) {
	t.Helper()
	if out == "" {
		return
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// reportSchema is the committed schema of the report.
func reportSchema(t testing.TB) *validator.Schema {
	t.Helper()
	s, err := readSchema()
	require.NoError(t, err)
	return s
}

// readSchema reads it once for all tests.
var readSchema = sync.OnceValues(func() (*validator.Schema, error) {
	file, err := os.Open(filepath.Join("..", "report", "schema", "report.v1.json"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	document, err := validator.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("report.v1.json", document); err != nil {
		return nil, err
	}
	return c.Compile("report.v1.json")
})

// FuzzWhole runs everything from a table's bytes to the report and checks what must be true whatever firmware
// reports.
func FuzzWhole(f *testing.F) {
	seeds(f)
	schema := reportSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		t.Parallel()
		status, out, errs := run(data, "check", "--smbios", "-", "--format", "json")
		_, text, _ := run(data, "check", "--smbios", "-")
		for _, stream := range []string{text, out, errs} {
			for line := range strings.Lines(stream) {
				if line = strings.TrimSuffix(line, "\n"); line != printable.Clean(line) {
					t.Errorf("not printable: %q", line)
				}
			}
		}
		if out == "" {
			if status != report.ExitNotAudited || errs == "" {
				t.Errorf("no report, status %d, %q", status, errs)
			}
			return
		}
		r := validReport(t, schema, out)
		agrees(t, status, errs, r)
		modules(t, data, r)
	})
}

// validReport checks a JSON report against its schema and reads it.
func validReport(t *testing.T, schema *validator.Schema, out string) *report.Report {
	t.Helper()
	document, err := validator.UnmarshalJSON(strings.NewReader(out))
	require.NoError(t, err, out)
	require.NoError(t, schema.Validate(document))
	r := &report.Report{}
	require.NoError(t, json.Unmarshal([]byte(out), r))
	return r
}

// agrees checks that the status is the verdict's, and that it gives the reason that nothing was audited if no source
// was read.
func agrees(t *testing.T, status int, errs string, r *report.Report) {
	t.Helper()
	read := slices.ContainsFunc(r.Inventory.Sources, func(s inventory.Source) bool { return s.State == "ok" || s.State == "partial" })
	if status != r.Verdict.ExitStatus || !read && status != report.ExitNotAudited {
		t.Errorf("status %d, and the verdict's is %d: %s", status, r.Verdict.ExitStatus, errs)
	}
	if !read && errs == "" {
		t.Error("nothing was read, and no reason is given")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Result == verdict.Error {
			t.Errorf("%s %s broke", f.Rule, f.Subject)
		}
		if f.Result == verdict.Pass && strings.HasPrefix(f.Rule, "memory.") && len(r.Inventory.Slots) == 0 {
			t.Errorf("%s %s passes without a memory device", f.Rule, f.Subject)
		}
	}
}

// modules checks that the report has no more modules than the table has structures.
func modules(t *testing.T, data []byte, r *report.Report) {
	t.Helper()
	table, err := smbios.Parse(data)
	if err != nil {
		if len(r.Inventory.Slots) > 0 {
			t.Errorf("%d slots of a table that cannot be read: %v", len(r.Inventory.Slots), err)
		}
		return
	}
	if devices := table.Count(17); len(r.Inventory.Slots) > devices {
		t.Errorf("%d slots of %d memory devices", len(r.Inventory.Slots), devices)
	}
}
