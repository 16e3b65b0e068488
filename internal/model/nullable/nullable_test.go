package nullable

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestString checks that null is the empty string in both directions, and that the document's encoder decides about
// escapes.
func TestString(t *testing.T) {
	type document struct {
		A String `json:"a"`
		B String `json:"b"`
	}
	text, err := json.Marshal(document{A: `1 < 2 "x"`})
	require.NoError(t, err)
	assert.Contains(t, string(text), `1 \u003c 2 \"x\"`)
	assert.JSONEq(t, `{"a":"1 < 2 \"x\"","b":null}`, string(text))
	read := document{B: "before"}
	require.NoError(t, json.Unmarshal([]byte(`{"a":"1 < 2","b":null}`), &read))
	assert.Equal(t, document{A: "1 < 2", B: "before"}, read, "null leaves a value as it is, as with every type of encoding/json")
}
