package place

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestPlaceUnknown has machines whose labels are unreliable or unknown: the result is unknown with a reason, never a
// guess.
func TestPlaceUnknown(t *testing.T) {
	for _, c := range []placeCase{
		{name: "more processors than the table", vendor: "Supermicro", product: "X8DTU", sockets: "P", platform: plat3,
			slots: []string{"P1_DIMM1A@BANK0* P2_DIMM1A@BANK1*"}, want: "-.-.-.- -.-.-.-", reason: "name processor 2 and the table describes 1"},
		{name: "empty slots of a socket the table leaves out", vendor: "Supermicro", product: "X8DTU", sockets: "P", platform: plat3,
			slots: []string{"P1_DIMM1A@BANK0* P2_DIMM1A@BANK1"}, want: "0.0.0.0"},
		{name: "module on an absent processor", vendor: "Supermicro", product: "X8DTU", sockets: "PePe", platform: plat3,
			slots: []string{"P{1,2}_DIMM1A@BANK0*"}, want: "-.-.-.- -.-.-.-", reason: "processor 1, which the table calls absent"},
		{name: "one processor, named in another order", vendor: "iXsystems", product: "X8DAH", sockets: "Pe", platform: plat3,
			slots: []string{"P1_DIMM{1..3}A@BANK1 P2_DIMM{1..3}A@BANK2*"}, want: "0.0.0.0 0.0.1.0 0.0.2.0", certainty: fact.Indirect},
		{name: "two of three processors present", vendor: "Supermicro", product: "X8DTU", sockets: "PPe", platform: plat3,
			slots: []string{"P3_DIMM1A@BANK0*"}, want: "-.-.-.-", reason: "processor 2, which the table calls absent"},
		{name: "no processor present", vendor: "Supermicro", product: "X8DTU", sockets: "ee", platform: plat3,
			slots: []string{"P2_DIMM1A@BANK0*"}, want: "-.-.-.-", reason: "processor 1, which the table calls absent"},
		{name: "more channels than the processor has", vendor: "Supermicro", product: "X8DTU", sockets: "PP", platform: plat2,
			slots: []string{"P{1,2}_DIMM3A@BANK0*"}, want: "0.-.-.- 1.-.-.-", reason: "channel 2 of a processor with 2"},
		{name: "deeper than the platform", vendor: "Supermicro", product: "X8DTU", sockets: "PP", platform: plat2,
			slots: []string{"P1_DIMM1{A..C}@BANK0*"}, want: "0.-.-.- 0.-.-.- 0.-.-.-", reason: "more than 2 slots on one channel"},
		{name: "two modules in one place", vendor: "Intel", product: "S2600", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_{1,2}@NODE~0~CHANNEL~0~DIMM~0*"}, want: "0.-.-.- 0.-.-.-", reason: "in one place"},
		{name: "banks moved on by one slot", vendor: "Intel", product: "S5500BC", sockets: "PP", platform: plat3,
			slots: []string{"DIMM_A1@NODE~0~CHANNEL~0~DIMM~1* DIMM_A2@NODE~0~CHANNEL~1~DIMM~0* DIMM_B1@NODE~0~CHANNEL~1~DIMM~1* DIMM_B2@NODE~1~CHANNEL~0~DIMM~0*"},
			want:  "-.-.-.- -.-.-.- -.-.-.- -.-.-.-", reason: "cannot both be true"},
		{name: "processor and number of a board without a map", vendor: "NEC", product: "Express5800/R120b-1 [N8100-1660F]", sockets: "PP", platform: plat3,
			slots: []string{"CPU1_DIMM{1,2}@BANK~1* CPU2_DIMM2@BANK~8*"}, want: "0.-.-.- 0.-.-.- 1.-.-.-", reason: `no slot map of "Express5800/R120b-1 [N8100-1660F]"`},
		{name: "letters of processors, banks out of their order", vendor: "Quanta", product: "Leopard ORv2-DDR4", sockets: "PP", platform: plat4,
			slots: []string{"A0@_Node0_Channel1_Dimm0* A1@_Node0_Channel0_Dimm0* B0@_Node1_Channel0_Dimm0*"}, want: "-.-.-.- -.-.-.- -.-.-.-", reason: "cannot both be true"},
		{name: "letters of other processors than the banks", vendor: "Quanta", product: "Leopard ORv2-DDR4", sockets: "PP", platform: plat4,
			slots: []string{"B0@_Node0_Channel0_Dimm0* B1@_Node0_Channel1_Dimm0* A0@_Node1_Channel0_Dimm0*"}, want: "-.-.-.- -.-.-.- -.-.-.-", reason: "cannot both be true"},
		{name: "one letter of one processor", vendor: "Quanta", product: "Leopard ORv2-DDR4", sockets: "P", platform: plat4,
			slots: []string{"A0@_Node0_Channel0_Dimm0* A1@_Node0_Channel1_Dimm0*"}, want: "-.-.-.- -.-.-.-", reason: "cannot both be true"},
		{name: "a number of one processor on a bank of the other", vendor: "Lenovo", product: "System x3650 M5: -[8871AC1]-", sockets: "PP", platform: plat4,
			slots: []string{"DIMM~{1,4,9}@CPU~1* DIMM~12@CPU~2*"}, want: "-.-.-.- -.-.-.- -.-.-.- -.-.-.-", reason: "slot number 12 is of processor 0, and its label names another"},
		{name: "one bank on the channel of another letter", vendor: "Intel", product: "S2600", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_{A,B}1@NODE~0~CHANNEL~0~DIMM~0*"}, want: "-.-.-.- -.-.-.-", reason: "cannot both be true"},
		{name: "letters that begin anew with each processor", vendor: "Intel", product: "S2600", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_A1@NODE~0~CHANNEL~0~DIMM~0* DIMM_B1@NODE~0~CHANNEL~1~DIMM~0* DIMM_A1@NODE~1~CHANNEL~0~DIMM~0* DIMM_B1@NODE~1~CHANNEL~1~DIMM~0*"},
			want:  "0.-.0.0 0.-.1.0 1.-.0.0 1.-.1.0"},
		{name: "twins without a slot number", vendor: "Phytium", product: "FT-2000/4", sockets: "P", platform: nil,
			slots: []string{"DIMM1@SOCKET~0~CHANNEL~1~DIMM~1*", "DIMM1@SOCKET~0~CHANNEL~1~DIMM~1*"}, want: "0.-.-.- 0.-.-.-", reason: "the same label"},
		{name: "letters without a processor", vendor: "ASUSTeK", product: "unknown", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_{A,B}1*"}, want: "-.-.-.- -.-.-.-", reason: "names no processor"},
		{name: "product without a map", vendor: "Dell Inc.", product: "PowerEdge R9999", sockets: "PP", platform: plat4,
			slots: []string{"A1* B1*"}, want: "0.-.-.- 1.-.-.-", reason: `no slot map of "PowerEdge R9999"`},
		{name: "number that the map does not have", vendor: "Dell Inc.", product: "PowerEdge R610", sockets: "PP", platform: plat3,
			slots: []string{"DIMM_A{1,7}*"}, want: "0.-.-.- 0.-.-.-", reason: "slot number 7 is not on slot map dell-11g-2dpc"},
		{name: "r910 risers", vendor: "Dell Inc.", product: "PowerEdge R910", sockets: "PPPP", platform: platEX,
			slots: []string{"DIMM~{A..H}1*"}, want: strings.TrimSpace(strings.Repeat("-.-.-.- ", 8)), reason: "memory risers"},
		{name: "r810 with four processors", vendor: "Dell Inc.", product: "PowerEdge R810", sockets: "PPPP", platform: platEX,
			slots: []string{"DIMM~{A,D}1*"}, want: "0.-.-.- 3.-.-.-", reason: "FlexMem"},
		{name: "r810 with two processors", vendor: "Dell Inc.", product: "PowerEdge R810", sockets: "PPee", platform: platEX,
			slots: []string{"DIMM~{A,D}1*"}, want: "-.-.-.- -.-.-.-", reason: "FlexMem"},
		{name: "r900 letters are risers of one chipset", vendor: "Dell Inc.", product: "PowerEdge R900", sockets: "PPPP", platform: &platform.Platform{MaxDPC: 8},
			slots: []string{"DIMM~{A,D}1*"}, want: "-.-.0.0 -.-.3.0"},
		{name: "dl580 g7 cartridges", vendor: "HP", product: "ProLiant DL580 G7", sockets: "PPPP", platform: platEX,
			slots: []string{"Board~{1,4,8},~DIMM~1A*"}, want: "0.0.-.- 1.1.-.- 3.1.-.-", reason: "lockstep pair"},
		{name: "x3850 x5 memory cards", vendor: "IBM", product: "System x3850 X5", sockets: "PPPP", platform: platEX,
			slots: []string{"DIMM~1@Node~1~Bank~1~MemCard~1*"}, want: "-.-.-.-", reason: "memory card"},
		{name: "nodes that may be two controllers of one processor", vendor: "HUANANZHI", product: "X99 F8D", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_A1@NODE~1* DIMM_C1@NODE~2*"}, want: "-.-.-.- -.-.-.-", reason: "fits neither"},
		{name: "nodes that are controllers, two seen", vendor: "HUANANZHI", product: "X99 F8D", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_B1@NODE~1* DIMM_H1@NODE~4*"}, want: "0.-.1.0 1.-.3.0"},
		{name: "two controllers of one processor", vendor: "MSI", product: "MS-7A20", sockets: "P", platform: plat4,
			slots: []string{"DIMM_A1@NODE~1* DIMM_C1@NODE~2*"}, want: "0.-.0.0 0.-.2.0"},
		{name: "boards of a front-side bus are no cartridges", vendor: "HP", product: "ProLiant ML370 G5", sockets: "PP", platform: platFB,
			slots: []string{"Board~{1,2},~DIMM~1A*"}, want: "-.-.-.- -.-.-.-", reason: "no known pattern"},
		{name: "no label", vendor: "Supermicro", product: "X8", sockets: "PP", platform: plat3, slots: []string{"@*"}, want: "-.-.-.-", reason: "no label"},
		{name: "label of no family", vendor: "HP", product: "Superdome2", sockets: "PP", platform: platEX, slots: []string{"1/1/0/03E@1/1/0/0*"},
			want: "-.-.-.-", reason: "no known pattern"},
		{name: "dell letters under another maker", vendor: "", product: "", sockets: "PP", platform: plat4, slots: []string{"DIMM_A{1..4}* DIMM_B{1..4}*"},
			want: strings.TrimSpace(strings.Repeat("-.-.-.- ", 8)), reason: "names no processor"},
	} {
		t.Run(c.name, c.run)
	}
}

// TestPlaceHalfLabelled checks that a slot lacking one of the labels that the others have, which would be placed
// alone and numbered from another base, is not placed.
func TestPlaceHalfLabelled(t *testing.T) {
	for _, slots := range [][]string{
		{"P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "P2-DIMMA1@P1_Node0_Channel0_Dimm0*", "@P1_Node0_Channel1_Dimm0*"},
		{"DIMM_P0_A1@P0_Node0_Channel0_Dimm0*", "DIMM_P1_A1@P1_Node0_Channel0_Dimm0*", "DIMM_P1_B1@*"},
	} {
		sys := board("Supermicro", "X9DRi", "PP", slots...)
		out, _ := LocateSlots(sys, plat4, corpustest.Rules(t))
		assert.Equal(t, "0.-.0.0 1.-.0.0 -.-.-.-", seats(sys, out))
		assert.Equal(t, "firmware leaves out one of the two labels that its other slots have", out[2].Reason)
	}
}

// TestPlaceTwoProcessors checks that a slot whose label and bank name different processors is not placed.
func TestPlaceTwoProcessors(t *testing.T) {
	sys := board("LENOVO", "4223FM2", "PP", "CPU0_Dimm{4,5}@CPU0_Bank2*", "CPU1_Dimm6@CPU0_Bank3*")
	out, _ := LocateSlots(sys, plat4, corpustest.Rules(t))
	assert.Equal(t, "0.-.2.- 0.-.2.- -.-.-.-", seats(sys, out))
	assert.Equal(t, "no known pattern reads this slot's label", out[2].Reason)
}

// TestPlaceAbsentProcessor checks a DIMM of an empty socket: it is placed there, because a rule covers that, and the
// others keep their places. The names of the sockets must follow the order of the labels.
func TestPlaceAbsentProcessor(t *testing.T) {
	for _, c := range []struct {
		designations []string
		want         string
	}{
		{[]string{"CPU 1", "CPU 2"}, "0.0.0.0 0.0.1.0 1.0.0.0"},
		{[]string{"", ""}, "0.0.0.0 0.0.1.0 1.0.0.0"},
		{[]string{"CPU 2", "CPU 1"}, "-.-.-.- -.-.-.- -.-.-.-"},
	} {
		sys := board("Supermicro", "X8DTU", "Pe", "P1_DIMM{1,2}A@BANK0*", "P2_DIMM1A@BANK0*")
		for i := range sys.Sockets {
			sys.Sockets[i].Designation = label(c.designations[i])
		}
		out, _ := LocateSlots(sys, plat3, corpustest.Rules(t))
		assert.Equal(t, c.want, seats(sys, out), c.designations)
		if out[2].Socket == 1 {
			assert.Equal(t, fact.Indirect, out[2].Certainty, "one source locates the module")
		}
	}
	// A table that describes one processor leaves the slots of another out, or its structure was lost.
	sys := board("Supermicro", "X8DTU", "P", "P1_DIMM1A@BANK0*", "P2_DIMM1A@BANK0")
	out, _ := LocateSlots(sys, plat3, corpustest.Rules(t))
	assert.Equal(t, "0.0.0.0", seats(sys, out))
	assert.Equal(t, []int{0, 2}, []int{out[0].Undescribed, out[1].Undescribed})
	// Where no processor is there at all, that contradicts every label.
	sys = board("Supermicro", "X8DTU", "e", "P1_DIMM{1,2}A@BANK0*")
	out, _ = LocateSlots(sys, plat3, corpustest.Rules(t))
	assert.Equal(t, "-.-.-.- -.-.-.-", seats(sys, out))
	assert.Equal(t, "slot labels put a module on processor 0, which the table calls absent", out[0].Reason)
}

// TestPlaceMaps has one machine for each numbering scheme.
func TestPlaceMaps(t *testing.T) {
	for _, c := range []placeCase{
		{name: "unlike processors", vendor: "Dell Inc.", product: "PowerEdge R430", sockets: "PP", platform: plat4,
			slots: []string{"A{1,5}* B4*"}, want: "0.-.0.0 0.-.0.1 1.-.3.0", rule: "dell-13g-8-4", certainty: fact.Corroborated},
		{name: "a storage node has twelve slots a processor", vendor: "Dell Inc.", product: "PowerVault DX6112", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_A{1,4,5,9}*"}, want: "0.-.0.0 0.-.3.0 0.-.0.1 0.-.0.2", rule: "dell-12g-4ch-like", certainty: fact.Indirect},
		{name: "controllers of the map", vendor: "Dell Inc.", product: "PowerEdge R740", sockets: "PP", platform: plat6,
			slots: []string{"A{1,4,12}*"}, want: "0.0.0.0 0.1.3.0 0.1.5.1", rule: "dell-14g-6ch"},
		{name: "double blanks", vendor: "HP", product: "ProLiant DL380p Gen8", sockets: "PP", platform: plat4,
			slots: []string{"PROC~~1~DIMM~~9*", "PROC~~2~DIMM~12*"}, want: "0.-.1.0 1.-.0.0", rule: "hp-gen8-gen9-12"},
		{name: "fill letters are no channels", vendor: "HP", product: "ProLiant DL380 G7", sockets: "PP", platform: plat3,
			slots: []string{"PROC~2~DIMM~3A* PROC~2~DIMM~2D* PROC~2~DIMM~9C*"}, want: "1.0.0.0 1.0.0.1 1.0.2.0", rule: "hp-g6-g7-9"},
		{name: "numbers go on", vendor: "IBM", product: "System x3550 M4 -[7914B2A]-", sockets: "PP", platform: plat4,
			slots: []string{"DIMM~{1,4,13,24}@Bank~1*"}, want: "0.-.0.0 0.-.1.0 1.-.0.0 1.-.3.0", rule: "ibm-m4-12"},
		{name: "second processor mirrored", vendor: "IBM", product: "BladeCenter HS23 -[7875MFM]-", sockets: "PP", platform: plat4,
			slots: []string{"DIMM~{1,2,9,16}@Bank~1*"}, want: "0.-.1.- 0.-.1.- 1.-.2.0 1.-.0.0", rule: "ibm-hs23"},
		{name: "processor in the bank", vendor: "Lenovo", product: "ThinkSystem SR650 -[7X06CTO1WW]-", sockets: "PP", platform: plat6,
			slots: []string{"DIMM~5@CPU~1* DIMM~20@CPU~2*"}, want: "0.0.0.0 1.1.3.0", rule: "lenovo-sp-12"},
		{name: "board names the product", vendor: "Dell Inc.", product: "Precision 7920 Tower", sockets: "PP", platform: plat6,
			slots: []string{"DIMM{1,2,8}_CPU1*", "DIMM1_CPU0*"}, want: "1.0.2.0 1.1.5.0 1.1.5.1 0.0.2.0", certainty: fact.Corroborated},
		{name: "oracle counts from 0", vendor: "Oracle Corporation", product: "SUN FIRE X4170 M3", sockets: "PP", platform: plat4,
			slots: []string{"D{7,0}@/SYS/MB/P1* D7@/SYS/MB/P0"}, want: "1.-.0.0 1.-.2.0", rule: "sun-m3-like"},
		{name: "front-side bus", vendor: "Dell Inc.", product: "PowerEdge 2950", sockets: "PP", platform: platFB,
			slots: []string{"DIMM{1,2,5,8}*"}, want: "-.0.0.0 -.0.1.0 -.0.0.1 -.1.3.1", rule: "dell-fbd-8"},
		{name: "hp g5 letters are banks", vendor: "HP", product: "ProLiant DL380 G5", sockets: "PP", platform: platFB,
			slots: []string{"DIMM~1A* DIMM~3A* DIMM~5B*"}, want: "-.0.0.0 -.0.1.0 -.1.2.0", rule: "hp-fbd-8", certainty: fact.Indirect},
		{name: "channel letter in the bank", vendor: "HP", product: "ProLiant DL165 G7", sockets: "PP", platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 4, MaxDPC: 3},
			slots: []string{"PROC~1~DIMM~{1..3}@A PROC~1~DIMM~4@B* PROC~2~DIMM~10@D*"}, want: "0.-.1.0 1.-.3.0", rule: "hp-bank-letter"},
		{name: "swapped labels", vendor: "Dell Inc.", product: "C6100", sockets: "PP", platform: plat3,
			slots: []string{"CPU0@DIMM0{3,5}* CPU1@DIMM{09,11}*"}, want: "0.0.1.0 0.0.2.0 1.0.1.0 1.0.2.0", rule: "dell-c6100"},
		{name: "dell e3 prints channels", vendor: "Dell Inc.", product: "PowerEdge R210 II", sockets: "P", platform: plat2,
			slots: []string{"DIMM~A2@BANK~0 DIMM~A1@BANK~1* DIMM~B1@BANK~3*"}, want: "0.0.0.0 0.0.1.0", rule: "dell-e3"},
		{name: "node and number", vendor: "FUJITSU", product: "PRIMERGY TX2540 M1", sockets: "PP", platform: plat3,
			slots: []string{"Node0_Dimm{0,5}@Node0_Bank0*", "Node1_Dimm2@Node1_Bank0*"}, want: "0.0.0.0 0.0.2.0 1.0.1.0", rule: "fujitsu-tx2540-m1", certainty: fact.Indirect},
	} {
		t.Run(c.name, c.run)
	}
}

// TestPlaceByBoardNumber checks that Dell's boards are recognised under another vendor's name, and without one, but
// never with more than a guess.
func TestPlaceByBoardNumber(t *testing.T) {
	for _, vendor := range []string{"", "ForeScout Technologies"} {
		sys := board(vendor, "CounterACT", "PP", "A{1,5}*", "B4*")
		sys.Machine.Board, sys.Machine.BoardVendor = known("04N3DF"), known(vendor)
		out, _ := LocateSlots(sys, plat4, corpustest.Rules(t))
		assert.Equal(t, "0.-.0.0 0.-.0.1 1.-.3.0", seats(sys, out))
		for _, o := range out {
			assert.Equal(t, "oem-dell-4ch", o.Rule)
			assert.True(t, o.Unverified)
		}
	}
	sys := board("ForeScout Technologies", "CounterACT", "PP", "A{1,5}*", "B4*")
	sys.Machine.Board = known("04N3DX")
	out, _ := LocateSlots(sys, plat4, corpustest.Rules(t))
	assert.Equal(t, "no known pattern reads this slot's label", out[0].Reason)
}

// TestPlaceVirtual checks that a guest has no slots.
func TestPlaceVirtual(t *testing.T) {
	sys := board("QEMU", "Standard PC", "P", "DIMM~0*")
	sys.Machine.Virtual = known(true)
	out, _ := LocateSlots(sys, nil, corpustest.Rules(t))
	assert.Equal(t, "-.-.-.-", seats(sys, out))
	assert.Contains(t, out[0].Reason, "virtual")
}

// TestPlaceWithoutRules checks that missing data make everything unknown, with the reason.
func TestPlaceWithoutRules(t *testing.T) {
	sys := board("Dell Inc.", "PowerEdge R610", "PP", "DIMM_A1*")
	out, _ := LocateSlots(sys, plat3, fstest.MapFS{})
	assert.Equal(t, "-.-.-.-", seats(sys, out))
	assert.Contains(t, out[0].Reason, "read locator patterns")
}

// edac creates controllers from labels.
func edac(bytes int64, labels ...string) []inventory.Controller {
	var out []inventory.Controller
	for mc, list := range labels {
		c := inventory.Controller{Index: mc}
		for label := range strings.FieldsSeq(list) {
			c.DIMMs = append(c.DIMMs, inventory.ControllerDIMM{Label: known(label), SizeBytes: known(bytes)})
		}
		out = append(out, c)
	}
	return out
}

// TestPlaceEDAC checks that the controllers confirm, override or complete the labels.
func TestPlaceEDAC(t *testing.T) {
	label := func(cpu, ctl int, channels ...int) string {
		var b strings.Builder
		for _, c := range channels {
			fmt.Fprintf(&b, "CPU_SrcID#%d_MC#%d_Chan#%d_DIMM#0 ", cpu, ctl, c)
		}
		return b.String()
	}
	two := []string{label(0, 0, 0, 1), label(1, 0, 0, 1)}
	t.Run("confirm", func(t *testing.T) {
		sys := board("Supermicro", "Super Server", "PP", "P{1,2}-DIMM{A,B}1@NO~DIMM*")
		sys.EDAC = edac(8<<30, two...)
		out, conflicts := LocateSlots(sys, plat6, corpustest.Rules(t))
		require.Empty(t, conflicts)
		assert.Equal(t, "0.0.0.0 0.0.1.0 1.0.0.0 1.0.1.0", seats(sys, out))
		assert.Equal(t, fact.Direct, out[0].Certainty)
	})
	t.Run("overrule", func(t *testing.T) {
		sys := board("Supermicro", "Super Server", "PP", "P{1,2}-DIMMA{1,2}@NO~DIMM*")
		sys.EDAC = edac(8<<30, two...)
		out, conflicts := LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 4, Controllers: 1, MaxDPC: 2}, corpustest.Rules(t))
		require.Len(t, conflicts, 1)
		assert.Equal(t, "4 channels", conflicts[0].Kept.Raw)
		assert.Equal(t, "0.0.0.0 0.0.1.0 1.0.0.0 1.0.1.0", seats(sys, out))
		assert.Equal(t, sourceEDAC, out[0].Source)
		assert.Equal(t, fact.Indirect, out[0].Certainty)
	})
	t.Run("fill in", func(t *testing.T) {
		sys := board("Dell Inc.", "PowerEdge R9999", "PP", "{A,B}{1,2}*")
		sys.EDAC = edac(8<<30, label(0, 0, 0), label(0, 1, 2), label(1, 0, 0), label(1, 1, 2))
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, "0.0.0.0 0.1.5.0 1.0.0.0 1.1.5.0", seats(sys, out))
	})
	t.Run("a channel that no controller has: in the order seen", func(t *testing.T) {
		sys := board("Dell Inc.", "PowerEdge R9999", "PP", "{A,B}{1,2}*")
		sys.EDAC = edac(8<<30, label(0, 0, 1), label(0, 1, 3), label(1, 0, 1), label(1, 1, 3))
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, "0.0.0.0 0.1.1.0 1.0.0.0 1.1.1.0", seats(sys, out))
	})
	t.Run("unlike modules are not guessed", func(t *testing.T) {
		sys := board("Dell Inc.", "PowerEdge R9999", "PP", "{A,B}{1,2}*")
		sys.Slots[0].SizeBytes = known(int64(16 << 30))
		sys.EDAC = edac(8<<30, two...)
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, "0.-.-.- 0.-.-.- 1.-.-.- 1.-.-.-", seats(sys, out))
	})
	t.Run("ghes knows no channel", func(t *testing.T) {
		sys := board("Supermicro", "Super Server", "PP", "P{1,2}-DIMM{A,B}1@NO~DIMM*")
		sys.EDAC = edac(8<<30, "memory memory memory memory")
		out, conflicts := LocateSlots(sys, plat6, corpustest.Rules(t))
		require.Empty(t, conflicts)
		assert.Equal(t, fact.Corroborated, out[0].Certainty)
	})
}

// TestGuardRepeats checks that labels repeated on one processor withdraw its channels, but not those of the other.
func TestGuardRepeats(t *testing.T) {
	sys := board("AIC", "SB202-UR", "PP", "CPU1_DIMM_{A,B}0@NODE~1*", "CPU2_DIMM_A0@NODE~2*", "CPU2_DIMM_A0@NODE~2*", "CPU2_DIMM_B0@NODE~2*")
	out, _ := LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 6, MaxDPC: 2}, corpustest.Rules(t))
	assert.Equal(t, "0.-.0.0 0.-.1.0 1.-.-.- 1.-.-.- 1.-.-.-", seats(sys, out))
	assert.Contains(t, out[4].Reason, "carry the same label")
	assert.Contains(t, out[0].SocketDoubt, "carry the same label", "one of the two may be the other processor's")
	sys.Slots[3].State = inventory.SlotEmpty
	out, _ = LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 6, MaxDPC: 2}, corpustest.Rules(t))
	assert.Empty(t, out[0].SocketDoubt, "the module's slot is on this processor, whichever it is")
}

// TestBoardsOfOtherNames checks that a board number finds the product's slot map and sets whatever the machine's name
// is.
func TestBoardsOfOtherNames(t *testing.T) {
	sys := board("To be filled by O.E.M.", "Appliance", "P", "A{1,2,5}@Not~Specified*")
	sys.Machine.Board = label("072T6D")
	out, _ := LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 4, MaxDPC: 3}, corpustest.Rules(t))
	assert.Equal(t, "0.-.0.0 0.-.1.0 0.-.0.1", seats(sys, out))
	assert.NotNil(t, ReadSets(corpustest.Rules(t), &sys.Machine))
	sys.Machine.Board = label("0ZZZZZ")
	out, _ = LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 4, MaxDPC: 3}, corpustest.Rules(t))
	assert.Equal(t, Unplaced, out[0].Channel)
}
