package bios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// parseJSON decodes a single JSON value; numbers stay as written. Anything after the value, and
// nesting deeper than maxDepth, is an error.
func parseJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		return nil, jsonError(data, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, malformed(lineAt(data, dec.InputOffset()), "something follows the JSON value, expected one object or array")
	}
	if nestingDepth(root) > maxDepth {
		return nil, malformed("$", "JSON nested deeper than %d levels", maxDepth)
	}
	return root, nil
}

func jsonError(data []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return malformed(lineAt(data, syntax.Offset), "JSON: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return malformed(lineAt(data, int64(len(data))), "JSON ends before its value does")
	default:
		return malformed("$", "JSON: %v", err)
	}
}

// lineAt returns the text for the line at an offset in bytes.
func lineAt(data []byte, offset int64) string {
	return lineOrigin(1 + bytes.Count(data[:max(0, min(int(offset), len(data)))], []byte{'\n'}))
}

// nestingDepth returns how deep the objects and arrays of a value are nested.
func nestingDepth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case object:
		for _, e := range v {
			deepest = max(deepest, nestingDepth(e))
		}
	case []any:
		for _, e := range v {
			deepest = max(deepest, nestingDepth(e))
		}
	default:
		return 0
	}
	return deepest + 1
}

// document is one JSON object of a file, with its JSON path.
type document struct {
	path string
	body object
}

// pathStep returns the step of a JSON path that leads to a key: ".key" or ["key"].
func pathStep(key string) string {
	if strings.ContainsAny(key, " .[]/#@") {
		return fmt.Sprintf("[%q]", key)
	}
	return "." + key
}

// stringMember returns a string member of an object, "" if there is none.
func stringMember(o object, key string) string {
	s, _ := o[key].(string)
	return cleanValue(s)
}

// scalar returns the text of a string, number or boolean; false for null, objects and arrays.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return cleanValue(v), true
	case json.Number:
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	default:
		return "", false
	}
}

// isBareValue reports whether a JSON value is neither a string nor null.
func isBareValue(v any) bool {
	_, text := v.(string)
	return v != nil && !text
}

func bareWord(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// dropAmbiguousKeys sets keys that occur more than once in an object with different values to null, because RFC 8259,
// clause 4, does not define which value applies. It returns the changed value and the paths of these keys, sorted.
func dropAmbiguousKeys(data []byte, root any) (any, []string) {
	if keysWritten(data) == keysHeld(root) {
		return root, nil
	}
	w := twiceWalker{dec: json.NewDecoder(bytes.NewReader(data)), places: map[string]bool{}}
	w.dec.UseNumber()
	again := w.value("$")
	return again, slices.Sorted(maps.Keys(w.places))
}

// ambiguous names the places of such keys.
func (e *Export) ambiguous(places []string) {
	for _, at := range places {
		e.problem("%s: is listed more than once with different values, and none of them is taken", at)
	}
}

// keysWritten counts the keys in valid JSON: the colons outside strings.
func keysWritten(data []byte) (n int) {
	inside := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case c == ':' && !inside:
			n++
		}
	}
	return n
}

// keysHeld counts the keys that are left after decoding.
func keysHeld(v any) (n int) {
	switch v := v.(type) {
	case object:
		n = len(v)
		for _, e := range v {
			n += keysHeld(e)
		}
	case []any:
		for _, e := range v {
			n += keysHeld(e)
		}
	}
	return n
}

// twiceWalker decodes JSON that is known to be valid and nested no deeper than maxDepth.
type twiceWalker struct {
	dec    *json.Decoder
	places map[string]bool
}

func (w *twiceWalker) value(path string) any {
	token, _ := w.dec.Token()
	switch token {
	case json.Delim('{'):
		return w.object(path)
	case json.Delim('['):
		list := []any{}
		for w.dec.More() {
			list = append(list, w.value(fmt.Sprintf("%s[%d]", path, len(list))))
		}
		_, _ = w.dec.Token()
		return list
	default:
		return token
	}
}

func (w *twiceWalker) object(path string) object {
	o := object{}
	for w.dec.More() {
		token, _ := w.dec.Token()
		key, _ := token.(string)
		at := path + pathStep(key)
		v := w.value(at)
		if before, there := o[key]; there && (w.places[at] || !reflect.DeepEqual(before, v)) {
			w.places[at], v = true, nil
		}
		o[key] = v
	}
	_, _ = w.dec.Token()
	return o
}
