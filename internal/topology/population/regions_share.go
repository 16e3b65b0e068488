package population

// metrics are the fractions of the full peak defined in docs/population.md, Shares.
type metrics struct{ best, worst, sweep, spread float64 }

// measure computes the metrics of regions over n channels with the given capacities in bytes.
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

// layoutNames are the names under which a document may have measured a layout: at its running speed, and at the
// best one.
type layoutNames struct {
	clocked string
	best    []string
}

// channelShare returns the share by channels alone: one figure for one region; for several a range, from the
// narrowest to all memory at once, or to the full bandwidth if one region spans all channels.
func channelShare(regions []Region, bytes []int64, n int) Share {
	m := measure(regions, bytes, n)
	s := Share{Low: m.worst, High: m.worst}
	if len(regions) > 1 {
		s.High = m.spread
		if m.best == 1 {
			s.High = 1
		}
	}
	return s
}

// Where a share comes from if no document measured it.
const (
	shareByModel    = "population model: channels and clock"
	shareByChannels = "population model: channels alone, the clock is not known"
	shareByRegions  = "measured level of each region"
	shareByLayout   = "measured for this layout"
	shareByCount    = "documented share and clock"
)
