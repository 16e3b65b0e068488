package facts

import (
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/ext"

	"memaudit.example/memaudit/internal/model/humanize"
)

// Limits of a site's own expressions: costLimit stops one after about a third of a second, maxExpression limits
// its length in bytes.
const (
	costLimit     = 200_000
	maxExpression = 16 << 10
)

// maxRange limits the length of a list made by lists.range.
const maxRange = 4096

// provider provides the fact types, so that a checked field is read through Object.field, and an unknown fact
// stays unknown inside macros, too, where attribute patterns do not apply.
type provider struct{ types.Provider }

func (p provider) FindStructType(name string) (*types.Type, bool) {
	if t := factType(name); t != nil {
		return types.NewTypeTypeWithParam(t.cel), true
	}
	return p.Provider.FindStructType(name)
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	t := factType(name)
	if t == nil {
		return p.Provider.FindStructFieldNames(name)
	}
	out := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		out[i] = f.Name
	}
	return out, true
}

func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	t := factType(name)
	if t == nil {
		return p.Provider.FindStructFieldType(name, field)
	}
	i, ok := t.index[field]
	if !ok {
		return nil, false
	}
	return &types.FieldType{
		Type: t.Fields[i].Type,
		IsSet: func(target any) bool {
			o, ok := target.(*Object)
			return ok && o.IsSet(types.String(field)) == types.True
		},
		GetFrom: func(target any) (any, error) {
			o, ok := target.(*Object)
			if !ok {
				return nil, fmt.Errorf("fact %s.%s: read from %T, expected an object of facts", name, field, target)
			}
			return o.Get(types.String(field)), nil
		},
	}, true
}

// factType finds a fact type by its CEL name; nil for other types.
func factType(name string) *ObjectType {
	short, ok := strings.CutPrefix(name, typePrefix)
	if !ok {
		return nil
	}
	return Declared().types[short]
}

// environment is the CEL environment for parsing and checking expressions: the fact variables, CEL's own
// functions, strings, lists and sets, and the display functions below.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	opts := []cel.EnvOption{cel.ParserExpressionSizeLimit(maxExpression), cel.StdLib(), ext.Strings(), ext.Lists(ext.ListsVersion(4), ext.ListsMaxRangeSize(maxRange)), ext.Sets()}
	for name, t := range Declared().variables() {
		opts = append(opts, cel.Variable(name, t))
	}
	env, err := cel.NewCustomEnv(append(opts, displays()...)...)
	if err != nil {
		return nil, err
	}
	return env.Extend(cel.CustomTypeProvider(provider{env.CELTypeProvider()}))
})

func displays() []cel.EnvOption {
	return []cel.EnvOption{
		display("gib", []*types.Type{types.IntType}, func(v ref.Val) string { return humanize.Size(int64(v.(types.Int))) }),
		display("days", []*types.Type{types.DoubleType}, func(v ref.Val) string { return humanize.Days(float64(v.(types.Double))) }),
		display("text", []*types.Type{types.IntType, types.StringType, types.DoubleType, types.BoolType}, plainText),
		display("words", []*types.Type{types.NewListType(types.StringType), types.NewListType(types.IntType)}, elementList),
		display("listed", []*types.Type{types.NewListType(types.StringType)}, listed),
		display("channels_empty", []*types.Type{types.NewListType(types.IntType), types.NewListType(types.StringType)}, channelsEmpty),
		display("percent", []*types.Type{types.DoubleType}, func(v ref.Val) string {
			return fmt.Sprintf("%.0f %%", float64(v.(types.Double))*100)
		}),
	}
}

// display declares a function that turns a value into text and prints "not known" for an unknown one: the texts
// of a finding are never unknown.
func display(name string, args []*types.Type, render func(ref.Val) string) cel.EnvOption {
	var overloads []cel.FunctionOpt
	for i, arg := range args {
		overloads = append(overloads, cel.Overload(fmt.Sprintf("%s_%d", name, i), []*types.Type{arg}, types.StringType,
			cel.OverloadIsNonStrict(),
			cel.UnaryBinding(func(v ref.Val) ref.Val {
				switch {
				case types.IsUnknown(v):
					return types.String(NotKnown)
				case types.IsError(v):
					return v
				default:
					return types.String(render(v))
				}
			})))
	}
	return cel.Function(name, overloads...)
}

// sentenceList joins parts as in a sentence: A, B and C.
func sentenceList(parts []string) string {
	if len(parts) == 0 {
		return "none"
	}
	return humanize.List(parts)
}

func elements(v ref.Val) []string {
	l, ok := v.(traits.Lister)
	if !ok {
		return nil
	}
	var parts []string
	for it := l.Iterator(); it.HasNext() == types.True; {
		parts = append(parts, plainText(it.Next()))
	}
	return parts
}

// listed joins sentences, the first three of many: "a; b; c; and 4 more".
func listed(v ref.Val) string {
	parts := elements(v)
	if len(parts) == 0 {
		return "none"
	}
	return humanize.Truncated(listedAtMost, parts)
}

// listedAtMost limits the sentences listed: an invalid table may have hundreds.
const listedAtMost = 3

func elementList(v ref.Val) string { return sentenceList(elements(v)) }

// channelsEmpty is the sentence for channels without a module: "channels 2 and 5 are empty".
func channelsEmpty(v ref.Val) string {
	if parts := elements(v); len(parts) == 1 {
		return "channel " + parts[0] + " is empty"
	}
	return "channels " + elementList(v) + " are empty"
}

func plainText(v ref.Val) string {
	if number, ok := v.(types.Double); ok {
		return humanize.Decimal(float64(number))
	}
	return fmt.Sprint(v.Value())
}

// NotKnown is printed for an unknown fact in a text expression.
const NotKnown = "not known"
