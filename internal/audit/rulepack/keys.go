package rulepack

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// checkKeys compares a file with the Go types it decodes to and reports every unknown key with line and column,
// which the decoder does not provide.
func checkKeys(file string, root *yaml.Node) Complaints {
	var out Complaints
	left := maxUnfolded
	if n, fault := unfold(root, &left, 0); fault != "" {
		return out.add(Complaint{file, max(n.Line, 1), max(n.Column, 1), fault})
	}
	walkKeys(root, reflect.TypeFor[Pack](), func(n *yaml.Node, text string) {
		out = out.add(Complaint{file, n.Line, n.Column, text})
	})
	return out
}

// Limits of a file: maxUnfolded values with all aliases followed, because a few lines of nested aliases may
// need any amount of memory; maxNesting levels, because an alias can contain itself; maxKeys per mapping, which
// the decoder compares with each other.
const (
	maxUnfolded = 1 << 20
	maxNesting  = 256
	maxKeys     = 1024
)

// unfold counts the values of a node with aliases followed. fault is the limit that is exceeded, and n where.
func unfold(at *yaml.Node, left *int, depth int) (n *yaml.Node, fault string) {
	n = Resolve(at)
	*left--
	switch {
	case n == nil:
		return at, ""
	case *left < 0:
		return at, fmt.Sprintf("with its aliases the file holds more than %d values", maxUnfolded)
	case depth > maxNesting:
		return at, fmt.Sprintf("values nest deeper than %d", maxNesting)
	case n.Kind == yaml.MappingNode && len(n.Content) > 2*maxKeys:
		return at, fmt.Sprintf("a mapping of %d keys, at most %d are read", len(n.Content)/2, maxKeys)
	}
	for _, e := range n.Content {
		if where, fault := unfold(e, left, depth+1); fault != "" {
			return where, fault
		}
	}
	return n, ""
}

// walkKeys recurses as deep as the types, none of which contains itself, so an alias cannot make it endless.
func walkKeys(n *yaml.Node, t reflect.Type, complain func(*yaml.Node, string)) {
	if n = Resolve(n); n == nil {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[SettingTable]():
		walkMap(n, reflect.TypeFor[WantedSetting](), complain)
	case t == reflect.TypeFor[yaml.Node]() || t == reflect.TypeFor[Words]():
	case t.Kind() == reflect.Struct:
		walkStruct(n, t, complain)
	case t.Kind() == reflect.Slice:
		walkList(n, t, complain)
	}
}

func walkMap(n *yaml.Node, t reflect.Type, complain func(*yaml.Node, string)) {
	if n.Kind != yaml.MappingNode {
		complain(n, "expected a mapping")
		return
	}
	for i := 1; i < len(n.Content); i += 2 {
		walkKeys(n.Content[i], t, complain)
	}
}

func walkList(n *yaml.Node, t reflect.Type, complain func(*yaml.Node, string)) {
	if n.Kind != yaml.SequenceNode {
		text := "expected a list"
		if n.Kind == yaml.ScalarNode {
			text += fmt.Sprintf(": [%s]", n.Value)
		}
		complain(n, text)
		return
	}
	for _, e := range n.Content {
		walkKeys(e, t.Elem(), complain)
	}
}

func walkStruct(n *yaml.Node, t reflect.Type, complain func(*yaml.Node, string)) {
	if n.Kind != yaml.MappingNode {
		complain(n, "expected a mapping with the keys "+strings.Join(yamlKeys(t), ", "))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Value == "<<" {
			for _, merged := range MergedIn(n.Content[i+1]) {
				walkStruct(merged, t, complain)
			}
			continue
		}
		f, ok := fieldOf(t, key.Value)
		if !ok {
			complain(key, fmt.Sprintf("unknown key %q, expected one of %s", key.Value, strings.Join(yamlKeys(t), ", ")))
			continue
		}
		walkKeys(n.Content[i+1], f.Type, complain)
	}
}

// yamlKeys lists the keys of a struct, sorted.
func yamlKeys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		if name := yamlKey(t.Field(i)); name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func yamlKey(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if name := yamlKey(t.Field(i)); name == key && name != "" {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}
