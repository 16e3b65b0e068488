package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"go.yaml.in/yaml/v3"
)

// caseRunner evaluates the cases of a pack: it compiles every expression once
// and counts what the evaluations cost.
type caseRunner struct {
	programs map[string]compiled
	spent    uint64
}

// baseCost is what a case costs beside its expressions: its facts.
const baseCost = 500

// run evaluates one case of a rule and returns what the case complains about,
// "" when it holds.
func (x *caseRunner) run(r *Rule, c *Case) (complaint string) {
	s, err := caseScope(&c.Facts)
	if err != nil {
		return err.Error()
	}
	defer func() { x.spent += s.spent + baseCost }()
	got, o, err := x.result(r, s)
	switch {
	case err != nil:
		return err.Error()
	case string(got) != c.Expect:
		return fmt.Sprintf("gives %s%s, expected %s", got, missingText(o), c.Expect)
	case c.Missing != "" && !slices.Contains(o.missing, c.Missing):
		return fmt.Sprintf("is unknown for lack of %s, expected %s", strings.Join(o.missing, ", "), c.Missing)
	case got == Fail:
		return x.texts(r, s, c)
	}
	return ""
}

// compile is compile, once for each text.
func (x *caseRunner) compile(src string, want *types.Type) (cel.Program, error) {
	key := want.TypeName() + " " + src
	p, ok := x.programs[key]
	if !ok {
		p.program, p.err = compile(src, want)
		if x.programs == nil {
			x.programs = map[string]compiled{}
		}
		x.programs[key] = p
	}
	return p.program, p.err
}

func missingText(o outcome) string {
	if len(o.missing) == 0 {
		return ""
	}
	return " for lack of " + strings.Join(o.missing, ", ")
}

// result evaluates applies and check in a case's scope.
func (x *caseRunner) result(r *Rule, s *scope) (Result, outcome, error) {
	if r.Applies != "" {
		p, err := x.compile(r.Applies, types.BoolType)
		if err != nil {
			return "", outcome{}, fmt.Errorf("applies: %w", err)
		}
		applies, o := s.evalBool(p)
		switch {
		case o.err != nil:
			return Error, o, fmt.Errorf("applies: %w", o.err)
		case o.val == nil:
			return Unknown, o, nil
		case !applies:
			return NotApplicable, o, nil
		}
	}
	p, err := x.compile(r.Check, types.BoolType)
	if err != nil {
		return "", outcome{}, fmt.Errorf("check: %w", err)
	}
	holds, o := s.evalBool(p)
	switch {
	case o.err != nil:
		return Error, o, fmt.Errorf("check: %w", o.err)
	case o.val == nil:
		return Unknown, o, nil
	case holds:
		return Pass, o, nil
	default:
		return Fail, o, nil
	}
}

// texts evaluates the texts of a failing case: none may break or come out
// empty, and the severity must be the one the case names.
func (x *caseRunner) texts(r *Rule, s *scope, c *Case) string {
	for _, t := range []struct{ name, src string }{{"found", r.Found}, {"expected", r.Expected}, {"remedy", r.Remedy}} {
		if t.src == "" {
			continue
		}
		p, err := x.compile(t.src, types.StringType)
		if err == nil {
			var text string
			if text, err = s.evalText(p); err == nil && text == "" {
				return t.name + " comes out empty"
			}
		}
		if err != nil {
			return t.name + ": " + err.Error()
		}
	}
	if r.Effect != nil && r.Effect.Expr != "" { // may come out empty: nothing to say
		p, err := x.compile(r.Effect.Expr, types.StringType)
		if err == nil {
			_, err = s.evalText(p)
		}
		if err != nil {
			return "effect: " + err.Error()
		}
	}
	severity := r.Severity
	if Severity(severity).Rank() == 0 {
		p, err := x.compile(severity, types.StringType)
		if err != nil {
			return "severity: " + err.Error()
		}
		if severity, err = s.evalText(p); err != nil {
			return "severity: " + err.Error()
		}
		if Severity(severity).Rank() == 0 && severity != notKnown {
			return "severity gives " + severity + ", expected info, warning or critical"
		}
	}
	if c.Severity != "" && c.Severity != severity {
		return "fails as " + severity + ", expected " + c.Severity
	}
	return ""
}

// caseScope builds the scope of a case; a fact that is not written is unknown.
func caseScope(facts *yaml.Node) (*scope, error) {
	s := &scope{objects: map[string]any{}, tr: newTrace()}
	sch := schema()
	for _, e := range entries(facts, 0) {
		v, err := caseVariable(sch, e.key.Value, e.value)
		if err != nil {
			return nil, err
		}
		s.adopt(v)
		s.objects[e.key.Value] = celValue(e.key.Value, v)
	}
	s.lazy = func(name string) (Value, bool) {
		if t, ok := sch.objects[name]; ok {
			return plain(&Object{typ: t, path: name, given: map[string]Value{}}), true
		}
		_, ok := sch.lists[name]
		return Value{}, ok
	}
	return s, nil
}

// entry is one key of a mapping with its value.
type entry struct{ key, value *yaml.Node }

// entries lists the keys of a mapping, merged ones ("<<") first, so that a
// later one of the same name replaces an earlier one.
func entries(n *yaml.Node, depth int) []entry {
	n = resolve(n)
	if n == nil || n.Kind != yaml.MappingNode || depth > maxDepth {
		return nil
	}
	var out []entry
	put := func(e entry) {
		for i := range out {
			if out[i].key.Value == e.key.Value {
				out[i] = e
				return
			}
		}
		out = append(out, e)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "<<" {
			for _, e := range entries(n.Content[i+1], depth+1) {
				put(e)
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "<<" {
			put(entry{n.Content[i], resolve(n.Content[i+1])})
		}
	}
	return out
}

func caseVariable(sch *factSchema, name string, n *yaml.Node) (Value, error) {
	if t, ok := sch.objects[name]; ok {
		o, err := caseObject(sch, t, name, n)
		return plain(o), err
	}
	if t, ok := sch.lists[name]; ok {
		return caseObjects(sch, t, name, n)
	}
	return Value{}, placed(n, "facts: unknown variable %q, expected one of %s", name, strings.Join(variableNames(), ", "))
}

// placed is an error with line and column of a node.
func placed(n *yaml.Node, format string, args ...any) error {
	return &placedError{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

type placedError struct {
	line, column int
	text         string
}

func (e *placedError) Error() string { return e.text }

func caseObjects(sch *factSchema, t *ObjectType, path string, n *yaml.Node) (Value, error) {
	if n.Kind != yaml.SequenceNode {
		return Value{}, placed(n, "facts: %s is a list", path)
	}
	out := []*Object{}
	for i, e := range n.Content {
		o, err := caseObject(sch, t, fmt.Sprintf("%s[%d]", path, i), resolve(e))
		if err != nil {
			return Value{}, err
		}
		out = append(out, o)
	}
	return plain(out), nil
}

func caseObject(sch *factSchema, t *ObjectType, path string, n *yaml.Node) (*Object, error) {
	if n.Kind != yaml.MappingNode {
		return nil, placed(n, "facts: %s is a mapping of facts", path)
	}
	o := &Object{typ: t, path: path, given: map[string]Value{}}
	for _, e := range entries(n, 0) {
		at, ok := t.index[e.key.Value]
		if !ok {
			return nil, placed(e.key, "facts: %s has no fact %q", path, e.key.Value)
		}
		v, err := caseValue(sch, t.Fields[at], path+"."+e.key.Value, e.value)
		if err != nil {
			return nil, err
		}
		o.given[e.key.Value] = v
	}
	return o, nil
}

func caseValue(sch *factSchema, f Field, path string, n *yaml.Node) (Value, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return missing(fact.Unread, "", ""), nil
	}
	if t := sch.objectField(f); t != nil {
		if f.Type.Kind() == types.ListKind {
			return caseObjects(sch, t, path, n)
		}
		o, err := caseObject(sch, t, path, n)
		return plain(o), err
	}
	v, err := caseScalarOrList(f.Type, n)
	if err != nil {
		return Value{}, placed(n, "facts: %s: %v", path, err)
	}
	return plain(v), nil
}

func caseScalarOrList(t *types.Type, n *yaml.Node) (any, error) {
	if t.Kind() != types.ListKind {
		return caseScalar(t, n)
	}
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("expected a list")
	}
	ints, words := []int64{}, []string{}
	for _, e := range n.Content {
		v, err := caseScalar(t.Parameters()[0], e)
		if err != nil {
			return nil, err
		}
		switch x := v.(type) {
		case int64:
			ints = append(ints, x)
		case string:
			words = append(words, x)
		}
	}
	if t.Parameters()[0].Kind() == types.IntKind {
		return ints, nil
	}
	return words, nil
}

func caseScalar(t *types.Type, n *yaml.Node) (any, error) {
	if n.Kind != yaml.ScalarNode {
		return nil, fmt.Errorf("expected a plain value")
	}
	switch t.Kind() {
	case types.BoolKind:
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", n.Value)
		}
		return b, nil
	case types.IntKind:
		return parseSize(n.Value)
	case types.DoubleKind:
		return strconv.ParseFloat(n.Value, 64)
	default:
		return n.Value, nil
	}
}

// parseSize reads an integer with an optional binary suffix: 64Gi.
func parseSize(s string) (int64, error) {
	shift := 0
	for i, suffix := range []string{"Ki", "Mi", "Gi", "Ti"} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no whole number (64Gi and the like are)", s)
	}
	return n << shift, nil
}
