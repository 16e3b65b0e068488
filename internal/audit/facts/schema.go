package facts

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/model/settings"
)

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
