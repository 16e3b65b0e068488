package reporttest

import (
	"encoding"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// Reflector makes the schema of a document's type. What prints itself as text is a string, a type with a method Values
// is one of these, and a fact is its value.
func Reflector() *jsonschema.Reflector {
	text := reflect.TypeFor[encoding.TextMarshaler]()
	return &jsonschema.Reflector{ExpandedStruct: true, Mapper: func(t reflect.Type) *jsonschema.Schema {
		if strings.HasPrefix(t.Name(), "Fact[") {
			f, _ := t.FieldByName("Value")
			kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer"}
			return &jsonschema.Schema{Type: kinds[f.Type.Kind()]}
		}
		if values, ok := t.MethodByName("Values"); ok {
			word := &jsonschema.Schema{Type: "string"}
			list := values.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
			for i := range list.Len() {
				word.Enum = append(word.Enum, list.Index(i).String())
			}
			return word
		}
		if t.Implements(text) {
			return &jsonschema.Schema{Type: "string"}
		}
		return nil
	}}
}
