package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/strictjson"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/reporttest"
)

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// TestAgreesWithACompleteImplementation changes every value of a report in turn, removes it and adds keys:
// the checker accepts exactly what a complete implementation of JSON Schema accepts.
func TestAgreesWithACompleteImplementation(t *testing.T) {
	t.Parallel()
	r := reporttest.Report(reporttest.Bad(t))
	for name, c := range map[string]struct{ document, empty any }{
		report.SchemaReport: {r, &report.Report{}}, report.SchemaInventory: {&r.Inventory, &report.Inventory{}},
	} {
		if name != report.SchemaReport && !corpustest.Stage { // a report holds an inventory
			continue
		}
		complete := publishedSchema(t, name)
		check := func(data []byte) error {
			return strictjson.Document(data, reflect.New(reflect.TypeOf(c.empty).Elem()).Interface())
		}
		var document any
		require.NoError(t, json.Unmarshal(encode(t, c.document), &document))
		require.NoError(t, check(encode(t, document)))
		refused, accepted := 0, 0
		compare := func(part any, path string) {
			want := complete.Validate(document)
			got := check(encode(t, document))
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
		t.Logf("%s: %d changes refused, %d accepted", name, refused, accepted)
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
		"a key twice":         {twice, "findings: the key occurs twice"},
		"cut":                 {whole[:len(whole)/2], "unexpected end of JSON input"},
		"two documents":       {whole + whole, "after top-level value"},
		"no object":           {"[]", "document: a list, expected an object"},
		"only its name":       {`{"schema":"memaudit.report/v1"}`, "document: key generated_at is missing"},
		"a result in capital": {strings.Replace(whole, `"result":"fail"`, `"result":"FAIL"`, 1), `"FAIL", expected one of pass, fail, `},
		"deep":                {strings.Repeat("[", 1<<19), "exceeded max depth"},
		"a long key":          {strings.Replace(whole, `"findings":`, `"`+strings.Repeat("x", 1000)+`":1,"findings":`, 1), "xxx..."},
	} {
		t.Run(what, func(t *testing.T) {
			err := strictjson.Document([]byte(c.document), &report.Report{})
			require.ErrorContains(t, err, c.want)
			assert.Less(t, len(err.Error()), 300)
		})
	}
	quoted := strings.Replace(whole, `"findings":`, `"why":"a \"colon\": {} [] \\","findings":`, 1)
	require.ErrorContains(t, strictjson.Document([]byte(quoted), &report.Report{}), "twice", "why is there already")
	quoted = strings.Replace(whole, `"why":null`, `"why":"a \"colon\": {} [] \\"`, 1)
	require.NoError(t, strictjson.Document([]byte(quoted), &report.Report{}))
}
