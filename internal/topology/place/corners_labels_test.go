package place

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
)

// rulesOf reads several rules.
func rulesOf(t *testing.T, lines ...string) []LocatorRule {
	t.Helper()
	var out []LocatorRule
	for _, line := range lines {
		out = append(out, ruleOf(line))
	}
	return out
}

// TestEmptyPatterns checks that an empty pattern matches an empty label, and a star any.
func TestEmptyPatterns(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		label    string
		want     bool
	}{
		{[]string{"BANK {num}", ""}, "", true}, {[]string{"BANK {num}", ""}, "BANK 1", true}, {[]string{"BANK {num}", ""}, "x", false},
		{[]string{"", "BANK {num}"}, "BANK 1", true}, {[]string{"*"}, "", true}, {[]string{"*"}, "x", true}, {[]string{"BANK {num}"}, "", false},
	} {
		var got captured
		assert.Equal(t, c.want, matchAny(c.patterns, c.label, &got), c)
	}
}

// TestHalfLabelledFirst checks that a slot without one of the two labels is skipped wherever firmware lists it, but
// not one with another family of labels, or with labels that no pattern matches.
func TestHalfLabelledFirst(t *testing.T) {
	const half = "firmware leaves out one of the two labels that its other slots have"
	for name, c := range map[string]struct {
		slots   []string
		want    string
		reasons []string
	}{
		"first":         {[]string{"@P1_Node0_Channel1_Dimm0*", "P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "P2-DIMMA1@P1_Node0_Channel0_Dimm0*"}, "-.-.-.- 0.-.0.0 1.-.0.0", []string{half, "", ""}},
		"two families":  {[]string{"P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "CPU2_B1@x*"}, "0.-.0.0 1.-.1.0", []string{"", ""}},
		"in turn":       {[]string{"CPU2_B1@x*", "P1-DIMMA1@P0_Node0_Channel0_Dimm0*"}, "1.-.1.0 0.-.0.0", []string{"", ""}},
		"of no pattern": {[]string{"P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "@x*"}, "0.-.0.0 -.-.-.-", []string{"", "no known pattern reads this slot's label"}},
		"unread":        {[]string{"P1-DIMMA1@P0_Node0_Channel0_Dimm0*", "@P1_Node0_Channel1_Dimm0*", "x@x*"}, "0.-.0.0 -.-.-.- -.-.-.-", []string{"", half, "no known pattern reads this slot's label"}},
	} {
		sys := board("Supermicro", "X9DRi", "PP", c.slots...)
		out, _ := Slots(sys, plat4, corpustest.Rules(t))
		assert.Equal(t, c.want, seats(sys, out), name)
		for i, want := range c.reasons {
			assert.Equal(t, want, out[i].Reason, name)
		}
	}
}

// TestEmptySlotsWithoutALabel checks empty slots as firmware prints them: a UCS B200 M4 keeps the letter (A3 to H3;
// CPU1 has A to D, CPU2 E to H: UCS C220 M4 guide p3-29), an X10DRi prints nothing.
func TestEmptySlotsWithoutALabel(t *testing.T) {
	var slots []string
	for cpu, letters := range []string{"ABCD", "EFGH"} {
		for channel, l := range letters {
			slots = append(slots, fmt.Sprintf("%c1@NODE~%d~CHANNEL~%d~DIMM~0*", l, cpu, channel), fmt.Sprintf("%c2@NODE~%d~CHANNEL~%d~DIMM~1*", l, cpu, channel), fmt.Sprintf("%c3@NO~DIMM", l))
		}
	}
	sys := board("Cisco Systems", "UCSB-B200-M4", "PP", slots...)
	out, conflicts := Slots(sys, plat4, corpustest.Rules(t))
	require.Empty(t, conflicts)
	for i := range out {
		assert.Equal(t, [3]int{i / 12, i / 3 % 4, i % 3}, [3]int{out[i].Socket, out[i].Channel, out[i].Slot}, slots[i])
	}

	sys = board("Supermicro", "X10DRi", "PP", "P1_DIMMA1@P0_Node0_Channel0_Dimm0*", "NO~DIMM@NO~DIMM", "P2_DIMME1@P1_Node0_Channel0_Dimm0*")
	out, _ = Slots(sys, plat4, corpustest.Rules(t))
	assert.Equal(t, "firmware calls the empty slot NO DIMM instead of by its label", out[1].Reason)
	assert.Equal(t, Unplaced, out[1].Channel)
}

// TestLettersOfOneProcessor checks that letters that do not start again name one channel of the machine, and that a
// bank without a number contradicts none.
func TestLettersOfOneProcessor(t *testing.T) {
	placeCase{vendor: "Intel", product: "S2600", sockets: "PP", platform: plat4,
		slots: []string{"DIMM_A1@NODE~0~CHANNEL~0~DIMM~0* DIMM_A2@NODE~1~CHANNEL~0~DIMM~1*"}, want: "-.-.-.- -.-.-.-", reason: "cannot both be true"}.run(t)
	rules := rulesOf(t, "site\tDIMM_{_}|DIMM_{x}{_}\tP{p}_C{chan}|P{p}\t\t\t\tbase0")
	sys := board("Example", "E1", "P", "DIMM_A1@P0_C0*", "DIMM_A2@P0*")
	pl := newPlacer(sys, plat4)
	pl.matchLabels(rules)
	pl.group(&rules[0]).resolve(nil)
	require.True(t, pl.guardLetters())
	assert.Equal(t, "0.-.0.- 0.-.-.-", seats(sys, pl.out))
}

// TestModulesBehindAbsentProcessors checks that placements on present processors keep their certainty.
func TestModulesBehindAbsentProcessors(t *testing.T) {
	sys := board("Supermicro", "X8DTU", "Pe", "P1_DIMM{1,2}A@BANK0*", "P2_DIMM1A@BANK0*")
	out, _ := Slots(sys, plat3, corpustest.Rules(t))
	for i, want := range []fact.Certainty{fact.Corroborated, fact.Corroborated, fact.Indirect} {
		assert.Equal(t, want, out[i].Certainty, i)
	}
}

// TestTakenBack checks that the processor stays known if only the channel is withdrawn, and that nothing has a source
// without a processor.
func TestTakenBack(t *testing.T) {
	const u = Unplaced
	before := Placement{Socket: 1, Controller: 0, Channel: 2, Slot: 1, Source: SourceBank, Certainty: fact.Corroborated}
	for all, want := range map[bool]Placement{
		false: {Socket: 1, Controller: u, Channel: u, Slot: u, Source: SourceBank, Certainty: fact.Corroborated, Reason: "why"},
		true:  {Socket: u, Controller: u, Channel: u, Slot: u, Reason: "why"},
	} {
		pl := &placer{out: []Placement{before}}
		pl.failSlot(0, "why", all)
		assert.Equal(t, want, pl.out[0])
	}
}

// TestMemoryOfProcessors checks that memory on the package, and slots without a channel, are not on a processor's
// channels.
func TestMemoryOfProcessors(t *testing.T) {
	sys := board("Example", "E1", "P", "A* B* C* D")
	sys.Slots[1].Technology = known(inventory.HBM)
	pl := newPlacer(sys, plat4)
	for i, channel := range []int{0, 1, Unplaced, 3} {
		pl.out[i].Socket, pl.out[i].Channel = 0, channel
	}
	assert.Equal(t, []processor{{socket: 0, slots: []int{0, 3}, channels: map[int][]int{0: {0}}}}, pl.processors())
}

// TestNamesOfProducts checks that text in brackets after a product's name is its machine type, whose number is the
// name if nothing else is left.
func TestNamesOfProducts(t *testing.T) {
	for product, want := range map[string]string{"-[7914AC1]-": "lenovo 7914", "-[79": "", "-[791]-": "", "-[791": "", "-[7914]-": "lenovo 7914", "-[]-": "", "System x3550 M4 -[7914AC1]-": "lenovo x3550 m4", "": "", "ThinkSystem SR650 -": "lenovo sr650"} {
		assert.Equal(t, want, modelKey("lenovo", product), product)
	}
}

// TestSlotNumberZero checks Oracle's boards, which number their slots from 0 (D0).
func TestSlotNumberZero(t *testing.T) {
	k := fstest.MapFS{setsFile: {Data: []byte("set\tX\tX4170\t\n" + "2\t0,1\tbalanced\tD, p1\n")}}
	sets := ReadSets(k, &inventory.Machine{Product: known("X4170")})
	require.NotNil(t, sets)
	assert.Equal(t, [][]int{{0, 1}}, sets.Rows[2].Sets)
}

// TestLettersWithBanks checks that a letter next to a bank is the processor's if the numbers after it follow the
// banks' channels. A slot whose bank gives no channel is ignored.
func TestLettersWithBanks(t *testing.T) {
	for name, c := range map[string]struct {
		last Placement
		want bool
	}{
		"a bank of no channel":    {Placement{Socket: 0, Channel: Unplaced, Slot: Unplaced, Source: SourceBank}, true},
		"a channel of a slot map": {Placement{Socket: 0, Channel: 0, Slot: 1, Source: SourceMap}, true},
		"a bank out of order":     {Placement{Socket: 0, Channel: 0, Slot: 1, Source: SourceBank}, false},
		"a bank in order":         {Placement{Socket: 0, Channel: 2, Slot: 0, Source: SourceBank}, true},
		"two on one bank":         {Placement{Socket: 0, Channel: 1, Slot: 0, Source: SourceBank}, false},
	} {
		pl := newPlacer(board("Quanta", "Leopard ORv2-DDR4", "PP", "A0* A1* B0* A2*"), plat4)
		pl.out[0] = Placement{Socket: 0, Channel: 0, Source: SourceBank}
		pl.out[1] = Placement{Socket: 0, Channel: 1, Source: SourceBank}
		pl.out[2] = Placement{Socket: 1, Channel: 0, Source: SourceBank}
		pl.out[3] = c.last
		assert.Equal(t, c.want, pl.lettersOfProcessors(), name)
	}
}

// TestLongHead checks that a header with more cells than are read is accepted.
func TestLongHead(t *testing.T) {
	k := fstest.MapFS{setsFile: {Data: []byte("set\tX\tX4170\t\t\t\t\n" + "2\t0,1\tbalanced\tD, p1\n")}}
	require.NotNil(t, ReadSets(k, &inventory.Machine{Product: known("X4170")}))
}
