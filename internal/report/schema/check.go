package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits for a document. The reports of the largest machines have a few MiB.
const (
	MaxBytes  = 32 << 20
	maxValues = 1 << 20
)

// CheckDocument returns an error, which names the place, unless data is one document of this name. A key
// that is given twice is an error, because readers of JSON differ in which of the two they take.
func CheckDocument(name string, data []byte) error {
	load := publishedSchemas[name]
	if load == nil {
		return fmt.Errorf("no schema of %s", name)
	}
	root, err := load()
	if err != nil {
		return err
	}
	values, keys := countValues(data)
	switch {
	case len(data) > MaxBytes:
		return fmt.Errorf("longer than %d bytes", MaxBytes)
	case values > maxValues:
		return fmt.Errorf("more than %d values", maxValues)
	}
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		return err
	}
	c := &checker{root: root}
	if err := c.value(root, document); err != nil {
		return err
	}
	if c.keys < keys {
		return errors.New("a key is given twice in one object")
	}
	return nil
}

// countValues returns the number of values in a JSON text, at most, and how many of them have a key.
func countValues(data []byte) (values, keys int) {
	quoted := false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == ':':
			keys++
		case b == ',' || b == '[' || b == '{':
			values++
		}
	}
	return values + 1, keys
}

// checker compares a document with a schema.
type checker struct {
	root *schema
	// path leads to the value being checked.
	path []string
	// keys counts those of all objects.
	keys int
}

// errorf returns an error that names the place. Keys come from the document, so it is cut.
func (c *checker) errorf(format string, args ...any) error {
	const most = 200
	text := "/" + strings.Join(c.path, "/") + ": " + fmt.Sprintf(format, args...)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return errors.New(text)
}

func (c *checker) value(s *schema, v any) error {
	kind := kindOf(v)
	fit := c.alternative(s, kind)
	if fit == nil {
		return c.errorf("%s, expected %s", kind, strings.Join(c.kinds(s), " or "))
	}
	switch v := v.(type) {
	case map[string]any:
		return c.object(fit, v)
	case []any:
		return c.array(fit, v)
	case string:
		return c.text(fit, v)
	case float64:
		return c.number(fit, v)
	default:
		return nil
	}
}

// kindOf returns the type of a decoded value in JSON Schema's words.
func kindOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
	}
	return "number"
}

// alternative returns the schema for a value of this type, nil if the type is wrong. Of several
// alternatives it is the one of this type, as they differ in their types.
func (c *checker) alternative(s *schema, kind string) *schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = c.root.Defs[name]
	}
	for _, one := range s.OneOf {
		if fit := c.alternative(one, kind); fit != nil {
			return fit
		}
	}
	if len(s.OneOf) == 0 && (s.Type == kind || s.Type == "number" && kind == "integer") {
		return s
	}
	return nil
}

// kinds lists the types that a schema accepts.
func (c *checker) kinds(s *schema) []string {
	var out []string
	for _, kind := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		if c.alternative(s, kind) != nil && (kind != "integer" || !slices.Contains(out, "number")) {
			out = append(out, kind)
		}
	}
	return out
}

func (c *checker) object(s *schema, v map[string]any) error {
	for _, key := range s.Required {
		if _, there := v[key]; !there {
			return c.errorf("key %s is missing", key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		of := s.Properties[key]
		if of == nil {
			of = s.Others.schema
		}
		c.path = append(c.path, key)
		if of == nil {
			return c.errorf("unknown key")
		}
		if err := c.value(of, v[key]); err != nil {
			return err
		}
		c.path = c.path[:len(c.path)-1]
	}
	c.keys += len(v)
	return nil
}

func (c *checker) array(s *schema, v []any) error {
	for i := range v {
		c.path = append(c.path, strconv.Itoa(i))
		if err := c.value(s.Items, v[i]); err != nil {
			return err
		}
		c.path = c.path[:len(c.path)-1]
	}
	return nil
}

func (c *checker) text(s *schema, v string) error {
	switch {
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, v):
		return c.errorf("%q, expected one of %s", v, strings.Join(s.Enum, ", "))
	case s.Pattern != nil && !s.Pattern.MatchString(v):
		return c.errorf("%q, expected text that matches %s", v, s.Pattern)
	case s.Format == "date-time":
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return c.errorf("%q, expected a time of RFC 3339", v)
		}
	}
	return nil
}

func (c *checker) number(s *schema, v float64) error {
	if s.Minimum != nil && v < *s.Minimum {
		return c.errorf("%g, expected at least %g", v, *s.Minimum)
	}
	return nil
}
