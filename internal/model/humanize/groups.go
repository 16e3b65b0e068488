package humanize

import "slices"

// Each returns a text, or what else a function makes, for each entry of a list.
func Each[T, R any](list []T, text func(T) R) []R {
	out := make([]R, len(list))
	for i, entry := range list {
		out[i] = text(entry)
	}
	return out
}

// AddNew adds a text to a list, unless it is "" or there already.
func AddNew(list []string, text string) []string {
	if text == "" || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// Groups collects values by name, in the order of first appearance. The zero value is empty.
type Groups[T any] struct {
	Names []string
	Of    map[string][]T
}

// Add adds a value to the group of a name.
func (g *Groups[T]) Add(name string, value T) {
	if g.Of[name] == nil {
		g.Names = append(g.Names, name)
	}
	if g.Of == nil {
		g.Of = map[string][]T{}
	}
	g.Of[name] = append(g.Of[name], value)
}
