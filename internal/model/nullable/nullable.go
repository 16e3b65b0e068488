// Package nullable defines values of JSON documents whose keys are always present, and null if the value is not known.
package nullable

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// String is a string that JSON has as null if it is empty.
type String string

// MarshalJSON writes the string, or null.
func (s String) MarshalJSON() ([]byte, error) { return zeroAsNull(string(s)) }

// Int is a number that JSON has as null if it is 0.
type Int int

// MarshalJSON writes the number, or null.
func (i Int) MarshalJSON() ([]byte, error) { return zeroAsNull(int(i)) }

// Positive is a pointer to a number whose 0 can only mean that it is not known, such as a size or a speed: nil for 0 and less.
func Positive[T int | int64](v T) *T {
	if v <= 0 {
		return nil
	}
	return &v
}

// Coordinate is a pointer to the number of a socket, a channel or a slot; nil if it is negative, which is none.
func Coordinate(v int) *int {
	if v < 0 {
		return nil
	}
	return &v
}

// Text returns a number as text, none if it is not known.
func Text(v *int, none string) string {
	if v == nil {
		return none
	}
	return strconv.Itoa(*v)
}

func zeroAsNull[T comparable](v T) ([]byte, error) {
	var zero T
	if v == zero {
		return []byte("null"), nil
	}
	return JSON(v)
}

// JSON encodes a value for a MarshalJSON. It leaves < and > as they are: whether they are escaped is up to the encoder of the
// document.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
