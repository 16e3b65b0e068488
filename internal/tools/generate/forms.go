package main

import (
	"encoding/json"
	"reflect"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
)

// schemaForms generates the schema of a rule pack for editors, and the list of facts for expressions.
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
