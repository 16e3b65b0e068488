package datafile

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Place is a value in a file, for the faults that a Validate method finds there.
type Place struct {
	file *File
	node *yaml.Node
	path string
}

// Place returns that of a document.
func (f *File) Place(doc int) Place { return Place{f, Resolve(f.Docs[doc]), ""} }

// Key returns the place of a key's value, of the mapping itself if it has no such key.
func (p Place) Key(name string) Place {
	at := Place{p.file, p.node, strings.TrimPrefix(p.path+"."+name, ".")}
	if n := Value(p.node, name); n != nil {
		at.node = n
	}
	return at
}

// Has reports whether a mapping has a key.
func (p Place) Has(key string) bool { return Value(p.node, key) != nil }

// Item returns the place of an item of a list.
func (p Place) Item(i int) Place {
	if p.node.Kind != yaml.SequenceNode || i >= len(p.node.Content) {
		return p
	}
	return Place{p.file, Resolve(p.node.Content[i]), fmt.Sprintf("%s[%d]", p.path, i)}
}

// RecordFault records what is wrong at a place.
func (p Place) RecordFault(format string, args ...any) {
	p.file.Faults = p.file.Faults.Add(complaintAt(p.file.Name, p.node, fmt.Sprintf(format, args...)))
}

// RecordWrong records what is wrong with the value at a place, after the keys that lead to it: the first that do, if several
// mappings merge it in.
func (p Place) RecordWrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, f := range p.file.Faults {
		if f.Line == p.node.Line && f.Column == p.node.Column && strings.HasSuffix(f.Text, text) {
			return
		}
	}
	if p.path != "" {
		text = p.path + ": " + text
	}
	p.RecordFault("%s", text)
}

// FaultIf records what is wrong at a place if it is.
func (p Place) FaultIf(wrong bool, format string, args ...any) {
	if wrong {
		p.RecordFault(format, args...)
	}
}

// WrongIf records what is wrong with the value at a place if it is.
func (p Place) WrongIf(wrong bool, format string, args ...any) {
	if wrong {
		p.RecordWrong(format, args...)
	}
}

// Require records each of the keys that a mapping lacks.
func (p Place) Require(keys ...string) {
	for _, key := range keys {
		if n := Value(p.node, key); n == nil || n.Tag == "!!null" || len(n.Content) == 0 && n.Kind == yaml.SequenceNode {
			p.RecordWrong("%s is missing", key)
		}
	}
}

// OneOf records a value, or an item of a list, that is none of the words.
func (p Place) OneOf(words ...string) {
	all := []*yaml.Node{p.node}
	if p.node.Kind == yaml.SequenceNode {
		all = p.node.Content
	}
	for _, n := range all {
		if n = Resolve(n); !slices.Contains(words, n.Value) {
			Place{p.file, n, p.path}.RecordWrong("%q, expected %s%s", n.Value, map[bool]string{true: "one of "}[len(words) > 1], strings.Join(words, ", "))
		}
	}
}

// Match records a value that does not match an expression, which is also described in words.
func (p Place) Match(expression, words string) {
	if !regexp.MustCompile(expression).MatchString(p.node.Value) {
		p.RecordWrong("%q does not match %s, expected %s", p.node.Value, expression, words)
	}
}

// Expression records a value that is no regular expression.
func (p Place) Expression() *regexp.Regexp {
	re, err := regexp.Compile(p.node.Value)
	if err != nil {
		p.RecordWrong("%v", err)
	}
	return re
}

// CheckType records what does not fit the type of a value.
func (p Place) CheckType(v any) { p.checkGoType(reflect.TypeOf(v)) }

// Shaper is a type that reads itself from YAML: Shape returns a value of the type that the YAML has, nil for any.
type Shaper interface{ Shape() any }

// checkGoType records unknown keys and values of another type than a Go type takes. It goes as deep as the types, none of which
// contains itself, so an alias cannot make it endless.
func (p Place) checkGoType(t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if shaper, ok := reflect.New(t).Interface().(Shaper); ok {
		shape := shaper.Shape()
		if shape == nil {
			return
		}
		t = reflect.TypeOf(shape)
	}
	n := p.node
	switch want := expectedKind(t); {
	case t == reflect.TypeFor[yaml.Node](), t.Kind() == reflect.Interface, n.Tag == "!!null":
	case t.Kind() == reflect.Struct && n.Kind != yaml.MappingNode:
		p.RecordWrong("%s, expected a mapping with the keys %s", describeNode(n), strings.Join(keysOfType(t), ", "))
	case t.Kind() == reflect.Slice && n.Kind == yaml.ScalarNode:
		p.RecordWrong("%q, expected a list: [%s]", n.Value, n.Value)
	case n.Kind != want.node || want.tags != nil && !slices.Contains(want.tags, n.Tag):
		p.RecordWrong("%s, expected %s", describeNode(n), want.name)
	case t.Kind() == reflect.Struct:
		p.fitsStruct(t)
	case t.Kind() == reflect.Slice:
		for i := range n.Content {
			if item := p.Item(i); item.node.Tag == "!!null" {
				item.RecordWrong("empty, expected %s", expectedKind(t.Elem()).name) // the decoder would leave it out
			} else {
				item.checkGoType(t.Elem())
			}
		}
	case t.Kind() == reflect.Map:
		for i := 1; i < len(n.Content); i += 2 {
			Place{p.file, Resolve(n.Content[i]), strings.TrimPrefix(p.path+"."+n.Content[i-1].Value, ".")}.checkGoType(t.Elem())
		}
	case t.Kind() == reflect.Int && strings.HasPrefix(n.Value, "-"):
		p.RecordWrong("%s, expected at least 0", n.Value)
	}
}

func (p Place) fitsStruct(t reflect.Type) {
	fields := fieldsOf(t)
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		key, value := p.node.Content[i], Resolve(p.node.Content[i+1])
		switch field := fields[key.Value]; {
		case key.Value == "<<":
			for _, merged := range MergedIn(value) {
				if merged != nil && merged.Kind == yaml.MappingNode {
					Place{p.file, merged, p.path}.fitsStruct(t)
				}
			}
		case field == nil:
			Place{p.file, key, p.path}.RecordWrong("unknown key %q, expected one of %s", key.Value, strings.Join(keysOfType(t), ", "))
		default:
			Place{p.file, value, strings.TrimPrefix(p.path+"."+key.Value, ".")}.checkGoType(field)
		}
	}
}

func fieldsOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		switch name, option, _ := strings.Cut(f.Tag.Get("yaml"), ","); {
		case option == "inline":
			maps.Copy(out, fieldsOf(f.Type))
		case name != "" && name != "-":
			out[name] = f.Type
		}
	}
	return out
}

func keysOfType(t reflect.Type) []string { return slices.Sorted(maps.Keys(fieldsOf(t))) }

type kind struct {
	name string
	node yaml.Kind
	tags []string
}

func expectedKind(t reflect.Type) kind {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return kind{name: "a mapping", node: yaml.MappingNode}
	case reflect.Slice:
		return kind{name: "a list", node: yaml.SequenceNode}
	case reflect.Int, reflect.Int64:
		return kind{"a whole number", yaml.ScalarNode, []string{"!!int"}}
	case reflect.Float64:
		return kind{"a number", yaml.ScalarNode, []string{"!!int", "!!float"}}
	case reflect.Bool:
		return kind{"true or false", yaml.ScalarNode, []string{"!!bool"}}
	default:
		return kind{name: "a text", node: yaml.ScalarNode}
	}
}

func describeNode(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}
