package metrics

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report/printable"
)

// prefix is the prefix of every metric's name.
const prefix = "memaudit_"

// SourceUp is the metric for whether each source could be read.
const SourceUp = prefix + "source_up"

// Family is one metric with all its samples: a counter if its name ends in _total, otherwise a gauge.
type Family struct {
	Name, Help string
	// Labels are the names of every sample's labels.
	Labels  []string
	Samples []Sample
}

// Counter reports whether the metric only grows, until what counts it restarts.
func (f *Family) Counter() bool { return strings.HasSuffix(f.Name, counterEnding) }

// counterEnding is the suffix of a counter's name.
const counterEnding = "_total"

// Sample is one series of a family; Values are in the order of its Labels.
type Sample struct {
	Values []string
	Value  float64
}

// families collects metrics; a family without samples is dropped, unless all are requested.
type families struct {
	list []Family
	seen map[string]bool
	keep bool
}

func (b *families) family(name, labels, help string) *Family {
	b.list = append(b.list, Family{Name: prefix + name, Help: help, Labels: strings.Fields(labels)})
	b.seen = map[string]bool{}
	return &b.list[len(b.list)-1]
}

// add appends a sample to the last family. A second one with the same labels is dropped: firmware may give two slots
// one handle and one label, and a scraper rejects the complete page for a duplicate series.
func (b *families) add(value float64, labels ...string) {
	for i, l := range labels {
		labels[i] = labelText(l)
	}
	if key := strings.Join(labels, "\x00"); !b.seen[key] {
		b.seen[key] = true
		f := &b.list[len(b.list)-1]
		f.Samples = append(f.Samples, Sample{labels, value})
	}
}

// end drops the last family if it has no samples.
func (b *families) end() {
	if n := len(b.list) - 1; len(b.list[n].Samples) == 0 && !b.keep {
		b.list = b.list[:n]
	}
}

// maxLabel limits the bytes of a label's value.
const maxLabel = 200

// labelText makes a value valid for a label: printable UTF-8 of limited length. Firmware may contain anything.
func labelText(s string) string {
	s = strings.TrimSpace(printable.Clean(s))
	if len(s) > maxLabel {
		s = strings.ToValidUTF8(s[:maxLabel], "")
	}
	return s
}

func zeroOrOne(v bool) float64 {
	if v {
		return 1
	}
	return 0
}

func truthWord(v *bool) string {
	if v == nil {
		return ""
	}
	return strconv.FormatBool(*v)
}

func numberWord(v *int) string {
	if v == nil {
		return ""
	}
	return strconv.Itoa(*v)
}

const (
	// maxSeries limits the series of a machine.
	maxSeries = 600
	// maxDistanceNodes is the number of NUMA nodes above which distances, one for
	// each pair, are left out.
	maxDistanceNodes = 16
)

// expendable are the families that grow with the machine, in the order in which they are dropped if there are
// too many series: the report still has them. A family is dropped as a whole, because a part of one would add
// up to a wrong sum.
var expendable = [...]string{"measured_latency_seconds", "measured_spread_ratio", "measured_read_bytes_per_second",
	"dimm_rated_transfers_per_second", "dimm_configured_transfers_per_second", "dimm_info", "numa_node_memory_bytes", "dimm_size_bytes",
	"finding_info"}

// fit drops families until at most maxSeries remain.
func (b *families) fit() {
	for _, name := range expendable {
		total := 0
		for i := range b.list {
			total += len(b.list[i].Samples)
		}
		if total <= maxSeries {
			return
		}
		b.list = slices.DeleteFunc(b.list, func(f Family) bool { return f.Name == prefix+name && len(f.Samples) > 1 })
	}
}
