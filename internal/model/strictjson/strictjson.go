// Package strictjson decodes untrusted JSON. encoding/json accepts null for every value, repeated keys and keys in
// different letter case, and a list of three-byte elements becomes a hundred times larger in memory. Unmarshal refuses
// all of these and names the key; Document refuses whatever the published schema of a document does.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"memaudit.example/memaudit/internal/model/nullable"
)

// ErrTooLarge reports values that take more memory than the caller allows.
var ErrTooLarge = errors.New("takes too much memory")

// ErrTooSlow reports a document that takes longer to decode than the caller allows.
var ErrTooSlow = errors.New("takes too long to decode")

// InTime runs a decoder of an untrusted document for at most limit and returns its error, or ErrTooSlow. A decoder that
// is too slow ends in the background: the caller must not read what it decodes into.
func InTime(limit time.Duration, decode func() error) error {
	if limit <= 0 {
		return ErrTooSlow
	}
	done := make(chan error, 1)
	go func() { done <- decode() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		return fmt.Errorf("%w (more than %s)", ErrTooSlow, limit)
	}
}

// maxDepth limits the levels of a document, mostNamed the bytes of a key or a word of it in an error.
const (
	maxDepth  = 64
	mostNamed = 60
)

// Unmarshal decodes an untrusted document. null is accepted only as the value of a struct's field that is a pointer, a
// slice, a map or a nullable.String: an element of a list or map is never nil. A key must be spelled as in the struct and must not occur
// twice; unknown keys are ignored. Errors name the key: "controller.answer.Problems[0]: null, expected an object". most
// is the memory limit in bytes for the values; 0 is no limit.
func Unmarshal(data []byte, v any, most int64) error {
	return decode(data, v, &walker{room: most, bounded: most > 0})
}

// Document decodes a document from elsewhere whose type has a published schema, and accepts what the schema accepts: the
// keys of the type, all but those with omitempty, the words of a type with a method Values, null where the tag says
// nullable, and what else the tags say.
func Document(data []byte, v any) error { return decode(data, v, &walker{closed: true}) }

// shapes are those of the types of documents, which are large, by documentType.
var shapes sync.Map

func decode(data []byte, v any, w *walker) error {
	if !json.Valid(data) {
		return json.Unmarshal(data, &json.RawMessage{}) // which says why
	}
	type documentType struct {
		of     reflect.Type
		closed bool
	}
	of := documentType{reflect.TypeOf(v).Elem(), w.closed}
	known, ok := shapes.Load(of)
	if !ok {
		known, _ = shapes.LoadOrStore(of, (&shaper{w.closed, map[reflect.Type]*shape{}}).shapeOfType(of.of))
	}
	w.rest = data
	if err := w.readValue(&field{shape: known.(*shape)}); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// walker compares a document, whose syntax is known to be right, with a type as it reads it.
type walker struct {
	rest            []byte
	path            []string
	room            int64
	bounded, closed bool
}

// shape is what a type is in a document: its kind, "" for anything, and the words that it may have.
type shape struct {
	kind  string
	words []string
	// pointed is the size of what a pointer leads to, size that of an element of a list or a map.
	pointed, size uintptr
	element       *field
	fields        map[string]*field
	required      []string
}

// field is a value's shape, whether it may be null, and what its tag jsonschema says.
type field struct {
	*shape
	null bool
	tags map[string]string
	enum []string
}

// anything is what a document may have for no type.
var anything = func() *field {
	f := &field{shape: &shape{size: reflect.TypeFor[any]().Size()}, null: true}
	f.element = f
	return f
}()

// errorf returns an error that names the place. Keys come from the document, so it is cut.
func (w *walker) errorf(format string, args ...any) error {
	where := strings.TrimPrefix(strings.ReplaceAll("."+strings.Join(w.path, "."), ".[", "["), ".")
	return fmt.Errorf("%s: "+format, append([]any{cmp.Or(truncate(where, 2*mostNamed), "document")}, args...)...)
}

func truncate(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

func (w *walker) reserveRoom(n uintptr) error {
	if w.room -= int64(n); w.bounded && w.room < 0 {
		return w.errorf("%w", ErrTooLarge)
	}
	return nil
}

func (w *walker) nextByte() byte {
	for w.rest[0] <= ' ' {
		w.rest = w.rest[1:]
	}
	return w.rest[0]
}

// moveToNext reports whether a list or an object has another element, and skips the comma before it, or else its end.
func (w *walker) moveToNext() bool {
	c := w.nextByte()
	if c == ',' || c == ']' || c == '}' {
		w.rest = w.rest[1:]
	}
	return c != ']' && c != '}'
}

func (w *walker) readText() string {
	w.nextByte()
	end := 1
	for ; w.rest[end] != '"'; end++ {
		if w.rest[end] == '\\' {
			end++
		}
	}
	quoted := w.rest[:end+1]
	w.rest = w.rest[end+1:]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:end])
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // its syntax is right
	return text
}

func (w *walker) readValue(f *field) error {
	found := cmp.Or(kinds[w.nextByte()], "a number")
	switch {
	case len(w.path) > maxDepth:
		return w.errorf("more than %d levels", maxDepth)
	case f.kind != "" && found != f.kind && (found != "null" || !f.null):
		return w.errorf("%s, expected %s", found, f.kind)
	}
	if err := w.reserveRoom(f.pointed); err != nil {
		return err
	}
	switch found {
	case "a list":
		return w.readList(f.shape)
	case "an object":
		return w.readObject(f.shape)
	case "a string":
		return w.readWord(f)
	}
	text := w.rest
	if end := bytes.IndexAny(text, ",]} \t\r\n"); end >= 0 {
		text = text[:end]
	}
	w.rest = w.rest[len(text):]
	v, _ := strconv.ParseFloat(string(text), 64)
	if least, err := strconv.ParseFloat(f.tags["minimum"], 64); err == nil && found == "a number" && v < least {
		return w.errorf("%g, expected at least %g", v, least)
	}
	return nil
}

func (w *walker) readWord(f *field) error {
	v := w.readText()
	words := f.words
	if f.enum != nil {
		words = f.enum
	}
	switch {
	case words != nil && !slices.Contains(words, v):
		return w.errorf("%q, expected one of %s", truncate(v, mostNamed), strings.Join(words, ", "))
	case f.tags["format"] == "date-time":
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return w.errorf("%q, expected a time of RFC 3339", truncate(v, mostNamed))
		}
	}
	return w.reserveRoom(uintptr(len(v)))
}

func (w *walker) readList(s *shape) error {
	w.rest = w.rest[1:]
	for i := 0; w.moveToNext(); i++ {
		w.path = append(w.path, "["+strconv.Itoa(i)+"]")
		if err := w.reserveRoom(s.size); err != nil {
			return err
		}
		if err := w.readValue(s.element); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

func (w *walker) readObject(s *shape) error {
	w.rest = w.rest[1:]
	seen := make(map[string]bool, len(s.fields))
	for w.moveToNext() {
		key := w.readText()
		w.nextByte()
		w.rest = w.rest[1:] // the colon
		w.path = append(w.path, key)
		if seen[key] {
			return w.errorf("the key occurs twice")
		}
		seen[key] = true
		if err := w.readMember(s, key); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	for _, key := range s.required {
		if !seen[key] {
			return w.errorf("key %s is missing", key)
		}
	}
	return nil
}

func (w *walker) readMember(s *shape, key string) error {
	switch own := s.fields[key]; {
	case own != nil:
		return w.readValue(own)
	case s.fields == nil: // a map, or anything
		if err := w.reserveRoom(s.size + uintptr(len(key))); err != nil {
			return err
		}
		return w.readValue(s.element)
	}
	for name := range s.fields {
		if strings.EqualFold(name, key) {
			return w.errorf("unknown key, expected %q", name)
		}
	}
	if w.closed {
		return w.errorf("unknown key")
	}
	return w.readValue(anything)
}

// shaper makes the shapes of types; those of a published schema are closed.
type shaper struct {
	closed bool
	done   map[reflect.Type]*shape
}

// shapeOfType returns what a type is in a document. One with a method of its own to read it may be anything, and in a document
// with a schema what its field Value is: so a fact is written.
func (m *shaper) shapeOfType(t reflect.Type) *shape {
	if s := m.done[t]; s != nil {
		return s
	}
	s := &shape{element: anything, size: anything.size}
	m.done[t] = s
	for ; t.Kind() == reflect.Pointer; t = t.Elem() {
		s.pointed += t.Elem().Size()
	}
	self := reflect.PointerTo(t)
	if self.Implements(reflect.TypeFor[json.Unmarshaler]()) {
		if !m.closed {
			return s
		}
		value, _ := t.FieldByName("Value")
		t, self = value.Type, reflect.PointerTo(value.Type)
	}
	if values, ok := t.MethodByName("Values"); ok && m.closed {
		list := values.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
		for i := range list.Len() {
			s.words = append(s.words, fmt.Sprint(list.Index(i)))
		}
	}
	switch kind := t.Kind(); {
	case kind == reflect.Interface:
	case kind == reflect.Bool:
		s.kind = "a boolean"
	case self.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()), kind == reflect.String, kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		s.kind = "a string"
	case kind == reflect.Slice, kind == reflect.Array:
		s.kind, s.element, s.size = "a list", &field{shape: m.shapeOfType(t.Elem())}, t.Elem().Size()
	case kind == reflect.Map:
		s.kind, s.element, s.size = "an object", &field{shape: m.shapeOfType(t.Elem())}, 2*t.Elem().Size()+2*t.Key().Size()
	case kind == reflect.Struct:
		s.kind = "an object"
		m.addFields(s, t)
	default:
		s.kind = "a number"
	}
	return s
}

func (m *shaper) addFields(s *shape, t reflect.Type) {
	s.fields = map[string]*field{}
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		name = cmp.Or(name, f.Name)
		own := &field{shape: m.shapeOfType(f.Type)}
		s.fields[name] = own
		if !m.closed {
			own.null = slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, f.Type.Kind()) || f.Type == reflect.TypeFor[nullable.String]()
			continue
		}
		if option == "" {
			s.required = append(s.required, name)
		}
		own.tags = map[string]string{}
		for tag := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
			rule, value, _ := strings.Cut(tag, "=")
			if own.tags[rule] = value; rule == "enum" {
				own.enum = append(own.enum, value)
			}
		}
		_, own.null = own.tags["nullable"]
	}
}

// kinds are those of values by their first byte; any other begins a number.
var kinds = [256]string{'n': "null", 't': "a boolean", 'f': "a boolean", '"': "a string", '[': "a list", '{': "an object"}
