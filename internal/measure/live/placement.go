package live

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/source/host"
)

// limitMaps bounds /proc/self/numa_maps and smaps, which have a paragraph for each of the process's own mappings.
const limitMaps = 4 << 20

// placement reads the placement of the process's memory
// (Documentation/filesystems/proc.rst: smaps; man 5 numa: numa_maps).
func placement(root *host.Root, b []byte, node int) measure.Placement {
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	p := measure.Placement{Huge: -1}
	pid := "/proc/" + strconv.Itoa(os.Getpid())
	if maps, err := root.ReadLimit(pid+"/numa_maps", limitMaps); err == nil {
		p.Here, p.Known = onNode(maps, start, start+uint64(len(b)), node)
	}
	if maps, err := root.ReadLimit(pid+"/smaps", limitMaps); err == nil {
		p.Huge = hugeShare(maps, start, start+uint64(len(b)))
	}
	return p
}

// onNode sums up the pages of the mappings in a range by node. Each line begins
// with the mapping's address and counts pages as N0=1234.
func onNode(maps []byte, start, end uint64, node int) (share float64, known bool) {
	var here, all float64
	for line := range bytes.Lines(maps) {
		address, rest, _ := strings.Cut(string(line), " ")
		at, err := strconv.ParseUint(address, 16, 64)
		if err != nil || at < start || at >= end {
			continue
		}
		words := strings.Fields(rest)
		size := pageSize(words)
		for _, w := range words {
			id, count, found := strings.Cut(strings.TrimPrefix(w, "N"), "=")
			n, err := strconv.ParseFloat(count, 64)
			if !found || w[0] != 'N' || err != nil {
				continue
			}
			all += n * size
			if id == strconv.Itoa(node) {
				here += n * size
			}
		}
	}
	if all == 0 {
		return 0, false
	}
	return here / all, true
}

func pageSize(words []string) float64 {
	for _, w := range words {
		if kb, found := strings.CutPrefix(w, "kernelpagesize_kB="); found {
			if n, err := strconv.ParseFloat(kb, 64); err == nil {
				return n
			}
		}
	}
	return 4
}

// hugeShare returns AnonHugePages divided by Rss of the mappings in a range, -1 if they are missing.
func hugeShare(maps []byte, start, end uint64) float64 {
	var rss, huge float64
	inside := false
	for line := range bytes.Lines(maps) {
		var from, to uint64
		if n, _ := fmt.Sscanf(string(line), "%x-%x ", &from, &to); n == 2 {
			inside = from >= start && from < end
			continue
		}
		key, rest, _ := strings.Cut(string(line), ":")
		kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, err := strconv.ParseFloat(kb, 64)
		switch {
		case !inside || err != nil:
		case key == "Rss":
			rss += n
		case key == "AnonHugePages":
			huge += n
		}
	}
	if rss == 0 {
		return -1
	}
	return huge / rss
}
