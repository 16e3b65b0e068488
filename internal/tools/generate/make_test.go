package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

func knowledge(t *testing.T, root string) madeFiles {
	k := rulesOf(root)
	out := madeFiles{}
	add := func(part string, data []byte, err error) {
		require.NoError(t, err, part)
		out["rules/"+compiled.File(part)] = data
	}
	addRows := func(part string, rows any, err error) {
		require.NoError(t, err, part)
		data, err := compiled.Encode(rows)
		add(part, data, err)
	}
	data, err := settings.Compile(k, "settings")
	add(settings.Part, data, err)
	data, err = partnumber.Compile(k)
	add(partnumber.Part, data, err)
	index, err := platform.ListIndexRows(k)
	addRows(platform.Part, index, err)
	locators, err := place.LocatorRules(k)
	addRows(place.LocatorPart, locators, err)
	maps, err := place.MapIndex(k)
	addRows(place.MapPart, maps, err)
	before, err := fs.Glob(k, compiled.File(platform.RowPart("*")))
	require.NoError(t, err)
	for _, name := range before {
		out["rules/"+name] = nil
	}
	rows, err := platform.EncodeRows(k)
	require.NoError(t, err)
	for part, row := range rows {
		out["rules/"+compiled.File(part)] = row
	}
	return out
}

func builtinPacks(t *testing.T, k fs.FS) []*rulepack.Pack {
	t.Helper()
	packs, err := rulepack.LoadBuiltin(k)
	require.NoError(t, err)
	return packs
}

func rulesByName(t *testing.T, root string) madeFiles {
	return madeFiles{"rules/by-name.md": []byte(byName(t, root, examples(t, root)))}
}

func byName(t *testing.T, root string, examples map[string]string) string {
	t.Helper()
	var page markdownPage
	require.NoError(t, reference.RulesByName(&page, builtinPacks(t, rulesOf(root)), examples))
	return strings.TrimSpace(page.String()) + "\n"
}

func glossaryPage(t *testing.T, root string) madeFiles {
	raw, err := os.ReadFile(filepath.Join(root, "rules", "explain", "glossary.tsv"))
	require.NoError(t, err)
	out := "# Glossary\n\nMade by `go generate ./...` from rules/explain/glossary.tsv; `memaudit explain WORD` prints the same.\n\n| word | meaning |\n| --- | --- |\n"
	for line := range strings.Lines(string(raw)) {
		if words, meaning, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !strings.HasPrefix(line, "#") {
			out += "| " + words + " | " + meaning + " |\n"
		}
	}
	return madeFiles{"docs/glossary.md": []byte(out)}
}

func operatorRules(t *testing.T, root string) madeFiles {
	var b bytes.Buffer
	b.WriteString("# Made by make docs from deploy/prometheus.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n" +
		"  name: memaudit\n  namespace: memaudit\n  labels: {app.kubernetes.io/name: memaudit}\nspec:\n  groups:\n")
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		data, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", name))
		require.NoError(t, err)
		_, groups, _ := strings.Cut(string(data), "\ngroups:\n")
		for line := range strings.Lines(groups) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("  ")
			}
			b.WriteString(line)
		}
	}
	return madeFiles{"deploy/kubernetes/monitoring/prometheusrule.yaml": b.Bytes()}
}

// madeFiles are contents by path below the project's folder; nil for a file that is not made any more.
type madeFiles map[string][]byte

func rulesOf(root string) fs.FS { return os.DirFS(filepath.Join(root, "rules")) }

func schemaForms(t *testing.T, _ string) madeFiles {
	schema, err := json.MarshalIndent(packSchema(), "", "  ")
	require.NoError(t, err)
	return madeFiles{"rules/pack.schema.json": append(schema, '\n'), "rules/facts.md": []byte(factsPage())}
}

// factsPage describes every fact that expressions can use.
func factsPage() string {
	var b strings.Builder
	b.WriteString("# Facts\n\nWhat an expression of a rule may name. Made from the code by `go generate ./...`.\n\n")
	b.WriteString("`socket`, `slot`, `node`, `setting` and `baseline` are the subject of a rule of that kind; `sockets`, `slots` and `nodes` list all of them.\n")
	all := facts.Declared()
	table := func(title string, t *facts.ObjectType) {
		fmt.Fprintf(&b, "\n## %s: %s\n\n| fact | type | meaning |\n| --- | --- | --- |\n", title, t.Doc)
		for _, f := range t.Fields {
			kind := strings.ReplaceAll(strings.ReplaceAll(f.Type.String(), "fact.", ""), "list(", "list of ")
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, strings.TrimRight(kind, ")"), strings.ReplaceAll(f.Doc, "|", "\\|"))
		}
	}
	for _, name := range all.VariableNames() {
		if t, ok := all.Object(name); ok && name != "settings" {
			table("`"+name+"`", t)
		}
	}
	socket, _ := all.Object("socket")
	for _, list := range []string{"controllers", "regions"} {
		f, _ := socket.Field(list)
		table("elements of `socket."+list+"`", all.ObjectField(f))
	}
	b.WriteString("\n## `settings`: canonical values, the configured value if known, else the effective one\n\n")
	ids := slices.Sorted(slices.Values(settings.IDs()))
	b.WriteString("`" + strings.Join(ids, "`, `") + "`\n")
	return b.String()
}

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
	// What a report has as null is left out of a pack.
	for key := s.Definitions["Citation"].Properties.Oldest(); key != nil; key = key.Next() {
		if len(key.Value.OneOf) > 0 {
			key.Value = key.Value.OneOf[0]
		}
	}
	// A row has a value, except in a profile with a preset that determines the values.
	profile := s.Definitions["ProfileSpec"]
	profile.If = &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{"written_by"}}}
	rows := jsonschema.NewProperties()
	rows.Set("settings", &jsonschema.Schema{AdditionalProperties: &jsonschema.Schema{Required: []string{"want"}}})
	profile.Then = &jsonschema.Schema{Properties: rows}
	s.Title = "memaudit rule pack"
	s.Description = "One file of rules and profiles, one file a document. `memaudit rules validate` checks expressions and cases as well."
	return s
}
