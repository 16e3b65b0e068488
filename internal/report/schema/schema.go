// Package schema holds the published JSON Schemas of memaudit's documents and checks documents
// from elsewhere against them.
package schema

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The documents that memaudit reads back.
const (
	Report    = "memaudit.report/v1"
	Inventory = "memaudit.inventory/v1"
)

//go:embed report.v1.json inventory.v1.json
var published embed.FS

// publishedSchemas are the schemas by the document's name, each read when it is first needed.
var publishedSchemas = map[string]func() (*schema, error){
	Report:    sync.OnceValues(func() (*schema, error) { return loadSchema("report.v1.json") }),
	Inventory: sync.OnceValues(func() (*schema, error) { return loadSchema("inventory.v1.json") }),
}

// schema is the part of JSON Schema that the published files use. A test compares its results with
// those of a complete implementation.
type schema struct {
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	Type       string             `json:"type"`
	OneOf      []*schema          `json:"oneOf"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Others     *others            `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	Enum       []string           `json:"enum"`
	Pattern    *pattern           `json:"pattern"`
	Format     string             `json:"format"`
	Minimum    *float64           `json:"minimum"`
	// target is what Ref leads to; places are those of the properties in ordered.
	target  *schema
	places  map[string]int
	ordered []*schema

	// Annotations, which accept every value.
	Draft       string `json:"$schema"`
	ID          string `json:"$id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// loadSchema reads a published schema. A keyword that the checker does not know is an error.
func loadSchema(file string) (*schema, error) {
	text, err := published.ReadFile(file)
	if err != nil {
		return nil, err
	}
	root := &schema{}
	if err := strictly(text, root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", file, err)
	}
	if err := root.closed(root); err != nil {
		return nil, fmt.Errorf("schema %s: %w", file, err)
	}
	return root, nil
}

// closed resolves references, and returns an error if a part of a schema accepts any value or refers to nothing: the
// published schemas are generated from types, which leave nothing open.
func (s *schema) closed(root *schema) error {
	parts := slices.Concat(s.OneOf, slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.Defs)))
	if s.Items != nil {
		parts = append(parts, s.Items)
	}
	if s.Others != nil && s.Others.schema != nil {
		parts = append(parts, s.Others.schema)
	}
	for _, part := range parts {
		if err := part.closed(root); err != nil {
			return err
		}
	}
	s.places = make(map[string]int, len(s.Properties))
	for key, property := range s.Properties {
		s.places[key] = len(s.ordered)
		s.ordered = append(s.ordered, property)
	}
	s.target = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	switch {
	case s.Ref != "" && s.target == nil:
		return fmt.Errorf("$ref %q leads nowhere", s.Ref)
	case s.Type == "array" && s.Items == nil, s.Type == "object" && s.Others == nil, s.Type == "" && s.Ref == "" && len(s.OneOf) == 0:
		return errors.New("a part accepts any value")
	}
	return nil
}

// strictly decodes JSON and refuses unknown keys.
func strictly(data []byte, into any) error {
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	return in.Decode(into)
}

// others is what keys beyond the properties hold: values of a schema, or nothing if such keys are
// refused.
type others struct{ schema *schema }

// UnmarshalJSON reads a schema or false.
func (o *others) UnmarshalJSON(data []byte) error {
	if string(data) == "false" {
		return nil
	}
	return strictly(data, &o.schema)
}

// pattern is a regular expression.
type pattern struct{ *regexp.Regexp }

// UnmarshalJSON compiles the expression.
func (p *pattern) UnmarshalJSON(data []byte) error {
	var text string
	err := json.Unmarshal(data, &text)
	if err == nil {
		p.Regexp, err = regexp.Compile(text)
	}
	return err
}
