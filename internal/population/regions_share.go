package population

import (
	"strconv"
)

// shareByModel says where a share comes from that no document measured.
const shareByModel = "population model: channel share"

// metrics are the fractions of the full peak that docs/population.md, Shares,
// defines.
type metrics struct{ best, worst, sweep, spread float64 }

// measure computes the metrics of regions over n channels, of which bytes
// gives the capacities.
func measure(regions []Region, bytes []int64, n int) metrics {
	var m metrics
	if len(regions) == 0 || n == 0 {
		return m
	}
	most, least := regions[0].Ways, regions[0].Ways
	var sum, turns float64
	for _, r := range regions {
		most, least = max(most, r.Ways), min(least, r.Ways)
		sum += float64(r.Bytes)
		turns += float64(r.Bytes) / float64(r.Ways)
	}
	var total, fullest int64
	for _, b := range bytes {
		total += b
		fullest = max(fullest, b)
	}
	m.best = float64(most) / float64(n)
	m.worst = float64(least) / float64(n)
	m.sweep = sum / turns / float64(n)
	m.spread = float64(total) / (float64(n) * float64(fullest))
	return m
}

// share is the honest report of a population: a number for one region, a
// bracket for several.
func share(regions []Region, bytes []int64, n int) Share {
	m := measure(regions, bytes, n)
	s := Share{Low: m.worst, High: m.worst, Source: shareByModel}
	if len(regions) > 1 {
		s.High = m.spread
	}
	return s
}

// measuredShare finds the layout in the measurements of this product.
func (b *builder) measuredShare(name string) (float64, string, bool) {
	for _, m := range b.measured {
		if v, ok := m.Layouts[name]; ok {
			return v, m.Source, true
		}
	}
	return 0, "", false
}

// countLayout names a layout of equal single DIMMs by its count: "4/8".
func countLayout(r []Region, dpc []int) string {
	if len(r) != 1 {
		return ""
	}
	for _, d := range dpc {
		if d > 1 {
			return ""
		}
	}
	return strconv.Itoa(r[0].Ways) + "/" + strconv.Itoa(len(dpc))
}
