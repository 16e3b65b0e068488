package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"

	"memaudit.example/memaudit/internal/model/settings"
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

// Schema is the set of facts that expressions can use: the variables and their object types. They are declared
// only here, for the checker, the cases of rules, the documentation and the evaluation.
type Schema struct {
	// types are all object types by name.
	types map[string]*ObjectType
	// objects maps a variable to its object type; lists maps list variables.
	objects, lists map[string]*ObjectType
	variables      map[string]*types.Type
}

// Declared builds the fact schema once.
var Declared = sync.OnceValue(func() *Schema {
	var ofSettings []Field
	for _, id := range settings.IDs() {
		ofSettings = append(ofSettings, Field{id, textType, "canonical value of the setting of this name: the configured value if known, else the effective one",
			machineReader(func(m *Machine) Value { v, _ := selectValue(m.sys.Settings[id]); return v })})
	}
	s := &Schema{types: map[string]*ObjectType{}, variables: map[string]*types.Type{},
		objects: map[string]*ObjectType{
			"machine": machineType, "kernel": kernelType, "firmware": firmwareType, "platform": platformType, "processor": processorType, "memory": memoryType,
			"numa": numaType, "slurm": slurmType, "settings": newObjectType("Settings", "BIOS settings in canonical words", ofSettings...), "measurement": measurementType,
			"socket": socketType, "slot": slotType, "node": nodeType, "setting": settingType,
			SubjectBaseline: changeType, SubjectMeasured: measuredType, SubjectCounter: counterType, SubjectDevice: deviceType,
		},
		lists: map[string]*ObjectType{"sockets": socketType, "slots": slotType, "nodes": nodeType}}
	for _, t := range append(slices.Collect(maps.Values(s.objects)), controllerType, regionType, pairType, crossingType) {
		s.types[t.Name], t.index = t, make(map[string]int, len(t.Fields))
		for i := range t.Fields {
			t.index[t.Fields[i].Name] = i
		}
	}
	for name, t := range s.objects {
		s.variables[name] = t.cel
	}
	for name, t := range s.lists {
		s.variables[name] = types.NewListType(t.cel)
	}
	return s
})

// Object returns the type of the object that a variable names.
func (s *Schema) Object(variable string) (*ObjectType, bool) {
	t, ok := s.objects[variable]
	return t, ok
}

// List returns the type of the elements of a list variable.
func (s *Schema) List(variable string) (*ObjectType, bool) {
	t, ok := s.lists[variable]
	return t, ok
}

// VariableNames lists the fact variables, sorted.
func (s *Schema) VariableNames() []string {
	return slices.Sorted(maps.Keys(s.variables))
}

// ObjectField returns the object type of a field that holds one object or a list of them; nil for a plain fact.
func (s *Schema) ObjectField(f Field) *ObjectType {
	t := f.Type
	if t.Kind() == types.ListKind {
		t = t.Parameters()[0]
	}
	return s.types[strings.TrimPrefix(t.TypeName(), typePrefix)]
}

func typeName(t *types.Type) string {
	if t.Kind() == types.ListKind {
		return "list of " + typeName(t.Parameters()[0])
	}
	return strings.TrimPrefix(t.String(), typePrefix)
}
