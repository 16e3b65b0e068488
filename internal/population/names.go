package population

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
)

// slotName is the slot's label, or its handle.
func slotName(s *inventory.Slot) string {
	if l, ok := s.Locator.Get(); ok && l != "" {
		return l
	}
	return "slot 0x" + strconv.FormatUint(uint64(s.Handle), 16)
}

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
