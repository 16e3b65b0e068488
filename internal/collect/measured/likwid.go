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
	likwidTest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:Test|Benchmark|Kernel):\s*(\S+)`) })
	// likwidThreads matches the number of threads of all work groups (bench/likwid-bench.c).
	likwidThreads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:Using (\d+) threads|Number of threads:\s*(\d+))$`)
	})
	likwidRate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^MByte/s:\s+([0-9.]+)`) })
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
	base, _, _ := strings.Cut(test, "_")
	switch base {
	case "load":
		return figure.Read
	case "stream":
		return figure.Triad
	default:
		return figure.Kind("likwid_" + base)
	}
}

func likwidStore(test string) string {
	base, rest, _ := strings.Cut(test, "_")
	switch {
	case base == "load" || test == "":
		return ""
	case strings.Contains("_"+rest+"_", "_mem_"):
		return "non-temporal"
	default:
		return "normal"
	}
}
