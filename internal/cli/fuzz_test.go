package cli

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/source/smbios"
	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
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

// The cost of auditing an arbitrary table: its allocations, garbage included, are at most 50 times what it reads and
// prints, above those of an empty audit (3 MB) and of a plan (25 MB for an R610: hundreds of layouts are derived).
// Its output is limited by the machine that the table describes, 12 kB of findings per processor and 5 kB per memory
// device, and by the texts in it. 50 times the input alone is impossible: a processor of 28 bytes is the subject of
// some twenty rules.
const (
	memoryFactor   = 50
	memoryFloor    = 64 << 20
	printedFloor   = 256 << 10
	printedSubject = 24 << 10
	printedFactor  = 64
	failOn         = verdict.Warning
)

// costs audits a table and checks what that allocates and prints against the bounds.
func costs(t *testing.T, data []byte) (status int, out, errs string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, out, errs = run(data, "check", "--smbios", "-", "--format", "json", "--fail-on", string(failOn))
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if most := uint64(memoryFloor + memoryFactor*(len(data)+len(out))); allocated > most {
		t.Errorf("%d bytes of input and %d of output cost %d bytes of memory, most %d", len(data), len(out), allocated, most)
	}
	subjects := 0
	if table, err := smbios.Parse(data); err == nil {
		subjects = len(table.Processors()) + table.Count(17)
	}
	if most := printedFloor + printedSubject*subjects + printedFactor*len(data); len(out) > most {
		t.Errorf("%d bytes of input with %d processors and memory devices print %d bytes, most %d", len(data), subjects, len(out), most)
	}
	return status, out, errs
}

// FuzzWhole runs everything from a table's bytes to the report and checks what must be true whatever firmware
// reports.
func FuzzWhole(f *testing.F) {
	seeds(f)
	schema := reportSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		status, out, errs := costs(t, data)
		t.Parallel() // what is allocated is counted of one seed after the other
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
		if corpustest.Stage {
			decodeJSON(t, out, &report.Report{})
		}
		agrees(t, status, errs, r)
		modules(t, data, r)
	})
}

// validFindings are findings of reports that match their schema, by their text. Most reports of one test have most of
// their findings in common.
var validFindings struct {
	sync.Mutex
	read map[string]verdict.Finding
	// parts are settings and slots of their inventories.
	parts map[string]bool
}

// mostValid bounds them, as a fuzzer makes ever new ones.
const mostValid = 5000

// validReport checks a JSON report against its schema and returns what the tests use: findings, sources and the
// number of slots. A finding, setting or slot that was in another report before is not checked again.
func validReport(t *testing.T, schema *validator.Schema, out string) *report.Report {
	t.Helper()
	var whole, known, settings map[string]json.RawMessage
	var findings, slots []json.RawMessage
	r := &report.Report{}
	require.NoError(t, json.Unmarshal([]byte(out), &whole), out)
	require.NoError(t, json.Unmarshal(whole["findings"], &findings))
	require.NoError(t, json.Unmarshal(whole["inventory"], &known))
	require.NoError(t, json.Unmarshal(known["settings"], &settings))
	require.NoError(t, json.Unmarshal(known["slots"], &slots))
	require.NoError(t, json.Unmarshal(known["sources"], &r.Inventory.Sources))
	require.NoError(t, json.Unmarshal(whole["verdict"], &r.Verdict))
	require.NotNil(t, settings)
	require.NotNil(t, slots)
	r.Inventory.Slots = make([]report.Slot, len(slots))
	asAny := func(raw json.RawMessage) any {
		value, err := validator.UnmarshalJSON(bytes.NewReader(raw))
		require.NoError(t, err)
		return value
	}
	valid := &validFindings
	valid.Lock()
	defer valid.Unlock()
	fresh, document, inventory := []any{}, map[string]any{}, map[string]any{}
	freshSettings, freshSlots := map[string]any{}, []any{}
	read := map[string]verdict.Finding{}
	for _, raw := range findings {
		f, again := valid.read[string(raw)]
		if !again {
			require.NoError(t, json.Unmarshal(raw, &f))
			fresh, read[string(raw)] = append(fresh, asAny(raw)), f
		}
		r.Findings = append(r.Findings, f)
	}
	parts := map[string]bool{}
	for id, raw := range settings {
		if part := "setting " + id + string(raw); !valid.parts[part] {
			freshSettings[id], parts[part] = asAny(raw), true
		}
	}
	for _, raw := range slots {
		if part := "slot " + string(raw); !valid.parts[part] {
			freshSlots, parts[part] = append(freshSlots, asAny(raw)), true
		}
	}
	known["settings"], known["slots"], whole["findings"], whole["inventory"] = nil, nil, nil, nil
	for key, raw := range known {
		if raw != nil {
			inventory[key] = asAny(raw)
		}
	}
	for key, raw := range whole {
		if raw != nil {
			document[key] = asAny(raw)
		}
	}
	inventory["settings"], inventory["slots"], document["findings"], document["inventory"] = freshSettings, freshSlots, fresh, inventory
	require.NoError(t, schema.Validate(document))
	if valid.read == nil || len(valid.read)+len(valid.parts) > mostValid {
		valid.read, valid.parts = map[string]verdict.Finding{}, map[string]bool{}
	}
	maps.Copy(valid.read, read)
	maps.Copy(valid.parts, parts)
	return r
}

// agrees checks that the status is the verdict's, and that it gives the reason that nothing was audited if no source
// was read.
func agrees(t *testing.T, status int, errs string, r *report.Report) {
	t.Helper()
	read := slices.ContainsFunc(r.Inventory.Sources, func(s report.Source) bool { return s.State == "ok" || s.State == "partial" })
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

// TestCostOfLargestTables checks the limits with the largest accepted tables, made of the smallest structures, which
// cost most per byte. In the unit tests with half a table of both kinds, in make corpus with a full one and each kind
// alone. It does not run in parallel, because allocations are counted for the process.
func TestCostOfLargestTables(t *testing.T) {
	for what, c := range map[string]struct{ processors, devices int }{"processors": {1 << 10, 0}, "memory devices": {0, 1 << 12}, "both": {256, 1 << 11}} {
		if what != "both" && !corpustest.Stage {
			continue
		}
		if !corpustest.Stage {
			c.processors, c.devices = c.processors/2, c.devices/2
		}
		b := smbiostest.New(2, 3)
		b.System(smbiostest.System{Manufacturer: "Maker", Product: "P1"})
		for range c.processors {
			b.Add(4, []byte("\x00\x03\xB3"+strings.Repeat("\x00", 17)+"\x41\x00")) // populated and enabled
		}
		for range c.devices {
			b.Add(17, []byte(strings.Repeat("\x00", 8)+"\x00\x10"+strings.Repeat("\x00", 7))) // 4 GiB
		}
		_, out, errs := costs(t, b.Table())
		require.NotEmpty(t, out, "%s: %s", what, errs)
	}
}
