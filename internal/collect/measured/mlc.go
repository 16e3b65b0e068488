package measured

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/model/figure"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

var (
	// mlcPeak is a row of --peak_injection_bandwidth, in MB/s (10^6).
	mlcPeak = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(ALL Reads|\d+:\d+ Reads-Writes|Stream-triad like)\s*:\s*([0-9.]+)`)
	})
	mlcRow = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(\d+)\s+((?:[0-9.]+|-)(?:\s+(?:[0-9.]+|-))*)\s*$`)
	})
)

// readMLC reads the output of Intel Memory Latency Checker (mlc, its readme): the
// matrices of latency and bandwidth by node, and the whole machine's bandwidth.
func readMLC(text []byte) (*inventory.Measurement, error) {
	if !strings.Contains(string(text), "Intel(R) Memory Latency Checker") {
		return nil, nil
	}
	m := external("mlc")
	var kind figure.Kind
	var nodes []int
	scale := 1.0
	for s := lineScanner(text); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		switch {
		case strings.HasPrefix(line, "Measuring idle latencies"):
			kind, scale, nodes = figure.Latency, 1e-9, nil
		case strings.HasPrefix(line, "Measuring Memory Bandwidths between nodes"):
			kind, scale, nodes = figure.Read, 1e6, nil
		case strings.HasPrefix(line, "Measuring"):
			kind, nodes = "", nil
		}
		if p := mlcPeak().FindStringSubmatch(line); p != nil {
			if v, ok := positive(p[2]); ok {
				m.Figures = append(m.Figures, nowhere(single(peakKind(p[1]), v*1e6), p[1]))
			}
			continue
		}
		if rest, found := strings.CutPrefix(line, "Numa node"); found && kind != "" {
			nodes = numbers(rest)
			continue
		}
		if row := mlcRow().FindStringSubmatch(line); row != nil && kind != "" {
			m.Figures = append(m.Figures, mlcCells(kind, scale, nodes, row)...)
		}
	}
	return m, nil
}

// peakKind: only all reads are what memaudit's own reads are.
func peakKind(what string) figure.Kind {
	if what == "ALL Reads" {
		return figure.Read
	}
	return "mix"
}

// mlcCells are a row of a matrix: the node of the processors, then one figure
// for each node of memory.
func mlcCells(kind figure.Kind, scale float64, nodes []int, row []string) []inventory.Measured {
	var out []inventory.Measured
	cpu, _ := strconv.Atoi(row[1])
	for i, word := range strings.Fields(row[2]) {
		v, ok := positive(word)
		if !ok || i >= len(nodes) {
			continue
		}
		one := nowhere(single(kind, v*scale), "MLC matrix")
		one.CPUNode, one.MemoryNode = cpu, nodes[i]
		out = append(out, one)
	}
	return out
}

// positive is a figure as a tool prints it; what is nothing or no number is no figure.
func positive(word string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(word, 64)
	return v, err == nil && v > 0
}

// numbers are the integers of a heading.
func numbers(text string) []int {
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
