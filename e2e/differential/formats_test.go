package differential

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	gosarif "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/machinetest"
)

// publishedSARIF is the schema that OASIS publishes for SARIF 2.1.0 with Errata 01, as
// the library go-sarif carries it, in a constant that it does not export.
func publishedSARIF(t *testing.T) *jsonschema.Schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	require.NoError(t, err)
	literal, ok := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	require.True(t, ok)
	text, err := strconv.Unquote(literal.Value)
	require.NoError(t, err)
	schema, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	const id = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	require.Equal(t, id, schema.(map[string]any)["id"])
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource(id, schema))
	compiled, err := c.Compile(id)
	require.NoError(t, err)
	return compiled
}

// sarifOf is what the program prints of a machine.
func sarifOf(t *testing.T, m *machinetest.Machine) []byte {
	t.Helper()
	dir := t.TempDir()
	m.Tree().WriteTo(t, dir)
	binary, err := filepath.Abs(filepath.Join("..", "..", "bin", "memaudit"))
	require.NoError(t, err)
	require.FileExists(t, binary, "make build")
	out, err := exec.Command(binary, "check", "--root", dir, "--profile", m.Profile, "--format", "sarif", "--fail-on", "never").Output()
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	return out
}

// TestSARIF checks what memaudit prints of every machine of the project against
// the published schema, and has another reader read it.
func TestSARIF(t *testing.T) {
	schema := publishedSARIF(t)
	read := 0
	for _, m := range machinetest.All() {
		out := sarifOf(t, &m)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		require.NoError(t, err, m.Name)
		require.NoError(t, schema.Validate(doc), m.Name)

		theirs, err := gosarif.FromBytes(out, gosarif.WithStrictValidation())
		require.NoError(t, err, m.Name)
		require.Len(t, theirs.Runs, 1)
		var ours struct {
			Runs []struct{ Results []json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(out, &ours))
		assert.NotEmpty(t, ours.Runs[0].Results, m.Name)
		assert.Len(t, theirs.Runs[0].Results, len(ours.Runs[0].Results), m.Name)
		for _, result := range theirs.Runs[0].Results {
			rule := theirs.Runs[0].Tool.Driver.Rules[result.RuleIndex]
			assert.Equal(t, *result.RuleID, *rule.ID, m.Name)
			read++
		}
	}
	t.Logf("%d machines, %d results", len(machinetest.All()), read)
	assert.Greater(t, read, 1000)

	broken, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"version": "2.1.0", "runs": [{"results": []}]}`))
	require.NoError(t, err)
	require.Error(t, schema.Validate(broken), "the schema refuses a run without a tool")
}
