package population

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/place"
)

// ownerName names a processor, or the chipset.
func ownerName(socket int) string {
	if socket == place.Unplaced {
		return "the chipset"
	}
	return "socket " + strconv.Itoa(socket)
}

func joinDetail(have, more string) string {
	if have == "" {
		return more
	}
	return have + "; " + more
}

func modules(n int) string {
	if n == 1 {
		return "1 module"
	}
	return strconv.Itoa(n) + " modules"
}
