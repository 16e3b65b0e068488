package facts

import (
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
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
	if t := findFactType(name); t != nil {
		return types.NewTypeTypeWithParam(t.cel), true
	}
	return p.Provider.FindStructType(name)
}

func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	t := findFactType(name)
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
	t := findFactType(name)
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

// findFactType finds a fact type by its CEL name; nil for other types.
func findFactType(name string) *ObjectType {
	short, ok := strings.CutPrefix(name, typePrefix)
	if !ok {
		return nil
	}
	return Declared().types[short]
}

// environment is the CEL environment for parsing and checking expressions: the fact variables, CEL's own
// functions, strings, lists and sets.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	known, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	opts := []cel.EnvOption{cel.CustomTypeAdapter(known), cel.CustomTypeProvider(provider{known}), cel.ParserExpressionSizeLimit(maxExpression), cel.StdLib(), ext.Strings(), ext.Lists(ext.ListsVersion(4), ext.ListsMaxRangeSize(maxRange)), ext.Sets()}
	for name, t := range Declared().variables {
		opts = append(opts, cel.Variable(name, t))
	}
	return cel.NewCustomEnv(opts...)
})
