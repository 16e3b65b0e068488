package plan_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// enlarged is a machine with all slots full, with modules in the named slots larger by a factor.
func enlarged(t *testing.T, sys *inventory.System, times int64, locators ...string) *inventory.System {
	t.Helper()
	for _, l := range locators {
		sys.Slots[slotNamed(t, sys, l)].SizeBytes.Value *= times
	}
	return sys
}

// slotNamed is the slot with that label.
func slotNamed(t testing.TB, sys *inventory.System, locator string) int {
	t.Helper()
	for i := range sys.Slots {
		if sys.Slots[i].Locator.Or("") == locator {
			return i
		}
	}
	require.Fail(t, "no slot "+locator)
	return -1
}

// TestFullBoardIsSwapped checks nine full slots per processor with larger modules on two of three channels (as a TYAN
// S7012 of the SMBIOS archives with 12 of 4 GiB and 6 of 2 GiB). No slot is free; two modules of each processor are
// swapped with two others, and nothing is bought. Once new modules were advised.
func TestFullBoardIsSwapped(t *testing.T) {
	r710 := generatorOf("R710")
	sys := enlarged(t, r710.full(t), 2, "DIMM_A2", "DIMM_A5", "DIMM_A8", "DIMM_A3", "DIMM_A6", "DIMM_A9", "DIMM_B1", "DIMM_B4", "DIMM_B7", "DIMM_B3", "DIMM_B6", "DIMM_B9")
	c := hold(t, "a full R710", sys, pipeline(t))
	require.Len(t, c.made.Advice, 1, c.made.Why)
	a := &c.made.Advice[0]
	require.EqualValues(t, plan.Move, a.ID)
	require.Equal(t, []int{4, 0, 0, 8}, []int{a.Count(plan.Swap), a.Count(plan.Move), buys(a), a.Moves})
	require.Equal(t, "swap the modules of DIMM_A1 and DIMM_A8, of DIMM_A4 and DIMM_A9, of DIMM_B2 and DIMM_B7, of DIMM_B5 and DIMM_B9", a.Sentence(sys))
	require.True(t, a.CuresFinding("memory.channel.symmetric", inventory.SocketSubject(1)))
	require.Zero(t, a.GivenUpBytes)
	require.Zero(t, severeOf(a))
}

// TestNothingToEven checks that a processor without modules, next to one with two sizes of them, has nothing to swap.
func TestNothingToEven(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, channel, _ int) bool { return cpu == 0 && channel < 3 })
	hold(t, "all behind one processor", enlarged(t, sys, 2, "A1", "A7"), pipeline(t))
}

// TestChannelsAreKept checks two modules of two sizes on two of eight channels, on a platform without a documented
// speed for two modules per channel. Both on one channel would make the channels equal, and leave half of the
// bandwidth: that was once advised, as for a Mac Pro 5,1 and an ASUS Z8PE-D12 of the SMBIOS archives.
func TestChannelsAreKept(t *testing.T) {
	sys := server(t, "altra", func(_, channel, slot int) bool { return channel < 2 && slot == 0 })
	c := hold(t, "an Altra with two sizes", enlarged(t, sys, 2, "DIMM_P0_B0", "DIMM_P1_B0"), pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	for i := range c.made.Advice {
		require.NotEqual(t, plan.Move, c.made.Advice[i].ID, c.made.Advice[i].Sentence(sys))
	}
}

// fullOfTwo is a machine with one Sandy Bridge, four channels and two slots on each, all
// full: of twice the size are the modules whose bits are set.
func fullOfTwo(t testing.TB, larger uint) *inventory.System {
	t.Helper()
	s := machinetest.Server{Vendor: "Supermicro", Product: "X9SRi-F", Brand: "Intel(R) Xeon(R) CPU E5-2620 0 @ 2.00GHz", Maker: "Intel", ID: [3]int{6, 45, 7},
		Channels: 4, Depth: 2, Single: true, Label: machinetest.Servers()["supermicro-x13"].Label, Type: 0x18, MTs: 1333}
	sys := collecttest.Read(t, "X9SRi-F", s.Table(func(_, _, _ int) bool { return true }).Dump())
	require.Len(t, sys.Slots, 8)
	for i := range sys.Slots {
		if larger>>i&1 == 1 {
			sys.Slots[i].SizeBytes.Value *= 2
		}
	}
	return sys
}

// fewestSwapped tries every other arrangement of the same modules in the same slots that leaves more of them in place
// than was advised, and returns the number of one that is as good; -1 if there is none.
func fewestSwapped(t *testing.T, larger uint, a *plan.Advice, p plan.Pipeline) int {
	t.Helper()
	judge := func(sys *inventory.System) outcome {
		topo := p.Derive(sys)
		found, err := p.Audit(sys, topo, concerns)
		require.NoError(t, err)
		return outcomeOf(found, topo)
	}
	now := fullOfTwo(t, larger)
	before, target := judge(now), judge(plan.Apply(now, a.Steps))
	for other := range uint(1) << 8 {
		if bits.OnesCount(other) != bits.OnesCount(larger) || bits.OnesCount(other^larger) >= a.Moves {
			continue
		}
		var steps []plan.Step // those that come with those that go
		for i, j := 0, 0; i < 8; i++ {
			if (larger&^other)>>i&1 == 0 {
				continue
			}
			for (other&^larger)>>j&1 == 0 {
				j++
			}
			steps = append(steps, plan.Step{Do: plan.Swap, FromSlot: i, ToSlot: j, LikeSlot: -1})
			j++
		}
		if o := judge(plan.Apply(now, steps)); o.asGood(&target, &before) {
			return int(other)
		}
	}
	return -1
}

// swapsAreMinimal compares the advice for full boards of two sizes with every other arrangement. It returns how many
// were advised to swap.
func swapsAreMinimal(t *testing.T, every uint) int {
	p, held := pipeline(t), 0
	for larger := uint(1); larger < 1<<8; larger += every {
		c := hold(t, "X9SRi-F", fullOfTwo(t, larger), p)
		if len(c.made.Advice) == 0 || c.made.Advice[0].Count(plan.Swap) == 0 {
			continue
		}
		held++
		a := &c.made.Advice[0]
		other := fewestSwapped(t, larger, a, p)
		require.Negative(t, other, "%08b: %08b is as good as %q", larger, other, a.Sentence(c.sys))
	}
	return held
}

// TestSwapsAreMinimal checks some full boards of eight modules of two sizes; TestSwapsAreMinimalEverywhere all.
func TestSwapsAreMinimal(t *testing.T) { require.Greater(t, swapsAreMinimal(t, 11), 5) }
