package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// server is one of machinetest's, with modules in the slots that filled accepts.
func server(t testing.TB, name string, filled func(cpu, channel, slot int) bool) *inventory.System {
	s, ok := machinetest.Servers()[name]
	require.True(t, ok, name)
	return collecttest.Read(t, name, s.Table(filled).Dump())
}

// TestServersAreKnown checks that every described server is recognised, and all its slots have a place; otherwise the
// tests over it would prove nothing.
func TestServersAreKnown(t *testing.T) {
	p := pipeline(t)
	for name, s := range machinetest.Servers() {
		topo := p.Derive(server(t, name, func(_, _, _ int) bool { return true }))
		require.True(t, topo.Platform.Known(), "%s: %s", name, topo.Platform.Reason)
		require.Len(t, topo.Populations, 2, name)
		for i := range topo.Populations {
			pop := &topo.Populations[i]
			require.Len(t, pop.Slots, s.Channels*s.Depth, name)
			require.Equal(t, s.Channels, pop.ChannelsPopulated.Value, "%s: %s", name, pop.ChannelsPopulated.Reason)
			require.Equal(t, name == "dell-r660", pop.DPC.Unverified, name)
		}
	}
}

// TestNoPurchaseWithoutMap checks that filling every slot needs no confirmed slot map. It is advised if the
// platform's document asks for no fewer modules (IBM: all slots of the e326m) and not if eight of sixteen do.
func TestNoPurchaseWithoutMap(t *testing.T) {
	p := pipeline(t)
	_, _, made := planned(t, server(t, "dell-r660", func(_, channel, slot int) bool { return slot == 0 && channel < 6 }), p)
	require.Empty(t, made.Advice)
	require.Equal(t, "no document confirms which slot of this product is on which channel", made.Why)
	_, _, made = planned(t, machine(t, "ibm-e326m-second-empty"), p)
	require.Len(t, made.Advice, 1)
	require.Equal(t, 4, made.Advice[0].Count(plan.Install))
}

// TestNothingBoughtForPartsRatedBelow checks the EPYC 7282, which AMD rates at half of what eight channels give; no
// document gives the gain of more than four modules. Four are left alone, one is not; the 7402 is advised to populate
// its channels in both cases.
func TestNothingBoughtForPartsRatedBelow(t *testing.T) {
	p := pipeline(t)
	advised := func(brand string, channels int) *plan.Plan {
		s := machinetest.Servers()["supermicro-rome"]
		s.Brand = brand
		sys := collecttest.Read(t, brand, s.Table(func(_, channel, slot int) bool { return slot == 0 && channel < channels }).Dump())
		_, _, made := planned(t, sys, p)
		return made
	}
	made := advised("AMD EPYC 7282 16-Core Processor", 4)
	require.NotEmpty(t, made.Asked)
	require.Empty(t, made.Advice)
	require.Equal(t, "the CPU vendor rates it below what its channels give together, and no document says what more modules would gain", made.Why)
	one := advised("AMD EPYC 7282 16-Core Processor", 1)
	require.NotEmpty(t, one.Advice, one.Why)
	require.Equal(t, 2*3, one.Advice[0].Count(plan.Install), "four channels of each processor suffice")
	for _, channels := range []int{1, 4} {
		made := advised("AMD EPYC 7402 24-Core Processor", channels)
		require.NotEmpty(t, made.Advice, made.Why)
		require.Positive(t, made.Advice[0].Count(plan.Install))
	}
}

// TestFourChannelsThatInterleave checks that of the sets of four channels AMD's controllers interleave A to D, E to H
// and C, D, G, H (Gigabyte, Memory Population Guidelines). A machine of the SMBIOS archives has C, G and H and lacks
// one module; another has A, C, E and G, four regions of one channel each, and moves two. The board here has two
// processors populated alike.
func TestFourChannelsThatInterleave(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Servers()["supermicro-rome"]
	s.Brand = "AMD EPYC 7232P 8-Core Processor"
	for _, c := range []struct {
		channels        string
		moves, installs int
	}{{"CGH", 0, 2}, {"ACEG", 4, 0}, {"CDGH", 0, 0}, {"EFGH", 0, 0}, {"ABCDEFGH", 0, 0}} {
		sys := collecttest.Read(t, c.channels, s.Table(func(_, channel, slot int) bool {
			return slot == 0 && strings.ContainsRune(c.channels, rune('A'+channel))
		}).Dump())
		found, _, made := planned(t, sys, p)
		severe := slices.ContainsFunc(found.Findings, func(f verdict.Finding) bool {
			return f.Rule == "memory.channel.populated" && f.Result == verdict.Fail && f.Severity == verdict.Warning
		})
		require.Equal(t, c.moves+c.installs > 0, severe, c.channels)
		if !severe {
			require.Empty(t, made.Advice, c.channels)
			continue
		}
		require.NotEmpty(t, made.Advice, "%s: %s", c.channels, made.Why)
		require.Equal(t, c.moves, made.Advice[0].Count(plan.Move), c.channels)
		require.Equal(t, c.installs, made.Advice[0].Count(plan.Install), c.channels)
		require.True(t, made.Advice[0].CuresFinding("memory.channel.populated", inventory.SocketSubject(0)), c.channels)
	}
}

// TestLayoutsRankedWithoutClock checks that layouts are ordered by populated channels if the clock is unknown. Once
// an X7DB8 with one module of 16 was advised to buy 15, since of four modules only the layouts on one channel were
// tried; one is enough: two channels are no warning.
func TestLayoutsRankedWithoutClock(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Server{Vendor: "Supermicro", Product: "X7DB8", Brand: "Intel(R) Xeon(R) CPU           E5345  @ 2.33GHz", Maker: "Intel", ID: [3]int{6, 15, 7},
		Channels: 4, Depth: 4, Shared: true, Type: 0x14, MTs: 667, Label: func(_, channel, slot int) (string, string) {
			return fmt.Sprintf("DIMM%d%c", channel+1, 'A'+slot), ""
		}}
	sys := collecttest.Read(t, "x7db8", s.Table(func(_, channel, slot int) bool { return channel == 0 && slot == 0 }).Dump())
	_, _, made := planned(t, sys, p)
	require.NotEmpty(t, made.Advice, made.Why)
	require.Equal(t, 1, made.Advice[0].Count(plan.Install), "two channels are enough for no more than a remark")
	require.Contains(t, made.Advice[0].Sentence(sys), "in DIMM2A")
}

// TestMovesForBandwidthAlone checks an X9DRi-LN4+ of the SMBIOS archives with three modules each on two of the four
// channels of both processors, and a DL360 Gen9. Moving them cures nothing, but two each on three channels have half
// more bandwidth, and the purchase stays the alternative. Nothing moves without a gain.
func TestMovesForBandwidthAlone(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Server{Vendor: "Supermicro", Product: "X9DRi-LN4+/X9DR3-LN4+", Brand: "Intel(R) Xeon(R) CPU E5-2643 v2 @ 3.50GHz", Maker: "Intel", ID: [3]int{6, 62, 4},
		Channels: 4, Depth: 3, Type: 0x18, MTs: 800, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), ""
		}}
	for name, c := range map[string]struct {
		filled func(cpu, channel, slot int) bool
		ways   []string
	}{
		"two channels": {func(_, channel, _ int) bool { return channel < 2 }, []string{plan.Move, plan.Install}},
		"nine modules": {func(_, channel, slot int) bool { return channel == 0 || slot < 2 }, []string{plan.Move, plan.Remove, plan.Install}},
		"one each":     {func(_, channel, slot int) bool { return channel < 2 && slot == 0 }, []string{plan.Install}},
	} {
		held := hold(t, name, collecttest.Read(t, name, s.Table(c.filled).Dump()), p)
		var ways []string
		for i := range held.made.Advice {
			ways = append(ways, string(held.made.Advice[i].ID))
		}
		require.Equal(t, c.ways, ways, "%s: %s", name, held.made.Why)
		if first := &held.made.Advice[0]; name == "two channels" {
			require.Empty(t, first.Cures)
			require.Equal(t, 4, first.Moves)
			require.Equal(t, held.made.Asked, first.Reaches.Findings)
			require.GreaterOrEqual(t, *first.Reaches.Sockets[0].PeakBytes, 3*held.topo.Populations[0].Peak.Value/2)
		}
	}
}

// TestNoMoveForBandwidthAtAPrice checks a BL460c G7 of the SMBIOS archives with two modules on one channel of its
// first processor and six at the second. Four each are faster together, but leave the second with an empty channel:
// one moves to another channel of the first, and the second keeps what it has.
func TestNoMoveForBandwidthAtAPrice(t *testing.T) {
	s := machinetest.Server{Vendor: "HP", Product: "ProLiant BL460c G7", Brand: "Intel(R) Xeon(R) CPU E5645 @ 2.40GHz", Maker: "Intel", ID: [3]int{6, 44, 2},
		Channels: 3, Depth: 2, Type: 0x18, MTs: 1066, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("PROC %d DIMM %s", cpu+1, [][]string{{"2A", "1D"}, {"4B", "3E"}, {"6C", "5F"}}[channel][slot]), ""
		}}
	sys := collecttest.Read(t, "one channel", s.Table(func(cpu, channel, _ int) bool { return cpu == 1 || channel == 1 }).Dump())
	for i := range sys.Slots {
		if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
			s.Ranks.Value, s.ConfiguredMTs.Value = 4, 800
			s.Registered = fact.Unknown[bool](fact.Unstated, "the type detail is bare", "")
		}
	}
	c := hold(t, "one channel", sys, pipeline(t))
	require.NotEmpty(t, c.made.Advice, c.made.Why)
	require.Regexp(t, "^move PROC 1 DIMM [^ ]+ to PROC 1 DIMM [^ ]+$", c.made.Advice[0].Sentence(sys))
}

// TestOwnModulesStayBehindTheirProcessor checks a DL360 Gen9 of the SMBIOS archives with three modules each on two of
// the four channels of both processors. Two move on each, and two are bought for each; once the second processor's
// were moved to the first.
func TestOwnModulesStayBehindTheirProcessor(t *testing.T) {
	s := machinetest.Servers()["dell-r740"]
	s.Product = "PowerEdge R740"
	sys := collecttest.Read(t, "two of six channels", s.Table(func(_, channel, _ int) bool { return channel < 2 }).Dump())
	_, _, made := planned(t, sys, pipeline(t))
	require.NotEmpty(t, made.Advice, made.Why)
	for i := range made.Advice {
		for _, step := range made.Advice[i].Steps {
			if step.Do == plan.Move {
				require.Equal(t, sys.Slots[step.FromSlot].Locator.Value[0], sys.Slots[step.ToSlot].Locator.Value[0], "%v", made.Advice[i].Sentence(sys))
			}
		}
	}
	full := made.Advice[len(made.Advice)-1]
	require.Equal(t, 4, full.Count(plan.Move), full.Sentence(sys))
	require.Equal(t, 4, full.Count(plan.Install))
}

// TestBoardNotFilledWithoutDocument checks the R7425, whose manual is known only with all 32 slots populated, and no document
// gives the slots' channels. Two modules are not advised to become 32; the missing facts are reported instead. With
// one slot on each channel all slots are populated.
func TestBoardNotFilledWithoutDocument(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Server{Vendor: "Dell Inc.", Product: "PowerEdge R7425", Brand: "AMD EPYC 7451 24-Core Processor", Maker: "Advanced Micro Devices, Inc.", ID: [3]int{23, 1, 2},
		Channels: 8, Depth: 2, Type: 0x1A, MTs: 2666, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("%c%d", 'A'+cpu, slot*8+channel+1), ""
		}}
	sys := collecttest.Read(t, "r7425", s.Table(func(_, channel, slot int) bool { return channel == 4 && slot == 0 }).Dump())
	_, _, made := planned(t, sys, p)
	require.NotEmpty(t, made.Asked)
	require.Empty(t, made.Advice)
	require.Contains(t, made.Why, "no document confirms which slot of this product is on which channel")
	s = machinetest.Servers()["dell-r660"]
	s.Depth = 1
	sys = collecttest.Read(t, "one slot a channel", s.Table(func(_, channel, _ int) bool { return channel == 0 }).Dump())
	_, _, made = planned(t, sys, p)
	require.NotEmpty(t, made.Advice, made.Why)
	require.Equal(t, 14, made.Advice[0].Count(plan.Install))
}

// TestNoMoveOnDoubtedMap checks a Supermicro X8DAH up to BIOS 2.0a, whose labels of three channels are in one bank.
// Nothing is moved by such labels; with banks that agree with them the same modules are.
func TestNoMoveOnDoubtedMap(t *testing.T) {
	p := pipeline(t)
	x8dah := func(bank func(channel, slot int) int) *inventory.System {
		s := machinetest.Server{Vendor: "Supermicro", Product: "X8DAH", Brand: "Intel(R) Xeon(R) CPU           E5630  @ 2.53GHz", Maker: "Intel", ID: [3]int{6, 44, 2},
			Channels: 3, Depth: 3, Type: 0x18, MTs: 1333, Label: func(cpu, channel, slot int) (string, string) {
				return fmt.Sprintf("P%d_DIMM%d%c", cpu+1, channel+1, 'A'+slot), fmt.Sprintf("P%d_BANK%d", cpu+1, bank(channel, slot)+1)
			}}
		return collecttest.Read(t, "x8dah", s.Table(func(_, channel, slot int) bool { return channel == 0 && slot < 2 }).Dump())
	}
	_, _, made := planned(t, x8dah(func(channel, _ int) int { return channel }), p)
	require.NotEmpty(t, made.Advice, made.Why)
	require.Positive(t, made.Advice[0].Count(plan.Move))
	found, _, made := planned(t, x8dah(func(_, slot int) int { return slot }), p)
	require.Empty(t, made.Advice)
	require.Contains(t, made.Why, "contradicts itself")
	require.True(t, slices.ContainsFunc(found.Findings, func(f verdict.Finding) bool {
		return f.Rule == "memory.mapping.consistent" && f.Result == verdict.Fail && f.Severity == verdict.Info
	}))
}

// TestOrderByVendorSets checks that labels alone do not give the first slot of a channel, and full channels do not
// show it; the manual of the X9DRW fills A1, B1, C1, D1 with four modules, so two move and none is bought. On a board
// without its own manual the same modules have no known order.
func TestOrderByVendorSets(t *testing.T) {
	p := pipeline(t)
	lettered := func(product string) machinetest.Server {
		return machinetest.Server{Vendor: "Supermicro", Product: product, Brand: "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", Maker: "Intel", ID: [3]int{6, 62, 4},
			Channels: 4, Depth: 2, Type: 0x18, MTs: 1866, Label: func(cpu, channel, slot int) (string, string) {
				return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", cpu, cpu, channel, slot)
			}}
	}
	board := func(product string) *inventory.System {
		s := lettered(product)
		return collecttest.Read(t, product, s.Table(func(_, channel, _ int) bool { return channel < 2 }).Dump())
	}
	sys := board("X9DRW")
	_, _, made := planned(t, sys, p)
	require.NotEmpty(t, made.Advice, made.Why)
	require.Equal(t, 0, made.Advice[0].Count(plan.Install))
	require.Contains(t, made.Advice[0].Sentence(sys), "move P1-DIMMA2 to P1-DIMMC1, P1-DIMMB2 to P1-DIMMD1")
	x9dbx := lettered("X9DBX")
	two := collecttest.Read(t, "one channel full", x9dbx.Table(func(_, channel, _ int) bool { return channel == 0 }).Dump())
	c := hold(t, "one channel full", two, p)
	require.Len(t, c.made.Advice, 2, "12 modules are not bought in addition to 4 to fill every slot")
	require.Equal(t, "move socket 0 channel 0 to socket 0 channel 1, socket 1 channel 0 to socket 1 channel 1", c.made.Advice[0].Sentence(two))
	require.Equal(t, "move socket 0 channel 0 to socket 0 channel 1, socket 1 channel 0 to socket 1 channel 1; "+
		"install 4 x 32 GiB DDR3 of 2 ranks as in P1-DIMMA1 in socket 0 channel 2, socket 0 channel 3, socket 1 channel 2, socket 1 channel 3", c.made.Advice[1].Sentence(two))
	c = hold(t, "two channels full", board("X9DBX"), p)
	require.Len(t, c.made.Advice, 1, "no document of this board says which slot is first, and moving would do: none are bought")
	require.Equal(t, "move socket 0 channel 0 to socket 0 channel 2, socket 0 channel 1 to socket 0 channel 3, "+
		"socket 1 channel 0 to socket 1 channel 2, socket 1 channel 1 to socket 1 channel 3", c.made.Advice[0].Sentence(two))
}

// TestOrderByTheBoardsDocument checks two full channels of four. On the S2600CW the first slots are populated, on the
// S1200SP the second ones, as their documents say; nothing is bought.
func TestOrderByTheBoardsDocument(t *testing.T) {
	p := pipeline(t)
	for board, c := range map[string]struct {
		server machinetest.Server
		says   string
	}{
		"S2600CW": {machinetest.Server{Brand: "Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz", ID: [3]int{6, 63, 2}, Channels: 4}, "move DIMM_A2 to DIMM_C1, DIMM_B2 to DIMM_D1"},
		"S1200SP": {machinetest.Server{Brand: "Intel(R) Xeon(R) CPU E3-1220 v5 @ 3.00GHz", ID: [3]int{6, 94, 3}, Channels: 2}, "move DIMM_A1 to DIMM_B2"},
	} {
		s := c.server
		s.Vendor, s.Product, s.Maker, s.Depth, s.Type, s.MTs, s.Single = "Intel Corporation", board, "Intel", 2, 0x1A, 2133, true
		s.Label = func(_, channel, slot int) (string, string) {
			return fmt.Sprintf("DIMM_%c%d", 'A'+channel, slot+1), fmt.Sprintf("NODE 0 CHANNEL %d DIMM %d", channel, slot+1)
		}
		sys := collecttest.Read(t, board, s.Table(func(_, channel, _ int) bool { return channel < s.Channels/2 }).Dump())
		_, _, made := planned(t, sys, p)
		require.NotEmpty(t, made.Advice, made.Why)
		require.Equal(t, 0, made.Advice[0].Count(plan.Install))
		require.Contains(t, made.Advice[0].Sentence(sys), c.says)
	}
}

// TestFullChannelsNeedNoOrder checks three full channels of four, whose first slot is unknown. The fourth is filled
// completely, and the order is not mentioned because it would change nothing.
func TestFullChannelsNeedNoOrder(t *testing.T) {
	s := machinetest.Server{Vendor: "Supermicro", Product: "X9DBX", Brand: "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", Maker: "Intel", ID: [3]int{6, 62, 4},
		Channels: 4, Depth: 2, Type: 0x18, MTs: 1866, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", cpu, cpu, channel, slot)
		}}
	sys := collecttest.Read(t, "three full", s.Table(func(_, channel, _ int) bool { return channel < 3 }).Dump())
	c := hold(t, "three of four channels", sys, pipeline(t))
	require.Len(t, c.made.Advice, 1, c.made.Why)
	require.Equal(t, 4, buys(&c.made.Advice[0]))
	require.Empty(t, c.made.WhyExpensive)
}

// TestSetsNeedNoMap checks that an R815's slots, whose channels are inferred, are named from the manual, which lists
// the slots for four modules.
func TestSetsNeedNoMap(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Server{Vendor: "Dell Inc.", Product: "PowerEdge R815", Brand: "AMD Opteron(tm) Processor 6276", Maker: "Advanced Micro Devices, Inc.", ID: [3]int{0x15, 1, 2},
		Channels: 4, Depth: 2, Type: 0x18, MTs: 1600, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("DIMM_%c%d", 'A'+cpu, channel+1+4*slot), "Not Specified"
		}}
	filled := func(n int) *inventory.System {
		return collecttest.Read(t, "r815", s.Table(func(_, channel, slot int) bool { return slot == 0 && channel < n }).Dump())
	}
	sys := filled(1)
	_, topo, made := planned(t, sys, p)
	require.True(t, topo.Populations[0].DPC.Unverified, "the slot map is inferred; with a document this test proves nothing")
	require.Len(t, made.Advice, 1, made.Why)
	require.Contains(t, made.Advice[0].Sentence(sys), "in DIMM_A2, DIMM_A3, DIMM_A4, DIMM_B2, DIMM_B3, DIMM_B4")
	require.Contains(t, made.Advice[0].Source, "PowerEdge R815 Technical Guide")
	_, _, made = planned(t, filled(3), p)
	require.Equal(t, 2, made.Advice[0].Count(plan.Install))
	_, _, made = planned(t, filled(4), p)
	require.Empty(t, made.Advice)
}

// TestNoAdviceLowersACPU checks that no CPU gives up bandwidth for another: with three of four modules doubled on CPU2
// (75 % for sure) and one on CPU1 (25 %), a swap would give both 50 %.
func TestNoAdviceLowersACPU(t *testing.T) {
	p := pipeline(t)
	s := machinetest.Server{Vendor: "Supermicro", Product: "X9DBX", Brand: "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", Maker: "Intel", ID: [3]int{6, 62, 4},
		Channels: 4, Depth: 2, Type: 0x18, MTs: 1866, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", cpu, cpu, channel, slot)
		}}
	shares := func(sockets []plan.ReachedSocket) (out []float64) {
		for i := range sockets {
			out = append(out, *sockets[i].Relative.Low)
		}
		return out
	}
	uneven := collecttest.Read(t, "uneven", s.Table(func(_, _, slot int) bool { return slot == 0 }).Dump())
	double := map[string]bool{"P1-DIMMA1": true, "P2-DIMMF1": true, "P2-DIMMG1": true, "P2-DIMMH1": true}
	for i := range uneven.Slots {
		if slot := &uneven.Slots[i]; double[slot.Locator.Value] {
			slot.SizeBytes.Value *= 2
		}
	}
	_, topo, made := planned(t, uneven, p)
	require.InDelta(t, .25, topo.Populations[0].Relative.Value.Low, .001)
	require.InDelta(t, .75, topo.Populations[1].Relative.Value.Low, .001)
	require.NotEmpty(t, made.Advice)
	for i := range made.Advice {
		after := shares(made.Advice[i].Reaches.Sockets)
		require.GreaterOrEqual(t, after[0], .25-.001, made.Advice[i].Sentence(uneven))
		require.GreaterOrEqual(t, after[1], .75-.001, made.Advice[i].Sentence(uneven))
	}
}

// TestFirstOfLikeChannels checks a DL380 Gen9 of the SMBIOS archives with one module, at the second processor. Among
// slots that are otherwise equal the first processor gets one where HPE's letters begin, DIMM 12 (A); once it was
// DIMM 4 (D). 25 of 30 processors of Gen8 and Gen9 in the archives with one module have it there, none in DIMM 4.
func TestFirstOfLikeChannels(t *testing.T) {
	numbers := [4][3]int{{12, 11, 10}, {9, 8, 7}, {1, 2, 3}, {4, 5, 6}}
	s := machinetest.Server{Vendor: "HP", Product: "ProLiant DL380 Gen9", Brand: "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz", Maker: "Intel(R) Corporation", ID: [3]int{6, 63, 2},
		Channels: 4, Depth: 3, Type: 0x1A, MTs: 2133, Label: func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("PROC %d DIMM %d", cpu+1, numbers[channel][slot]), ""
		}}
	sys := collecttest.Read(t, "one module", s.Table(func(cpu, channel, slot int) bool { return cpu == 1 && channel == 2 && slot == 0 }).Dump())
	_, _, made := planned(t, sys, pipeline(t))
	require.NotEmpty(t, made.Advice, made.Why)
	require.Len(t, made.Advice[0].Steps, 1)
	require.Equal(t, "PROC 1 DIMM 12", sys.Slots[made.Advice[0].Steps[0].ToSlot].Name())
}
