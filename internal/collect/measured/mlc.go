package measured

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
)

var (
	// mlcPeak is a row of --peak_injection_bandwidth, in MB/s (10^6).
	mlcPeak = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(ALL Reads|\d+:\d+ Reads-Writes|Stream-triad like)\s*:\s*([0-9.]+)`)
	})
	// mlcLoad is a row of --loaded_latency: the delay between two requests, the latency in ns and the load in MB/s.
	mlcLoad = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{5}\s+([0-9.]+)\s+([0-9.]+)$`) })
	mlcRow  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(\d+)\s+((?:[0-9.]+|-)(?:\s+(?:[0-9.]+|-))*)\s*$`)
	})
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
