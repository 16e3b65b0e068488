package reporttest

import (
	"encoding"
	"reflect"

	"github.com/invopop/jsonschema"
)

// Reflector makes the schema of a document's type. What prints itself as text is a string.
func Reflector() *jsonschema.Reflector {
	text := reflect.TypeFor[encoding.TextMarshaler]()
	return &jsonschema.Reflector{ExpandedStruct: true, Mapper: func(t reflect.Type) *jsonschema.Schema {
		if t.Implements(text) {
			return &jsonschema.Schema{Type: "string"}
		}
		return nil
	}}
}
