package place

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// known is a fact for a test machine.
func known[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Indirect, fact.Evidence{})
}

// label returns a label; none is unstated.
func label(label string) fact.Fact[string] {
	if label == "" {
		return fact.Fact[string]{State: fact.Unstated}
	}
	return known(label)
}

// board returns a machine for a list of labels: each word is "locator" or "locator@bank", with a final * if
// populated; _ is a blank in a label, {a..b} and {a,b} are expanded.
func board(vendor, product string, sockets string, words ...string) *inventory.System {
	sys := &inventory.System{}
	sys.Machine.Vendor, sys.Machine.Product = known(vendor), known(product)
	for i, state := range sockets {
		sys.Sockets = append(sys.Sockets, inventory.Socket{ID: i, Populated: known(state == 'P'), Vendor: known("GenuineIntel")})
	}
	for _, list := range words {
		for word := range strings.FieldsSeq(list) {
			for _, w := range expand(word) {
				sys.Slots = append(sys.Slots, slotOf(w, len(sys.Slots)))
			}
		}
	}
	return sys
}

func slotOf(word string, row int) inventory.Slot {
	word, populated := strings.CutSuffix(word, "*")
	locator, bank, _ := strings.Cut(word, "@")
	s := inventory.Slot{Handle: inventory.Handle(0x1100 + row), Row: row, State: inventory.SlotEmpty, Technology: known(inventory.DRAM),
		Locator: label(strings.ReplaceAll(locator, "~", " ")), BankLocator: label(strings.ReplaceAll(bank, "~", " "))}
	if populated {
		s.State, s.SizeBytes, s.Type = inventory.SlotPopulated, known(int64(8<<30)), known("DDR4")
	}
	return s
}

// expand resolves {a..b} and {a,b}, the first braces outermost.
func expand(word string) []string {
	before, rest, ok := strings.Cut(word, "{")
	if !ok {
		return []string{word}
	}
	inside, after, _ := strings.Cut(rest, "}")
	var out []string
	for _, v := range values(inside) {
		for _, tail := range expand(after) {
			out = append(out, before+v+tail)
		}
	}
	return out
}

func values(inside string) []string {
	from, to, ok := strings.Cut(inside, "..")
	if !ok {
		return strings.Split(inside, ",")
	}
	var out []string
	if from[0] >= 'A' {
		for c := from[0]; c <= to[0]; c++ {
			out = append(out, string(c))
		}
		return out
	}
	var a, b int
	fmt.Sscan(from, &a)
	fmt.Sscan(to, &b)
	for ; a <= b; a++ {
		out = append(out, fmt.Sprint(a))
	}
	return out
}

// seats prints the placements of the populated slots: socket.controller.channel.slot.
func seats(sys *inventory.System, out []Placement) string {
	var b strings.Builder
	for i, o := range out {
		if sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for j, v := range [...]int{o.Socket, o.Controller, o.Channel, o.Slot} {
			if j > 0 {
				b.WriteByte('.')
			}
			if v == Unplaced {
				b.WriteByte('-')
			} else {
				fmt.Fprint(&b, v)
			}
		}
	}
	return b.String()
}

var (
	plat3  = &platform.Platform{ID: "3ch", NUMA: true, ChannelsPerSocket: 3, Controllers: 1, MaxDPC: 3}
	plat2  = &platform.Platform{ID: "2ch", NUMA: true, ChannelsPerSocket: 2, Controllers: 1, MaxDPC: 2}
	plat4  = &platform.Platform{ID: "4ch", NUMA: true, ChannelsPerSocket: 4, MaxDPC: 3}
	plat6  = &platform.Platform{ID: "6ch", NUMA: true, ChannelsPerSocket: 6, Controllers: 2, MaxDPC: 2}
	plat8  = &platform.Platform{ID: "8ch", NUMA: true, ChannelsPerSocket: 8, Controllers: 4, MaxDPC: 2}
	plat12 = &platform.Platform{ID: "12ch", NUMA: true, ChannelsPerSocket: 12, MaxDPC: 2}
	platEX = &platform.Platform{ID: "ex", NUMA: true, ChannelsPerSocket: 8, Controllers: 2, MaxDPC: 2}
	platFB = &platform.Platform{ID: "fsb", ChannelsPerSystem: 4, MaxDPC: 4}
)

type placeCase struct {
	// arrays: each list of slots is a memory array.
	arrays                         bool
	name, vendor, product, sockets string
	platform                       *platform.Platform
	slots                          []string
	want, reason, rule, source     string
	certainty                      fact.Certainty
}

func (c placeCase) run(t *testing.T) {
	sys := board(c.vendor, c.product, c.sockets, c.slots...)
	if c.arrays {
		at := 0
		for array, words := range c.slots {
			sys.Arrays = append(sys.Arrays, inventory.Array{Handle: uint16(0x20 + array)})
			for range board("", "", "", words).Slots {
				sys.Slots[at].Array = uint16(0x20 + array)
				at++
			}
		}
	}
	out, conflicts := LocateSlots(sys, c.platform, corpustest.Rules(t))
	require.Len(t, out, len(sys.Slots))
	require.Empty(t, conflicts)
	assert.Equal(t, c.want, seats(sys, out))
	for i, o := range out {
		if sys.Slots[i].State != inventory.SlotPopulated {
			continue
		}
		if c.reason != "" {
			assert.Contains(t, o.Reason, c.reason)
			continue
		}
		assert.Empty(t, o.Reason)
		if c.rule != "" {
			assert.Equal(t, c.rule, o.Rule)
		}
		if c.source != "" {
			assert.Equal(t, c.source, o.Source)
		}
		if c.certainty != fact.None {
			assert.Equal(t, c.certainty, o.Certainty)
		}
	}
}

// TestPlacePatterns has one machine for each family of labels.
func TestPlacePatterns(t *testing.T) {
	for _, c := range []placeCase{
		{name: "precision t7500, the second processor on a riser", vendor: "Dell Inc.", product: "Precision WorkStation T7500", sockets: "PP", platform: plat3,
			slots: []string{"DIMM~{1..3}* DIMM~{4..6} RISER~DIMM~1* RISER~DIMM~{2,3} RISER~DIMM~4*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 1.0.0.0 1.0.0.1", rule: "dell-ws-t7500", source: SourceMap, certainty: fact.Indirect},
		{name: "precision t5500, three slots on the riser", vendor: "Dell Inc.", product: "Precision WorkStation T5500", sockets: "PP", platform: plat3,
			slots: []string{"DIMM~{1..6}* RISER~DIMM~{1..3}*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 0.0.0.1 0.0.1.1 0.0.2.1 1.0.0.0 1.0.1.0 1.0.2.0", rule: "dell-ws-t5500"},
		{name: "mac pro 1,1, risers count anew", vendor: "Apple Inc.", product: "MacPro1,1", sockets: "PP", platform: platFB,
			slots: []string{"DIMM~{1,2}@DIMM~Riser~A* DIMM~{3,4}@DIMM~Riser~A DIMM~1@DIMM~Riser~B* DIMM~2@DIMM~Riser~B DIMM~3@DIMM~Riser~B* DIMM~4@DIMM~Riser~B"},
			want:  "-.-.0.0 -.-.1.0 -.-.2.0 -.-.2.1", rule: "apple-mp1", source: SourceMap, certainty: fact.Corroborated},
		{name: "mac pro 3,1, riser B first", vendor: "Apple Inc.", product: "MacPro3,1", sockets: "PP", platform: platFB,
			slots: []string{"DIMM~1@DIMM~Riser~B* DIMM~{2..4}@DIMM~Riser~B DIMM~2@DIMM~Riser~A* DIMM~{1,3,4}@DIMM~Riser~A"},
			want:  "-.-.0.0 -.-.3.0", rule: "apple-mp3"},
		{name: "precision t7400 with risers", vendor: "Dell Inc.", product: "Precision WorkStation T7400", sockets: "PP", platform: platFB,
			slots: []string{"RISER~{1..4}~DIMM~1* RISER~{1..4}~DIMM~{2..4}"},
			want:  "-.-.0.- -.-.1.- -.-.2.- -.-.3.-", rule: "dell-ws-fbd-riser", certainty: fact.Indirect},
		{name: "precision t7400 without", vendor: "Dell Inc.", product: "Precision WorkStation T7400", sockets: "PP", platform: platFB,
			slots: []string{"DIMM~{1..5}* DIMM~{6..8}"}, want: "-.-.0.0 -.-.1.0 -.-.2.0 -.-.3.0 -.-.0.1", rule: "dell-ws-fbd-8"},
		{name: "hp xw8400", vendor: "Hewlett-Packard", product: "HP xw8400 Workstation", sockets: "PP", platform: platFB,
			slots: []string{"DIMM0{1,3,5,7}* DIMM0{2,4,6,8}"}, want: "-.-.0.0 -.-.1.0 -.-.2.0 -.-.3.0", rule: "hp-xw8400", certainty: fact.Corroborated},
		{name: "fujitsu celsius, channel and processor", vendor: "FUJITSU", product: "CELSIUS R670-2", sockets: "PP", platform: plat3,
			slots: []string{"DIMM-CH{A..C}0~CPU0@BANK-A0* DIMM-CHA1~CPU1@BANK-A1*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 1.0.0.1", rule: "fujitsu-channel-cpu"},
		{name: "intel, a dot", vendor: "Intel Corporation", product: "AvenueCityM", sockets: "PP", platform: plat8,
			slots: []string{"CPU{0,1}.{A..H}0@BANK~0*"}, rule: "intel-dot",
			want: "0.0.0.0 0.0.1.0 0.1.2.0 0.1.3.0 0.2.4.0 0.2.5.0 0.3.6.0 0.3.7.0 1.0.0.0 1.0.1.0 1.1.2.0 1.1.3.0 1.2.4.0 1.2.5.0 1.3.6.0 1.3.7.0"},
		{name: "supermicro, the channel by name", vendor: "Supermicro", product: "X7DCL", sockets: "PP", platform: &platform.Platform{ChannelsPerSystem: 2, MaxDPC: 4},
			slots: []string{"CH{0,1}_DIMM{0..2}@DIMM~0-1*"}, want: "-.-.0.0 -.-.0.1 -.-.0.2 -.-.1.0 -.-.1.1 -.-.1.2", rule: "smc-channel"},
		{name: "supermicro x10, letters go on", vendor: "Supermicro", product: "Super Server", sockets: "PP", platform: plat4,
			slots: []string{"P1-DIMM{A..D}1@P0_Node0_Channel0_Dimm0 P2-DIMME1@P1_Node1_Channel0_Dimm0* P2-DIMMH2@P1_Node1_Channel3_Dimm1*"},
			want:  "1.-.0.0 1.-.3.1", rule: "ami-letter", certainty: fact.Corroborated},
		{name: "supermicro x11, letters restart", vendor: "Supermicro", product: "Super Server", sockets: "PP", platform: plat6,
			slots: []string{"P1-DIMMA{1,2}@P0_Node0_Channel0_Dimm0* P2-DIMMF1@P1_Node1_Channel2_Dimm0* P2-DIMMA2@NO~DIMM"},
			want:  "0.0.0.0 0.0.0.1 1.1.5.0", rule: "ami-letter"},
		{name: "eight slots on six channels", vendor: "Supermicro", product: "X11DPL-i", sockets: "PP", platform: plat6,
			slots: []string{"P{1,2}-DIMM{A,B,D,E}1@P0_Node0_Channel0_Dimm0*"},
			want:  "0.0.0.0 0.0.1.0 0.1.3.0 0.1.4.0 1.0.0.0 1.0.1.0 1.1.3.0 1.1.4.0", rule: "ami-letter"},
		{name: "four channel letters A B D E", vendor: "Supermicro", product: "SYS-E300-9D", sockets: "P",
			platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 4, Controllers: 2, MaxDPC: 2},
			slots:    []string{"DIMMA1@P0_Node0_Channel0_Dimm0 DIMMB1@P0_Node0_Channel1_Dimm0 DIMMD1@P0_Node1_Channel0_Dimm0* DIMME1@P0_Node1_Channel1_Dimm0*"},
			want:     "0.1.2.0 0.1.3.0", rule: "ami-single", source: SourceBank},
		{name: "acer at350, one module behind the second processor and no other label", vendor: "Acer", product: "AT350 F3", sockets: "PP", platform: plat4,
			slots: []string{"P2_DIMME1@P1_Node1_Channel0_Dimm0*", "NO~DIMM@NO~DIMM"}, want: "1.-.0.0", rule: "ami-letter"},
		{name: "the same without a locator", vendor: "Acer", product: "AT350 F3", sockets: "PP", platform: plat4,
			slots: []string{"@P1_Node1_Channel0_Dimm0*", "@NO~DIMM"}, want: "1.-.0.0", rule: "ami-node", source: SourceBank},
		{name: "letter before a slipped channel number", vendor: "Lenovo", product: "HR630X", sockets: "PP", platform: plat6,
			slots: []string{"CPU{1,2}_DIMM_A1@_Node0_Channel0_Dimm0 CPU1_DIMM_F1@_Node0_Channel5_Dimm0* CPU1_DIMM_F2@_Node0_Channel6_Dimm1*"},
			want:  "0.1.5.0 0.1.5.1", rule: "ami-node-letter"},
		{name: "x9dbl, digit is the slot", vendor: "DEPO Computers", product: "X9DBL-3F", sockets: "PP", platform: plat3,
			slots: []string{"P1-DIMM1A@P0_Node0_Channel0_Dimm0* P1-DIMM1C@P0_Node0_Channel2_Dimm0* P2-DIMM1D@P1_Node1_Channel0_Dimm0*"},
			want:  "0.0.0.0 0.0.2.0 1.0.0.0", rule: "ami-number-letter"},
		{name: "supermicro x8, digit is the channel", vendor: "Supermicro", product: "X8DTU", sockets: "PP", platform: plat3,
			slots: []string{"P1_DIMM{1..3}A@BANK0* P1_DIMM{1..3}B@BANK1 P2_DIMM3{A,B}@BANK9*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 1.0.2.0 1.0.2.1", rule: "smc-digit-letter"},
		{name: "processors count from 0", vendor: "Supermicro", product: "X8DTU", sockets: "PP", platform: plat3,
			slots: []string{"P1_DIMM1A@BANK0* P0_DIMM1A@BANK6*"}, want: "1.0.0.0 0.0.0.0"},
		{name: "h8qg6", vendor: "Supermicro", product: "H8QG6", sockets: "PPPP", platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 4, MaxDPC: 3},
			slots: []string{"P{1..4}_{1,4}A@0*"}, want: "0.-.0.0 0.-.3.0 1.-.0.0 1.-.3.0 2.-.0.0 2.-.3.0 3.-.0.0 3.-.3.0"},
		{name: "intel node channel", vendor: "Intel Corporation", product: "S4600LH", sockets: "PPPP", platform: plat4,
			slots: []string{"DIMM_A1@NODE~0~CHANNEL~0~DIMM~0* DIMM_J2@NODE~2~CHANNEL~0~DIMM~1* DIMM_T1@NODE~3~CHANNEL~3~DIMM~0*"},
			want:  "0.-.0.0 2.-.0.1 3.-.3.0", rule: "intel-node-channel", source: SourceBank},
		{name: "slots count from 1", vendor: "Intel Corporation", product: "S1200SP", sockets: "P", platform: plat2,
			slots: []string{"DIMM_A1@NODE~0~CHANNEL~0~DIMM~1 DIMM_B1@NODE~0~CHANNEL~1~DIMM~1", "DIMM_B2@NODE~0~CHANNEL~1~DIMM~2*"}, want: "0.0.1.1"},
		{name: "insyde purley skips I", vendor: "Insyde", product: "Purley", sockets: "PP", platform: plat6,
			slots: []string{"CPU0_DIMM_{A..F}1@NODE~1 CPU1_DIMM_{G,H,J,K,L,M}1@NODE~2*"},
			want:  "1.0.0.0 1.0.1.0 1.0.2.0 1.1.3.0 1.1.4.0 1.1.5.0", rule: "cpu-dimm-letter"},
		{name: "whitley, node is the controller", vendor: "Intel Corporation", product: "WHITLEY", sockets: "PP", platform: plat8,
			slots: []string{"CPU0_DIMM_{A..H}0@NODE~0 CPU1_DIMM_C1@NODE~5* CPU1_DIMM_H0@NODE~7*"}, want: "1.1.2.1 1.3.7.0"},
		{name: "node is the processor", vendor: "ASUSTeK COMPUTER INC.", product: "WS-C621E-SAGE Series", sockets: "PP", platform: plat6,
			slots: []string{"DIMM_{A..F}1@NODE~1* DIMM_{G,H,J,K,L,M}1@NODE~2"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 0.1.3.0 0.1.4.0 0.1.5.0", rule: "letter-node"},
		{name: "two nodes a processor", vendor: "ASUSTeK COMPUTER INC.", product: "Z10PE-D16 WS", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_{A,B}1@NODE~1 DIMM_{C,D}1@NODE~2* DIMM_{E,F}1@NODE~3* DIMM_{G,H}1@NODE~4"},
			want:  "0.-.2.0 0.-.3.0 1.-.0.0 1.-.1.0"},
		{name: "quanta leopard, letters of processors", vendor: "Quanta", product: "Leopard ORv2-DDR4", sockets: "PP", platform: plat4,
			slots: []string{"A0@_Node0_Channel0_Dimm0* A1@_Node0_Channel0_Dimm1* A2@_Node0_Channel1_Dimm0* B0@_Node1_Channel0_Dimm0* B7@_Node1_Channel3_Dimm1*"},
			want:  "0.-.0.0 0.-.0.1 0.-.1.0 1.-.0.0 1.-.3.1", rule: "ami-node-socket", source: SourceBank},
		{name: "z10pe-d8, empty slots without a node", vendor: "ASUSTeK COMPUTER INC.", product: "Z10PE-D8 WS", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_{A..D}1@NO~DIMM DIMM_{E,F}1@NODE~3* DIMM_{G,H}1@NODE~4*"},
			want:  "1.-.0.0 1.-.1.0 1.-.2.0 1.-.3.0", rule: "letter-node"},
		{name: "letters alone go on", vendor: "ETegro Technologies", product: "Hyperion RS125 G4", sockets: "PP", platform: plat4,
			slots: []string{"Channel{A..H}_Dimm{1,2}@ChannelA", "ChannelD_Dimm3@ChannelD*"}, want: "0.-.3.2", rule: "channel-letter"},
		{name: "gigabyte epyc", vendor: "GIGABYTE", product: "R182-Z90-00", sockets: "PP", platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 8, MaxDPC: 2},
			slots: []string{"DIMM_P0_{A..H}{0,1}@BANK~0 DIMM_P1_{I,P}1@BANK~1*"}, want: "1.-.0.1 1.-.7.1", rule: "gigabyte"},
		{name: "amd reference", vendor: "HPE", product: "Cray XD665", sockets: "PP", platform: plat12,
			slots: []string{"CPU1_DIMM_A1@P1~CHANNEL~A", "CPU2_DIMM_L1@P2~CHANNEL~L*"}, want: "1.-.11.0", rule: "amd-agesa", source: SourceBank},
		{name: "tyan controllers", vendor: "Tyrone Systems", product: "DIT400TR-48RL", sockets: "PP", platform: plat6,
			slots: []string{"P{0,1}_MC0_DIM_CH_{A..C}0@NODE~1 P1_MC1_DIM_CH_{D,F}0@NODE~2*"}, want: "1.1.3.0 1.1.5.0", rule: "tyan-mc"},
		{name: "letters on the other processor first", vendor: "Tyan", product: "S7012", sockets: "PP", platform: plat3,
			slots: []string{"P0-Ch{D..F}-DIMM0@BANK15 P1-ChB-DIMM1@BANK03* P0-ChF-DIMM1@BANK9*"}, want: "1.0.1.1 0.0.2.1", rule: "words-letter"},
		{name: "quanta ice lake", vendor: "Quanta", product: "D53X", sockets: "PP", platform: plat8,
			slots: []string{"CPU0_Ch{A..H}_DIMM{0,1}@NODE~0 CPU1_Ch{A..G}_DIMM{0,1}@NODE~1 CPU1_ChH_DIMM0@NODE~1 CPU1_ChH_DIMM1@NODE~1*"}, want: "1.3.7.1", rule: "words-letter"},
		{name: "letters and D", vendor: "", product: "", sockets: "PP", platform: plat6, slots: []string{"CPU{0,1}_CHA_D{0,1} CPU1_CHF_D1*"}, want: "1.1.5.1", rule: "words-letter"},
		{name: "spelt out, from 1", vendor: "", product: "", sockets: "PP", platform: plat4, slots: []string{"Proc~1~Channel~A~DIMM~1 PROC~2~CHANNEL~D~DIMM~2*"}, want: "1.-.3.1", rule: "words-letter"},
		{name: "spelt out, with a P", vendor: "", product: "", sockets: "PP", platform: plat4, slots: []string{"P{0,1}~CHANNEL~A~DIMM~0 P1~CHANNEL~C~DIMM~0*"}, want: "1.-.2.0", rule: "words-letter"},
		{name: "ec2 metal", vendor: "Amazon EC2", product: "c6i.metal", sockets: "PP", platform: plat8,
			slots: []string{"CPU0~Channel{0..7}~DIMM0@NODE~0 CPU1~Channel{0..6}~DIMM0@NODE~1 CPU1~Channel7~DIMM0@NODE~1*"}, want: "1.3.7.0", rule: "words-number"},
		{name: "numbers in the bank", vendor: "", product: "", sockets: "PP", platform: plat6, slots: []string{"J{_}@CPU0_CH0_DIMM0 J11@CPU1_CH5_DIMM1*"}, want: "1.1.5.1", rule: "words-bank-number", source: SourceBank},
		{name: "letters in the bank", vendor: "", product: "", sockets: "PP", platform: plat4, slots: []string{"DIMM~1@P0~CHANNEL~A~DIMM~0 DIMM~9@P1~CHANNEL~B~DIMM~0*"}, want: "1.-.1.0", rule: "words-bank-letter", source: SourceBank},
		{name: "coreboot, the second channel alone", vendor: "LENOVO", product: "ThinkPad X230", sockets: "P", platform: plat2,
			slots: []string{"Channel-1-DIMM-0@BANK~0*"}, want: "0.0.1.0", rule: "coreboot"},
		{name: "numbers from 1", vendor: "", product: "", sockets: "P", platform: plat2, slots: []string{"Channel1_Dimm{1,2} Channel2_Dimm1 Channel2_Dimm2*"}, want: "0.0.1.1", rule: "channel-number"},
		{name: "letters without a hyphen", vendor: "", product: "", sockets: "P", platform: plat2, slots: []string{"CHA_DIMM{0,1} CHB_DIMM0 CHB_DIMM1*"}, want: "0.0.1.1", rule: "channel-letter"},
		{name: "huawei digits", vendor: "Huawei", product: "1288H V5", sockets: "PP", platform: plat6,
			slots: []string{"DIMM000~J22@_Node0_Channel0_Dimm0* DIMM151~J45@_Node1_Channel5_Dimm1*"}, want: "0.0.0.0 1.1.5.1", rule: "huawei"},
		{name: "reference with parentheses", vendor: "w", product: "9k", sockets: "PP", platform: plat8,
			slots: []string{"NODE~1~CHANNEL~6~DIMM~1~(C1G1)@NODE~7*"}, want: "1.3.6.1", rule: "reference-node-channel"},
		{name: "one slot a channel without a number", vendor: "Intel Corporation", product: "BIRCHSTREAM", sockets: "PP", platform: plat12,
			slots: []string{"CPU0_DIMM_{A..L}@BANK~0 CPU1_DIMM_L@BANK~23*"}, want: "1.-.11.0", rule: "cpu-dimm-bare"},
		{name: "intel c d", vendor: "Inspur", product: "NF5280M6", sockets: "PP", platform: plat8,
			slots: []string{"CPU1_C7D1@NODE~1*"}, want: "1.3.7.1", rule: "intel-c-d"},
		{name: "client controllers", vendor: "GEEKOM", product: "GT13 Pro", sockets: "P", platform: nil,
			slots: []string{"Controller{0,1}-ChannelA-DIMM0@BANK~0*"}, want: "0.0.0.0 0.1.1.0", rule: "controller-channel"},
		{name: "fujitsu digit is the slot", vendor: "FUJITSU", product: "PRIMERGY RX200 S7", sockets: "PP", platform: plat4,
			slots: []string{"DIMM-{1..3}{A..G}@ DIMM-1H@* DIMM-{2,3}H@"}, want: "1.-.3.0", rule: "fujitsu"},
		{name: "ampere", vendor: "ASRockRack", product: "ALTRAD8UD", sockets: "P", platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 8, MaxDPC: 2},
			slots: []string{"DDR4_{A,H}1@Bank~1*"}, want: "0.-.0.0 0.-.7.0", rule: "letter-digit", source: SourceLocator},
		{name: "s5000 over the chipset", vendor: "Intel", product: "S5000PSL", sockets: "PP", platform: platFB,
			slots: []string{"ONBOARD~DIMM_{A..D}1@Channel~A* ONBOARD~DIMM_D2@Channel~D*"},
			want:  "-.-.0.0 -.-.1.0 -.-.2.0 -.-.3.0 -.-.3.1", rule: "s5000"},
		{name: "thinkstation p900, the bank names processor, channel and slot", vendor: "LENOVO", product: "30A4A01EAU", sockets: "PP", platform: plat4,
			slots: []string{"DIMM_1@CPU1_A0* DIMM_5@CPU1_A1 DIMM_3@CPU1_B0* DIMM_7@CPU1_B1* DIMM_2@CPU1_C0 DIMM_4@CPU1_D0 DIMM_1@CPU2_A0* DIMM_2@CPU2_C0 DIMM_4@CPU2_D0*"},
			want:  "0.-.0.0 0.-.1.0 0.-.1.1 1.-.0.0 1.-.3.0", rule: "lenovo-ws-letter"},
		{name: "thinkstation d30, the bank is the channel", vendor: "LENOVO", product: "4223AU4", sockets: "PP", platform: plat4,
			slots: []string{"CPU0_Dimm{0,1}@CPU0_Bank0* CPU0_Dimm2@CPU0_Bank1* CPU0_Dimm3@CPU0_Bank1 CPU0_Dimm{6,7}@CPU0_Bank3 CPU1_Dimm{0,1}@CPU1_Bank0 CPU1_Dimm6@CPU1_Bank3* CPU1_Dimm7@CPU1_Bank3"},
			want:  "0.-.0.- 0.-.0.- 0.-.1.- 1.-.3.-", rule: "lenovo-ws-bank"},
		{name: "hp ml150 g6", vendor: "HP", product: "ProLiant ML150 G6", sockets: "PP", platform: plat3,
			slots: []string{"CPU~1~DIMM~2@BANK0* CPU~1~DIMM~1@BANK1* CPU~1~DIMM~4@BANK2* CPU~2~DIMM~6@BANK10*"},
			want:  "0.0.0.0 0.0.0.1 0.0.1.0 1.0.2.0", rule: "hp-ml150-g6", certainty: fact.Corroborated},
		{name: "four slots on each channel of two Opterons", vendor: "ASUSTeK", product: "KFSN4-DRE/RS161", sockets: "PP", platform: &platform.Platform{NUMA: true, ChannelsPerSocket: 2, MaxDPC: 4},
			slots: []string{"DIMM_{A,B,C,D}{1..4}@BANK0*"}, rule: "letter-digit",
			want: "0.-.0.0 0.-.0.1 0.-.0.2 0.-.0.3 0.-.1.0 0.-.1.1 0.-.1.2 0.-.1.3 1.-.0.0 1.-.0.1 1.-.0.2 1.-.0.3 1.-.1.0 1.-.1.1 1.-.1.2 1.-.1.3"},
		{name: "inspur m4, letters go on over the processors", vendor: "INSPUR", product: "SA5212M4", sockets: "PP", platform: plat4,
			slots: []string{"CHA_0@A1_Node0_Channel0_Dimm0* CHD_0@A1_Node0_Channel3_Dimm0* CHE_0@A1_Node1_Channel0_Dimm0* CHH_1@A1_Node1_Channel3_Dimm1*"},
			want:  "0.-.0.0 0.-.3.0 1.-.0.0 1.-.3.1", rule: "ami-letter-node"},
		{name: "gigabyte with the processor first", vendor: "Gigabyte Technology", product: "C621-WD12-IPMI", sockets: "PP", platform: plat6,
			slots: []string{"P1_DIMM_{A..F}1@NODE~1* P2_DIMM_{G,H,J,K,L,M}1@NODE~2*"}, rule: "gigabyte",
			want: "0.0.0.0 0.0.1.0 0.0.2.0 0.1.3.0 0.1.4.0 0.1.5.0 1.0.0.0 1.0.1.0 1.0.2.0 1.1.3.0 1.1.4.0 1.1.5.0"},
		{name: "gigabyte counting from 0", vendor: "Gigabyte Technology", product: "GA-6PXSV1", sockets: "P", platform: plat4,
			slots: []string{"MEMORY~A{0,1}@Channel~0* MEMORY~D0@Channel~3* MEMORY~D1@Channel~3"}, want: "0.-.0.0 0.-.0.1 0.-.3.0", rule: "gigabyte-memory"},
		{name: "primergy mx130 s2", vendor: "FUJITSU", product: "PRIMERGY MX130 S2", sockets: "P", platform: plat2,
			slots: []string{"DIMM-CHA3@Channel~A* DIMM-CHA1@Channel~A DIMM-CHB4@Channel~B* DIMM-CHB2@Channel~B"}, want: "0.0.0.- 0.0.1.-", rule: "fujitsu-channel"},
		{name: "poweredge r900, eight on a riser", vendor: "Dell Inc.", product: "PowerEdge R900", sockets: "PP", platform: &platform.Platform{},
			slots: []string{"DIMM~A{1..8}* DIMM~{B..D}{1..8}"}, rule: "dell-r900",
			want: "-.-.0.0 -.-.0.1 -.-.0.2 -.-.0.3 -.-.0.4 -.-.0.5 -.-.0.6 -.-.0.7"},
		{name: "system x3550 m2", vendor: "IBM", product: "System x3550 M2 -[794622V]-", sockets: "PP", platform: plat3,
			slots: []string{"DIMM0{1,2}@BANK01 DIMM03@BANK03* DIMM06@BANK06* DIMM0{7,8}@BANK08* DIMM11@BANK11* DIMM16@BANK16*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.1 0.0.2.0 1.0.0.0 1.0.2.0", rule: "ibm-m2-8-like", certainty: fact.Indirect},
		{name: "system x, the type alone", vendor: "IBM", product: "IBM System x -[79463AM]-", sockets: "PP", platform: plat3,
			slots: []string{"DIMM0{1,2}@BANK01 DIMM03@BANK03* DIMM06@BANK06* DIMM0{7,8}@BANK08* DIMM11@BANK11* DIMM16@BANK16*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.1 0.0.2.0 1.0.0.0 1.0.2.0", rule: "ibm-m2-8-like", certainty: fact.Indirect},
		{name: "system x3650 m2, the second socket left out", vendor: "IBM", product: "System x3650 M2 -[7947AC1]-", sockets: "P", platform: plat3,
			slots: []string{"DIMM03@BANK03* DIMM06@BANK06* DIMM08@BANK08* DIMM{09,10,11,16}@BANK09"}, want: "0.0.0.0 0.0.1.0 0.0.2.0", rule: "ibm-m2-8-like"},
		{name: "precision 5820 tower", vendor: "Dell Inc.", product: "Precision 5820 Tower", sockets: "P", platform: plat4,
			slots: []string{"DIMM3* DIMM7* DIMM1* DIMM5 DIMM4* DIMM8 DIMM2* DIMM6"}, want: "0.0.0.0 0.0.0.1 0.0.1.0 0.1.2.0 0.1.3.0", rule: "dell-ws-5820", certainty: fact.Indirect},
		{name: "elitedesk 800 g2", vendor: "HP", product: "HP EliteDesk 800 G2 TWR", sockets: "P", platform: plat2,
			slots: []string{"DIMM1@ChannelB* DIMM2@ChannelB DIMM3@ChannelA* DIMM4@ChannelA"}, want: "0.0.1.- 0.0.0.-", rule: "amd-channel"},
		{name: "nuc7", vendor: "Intel(R) Client Systems", product: "NUC7CJYHN", sockets: "P", platform: plat2,
			slots: []string{"SODIMM1@Channel~A~Slot~0 SODIMM2@Channel~B~Slot~0*"}, want: "0.0.1.0", rule: "channel-slot-bank"},
		{name: "great wall", vendor: "GreatWall", product: "TN140A2", sockets: "P", platform: plat2,
			slots: []string{"Channel~0@Dimm~0 Channel~1@Dimm~1*"}, want: "0.0.1.0", rule: "channel-locator"},
		{name: "sun fire x2270", vendor: "Sun Microsystems", product: "SUN FIRE X2270", sockets: "PP", platform: plat3,
			slots: []string{"CPU{0,1}@DIMM{0,1}*"}, want: "0.-.-.- 0.-.-.- 1.-.-.- 1.-.-.-", reason: "no slot map"},
		{name: "sun fire x4270", vendor: "SUN MICROSYSTEMS", product: "SUN FIRE X4270 SERVER", sockets: "PP", platform: plat3, arrays: true,
			slots: []string{"D2@BANK2* D1@BANK1* D8@BANK8*", "D2@BANK2* D1@BANK1* D8@BANK8"},
			want:  "0.0.0.0 0.0.0.1 0.0.2.0 1.0.0.0 1.0.0.1", rule: "sun-x4270", certainty: fact.Indirect},
		{name: "sun fire x4170 m2, one processor of two", vendor: "SUN MICROSYSTEMS", product: "SUN FIRE X4170 M2 SERVER", sockets: "Pe", platform: plat3, arrays: true,
			slots: []string{"D2@BANK2* D1@BANK1", "D2@BANK2 D1@BANK1"}, want: "0.0.0.0", rule: "sun-m2-like", certainty: fact.Indirect},
		{name: "channels begin anew with each array", vendor: "", product: "", sockets: "PP", platform: plat3, arrays: true,
			slots: []string{"Channel{A..C}_Dimm0@Channel*", "Channel{A..C}_Dimm0@Channel*"},
			want:  "0.0.0.0 0.0.1.0 0.0.2.0 1.0.0.0 1.0.1.0 1.0.2.0", rule: "channel-letter", certainty: fact.Indirect},
		{name: "arrays of unlike labels", vendor: "", product: "", sockets: "PP", platform: plat3, arrays: true,
			slots: []string{"Channel{A,B}_Dimm0@Channel*", "Channel{A,C}_Dimm0@Channel*"}, want: "-.-.-.- -.-.-.- -.-.-.- -.-.-.-", reason: "the label names no processor"},
		{name: "fewer arrays than processors", vendor: "", product: "", sockets: "PPP", platform: plat3, arrays: true,
			slots: []string{"ChannelA_Dimm0@Channel*", "ChannelA_Dimm0@Channel*"}, want: "-.-.-.- -.-.-.-", reason: "the label names no processor"},
		{name: "single socket by count", vendor: "ASUSTeK", product: "P10S", sockets: "Pe", platform: plat2,
			slots: []string{"DIMM_A1 DIMM_A2* DIMM_B1 DIMM_B2*"}, want: "0.0.0.1 0.0.1.1"},
	} {
		t.Run(c.name, c.run)
	}
}
