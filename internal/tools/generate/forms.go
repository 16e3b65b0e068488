package main

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
)

// schemaForms are what describes the files that people write: the schema of a rule
// pack for editors, and the facts that an expression may name.
func schemaForms(string) (madeFiles, error) {
	schema, err := json.MarshalIndent(packSchema(), "", "  ")
	if err != nil {
		return nil, err
	}
	return madeFiles{"rules/pack.schema.json": append(schema, '\n'), "rules/facts.md": []byte(facts.Document())}, nil
}

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
	// A row states what it wants, but for a profile that names the preset whose words they are.
	profile := s.Definitions["ProfileSpec"]
	profile.If = &jsonschema.Schema{Not: &jsonschema.Schema{Required: []string{"written_by"}}}
	rows := jsonschema.NewProperties()
	rows.Set("settings", &jsonschema.Schema{AdditionalProperties: &jsonschema.Schema{Required: []string{"want"}}})
	profile.Then = &jsonschema.Schema{Properties: rows}
	s.Title = "memaudit rule pack"
	s.Description = "One file of rules and profiles, one file a document. `memaudit rules validate` checks expressions and cases as well."
	return s
}
