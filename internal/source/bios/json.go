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

type object = map[string]any

// parseJSON decodes a single JSON value; numbers stay as written. A key that occurs more than once in an object with
// different values becomes null, because RFC 8259, clause 4, does not define which value applies; twice lists the paths
// of these keys, sorted. Anything after the value, nesting deeper than maxDepth and more than maxJSONValues are errors.
func parseJSON(data []byte) (root any, twice []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	var value json.RawMessage
	err = dec.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, nil, malformedError(lineOfOffset(data, syntax.Offset), "JSON: %v", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, nil, malformedError(lineOfOffset(data, int64(len(data))), "JSON ends before its value does")
	case err != nil:
		return nil, nil, malformedError("$", "JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, malformedError(lineOfOffset(data, dec.InputOffset()), "something follows the JSON value, expected one object or array")
	}
	w := jsonWalker{dec: json.NewDecoder(bytes.NewReader(value)), twice: map[string]bool{}}
	w.dec.UseNumber()
	w.path = append(w.path, "$")
	if root = w.decodeValue(); w.err != nil {
		return nil, nil, w.err
	}
	return root, slices.Sorted(maps.Keys(w.twice)), nil
}

func lineOfOffset(data []byte, offset int64) string {
	return lineOrigin(1 + bytes.Count(data[:max(0, min(int(offset), len(data)))], []byte{'\n'}))
}

// jsonWalker decodes JSON that is known to be valid. Its time and memory are proportional to the text, so the path of a
// value is put together only for a message.
type jsonWalker struct {
	dec *json.Decoder
	// path are the steps to the current value: a name, a key or an index.
	path   []any
	values int
	twice  map[string]bool
	err    error
}

func (w *jsonWalker) currentPlace() string {
	var b strings.Builder
	for _, step := range w.path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case jsonKey:
			b.WriteString(pathStep(string(step)))
		case string:
			b.WriteString(step)
		}
	}
	return b.String()
}

// jsonKey is a step of a path that leads to the value of a key.
type jsonKey string

func (w *jsonWalker) recordError(format string, args ...any) {
	if w.err == nil {
		w.err = malformedError(w.currentPlace(), format, args...)
	}
}

func (w *jsonWalker) decodeValue() any {
	if w.values++; w.values > maxJSONValues {
		w.recordError("more than %d values", maxJSONValues)
		return nil
	}
	token, _ := w.dec.Token()
	switch token {
	case json.Delim('['):
		w.enterValue(0)
		defer w.leaveValue()
		list := []any{}
		for w.err == nil && w.dec.More() {
			w.path[len(w.path)-1] = len(list)
			list = append(list, w.decodeValue())
		}
		return list
	case json.Delim('{'):
		w.enterValue(nil)
		defer w.leaveValue()
		o, twice := object{}, map[string]bool{}
		for w.err == nil && w.dec.More() {
			token, _ := w.dec.Token()
			key, _ := token.(string)
			w.path[len(w.path)-1] = jsonKey(key)
			v := w.decodeValue()
			if before, there := o[key]; there && (twice[key] || !reflect.DeepEqual(before, v)) {
				if !twice[key] && len(w.twice) <= maxProblems {
					w.twice[w.currentPlace()] = true
				}
				twice[key], v = true, nil
			}
			if o[key] = v; len(o) > maxAttributes {
				w.recordError("more than %d keys in one object", maxAttributes)
			}
		}
		return o
	}
	return token
}

func (w *jsonWalker) enterValue(step any) {
	if w.path = append(w.path, step); len(w.path) > maxDepth+1 {
		w.recordError("JSON nested deeper than %d levels", maxDepth)
	}
}

func (w *jsonWalker) leaveValue() {
	w.path = w.path[:len(w.path)-1]
	_, _ = w.dec.Token() // the closing bracket
}

func (e *Export) recordAmbiguous(places []string) {
	for _, at := range places {
		e.recordProblem("%s: is listed more than once with different values, and none of them is taken", at)
	}
}

type document struct {
	path string
	body object
}

// maxStep is the longest key that a path shows in full: each attribute has its path.
const maxStep = 200

// pathStep returns the step of a JSON path that leads to a key: ".key" or ["key"]; a long key is cut.
func pathStep(key string) string {
	if len(key) > maxStep {
		key = strings.ToValidUTF8(key[:maxStep], "") + "..."
	}
	if strings.ContainsAny(key, " .[]/#@") {
		return fmt.Sprintf("[%q]", key)
	}
	return "." + key
}

// within returns the object below the keys, nil if there is none.
func within(o object, keys ...string) object {
	for _, key := range keys {
		o, _ = o[key].(object)
	}
	return o
}

func stringMember(o object, key string) string {
	s, _ := o[key].(string)
	return cleanValue(s)
}

// scalarText returns the text of a string, number or boolean; false for null, objects and arrays.
func scalarText(v any) (string, bool) {
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

func isBareValue(v any) bool {
	_, text := v.(string)
	return v != nil && !text
}

func scalarTexts(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, entry := range list {
		if word, ok := scalarText(entry); ok {
			out = append(out, word)
		}
	}
	return out
}
