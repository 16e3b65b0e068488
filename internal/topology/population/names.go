package population

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/memaudit/memaudit/internal/topology/place"
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

// letters are the small letters and digits of a name, without blanks and hyphens.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}
