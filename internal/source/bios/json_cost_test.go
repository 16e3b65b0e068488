package bios_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/bios"
)

// TestCostOfJSON checks that an export's JSON takes memory in proportion to its length, whatever its keys and lists are,
// and that what is too much is refused with its place.
func TestCostOfJSON(t *testing.T) {
	long := strings.Repeat("k", 350_003)
	many := func(n int, entry string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, entry, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	document := `{"@odata.type": "#Bios.v1_0_0.Bios", "Attributes": {` + many(317, `"Name%d": "on",`) + `%s}}`
	for name, c := range map[string]struct{ text, want string }{
		"a long key before a list":  {fmt.Sprintf(document, `, "`+long+`": [`+many(170_001, "%d,")+`]`), "longer than 65536 bytes"},
		"a long key above settings": {`{"` + long + `": ` + fmt.Sprintf(document, many(17_003, `, "N%d": 1`)) + `}`, ""},
		"long keys twice":           {fmt.Sprintf(document, many(53, `, "x": {"`+long[:9_000]+`%[1]d": 1, "`+long[:9_000]+`%[1]d": 2}`)), ""},
		"keys":                      {fmt.Sprintf(document, many(123_457, `, "N%d": 1`)), "$.Attributes.N19683: more than 20000 keys in one object"},
		"values":                    {`{"Attributes": {}, "list": [` + many(523_457, "%d,") + `]}`, "more than 500000 values"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e, err := bios.Decode("export.json", []byte(c.text))
			runtime.ReadMemStats(&after)
			taken := (after.TotalAlloc - before.TotalAlloc) / uint64(len(c.text))
			t.Logf("%d bytes for each of %d, %v", taken, len(c.text), err)
			assert.Less(t, taken, uint64(80))
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				assert.Less(t, len(err.Error()), 1000)
				return
			}
			require.NoError(t, err)
			assert.NotEmpty(t, e.Attributes)
			for _, a := range e.Attributes {
				assert.Less(t, len(a.Place), 1000)
			}
		})
	}
}
