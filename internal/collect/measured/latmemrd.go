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
	strideLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^"?stride=(\d+)"?$`) })
	sizeLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+\.[0-9]+) ([0-9]+\.[0-9]+)$`) })
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
