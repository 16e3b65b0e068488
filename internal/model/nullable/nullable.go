// Package nullable defines values of JSON documents whose keys are always present, and null if the value is not known.
package nullable

import (
	"bytes"
	"encoding/json"
)

// String is a string that JSON has as null if it is empty.
type String string

// MarshalJSON writes the string, or null. It leaves < and > as they are: whether they are escaped is up to the encoder of
// the document.
func (s String) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(string(s))
	return b.Bytes(), err
}
