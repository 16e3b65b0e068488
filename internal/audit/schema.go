package audit

import (
	"sync"

	"cel.dev/cel-go/common/types"
)

// factSchema is every fact an expression may name: the variables and the
// object types behind them. It is the one place that declares them; the
// checker, the cases of rules, the documentation and the evaluation read it.
type factSchema struct {
	types map[string]*ObjectType
	// variables maps a variable to its CEL type.
	variables map[string]*types.Type
	// objects maps a variable to its object type; list variables have theirs
	// in lists.
	objects, lists map[string]*ObjectType
}

// schema builds the fact schema once.
var schema = sync.OnceValue(func() *factSchema {
	s := &factSchema{types: map[string]*ObjectType{}, variables: map[string]*types.Type{},
		objects: map[string]*ObjectType{}, lists: map[string]*ObjectType{}}
	controller, region := controllerType(), regionType()
	socket := socketType(controller, region)
	slot, node := slotType(), nodeType()
	for _, t := range []*ObjectType{controller, region} {
		s.types[t.Name] = t
	}
	s.object("machine", machineType())
	s.object("firmware", firmwareType())
	s.object("platform", platformType())
	s.object("processor", processorType())
	s.object("memory", memoryType())
	s.object("numa", numaType())
	s.object("settings", settingsType())
	s.object("setting", settingType())
	s.object(subjectBaseline, changeType())
	s.object("socket", socket)
	s.object("slot", slot)
	s.object("node", node)
	s.list("sockets", socket)
	s.list("slots", slot)
	s.list("nodes", node)
	return s
})

func (s *factSchema) object(variable string, t *ObjectType) {
	s.types[t.Name] = t
	s.objects[variable] = t
	s.variables[variable] = t.cel
}

func (s *factSchema) list(variable string, t *ObjectType) {
	s.types[t.Name] = t
	s.lists[variable] = t
	s.variables[variable] = types.NewListType(t.cel)
}

// Shorthands of the field tables.
var (
	boolT    = types.BoolType
	intT     = types.IntType
	textT    = types.StringType
	floatT   = types.DoubleType
	intsT    = types.NewListType(types.IntType)
	stringsT = types.NewListType(types.StringType)
)

// objectField finds the object type behind a field that holds one object or a
// list of them; nil for a plain fact.
func (s *factSchema) objectField(f Field) *ObjectType {
	t := f.Type
	if t.Kind() == types.ListKind && len(t.Parameters()) == 1 {
		t = t.Parameters()[0]
	}
	if t.Kind() != types.StructKind {
		return nil
	}
	for _, o := range s.types {
		if o.cel.TypeName() == t.TypeName() {
			return o
		}
	}
	return nil
}
