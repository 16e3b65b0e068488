package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// twoSizes is an R610 with modules in the given slots of both processors, of which
// the first few are twice as large.
func twoSizes(t *testing.T, slots, larger int) *inventory.System {
	t.Helper()
	g := generatorOf("R610")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(at int) bool { return at < slots })
	for at := range larger {
		for _, i := range positions[at] {
			sys.Slots[i].SizeBytes.Value *= 2
		}
	}
	return sys
}

// TestFewestExchanged checks an R610 with all twelve slots full and two larger modules per processor: a third makes
// three of each kind, one of either on each channel. The other eight of the smaller kind stay.
func TestFewestExchanged(t *testing.T) {
	sys := twoSizes(t, 6, 2)
	c := hold(t, "two of six larger", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.EqualValues(t, plan.Exchange, last.ID)
	require.Equal(t, 2, last.Count(plan.Exchange))
	require.Zero(t, severeOf(last))
	require.Greater(t, *last.Reaches.CapacityBytes, bytesOf(sys))
}

// TestPurchaseOfTwoKinds checks two larger and two smaller modules per processor, four times the size: one of each
// kind completes both.
func TestPurchaseOfTwoKinds(t *testing.T) {
	sys := twoSizes(t, 4, 2)
	smaller := sys.Slots[slotNamed(t, sys, "DIMM_A4")].SizeBytes.Value
	for i := range sys.Slots {
		if sys.Slots[i].SizeBytes.Value > smaller {
			sys.Slots[i].SizeBytes.Value = 4 * smaller
		}
	}
	c := hold(t, "two of four larger", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.EqualValues(t, plan.Install, last.ID)
	require.Equal(t, 4, last.Count(plan.Install))
	require.Zero(t, severeOf(last))
}

// TestSwapBeforePurchase checks modules of twice the size, where the two smaller ones on one channel have the
// capacity of each larger one: they are swapped, and no four are bought.
func TestSwapBeforePurchase(t *testing.T) {
	c := hold(t, "two of four larger", twoSizes(t, 4, 2), pipeline(t))
	require.Len(t, c.made.Advice, 1, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, "swap the modules of DIMM_A1 and DIMM_A3, of DIMM_B1 and DIMM_B3", a.Sentence(c.sys))
	require.Equal(t, []int{0, 4}, []int{buys(a), a.Moves})
	require.Zero(t, severeOf(a))
}

// TestEachProcessorsOwnKind checks a PowerEdge R420 of the SMBIOS archives with one single-rank module at the first
// processor, and a dual-rank one and a larger one on its channel at the second. Each gets more of its kind; one kind
// for both is the more expensive alternative, which was once the only one, and leaves no note. Without a purchase,
// the first gets one of the second's modules.
func TestEachProcessorsOwnKind(t *testing.T) {
	s := machinetest.Server{Vendor: "Dell Inc.", Product: "PowerEdge R420", Brand: "Intel(R) Xeon(R) CPU E5-2407 0 @ 2.20GHz", Maker: "Intel", ID: [3]int{6, 45, 7},
		Channels: 3, Depth: 2, Type: 0x18, MTs: 1600, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("DIMM_%c%d", 'A'+cpu, slot*3+channel+1), ""
		}}
	sys := collecttest.Read(t, "own kinds", s.Table(func(cpu, channel, slot int) bool { return channel == 0 && slot <= cpu }).Dump())
	single, larger := &sys.Slots[slotNamed(t, sys, "DIMM_A1")], &sys.Slots[slotNamed(t, sys, "DIMM_B4")]
	single.Ranks.Value, single.PartNumber.Value = 1, "M001"
	larger.SizeBytes.Value, larger.PartNumber.Value = 2*larger.SizeBytes.Value, "M002"
	c := hold(t, "own kinds", sys, pipeline(t))
	var got []string
	for i := range c.made.Advice {
		a := &c.made.Advice[i]
		got = append(got, fmt.Sprintf("%d bought, %d taken out, warns %v", buys(a), a.Count(plan.Exchange)+a.Count(plan.Remove), rulesLeft(a)))
	}
	require.Equal(t, []string{
		"0 bought, 0 taken out, warns [memory.channel.populated memory.socket.symmetric]",
		"2 bought, 1 taken out, warns [memory.channel.populated]",
		"4 bought, 1 taken out, warns []",
		"5 bought, 0 taken out, warns []",
	}, got)
	for _, a := range c.made.Advice[1:3] { // the first only moves, and the last keeps all modules
		after := plan.Apply(sys, a.Steps)
		size, modules := after.Slots[0].SizeBytes.Value, [2]int{}
		for i := range after.Slots {
			if after.Slots[i].State == inventory.SlotPopulated {
				require.Equal(t, size, after.Slots[i].SizeBytes.Value)
				modules[i/6]++
			}
		}
		require.Equal(t, modules[0], modules[1], "as many behind each")
	}
}

// TestNothingMovesForKindsAlone checks six modules at the first processor, two of them of another kind, and none at
// the second. Six are bought and none is moved: once modules went to the second processor to give each as many of
// both kinds.
func TestNothingMovesForKindsAlone(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, _, slot int) bool { return cpu == 0 && slot == 0 })
	for i, seen := 0, 0; i < len(sys.Slots) && seen < 2; i++ {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			seen++
			s.PartNumber.Value, s.Ranks = "M001", fact.Unknown[int](fact.Unread, "not stated", "")
		}
	}
	c := hold(t, "two of six of another kind", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice)
	a := &c.made.Advice[0]
	require.Equal(t, []int{0, 6}, []int{a.Count(plan.Move) + a.Count(plan.Swap), buys(a)}, a.Sentence(sys))
}

// TestCapacityGivenUp checks a Rome server with two of 32 modules twice as large. To keep all capacity, thirty would
// be exchanged; two suffice if 32 GiB are given up, which is reported. A swap that puts both on channels that work
// together comes first.
func TestCapacityGivenUp(t *testing.T) {
	sys := server(t, "supermicro-rome", func(_, _, _ int) bool { return true })
	sys.Slots[3].SizeBytes.Value *= 2
	sys.Slots[7].SizeBytes.Value *= 2
	c := hold(t, "two of 32 larger", sys, pipeline(t))
	require.Len(t, c.made.Advice, 3, c.made.Why)
	require.Equal(t, 1, c.made.Advice[0].Count(plan.Swap))
	less, full := &c.made.Advice[1], &c.made.Advice[2]
	require.Equal(t, []int{2, 30}, []int{less.Count(plan.Exchange), full.Count(plan.Exchange)})
	require.Equal(t, sys.Slots[3].SizeBytes.Value, less.GivenUpBytes)
	require.Zero(t, full.GivenUpBytes)
	require.Zero(t, severeOf(less)+severeOf(full))
	require.Empty(t, c.made.WhyExpensive)
}

// TestPartialPurchase checks an R740 with eight modules per processor on four of six channels, three of them rated
// slower. Four more for each fill all channels; exchanging the three as well is the more expensive alternative.
func TestPartialPurchase(t *testing.T) {
	sys := server(t, "dell-r740", func(_, channel, _ int) bool { return channel%3 != 2 })
	for _, i := range []int{0, 1, 3} {
		sys.Slots[i].RatedMTs.Value = 2400
		sys.Slots[i].PartNumber.Value += "F" // of one part number unlike rates would be a contradiction
	}
	c := hold(t, "three rated slower", sys, pipeline(t))
	require.Len(t, c.made.Advice, 3, c.made.Why)
	require.EqualValues(t, plan.Remove, c.made.Advice[0].ID, "six alike are a recommended number, too")
	part, full := &c.made.Advice[1], &c.made.Advice[2]
	require.Equal(t, []int{0, 8, 0}, []int{part.Count(plan.Move), part.Count(plan.Install), part.Count(plan.Exchange)})
	require.True(t, part.CuresFinding("memory.channel.populated", inventory.SocketSubject(0)))
	require.Equal(t, []string{"memory.dimm.uniform"}, rulesLeft(part))
	require.Equal(t, 11, full.Count(plan.Install)+full.Count(plan.Exchange))
	require.Zero(t, severeOf(full))
}

// TestNothingMoreExpensiveWithoutGain checks the same three modules with one part number: their note on different ratings is
// no reason to buy modules, so the more expensive alternative cures no more and is not advised.
func TestNothingMoreExpensiveWithoutGain(t *testing.T) {
	sys := server(t, "dell-r740", func(_, channel, _ int) bool { return channel%3 != 2 })
	for _, i := range []int{0, 1, 3} {
		sys.Slots[i].RatedMTs = fact.Unknown[int](fact.Conflicting, "modules of one part number are rated 2400 and 2933 MT/s", "the labels on the modules")
	}
	c := hold(t, "three rated slower, alike else", sys, pipeline(t))
	require.Len(t, c.made.Advice, 2, c.made.Why)
	require.EqualValues(t, plan.Remove, c.made.Advice[0].ID)
	require.Equal(t, []int{8, 0}, []int{c.made.Advice[1].Count(plan.Install), c.made.Advice[1].Count(plan.Exchange)})
}

// TestModulesChangePlaces checks an R710 with all slots full, where the second processor's modules are twice as
// large. Three more of these, and three per processor swapped with the other's, make both equal; every module is
// still present then.
func TestModulesChangePlaces(t *testing.T) {
	g := generatorOf("R710")
	sys := g.full(t)
	for _, slots := range g.positions(sys) {
		sys.Slots[slots[1]].SizeBytes.Value *= 2
	}
	c := hold(t, "the second processor's larger", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, 3, buys(a), a.Sentence(sys))
	require.Equal(t, []int{3, 3}, []int{a.Count(plan.Exchange) + a.Count(plan.Remove), a.Count(plan.Swap)}, a.Sentence(sys))
}

// TestFewestTakenOut checks channels with a small and a large module on one and small ones alone on the others. Of
// the alternatives that buy four large ones, the one that leaves most of the small ones in place is advised.
func TestFewestTakenOut(t *testing.T) {
	g := generatorOf("R610")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(at int) bool { return slices.Contains([]int{0, 1, 2, 4, 5}, at) })
	for _, i := range positions[4] {
		sys.Slots[i].SizeBytes.Value *= 4
	}
	c := hold(t, "one of five larger", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.Equal(t, []int{4, 2}, []int{buys(last), last.Count(plan.Exchange) + last.Count(plan.Remove)}, last.Sentence(sys))
}

// TestWithoutPurchase checks eight modules per processor on six channels, of which Dell's manual names six and twelve
// as balanced. Next to buying eight, removing four is offered, with what that gives up; if one processor of six lacks
// a single module it is not.
func TestWithoutPurchase(t *testing.T) {
	p := pipeline(t)
	sys := server(t, "dell-r740", func(_, channel, slot int) bool { return slot == 0 || channel < 2 })
	c := hold(t, "eight on six channels", sys, p)
	require.Len(t, c.made.Advice, 2, c.made.Why)
	fewer := &c.made.Advice[0]
	require.Equal(t, 8, c.made.Advice[1].Count(plan.Install))
	require.Equal(t, "take out A7, A8, B7, B8, which gives up 128 GiB", fewer.Sentence(sys))
	require.EqualValues(t, plan.Remove, fewer.ID)
	require.Equal(t, 4*sys.Slots[0].SizeBytes.Value, fewer.GivenUpBytes)
	require.True(t, fewer.CuresFinding("memory.channel.symmetric", inventory.SocketSubject(0)))
	one := hold(t, "one is missing", server(t, "dell-r740", func(cpu, channel, slot int) bool { return slot == 0 && cpu+channel < 6 }), p)
	require.Equal(t, 1, one.made.Advice[0].Count(plan.Install))
}

// TestNoFewerWhereLittleIsBought checks eight of nine populated slots per processor: two modules for 16 complete the
// ninth. Removing two from each, which would be balanced too, is not offered.
func TestNoFewerWhereLittleIsBought(t *testing.T) {
	sys := machine(t, "dell-r710-two-channels")
	populate(sys, both(1, 2, 3, 4, 5, 6, 7, 8))
	c := hold(t, "eight of nine", sys, pipeline(t))
	require.Len(t, c.made.Advice, 1, c.made.Why)
	require.Equal(t, 2, buys(&c.made.Advice[0]))
}

// TestFewerOnAFullBoard checks four slots per processor on three channels, as in a Mac Pro 5,1 and a PowerEdge T410,
// populated with equal modules. No other layout of them is balanced and there is no free slot; removing one from each
// would do.
func TestFewerOnAFullBoard(t *testing.T) {
	g := generatorOf("R710")
	sys := g.full(t)
	var kept []inventory.Slot
	for at, slots := range g.positions(sys) {
		for _, i := range slots {
			if at < 4 {
				kept = append(kept, sys.Slots[i])
			}
		}
	}
	sys.Slots = kept
	for i := range sys.Arrays {
		sys.Arrays[i].Devices.Value = len(kept) / len(sys.Arrays)
	}
	c := hold(t, "four of four", sys, pipeline(t))
	require.Len(t, c.made.Advice, 1)
	require.Equal(t, 2, c.made.Advice[0].Count(plan.Remove), c.made.Advice[0].Sentence(sys))
	require.True(t, c.made.Advice[0].CuresFinding("memory.channel.symmetric", inventory.SocketSubject(1)))
}

// TestFewerLargerModules checks four large modules and a small one per processor of an R710, 2-2-1. Eight small ones
// would fill the third slots, at 800 MT/s; one large one in place of the small one and one next to it, four in total,
// keep the clock.
func TestFewerLargerModules(t *testing.T) {
	g := generatorOf("R710")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(at int) bool { return at < 5 })
	for _, at := range []int{0, 1, 3, 4} {
		for _, i := range positions[at] {
			sys.Slots[i].SizeBytes.Value *= 4
		}
	}
	c := hold(t, "one small beside four large", sys, pipeline(t))
	require.Len(t, c.made.Advice, 2, c.made.Why)
	require.Equal(t, []int{8, 0}, []int{c.made.Advice[1].Count(plan.Install), c.made.Advice[1].Count(plan.Remove)}, "all modules stay, and run slower")
	a := &c.made.Advice[0]
	require.Equal(t, []int{2, 2}, []int{a.Count(plan.Install), a.Count(plan.Exchange)}, a.Sentence(sys))
	require.Zero(t, a.GivenUpBytes)
	require.Empty(t, a.Reaches.Findings)
}

// TestFirstForTheEmptyProcessor checks one module in a machine of two processors: another one for the second cures
// the critical failure; eleven cure all.
func TestFirstForTheEmptyProcessor(t *testing.T) {
	c := hold(t, "one module", server(t, "dell-r740", func(cpu, channel, slot int) bool { return cpu+channel+slot == 0 }), pipeline(t))
	require.Len(t, c.made.Advice, 2, c.made.Why)
	require.Equal(t, 1, c.made.Advice[0].Count(plan.Install))
	require.True(t, c.made.Advice[0].CuresFinding("memory.socket.populated", inventory.SocketSubject(1)))
	require.Equal(t, []string{"memory.channel.populated"}, rulesLeft(&c.made.Advice[0]))
	require.Equal(t, 11, c.made.Advice[1].Count(plan.Install))
}

// TestOneModuleForEachProcessor checks two modules of one size and two kinds at the first processor and none at the
// second, as in an x3550 M3 of the SMBIOS archives. One of them moves, so that no processor is without memory; once
// two were to be bought.
func TestOneModuleForEachProcessor(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, channel, slot int) bool { return cpu+channel == 0 })
	other := &sys.Slots[slotNamed(t, sys, "A1")]
	other.PartNumber.Value, other.Ranks = "M001", fact.Unknown[int](fact.Unread, "not stated", "")
	c := hold(t, "one of each kind", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, []int{0, 1}, []int{buys(a), a.Moves}, a.Sentence(sys))
	require.True(t, a.CuresFinding("memory.socket.populated", inventory.SocketSubject(1)))
}

// TestOneTooManyForTheEmptyProcessor checks seven modules at the first processor, two of them on one channel, and
// none at the second, as in a Mac Pro 5,1 of the SMBIOS archives. The seventh moves: an equal share would leave
// channels of the first one empty.
func TestOneTooManyForTheEmptyProcessor(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, channel, slot int) bool { return cpu == 0 && (slot == 0 || channel == 0) })
	c := hold(t, "seven and none", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, "move A7 to B1", a.Sentence(sys))
	require.True(t, a.CuresFinding("memory.channel.symmetric", inventory.SocketSubject(0)))
	require.True(t, a.CuresFinding("memory.socket.populated", inventory.SocketSubject(1)))
}

// TestNoMoreMovesThanHelp checks four modules of three sizes at the first processor, as in a CELSIUS R670-2 of the
// SMBIOS archives: one moves to the second one, and moving another would fix less than it breaks.
func TestNoMoreMovesThanHelp(t *testing.T) {
	sys := generatorOf("R610").full(t)
	populate(sys, in("DIMM_A1", "DIMM_A2", "DIMM_A3", "DIMM_A5"))
	for i := range sys.Slots {
		switch sys.Slots[i].Locator.Or("") {
		case "DIMM_A5":
			sys.Slots[i].SizeBytes.Value *= 4
		case "DIMM_A3":
			sys.Slots[i].SizeBytes.Value *= 2
		}
	}
	c := hold(t, "three sizes and none", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	require.Equal(t, []int{0, 1}, []int{buys(&c.made.Advice[0]), c.made.Advice[0].Moves}, c.made.Advice[0].Sentence(sys))
}

// TestNothingSwappedForAnEvenShare checks modules of one kind at the first processor and of another at the second, as
// in a DL360p Gen8 of the SMBIOS archives. Each gets one more of its own; once two were to be swapped so that both
// have both kinds.
func TestNothingSwappedForAnEvenShare(t *testing.T) {
	sys := generatorOf("R610").full(t)
	populate(sys, both(1, 2, 3, 4, 5))
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.SizeBytes.Known() && strings.Contains(s.Locator.Value, "_B") {
			s.Ranks.Value, s.PartNumber.Value = 1, "M001"
		}
	}
	c := hold(t, "each of its own kind", sys, pipeline(t))
	require.Len(t, c.made.Advice, 1, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, []int{2, 0}, []int{buys(a), a.Moves}, a.Sentence(sys))
	for _, s := range a.Steps {
		require.Equal(t, sys.Slots[s.ToSlot].Locator.Value[:6], sys.Slots[s.LikeSlot].Locator.Value[:6], a.Sentence(sys))
	}
}

// TestSmallExchangeFirst checks six modules per processor, one of them smaller and two others rated slower, as in an
// ASRock ROME2D16-2T of the corpus. Exchanging two makes the channels equal, and comes before exchanging the six that
// make the modules equal too.
func TestSmallExchangeFirst(t *testing.T) {
	sys := server(t, "dell-r740", func(_, _, slot int) bool { return slot == 0 })
	for i := range sys.Slots {
		s := &sys.Slots[i]
		switch s.Locator.Value[1:] {
		case "1":
			s.SizeBytes.Value, s.RatedMTs.Value, s.PartNumber.Value = s.SizeBytes.Value/2, 2400, "M001"
		case "5", "6":
			s.RatedMTs.Value, s.PartNumber.Value = 2400, "M002"
		}
	}
	c := hold(t, "one smaller, three slower", sys, pipeline(t))
	require.Len(t, c.made.Advice, 2, c.made.Why)
	few, all := &c.made.Advice[0], &c.made.Advice[1]
	require.Equal(t, []int{2, 0}, []int{buys(few), few.Moves}, few.Sentence(sys))
	require.Equal(t, []string{"memory.dimm.uniform"}, rulesLeft(few))
	require.Equal(t, 6, buys(all), all.Sentence(sys))
	require.Zero(t, severeOf(all))
}

// TestLargerOnesAreFewer checks six populated channels of twelve, one with a module of half the size. The purchase of
// fewest bytes makes all of the small size with eleven modules, five of which replace larger ones; seven of the large
// size do too, and once fewer were reported as impossible.
func TestLargerOnesAreFewer(t *testing.T) {
	sys := server(t, "supermicro-genoa", func(_, channel, _ int) bool { return channel%2 == 0 })
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.Locator.Value == "P1-DIMMA1" || s.Locator.Value == "P2-DIMMA1" {
			s.SizeBytes.Value, s.PartNumber.Value = s.SizeBytes.Value/2, "M001"
		}
	}
	c := hold(t, "one of six smaller", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	a := &c.made.Advice[len(c.made.Advice)-1]
	require.Empty(t, a.Reaches.Findings, a.Sentence(sys))
	require.Equal(t, []int{2, 12}, []int{a.Count(plan.Exchange), a.Count(plan.Install)}, a.Sentence(sys))
}

// TestNothingExchangedForRatingAlone checks modules of which half are rated for 2933 MT/s, at processors that run
// 2666 at most. If one is missing one is bought, of either kind.
func TestNothingExchangedForRatingAlone(t *testing.T) {
	sys := server(t, "dell-r740", func(cpu, channel, slot int) bool { return slot == 0 && cpu+channel < 6 })
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.RatedMTs.Known() && i%2 == 0 {
			s.RatedMTs.Value, s.PartNumber.Value = 2933, "M001"
		}
	}
	c := hold(t, "rated higher than the processors run", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	a := &c.made.Advice[0]
	require.Equal(t, []int{1, 0}, []int{buys(a), a.Moves}, a.Sentence(sys))
	require.Empty(t, a.Reaches.Findings)
}

// TestModulesOfTwoSizesStay checks an R710 whose six modules per processor are equal except one in the second slot of
// a channel. A third larger one on either of the other channels makes three of each, and present modules stay.
func TestModulesOfTwoSizesStay(t *testing.T) {
	g := generatorOf("R610")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(int) bool { return true })
	for _, at := range []int{3, 4} { // second slots
		for _, i := range positions[at] {
			sys.Slots[i].SizeBytes.Value *= 2
		}
	}
	c := hold(t, "larger ones in second slots", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	last := &c.made.Advice[len(c.made.Advice)-1]
	require.Equal(t, []int{0, 2}, []int{last.Count(plan.Move), last.Count(plan.Exchange)})
	require.Zero(t, severeOf(last))
}

// TestErrorCorrectionIsNotPromised checks modules with and without check bits in a machine whose firmware reports no
// error correction: check bits for all are not advised as if firmware then used them.
func TestErrorCorrectionIsNotPromised(t *testing.T) {
	g := generatorOf("R610")
	full := g.full(t)
	positions := g.positions(full)
	_, sys := laid(full, positions, func(at int) bool { return at < 2 })
	for i := range sys.Arrays {
		sys.Arrays[i].ECC.Value = "None"
	}
	for n, i := range []int{positions[0][1], positions[1][0], positions[1][1]} {
		sys.Slots[i].TotalWidth.Value = 64
		sys.Slots[i].SizeBytes.Value >>= min(n, 1)
	}
	c := hold(t, "one of four with check bits", sys, pipeline(t))
	for i := range c.made.Advice {
		require.Zero(t, c.made.Advice[i].Count(plan.Exchange), c.made.Advice[i].Sentence(sys))
	}
}

// rulesLeft are the rules about the layout that still fail at warning or above.
func rulesLeft(a *plan.Advice) []string {
	var out []string
	for _, f := range a.Reaches.Findings {
		if concerns(f.Rule) && f.Severity != "info" && !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	return out
}

func severeOf(a *plan.Advice) int {
	n := 0
	for _, f := range a.Reaches.Findings {
		if concerns(f.Rule) && f.Severity != "info" {
			n++
		}
	}
	return n
}

func bytesOf(sys *inventory.System) (n int64) {
	for i := range sys.Slots {
		n += sys.Slots[i].SizeBytes.Or(0)
	}
	return n
}
