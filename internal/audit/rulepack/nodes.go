package rulepack

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxDepth limits the depth of merged mappings, which may contain themselves.
const maxDepth = 32

// mappingEntry is one key of a mapping with its value.
type mappingEntry struct{ key, value *yaml.Node }

// entries lists the keys of a mapping, merged ones ("<<") first, so that a later one of the same name replaces
// an earlier one.
func entries(n *yaml.Node, depth int) []mappingEntry {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil
	}
	var out []mappingEntry
	put := func(e mappingEntry) {
		for i := range out {
			if out[i].key.Value == e.key.Value {
				out[i] = e
				return
			}
		}
		out = append(out, e)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "<<" {
			for _, merged := range slices.Backward(MergedIn(n.Content[i+1])) {
				for _, e := range entries(merged, depth+1) {
					put(e)
				}
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "<<" {
			put(mappingEntry{n.Content[i], Resolve(n.Content[i+1])})
		}
	}
	return out
}

// Pairs returns a mapping's values by key, including merged ones.
func Pairs(n *yaml.Node) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	for _, e := range entries(n, 0) {
		out[e.key.Value] = e.value
	}
	return out
}

// valueOfKey returns a key's value, including merged ones; of several merged mappings the first takes
// precedence, as in YAML. Merges that contain themselves were rejected before.
func valueOfKey(n *yaml.Node, key string) *yaml.Node {
	if n = Resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return Resolve(n.Content[i+1])
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "<<" {
			continue
		}
		for _, merged := range MergedIn(n.Content[i+1]) {
			if v := valueOfKey(merged, key); v != nil {
				return v
			}
		}
	}
	return nil
}

// MergedIn returns the mappings of a "<<": one, or a list in which earlier ones take precedence.
func MergedIn(n *yaml.Node) []*yaml.Node {
	n = Resolve(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	out := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		out[i] = Resolve(e)
	}
	return out
}

// Resolve follows aliases.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
