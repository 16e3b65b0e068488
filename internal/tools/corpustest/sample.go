package corpustest

import "flag"

// Sample is every nth of a list, the first included, and in `make corpus` the
// whole list.
func Sample[T any](list []T, n int) []T {
	if Stage {
		return list
	}
	var out []T
	for i := 0; i < len(list); i += n {
		out = append(out, list[i])
	}
	return out
}

// Seeds are of a fuzz target's seeds every nth, the first included: in `make corpus`,
// and where the target is fuzzed, all.
func Seeds[T any](list []T, n int) []T {
	if fuzz := flag.Lookup("test.fuzz"); fuzz != nil && fuzz.Value.String() != "" {
		return list
	}
	return Sample(list, n)
}
