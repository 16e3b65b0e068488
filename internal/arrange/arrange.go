// Package arrange sorts by a comparison. The sorting functions of package slices are compiled
// anew for each type of values: some 10 kB of machine code, and as much again of tables,
// for each of the lists that the program sorts. Here each type costs a few hundred bytes.
package arrange

import (
	"iter"
	"slices"
	"sort"
)

// shortList is the length up to which the sorting functions of the standard library insert one
// value after the other, so that no list comes out otherwise than there.
const shortList = 12

// Values sorts as slices.SortFunc does, equal values alike.
func Values[T any](list []T, compare func(a, b T) int) {
	if !inserted(list, compare) {
		sort.Slice(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
	}
}

// Stably sorts and leaves equal values in their order.
func Stably[T any](list []T, compare func(a, b T) int) {
	if !inserted(list, compare) {
		sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
	}
}

// Collected is what a sequence gives, sorted.
func Collected[T any](all iter.Seq[T], compare func(a, b T) int) []T {
	list := slices.Collect(all)
	Values(list, compare)
	return list
}

// inserted sorts a short list, without an allocation.
func inserted[T any](list []T, compare func(a, b T) int) bool {
	if len(list) > shortList {
		return false
	}
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && compare(list[j], list[j-1]) < 0; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return true
}
