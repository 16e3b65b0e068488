package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// Decode decodes a document of this name. An error names the place that does not match the schema. A key that is
// given twice is an error, because readers of JSON differ in which of the two they take.
func Decode(name string, data []byte, into any) error {
	load := publishedSchemas[name]
	if load == nil {
		return fmt.Errorf("no schema of %s", name)
	}
	root, err := load()
	switch {
	case err != nil:
		return err
	case len(data) > MaxBytes:
		return fmt.Errorf("longer than %d bytes", MaxBytes)
	case 1+bytes.Count(data, []byte{','})+bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) > maxValues:
		return fmt.Errorf("more than %d values", maxValues)
	}
	err = json.Unmarshal(data, into)
	if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
		return err
	}
	c := &checker{rest: data}
	if fault := c.value(root); fault != nil {
		return fault // which names the place better than a wrong type's
	}
	return err
}

// checker compares a document, whose syntax is known to be right, with a schema as it reads it.
type checker struct {
	rest []byte
	// path leads to the value being checked.
	path [][]byte
}

// errorf returns an error that names the place. Keys come from the document, so it is cut.
func (c *checker) errorf(format string, args ...any) error {
	const most = 200
	text := "/" + string(bytes.Join(c.path, []byte{'/'})) + ": " + fmt.Sprintf(format, args...)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return errors.New(text)
}

func (c *checker) next() byte {
	for len(c.rest) > 0 && c.rest[0] <= ' ' {
		c.rest = c.rest[1:]
	}
	return c.rest[0]
}

func (c *checker) more(end byte) bool {
	switch c.next() {
	case ',':
		c.rest = c.rest[1:]
		c.next()
		return true
	case end:
		c.rest = c.rest[1:]
		return false
	default: // the first one
		return true
	}
}

func (c *checker) scalar() string {
	end := 0
	for end < len(c.rest) && c.rest[end] > ' ' && c.rest[end] != ',' && c.rest[end] != ']' && c.rest[end] != '}' {
		end++
	}
	text := c.rest[:end]
	c.rest = c.rest[end:]
	return string(text)
}

func (c *checker) quoted() []byte {
	c.next()
	for i := 1; ; i++ {
		switch c.rest[i] {
		case '\\':
			i++
		case '"':
			text := c.rest[:i+1]
			c.rest = c.rest[i+1:]
			return text
		}
	}
}

func unquoted(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	var text string
	_ = json.Unmarshal(quoted, &text) // its syntax is right
	return []byte(text)
}

func (c *checker) value(s *schema) error {
	switch b := c.next(); b {
	case '{':
		return c.fit(s, "object", c.object)
	case '[':
		return c.fit(s, "array", c.array)
	case '"':
		return c.fit(s, "string", c.text)
	case 't', 'f':
		c.scalar()
		return c.fit(s, "boolean", nil)
	case 'n':
		c.scalar()
		return c.fit(s, "null", nil)
	default:
		v, err := strconv.ParseFloat(c.scalar(), 64)
		if err != nil {
			return c.errorf("%v", err)
		}
		kind := "number"
		if v == math.Trunc(v) {
			kind = "integer"
		}
		return c.fit(s, kind, func(fit *schema) error {
			if fit.Minimum != nil && v < *fit.Minimum {
				return c.errorf("%g, expected at least %g", v, *fit.Minimum)
			}
			return nil
		})
	}
}

func (c *checker) fit(s *schema, kind string, check func(*schema) error) error {
	fit := s.alternative(kind)
	switch {
	case fit == nil:
		return c.errorf("%s, expected %s", kind, strings.Join(s.kinds(), " or "))
	case check == nil:
		return nil
	default:
		return check(fit)
	}
}

// alternative returns the schema for a value of this type, nil if the type is wrong. Of several
// alternatives it is the one of this type, as they differ in their types.
func (s *schema) alternative(kind string) *schema {
	if s.target != nil {
		s = s.target
	}
	for _, one := range s.OneOf {
		if fit := one.alternative(kind); fit != nil {
			return fit
		}
	}
	if len(s.OneOf) == 0 && (s.Type == kind || s.Type == "number" && kind == "integer") {
		return s
	}
	return nil
}

func (s *schema) kinds() []string {
	var out []string
	for _, kind := range []string{"object", "array", "string", "number", "integer", "boolean", "null"} {
		if s.alternative(kind) != nil && (kind != "integer" || !slices.Contains(out, "number")) {
			out = append(out, kind)
		}
	}
	return out
}

func (c *checker) object(s *schema) error {
	seen := make([]bool, len(s.ordered))
	var others map[string]bool
	c.rest = c.rest[1:]
	for c.more('}') {
		key := unquoted(c.quoted())
		c.next()
		c.rest = c.rest[1:] // the colon
		c.path = append(c.path, key)
		of := s.Others.schema
		twice := others[string(key)]
		if at, known := s.places[string(key)]; known {
			of, twice, seen[at] = s.ordered[at], seen[at], true
		} else if of != nil {
			if others == nil {
				others = map[string]bool{}
			}
			others[string(key)] = true
		}
		switch {
		case of == nil:
			return c.errorf("unknown key")
		case twice:
			return c.errorf("a key is given twice in one object")
		}
		if err := c.value(of); err != nil {
			return err
		}
		c.path = c.path[:len(c.path)-1]
	}
	for _, key := range s.Required {
		if !seen[s.places[key]] {
			return c.errorf("key %s is missing", key)
		}
	}
	return nil
}

func (c *checker) array(s *schema) error {
	c.rest = c.rest[1:]
	for i := 0; c.more(']'); i++ {
		c.path = append(c.path, strconv.AppendInt(nil, int64(i), 10))
		if err := c.value(s.Items); err != nil {
			return err
		}
		c.path = c.path[:len(c.path)-1]
	}
	return nil
}

func (c *checker) text(s *schema) error {
	quoted := c.quoted()
	if len(s.Enum) == 0 && s.Pattern == nil && s.Format == "" {
		return nil
	}
	v := string(unquoted(quoted))
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
