package population

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/topology/platform"
)

// exShorthand writes the layout as the document does, "2-1|2-1": lockstep
// pairs on the first and second logical channel of each controller, the fuller
// controller first. "" when a logical channel holds unequal numbers.
func (l *layout) exShorthand(p *platform.Platform) string {
	if len(p.LockstepChannels) != exPairs {
		return ""
	}
	var n [exPairs]int
	for i, pair := range p.LockstepChannels {
		if len(pair) != 2 || pair[0] >= len(l.dpc) || pair[1] >= len(l.dpc) || l.dpc[pair[0]] != l.dpc[pair[1]] {
			return ""
		}
		n[i] = l.dpc[pair[0]]
	}
	if n[0]+n[1] < n[2]+n[3] {
		n[0], n[1], n[2], n[3] = n[2], n[3], n[0], n[1]
	}
	b := make([]byte, 0, 16)
	for i, sep := range [...]string{"", "-", "|", "-"} {
		b = strconv.AppendInt(append(b, sep...), int64(n[i]), 10)
	}
	return string(b)
}
