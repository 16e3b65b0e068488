package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/platform"
)

// standing is, for the class of each shape that a unit visits, in the order of the first
// of each class, the shape that leaves most modules in place, the first of equal ones.
func standing(u *unit, n int, like *twins, worth *worth) (best []string, visited int) {
	at, kept := map[string]int{}, []int{}
	u.each(n, like, false, func(s shape) {
		visited++
		class := u.class(s, &platform.Platform{})
		i, known := at[class]
		switch {
		case !known:
			at[class] = len(best)
			best, kept = append(best, fmt.Sprint(s)), append(kept, worth.of(s))
		case worth.of(s) > kept[i]:
			best[i], kept[i] = fmt.Sprint(s), worth.of(s)
		}
	})
	return best, visited
}

// TestTwinsStandForAll: on boards of up to twelve channels, drawn at random, the shapes
// that are left stand for the same classes, in the same order, as all of them do.
func TestTwinsStandForAll(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 7))
	all, left := 0, 0
	for range 100 {
		u := &unit{}
		channels, depth, behind, apart := 2+random.IntN(11), 1+random.IntN(2), 1+random.IntN(3), random.IntN(4) == 0
		var w worth
		for c := range channels {
			g := group{controller: c / behind, ordered: random.IntN(8) > 0, layers: make([][]int, depth-random.IntN(depth+1)/2)}
			if apart { // the controllers take turns
				g.controller = c % behind
			}
			g.filled = random.IntN(2) * random.IntN(len(g.layers)+1)
			below := []int{0}
			for d := range g.layers {
				g.layers[d] = []int{0}
				below = append(below, below[d]+min(max(g.filled-d, 0), 1)*channels)
			}
			u.groups, w.below = append(u.groups, g), append(w.below, below)
		}
		like := u.twins(w.below)
		for n := 1; n <= channels*depth; n++ {
			every, visited := standing(u, n, nil, &w)
			first, fewer := standing(u, n, like, &w)
			require.Equal(t, every, first, "%d modules: %v", n, u.groups)
			all, left = all+visited, left+fewer
		}
	}
	require.Less(t, 3*left, 2*all, "fewer shapes are left")
	t.Logf("%d of %d shapes", left, all)
}
