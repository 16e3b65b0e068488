package effective

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// counted returns a number of the SMBIOS table, unknown for -1.
func counted(n int) fact.Fact[int] {
	if n < 0 {
		return fact.Unknown[int](fact.Unread, "not stated", "")
	}
	return fact.Known(n, fact.Direct, fact.Evidence{Raw: strconv.Itoa(n)})
}
