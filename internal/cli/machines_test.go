package cli

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/rules"
)

var update = flag.Bool("update", false, "rewrite testdata/machines and golden files")

// machinesDir has, for each machine of the project, about.md and memaudit's output.
var machinesDir = filepath.Join("..", "..", "testdata", "machines")

// trees are the machines' roots, for tests that do not change them.
var trees machinetest.Trees

// tree is the root of a machine of the project.
func tree(t testing.TB, name string) string {
	t.Helper()
	return trees.Dir(t, name)
}

func TestMain(m *testing.M) {
	hosttest.InMemory()
	status := m.Run()
	if err := trees.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, "remove the machines' trees:", err)
		status = 1
	}
	os.Exit(status)
}

// newProgram is the program with fixed clock and captured streams.
func newProgram(stdin []byte) (p *Program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &Program{tables: readTables, Stdin: bytes.NewReader(stdin), Stdout: stdout, Stderr: stderr, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }, Rules: rules.FS, Version: "test"}, stdout, stderr
}

// readTables are the vendors' settings, which a site cannot change, read once for all tests.
var readTables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })

// run calls the program and returns its exit status and streams.
func run(stdin []byte, args ...string) (status int, stdout, stderr string) {
	p, _, errs := newProgram(stdin)
	out := outputs.Get().(*bytes.Buffer)
	defer outputs.Put(out)
	out.Reset()
	p.Stdout = out
	status = p.Main(args)
	mustBeRead(out.Bytes(), args)
	return status, out.String(), errs.String()
}

// mustBeRead panics if the fleet cannot read a report or an inventory that was printed; one without any finding is none.
func mustBeRead(out []byte, args []string) {
	if !bytes.HasPrefix(out, []byte("{\n  \"schema\": \"memaudit.report/")) && !bytes.HasPrefix(out, []byte("{\n  \"schema\": \"memaudit.inventory/")) {
		return
	}
	if o := document("printed.json", out); o.refused != nil && !strings.HasSuffix(o.refused.Error(), "/findings is empty") {
		panic(fmt.Sprintf("%q printed what fleet refuses: %v", args, o.refused))
	}
}

// outputs are buffers that have grown to the size of the output.
var outputs = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// anEngine is an engine of the built-in rules.
func anEngine(t *testing.T) *audit.Engine {
	t.Helper()
	packs, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	return audit.NewEngine(packs).WithTables(readTables)
}

// output is what one run of the program gave.
type output struct {
	status    int
	out, errs string
}

// inventoried are the machines whose inventory is compared, too: one of each way to the memory. A report has what a person
// can review; `make same` compares the inventories of all inputs between two versions.
var inventoried = []string{"dell-r610-unbalanced", "guest-without-smbios", "ibm-e326m-second-empty", "supermicro-rome-half"}

// TestMachines audits every machine of the project and compares the report with what was reviewed.
func TestMachines(t *testing.T) {
	t.Parallel()
	for _, m := range machinetest.All() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			dir, root := filepath.Join(machinesDir, m.Name), tree(t, m.Name)
			golden(t, filepath.Join(dir, "about.md"), fmt.Sprintf("# %s\n\n%s\n\nDescribed in `internal/tools/machinetest`, which also makes its tree.\n", m.Name, m.About))
			_, report, errs := run(nil, "check", "--root", root, "--profile", m.Profile, "--fail-on", "never")
			require.Empty(t, errs)
			golden(t, filepath.Join(dir, "expected.report.txt"), machinetest.Uncounted(report))
			if !slices.Contains(inventoried, m.Name) {
				return
			}
			_, inv, errs := run(nil, "inventory", "--root", root, "--format", "json")
			require.Empty(t, errs)
			golden(t, filepath.Join(dir, "expected.inventory.json"), inv)
		})
	}
}

// TestExampleServers checks that each embedded capture has a machine's tree and nothing else, and that demo audits
// it.
func TestExampleServers(t *testing.T) {
	t.Parallel()
	for name, machine := range map[string]string{"dell-r610": "dell-r610-unbalanced", "dell-r7625": "dell-r7625-8-of-12"} {
		checkExample(t, name, machinetest.Named(t, machine))
		wantStatus, want, _ := run(nil, "check", "--root", tree(t, machine))
		status, got, errs := run(nil, "demo", name)
		assert.Equal(t, wantStatus, status, errs)
		assert.Equal(t, want, got)
	}
	_, first, _ := run(nil, "demo", exampleServers[0].name)
	_, got, _ := run(nil, "demo")
	assert.Equal(t, first, got)
	status, _, errs := run(nil, "demo", "dell-r61")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, `no example server is called "dell-r61", expected dell-r610 or dell-r7625`)
}

func checkExample(t *testing.T, name string, m machinetest.Machine) {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(m.Tree().Tar(t, ""))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	file := filepath.Join("..", "..", "examples", name+".tar.gz")
	if *update {
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o644))
	}
	committed, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(gunzip(t, packed.Bytes()), gunzip(t, committed)), "%s is not the machine described; make golden rewrites it", file)
}

func gunzip(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	return data
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "make golden writes it")
	assert.Equal(t, string(want), got, "%s is out of date; make golden rewrites it", file)
}
