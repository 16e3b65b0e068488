package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
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

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/rules"
)

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
	for i, flag := range args[:max(0, len(args)-1)] {
		if status == 0 && (flag == "--output" || flag == "--save" || flag == "--file" && args[1] == "save") {
			written, _ := os.ReadFile(args[i+1])
			mustBeRead(written, args)
		}
	}
	return status, out.String(), errs.String()
}

// must calls the program, which has to succeed, and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	status, out, errs := run(nil, args...)
	require.Zero(t, status, errs)
	return out
}

// decoded is the JSON that the program printed; errs are its other words.
func decoded[T any](t *testing.T, out string, errs ...string) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(out), &v), errs)
	return v
}

func contentOf(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// mustBeRead panics if a document that was printed does not keep its published schema, or if the fleet cannot read a report
// or an inventory; one without any finding is none.
func mustBeRead(out []byte, args []string) {
	if err := reporttest.CheckPublished(out); err != nil {
		panic(fmt.Sprintf("%q printed what does not keep its schema: %v", args, err))
	}
	if !bytes.HasPrefix(out, []byte("{\n  \"schema\": \"memaudit.report/")) && !bytes.HasPrefix(out, []byte("{\n  \"schema\": \"memaudit.inventory/")) {
		return
	}
	if o := readDocument("printed.json", out); o.refused != nil && !strings.HasSuffix(o.refused.Error(), "findings is empty") {
		panic(fmt.Sprintf("%q printed what fleet refuses: %v", args, o.refused))
	}
}

// outputs are buffers that have grown to the size of the output.
var outputs = sync.Pool{New: func() any { return &bytes.Buffer{} }}

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
			reporttest.Golden(t, filepath.Join(dir, "about.md"), []byte(fmt.Sprintf("# %s\n\n%s\n\nDescribed in `internal/tools/machinetest`, which also makes its tree.\n", m.Name, m.About)))
			_, report, errs := run(nil, "check", "--root", root, "--profile", m.Profile, "--fail-on", "never")
			require.Empty(t, errs)
			reporttest.Golden(t, filepath.Join(dir, "expected.report.txt"), []byte(machinetest.Uncounted(report)))
			if !slices.Contains(inventoried, m.Name) {
				return
			}
			_, inv, errs := run(nil, "inventory", "--root", root, "--format", "json")
			require.Empty(t, errs)
			reporttest.Golden(t, filepath.Join(dir, "expected.inventory.json"), []byte(inv))
		})
	}
}

// TestExampleServers checks that each embedded capture has a machine's tree and nothing else, and that demo audits
// it.
func TestExampleServers(t *testing.T) {
	t.Parallel()
	for name, machine := range map[string]string{"dell-r610": "dell-r610-unbalanced", "dell-r7625": "dell-r7625-8-of-12"} {
		t.Run(name, func(t *testing.T) {
			checkExample(t, name, machinetest.Named(t, machine))
			wantStatus, want, _ := run(nil, "check", "--root", tree(t, machine))
			status, got, errs := run(nil, "demo", name)
			assert.Equal(t, wantStatus, status, errs)
			assert.Equal(t, want, got)
		})
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
	if *reporttest.Update {
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o644))
	}
	committed := contentOf(t, file)
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

// TestSameMachineSameBytes checks that three audits of one machine, in make corpus ten of each machine, print the
// same bytes.
func TestSameMachineSameBytes(t *testing.T) {
	t.Parallel()
	again := 2
	if corpustest.Stage {
		again = 9
	}
	for _, m := range corpustest.Sample(machinetest.Sample(t), 3) {
		root := tree(t, m.Name)
		_, first, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json")
		assert.NotEmpty(t, first)
		for range again {
			if _, next, _ := run(nil, "check", "--root", root, "--profile", m.Profile, "--format", "json"); next != first {
				assert.Equal(t, first, next, m.Name)
				break
			}
		}
	}
}

// TestCheckFile checks that the argument of check is read as the flag that names its kind, and that two machines are wrong usage.
func TestCheckFile(t *testing.T) {
	t.Parallel()
	root, dump := tree(t, "dell-r610-good"), machinetest.Named(t, "fujitsu-rx900s2-class2").Table.Dump()
	capture, file := filepath.Join(t.TempDir(), "a"), writeFile(t, filepath.Join(t.TempDir(), "b"), dump)
	_, _, errs := run(nil, "snapshot", "--root", root, "-o", capture)
	require.FileExists(t, capture, errs)
	for flag, c := range map[string]struct {
		name  string
		stdin []byte
	}{"--root": {root, nil}, "--snapshot": {capture, nil}, "--smbios": {file, nil}, "--smbios -": {"-", dump}, "--smbios none": {"none", nil}} {
		flag, _, _ = strings.Cut(flag, " ")
		wanted, out, said := run(c.stdin, "check", flag, c.name)
		got, same, saidToo := run(c.stdin, "check", c.name)
		assert.Equal(t, []any{wanted, out, said}, []any{got, same, saidToo}, flag)
	}
	for _, flag := range []string{"--root", "--snapshot", "--smbios"} {
		status, _, errs := run(dump, "check", flag, file, "-")
		assert.Equal(t, 2, status)
		assert.Contains(t, errs, "both name a machine", flag)
	}
}

// judgedReports caches the reports of judgedOnce, which must not be modified.
var judgedReports sync.Map

// judgedOnce is the report of a machine of the project by a profile, made once for all tests.
func judgedOnce(t *testing.T, name, profile string) *report.Report {
	t.Helper()
	root := tree(t, name)
	once, _ := judgedReports.LoadOrStore([2]string{name, profile}, sync.OnceValues(func() (*report.Report, error) {
		p, _, _ := newProgram(nil)
		return p.auditedMachine(&checkFlags{profile: profile, input: inputFlags{root: root}})
	}))
	doc, err := once.(func() (*report.Report, error))()
	require.NoError(t, err)
	return doc
}

// TestTextFitsTheTerminal checks that output about a machine fits 80 and 160 columns, except for lines with an
// address, which is not wrapped, and that the report without -v fits a screen.
func TestTextFitsTheTerminal(t *testing.T) {
	for _, m := range corpustest.Sample(machinetest.Sample(t), 2) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			doc := judgedOnce(t, m.Name, m.Profile)
			for _, width := range []int{80, 160} {
				for name, write := range map[string]func(*strings.Builder) error{
					"report": func(b *strings.Builder) error {
						return text.Write(b, doc, text.Options{Width: width, ExitStatus: true})
					},
					"verbose": func(b *strings.Builder) error {
						return text.Write(b, doc, text.Options{Width: width, Verbose: true, ExitStatus: true})
					},
					"inventory": func(b *strings.Builder) error {
						return text.WriteInventory(b, &doc.Inventory, text.Options{Width: width})
					},
					"settings": func(b *strings.Builder) error {
						return text.WriteInventory(b, &doc.Inventory, text.Options{Width: width, Settings: true})
					},
				} {
					t.Run(name, func(t *testing.T) {
						var out strings.Builder
						require.NoError(t, write(&out))
						for line := range strings.Lines(out.String()) {
							if line = strings.TrimSuffix(line, "\n"); !strings.Contains(line, "://") {
								assert.LessOrEqual(t, printable.Columns(line), width, "%s: %s", name, line)
							}
						}
						if name == "report" {
							assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 60)
						}
					})
				}
			}
		})
	}
}
