package plan

import (
	"math/bits"
	"strconv"
	"strings"
)

// ParseSize reads a module's size: a whole number with M, G or T, also as MiB, GB and so on, which all count by 1024.
// It returns 0 for anything else.
func ParseSize(text string) int64 {
	s := strings.ToUpper(strings.TrimSpace(text))
	s = strings.TrimSuffix(strings.TrimSuffix(s, "B"), "I")
	if s == "" {
		return 0
	}
	shift := strings.IndexByte("MGT", s[len(s)-1])
	n, err := strconv.ParseInt(strings.TrimSpace(s[:len(s)-1]), 10, 32)
	if shift < 0 || err != nil || n <= 0 || n > 1<<20 {
		return 0
	}
	return n << (20 + 10*shift)
}

// SizeOfModule reports whether modules of this size exist: powers of two, and since chips of 24 Gbit three times one
// of them (12 to 192 GiB).
func SizeOfModule(bytes int64) bool {
	if bytes%3 == 0 {
		return bytes >= 12<<30 && bytes <= 192<<30 && bits.OnesCount64(uint64(bytes/3)) == 1
	}
	return bytes <= 1<<40 && bits.OnesCount64(uint64(bytes)) == 1
}
