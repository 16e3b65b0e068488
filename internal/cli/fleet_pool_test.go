package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// copies writes an input n times into a folder.
func copies(t *testing.T, name string, data []byte, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d-%s", i, name)), data, 0o600))
	}
	return dir
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
	list := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(list, []byte(filepath.Join(first, "a.bin")+"\n"+filepath.Join(second, "b.bin")+"\n"), 0o600))
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
	pool := startPool(auditors, func(o fleetInput) { o.join(all) })
	dump := machinetest.Named(t, "dell-r610-good").Table.Dump()
	pool.submit("before", func(a *fleetAuditor) fleetInput { return a.content("before", dump, false) })
	pool.submit("bad", func(*fleetAuditor) fleetInput { panic("text of the input") })
	pool.submit("after", func(a *fleetAuditor) fleetInput { return a.content("after", dump, false) })
	pool.submit("nothing", func(*fleetAuditor) fleetInput { return fleetInput{input: "nothing"} }) // neither a report nor an inventory
	pool.finish()
	d := all.Document()
	require.Len(t, d.Machines, 2)
	assert.Equal(t, "after", d.Machines[0].Name)
	require.Len(t, d.Unreadable, 2)
	assert.Equal(t, fleet.Unreadable{Input: "bad", Reason: errInternal.Error()}, d.Unreadable[0])
	assert.Equal(t, fleet.Unreadable{Input: "nothing", Reason: errInternal.Error()}, d.Unreadable[1])
	assert.NotSame(t, first, auditors[0].auditor.Engine)
}
