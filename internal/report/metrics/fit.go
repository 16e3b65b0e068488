package metrics

import "slices"

const (
	// maxSeries is how many series a machine has at most.
	maxSeries = 600
	// maxDistanceNodes is the number of NUMA nodes above which distances, one for
	// each pair, are left out.
	maxDistanceNodes = 16
)

// expendable are the families that grow with the machine, in the order in which
// one that is too large gives them up: the report still has all of it. A family
// goes as a whole, since half of one would add up to a wrong sum.
var expendable = [...]string{"measured_latency_seconds", "measured_spread_ratio", "measured_read_bytes_per_second",
	"dimm_rated_transfers_per_second", "dimm_configured_transfers_per_second", "dimm_info", "numa_node_memory_bytes", "dimm_size_bytes",
	"finding_info"}

// fit leaves families out until the rest is no more than maxSeries.
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
