package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/smbios"
)

// readText reads dmidecode's text as a check does.
func readText(t testing.TB, name string, text []byte) *inventory.System {
	t.Helper()
	table, err := smbios.Parse(text)
	require.NoError(t, err, name)
	return collect.Collect(collect.Input{SMBIOS: table})
}

// eachMachine reads every text of an archive of the corpus.
func eachMachine(t testing.TB, archive string, use func(name string, sys *inventory.System)) {
	t.Helper()
	corpustest.Members(t, archive, func(name string, text []byte) { use(name, readText(t, name, text)) })
}
