package plan

import (
	"strconv"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
)

// moduleWords describes a module to buy, by firmware's data of a similar one.
func moduleWords(s *inventory.Slot) string {
	out := humanize.Size(s.SizeBytes.Or(0))
	if t, ok := s.Type.Get(); ok {
		out += " " + t
	}
	if r, ok := s.Ranks.Get(); ok {
		out += " of " + strconv.Itoa(r) + " rank"
		if r != 1 {
			out += "s"
		}
	}
	return out
}
