// Package strictjson decodes untrusted JSON. encoding/json accepts null for every value, repeated keys and keys in
// different letter case, and a list of three-byte elements becomes a hundred times larger in memory. Unmarshal refuses
// all of these and names the key.
package strictjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
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

const maxDepth = 64

// Unmarshal decodes an untrusted document. null is accepted only as the value of a struct's field that is a pointer, a
// slice, a map or a nullable.String: an element of a list or map is never nil. A key must be spelled as in the struct and must not occur
// twice; unknown keys are ignored. Errors name the key: "controller.answer.Problems[0]: null, expected an object". most
// is the memory limit in bytes for the values; 0 is no limit.
func Unmarshal(data []byte, v any, most int64) error {
	w := walker{dec: json.NewDecoder(bytes.NewReader(data)), room: most, bounded: most > 0, fields: map[reflect.Type]map[string]reflect.Type{}}
	w.dec.UseNumber()
	if err := w.value(reflect.TypeOf(v).Elem(), false); errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	} else if err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the document")
	}
	return json.Unmarshal(data, v)
}

// walker compares the tokens of a document with a type.
type walker struct {
	dec     *json.Decoder
	path    []string
	room    int64
	bounded bool
	// fields are the types of the structs' fields by key.
	fields map[reflect.Type]map[string]reflect.Type
}

func (w *walker) errorf(format string, args ...any) error {
	where := strings.TrimPrefix(strings.Join(w.path, ""), ".")
	if where == "" {
		where = "document"
	}
	return fmt.Errorf("%s: "+format, append([]any{where}, args...)...)
}

func (w *walker) take(n uintptr) error {
	if w.room -= int64(n); w.bounded && w.room < 0 {
		return w.errorf("%w", ErrTooLarge)
	}
	return nil
}

// value checks the next value; if optional is set, it may be null.
func (w *walker) value(t reflect.Type, optional bool) error {
	if t != nil && reflect.PointerTo(t).Implements(unmarshaler) {
		t = nil // its own method checks it
	}
	if t != nil && t.Kind() == reflect.Pointer {
		if err := w.take(t.Elem().Size()); err != nil {
			return err
		}
		return w.value(t.Elem(), optional)
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	if len(w.path) > maxDepth {
		return w.errorf("more than %d levels", maxDepth)
	}
	if found := kindOf(token); t != nil && found != expected(t) && (found != "null" || !optional) {
		if found != "a string" || !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return w.errorf("%s, expected %s", found, expected(t))
		}
	}
	switch token {
	case json.Delim('['):
		return w.list(t)
	case json.Delim('{'):
		return w.object(t)
	}
	if text, ok := token.(string); ok {
		return w.take(uintptr(len(text)))
	}
	return nil
}

func (w *walker) list(t reflect.Type) error {
	var element reflect.Type
	size := reflect.TypeFor[any]().Size()
	if t != nil {
		element = t.Elem()
		size = element.Size()
	}
	last := len(w.path)
	for i := 0; w.dec.More(); i++ {
		w.path = append(w.path[:last], "["+strconv.Itoa(i)+"]")
		if err := w.take(size); err != nil {
			return err
		}
		if err := w.value(element, false); err != nil {
			return err
		}
	}
	w.path = w.path[:last]
	return w.end()
}

func (w *walker) object(t reflect.Type) error {
	seen := map[string]bool{}
	last := len(w.path)
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		w.path = append(w.path[:last], "."+shortened(key))
		if seen[key] {
			return w.errorf("the key occurs twice")
		}
		seen[key] = true
		if err := w.member(t, key); err != nil {
			return err
		}
	}
	w.path = w.path[:last]
	return w.end()
}

func (w *walker) member(t reflect.Type, key string) error {
	switch {
	case t == nil:
		return w.value(nil, true)
	case t.Kind() == reflect.Map:
		if err := w.take(2*t.Elem().Size() + 2*t.Key().Size() + uintptr(len(key))); err != nil {
			return err
		}
		return w.value(t.Elem(), false)
	}
	fields := w.fields[t]
	if fields == nil {
		out := map[string]reflect.Type{}
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.IsExported() && name != "-" && (!f.Anonymous || name != "") {
				out[cmp.Or(name, f.Name)] = f.Type
			}
		}
		fields = out
		w.fields[t] = fields
	}
	if field := fields[key]; field != nil {
		return w.value(field, mayBeNull(field))
	}
	for name := range fields {
		if strings.EqualFold(name, key) {
			return w.errorf("unknown key, expected %q", name)
		}
	}
	return w.value(nil, true)
}

func (w *walker) end() error {
	_, err := w.dec.Token()
	return err
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func mayBeNull(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return true
	default:
		return t == reflect.TypeFor[nullable.String]()
	}
}

func kindOf(token json.Token) string {
	switch v := token.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	default:
		if v == json.Delim('[') {
			return "a list"
		}
		return "an object"
	}
}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string"
		}
		return "a list"
	case reflect.Struct, reflect.Map:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return "a string"
		}
		return "an object"
	default:
		return "a number"
	}
}

func shortened(key string) string {
	const most = 60
	if len(key) > most {
		return key[:most] + "..."
	}
	return key
}
