package rulepack

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/types"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
)

// Runner evaluates the cases of a pack: it compiles every expression once and counts the cost of the
// evaluations.
type Runner struct {
	programs facts.Programs
	spent    uint64
	// unmet are the titles of the prerequisites that the last case does not meet.
	unmet []string
}

// baseCost is the cost of a case's facts, without its expressions.
const baseCost = 500

// Run evaluates one case of a rule and returns what is wrong, "" if it is as expected.
func (x *Runner) Run(r *Rule, c *Case) (complaint string) {
	s, err := c.Scope()
	if err != nil {
		return err.Error()
	}
	defer func() { x.spent += s.Cost() + baseCost }()
	x.unmet = nil
	got, o, err := x.evaluateRule(r, s)
	switch {
	case err != nil:
		return err.Error()
	case c.Unmet != nil && !slices.Equal(c.Unmet, x.unmet):
		return fmt.Sprintf("does not meet %q, expected %q", x.unmet, c.Unmet)
	case string(got) != c.Expect:
		return fmt.Sprintf("gives %s%s, expected %s", got, missingText(o), c.Expect)
	case c.Missing != "" && !slices.Contains(o.Missing, c.Missing):
		return fmt.Sprintf("is unknown for lack of %s, expected %s", strings.Join(o.Missing, ", "), c.Missing)
	case got == verdict.Fail:
		return x.say(r, s, c)
	}
	return ""
}

func missingText(o facts.Outcome) string {
	if len(o.Missing) == 0 {
		return ""
	}
	return " for lack of " + strings.Join(o.Missing, ", ")
}

func (x *Runner) evaluateRule(r *Rule, s *facts.Scope) (verdict.Result, facts.Outcome, error) {
	if r.Applies != "" {
		applies, o := x.programs.Bool(s, r.Applies)
		switch {
		case o.Err != nil:
			return verdict.Error, o, fmt.Errorf("applies: %w", o.Err)
		case o.Val == nil:
			return verdict.Unknown, o, nil
		case !applies:
			return verdict.NotApplicable, o, nil
		}
	}
	holds, o := x.programs.Bool(s, r.Check)
	got := verdict.Fail
	switch {
	case o.Err != nil:
		return verdict.Error, o, fmt.Errorf("check: %w", o.Err)
	case o.Val == nil:
		got = verdict.Unknown
	case holds:
		got = verdict.Pass
	}
	met := make([]verdict.Result, len(r.Prerequisites))
	var err error
	for i := range r.Prerequisites {
		if met[i], err = r.Prerequisites[i].Evaluate(&x.programs, s); err != nil {
			return verdict.Error, o, fmt.Errorf("prerequisites: %s: %w", r.Prerequisites[i].Title, err)
		}
		if met[i] == verdict.Fail {
			x.unmet = append(x.unmet, r.Prerequisites[i].Title)
		}
	}
	return r.FeatureResult(got, met), o, nil
}

// longestShort limits the short sentence of a rule: one line of a report.
const longestShort = 120

type ruleText struct{ key, src string }

func (r *Rule) texts() []ruleText {
	t := r.Texts()
	return []ruleText{{"short", t.Short}, {"label", t.Label}, {"fix", t.Fix}, {"found", t.Found}, {"expected", t.Expected}, {"remedy", t.Remedy}}
}

// No text may fail or be empty, and the severity must be the one in the case.
func (x *Runner) say(r *Rule, s *facts.Scope, c *Case) string {
	for _, t := range r.texts() {
		if t.src == "" {
			continue
		}
		switch text, err := x.programs.Text(s, t.src); {
		case err != nil:
			return t.key + ": " + err.Error()
		case text == "":
			return t.key + " comes out empty"
		case t.key == "short" && len(text) > longestShort:
			return fmt.Sprintf("short comes out with %d letters, expected at most %d: %s", len(text), longestShort, text)
		}
	}
	if e := r.Texts().Effect; e != nil {
		for _, src := range []string{e.Text, e.Source} {
			if _, err := x.programs.Text(s, src); err != nil { // may be empty
				return "effect: " + err.Error()
			}
		}
	}
	severity := r.Severity
	if verdict.Severity(severity).Rank() == 0 {
		var err error
		if severity, err = x.programs.Word(s, severity); err != nil {
			return "severity: " + err.Error()
		}
		if verdict.Severity(severity).Rank() == 0 && severity != facts.NotKnown {
			return "severity gives " + severity + ", expected info, warning or critical"
		}
	}
	if c.Severity != "" && c.Severity != severity {
		return "fails as " + severity + ", expected " + c.Severity
	}
	return ""
}

// Scope returns the scope of the case's expressions: its facts; all others are unknown.
func (c *Case) Scope() (*facts.Scope, error) { return statedScope(&c.Facts) }

func statedScope(written *yaml.Node) (*facts.Scope, error) {
	given := map[string]facts.Value{}
	for _, name := range datafile.Keys(written) {
		v, err := caseVariable(name, datafile.Value(written, name))
		if err != nil {
			return nil, err
		}
		given[name] = v
	}
	return facts.NewStatedScope(given), nil
}

func caseVariable(name string, n *yaml.Node) (facts.Value, error) {
	if t, ok := facts.Declared().Object(name); ok {
		o, err := caseObject(t, name, n)
		return facts.PlainValue(o), err
	}
	if t, ok := facts.Declared().List(name); ok {
		return caseObjects(t, name, n)
	}
	return facts.Value{}, fmt.Errorf("facts: unknown variable %q, expected one of %s", name, strings.Join(facts.Declared().VariableNames(), ", "))
}

func caseObjects(t *facts.ObjectType, path string, n *yaml.Node) (facts.Value, error) {
	if n.Kind != yaml.SequenceNode {
		return facts.Value{}, fmt.Errorf("facts: %s is a list", path)
	}
	out := []*facts.Object{}
	for i, e := range n.Content {
		o, err := caseObject(t, fmt.Sprintf("%s[%d]", path, i), datafile.Resolve(e))
		if err != nil {
			return facts.Value{}, err
		}
		out = append(out, o)
	}
	return facts.PlainValue(out), nil
}

// mostFacts limits the facts of an object that an error lists: of more, those spelled most like the unknown
// one.
const mostFacts = 8

// factsLike lists the facts of a type, those spelled most like an unknown one first.
func factsLike(t *facts.ObjectType, asked string) string {
	names := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
	}
	return strings.Join(humanize.Nearest(names, asked, mostFacts), ", ") + map[bool]string{true: " ..."}[len(names) > mostFacts]
}

func caseObject(t *facts.ObjectType, path string, n *yaml.Node) (*facts.Object, error) {
	if n.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("facts: %s is a mapping of facts", path)
	}
	given := map[string]facts.Value{}
	for _, name := range datafile.Keys(n) {
		f, ok := t.Field(name)
		if !ok {
			return nil, fmt.Errorf("facts: %s has no fact %q, expected one of %s", path, name, factsLike(t, name))
		}
		v, err := caseValue(f, path+"."+name, datafile.Value(n, name))
		if err != nil {
			return nil, err
		}
		given[name] = v
	}
	return facts.NewStated(t, path, given), nil
}

func caseValue(f facts.Field, path string, n *yaml.Node) (facts.Value, error) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return facts.MissingValue(fact.Unread, "", ""), nil
	}
	if t := facts.Declared().ObjectField(f); t != nil { // all of them are lists
		return caseObjects(t, path, n)
	}
	v, err := caseScalarOrList(f.Type, n)
	if err != nil {
		return facts.Value{}, fmt.Errorf("facts: %s: %w", path, err)
	}
	return facts.PlainValue(v), nil
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

// parseSize parses an integer with an optional binary suffix: 64Gi.
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
		return 0, fmt.Errorf("%q is not a whole number (64Gi and the like are)", s)
	}
	return n << shift, nil
}
