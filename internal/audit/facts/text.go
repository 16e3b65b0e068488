package facts

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/lazy"
)

// NotKnown is printed in a text for a value that is not known, and for all of it if a condition is not.
const NotKnown = "not known"

// unknown is a value that is not known, also of a function of one.
type unknown struct{}

var errUnknown = errors.New(NotKnown)

// maxText limits what a text prints, and elementCost is what an element of each counts of that besides its text.
const (
	maxText     = 1 << 20
	elementCost = 64
)

// Text prints a text of a rule: itself, or what it gives as a template over the facts.
func (x *Programs) Text(s *Scope, src string) (string, error) {
	if !strings.Contains(src, "{{") {
		return src, nil
	}
	if err := x.parseText(src); err != nil {
		return "", err
	}
	x.left = maxText
	out, err := x.print(src, s)
	s.spent += uint64(maxText-x.left) / elementCost
	switch {
	case errors.Is(err, errUnknown):
		return NotKnown, nil
	case err != nil:
		return "", textFault(err)
	}
	return out, nil
}

func (x *Programs) print(name string, dot any) (string, error) {
	var b strings.Builder
	err := x.templates.ExecuteTemplate(&b, name, dot)
	return b.String(), err
}

func (x *Programs) spend(bytes int) error {
	if x.left -= bytes; x.left < 0 {
		return fmt.Errorf("the text has more than %d bytes", maxText)
	}
	return nil
}

// CheckText checks a text: everything that it may print or decide by is evaluated with a value for each fact. Its errors are
// ExprErrors.
func (x *Programs) CheckText(src string) error {
	if err := x.parseText(src); err != nil {
		return err
	}
	given := map[string]Value{}
	for name, t := range Declared().variables {
		given[name] = PlainValue(sample(t))
	}
	x.left, x.checks = maxText, true
	defer func() { x.checks = false }()
	return x.checkParts(src, NewStatedScope(given))
}

// checkParts evaluates each part by itself, so that every fault is found.
func (x *Programs) checkParts(src string, dot any) error {
	var faults []error
	tree := x.templates.Lookup(src).Copy()
	for _, part := range x.parts[src] {
		tree.Root.Nodes = []parse.Node{part}
		if _, err := x.templates.AddParseTree("part", tree); err != nil {
			return err
		}
		if _, err := x.print("part", dot); err != nil {
			faults = append(faults, textFault(err))
		}
	}
	return errors.Join(faults...)
}

var templateWords = lazy.Pattern(`(?s)^template: .*?:(\d+)(?::(\d+): executing .*? at <.*?>)?: `)

func textFault(err error) *ExprError {
	var out ExprError
	if m := templateWords().FindStringSubmatch(err.Error()); m != nil {
		out.Line, _ = strconv.Atoi(m[1])
		out.Column, _ = strconv.Atoi(m[2])
	}
	for ; err != nil; err = errors.Unwrap(err) {
		out.Message = strings.Replace(templateWords().ReplaceAllString(err.Error(), ""), "interface conversion: interface {}", "the value", 1)
	}
	return &out
}

// parseText makes the template of a text: one that reads its facts when it needs them, with values and conditions alone.
func (x *Programs) parseText(src string) error {
	if x.templates == nil {
		x.templates = template.New("").Funcs(textFunctions).Funcs(template.FuncMap{"each": x.each, "printed": x.printed})
		x.parts = map[string][]parse.Node{}
	}
	if x.parts[src] != nil {
		return nil
	}
	if len(src) > maxExpression {
		return &ExprError{Message: fmt.Sprintf("a text of %d bytes, at most %d are read", len(src), maxExpression)}
	}
	trees, err := parse.Parse("text", src, "", "", textFunctions, strictFunctions)
	if err != nil {
		return textFault(err)
	}
	r := textReader{Programs: x, tree: trees["text"]}
	if len(trees) > 1 {
		r.refuse(r.tree.Root, "a text defines no other")
	}
	r.list(r.tree.Root)
	if len(r.faults) > 0 {
		return errors.Join(r.faults...)
	}
	x.parts[src] = r.parts
	_, err = x.templates.AddParseTree(src, r.tree)
	return err
}

// textReader makes a parsed text read its facts through fact.
type textReader struct {
	*Programs
	tree   *parse.Tree
	parts  []parse.Node
	faults []error
}

func (r *textReader) refuse(n parse.Node, fault string) {
	place, _ := r.tree.ErrorContext(n)
	r.faults = append(r.faults, textFault(errors.New("template: "+place+": executing it at <>: "+fault)))
}

func (r *textReader) list(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
		case *parse.ActionNode:
			r.value(n.Pipe, "printed")
			r.parts = append(r.parts, n)
		case *parse.IfNode:
			r.value(n.Pipe, "needed")
			r.parts = append(r.parts, &parse.ActionNode{NodeType: parse.NodeAction, Pos: n.Pos, Pipe: n.Pipe})
			r.list(n.List)
			r.list(n.ElseList)
		default:
			r.refuse(n, "a text has values, {{if}}, {{else}} and {{end}} alone")
		}
	}
}

func call(at parse.Pos, name string, args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: append([]parse.Node{parse.NewIdentifier(name).SetPos(at)}, args...)}
}

// value returns a node whose fields fact reads, and whose value is given to a function, "" for none.
func (r *textReader) value(node parse.Node, to string) parse.Node {
	switch n := node.(type) {
	case *parse.FieldNode:
		names := []parse.Node{&parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}}
		for _, name := range n.Ident {
			names = append(names, &parse.StringNode{NodeType: parse.NodeString, Pos: n.Pos, Quoted: strconv.Quote(name), Text: name})
		}
		return r.value(&parse.PipeNode{NodeType: parse.NodePipe, Pos: n.Pos, Cmds: []*parse.CommandNode{call(n.Pos, "fact", names...)}}, to)
	case *parse.VariableNode, *parse.ChainNode, *parse.NilNode:
		r.refuse(n, "a text has neither variables nor nil")
	case *parse.PipeNode:
		if len(n.Cmds) > 1 || len(n.Decl) > 0 {
			r.refuse(n, "a text has neither variables nor pipes")
			break
		}
		args := n.Cmds[0].Args
		name, _ := args[0].(*parse.IdentifierNode)
		needs := map[bool]string{true: "needed"}[name != nil && strictFunctions[name.Ident] != nil]
		for i := range args {
			args[i] = r.value(args[i], needs)
		}
		if name != nil && name.Ident == "each" {
			if text, ok := args[len(args)-1].(*parse.StringNode); !ok {
				r.refuse(n, "the text of each is one in quotes")
			} else if err := r.parseText(text.Text); err != nil {
				r.refuse(text, err.Error())
			}
		}
		if to != "" {
			n.Cmds = append(n.Cmds, call(n.Pos, to))
		}
	}
	return node
}

// factOf reads a fact of a scope or of an object in it; of a list, that of every element.
func factOf(of any, names ...string) (any, error) {
	if len(names) == 0 {
		return of, nil
	}
	var v *Value
	missing := "undefined field '%s'"
	switch t := of.(type) {
	case *Scope:
		v, missing = t.variable(names[0]), "undeclared reference to '%s'"
	case *Object:
		v, _ = t.readField(names[0])
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			var err error
			if out[i], err = factOf(e, names...); err != nil || out[i] == any(unknown{}) {
				return out[i], err
			}
		}
		return out, nil
	}
	switch {
	case v == nil:
		return nil, fmt.Errorf(missing, names[0])
	case !v.Known():
		return unknown{}, nil
	}
	return factOf(plainReader(v.Value), names[1:]...)
}

// plainReader returns whole numbers as templates have them, and any list as one type.
func plainReader(v any) any {
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Int64:
		return int(value.Int())
	case reflect.Slice:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = plainReader(value.Index(i).Interface())
		}
		return list
	default:
		return v
	}
}

// sampleElements are those of a sample of a list: a text may take one of them by its index.
const sampleElements = 8

func sample(t *types.Type) any {
	switch t.Kind() { //nolint:exhaustive // facts have no others
	case types.BoolKind:
		return true
	case types.IntKind:
		return int64(1)
	case types.DoubleKind:
		return 1.5
	case types.StringKind:
		return "text"
	case types.ListKind:
		return slices.Repeat([]any{sample(t.Parameters()[0])}, sampleElements)
	}
	given, object := map[string]Value{}, Declared().types[typeName(t)]
	for _, f := range object.Fields {
		given[f.Name] = PlainValue(sample(f.Type))
	}
	return NewStated(object, "", given)
}

// strictFunctions must know all that they take: plural, and those of text/template that texts may call.
var strictFunctions = map[string]any{"and": 0, "or": 0, "not": 0, "eq": 0, "ne": 0, "lt": 0, "le": 0, "gt": 0, "ge": 0, "index": 0, "plural": 0}

// textFunctions are those of texts alone. What they make of a value that is not known is not known, but for known, is and list.
var textFunctions = template.FuncMap{
	"fact": factOf, "printed": (*Programs).printed, "each": (*Programs).each,
	"needed": func(v any) (any, error) {
		if v == any(unknown{}) {
			return nil, errUnknown
		}
		return v, nil
	},
	"known":   func(v any) bool { return v != any(unknown{}) },
	"is":      is,
	"gib":     one(func(v any) any { return humanize.Size(int64(v.(int))) }),
	"days":    one(func(v any) any { return humanize.Days(v.(float64)) }),
	"percent": one(func(v any) any { return fmt.Sprintf("%.0f %%", v.(float64)*100) }),
	"plural":  two(func(v, noun any) any { return humanize.Plural(v.(int), noun.(string)) }),
	"add":     two(func(v, w any) any { return v.(int) + w.(int) }),
	"half":    one(func(v any) any { return v.(int) / 2 }),
	"words":   one(func(v any) any { return sentenceList(listElements(v)) }),
	"listed":  one(func(v any) any { return cmp.Or(humanize.Truncated(listedAtMost, listElements(v)), "none") }),
	"channels_empty": one(func(v any) any { // as in a sentence: channels 2 and 5 are empty
		channels := listElements(v)
		if len(channels) == 1 {
			return "channel " + channels[0] + " is empty"
		}
		return "channels " + sentenceList(channels) + " are empty"
	}),
	"join":     two(func(v, by any) any { return strings.Join(listElements(v), by.(string)) }),
	"len":      one(func(v any) any { return len(v.([]any)) }),
	"differ":   one(func(v any) any { return len(slices.Compact(listElements(v))) > 1 }),
	"in":       two(func(v, list any) any { return slices.Contains(list.([]any), v) }),
	"matching": two(func(v, pattern any) any { return matching(v, regexp.MustCompile(pattern.(string))) }),
	"list":     listOf,
}

// two makes a function of values that are known. It panics for those of another type, and text/template returns that.
func two(do func(v, w any) any) func(v, w any) any {
	return func(v, w any) any {
		if v == any(unknown{}) || w == any(unknown{}) {
			return unknown{}
		}
		return do(v, w)
	}
}

func one(do func(v any) any) func(v any) any {
	inner := two(func(v, _ any) any { return do(v) })
	return func(v any) any { return inner(v, nil) }
}

// each prints a text for every element of a list and leaves out the empty ones.
func (x *Programs) each(list any, src string) (any, error) {
	if list == any(unknown{}) {
		return list, nil
	}
	out := []any{}
	for _, e := range list.([]any) {
		text, err := x.print(src, e)
		if x.checks {
			err = cmp.Or(x.checkParts(src, e), err)
		}
		if errors.Is(err, errUnknown) {
			return unknown{}, nil
		}
		if err = cmp.Or(err, x.spend(elementCost+len(text))); err != nil {
			return nil, err
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out, nil
}

func (x *Programs) printed(v any) (string, error) {
	text, err := plainText(v)
	return text, cmp.Or(err, x.spend(len(text)))
}

func plainText(v any) (string, error) {
	switch t := v.(type) {
	case unknown:
		return NotKnown, nil
	case float64:
		return humanize.Decimal(t), nil
	case string, bool, int:
		return fmt.Sprint(v), nil
	}
	return "", errors.New("a list or a group of facts has no text, expected a value, as words makes of a list")
}

// is reports that a value is known and neither false, zero nor empty, or that it is one of those given.
func is(v any, values ...any) bool {
	if len(values) == 0 {
		truth, _ := template.IsTrue(v)
		return truth && v != any(unknown{})
	}
	return slices.ContainsFunc(values, func(e any) bool { return v != any(unknown{}) && fmt.Sprint(v) == fmt.Sprint(e) })
}

func listElements(list any) []string {
	var out []string
	for _, e := range list.([]any) {
		text, err := plainText(e)
		if err != nil {
			panic(err) // text/template returns it
		}
		out = append(out, text)
	}
	return out
}

// sentenceList joins parts as in a sentence: A, B and C.
func sentenceList(parts []string) string { return cmp.Or(humanize.List(parts), "none") }

// listedAtMost limits the sentences listed: an invalid table may have hundreds.
const listedAtMost = 3

// listOf makes one list of lists and values without what is not known or empty.
func listOf(values ...any) []any {
	var out []any
	for _, v := range values {
		if part, ok := v.([]any); ok {
			out = append(out, part...)
		} else if is(v) {
			out = append(out, v)
		}
	}
	return out
}

// matching returns a text if it has a match, otherwise "", or those of a list.
func matching(in any, re *regexp.Regexp) any {
	list, isList := in.([]any)
	if isList {
		return slices.DeleteFunc(slices.Clone(list), func(e any) bool { return !re.MatchString(e.(string)) })
	}
	return map[bool]string{true: in.(string)}[re.MatchString(in.(string))]
}
