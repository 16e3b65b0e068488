package rulepack_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/rulepack"
)

// packSchemaFile is the JSON Schema of a rule file, for editors.
var packSchemaFile = filepath.Join("..", "..", "rules", "pack.schema.json")

// packSchema generates the schema from the Go types that the loader fills.
func packSchema() *jsonschema.Schema {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", ExpandedStruct: true, Anonymous: true}
	r.Mapper = func(t reflect.Type) *jsonschema.Schema {
		word := &jsonschema.Schema{Type: "string"}
		switch t {
		case reflect.TypeFor[rulepack.Words]():
			return &jsonschema.Schema{OneOf: []*jsonschema.Schema{word, {Type: "array", Items: word}}}
		case reflect.TypeFor[rulepack.SettingTable]():
			row := (&jsonschema.Reflector{FieldNameTag: "yaml", DoNotReference: true, Anonymous: true, Mapper: r.Mapper}).ReflectFromType(reflect.TypeFor[rulepack.WantedSetting]())
			row.Version = ""
			return &jsonschema.Schema{Type: "object", AdditionalProperties: row}
		case reflect.TypeFor[yaml.Node]():
			return &jsonschema.Schema{Type: "object", Description: "facts by variable; what is not stated is unknown"}
		}
		return nil
	}
	s := r.Reflect(&rulepack.Pack{})
	s.Title = "memaudit rule pack"
	s.Description = "One file of rules and profiles, one file a document. `memaudit rules validate` checks expressions and cases as well."
	return s
}

// TestPackSchema keeps the committed schema in step with the Go types, and
// holds every shipped pack against it.
func TestPackSchema(t *testing.T) {
	want, err := json.MarshalIndent(packSchema(), "", "  ")
	require.NoError(t, err)
	want = append(want, '\n')
	if *update {
		require.NoError(t, os.WriteFile(packSchemaFile, want, 0o644))
	}
	got, err := os.ReadFile(packSchemaFile)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "rules/pack.schema.json is out of date: run make golden")

	doc, err := validator.UnmarshalJSON(strings.NewReader(string(got)))
	require.NoError(t, err)
	c := validator.NewCompiler()
	require.NoError(t, c.AddResource("pack.json", doc))
	schema, err := c.Compile("pack.json")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("..", "..", "rules", "*", "*.yaml"))
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		switch filepath.Base(filepath.Dir(file)) {
		case "platforms", "slots", "settings":
			continue
		}
		checked++
		require.NoError(t, schema.Validate(asJSON(t, file)), file)
	}
	assert.Positive(t, checked)
	require.Error(t, schema.Validate(map[string]any{"rulez": []any{}}), "an unknown key must not validate")
}

// asJSON reads a YAML file as the values JSON has.
func asJSON(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var v any
	require.NoError(t, yaml.Unmarshal(data, &v))
	text, err := json.Marshal(v)
	require.NoError(t, err)
	out, err := validator.UnmarshalJSON(strings.NewReader(string(text)))
	require.NoError(t, err)
	return out
}
