package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/baseline"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/redfish"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// resultsOf audits the machine below a folder: result by rule and subject.
func resultsOf(t *testing.T, engine *audit.Engine, dir string) map[string]verdict.Result {
	t.Helper()
	root, err := host.OpenDir(dir)
	require.NoError(t, err)
	defer func() { _ = root.Close() }()
	sys := collect.Collect(collect.Input{Root: root})
	result, err := engine.Run(sys, population.Derive(sys, rules.FS), audit.Options{Profile: "max-performance", Asked: true, Now: time.Now()})
	require.NoError(t, err)
	out := map[string]verdict.Result{}
	for i := range result.Findings {
		f := &result.Findings[i]
		key := f.Rule + " / " + f.Subject.String()
		if strings.HasPrefix(f.Rule, "settings.") && result.Profile != nil {
			key += " / " + result.Profile.ID // the result is about what the profile wants
		}
		out[key] = f.Result
		assert.NotEqual(t, verdict.Error, f.Result, "%s %s: %s", f.Rule, f.Subject, f.Reason)
	}
	return out
}

// damage ruins one path below a root; outside is a folder beyond it.
type damage struct {
	name  string
	apply func(t *testing.T, path, outside string)
}

// write replaces a path by a file.
func write(content string) func(*testing.T, string, string) {
	return func(t *testing.T, path, _ string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// replace removes a path and creates something else there.
func replace(make func(path, outside string) error) func(*testing.T, string, string) {
	return func(t *testing.T, path, outside string) {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, make(path, outside))
	}
}

// damages are the damages of a kernel file.
func damages() []damage {
	garbage := make([]byte, 5000)
	for i := range garbage {
		garbage[i] = byte(i*i*7 + i>>3)
	}
	return []damage{
		{"absent", replace(func(string, string) error { return nil })},
		{"empty", write("")},
		{"blank", write("\n")},
		{"zeros", write(strings.Repeat("\x00", 64))},
		{"garbage", write(string(garbage))},
		{"huge number", write("99999999999999999999\n")},
		{"negative", write("-1\n")},
		{"huge", replace(func(path, _ string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 1<<30)
		})},
		{"link to itself", replace(func(path, _ string) error { return os.Symlink(filepath.Base(path), path) })},
		{"link out of the root", replace(func(path, outside string) error { return os.Symlink(filepath.Join(outside, "one"), path) })},
		{"link up and out", replace(func(path, outside string) error {
			return os.Symlink(strings.Repeat("../", 40)+strings.TrimPrefix(outside, "/")+"/one", path)
		})},
		{"FIFO", replace(func(path, _ string) error { return unix.Mkfifo(path, 0o644) })},
		{"socket", replace(socket)},
		{"folder", replace(func(path, _ string) error { return os.MkdirAll(filepath.Join(path, "one"), 0o755) })},
	}
}

// socket creates a socket at a path that may be longer than an address can be.
func socket(path, outside string) error {
	near := filepath.Join(outside, "s")
	if err := os.RemoveAll(near); err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: near, Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	defer func() { _ = l.Close() }()
	return os.Rename(near, path)
}

// ruin damages a tree in one of the ways that firmware, a kernel, an administrator or an attacker can, and returns which;
// cut is true if the end of the SMBIOS table is gone.
func ruin(t *testing.T, s *machinetest.Varied, dir string, rnd *rand.Rand) (what string, cut bool) {
	t.Helper()
	var paths []string
	for path, text := range s.Tree() {
		if !strings.HasPrefix(text, hosttest.LinkTo) && !strings.HasSuffix(path, "/") {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	path, way, outside := paths[rnd.IntN(len(paths))], damages()[rnd.IntN(len(damages()))], t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "one"), []byte("1\n"), 0o600))
	switch rnd.IntN(5) {
	case 0:
		for _, path := range paths {
			way.apply(t, filepath.Join(dir, path), outside)
		}
		return "every file, " + way.name, false
	case 1:
		state := []string{"denied", "refused", "malformed", "unstated", "absent"}[rnd.IntN(5)]
		require.NoError(t, os.Remove(filepath.Join(dir, path)))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "memaudit-notes"), []byte("memaudit-notes 1\n"+state+"\t/"+path+"\n"), 0o600))
		return path + ", noted as " + state, false
	case 2:
		file := filepath.Join(dir, "sys/firmware/dmi/tables/DMI")
		table, err := os.ReadFile(file)
		if err != nil {
			return "no table", false
		}
		at := 1 + rnd.IntN(len(table)-7)
		if cut = rnd.IntN(2) == 0; cut {
			table = table[:at]
		} else {
			copy(table[at:], bytes.Repeat([]byte{0xFF}, 64))
		}
		require.NoError(t, os.WriteFile(file, table, 0o600))
		return fmt.Sprintf("table cut %t at %d", cut, at), cut
	default:
		way.apply(t, filepath.Join(dir, path), outside)
		return path + ", " + way.name, false
	}
}

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

// TestDamagedExport damages an export: an attribute without a value that it can have counts like a missing one and affects no
// other, and an export that is cut or too long counts like none. A setting may still pass by what the kernel shows.
func TestDamagedExport(t *testing.T) {
	t.Parallel()
	schema, root := reportSchema(t), tree(t, "dell-r610-good")
	attributes := map[string]any{"LogicalProc": "Enabled", "NodeInterleave": "Enabled", "ProcTurboMode": "Disabled", "ProcCStates": "Disabled",
		"ProcC1E": "Enabled", "SysProfile": "Custom", "ProcPwrPerf": "OsDbpm", "MemOpMode": "MirrorMode", "SnoopMode": "EarlySnoop", "ProcVirtualization": "Enabled"}
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

// TestRefusedInputs checks that input that is not a machine, or larger than any, is reported with status 3, in every
// format.
func TestRefusedInputs(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 5000)
	r := rand.New(rand.NewPCG(5, 17))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	noise[0], noise[1] = 17, 0x54 // and it begins like a module
	devices := smbiostest.New(3, 2)
	array := devices.Array(smbiostest.Array{Devices: 5000})
	for range 5000 {
		devices.MemoryDevice(smbiostest.DIMM{Array: array})
	}
	packages := hosttest.Files{"sys/devices/system/cpu/online": "0-1099\n"}
	for i := range 1100 {
		at := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", i)
		packages[at+"package_cpus_list"], packages[at+"physical_package_id"] = fmt.Sprintln(i), fmt.Sprintln(i)
	}
	root := fileOf(t, "packages.tar", packages.Tar(t, ""))
	table := t.TempDir()
	at := filepath.Join(table, "sys/firmware/dmi/tables")
	require.NoError(t, os.MkdirAll(at, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(at, "DMI"), devices.Table(), 0o600))
	for _, c := range []struct {
		stdin []byte
		args  []string
		says  string
	}{
		{noise, []string{"--smbios", "-"}, "not SMBIOS data"},
		{devices.Table(), []string{"--smbios", "-"}, "more than 4096 memory devices (type 17)"},
		{devices.Dump(), []string{"--smbios", "-"}, "more than 4096 memory devices (type 17)"},
		{nil, []string{"--root", table}, "nothing to audit"},
		{nil, []string{"--snapshot", root}, "1100 processor packages, at most 1024 are read"},
	} {
		for _, format := range []string{"text", "json"} {
			status, _, errs := run(c.stdin, append([]string{"check", "--format", format}, c.args...)...)
			assert.Equal(t, 3, status, "%v: %s", c.args, errs)
			assert.Contains(t, errs, c.says)
		}
	}
}

// TestInputsAreBounded checks that a file above the limit of its kind is refused by name and not read into memory; it
// does not run in parallel because allocations of other tests would count. Each file is sparse and one byte too long.
func TestInputsAreBounded(t *testing.T) {
	root := tree(t, "dell-r610-good")
	for name, c := range map[string]struct {
		most int64
		args []string
	}{
		"configuration": {maxConfigBytes, []string{"--config"}},
		"SMBIOS":        {maxSMBIOSFile, []string{"--smbios"}},
		"export":        {bios.MaxBytes, []string{"--root", root, "--bios"}},
		"event log":     {redfish.MaxLogBytes, []string{"--root", root, "--event-log"}},
		"measurement":   {measured.MaxBytes, []string{"--root", root, "--measured"}},
		"baseline":      {baseline.MaxBytes, []string{"--root", root, "--baseline"}},
	} {
		t.Run(name, func(t *testing.T) {
			file := fileOf(t, "long", "")
			require.NoError(t, os.Truncate(file, c.most+1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			status, _, errs := run(nil, append(append([]string{"check"}, c.args...), file)...)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20), "not read first and refused then")
			assert.Contains(t, []int{2, 3}, status, errs)
			assert.Regexp(t, fmt.Sprintf(`(longer|more) than %d`, c.most), errs)
		})
	}
	var many strings.Builder
	many.WriteString("[Key=BIOS.Setup.1-1#SysProfileSettings]\n")
	for i := range 20001 {
		fmt.Fprintf(&many, "A%d=Enabled\n", i)
	}
	status, _, errs := run([]byte(many.String()), "check", "--root", root, "--bios", "-")
	assert.Equal(t, 3, status)
	assert.Contains(t, errs, "more than 20000 attributes")
}
