package bios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/bios"
)

// TestEqualKeys checks that of two equal keys with different values neither counts, in any order, with a problem;
// equal values count once.
func TestEqualKeys(t *testing.T) {
	const head, tail = `{"@odata.type":"#Bios.v1_0_0.Bios","AttributeRegistry":"R","Attributes":{`, `}}`
	for body, want := range map[string]struct {
		stated   bool
		problems []string
	}{
		`"NumaNodes":"4","Turbo":"On","Turbo":"Off"`:             {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"Off","NumaNodes":"a:b\"c","Turbo":"On"`:        {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"Off","Turbo":"On","Turbo":null`:   {false, []string{"$.Attributes.Turbo: is listed more than once with different values, and none of them is taken"}},
		`"Turbo":"On","Turbo":"On"`:                              {true, nil},
		`"Turbo":"On","NumaNodes":"x:y","Other":"\\\"Turbo\":1"`: {true, nil},
	} {
		e, err := bios.Decode("x.json", []byte(head+body+tail))
		require.NoError(t, err, body)
		assert.Equal(t, want.problems, e.Problems, body)
		found := false
		for _, a := range e.Attributes {
			if a.Name == "Turbo" {
				found = true
				assert.Equal(t, want.stated, a.Stated, body)
			}
		}
		assert.True(t, found, body)
	}
}
