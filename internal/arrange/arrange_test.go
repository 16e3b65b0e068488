package arrange

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// value has a key by which it is sorted, and a number that tells it from its equals.
type value struct{ key, number int }

func byKey(a, b value) int { return cmp.Compare(a.key, b.key) }

// TestAsTheStandardLibrary: lists of every length up to 100 and of some up to 300, of few and of many keys, sorted
// beforehand, backwards and not, come out as package slices sorts them, value for value.
func TestAsTheStandardLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for length := 0; length < 300; length += 1 + length/100*6 {
		for _, keys := range []int{1, 3, 20, 1000} {
			list := make([]value, length)
			for i := range list {
				list[i] = value{random.IntN(keys), i}
			}
			sorted := slices.Clone(list)
			slices.SortStableFunc(sorted, byKey)
			backwards := slices.Clone(sorted)
			slices.Reverse(backwards)
			for _, given := range [][]value{list, sorted, backwards} {
				want, have := slices.Clone(given), slices.Clone(given)
				slices.SortFunc(want, byKey)
				Values(have, byKey)
				same(t, want, have, "%d values of %d keys", length, keys)
				collected := Collected(slices.Values(given), byKey)
				same(t, want, collected, "%d values of %d keys, collected", length, keys)

				want, have = slices.Clone(given), slices.Clone(given)
				slices.SortStableFunc(want, byKey)
				Stably(have, byKey)
				same(t, want, have, "%d values of %d keys, stably", length, keys)
			}
		}
	}
}

// same holds two lists equal; a comparison by reflection of each costs more than the sorting.
func same(t *testing.T, want, have []value, format string, args ...any) {
	t.Helper()
	if !slices.Equal(want, have) {
		t.Errorf(format+": %v, expected %v", append(args, have, want)...)
	}
}

// TestShortLists: what most lists are is sorted without an allocation.
func TestShortLists(t *testing.T) {
	list := make([]value, shortList)
	if n := testing.AllocsPerRun(10, func() {
		list[0].key++
		Values(list, byKey)
		Stably(list, byKey)
	}); n > 0 {
		t.Errorf("%v allocations, expected none", n)
	}
}
