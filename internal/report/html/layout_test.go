package html

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/inventory"
)

func slotAt(controller, channel, slot int) *inventory.Slot {
	s := &inventory.Slot{Place: inventory.Place{Channel: &channel}}
	if controller >= 0 {
		s.Controller = &controller
	}
	if slot >= 0 {
		s.Slot = &slot
	}
	return s
}

// TestLayout checks for any table that every slot is drawn once, inside the picture, without overlap, and that no
// picture is wider than a phone.
func TestLayout(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var slots []*inventory.Slot
		for range 1 + random.IntN(40) {
			channel := random.IntN(12)
			slots = append(slots, slotAt(channel/(1+random.IntN(2)*3)-1, channel, random.IntN(5)-1))
		}
		d := layoutChannels(slots)
		require.LessOrEqual(t, d.width, 344)
		var taken []image.Rectangle
		for i := range d.columns {
			c := &d.columns[i]
			for row, s := range c.cells {
				if s == nil {
					continue
				}
				x, y := c.cellCorner(row)
				taken = append(taken, image.Rect(x, y, x+cellWidth, y+cellHeight))
			}
		}
		require.Len(t, taken, len(slots))
		whole := image.Rect(0, 0, d.width, d.height)
		for i, a := range taken {
			require.True(t, a.In(whole), "%v in %v", a, whole)
			for _, b := range taken[i+1:] {
				require.True(t, a.Intersect(b).Empty())
			}
		}
	}
}
