package measure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/measure"
)

// TestDecode checks that a document of this schema is read, its figures are computed from its passes, and impossible
// numbers are refused.
func TestDecode(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	data, err := measure.Refuse("a guest", at).Encode()
	require.NoError(t, err)
	assert.Equal(t, byte('\n'), data[len(data)-1])
	r, err := measure.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, "a guest", string(r.Refused))

	text := func(schema, generated string, cpu, memory, threads int) []byte {
		return fmt.Appendf(nil, `{"schema": %q, "generated_at": %q, "nodes": [{"cpu_node": %d, "memory_node": %d, "threads": %d, "read_bytes_per_second": 5e9, "decided": true, "passes": []}]}`, schema, generated, cpu, memory, threads)
	}
	const now = "2026-11-26T12:00:00Z"
	r, err = measure.Decode(text(measure.Schema, now, 0, 0, 1))
	require.NoError(t, err)
	assert.Nil(t, r.Nodes[0].Read, "what no pass shows is not believed")
	assert.False(t, r.Decided())
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"no JSON":        {[]byte("x"), "invalid character"},
		"another schema": {text("memaudit.report/v1", now, 0, 0, 1), "another schema"},
		"no time":        {text(measure.Schema, "today", 0, 0, 1), "expected a time"},
		"CPU node":       {text(measure.Schema, now, -1, 0, 1), "expected numbers that can be"},
		"memory node":    {text(measure.Schema, now, 0, -1, 1), "expected numbers that can be"},
		"threads":        {text(measure.Schema, now, 0, 0, 0), "expected numbers that can be"},
	} {
		_, err := measure.Decode(c.data)
		require.ErrorContains(t, err, c.says, name)
	}
}
