package bios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
