package place

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/tools/corpustest"
)

// inMemory has the slot rules in memory, as the program does.
func inMemory(t testing.TB, k fs.FS) fs.FS {
	m := fstest.MapFS{}
	names, err := fs.Glob(k, "slots/*")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(k, name)
		require.NoError(t, err)
		m[name] = &fstest.MapFile{Data: data}
	}
	return m
}

// FuzzLocator checks that no label makes the matcher or the placement fail.
func FuzzLocator(f *testing.F) {
	for _, seed := range []string{"P1-DIMMA1", "CPU0_DIMM_A1", "DIMM_A1 ", "PROC  1 DIMM  9", "Board 1, DIMM 8A", "NODE 1 CHANNEL 0 DIMM 0", "A1", "", "\xff"} {
		f.Add(seed, "P0_Node0_Channel0_Dimm0", "Dell Inc.")
		f.Add(seed, "Not Specified", "HP")
	}
	k := inMemory(f, corpustest.Rules(f))
	f.Fuzz(func(t *testing.T, locator, bank, vendor string) {
		sys := board(vendor, "PowerEdge R610", "PP", "x* x*")
		for i := range sys.Slots {
			sys.Slots[i].Locator, sys.Slots[i].BankLocator = known(locator), known(bank)
		}
		out, _ := Slots(sys, plat3, k)
		for _, o := range out {
			require.Less(t, o.Socket, 2)
			require.Less(t, o.Channel, 3)
			require.True(t, o.Channel >= 0 || o.Reason != "")
		}
	})
}
