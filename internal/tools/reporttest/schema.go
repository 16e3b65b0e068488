package reporttest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// published are the files of the schemas, by the name that a document states.
var published = map[string]string{
	"memaudit.report/v1":      "internal/report/schema/report.v1.json",
	"memaudit.inventory/v1":   "internal/report/schema/inventory.v1.json",
	"memaudit.comparison/v1":  "internal/report/schema/comparison.v1.json",
	"memaudit.measurement/v1": "internal/report/schema/measurement.v1.json",
	"memaudit.plan/v1":        "internal/report/schema/plan.v1.json",
	"memaudit.baseline/v1":    "internal/report/schema/baseline.v1.json",
	"memaudit.fleet/v1":       "internal/serve/fleet/schema/fleet.v1.json",
}

// GoldenSchema compares the published schema of a name with that of its document's type, or of several types of one name.
func GoldenSchema(t *testing.T, name string, documents ...any) {
	t.Helper()
	root := &jsonschema.Schema{Version: jsonschema.Version, Definitions: jsonschema.Definitions{}}
	for _, document := range documents {
		s := reflector().Reflect(document)
		stated, _ := s.Definitions[reflect.TypeOf(document).Name()].Properties.Get("schema")
		stated.Enum = []any{name}
		maps.Copy(root.Definitions, s.Definitions)
		root.OneOf = append(root.OneOf, &jsonschema.Schema{Ref: s.Ref})
	}
	if len(documents) == 1 {
		of := reflect.TypeOf(documents[0]).Name()
		whole := *root.Definitions[of]
		delete(root.Definitions, of)
		whole.Version, whole.Definitions = root.Version, root.Definitions
		root = &whole
	}
	root.ID, root.Title = jsonschema.ID("https://memaudit.example/memaudit/"+published[name]), name
	text, err := json.MarshalIndent(root, "", "  ")
	require.NoError(t, err)
	Golden(t, filepath.Join(repository(), published[name]), append(text, '\n'))
}

// reflector makes the schema of a document's type. What prints itself as text is a string, a type with a method Values
// is one of these, and a fact is its value.
func reflector() *jsonschema.Reflector {
	text := reflect.TypeFor[encoding.TextMarshaler]()
	return &jsonschema.Reflector{Mapper: func(t reflect.Type) *jsonschema.Schema {
		if strings.HasPrefix(t.Name(), "Fact[") {
			f, _ := t.FieldByName("Value")
			if s := words(f.Type); s != nil {
				return s
			}
			kinds := map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Int64: "integer"}
			return &jsonschema.Schema{Type: kinds[f.Type.Kind()]}
		}
		if s := words(t); s != nil {
			return s
		}
		if t.Implements(text) {
			return &jsonschema.Schema{Type: "string"}
		}
		return nil
	}}
}

// words is the schema of a type with a method Values, nil for another type.
func words(t reflect.Type) *jsonschema.Schema {
	values, ok := t.MethodByName("Values")
	if !ok {
		return nil
	}
	s := &jsonschema.Schema{Type: "string"}
	list := values.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
	for i := range list.Len() {
		s.Enum = append(s.Enum, fmt.Sprint(list.Index(i)))
	}
	return s
}

func repository() string {
	dir := "."
	for _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil; _, err = os.Stat(filepath.Join(dir, "go.mod")) {
		dir = filepath.Join(dir, "..")
	}
	return dir
}

var compiled sync.Map

// CheckPublished returns an error if a document that states a schema of memaudit does not keep the published one, or
// states one that is not published. Another output has no error.
func CheckPublished(out []byte) error {
	var head struct{ Schema string }
	if !bytes.HasPrefix(out, []byte("{")) || json.Unmarshal(out, &head) != nil || !strings.HasPrefix(head.Schema, "memaudit.") {
		return nil
	}
	schema, err := Published(head.Schema)
	if err != nil {
		return err
	}
	document, err := validator.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		return err
	}
	return schema.Validate(document)
}

// Published returns the published schema of a name.
func Published(name string) (*validator.Schema, error) {
	if s, ok := compiled.Load(name); ok {
		return s.(*validator.Schema), nil
	}
	file, ok := published[name]
	if !ok {
		return nil, fmt.Errorf("schema %s is not published", name)
	}
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	c.AssertFormat()
	s, err := c.Compile(filepath.Join(repository(), file))
	if err == nil {
		compiled.Store(name, s)
	}
	return s, err
}
