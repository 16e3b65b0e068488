package collecttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/smbios"
)

// Known is a value as SMBIOS states it.
func Known[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS})
}

// Sockets are n populated processors of one model.
func Sockets(n int, vendor string, family, model, stepping int, brand string) []inventory.Socket {
	var out []inventory.Socket
	for i := range n {
		out = append(out, inventory.Socket{ID: i, Populated: Known(true), Vendor: Known(vendor),
			Family: Known(family), Model: Known(model), Stepping: Known(stepping), Brand: Known(brand)})
	}
	return out
}

// Read reads dmidecode's text as a check does.
func Read(t testing.TB, name string, text []byte) *inventory.System {
	t.Helper()
	table, err := smbios.Parse(text)
	require.NoError(t, err, name)
	return collect.Collect(collect.Input{SMBIOS: table})
}
