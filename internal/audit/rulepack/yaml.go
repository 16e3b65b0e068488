package rulepack

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/model/humanize"
)

// Complaint is one error in a file with its position.
type Complaint struct {
	File         string
	Line, Column int
	Text         string
}

// complaintAt returns one for a node; without a position it is at the file's beginning.
func complaintAt(file string, n *yaml.Node, text string) Complaint {
	if n == nil {
		return Complaint{file, 1, 1, text}
	}
	return Complaint{file, n.Line, n.Column, text}
}

// String prints file:line:column: text.
func (c Complaint) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", c.File, c.Line, c.Column, c.Text)
}

// Complaints are all errors found; as an error it prints one per line.
type Complaints []Complaint

// add appends a complaint, up to a limit.
func (c Complaints) add(more Complaint) Complaints {
	switch {
	case slices.Contains(c, more): // of an anchor that several merge in
		return c
	case len(c) < maxComplaints:
		return append(c, more)
	case len(c) == maxComplaints:
		more.Text = "more errors than are listed here, the next: " + more.Text
		return append(c, more)
	default:
		return c
	}
}

func (c Complaints) Error() string {
	lines := make([]string, len(c))
	for i, e := range c {
		lines[i] = e.String()
	}
	return strings.Join(lines, "\n")
}

// YAMLComplaint converts an error of the YAML parser to one with a position and a plain text.
func YAMLComplaint(file string, err error) Complaint {
	line, text := humanize.YAMLError(err.Error())
	return Complaint{file, max(line, 1), 1, text}
}

func yamlComplaints(file string, err error) Complaints {
	var te *yaml.TypeError
	if !errors.As(err, &te) {
		return Complaints{YAMLComplaint(file, err)}
	}
	var out Complaints
	for _, e := range te.Errors {
		out = append(out, YAMLComplaint(file, errors.New(e)))
	}
	return out
}

// maxComplaints limits the errors reported for one file.
const maxComplaints = 200

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
	case t == reflect.TypeFor[SettingTable]() && n.Kind != yaml.MappingNode:
		complain(n, "expected a mapping")
	case t == reflect.TypeFor[SettingTable]():
		for i := 1; i < len(n.Content); i += 2 {
			walkKeys(n.Content[i], reflect.TypeFor[WantedSetting](), complain)
		}
	case t == reflect.TypeFor[yaml.Node]() || t == reflect.TypeFor[Words]():
	case t.Kind() == reflect.Struct:
		walkStruct(n, t, complain)
	case t.Kind() == reflect.Slice && n.Kind == yaml.ScalarNode:
		complain(n, fmt.Sprintf("expected a list: [%s]", n.Value))
	case t.Kind() == reflect.Slice && n.Kind != yaml.SequenceNode:
		complain(n, "expected a list")
	case t.Kind() == reflect.Slice:
		for _, e := range n.Content {
			walkKeys(e, t.Elem(), complain)
		}
	}
}

func walkStruct(n *yaml.Node, t reflect.Type, complain func(*yaml.Node, string)) {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); f.IsExported() && name != "" && name != "-" {
			fields[name] = f.Type
		}
	}
	known := strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
	if n.Kind != yaml.MappingNode {
		complain(n, "expected a mapping with the keys "+known)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch field := fields[key.Value]; {
		case key.Value == "<<":
			for _, merged := range MergedIn(n.Content[i+1]) {
				walkStruct(merged, t, complain)
			}
		case field == nil:
			complain(key, fmt.Sprintf("unknown key %q, expected one of %s", key.Value, known))
		default:
			walkKeys(n.Content[i+1], field, complain)
		}
	}
}
