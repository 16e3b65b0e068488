package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/metrics"
)

// TestSignatureCountsSockets checks that a socket that may hold a processor counts, and an empty one does not.
func TestSignatureCountsSockets(t *testing.T) {
	yes, no := true, false
	of := func(populated ...*bool) string {
		inv := &report.Inventory{Slots: []report.Slot{{Handle: "0x1101", Locator: "A1", State: "empty"}}}
		for i, p := range populated {
			inv.Sockets = append(inv.Sockets, report.Socket{ID: i, Populated: p})
		}
		return metrics.Signature(inv)
	}
	assert.NotEqual(t, of(&yes), of(&yes, nil))
	assert.Equal(t, of(&yes, &yes), of(&yes, nil))
	assert.Equal(t, of(&yes), of(&yes, &no))
}
