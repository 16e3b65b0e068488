package facts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read is a fact of the schema as an expression reads it.
func read(t *testing.T, variable, name string, src any) Value {
	t.Helper()
	f, ok := Declared().objects[variable].Field(name)
	require.True(t, ok, "%s.%s", variable, name)
	return f.get(src)
}

// fieldCase is the expected value of a fact of the schema, or its reason if unknown.
type fieldCase struct {
	about, field string
	src          any
	want         any
	why          string
}

func holdFields(t *testing.T, variable string, cases []fieldCase) {
	for _, c := range cases {
		v := read(t, variable, c.field, c.src)
		if want, inexact := c.want.(float64); inexact && v.Known() {
			assert.InDelta(t, want, v.Value, 0.0005, "%s: %s", c.field, c.about)
			continue
		}
		assert.Equal(t, c.want, v.Value, "%s: %s", c.field, c.about)
		if c.want == nil {
			assert.Contains(t, v.Reason, c.why, "%s: %s", c.field, c.about)
		}
	}
}
