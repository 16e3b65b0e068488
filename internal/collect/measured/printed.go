package measured

import (
	"fmt"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
)

// streamLine matches a row of STREAM's table: the function, the best rate in MB/s (10^6), then times in seconds:
// average, minimum, maximum, or in releases before 4 "RMS time, Min time, Max time" (McCalpin, stream.c).
var streamLine = lazy.Pattern(`^(Copy|Scale|Add|Triad):\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)$`)

// readStream reads the output of one or more runs of STREAM. It does not show which nodes a run was bound to,
// so the runs are numbered.
func readStream(text []byte) (*inventory.Measurement, error) {
	m := newExternal(inventory.ToolStream)
	m.Unjudged = "STREAM prints no core and no node: on which CPU a run was is not known"
	threads, run, seen := 0, -1, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "STREAM version") { // built without OpenMP it does not print threads
			threads = 0
		}
		if n, found := strings.CutPrefix(line, "Number of Threads counted = "); found {
			threads, _ = strconv.Atoi(n)
		}
		row := streamLine().FindStringSubmatch(line)
		if row == nil {
			continue
		}
		if run < 0 || seen[row[1]] {
			run, seen = run+1, map[string]bool{}
		}
		seen[row[1]] = true
		f, err := streamFigure(row)
		if err != nil {
			return nil, err
		}
		one := withoutNode(f, "STREAM "+row[1])
		one.Run, one.Threads = run, threads
		m.Figures = append(m.Figures, one)
	}
	if len(m.Figures) == 0 {
		return nil, nil
	}
	return m, nil
}

// streamFigure converts a row to a figure. The highest rate is printed; the lowest is derived from the longest pass.
func streamFigure(row []string) (figure.Figure, error) {
	var n [4]float64
	for i := range n {
		v, err := strconv.ParseFloat(row[i+2], 64)
		if err != nil || v <= 0 {
			return figure.Figure{}, fmt.Errorf("%s: %q, expected a number above 0", row[1], row[i+2])
		}
		n[i] = v
	}
	best, least, most := n[0]*1e6, min(n[1], n[2], n[3]), max(n[1], n[2], n[3])
	kind := figure.Kind("stream_" + strings.ToLower(row[1]))
	if row[1] == "Triad" {
		kind = figure.Triad
	}
	return figure.Figure{Kind: kind, Count: 1, Median: best, High: best, Low: best * least / most,
		Why: "STREAM does not say which kind of store it was built with"}, nil
}

var (
	likwidTest = lazy.Pattern(`^(?:Test|Benchmark|Kernel):\s*(\S+)`)
	// likwidThreads matches the number of threads of all work groups (bench/likwid-bench.c).
	likwidThreads = lazy.Pattern(`^(?:Using (\d+) threads|Number of threads:\s*(\d+))$`)
	likwidRate    = lazy.Pattern(`^MByte/s:\s+([0-9.]+)`)
)

// readLikwid reads the output of one or more runs of likwid-bench: the test's name, the number of threads,
// and MByte/s (10^6).
func readLikwid(text []byte) (*inventory.Measurement, error) {
	if !strings.Contains(string(text), "LIKWID MICRO BENCHMARK") {
		return nil, nil
	}
	m := newExternal(inventory.ToolLikwid)
	test, threads, run := "", 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if t := likwidTest().FindStringSubmatch(line); t != nil {
			test = t[1]
		}
		if n := likwidThreads().FindStringSubmatch(line); n != nil {
			threads, _ = strconv.Atoi(n[1] + n[2])
		}
		rate := likwidRate().FindStringSubmatch(line)
		if rate == nil {
			continue
		}
		if v, ok := parsePositive(rate[1]); ok {
			one := withoutNode(singleFigure(likwidKind(test), v*1e6), "likwid "+test)
			one.Run, one.Threads, one.Store = run, threads, likwidStore(test)
			m.Figures = append(m.Figures, one)
			run++
		}
	}
	return m, nil
}

// likwidKind returns the kind of a test. load is memaudit's read, stream is STREAM's Triad; likwid's own
// triad reads three arrays and is not comparable.
func likwidKind(test string) figure.Kind {
	switch base, _, _ := strings.Cut(test, "_"); base {
	case "load":
		return figure.Read
	case "stream":
		return figure.Triad
	default:
		return figure.Kind("likwid_" + base)
	}
}

func likwidStore(test string) string {
	switch base, rest, _ := strings.Cut(test, "_"); {
	case base == "load" || test == "":
		return ""
	case strings.Contains("_"+rest+"_", "_mem_"):
		return "non-temporal"
	default:
		return "normal"
	}
}

var (
	strideLine = lazy.Pattern(`^"?stride=(\d+)"?$`)
	sizeLine   = lazy.Pattern(`^([0-9]+\.[0-9]+) ([0-9]+\.[0-9]+)$`)
)

// latMemRd reads the output of lmbench's lat_mem_rd: a stride, then rows of size in MiB and latency in ns
// (man 8 lat_mem_rd). The latency at the largest size is that of memory; runs that stop before 64 MiB may be of a cache.
func latMemRd(text []byte) (*inventory.Measurement, error) {
	m := newExternal(inventory.ToolLatMemRd)
	run, size, ns, stride := -1, 0.0, 0.0, ""
	end := func() {
		if stride != "" && size >= 64 && ns > 0 {
			one := withoutNode(singleFigure(figure.Latency, ns*1e-9), "lat_mem_rd stride "+stride)
			one.Run, one.Threads = run, 1
			m.Figures = append(m.Figures, one)
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if t := strideLine().FindStringSubmatch(line); t != nil {
			end()
			run, size, ns, stride = run+1, 0, 0, t[1]
			continue
		}
		if row := sizeLine().FindStringSubmatch(line); row != nil && stride != "" {
			size, _ = strconv.ParseFloat(row[1], 64)
			ns, _ = strconv.ParseFloat(row[2], 64)
		}
	}
	end()
	if run < 0 {
		return nil, nil
	}
	return m, nil
}

var (
	// mlcPeak is a row of --peak_injection_bandwidth, in MB/s (10^6).
	mlcPeak = lazy.Pattern(`^(ALL Reads|\d+:\d+ Reads-Writes|Stream-triad like)\s*:\s*([0-9.]+)`)
	// mlcLoad is a row of --loaded_latency: the delay between two requests, the latency in ns and the load in MB/s.
	mlcLoad = lazy.Pattern(`^\d{5}\s+([0-9.]+)\s+([0-9.]+)$`)
	mlcRow  = lazy.Pattern(`^\s*(\d+)\s+((?:[0-9.]+|-)(?:\s+(?:[0-9.]+|-))*)\s*$`)
)

// readMLC reads the output of Intel Memory Latency Checker (mlc, its readme): the matrices of latency and
// bandwidth by node, and the bandwidth of the machine and its latency under load.
func readMLC(text []byte) (*inventory.Measurement, error) {
	if !strings.Contains(string(text), "Intel(R) Memory Latency Checker") {
		return nil, nil
	}
	m := newExternal(inventory.ToolMLC)
	var kind figure.Kind
	var nodes []int
	scale, loaded, mixed := 1.0, false, true
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "Measuring idle latencies"):
			kind, scale, nodes = figure.Latency, 1e-9, nil
		case strings.HasPrefix(line, "Measuring Memory Bandwidths between nodes"):
			kind, scale, nodes = figure.Read, 1e6, nil
		case strings.HasPrefix(line, "Measuring"):
			kind, nodes = "", nil
			loaded, mixed = strings.HasPrefix(line, "Measuring Loaded Latencies"), true
		case strings.HasPrefix(line, "Using Read-only traffic"):
			mixed = false
		}
		if row := mlcLoad().FindStringSubmatch(line); row != nil && loaded {
			latency, ok := parsePositive(row[1])
			if load, both := parsePositive(row[2]); ok && both {
				m.Loaded = append(m.Loaded, inventory.LoadedLatency{Figure: singleFigure(figure.Latency, latency*1e-9), Node: inventory.NoNode, Load: load * 1e6, Mixed: mixed})
			}
			continue
		}
		if p := mlcPeak().FindStringSubmatch(line); p != nil {
			if v, ok := parsePositive(p[2]); ok {
				peak := figure.Kind("mix")
				if p[1] == "ALL Reads" { // the only one comparable with memaudit's read
					peak = figure.Read
				}
				m.Figures = append(m.Figures, withoutNode(singleFigure(peak, v*1e6), p[1]))
			}
			continue
		}
		if rest, found := strings.CutPrefix(line, "Numa node"); found && kind != "" {
			nodes = parseNumbers(rest)
			continue
		}
		if row := mlcRow().FindStringSubmatch(line); row != nil && kind != "" {
			m.Figures = append(m.Figures, mlcCells(kind, scale, nodes, row)...)
		}
	}
	return m, nil
}

// mlcCells returns the figures in a row of a matrix: the node of the CPUs, then one figure for each memory node.
func mlcCells(kind figure.Kind, scale float64, nodes []int, row []string) []inventory.Measured {
	var out []inventory.Measured
	cpu, _ := strconv.Atoi(row[1])
	for i, word := range strings.Fields(row[2]) {
		v, ok := parsePositive(word)
		if !ok || i >= len(nodes) {
			continue
		}
		one := withoutNode(singleFigure(kind, v*scale), "MLC matrix")
		one.CPUNode, one.MemoryNode = cpu, nodes[i]
		out = append(out, one)
	}
	return out
}

func parsePositive(word string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && v > 0
}

func parseNumbers(text string) []int {
	var out []int
	for _, w := range strings.Fields(text) {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}
