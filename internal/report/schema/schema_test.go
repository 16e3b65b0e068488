package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/schema"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

// published compiles a schema with a complete implementation.
func published(t *testing.T, file string) *validator.Schema {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	document, err := validator.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := validator.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource(file, document))
	compiled, err := c.Compile(file)
	require.NoError(t, err)
	return compiled
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// check reads a document as anything, so that the schema alone decides.
func check(name string, data []byte) error {
	var v any
	return schema.Decode(name, data, &v)
}

func decode(t *testing.T, data []byte) (v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(data, &v))
	return v
}

// TestAgreesWithACompleteImplementation changes every value of a report in turn, removes it and adds keys:
// the checker accepts exactly what a complete implementation of JSON Schema accepts.
func TestAgreesWithACompleteImplementation(t *testing.T) {
	t.Parallel()
	r := reporttest.Report(reporttest.Bad(t))
	for _, c := range []struct {
		name, file string
		document   any
	}{{schema.Report, "report.v1.json", r}, {schema.Inventory, "inventory.v1.json", &r.Inventory}} {
		if c.name != schema.Report && !corpustest.Stage { // a report holds an inventory
			continue
		}
		complete := published(t, c.file)
		document := decode(t, encode(t, c.document))
		require.NoError(t, check(c.name, encode(t, document)))
		refused, accepted := 0, 0
		compare := func(part any, path string) {
			want := complete.Validate(document)
			got := check(c.name, encode(t, document))
			assert.Equal(t, want == nil, got == nil, "%s = %v: %v, the other says %v", path, part, got, want)
			if want == nil {
				accepted++
			} else {
				refused++
			}
		}
		shorten(document)
		compare(nil, "")
		mutate(document, "", compare)
		t.Logf("%s: %d changes refused, %d accepted", c.name, refused, accepted)
		assert.Greater(t, refused, 300)
		assert.Greater(t, accepted, 50)
	}
}

// shorten keeps the first item of every list and one setting.
func shorten(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if list, ok := value.([]any); ok {
				v[key] = list[:min(len(list), 1)]
			}
			if settings, ok := value.(map[string]any); ok && key == "settings" {
				v[key] = map[string]any{"smt": settings["smt"]}
			}
			shorten(v[key])
		}
	case []any:
		for _, item := range v {
			shorten(item)
		}
	}
}

// mutate sets every value below v to each of several, removes each key and adds one, and undoes it.
func mutate(v any, path string, changed func(part any, path string)) {
	others := corpustest.Sample([]any{nil, "FAIL", 1.5, true, map[string]any{}, []any{nil}, -1.0}, 3)
	switch v := v.(type) {
	case map[string]any:
		v["surplus"] = 1.0
		changed(v, path)
		delete(v, "surplus")
		for key, value := range v {
			for _, other := range others {
				v[key] = other
				changed(other, path+"/"+key)
			}
			delete(v, key)
			changed(nil, path+"/"+key)
			v[key] = value
			mutate(value, path+"/"+key, changed)
		}
	case []any:
		for i, item := range v {
			for _, other := range others {
				v[i] = other
				changed(other, path)
			}
			v[i] = item
			mutate(item, path, changed)
		}
	}
}

// TestRefused checks that what a JSON Schema cannot express is refused as well, with the place.
func TestRefused(t *testing.T) {
	t.Parallel()
	whole := string(encode(t, reporttest.Report(reporttest.Bad(t))))
	twice := strings.Replace(whole, `"findings":`, `"findings":[],"findings":`, 1)
	for what, c := range map[string]struct{ document, want string }{
		"a key twice":         {twice, "a key is given twice in one object"},
		"cut":                 {whole[:len(whole)/2], "unexpected end of JSON input"},
		"two documents":       {whole + whole, "after top-level value"},
		"no object":           {"[]", "/: array, expected object"},
		"only its name":       {`{"schema":"memaudit.report/v1"}`, "/: key generated_at is missing"},
		"a result in capital": {strings.Replace(whole, `"result":"fail"`, `"result":"FAIL"`, 1), `"FAIL", expected one of pass, fail, `},
		"many values":         {"[" + strings.Repeat("0,", 1<<20) + "0]", "more than 1048576 values"},
		"long":                {`"` + strings.Repeat("x", schema.MaxBytes) + `"`, "longer than 33554432 bytes"},
		"deep":                {strings.Repeat("[", 1<<19), "exceeded max depth"},
		"a long key":          {strings.Replace(whole, `"findings":`, `"`+strings.Repeat("x", 1000)+`":1,"findings":`, 1), "xxx..."},
	} {
		t.Run(what, func(t *testing.T) {
			err := check(schema.Report, []byte(c.document))
			require.ErrorContains(t, err, c.want)
			assert.Less(t, len(err.Error()), 300)
		})
	}
	require.EqualError(t, check("memaudit.other/v1", nil), "no schema of memaudit.other/v1")
	quoted := strings.Replace(whole, `"findings":`, `"why":"a \"colon\": {} [] \\","findings":`, 1)
	require.ErrorContains(t, check(schema.Report, []byte(quoted)), "twice", "why is there already")
	quoted = strings.Replace(whole, `"why":null`, `"why":"a \"colon\": {} [] \\"`, 1)
	require.NoError(t, check(schema.Report, []byte(quoted)))
}

// TestEveryReport checks that everything memaudit writes is accepted.
func TestEveryReport(t *testing.T) {
	t.Parallel()
	for name, m := range reporttest.Inputs(t) {
		o := reporttest.Options()
		for _, o.Identifiers = range []bool{false, true} {
			r := report.Build(&m.Sys, &m.Topo, &m.Audit, o)
			require.NoError(t, check(schema.Report, encode(t, r)), name)
			require.NoError(t, check(schema.Inventory, encode(t, r.Inventory)), name)
		}
	}
}
