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

// parseJSON decodes a single JSON value; numbers stay as written. A key that occurs more than once in an object with
// different values becomes null, because RFC 8259, clause 4, does not define which value applies; twice lists the paths
// of these keys, sorted. Anything after the value, and nesting deeper than maxDepth, is an error.
func parseJSON(data []byte) (root any, twice []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	err = dec.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, nil, malformed(lineAt(data, syntax.Offset), "JSON: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, malformed(lineAt(data, int64(len(data))), "JSON ends before its value does")
	case err != nil:
		return nil, nil, malformed("$", "JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, malformed(lineAt(data, dec.InputOffset()), "something follows the JSON value, expected one object or array")
	}
	w := jsonWalker{dec: json.NewDecoder(bytes.NewReader(value)), twice: map[string]bool{}}
	w.dec.UseNumber()
	root = w.value("$", 1)
	if w.tooDeep {
		return nil, nil, malformed("$", "JSON nested deeper than %d levels", maxDepth)
	}
	return root, slices.Sorted(maps.Keys(w.twice)), nil
}

// lineAt returns the text for the line at an offset in bytes.
func lineAt(data []byte, offset int64) string {
	return lineOrigin(1 + bytes.Count(data[:max(0, min(int(offset), len(data)))], []byte{'\n'}))
}

// jsonWalker decodes JSON that is known to be valid.
type jsonWalker struct {
	dec     *json.Decoder
	twice   map[string]bool
	tooDeep bool
}

func (w *jsonWalker) value(path string, depth int) any {
	token, _ := w.dec.Token()
	delim, nested := token.(json.Delim)
	if !nested {
		return token
	}
	w.tooDeep = w.tooDeep || depth > maxDepth
	o, list := object{}, []any{}
	for !w.tooDeep && w.dec.More() {
		if delim == '[' {
			list = append(list, w.value(fmt.Sprintf("%s[%d]", path, len(list)), depth+1))
			continue
		}
		token, _ := w.dec.Token()
		key, _ := token.(string)
		at := path + pathStep(key)
		v := w.value(at, depth+1)
		if before, there := o[key]; there && (w.twice[at] || !reflect.DeepEqual(before, v)) {
			w.twice[at], v = true, nil
		}
		o[key] = v
	}
	_, _ = w.dec.Token() // the closing bracket
	if delim == '[' {
		return list
	}
	return o
}

// ambiguous names the places of keys that occur more than once.
func (e *Export) ambiguous(places []string) {
	for _, at := range places {
		e.problem("%s: is listed more than once with different values, and none of them is taken", at)
	}
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

// scalars returns the texts of the strings, numbers and booleans of an array.
func scalars(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, entry := range list {
		if word, ok := scalar(entry); ok {
			out = append(out, word)
		}
	}
	return out
}
