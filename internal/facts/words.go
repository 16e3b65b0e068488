package facts

import (
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// gib prints bytes in the largest unit that keeps them whole: "64 GiB",
// "512 MiB".
func gib(n int64) string {
	units := []struct {
		size int64
		name string
	}{{1 << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}
	for _, u := range units {
		if n >= u.size && n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	for _, u := range units {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// join lists parts as a sentence does: A, B and C.
func join(parts []string) string {
	switch len(parts) {
	case 0:
		return "none"
	case 1:
		return parts[0]
	default:
		return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
	}
}

// elements prints every element of a list.
func elements(v ref.Val) []string {
	l, ok := v.(traits.Lister)
	if !ok {
		return nil
	}
	var parts []string
	for it := l.Iterator(); it.HasNext() == types.True; {
		parts = append(parts, plainText(it.Next()))
	}
	return parts
}

// listed prints sentences in a row, the first three of many: "a; b; c; and 4
// more".
func listed(v ref.Val) string {
	parts := elements(v)
	rest := len(parts) - listedAtMost
	switch {
	case len(parts) == 0:
		return "none"
	case rest > 0:
		return strings.Join(parts[:listedAtMost], "; ") + "; and " + strconv.Itoa(rest) + " more"
	default:
		return strings.Join(parts, "; ")
	}
}

// listedAtMost bounds a row of sentences: a broken table may have hundreds.
const listedAtMost = 3

// words joins a list with commas and "and": A, B and C.
func words(v ref.Val) string { return join(elements(v)) }

func plainText(v ref.Val) string {
	return fmt.Sprint(v.Value())
}

func itoa(n int) string { return strconv.Itoa(n) }

// plural prints a count with its noun: "1 DIMM", "2 DIMMs".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(n) + " " + noun + "s"
}

// NotKnown stands where a text expression meets a fact that is not known.
const NotKnown = "not known"
