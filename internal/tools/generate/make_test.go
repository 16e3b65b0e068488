package generate

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
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

func knowledge(root string) (madeFiles, error) {
	k := rulesOf(root)
	packs, err := rulepack.LoadBuiltin(k)
	if err != nil {
		return nil, err
	}
	encoded := func(v any, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		return compiled.Encode(v)
	}
	out := madeFiles{}
	for part, make := range map[string]func() ([]byte, error){
		rulepack.Part:       func() ([]byte, error) { data, _, err := rulepack.Compile(packs); return data, err },
		rulepack.PiecesPart: func() ([]byte, error) { _, data, err := rulepack.Compile(packs); return data, err },
		settings.Part:       func() ([]byte, error) { return settings.Compile(k, "settings") },
		platform.Part:       func() ([]byte, error) { return encoded(platform.ListIndexRows(k)) },
		place.LocatorPart:   func() ([]byte, error) { return encoded(place.LocatorRules(k)) },
		place.MapPart:       func() ([]byte, error) { return encoded(place.MapIndex(k)) },
		partnumber.Part:     func() ([]byte, error) { return partnumber.Compile(k) },
	} {
		if out["rules/"+compiled.File(part)], err = make(); err != nil {
			return nil, err
		}
	}
	before, err := fs.Glob(k, compiled.File(platform.RowPart("*")))
	if err != nil {
		return nil, err
	}
	for _, name := range before {
		out["rules/"+name] = nil
	}
	rows, err := platform.EncodeRows(k)
	for part, row := range rows {
		out["rules/"+compiled.File(part)] = row
	}
	return out, err
}

func rulesByName(root string) (madeFiles, error) {
	packs, err := rulepack.LoadBuiltin(rulesOf(root))
	if err != nil {
		return nil, err
	}
	says, err := examples(root)
	if err != nil {
		return nil, err
	}
	text, err := reference.RulesByName(packs, says)
	return madeFiles{"rules/by-name.md": []byte(text)}, err
}

func glossaryPage(root string) (madeFiles, error) {
	text, err := reference.Glossary(rulesOf(root))
	return madeFiles{"docs/glossary.md": []byte(text)}, err
}

func operatorRules(root string) (madeFiles, error) {
	var b bytes.Buffer
	b.WriteString("# Made by make docs from deploy/prometheus.\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n" +
		"  name: memaudit\n  namespace: memaudit\n  labels: {app.kubernetes.io/name: memaudit}\nspec:\n  groups:\n")
	for _, name := range []string{"memaudit.rules.yml", "memaudit.alerts.yml"} {
		data, err := os.ReadFile(filepath.Join(root, "deploy", "prometheus", name))
		if err != nil {
			return nil, err
		}
		_, groups, _ := strings.Cut(string(data), "\ngroups:\n")
		for line := range strings.Lines(groups) {
			if strings.TrimSpace(line) != "" {
				b.WriteString("  ")
			}
			b.WriteString(line)
		}
	}
	return madeFiles{"deploy/kubernetes/monitoring/prometheusrule.yaml": b.Bytes()}, nil
}

// madeFiles are contents by path below the project's folder; nil for a file that is not made any more.
type madeFiles map[string][]byte

func rulesOf(root string) fs.FS { return os.DirFS(filepath.Join(root, "rules")) }

func schemaForms(string) (madeFiles, error) {
	schema, err := json.MarshalIndent(packSchema(), "", "  ")
	if err != nil {
		return nil, err
	}
	return madeFiles{"rules/pack.schema.json": append(schema, '\n'), "rules/facts.md": []byte(facts.Document())}, nil
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
