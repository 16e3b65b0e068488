package knowledge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/rulepack"
)

// schema is the part of JSON Schema that the files rules/*.schema.json use. A test compares its results with
// those of a complete implementation.
type schema struct {
	Ref         string             `json:"$ref"`
	Defs        map[string]*schema `json:"$defs"`
	Type        string             `json:"type"`
	Enum        []string           `json:"enum"`
	Pattern     *pattern           `json:"pattern"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	MinItems    int                `json:"minItems"`
	MaxItems    *int               `json:"maxItems"`
	Description string             `json:"description"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	// Others is the schema of further keys; false rejects them.
	Others *others   `json:"additionalProperties"`
	OneOf  []*schema `json:"oneOf"`
}

// pattern is an expression that is compiled when the schema is read.
type pattern struct{ *regexp.Regexp }

// UnmarshalJSON compiles it.
func (p *pattern) UnmarshalJSON(data []byte) error {
	var text string
	err := json.Unmarshal(data, &text)
	if err == nil {
		p.Regexp, err = regexp.Compile(text)
	}
	return err
}

// Schemas are the schemas of the kinds of files next to the rules of a folder, each read once. It is safe for
// concurrent use.
type Schemas struct {
	rules fs.FS
	mu    sync.Mutex
	read  map[string]*schema
	// documents are the rows of the list of platforms' documents by their key, sources the citations of slot
	// maps, locators the ids of patterns: each is read when first used.
	documents         func() map[string][]string
	sources, locators func() map[string]bool
}

// NewSchemas returns those of a folder of rules, against which files are checked.
func NewSchemas(rules fs.FS) *Schemas {
	s := &Schemas{rules: rules, read: map[string]*schema{}}
	s.documents = sync.OnceValue(func() map[string][]string {
		listed := map[string][]string{}
		raw, _ := fs.ReadFile(rules, platformSources) // there may be no list
		for row := range strings.Lines(string(raw)) {
			cells := strings.Split(strings.TrimSuffix(row, "\n"), "\t")
			listed[cells[0]] = cells
		}
		return listed
	})
	s.sources = sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, file := range []string{"slots/sources.yaml", SiteFolder + "sources.yaml"} {
			for key := range rulepack.Pairs(mappingOfFile(rules, file)["sources"]) {
				out[key] = true
			}
		}
		return out
	})
	s.locators = sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, file := range []string{"slots/locators.yaml", SiteFolder + "locators.yaml"} {
			for _, rule := range itemsOf(mappingOfFile(rules, file)["rules"]) {
				if id := rulepack.Pairs(rule)["id"]; id != nil {
					out[id.Value] = true
				}
			}
		}
		return out
	})
	return s
}

// of returns the schema of a kind.
func (s *Schemas) of(kind string) (*schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if root := s.read[kind]; root != nil {
		return root, nil
	}
	text, err := fs.ReadFile(s.rules, kind+".schema.json")
	if err != nil {
		return nil, err
	}
	root := &schema{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", kind, err)
	}
	s.read[kind] = root
	return root, nil
}

// others is a schema, or whether further keys are allowed.
type others struct {
	refused bool
	schema  *schema
}

// UnmarshalJSON reads a boolean or a schema.
func (o *others) UnmarshalJSON(data []byte) error {
	var allowed bool
	if json.Unmarshal(data, &allowed) == nil {
		o.refused = !allowed
		return nil
	}
	return json.Unmarshal(data, &o.schema)
}

// checker compares one file with its schema.
type checker struct {
	file string
	root *schema
	// shipped is true for one of the project's own files.
	shipped bool
	faults  rulepack.Complaints
}

func (c *checker) fault(n *yaml.Node, path, format string, args ...any) {
	text := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	if path != "" {
		text = strings.Join(strings.Fields(path), " ") + ": " + text
	}
	c.faults = append(c.faults, rulepack.Complaint{File: c.file, Line: max(n.Line, 1), Column: max(n.Column, 1), Text: text})
}

// node checks one node against a schema.
func (c *checker) node(n *yaml.Node, s *schema, path string) {
	n = rulepack.Resolve(n)
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s = c.root.Defs[name]
	}
	if len(s.OneOf) > 0 {
		c.oneOf(n, s, path)
		return
	}
	if s.Type != "" && !isOfType(n, s.Type) {
		c.fault(n, path, "%s, expected %s", describe(n), article(s.Type))
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		c.mapping(n, s, path)
	case yaml.SequenceNode:
		c.sequence(n, s, path)
	case yaml.ScalarNode:
		c.scalar(n, s, path)
	default: // aliases and documents were resolved before
	}
}

// oneOf reports the errors of the alternative that fits best.
func (c *checker) oneOf(n *yaml.Node, s *schema, path string) {
	var best rulepack.Complaints
	for i, alternative := range s.OneOf {
		try := &checker{file: c.file, root: c.root}
		try.node(n, alternative, path)
		if len(try.faults) == 0 {
			return
		}
		if i == 0 || len(try.faults) < len(best) {
			best = try.faults
		}
	}
	c.faults = append(c.faults, best...)
}

func (c *checker) mapping(n *yaml.Node, s *schema, path string) {
	have := rulepack.Pairs(n)
	for _, key := range s.Required {
		if have[key] == nil {
			c.fault(n, path, "%s is missing", key)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		switch known := s.Properties[key.Value]; {
		case key.Tag == "!!merge":
			for _, merged := range rulepack.MergedIn(value) {
				c.mapping(merged, &schema{Properties: s.Properties, Others: s.Others}, path)
			}
		case known != nil:
			c.node(value, known, at)
		case s.Others == nil:
		case s.Others.refused:
			c.fault(key, path, "unknown key %s, expected one of %s", key.Value, strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", "))
		case s.Others.schema != nil:
			c.node(value, s.Others.schema, at)
		}
	}
}

func (c *checker) sequence(n *yaml.Node, s *schema, path string) {
	switch {
	case len(n.Content) < s.MinItems:
		c.fault(n, path, "%s, expected at least %d", entries(len(n.Content)), s.MinItems)
	case s.MaxItems != nil && len(n.Content) > *s.MaxItems:
		c.fault(n, path, "%s, expected at most %d", entries(len(n.Content)), *s.MaxItems)
	}
	if s.Items == nil {
		return
	}
	for i, item := range n.Content {
		c.node(item, s.Items, fmt.Sprintf("%s[%d]", path, i))
	}
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func (c *checker) scalar(n *yaml.Node, s *schema, path string) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, n.Value) {
		c.fault(n, path, "%q, expected one of %s", n.Value, strings.Join(s.Enum, ", "))
	}
	if s.Pattern != nil && !s.Pattern.MatchString(n.Value) {
		c.fault(n, path, "%q does not match %s, expected %s", n.Value, s.Pattern, cmp.Or(s.Description, "text that does"))
	}
	c.bounds(n, s, path)
}

// bounds checks a number against its minimum and maximum.
func (c *checker) bounds(n *yaml.Node, s *schema, path string) {
	var number float64
	if s.Minimum == nil && s.Maximum == nil || n.Decode(&number) != nil {
		return
	}
	least, most := cmp.Or(s.Minimum, &number), cmp.Or(s.Maximum, &number)
	switch {
	case number >= *least && number <= *most:
	case *least == *most:
		c.fault(n, path, "%s, expected %g", n.Value, *least)
	case number < *least:
		c.fault(n, path, "%s, expected at least %g", n.Value, *least)
	default:
		c.fault(n, path, "%s, expected at most %g", n.Value, *most)
	}
}

// isOfType reports whether a node has a type of JSON Schema.
func isOfType(n *yaml.Node, kind string) bool {
	switch kind {
	case "object":
		return n.Kind == yaml.MappingNode
	case "array":
		return n.Kind == yaml.SequenceNode
	case "string":
		return n.Kind == yaml.ScalarNode && n.Tag == "!!str"
	case "integer":
		return n.Kind == yaml.ScalarNode && n.Tag == "!!int"
	case "number":
		return n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float")
	case "boolean":
		return n.Kind == yaml.ScalarNode && n.Tag == "!!bool"
	default:
		return false
	}
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}

func article(kind string) string {
	switch kind {
	case "object":
		return "a mapping"
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	default:
		return "a " + kind
	}
}
