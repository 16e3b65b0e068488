package plan

import (
	"strconv"
	"strings"
)

// ParseSize reads a module's size: a whole number with M, G or T, also as MiB,
// GB and so on, which all count by 1024. It is 0 for anything else.
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
