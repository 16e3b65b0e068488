package bios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

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
