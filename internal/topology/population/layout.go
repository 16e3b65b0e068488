package population

// layout is where the capacity of one processor sits: the input of the
// interleave policies. Slices are indexed by channel.
type layout struct {
	bytes []int64
	dpc   []int
	ctrl  []int // controller of each channel, nil when not known
	ctrls int   // number of controllers, 0 when not known
}

// peelRegions takes the smallest remaining capacity of the chosen channels off them
// as one region until nothing is left (the general algorithm of the model).
func peelRegions(bytes []int64, choose func(rem []int64) []int) []Region {
	rem := append([]int64(nil), bytes...)
	var out []Region
	for {
		set := choose(rem)
		if len(set) == 0 {
			return out
		}
		m := rem[set[0]]
		for _, c := range set {
			m = min(m, rem[c])
		}
		for _, c := range set {
			rem[c] -= m
		}
		out = append(out, Region{Bytes: m * int64(len(set)), Ways: len(set), Channels: set})
	}
}

// allChannels is the policy "any": every subset may interleave, so the set is
// every channel with capacity left.
func allChannels(rem []int64) []int {
	var set []int
	for c, b := range rem {
		if b > 0 {
			set = append(set, c)
		}
	}
	return set
}
