package fact_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
)

// TestInputsInADocument checks that a document has several inputs as one text and that they are read back as they were.
func TestInputsInADocument(t *testing.T) {
	for text, inputs := range map[string]fact.Inputs{
		`null`:          nil,
		`"run as root"`: {fact.Root},
		`"run as root; a capture that holds /proc/cpuinfo"`: {fact.Root, fact.CaptureOf("/proc/cpuinfo")},
	} {
		out, err := json.Marshal(inputs)
		require.NoError(t, err)
		assert.Equal(t, text, string(out))
		var read fact.Inputs
		require.NoError(t, json.Unmarshal(out, &read))
		assert.Equal(t, inputs, read)
	}
}
