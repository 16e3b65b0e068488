package facts

import (
	"reflect"
	"strconv"
	"testing"

	"cel.dev/cel-go/common/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// TestSubjectsHaveNoPlaceWithoutOne checks that an expression about the machine has no socket or slot.
func TestSubjectsHaveNoPlaceWithoutOne(t *testing.T) {
	s := NewScope(NewMachine(&inventory.System{}, &population.Result{}))
	for variable := range Declared().objects {
		_, found := s.ResolveName(variable)
		switch variable {
		case "socket", "slot", "node", "setting", SubjectCounter, SubjectBaseline, SubjectMeasured:
			assert.False(t, found, variable)
		default:
			assert.True(t, found, variable)
		}
	}
	_, found := s.ResolveName("sockets")
	assert.True(t, found)
	_, found = s.ResolveName("nothing")
	assert.False(t, found)
}

// TestScopeOfASubject checks that a subject's variable is its object, and every other one the machine's.
func TestScopeOfASubject(t *testing.T) {
	m := NewMachine(&inventory.System{}, &population.Result{})
	m.sys.Machine.Product = sure("R610")
	s := NewScope(m)
	o := &Object{typ: Declared().objects["node"], src: &nodeFacts{n: &inventory.Node{ID: 3}}}
	s.About(Subject{Of: inventory.NodeSubject(3), Variable: "node", object: o})
	got, _ := s.ResolveName("node")
	assert.Same(t, o, got)
	assert.Equal(t, "3", s.PlainFact("node", "id"))
	assert.Equal(t, "R610", s.PlainFact("machine", "product"))
	s.About(Subject{Variable: "machine"})
	assert.Equal(t, "R610", s.PlainFact("machine", "product"))
}

// TestScopeOfStatedFacts checks that facts, lists and objects missing from a case are unknown, and that a name
// outside the schema is an error.
func TestScopeOfStatedFacts(t *testing.T) {
	s := NewStatedScope(map[string]Value{"machine": PlainValue(NewStated(Declared().objects["machine"], "machine", map[string]Value{"product": PlainValue("R610")}))})
	assert.Equal(t, "R610", s.PlainFact("machine", "product"))
	got, found := s.ResolveName("memory")
	assert.True(t, found)
	assert.IsType(t, &Object{}, got)
	_, found = s.ResolveName("nodes")
	assert.True(t, found)
	_, found = s.ResolveName("nothing")
	assert.False(t, found)
}

// TestYesOrNo checks that a condition is true, false or unknown, and that other expressions are errors.
func TestYesOrNo(t *testing.T) {
	m := NewMachine(&inventory.System{}, &population.Result{})
	m.sys.Machine.Vendor = sure("Dell Inc.")
	s, x := NewScope(m), Programs{}
	for src, want := range map[string]bool{"1 < 2": true, "1 > 2": false, "machine.product == 'R610'": false, "has(machine.product)": false, "has(machine.vendor)": true} {
		value, o := x.Bool(s, src)
		assert.Equal(t, want, value, src)
		require.NoError(t, o.Err, src)
		assert.Equal(t, src == "machine.product == 'R610'", o.Val == nil, src)
	}
	text, err := EncodeExpr("'text'")
	require.NoError(t, err)
	for _, x := range []Programs{{}, {Encoded: map[string][]byte{"'text'": text}}} {
		value, o := x.Bool(s, "'text'")
		assert.False(t, value)
		require.ErrorContains(t, o.Err, "expression gives string, expected bool")
	}
}

// TestHas checks that has() is true for a known fact, whoever asks.
func TestHas(t *testing.T) {
	o := &Object{typ: Declared().objects["node"], path: "node", src: &nodeFacts{n: &inventory.Node{ID: 3}}}
	assert.Equal(t, types.True, o.IsSet(types.String("id")))
	assert.Equal(t, types.False, o.IsSet(types.String("tier")))
	assert.Equal(t, types.False, o.IsSet(types.Int(1)))
	for name, want := range map[string]bool{"id": true, "tier": false} {
		field, ok := provider{}.FindStructFieldType(Declared().objects["node"].cel.TypeName(), name)
		require.True(t, ok)
		assert.Equal(t, want, field.IsSet(o), name)
		assert.False(t, field.IsSet("another object"), name)
	}
}

// TestWeakestFact checks that an unknown fact that was read does not weaken the result, and that one unverified fact
// is named.
func TestWeakestFact(t *testing.T) {
	s := NewScope(NewMachine(&inventory.System{}, &population.Result{}))
	hold := func(certainty fact.Certainty, unverified string) {
		t.Helper()
		weakest, doubt := s.Certainty()
		assert.Equal(t, certainty, weakest)
		assert.Equal(t, unverified, doubt)
	}
	s.tr.read(&answer{value: Missing(fact.Absent, "not stated", "")})
	hold(fact.Direct, "")
	s.tr.read(&answer{value: valueOf(doubtfulFact()), doc: "the doubtful one"})
	hold(fact.Indirect, "the doubtful one")
	s.tr.read(&answer{value: valueOf(sure("read")), doc: "the sure one"})
	hold(fact.Indirect, "the doubtful one")
}

// doubtfulFact is one of what no document confirms.
func doubtfulFact() fact.Fact[string] {
	f := fact.Known("x", fact.Indirect, fact.Evidence{})
	f.Unverified = true
	return f
}

// TestPlainFact checks that a text or number is returned as printed, and nothing for an unknown or structured value.
func TestPlainFact(t *testing.T) {
	m := NewMachine(&inventory.System{Sockets: []inventory.Socket{{Populated: sure(true)}}}, &population.Result{})
	m.sys.Machine.Product = sure("R610")
	s := NewScope(m)
	for want, at := range map[string][2]string{"R610": {"machine", "product"}, "1": {"machine", "processors"}} {
		assert.Equal(t, want, s.PlainFact(at[0], at[1]))
	}
	for _, at := range [][2]string{{"machine", "vendor"}, {"memory", "per_socket"}, {"sockets", "id"}, {"nothing", "id"}} {
		assert.Empty(t, s.PlainFact(at[0], at[1]))
	}
}

// TestEvidenceOfAVerdict checks that each source is listed once, up to a limit.
func TestEvidenceOfAVerdict(t *testing.T) {
	tr := newTrace()
	for i := range 2 * maxEvidence {
		tr.read(&answer{value: reading("same"), path: "same " + strconv.Itoa(i)})
	}
	assert.Len(t, tr.evidence(), 1)
	for i := range 2 * maxEvidence {
		tr.read(&answer{value: reading(strconv.Itoa(i), "more of "+strconv.Itoa(i)), path: "own " + strconv.Itoa(i)})
	}
	assert.Len(t, tr.evidence(), maxEvidence)
}

// TestPathsFollowTheirObject checks that an object that is found in another place has other paths.
func TestPathsFollowTheirObject(t *testing.T) {
	o := &Object{typ: Declared().objects["node"], path: "nodes[0]", src: &nodeFacts{n: &inventory.Node{ID: 3}}, trace: newTrace()}
	for _, at := range []string{"nodes[0]", "nodes[0]", "node", "nodes[0]"} {
		o.path = at
		v, path := o.field("id")
		assert.Equal(t, at+".id", path)
		assert.Equal(t, int64(3), v.v)
	}
	for _, at := range []string{"nodes[0]", "node"} {
		assert.True(t, o.trace.value(at+".id").Known(), "known by each path it was read under")
	}
	o.trace.reset()
	assert.False(t, o.trace.value("node.id").Known(), "nothing was read since")
	_, _ = o.field("id")
	assert.True(t, o.trace.value("nodes[0].id").Known())
	other := newTrace()
	o.trace = other
	_, _ = o.field("id")
	assert.True(t, other.value("nodes[0].id").Known(), "an object that another trace takes over is read for it too")
}

// TestStatedFacts checks that a case's fact keeps its own reason, and that a fact it does not state is unknown.
func TestStatedFacts(t *testing.T) {
	o := NewStated(Declared().objects["node"], "node", map[string]Value{"id": PlainValue(3), "tier": Missing(fact.Denied, "was denied", "")})
	v, _ := o.field("id")
	assert.Equal(t, []any{int64(3), ""}, []any{v.v, v.Reason})
	v, _ = o.field("tier")
	assert.Equal(t, []any{nil, "was denied"}, []any{v.v, v.Reason})
	v, _ = o.field("bytes")
	assert.Equal(t, []any{nil, "not stated"}, []any{v.v, v.Reason})
}

// evaluated is a condition's value over two nodes.
func evaluated(x *Programs, src string) Outcome {
	m := NewMachine(&inventory.System{Nodes: []inventory.Node{{ID: 0, Kind: sure(inventory.NodeDRAM)}, {ID: 1, Kind: sure(inventory.NodeCXL)}}}, &population.Result{})
	_, o := x.Bool(NewScope(m), src)
	return o
}

// TestObjectsInExpressions checks that two nodes are equal only if they are the same one.
func TestObjectsInExpressions(t *testing.T) {
	for src, want := range map[string]bool{
		"nodes[0] == nodes[0]": true, "nodes[0] == nodes[1]": false, "nodes[1] in nodes": true,
		"nodes.exists(n, n.kind == 'cxl')": true, "nodes.exists(n, n == nodes[0] && n.id == 1)": false,
	} {
		assert.Equal(t, types.Bool(want), evaluated(&Programs{}, src).Val, src)
	}
	o, typ := &Object{typ: Declared().objects["node"], path: "node"}, Declared().objects["node"].cel
	assert.Same(t, o, o.ConvertToType(typ))
	assert.True(t, types.IsError(o.ConvertToType(types.IntType)))
	native, err := o.ConvertToNative(reflect.TypeFor[*Object]())
	require.NoError(t, err)
	assert.Same(t, o, native)
	_, err = o.ConvertToNative(reflect.TypeFor[string]())
	assert.ErrorContains(t, err, "no conversion to string")
}

// TestPlannedAhead checks that a precompiled expression gives the same result as a checked one.
func TestPlannedAhead(t *testing.T) {
	for _, src := range []string{
		"nodes.size() == 2", "-nodes[1].id == -1", "!(nodes[0].id > 0) ? true : false", "text(nodes[1].id) == '1'",
		"'a-b'.split('-').size() == 2", "'sets'.contains('s')", "[1, 2].slice(0, 1).size() == 1 && true", "sets.contains([1, 2], [1])",
		"'a,b'.split(',') == ['a', 'b'] && nodes.size() == 2",
	} {
		data, err := EncodeExpr(src)
		require.NoError(t, err, src)
		assert.Equal(t, types.True, evaluated(&Programs{Encoded: map[string][]byte{src: data}}, src).Val, src)
	}
	_, err := EncodeExpr("nodes.size( == 2")
	assert.Error(t, err)
}

// TestListsInWords checks lists in sentences, and that an empty one is empty.
func TestListsInWords(t *testing.T) {
	for src, want := range map[string]string{
		"listed(['a'])": "a", "listed(['a', 'b'])": "a; b", "listed(['a', 'b', 'c', 'd', 'e'])": "a; b; c; and 2 more", "listed([''].filter(x, x != ''))": "none",
		"words(['a'])": "a", "words(['a', 'b', 'c'])": "a, b and c", "words([1].filter(x, x > 1))": "none", "words([1, 2])": "1 and 2", "listed(memory.per_socket)": "not known",
		"percent(0.784)": "78 %", "gib(8589934592)": "8 GiB", "text(true)": "true",
	} {
		have, err := (&Programs{}).Text(NewScope(NewMachine(&inventory.System{}, &population.Result{})), src)
		require.NoError(t, err, src)
		assert.Equal(t, want, have, src)
	}
}

// TestProgramsAhead checks that a precompiled expression is used unchanged, including its error, and that others are
// compiled.
func TestProgramsAhead(t *testing.T) {
	data, err := EncodeExpr("nodes.size() == 2")
	require.NoError(t, err)
	x := &Programs{Encoded: map[string][]byte{"known": data, "damaged": {1}}}
	for range 2 {
		assert.Equal(t, types.True, evaluated(x, "known").Val)
		require.Error(t, evaluated(x, "damaged").Err)
		assert.Equal(t, types.False, evaluated(x, "nodes.size() == 3").Val)
		require.ErrorContains(t, evaluated(x, "nodes.size()").Err, "expected bool")
	}
}

// TestSchemaInWords checks what the page of facts shows for a field and its objects.
func TestSchemaInWords(t *testing.T) {
	s, text := Declared(), Document()
	for _, want := range []string{"\n## `machine`: identity of the machine\n", "\n## `socket`: one processor and its memory\n", "| `dpc` | list of int |", "| `vendor` | string |",
		"| `controllers` | list of Controller |", "\n## elements of `socket.regions`", "\n## `settings`: canonical values"} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "`settings`: BIOS settings in canonical words", "one line names them all")
	assert.NotContains(t, text, "\n## `sockets`", "a list's elements are described once")
	field := func(variable, name string) Field {
		f, ok := s.objects[variable].Field(name)
		require.True(t, ok)
		return f
	}
	assert.Equal(t, "Region", s.ObjectField(field("socket", "regions")).Name)
	assert.Nil(t, s.ObjectField(field("socket", "dpc")))
	assert.Nil(t, s.ObjectField(field("socket", "bytes")))
	names, ok := provider{}.FindStructFieldNames("fact.Region")
	assert.True(t, ok)
	assert.Equal(t, []string{"bytes", "ways"}, names)
}
