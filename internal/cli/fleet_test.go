package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// fleetOf brings inputs together and gives the document with the exit status.
func fleetOf(t *testing.T, stdin []byte, args ...string) (int, fleet.Document) {
	t.Helper()
	status, out, errs := run(stdin, append([]string{"fleet", "--format", "json"}, args...)...)
	d := decoded[fleet.Document](t, out, errs)
	return status, d
}

// TestFleet reads every kind of input: a report, an
// inventory, a snapshot, a tree, a list that names them.
func TestFleet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := tree(t, "dell-r610-good"), tree(t, "dell-r610-unbalanced")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, doc, _ := run(nil, "check", "--root", bad, "--format", "json")
	_, inv, _ := run(nil, "inventory", "--root", good, "--format", "json")
	write("unbalanced.json", doc)
	write("inventory.json", inv)
	must(t, "snapshot", "--root", good, "-o", filepath.Join(dir, "good.tar.gz"))
	status, d := fleetOf(t, nil, dir, good)
	assert.Equal(t, 1, status)
	assert.Empty(t, d.Unreadable)
	require.Len(t, d.Machines, 4)
	assert.Equal(t, "unbalanced", d.Machines[0].Name, "the most bandwidth lost comes first")
	require.NotEmpty(t, d.Findings)
	assert.Equal(t, "memory.channel.populated", d.Findings[0].Rule)
	assert.Equal(t, []string{"unbalanced"}, d.Findings[0].Machines)
	for _, g := range d.Groups {
		for _, x := range g.Differs {
			assert.Equal(t, "unbalanced", x.Machine, "%+v", x)
		}
	}
	status, d = fleetOf(t, []byte("# nodes\n"+dir+"\n"), "-")
	assert.Equal(t, 1, status)
	assert.Len(t, d.Machines, 3)
	status, _ = fleetOf(t, nil, dir, "--fail-on", "never")
	assert.Zero(t, status)
}

// TestFleetCaptureWithoutTree checks that a capture of a machine with only SMBIOS, which has no sys or proc, is one
// machine all the same.
func TestFleetCaptureWithoutTree(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "node7.tar.gz")
	status, _, errs := run(machinetest.Named(t, "dell-r610-unbalanced").Table.Dump(), "snapshot", "--smbios", "-", "-o", file)
	require.Zero(t, status, errs)
	status, d := fleetOf(t, nil, file)
	assert.Equal(t, 1, status)
	assert.Empty(t, d.Unreadable)
	require.Len(t, d.Machines, 1)
	assert.Equal(t, "node7", d.Machines[0].Name)
	capture := contentOf(t, file)
	_, named, _ := run(nil, "check", file)
	status, piped, errs := run(capture, "check", "-")
	assert.Equal(t, 1, status, errs)
	assert.Equal(t, named, piped, "a capture on standard input is that of the file")
}

// TestFleetLonger checks that the beginning of an input that is too long is not audited as if it were complete, and
// that what follows it in an archive is still read.
func TestFleetLonger(t *testing.T) {
	t.Parallel()
	_, err := readAll(strings.NewReader("12345"), 4)
	require.EqualError(t, err, "longer than 4 bytes")
	if corpustest.Stage { // reading it takes 300 MB
		status, d := fleetOf(t, make([]byte, maxSMBIOSFile+1), "-")
		assert.Equal(t, 3, status)
		require.Len(t, d.Unreadable, 1)
		assert.Contains(t, d.Unreadable[0].Reason, "longer than 67108864 bytes")
	}

	_, report, _ := run(nil, "check", "--root", tree(t, "dell-r610-good"), "--format", "json")
	archive := filepath.Join(t.TempDir(), "reports.tar")
	f, err := os.Create(archive)
	require.NoError(t, err)
	w := tar.NewWriter(f)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "long.json", Mode: 0o644, Size: maxSMBIOSFile + 512}))
	_, err = f.Seek(maxSMBIOSFile+512, io.SeekCurrent) // zeros that no disk holds
	require.NoError(t, err)
	w = tar.NewWriter(f)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "r610.json", Mode: 0o644, Size: int64(len(report))}))
	_, err = io.WriteString(w, report)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	status, d := fleetOf(t, nil, archive)
	assert.Equal(t, 3, status)
	assert.Len(t, d.Machines, 1)
	require.Len(t, d.Unreadable, 1)
	assert.Equal(t, archive+"/long.json", d.Unreadable[0].Input)
	if corpustest.Stage { // unpacking it takes 64 MiB twice
		status, d = fleetOf(t, nil, gzipped(t, archive))
		assert.Equal(t, 3, status)
		assert.Len(t, d.Machines, 1)
		require.Len(t, d.Unreadable, 1)
		assert.Contains(t, d.Unreadable[0].Reason, "longer than 67108864 bytes")
	}
}

// gzipped writes a compressed copy of a file next to it.
func gzipped(t *testing.T, file string) string {
	t.Helper()
	data := contentOf(t, file)
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(file+".gz", out.Bytes(), 0o600))
	return file + ".gz"
}

func TestFleetUsage(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--by", "colour", "."}, {"--format", "xml", "."}, {"--profile", "no-such", "."}} {
		status, _, errs := run(nil, append([]string{"fleet"}, args...)...)
		assert.Equal(t, 2, status, args)
		assert.Contains(t, errs, "expected", args)
	}
	status, _, errs := run(nil, "fleet", "--fail-on", "x", ".")
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "info, warning, critical, never")
}

// TestFleetSameForAnyNumber checks that the output is the same for any number of workers, also if the order decides:
// of two inputs with one name the second is named by its path.
func TestFleetSameForAnyNumber(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	larger := "dell-r610-unbalanced" // which is planned for
	if corpustest.Stage {
		larger = "fujitsu-rx900s2-class2" // the largest, of which one audit takes as long as of ten others
	}
	slow := machinetest.Named(t, larger).Table.Dump()
	quick := machinetest.Named(t, "dell-r610-good").Table.Dump()
	_, document, _ := run(slow, "check", "--smbios", "-", "--format", "json")
	inputs := map[string][]byte{"a.bin": slow, "b.bin": quick, "c.json": []byte(document), "d.json": []byte(`{"schema":`), "empty": nil}
	first, second := t.TempDir(), t.TempDir()
	for name, data := range inputs {
		require.NoError(t, os.WriteFile(filepath.Join(first, name), data, 0o600))
	}
	// The same names, the slow and the quick one exchanged.
	require.NoError(t, os.WriteFile(filepath.Join(second, "a.bin"), quick, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(second, "b.bin"), slow, 0o600))
	list := fileOf(t, "list", filepath.Join(first, "a.bin")+"\n"+filepath.Join(second, "b.bin")+"\n")
	args := []string{first, list, second, tree(t, "ibm-e326m-full"), filepath.Join(first, "missing")}

	for _, format := range corpustest.Sample(fleet.Formats(), 3) { // of text, html, csv and json the first and the last
		want := ""
		counts := []int{1, 2, 4, 4}
		if format != "json" && !corpustest.Stage { // the order is decided before anything is written
			counts = []int{1, 4}
		}
		for _, processors := range counts {
			p, stdout, stderr := newProgram(nil)
			runtime.GOMAXPROCS(processors)
			require.Equal(t, 3, p.Main(append([]string{"fleet", "--format", format}, args...)), stderr)
			out := stdout.String()
			if want == "" {
				want = out
				require.Contains(t, out, filepath.Join(second, "b.bin"), "the second of one name is called by its path")
			}
			require.Equal(t, want, out, "%s with %d processors", format, processors)
		}
	}
}

// TestPanicCostsOneInput checks that an input on which memaudit panics is unreadable, and that the others are read
// with an intact engine.
func TestPanicCostsOneInput(t *testing.T) {
	t.Parallel()
	p, _, _ := newProgram(nil)
	auditors, err := p.auditors(&checkFlags{})
	require.NoError(t, err)
	auditors = auditors[:1]
	first := auditors[0].auditor.Engine
	all := fleet.New("product", func(string) string { return "" })
	pool := startPool(auditors, func(o fleetInput) { o.addToFleet(all) })
	dump := machinetest.Named(t, "dell-r610-good").Table.Dump()
	pool.submitInput("before", func(a *fleetAuditor) fleetInput { return a.readContent("before", dump, false) })
	pool.submitInput("bad", func(*fleetAuditor) fleetInput { panic("text of the input") })
	pool.submitInput("after", func(a *fleetAuditor) fleetInput { return a.readContent("after", dump, false) })
	pool.submitInput("nothing", func(*fleetAuditor) fleetInput { return fleetInput{input: "nothing"} }) // neither a report nor an inventory
	pool.finishWork()
	d := all.Document()
	require.Len(t, d.Machines, 2)
	assert.Equal(t, "after", d.Machines[0].Name)
	require.Len(t, d.Unreadable, 2)
	assert.Equal(t, fleet.Unreadable{Input: "bad", Reason: errInternal.Error()}, d.Unreadable[0])
	assert.Equal(t, fleet.Unreadable{Input: "nothing", Reason: errInternal.Error()}, d.Unreadable[1])
	assert.NotSame(t, first, auditors[0].auditor.Engine)
}
