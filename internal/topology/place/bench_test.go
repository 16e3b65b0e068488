package place

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// BenchmarkPlace measures placing a machine of 128 slots, with the rules read each time.
func BenchmarkPlace(b *testing.B) {
	k := inMemory(b, corpustest.Rules(b))
	for _, c := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"letters128", func(b *testing.B) {
			sys := board("Supermicro", "Super Server", "PPPPPPPP", "P{1..8}-DIMM{A..H}{1,2}@P0_Node0_Channel0_Dimm0*")
			require.Len(b, sys.Slots, 128)
			for b.Loop() {
				Slots(sys, plat8, k)
			}
		}},
		{"map128", func(b *testing.B) {
			sys := board("HPE", "ProLiant DL560 Gen10", "PPPPPPPP", "PROC~{1..8}~DIMM~{1..12}*", "PROC~{1..8}~DIMM~{1..4}")
			for b.Loop() {
				Slots(sys, plat6, k)
			}
		}},
		{"map24", func(b *testing.B) {
			sys := board("Dell Inc.", "PowerEdge R740", "PP", "{A,B}{1..12}*")
			for b.Loop() {
				Slots(sys, plat6, k)
			}
		}},
		{"nothing128", func(b *testing.B) {
			sys := board("Unknown", "Unknown", "PP", "DIMM~NUMBER~{1..128}@somewhere*")
			for b.Loop() {
				Slots(sys, plat6, k)
			}
		}},
	} {
		b.Run(c.name, c.run)
	}
}

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
