package measured

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/inventory"
)

// streamLine matches a row of STREAM's table: the function, the best rate in MB/s (10^6), then times in seconds:
// average, minimum, maximum, or in releases before 4 "RMS time, Min time, Max time" (McCalpin, stream.c).
var streamLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Copy|Scale|Add|Triad):\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)$`)
})

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
