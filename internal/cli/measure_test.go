package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// steady is a machine without noise: node n's local memory gives rates[n] bytes per second, another node's 0.7 of the
// slower one's at 1.5 times the 80 ns.
type steady struct {
	now    time.Time
	rates  []float64
	mapped int
	// busy is the share of the time that the threads of a pass get.
	busy float64
	// growth is by how much each further chain makes the latency longer.
	growth float64
}

// site has sixteen cores and a node for each socket.
func (s *steady) site() *measure.Machine {
	site := &measure.Machine{MemoryBytes: -1, Notes: []string{}}
	for id := range s.rates {
		n := measure.Node{ID: id, Socket: id, FreeBytes: 8 << 30, CacheBytes: 16 << 20}
		for core := range 16 {
			n.CPUs = append(n.CPUs, 16*id+core)
		}
		site.Nodes = append(site.Nodes, n)
	}
	return site
}

type steadyMemory struct {
	s    *steady
	node int
}

func (m *steadyMemory) Placed() measure.Placement {
	return measure.Placement{Known: true, Here: 1, Huge: 1}
}
func (m *steadyMemory) Close() error { m.s.mapped--; return nil }

func (s *steady) Now() time.Time                  { return s.now }
func (s *steady) Counters([]int) measure.Counters { return measure.Counters{} }
func (s *steady) Map(node int, _ []int, _ measure.Buffer) (measure.Memory, error) {
	s.mapped++
	return &steadyMemory{s, node}, nil
}

func (s *steady) Pass(kind figure.Kind, cpus []int, m measure.Memory, d time.Duration) (measure.Sample, error) {
	s.now = s.now.Add(d)
	node := m.(*steadyMemory).node
	value, latency := s.rates[node], 80e-9
	if home := cpus[0] / 16; home != node {
		value, latency = 0.7*min(value, s.rates[home]), 1.5*latency
	}
	if kind == figure.Latency {
		value = latency
	}
	wall := d * time.Duration(len(cpus))
	return measure.Sample{Value: value, Wall: wall, CPU: time.Duration(s.busy * float64(wall)), Clock: 8e8}, nil
}

// Load is 60 ns, and longer by growth for each further chain.
func (s *steady) Load(chains int, cpus []int, _ measure.Memory, d time.Duration) (measure.Sample, error) {
	s.now = s.now.Add(d)
	wall := d * time.Duration(len(cpus))
	return measure.Sample{Value: 60e-9 + s.growth*float64(chains-1), Wall: wall, CPU: time.Duration(s.busy * float64(wall)), Clock: 8e8}, nil
}

// measuring is one call of measure on a machine of the project.
type measuring struct {
	machine string
	rates   []float64
	busy    float64
	growth  float64
	change  func(*measureFlags, *measure.Machine)
}

func (m *measuring) run(t *testing.T) (status int, out, errs string) {
	t.Helper()
	p, stdout, stderr := newProgram(nil)
	s := &steady{now: p.Now(), rates: m.rates, busy: m.busy, growth: m.growth}
	if s.busy == 0 {
		s.busy = 1
	}
	f := &measureFlags{checkFlags: checkFlags{input: inputFlags{root: tree(t, m.machine)}, failOn: "warning", output: outputFlags{format: "text"}}}
	site := s.site()
	if m.change != nil {
		m.change(f, site)
	}
	p.Bench = func(context.Context, string) (*measureBench, error) { return &measureBench{site, s, func() {}}, nil }
	status = p.endWithStatus(p.runMeasure(t.Context(), f), []string{"measure"})
	assert.Zero(t, s.mapped, "memory is given back")
	for line := range strings.Lines(stdout.String()) {
		assert.True(t, f.output.format == "json" || printable.Columns(strings.TrimSuffix(line, "\n")) <= 80, line)
	}
	return status, stdout.String(), stderr.String()
}

// keepsMeasurementSchema checks a document against the published schema.
func keepsMeasurementSchema(t *testing.T, text string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "report", "schema", "measurement.v1.json"))
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(doc))
}

// TestMeasureText checks the matrices, then the findings: the comparison of the sockets first, then the accepted
// result, then what others measured.
func TestMeasureText(t *testing.T) {
	t.Parallel()
	status, out, errs := (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 20e9}}).run(t)
	assert.Zero(t, status, errs)
	assert.Contains(t, out, `
  read, GB/s             memory of node
  processors of                 0        1
    node 0 (package 0)       20.0     14.0
    node 1 (package 1)       14.0     20.0

  STREAM Triad, GB/s     memory of node
`)
	assert.Contains(t, out, `
  latency, ns            memory of node
  processors of                 0        1
    node 0 (package 0)       80.0    120.0
`)
	assert.Contains(t, out, "threads   16 on each node, one a core\nmemory    384 MiB on each node, in huge pages\n")
	assert.Contains(t, out, "\nPASS      measure.socket.asymmetric, machine\n")

	status, out, _ = (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 14e9}}).run(t)
	assert.Equal(t, report.ExitFailed, status)
	assert.Contains(t, out, "FAIL      measure.socket.asymmetric, machine\n  found     node 0: 20.0 GB/s")
}

// TestMeasureCompares checks that --save keeps a result, and that --compare reports the changes and uses it as the
// accepted one; the drop comes after the comparison of the sockets.
func TestMeasureCompares(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "measured.json")
	status, _, errs := (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 20e9}, change: func(f *measureFlags, _ *measure.Machine) { f.save = file }}).run(t)
	require.Zero(t, status, errs)
	keepsMeasurementSchema(t, string(contentOf(t, file)))
	status, out, errs := (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 15e9}, change: func(f *measureFlags, _ *measure.Machine) { f.compare = file }}).run(t)
	assert.Equal(t, report.ExitFailed, status, errs)
	assert.Contains(t, out, "\nsince     2026-11-20T12:00:")
	assert.Contains(t, out, "\nread      node 0, memory of node 0: 20.0, was 20.0 (+0.0 %)\n")
	assert.Contains(t, out, "\nread      node 1, memory of node 1: 15.0, was 20.0 (-25.0 %)\n")
	assert.Regexp(t, `(?s)FAIL      measure.socket.asymmetric, machine.*PASS      measure.baseline.dropped, node 0.*FAIL      measure.baseline.dropped, node 1`, out)

	// The same file is what check and the metrics read.
	out = must(t, "check", "--root", tree(t, "dell-r610-good"), "--measured", file, "--format", "prometheus")
	assert.Contains(t, out, `memaudit_measured_read_bytes_per_second{cpu_node="1",memory_node="0"} 1.4e+10`)
	_, out, _ = run(nil, "check", "--root", tree(t, "dell-r610-good"), "--measured", file, "--format", "html")
	assert.Contains(t, out, "Measured with memaudit")

	// Any other file is not an earlier result.
	require.NoError(t, os.WriteFile(file, []byte(`{"schema": "memaudit.report/v1"}`), 0o600))
	status, _, errs = (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 15e9}, change: func(f *measureFlags, _ *measure.Machine) { f.compare = file }}).run(t)
	assert.Equal(t, report.ExitNotAudited, status)
	assert.Contains(t, errs, `another schema: "memaudit.report/v1", expected "memaudit.measurement/v1"`)
}

// TestMeasureByDesign checks that Sun's middle processors, which stream 16 % more than the outer ones, are not a
// fault.
func TestMeasureByDesign(t *testing.T) {
	t.Parallel()
	status, out, errs := (&measuring{machine: "sun-x6440", rates: []float64{8.4e9, 10e9, 10e9, 8.4e9}}).run(t)
	assert.Zero(t, status, out+errs)
	assert.NotContains(t, out, "FAIL")
}

// TestMeasureUndecided checks that a disturbed figure has a question mark, its reason and status 3, and is not a
// failure even if the figures differ.
func TestMeasureUndecided(t *testing.T) {
	t.Parallel()
	status, out, _ := (&measuring{machine: "dell-r610-good", rates: []float64{20e9, 10e9}, busy: 0.9}).run(t)
	assert.Equal(t, report.ExitNotAudited, status)
	assert.Contains(t, out, "    node 0 (package 0)          ?        ?\n")
	assert.Contains(t, out, "\nundecided node 0, memory of node 0: read: 0 of ")
	assert.Contains(t, out, "its threads ran 90")
	assert.Contains(t, out, "UNKNOWN   measure.socket.asymmetric, machine")
	assert.NotContains(t, out, "FAIL")
}

// TestMeasureRefuses checks that a refusal is a document with its reason and status 3, and does not overwrite a saved
// result.
func TestMeasureRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse func(*measure.Machine)
		why    string
	}{
		"guest":  {func(s *measure.Machine) { s.Guest = "kvm" }, "this is a virtual machine (kvm)"},
		"quota":  {func(s *measure.Machine) { s.Quota = "cpu.max is 200000 100000" }, "the control group limits processor time: cpu.max is 200000 100000"},
		"cpuset": {func(s *measure.Machine) { s.Nodes[1].Barred = []int{31} }, "the cpuset leaves out cores of node 1: 1, the first with CPU 31"},
		"memory": {func(s *measure.Machine) { s.Nodes[1].FreeBytes = 1 << 30 }, "node 1 has 1024 MiB free, of which a quarter may be used: 384 MiB are needed"},
	} {
		t.Run(name, func(t *testing.T) {
			file := fileOf(t, "measured.json", "kept")
			m := measuring{machine: "dell-r610-good", rates: []float64{20e9, 20e9}, change: func(f *measureFlags, s *measure.Machine) {
				c.refuse(s)
				f.save, f.output.format = file, "json"
			}}
			status, out, errs := m.run(t)
			assert.Equal(t, report.ExitNotAudited, status)
			assert.Contains(t, errs, "memaudit: error: measure: refused: "+c.why)
			keepsMeasurementSchema(t, out)
			r := decoded[measure.Result](t, out)
			require.NotEmpty(t, r.Refused)
			assert.Contains(t, string(r.Refused), c.why)
			assert.Empty(t, r.Nodes)
			assert.Equal(t, "kept", string(contentOf(t, file)))
		})
	}
}

// TestMeasureForcedIsNotChecked checks that a guest's figures are printed, and that no rule applies.
func TestMeasureForcedIsNotChecked(t *testing.T) {
	t.Parallel()
	status, out, errs := (&measuring{machine: "guest-without-smbios", rates: []float64{20e9, 10e9}, change: func(f *measureFlags, s *measure.Machine) {
		s.Guest, f.options.Force = "kvm", true
	}}).run(t)
	assert.Zero(t, status, errs)
	assert.Contains(t, out, "\nnote      a virtual machine, measured on request and never checked\n")
	assert.Contains(t, out, "    node 1 (package 1)        7.0     10.0\n")
	assert.NotRegexp(t, `(FAIL|PASS|UNKNOWN) +measure\.`, out)
}

// TestMeasureInterrupted checks that there is no result and no saved file, with status 3.
func TestMeasureInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, stdout, stderr := newProgram(nil)
	s := &steady{now: p.Now(), rates: []float64{20e9, 20e9}, busy: 1}
	p.Bench = func(context.Context, string) (*measureBench, error) {
		return &measureBench{s.site(), s, func() {}}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &measureFlags{checkFlags: checkFlags{input: inputFlags{root: tree(t, "dell-r610-good")}, failOn: "warning", output: outputFlags{format: "text"}},
		save: filepath.Join(dir, "measured.json")}
	assert.Equal(t, report.ExitNotAudited, p.endWithStatus(p.runMeasure(ctx, f), nil))
	assert.Empty(t, stdout.String())
	assert.True(t, strings.HasPrefix(stderr.String(), "memaudit: error: measure: "), stderr.String())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Zero(t, s.mapped)
}

// TestCheckPrintsMeasuredFiles checks that each figure of each given tool is printed with its node and, if no rule
// checks it, the reason, and nothing without a file.
func TestCheckPrintsMeasuredFiles(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	likwid := "LIKWID MICRO BENCHMARK\nTest: load_avx\nNumber of threads: 14\nMByte/s:\t\t61800.00\n"
	latencies := "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t     0\t     1\t\n       0\t  81.2\t 131.0\t\n       1\t 130.5\t  80.9\t\n"
	for tool, c := range map[string]struct {
		text string
		want []string
	}{
		"stream":       {"Number of Threads counted = 1\nTriad:  3939.7779 0.0244 0.0244 0.0246\nTriad:  4693.9123 0.0205 0.0205 0.0206\n", []string{"run 1: STREAM Triad 3.9 GB/s", "run 2: STREAM Triad 4.7 GB/s"}},
		"lat_mem_rd":   {"\"stride=128\n0.00049 1.364\n64.00000 60.900\n128.00000 61.100\n", []string{"run 1: lat_mem_rd stride 128 61.1 ns\n"}},
		"mlc":          {latencies, []string{"node 0: MLC matrix 81.2 ns", "node 0, memory of node 1: MLC matrix 131.0 ns"}},
		"likwid-bench": {likwid, []string{"run 1: likwid load_avx 61.8 GB/s"}},
	} {
		_, out, errs := run(nil, "check", "--root", root, "--measured", fileOf(t, "result", c.text))
		require.Empty(t, errs, tool)
		_, section, found := strings.Cut(out, "\nMEASURED  with "+tool+", ")
		require.True(t, found, "%s: %s", tool, out)
		for _, want := range append(c.want, "  no verdict") {
			assert.Contains(t, section, want, tool)
		}
	}
	own := measuredFile(t, "PowerEdge R610", 12, 20e9, 14e9)
	_, out, _ := run(nil, "check", "--root", root, "--measured", own)
	_, section, _ := strings.Cut(out, "\nMEASURED  with memaudit, 2026-11-22T00:00:00Z, ")
	assert.Contains(t, section, "\n  node 0: read 20.1 GB/s, 63 % of 32.0 GB/s\n")
	assert.Contains(t, section, "\n  node 1: read 14.0 GB/s, 44 % of 32.0 GB/s\n")
	assert.NotContains(t, section, "no verdict")
	_, out, _ = run(nil, "check", "--root", root, "--measured", own, "-v")
	assert.Contains(t, out, "node 1: read 14.0 GB/s, 44 % of 32.0 GB/s (14.0 GB/s to")
	_, out, _ = run(nil, "check", "--root", root)
	assert.NotContains(t, out, "MEASURED")
}

// TestMeasurementIsCarried checks that a capture and an accepted baseline contain the given result, so that an audit
// of the capture is the same and the next machine is compared with the baseline's figures.
func TestMeasurementIsCarried(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	file := measuredFile(t, "PowerEdge R610", 12, 20e9, 20e9)
	captured := capture(t, nil, "--root", root, "--measured", file)
	require.NoError(t, os.Remove(file))
	read := func(args ...string) *report.Report {
		_, out, errs := run(nil, append([]string{"check", "--format", "json"}, args...)...)
		require.Empty(t, errs)
		doc := decoded[report.Report](t, out)
		return &doc
	}
	doc := read("--snapshot", captured)
	require.Len(t, doc.Measured, 1)
	assert.Len(t, slices.DeleteFunc(doc.Measured[0].Figures, func(f report.MeasuredFigure) bool { return f.Kind != "read" }), 2)

	slower := measuredFile(t, "PowerEdge R610", 12, 17e9, 17e9)
	doc = read("--root", root, "--measured", slower, "--baseline", saveBaseline(t, "--snapshot", captured))
	var dropped []string
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Rule == "measure.baseline.dropped" {
			dropped = append(dropped, f.Subject.String()+" "+string(f.Result))
		}
	}
	assert.Equal(t, []string{"node 0 fail", "node 1 fail"}, dropped)
}

// TestDaemonServesTheLastRun checks that the daemon's audit reads its figures from the file of the last run each
// time, and measures nothing itself.
func TestDaemonServesTheLastRun(t *testing.T) {
	t.Parallel()
	root := tree(t, "dell-r610-good")
	left := filepath.Join(t.TempDir(), "left.json")
	a := newAuditor(t, root, fileOf(t, "memaudit.yaml", "interval: 90s\n"))
	a.f.input.measured = []string{left} // a configuration's would be of the live machine
	for _, rate := range []float64{20e9, 17e9} {
		require.NoError(t, os.Rename(measuredFile(t, "PowerEdge R610", 12, rate, rate), left))
		out := a.auditMachine(t.Context(), false)
		require.NoError(t, out.Err)
		require.Len(t, out.Report.Measured, 1)
		assert.InEpsilon(t, rate, *out.Report.Measured[0].Figures[0].Value, 0.01)
	}
	require.NoError(t, os.Remove(left))
	out := a.auditMachine(t.Context(), false)
	require.Error(t, out.Err, "a missing result is reported")
	assert.Empty(t, out.Report.Measured, "and nothing is measured in its place")
}

// TestMeasureLoaded checks that the latency under load is drawn, saved in the file, and on an e326m compared with
// IBM's figures: 30 ns for each further chain of both cores.
func TestMeasureLoaded(t *testing.T) {
	t.Parallel()
	load := func(cores int, growth float64) (int, string) {
		m := measuring{machine: "ibm-e326m-full", rates: []float64{6e9, 6e9}, growth: growth, change: func(f *measureFlags, site *measure.Machine) {
			f.options.Loaded = true
			for i := range site.Nodes {
				site.Nodes[i].CPUs = site.Nodes[i].CPUs[:cores]
			}
		}}
		status, out, errs := m.run(t)
		require.Zero(t, status, out+errs)
		return status, strings.Join(strings.Fields(out), " ")
	}
	_, out := load(2, 30e-9)
	assert.Contains(t, out, "latency under load of node 1, 2 cores chains a core GB/s ns idle 80.0 ########")
	assert.Contains(t, out, "4 3.4 150.0 ##")
	assert.Contains(t, out, "PASS measure.load.latency, machine")
	_, out = load(2, 40e-9)
	assert.Contains(t, out, "FAIL measure.load.latency, machine found node 0: 60 ns with one chain a core, 180 ns with 4 and node 1")
	_, out = load(1, 40e-9)
	assert.NotContains(t, out, "measure.load.latency", "IBM measured dual cores")
}
