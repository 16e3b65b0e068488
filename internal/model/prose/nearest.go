package prose

import (
	"slices"
	"strings"
)

// Distance counts the letters to put in, take out or change between two words (Levenshtein).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Nearest lists the n names that differ least from one, in any case.
func Nearest(names []string, name string, n int) []string {
	out := slices.Clone(names)
	far, name := make(map[string]int, len(out)), strings.ToUpper(name)
	for _, s := range out {
		far[s] = Distance(strings.ToUpper(s), name)
	}
	slices.SortStableFunc(out, func(x, y string) int { return far[x] - far[y] })
	return out[:min(n, len(out))]
}
