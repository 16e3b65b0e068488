// Package facts makes a machine's model available to CEL expressions: every fact is a value with its origin, or
// an unknown with its name and reason.
package facts

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// Value is one fact as expressions see it. Its value is bool, int64, float64, string, []string, []int64, []float64,
// *Object or []*Object.
type Value = fact.Fact[any]

// maxEvidence limits the sources kept of one value and listed with one finding: a machine-wide fact may depend
// on every slot.
const maxEvidence = 64

func valueOf[T any](f fact.Fact[T]) Value {
	return fact.Convert(f, func(v T) any { return nativeValue(v) })
}

func nativeValue(v any) any {
	switch t := v.(type) {
	case int:
		return int64(t)
	case inventory.Technology:
		return string(t)
	case inventory.SlotState:
		return string(t)
	case inventory.NodeKind:
		return string(t)
	case []int:
		out := make([]int64, len(t))
		for i, n := range t {
			out[i] = int64(n)
		}
		return out
	default:
		return v
	}
}

// Origin, certainty and reason stay.
func computedFrom[T any](f fact.Fact[T], compute func(T) any) Value {
	return valueOf(fact.Convert(f, compute))
}

// PlainValue returns a value that needs no origin: a count of what is in the model, a word of a platform file.
func PlainValue(v any) Value { return fact.Known(nativeValue(v), fact.Direct, fact.Evidence{}) }

// MissingValue returns an unknown value with its reason.
func MissingValue(state fact.State, reason string, knownBy fact.Input) Value {
	return fact.Unknown[any](state, reason, knownBy)
}

func withDoubt(v Value, d *fact.Doubt) Value {
	if v.Known() {
		v.Doubt, v.Unverified = d, true
	}
	return v
}

// If one fact is unknown, so is the result; otherwise the weakest certainty applies.
func deriveValue(compute func() any, from ...Value) Value {
	out := Value{State: fact.OK, Certainty: fact.Direct}
	for i := range from {
		if !from[i].Known() {
			return from[i]
		}
	}
	for i := range from {
		f := &from[i]
		out.Certainty = min(out.Certainty, f.Certainty)
		out.Unverified = out.Unverified || f.Unverified
		out.Doubt = cmp.Or(out.Doubt, f.Doubt)
		addSources(&out, f)
	}
	out.Value = nativeValue(compute())
	return out
}

func addSources(v, on *Value) {
	if v.More == nil && v.From == (fact.Evidence{}) {
		v.From, v.More = on.From, slices.Clip(on.More)
		return
	}
	if on.From != (fact.Evidence{}) && on.From != v.From && len(v.More) < maxEvidence {
		v.More = append(v.More, on.From)
	}
	v.More = append(v.More, on.More[:min(max(maxEvidence-len(v.More), 0), len(on.More))]...)
}

// gatherValues is unknown if any fact is, otherwise the sorted distinct values.
func gatherValues[T int64 | string](facts []Value) Value {
	return deriveValue(func() any {
		out := []T{}
		for _, f := range facts {
			if v, ok := f.Value.(T); ok && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		slices.Sort(out)
		return out
	}, facts...)
}

// Field is one fact that expressions can use.
type Field struct {
	Name string
	Type *types.Type
	// Doc is the meaning and the unit.
	Doc string
	get func(src any) Value
}

// ObjectType is the type of a group of facts: machine, socket, slot ...
type ObjectType struct {
	Name   string
	Doc    string
	Fields []Field
	// index is filled by Declared.
	index map[string]int
	cel   *types.Type
}

// newObjectType returns an object type; field names must be unique.
func newObjectType(name, doc string, fields ...Field) *ObjectType {
	return &ObjectType{Name: name, Doc: doc, Fields: fields, cel: types.NewObjectType(typePrefix+name, traits.IndexerType|traits.FieldTesterType)}
}

// Field finds a fact of the type by its name.
func (t *ObjectType) Field(name string) (Field, bool) {
	i, ok := t.index[name]
	if !ok {
		return Field{}, false
	}
	return t.Fields[i], true
}

// NewStated returns an object with the given facts; all others are unknown.
func NewStated(t *ObjectType, path string, given map[string]Value) *Object {
	return &Object{typ: t, path: path, given: given}
}

const typePrefix = "fact."

// Object is a group of facts of one thing. Its values come from the model, or from a rule's case.
type Object struct {
	typ *ObjectType
	// path is the object's name in messages: "socket", "sockets[1]".
	path string
	src  any
	// given replaces src in a case: facts missing from it are unknown.
	given map[string]Value
	// scope records what is read; nil for an object outside of one.
	scope *Scope
	// cache holds values read from the model, by field, because many rules use the same facts.
	cache []*answer
}

// The value is read from the model or the case once, and must not be modified; it is nil if the type has no such fact.
func (o *Object) readField(name string) (*Value, string) {
	i, ok := o.typ.index[name]
	if !ok {
		return nil, ""
	}
	if o.cache == nil {
		o.cache = make([]*answer, len(o.typ.Fields))
	}
	a := o.cache[i]
	if a == nil || a.of != o.path { // a scope may know it by another path
		found := &answer{path: o.path + "." + name, of: o.path, doc: o.typ.Fields[i].Doc}
		switch {
		case a != nil:
			found.value = a.value
		case o.given == nil:
			found.value = o.typ.Fields[i].get(o.src)
		default:
			found.value = o.given[name]
			if v := &found.value; !v.Known() && v.Reason == "" {
				v.Reason = "not stated"
			}
		}
		o.cache[i], a = found, found
	}
	adoptObjects(a.path, o.scope, &a.value)
	if o.scope != nil {
		o.scope.recordRead(a)
	}
	return &a.value, a.path
}

func adoptObjects(path string, into *Scope, v *Value) {
	switch t := v.Value.(type) {
	case *Object:
		t.path, t.scope = path, into
	case []*Object:
		for i, e := range t {
			e.path, e.scope = path+"["+strconv.Itoa(i)+"]", into
		}
	}
}

// unknownIDs numbers every unknown, so that CEL never merges two of them.
var unknownIDs atomic.Int64

// celValue converts a Value for the evaluator; an unknown one becomes a CEL unknown that names the fact.
func celValue(path string, v *Value) ref.Val {
	if !v.Known() {
		return types.NewUnknown(unknownIDs.Add(1), types.NewAttributeTrail(path))
	}
	switch t := v.Value.(type) {
	case bool:
		return types.Bool(t)
	case int64:
		return types.Int(t)
	case float64:
		return types.Double(t)
	case string:
		return types.String(t)
	case []string:
		return types.NewStringList(types.DefaultTypeAdapter, t)
	case []int64:
		return celList(t, func(n int64) ref.Val { return types.Int(n) })
	case []float64:
		return celList(t, func(n float64) ref.Val { return types.Double(n) })
	case *Object:
		return t
	case []*Object:
		return celList(t, func(o *Object) ref.Val { return o })
	default:
		return types.NewErr("fact %s has a Go type that expressions do not know: %T", path, t)
	}
}

func celList[T any](in []T, conv func(T) ref.Val) ref.Val {
	out := make([]ref.Val, len(in))
	for i, v := range in {
		out[i] = conv(v)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, out)
}

// Get implements traits.Indexer for programs planned without type checking.
func (o *Object) Get(index ref.Val) ref.Val {
	name, ok := index.(types.String)
	if !ok {
		return types.NewErr("%s: a fact is named by a string", o.path)
	}
	v, path := o.readField(string(name))
	if v == nil {
		return types.NewErr("%s has no fact %q", o.path, string(name))
	}
	return celValue(path, v)
}

// IsSet implements traits.FieldTester: has(socket.x) reports whether a fact is known. Only here an unknown fact
// is plain false.
func (o *Object) IsSet(field ref.Val) ref.Val {
	name, ok := field.(types.String)
	if !ok {
		return types.False
	}
	v, _ := o.readField(string(name))
	return types.Bool(v != nil && v.Known())
}

// ConvertToNative implements ref.Val.
func (o *Object) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(o).AssignableTo(t) {
		return o, nil
	}
	return nil, fmt.Errorf("fact %s: no conversion to %s", o.path, t)
}

// ConvertToType implements ref.Val.
func (o *Object) ConvertToType(t ref.Type) ref.Val {
	if t.TypeName() == o.Type().TypeName() {
		return o
	}
	return types.NewErr("fact %s: no conversion to %s", o.path, t.TypeName())
}

// Equal implements ref.Val: two objects are equal if they are identical.
func (o *Object) Equal(other ref.Val) ref.Val {
	p, ok := other.(*Object)
	return types.Bool(ok && p == o)
}

// Type implements ref.Val.
func (o *Object) Type() ref.Type { return o.typ.cel }

// Value implements ref.Val.
func (o *Object) Value() any { return o }

// The types of the field tables.
var (
	boolType     = types.BoolType
	intType      = types.IntType
	textType     = types.StringType
	floatType    = types.DoubleType
	intListType  = types.NewListType(types.IntType)
	textListType = types.NewListType(types.StringType)
)
