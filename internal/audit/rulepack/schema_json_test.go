package rulepack_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// packSchemaFile is the JSON Schema of a rule file, for editors.
var packSchemaFile = filepath.Join("..", "..", "..", "rules", "pack.schema.json")

// TestPackSchema checks every shipped pack against the schema.
func TestPackSchema(t *testing.T) {
	got, err := os.ReadFile(packSchemaFile)
	require.NoError(t, err)
	doc, err := validator.UnmarshalJSON(strings.NewReader(string(got)))
	require.NoError(t, err)
	c := validator.NewCompiler()
	require.NoError(t, c.AddResource("pack.json", doc))
	schema, err := c.Compile("pack.json")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "rules", "*", "*.yaml"))
	require.NoError(t, err)
	checked := 0
	for _, file := range files {
		switch filepath.Base(filepath.Dir(file)) {
		case "platforms", "slots", "settings", "explain", "parts":
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
