package metrics_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestSignatureCountsSockets checks that a socket that may hold a processor counts, and an empty one does not.
func TestSignatureCountsSockets(t *testing.T) {
	yes, no, open := is(true), is(false), fact.Fact[bool]{}
	of := func(populated ...fact.Fact[bool]) string {
		inv := &report.Inventory{Slots: []inventory.Slot{{Handle: 0x1101, Locator: is("A1"), State: "empty"}}}
		for i, p := range populated {
			inv.Sockets = append(inv.Sockets, inventory.Socket{ID: i, Populated: p})
		}
		return metrics.Signature(inv)
	}
	assert.NotEqual(t, of(yes), of(yes, open))
	assert.Equal(t, of(yes, yes), of(yes, open))
	assert.Equal(t, of(yes), of(yes, no))
}
