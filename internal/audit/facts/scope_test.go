package facts

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

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
