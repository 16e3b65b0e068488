package measured_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
)

// sun are the STREAM results of customer's blade a) as Oracle's paper prints them (Sun Blade X6440 and STREAM
// benchmark performance, 2010), in STREAM's columns: best rate, average, minimum and maximum time.
const sun = `Number of Threads counted = 1
Function    Best Rate MB/s  Avg time     Min time     Max time
Triad:           3939.7779     0.0244       0.0244       0.0246
Triad:           4693.9123     0.0205       0.0205       0.0206
Triad:           4609.1780     0.0209       0.0208       0.0209
Triad:           3945.4141     0.0245       0.0243       0.0247
`

// TestStream checks that the figures support the paper's conclusion: sockets 0 and 3 are about 16 % below 1 and 2 in
// every pass, and equal to each other.
func TestStream(t *testing.T) {
	m, err := measured.Decode("stream.txt", []byte(sun))
	require.NoError(t, err)
	require.Equal(t, inventory.ToolStream, m.Tool)
	require.NotEmpty(t, m.Unjudged)
	require.Len(t, m.Figures, 4)
	for i, f := range m.Figures {
		require.Equal(t, figure.Triad, f.Kind)
		require.Equal(t, []int{i, inventory.NoNode, inventory.NoNode, 1}, []int{f.Run, f.CPUNode, f.MemoryNode, f.Threads})
	}
	require.InDelta(t, 3939.7779e6, m.Figures[0].Median, 1)
	slow, fast := (m.Figures[0].Median+m.Figures[3].Median)/2, (m.Figures[1].Median+m.Figures[2].Median)/2
	require.InDelta(t, 0.152, 1-slow/fast, 0.001, "the paper: around 16 %")
	for _, slow := range []int{0, 3} {
		for _, fast := range []int{1, 2} {
			require.Greater(t, 1-m.Figures[slow].High/m.Figures[fast].Low, 0.13)
		}
	}
	require.InEpsilon(t, m.Figures[0].Median, m.Figures[3].Median, 0.01)
}

// TestStreamComplete checks four functions of one run, and two consecutive runs.
func TestStreamComplete(t *testing.T) {
	run := "Copy:  10.0 0.1 0.1 0.2\nScale: 10.0 0.1 0.1 0.1\nAdd:   10.0 0.1 0.1 0.1\nTriad: 10.0 0.1 0.1 0.1\n"
	m, err := measured.Decode("-", []byte("STREAM version $Revision: 5.10 $\nNumber of Threads counted = 32\n"+run+run))
	require.NoError(t, err)
	require.Len(t, m.Figures, 8)
	require.Equal(t, 1, m.Figures[7].Run)
	require.Equal(t, 32, m.Figures[7].Threads)
	require.InDelta(t, 5e6, m.Figures[0].Low, 1, "the longest pass took twice as long")
	require.Equal(t, figure.Kind("stream_copy"), m.Figures[0].Kind, "no other function replaces Triad")
}

// TestStreamThreads checks that the number of threads of one run does not apply to the next one, which
// was built without OpenMP.
func TestStreamThreads(t *testing.T) {
	const table = "Copy:  10.0 0.1 0.1 0.1\nTriad: 10.0 0.1 0.1 0.1\n"
	m, err := measured.Decode("-", []byte("STREAM version $Revision: 5.10 $\nNumber of Threads requested = 16\nNumber of Threads counted = 8\n"+table+"STREAM version $Revision: 5.10 $\n"+table))
	require.NoError(t, err)
	var got [][2]int
	for _, f := range m.Figures {
		got = append(got, [2]int{f.Run, f.Threads})
	}
	require.Equal(t, [][2]int{{0, 8}, {0, 8}, {1, 0}, {1, 0}}, got)
}

// mlcText is in the form of the tool's output (readme of Intel Memory Latency
// Checker 3.x); the figures are of two sockets, remote 1.6 times local.
const mlcText = `Measuring idle latencies (in ns)...
		Numa node
Numa node	     0	     1	
       0	  81.2	 131.0	
       1	 130.5	  80.9	

Measuring Peak Injection Memory Bandwidths for the system
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using traffic with the following read-write ratios
ALL Reads        :	221600.0	
3:1 Reads-Writes :	191600.0	
Stream-triad like:	180000.0	

Measuring Memory Bandwidths between nodes within system 
Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
		Numa node
Numa node	     0	     1	
       0	110800.0	34400.0	
       1	34300.0	110700.0	

Measuring Loaded Latencies for the system
Using all the threads from each core if Hyper-threading is enabled
Using Read-only traffic type
Inject	Latency	Bandwidth
Delay	(ns)	MB/sec
==========================
 00000	250.00	 221000.0
 00300	101.34	 111603.7
`

// TestMLC reads both matrices by node, keeps mixtures apart from reads, and the latencies under load; then one node, cells
// without a figure, and columns without a heading. None of its figures has passes.
func TestMLC(t *testing.T) {
	const head = "Intel(R) Memory Latency Checker - v3.9\n"
	huge := strings.Repeat("9", 400)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"all": {mlcText, []string{"latency 0 0 8.12e-08", "latency 0 1 1.31e-07", "latency 1 0 1.31e-07", "latency 1 1 8.09e-08", "read -1 -1 2.22e+11", "mix -1 -1 1.92e+11", "mix -1 -1 1.8e+11",
			"read 0 0 1.11e+11", "read 0 1 3.44e+10", "read 1 0 3.43e+10", "read 1 1 1.11e+11", "loaded 2.5e-07 at 2.21e+11 false", "loaded 1.01e-07 at 1.12e+11 false"}},
		"mixed load":       {"Measuring Loaded Latencies for the system\nUsing traffic of reads and writes\n 00000\t250.00\t 221000.0\n", []string{"loaded 2.5e-07 at 2.21e+11 true"}},
		"one node":         {"Measuring idle latencies (in ns)...\n\t\tNuma node\nNuma node\t     0\t\n       0\t  81.0\n", []string{"latency 0 0 8.1e-08"}},
		"no node's memory": {"Measuring idle latencies (in ns)...\nNuma node 0 1 2 3\n 0 - 0.0 1.0 1.2.3\n 1 " + huge + " 90.0\n", []string{"latency 0 2 1e-09", "latency 1 1 9e-08"}},
		"other numbers":    {"Measuring Memory Bandwidths between nodes within system\nNuma node 1 3\n 3 1.0 40000.0 7.0\n", []string{"read 3 1 1e+06", "read 3 3 4e+10"}},
		"no heading":       {"Measuring idle latencies (in ns)...\n 0 81.0\n", nil},
		"another matrix":   {"Measuring idle latencies (in ns)...\nNuma node 0\nMeasuring cache-to-cache transfer latency (in ns)...\n 0 50.0\n", nil},
		"no whole numbers": {"Measuring idle latencies (in ns)...\nNuma node 0 x\n 0 81.0\n", nil},
		"peaks":            {"ALL Reads        :\t1.0\n3:1 Reads-Writes :\t0.0\n2:1 Reads-Writes :\t1.2.3\n1:1 Reads-Writes :\t" + huge + "\nStream-triad like:\t2.0\n", []string{"read -1 -1 1e+06", "mix -1 -1 2e+06"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := measured.Decode("mlc.txt", []byte(head+c.text))
			require.NoError(t, err)
			var got []string
			for _, f := range m.Figures {
				require.False(t, f.Decided())
				got = append(got, fmt.Sprintf("%s %d %d %.3g", f.Kind, f.CPUNode, f.MemoryNode, f.Median))
			}
			for _, l := range m.Loaded {
				got = append(got, fmt.Sprintf("loaded %.3g at %.3g %t", l.Median, l.Load, l.Mixed))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestLatMemRd checks IBM's e326m paper: local a little over 61 ns, remote 26 ns more (section 2.1). The tool prints
// size in MiB and ns; caches come first.
func TestLatMemRd(t *testing.T) {
	m, err := measured.Decode("lat.txt", []byte("\"stride=128\n0.00049 1.364\n0.50000 6.700\n64.00000 60.900\n128.00000 61.100\n\n\"stride=128\n0.00049 1.364\n64.00000 87.000\n128.00000 87.100\n\n"))
	require.NoError(t, err)
	require.Equal(t, inventory.ToolLatMemRd, m.Tool)
	require.Len(t, m.Figures, 2)
	require.InDelta(t, 26e-9, m.Figures[1].Median-m.Figures[0].Median, 0.1e-9)
	short, err := measured.Decode("lat.txt", []byte("\"stride=128\n0.00049 1.364\n8.00000 12.000\n"))
	require.NoError(t, err)
	require.Empty(t, short.Figures, "8 MiB are a cache's")
	for rows, want := range map[string][]float64{"64.00000 1.000\n": {1e-9}, "63.00000 1.000\n": nil, "128.00000 0.000\n": nil, "128.00000 0.500\n": {0.5e-9}} {
		m, err := measured.Decode("lat.txt", []byte("\"stride=64\n0.00049 1.364\n"+rows))
		require.NoError(t, err)
		require.Len(t, m.Figures, len(want), rows)
		for i, v := range want {
			require.InDelta(t, v, m.Figures[i].Median, 1e-15, rows)
			require.Equal(t, 1, m.Figures[i].Threads)
		}
	}
}

// TestLikwid checks that load is a read, and that stream is STREAM's Triad with its kind of store; likwid's triad,
// which reads three arrays, is neither.
func TestLikwid(t *testing.T) {
	run := func(test, rate string) string {
		return "--------\nLIKWID MICRO BENCHMARK\nTest: " + test + "\n--------\nUsing 1 work groups\nUsing 14 threads\n--------\nMByte/s:\t\t" + rate + "\n"
	}
	m, err := measured.Decode("likwid.txt", []byte(run("load_avx", "61800.00")+run("stream_mem_avx", "50000.00")+run("triad", "44200.0")+run("stream", "40000.0")))
	require.NoError(t, err)
	var got []string
	for _, f := range m.Figures {
		got = append(got, string(f.Kind)+" "+f.Store)
		require.Equal(t, 14, f.Threads)
	}
	require.Equal(t, []string{"read ", "triad non-temporal", "likwid_triad normal", "triad normal"}, got)
	require.InDelta(t, 61.8e9, m.Figures[0].Median, 1)
	for rate, want := range map[string]float64{"0.00": 0, "1.00": 1e6, "0.50": 0.5e6, "1.2.3": 0, strings.Repeat("9", 400): 0} {
		m, err := measured.Decode("likwid.txt", []byte(run("load", rate)))
		require.NoError(t, err)
		if want == 0 {
			require.Empty(t, m.Figures, rate)
			continue
		}
		require.Len(t, m.Figures, 1, rate)
		require.InDelta(t, want, m.Figures[0].Median, 1, rate)
	}
	m, err = measured.Decode("likwid.txt", []byte("LIKWID MICRO BENCHMARK\nTest: load\nNumber of threads: 2\nMByte/s:\t\t5.00\n"))
	require.NoError(t, err)
	require.Equal(t, 2, m.Figures[0].Threads)
}

// TestRefused distinguishes empty, unrecognised and malformed files.
func TestRefused(t *testing.T) {
	for text, want := range map[string]error{
		"": measured.ErrEmpty, " \n": measured.ErrEmpty, "hello\n": measured.ErrUnrecognised,
		`{"schema":"memaudit.report/v1"}`: measured.ErrMalformed, `{`: measured.ErrMalformed,
		`{"schema":"memaudit.measurement/v1","generated_at":"yesterday"}`: measured.ErrMalformed,
		"Triad: 0 1 1 1\n": measured.ErrMalformed,
	} {
		_, err := measured.Decode("x", []byte(text))
		require.ErrorIs(t, err, want, "%q", text)
	}
}

// quiet is a bench of one node with given figures.
type quiet struct{ now time.Time }

type nothing struct{}

func (nothing) Placed() measure.Placement { return measure.Placement{Known: true, Here: 1, Huge: 1} }
func (nothing) Close() error              { return nil }

func (q *quiet) Map(int, []int, measure.Buffer) (measure.Memory, error) { return nothing{}, nil }
func (q *quiet) Now() time.Time                                         { return q.now }
func (q *quiet) Counters([]int) measure.Counters                        { return measure.Counters{} }
func (q *quiet) Pass(kind figure.Kind, cpus []int, _ measure.Memory, d time.Duration) (measure.Sample, error) {
	q.now = q.now.Add(d)
	v := 40e9
	if kind == figure.Latency {
		v = 90e-9
	}
	return measure.Sample{Value: v, Wall: d * time.Duration(len(cpus)), CPU: d * time.Duration(len(cpus)), Clock: 8e8}, nil
}

func (q *quiet) Load(chains int, cpus []int, _ measure.Memory, d time.Duration) (measure.Sample, error) {
	s, err := q.Pass(figure.Latency, cpus, nil, d)
	s.Value += 10e-9 * float64(chains)
	return s, err
}

// TestOwn checks that a document is read as it was measured, and that its conclusions are checked against its passes.
func TestOwn(t *testing.T) {
	site := &measure.Machine{MemoryBytes: -1, Nodes: []measure.Node{{ID: 0, CPUs: []int{0, 1}, FreeBytes: 8 << 30, CacheBytes: 1 << 20}}}
	plan, err := measure.NewPlan(site, measure.Options{Loaded: true})
	require.NoError(t, err)
	r, err := measure.Run(context.Background(), &quiet{now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)}, plan)
	require.NoError(t, err)
	r.Machine = []byte(`{"product":"X"}`)
	data, err := r.Encode()
	require.NoError(t, err)
	m, err := measured.Decode("own.json", data)
	require.NoError(t, err)
	require.Empty(t, m.Unjudged)
	require.Equal(t, "X", m.Product)
	require.Len(t, m.Figures, 3)
	require.True(t, m.Figures[0].Decided() && m.Figures[0].Local())
	require.InDelta(t, 40e9, m.Figures[0].Median, 1)
	require.NotEmpty(t, m.Figures[0].Like)
	require.Len(t, m.Loaded, 6)
	require.Equal(t, []int{0, 2, 4}, []int{m.Loaded[3].Node, m.Loaded[3].Threads, m.Loaded[3].Chains})
	require.InDelta(t, 130e-9, m.Loaded[3].Median, 1e-12)
	require.True(t, m.Loaded[3].Decided(), m.Loaded[3].Why)

	r.Nodes[0].Passes, r.Nodes[0].Decided = r.Nodes[0].Passes[:3], true
	data, err = r.Encode()
	require.NoError(t, err)
	m, err = measured.Decode("own.json", data)
	require.NoError(t, err)
	require.False(t, m.Figures[0].Decided())

	kinds := func(r *measure.Result) (out []string) {
		for _, f := range measured.FromResult(r).Figures {
			out = append(out, fmt.Sprintf("%s %d %d", f.Kind, f.Count, f.Threads))
		}
		return out
	}
	require.Equal(t, []string{"read 3 2", "triad 0 2", "latency 0 1"}, kinds(r), "what was not measured is reported too")
	r.Nodes[0].Passes = r.Nodes[0].Passes[:1]
	require.Equal(t, []string{"read 1 2", "triad 0 2", "latency 0 1"}, kinds(r))
	for machine, want := range map[string]string{"": "", "{}": "", "[]": "", `{"product":null}`: "", `{"product":5}`: "", `{"product":"Y"}`: "Y", "1": ""} {
		r.Machine = []byte(machine)
		require.Equal(t, want, measured.FromResult(r).Product, machine)
	}
	r.Forced = true
	require.NotEmpty(t, measured.FromResult(r).Unjudged)
}
