package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
