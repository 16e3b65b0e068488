package place

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestNodesOfProcessors checks that the bank's node is the processor if the channel letters confirm it, and its
// controller if two nodes together do.
func TestNodesOfProcessors(t *testing.T) {
	const byNode, none = "site\tD_{L}\tN{node}|\t\t\tauto\t", "the label's node number fits neither the processors nor their controllers"
	for name, c := range map[string]struct {
		sockets      string
		p            *platform.Platform
		slots        string
		want, reason string
	}{
		"letters begin anew":                     {"PP", plat4, "D_A@N{1,2}*", "0.-.0.- 1.-.0.-", ""},
		"letters go on":                          {"PP", plat4, "D_A@N1* D_E@N2*", "0.-.0.- 1.-.0.-", ""},
		"two nodes make one":                     {"PP", plat4, "D_A@N1* D_C@N2* D_E@N3* D_G@N4*", "0.-.0.- 0.-.2.- 1.-.0.- 1.-.2.-", ""},
		"letters fit nothing":                    {"PP", plat4, "D_A@N1* D_B@N2* D_C@N3* D_E@N4*", "-.-.-.- -.-.-.- -.-.-.- -.-.-.-", none},
		"the first node alone":                   {"PP", plat4, "D_{A,B}@N1*", "0.-.0.- 0.-.1.-", ""},
		"all channels of the first":              {"PP", plat4, "D_{A..D}@N1*", "0.-.0.- 0.-.1.- 0.-.2.- 0.-.3.-", ""},
		"more letters than channels":             {"PP", plat4, "D_{A..E}@N1*", "-.-.-.- -.-.-.- -.-.-.- -.-.-.- -.-.-.-", none},
		"the second node alone":                  {"PP", plat4, "D_{A,B}@N2*", "-.-.-.- -.-.-.-", none},
		"modules behind the second":              {"PP", plat4, "D_{E,F}@N3* D_{G,H}@N4*", "1.-.0.- 1.-.1.- 1.-.2.- 1.-.3.-", ""},
		"one node each, the second":              {"PP", plat4, "D_{E,G}@N2*", "1.-.0.- 1.-.2.-", ""},
		"the second of six channels":             {"PP", ofChannels(6, 1), "D_{G,H}@N2*", "1.0.0.- 1.0.1.-", ""},
		"the second, first's letters":            {"PP", plat4, "D_{C,D}@N2*", "-.-.-.- -.-.-.-", none},
		"the second and the third":               {"PPP", plat4, "D_E@N2* D_I@N3*", "1.-.0.- 2.-.0.-", ""},
		"the second, platform unknown":           {"PP", nil, "D_{E,F}@N2*", "-.-.-.- -.-.-.-", none},
		"a processor that is not there":          {"P", plat4, "D_E@N2*", "0.-.0.-", ""},
		"the second of one processor":            {"P", plat4, "D_C@N2*", "0.-.2.-", ""},
		"platform unknown":                       {"PP", nil, "D_{A,B}@N1*", "0.-.0.- 0.-.1.-", ""},
		"platform unknown, both":                 {"PP", nil, "D_A@N{1,2}*", "0.-.0.- 1.-.0.-", ""},
		"a label of no node":                     {"PP", plat4, "D_{A,B}@N1* D_E@N2* D_C@*", "0.-.0.- 0.-.1.- 1.-.0.- -.-.-.-", "the label names no node"},
		"letters of all, a label of no node":     {"PP", plat4, "D_{A,B}@N1* D_{E,F}@N2* D_{C,D}@ D_G@ D_H@*", "0.-.0.- 0.-.1.- 1.-.0.- 1.-.1.- 1.-.3.-", ""},
		"letters of all, nodes that contradict":  {"PP", plat4, "D_{A..H}@N1 D_{A..H}@N2 D_D@*", "-.-.-.-", "the label names no node"},
		"one of two processors, its letters":     {"Pe", plat4, "D_{C,D}@N2*", "0.-.2.- 0.-.3.-", ""},
		"one of two processors, the next's":      {"Pe", plat4, "D_{C,E}@N2*", "0.-.2.- -.-.-.-", none},
		"one of two processors, not its letters": {"Pe", plat4, "D_{C,F}@N2*", "0.-.2.- -.-.-.-", none},
		"a processor of one channel":             {"PP", ofChannels(1, 1), "D_A@N1* D_B@N2*", "0.0.0.- 1.0.0.-", ""},
		"processors of four, one each":           {"PPPP", plat4, "D_A@N1* D_E@N2* D_I@N3* D_M@N4*", "0.-.0.- 1.-.0.- 2.-.0.- 3.-.0.-", ""},
	} {
		got, out := resolved(t, byNode, c.sockets, c.p, c.slots)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.reason, out[len(out)-1].Reason, name)
	}
}

// TestNodesThatAreNoProcessors checks that a node that means nothing, or is in no label, leaves the processor to
// other sources.
func TestNodesThatAreNoProcessors(t *testing.T) {
	for name, c := range map[string]struct{ line, sockets, slots, want string }{
		"ignored": {"site\tD_{L}\tN{node}\t\t\tignore\t", "P", "D_A@N0* D_B@N1*", "0.-.0.- 0.-.1.-"},
		"missing": {"site\tD_{L}\tN{node}|\t\t\tsocket\t", "P", "D_A@* D_B@*", "0.-.0.- 0.-.1.-"},
		"named":   {"site\tD_{L}\tN{node}\t\t\tsocket\t", "PP", "D_A@N1* D_A@N2*", "0.-.0.- 1.-.0.-"},
	} {
		got, _ := resolved(t, c.line, c.sockets, plat4, c.slots)
		assert.Equal(t, c.want, got, name)
	}
}

// TestLettersOfAllProcessors checks that letters as many as all channels of the machine continue from one processor
// to the next; those of one processor do not show which.
func TestLettersOfAllProcessors(t *testing.T) {
	const byLetter, inBank = "site\tD_{L}\t\t\t\t\t", "site\tD_{_}\tCH {L}\t\t\t\t"
	for name, c := range map[string]struct {
		line, sockets string
		p             *platform.Platform
		slots, want   string
		source        string
	}{
		"of two":            {byLetter, "PP", plat2, "D_{A..D}*", "0.0.0.- 0.0.1.- 1.0.0.- 1.0.1.-", SourceLocator},
		"of one channel":    {byLetter, "PP", ofChannels(1, 1), "D_{A,B}*", "0.0.0.- 1.0.0.-", SourceLocator},
		"of one, in a bank": {inBank, "P", plat2, "D_1@CH~A* D_2@CH~B*", "0.0.0.- 0.0.1.-", SourceBank},
		"too few":           {byLetter, "PP", plat2, "D_{A..C}*", "-.-.-.- -.-.-.- -.-.-.-", ""},
		"platform unknown":  {"site\tD_{slot}\t\t\t\t\t", "PP", nil, "D_1* D_2*", "-.-.-.- -.-.-.-", ""},
	} {
		got, out := resolved(t, c.line, c.sockets, c.p, c.slots)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.source, out[0].Source, name)
	}
}

// TestOwnersOfNumbers checks that numbers that continue, or are a processor's name, identify it, and that numbers
// equal on each do not.
func TestOwnersOfNumbers(t *testing.T) {
	groups := [][]int{{1}, {2}}
	alike, on, own := &slotMap{ID: "alike", Groups: groups}, &slotMap{ID: "on", Groups: groups, Offset: 2}, &slotMap{ID: "own", Groups: groups, Second: [][]int{{9}, {8}}}
	for _, c := range []struct {
		m               *slotMap
		number, sockets int
		want            int
	}{
		{alike, 1, 1, Unplaced}, {alike, 1, 2, Unplaced}, {on, 1, 2, 0}, {on, 4, 2, 1}, {on, 5, 2, Unplaced}, {on, 3, 1, Unplaced}, {own, 8, 2, 1}, {own, 2, 2, 0}, {own, 3, 2, Unplaced},
	} {
		got, ok := c.m.owner(c.number, c.sockets)
		assert.Equal(t, c.want, got, c)
		assert.Equal(t, c.want != Unplaced, ok, c)
	}
	const untold = " does not say which processor slot 7 belongs to"
	for name, c := range map[string]struct {
		m       *slotMap
		sockets string
		socket  int
		reason  string
	}{
		"one processor there":        {alike, "Pe", 0, ""},
		"the second one there":       {alike, "eP", 1, ""},
		"both there":                 {alike, "PP", Unplaced, "slot map alike" + untold},
		"a number that goes beyond":  {on, "Pe", Unplaced, "slot map on" + untold},
		"a number of no processor's": {own, "Pe", Unplaced, "slot map own" + untold},
	} {
		rules := rulesOf(t, "site\tDIMM {num}\t\t\t\t\t")
		pl := newPlacer(board("Example", "E1", c.sockets, "DIMM~7*"), plat4)
		pl.matchLabels(rules)
		pl.group(&rules[0]).socketsFromNumbers(c.m)
		assert.Equal(t, c.socket, pl.out[0].Socket, name)
		assert.Equal(t, c.reason, pl.out[0].Reason, name)
	}
	placeCase{vendor: "IBM", product: "System x3550 M4 -[7914B2A]-", sockets: "P", platform: plat4, slots: []string{"DIMM~13@Bank~1*"},
		want: "0.-.-.-", reason: "slot number 13 is not on slot map ibm-m4-12"}.run(t)
	assert.Equal(t, "x.yaml#one", indexed("\na\tb\tx.yaml#one\nc\td\ty.yaml#two\n", "a\tb\t"), "the first line of the index")
	assert.Empty(t, indexed("\na\tb\tx.yaml#one\n", "b\t"))
}

// TestPossibleViews checks that a view has no channel too deep and not more channels than exist, and that an empty
// view is none.
func TestPossibleViews(t *testing.T) {
	const u = Unplaced
	for name, c := range map[string]struct {
		channels, depth int
		at              [][2]int // owner, channel
		want            bool
	}{
		"as many":          {2, 2, [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, true},
		"more channels":    {2, 2, [][2]int{{0, 0}, {0, 1}, {0, 2}}, false},
		"two of one":       {1, 2, [][2]int{{0, 0}, {0, 1}}, false},
		"one of one":       {1, 2, [][2]int{{0, 0}, {0, 0}}, true},
		"platform unknown": {0, 2, [][2]int{{0, 0}, {0, 1}, {0, 2}}, true},
		"deeper":           {2, 2, [][2]int{{0, 0}, {0, 0}, {0, 0}}, false},
		"nothing":          {2, 2, [][2]int{{0, u}}, false},
		"one said":         {2, 2, [][2]int{{0, u}, {0, 0}}, true},
	} {
		pl := &placer{channels: c.channels, depth: c.depth}
		v := &witnessView{}
		for _, at := range c.at {
			v.at = append(v.at, witnessedPlace{owner: at[0], channel: at[1]})
		}
		assert.Equal(t, c.want, pl.isPlausible(v), name)
	}
}

// TestFirstChannelOfControllers checks that controllers count from 1 if they count as many channels as exist, or if
// their processors count from 1, and that no channel is 0 then.
func TestFirstChannelOfControllers(t *testing.T) {
	for name, c := range map[string]struct {
		processor int
		channels  []int
		want      int // the first slot's channel
	}{
		"from 0":                {0, []int{0, 1}, 0},
		"processors from 1":     {1, []int{1, 2}, 0},
		"as many as there are":  {0, []int{1, 6}, 0},
		"both":                  {1, []int{1, 6}, 0},
		"not told":              {0, []int{1, 2}, 1},
		"0 beside processors 1": {1, []int{0, 1}, 0},
		"processor 2":           {2, []int{1, 2}, 1},
		"channels 2 and 3":      {1, []int{2, 3}, 1},
	} {
		sys := board("Example", "E1", "P", "x{1,2}*")
		for i, channel := range c.channels {
			sys.Slots[i].BMC = stated(c.processor, 0, channel, 0)
		}
		assert.Equal(t, c.want, newPlacer(sys, plat6).controllerView().at[0].number, name)
	}
}

// TestWitnessOfSome checks that a witness that lacks a module confirms nothing; one that lacks an empty slot does,
// but confirms no map completely.
func TestWitnessOfSome(t *testing.T) {
	for name, c := range map[string]struct {
		populated string
		out       int
		want      bool
	}{"all": {"*", -1, true}, "without a module": {"*", 2, false}, "without an empty slot": {"", 2, true}} {
		sys := running(board("Supermicro", "Super Server", "P", "P1-DIMM{A,B}1@NO~DIMM* P1-DIMMC1@NO~DIMM"+c.populated), 2666, 1)
		for i := range sys.Slots {
			if i != c.out {
				sys.Slots[i].BMC = stated(0, 0, i, 0)
			}
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, c.want, out[0].Witnessed, name)
		assert.Empty(t, doubts(sys, out), name)
	}
}

// TestSettledByWitness checks that placements by label stay, that a slot without any source keeps its reason, and
// that of two CPUs the labels or the witness must name one.
func TestSettledByWitness(t *testing.T) {
	sys := board("Supermicro", "Super Server", "P", "P1-DIMMB1@NO~DIMM* x* y")
	sys.Slots[0].BMC, sys.Slots[1].BMC = stated(0, 0, 0, 0), stated(0, 0, 4, 0)
	out, _ := Slots(sys, plat6, corpustest.Rules(t))
	assert.Equal(t, "0.0.1.0 0.1.4.0", seats(sys, out))
	assert.Equal(t, SourceLocator, out[0].Source)
	assert.Equal(t, sourceBMC, out[1].Source)
	assert.Equal(t, Placement{Socket: Unplaced, Controller: Unplaced, Channel: Unplaced, Slot: Unplaced, Reason: "no known pattern reads this slot's label"}, out[2])

	// Where labels name no processor the witness's own word counts.
	sys = board("Supermicro", "Super Server", "PP", "x* y*")
	sys.Slots[0].BMC, sys.Slots[1].BMC = stated(0, 0, 0, 0), stated(1, 0, 0, 0)
	out, _ = Slots(sys, plat6, corpustest.Rules(t))
	assert.Equal(t, "0.0.0.0 1.0.0.0", seats(sys, out))

	for labels, want := range map[string]string{"PROC~{1,2}~DIMM~1*": "0.0.0.0 1.0.0.0", "SLOT~{1,2}*": "-.-.-.- -.-.-.-"} {
		sys := board("HPE", "ProLiant DL9999 Gen12", "PP", labels)
		for i := range sys.Slots {
			sys.EDAC = append(sys.EDAC, inventory.Controller{Index: i, DIMMs: []inventory.ControllerDIMM{
				{Label: sys.Slots[i].Locator, Location: known("channel 0 slot 0"), SizeBytes: known(int64(8 << 30))}}})
		}
		out, _ := Slots(sys, ofChannels(4, 1), corpustest.Rules(t))
		assert.Equal(t, want, seats(sys, out), labels)
	}
}

// TestLabelsOfDrivers checks that a driver's entry without a module is ignored, and that a label of an empty slot, or
// of two entries, belongs to another board.
func TestLabelsOfDrivers(t *testing.T) {
	entry := func(label, location string, bytes int64) inventory.ControllerDIMM {
		return inventory.ControllerDIMM{Label: known(label), Location: known(location), SizeBytes: known(bytes)}
	}
	for name, c := range map[string]struct {
		slots string
		dimms []inventory.ControllerDIMM
		want  string
	}{
		"one module":     {"SLOT~1* SLOT~2", []inventory.ControllerDIMM{entry("SLOT_1", "channel 1 slot 0", 8<<30)}, "0.0.1.0"},
		"an empty entry": {"SLOT~1* SLOT~2", []inventory.ControllerDIMM{entry("SLOT_1", "channel 1 slot 0", 8<<30), entry("SLOT_2", "channel 0 slot 0", 0)}, "0.0.1.0"},
		"an empty entry of two": {"SLOT~1* SLOT~2* SLOT~3", []inventory.ControllerDIMM{entry("SLOT_2", "channel 0 slot 0", 8<<30), entry("SLOT_1", "channel 1 slot 0", 8<<30),
			entry("SLOT_3", "channel 2 slot 0", 0)}, "0.0.1.0 0.0.0.0"},
		"an empty slot": {"SLOT~1* SLOT~2* SLOT~3", []inventory.ControllerDIMM{entry("SLOT_1", "channel 1 slot 0", 8<<30), entry("SLOT_3", "channel 0 slot 0", 8<<30),
			entry("SLOT_2", "channel 2 slot 0", 16<<30)}, "-.-.-.- -.-.-.-"},
		"one label twice": {"SLOT~1* SLOT~2*", []inventory.ControllerDIMM{entry("SLOT_2", "channel 1 slot 0", 8<<30), entry("SLOT_1", "channel 0 slot 0", 4<<30),
			entry("SLOT_1", "channel 2 slot 0", 4<<30)}, "-.-.-.- -.-.-.-"},
	} {
		sys := board("Example", "E1", "P", c.slots)
		sys.EDAC = []inventory.Controller{{DIMMs: c.dimms}}
		out, _ := Slots(sys, ofChannels(4, 1), corpustest.Rules(t))
		assert.Equal(t, c.want, seats(sys, out), name)
	}
}

// TestNumbersOfBoards checks a board and a number on it, each from 1 and boards numbered over the processors, and a
// letter with one digit.
func TestNumbersOfBoards(t *testing.T) {
	for _, c := range []struct {
		numbering, word string
		want            int
	}{
		{"2 boards", "1/x", -1}, {"2 boards", "0/1", -1}, {"2 boards", "x/1", -1}, {"2 boards", "2/3", 203},
		{"letters", "AB1", -1}, {"letters", "A", -1}, {"letters", "1", -1}, {"letters", "A9", 109}, {"letters", "A10", -1},
	} {
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).slot(c.word), c)
	}
	for _, c := range []struct {
		numbering, label string
		want             int
	}{
		{"0 boards", "Board 1, DIMM 2A", -1}, {"x boards", "Board 1, DIMM 2A", -1}, {"1 boards", "Board 3, DIMM 2A", 102}, {"2 boards", "Board 3, DIMM 2A", 102}, {"2 boards", "2, DIMM 8", 208},
	} {
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).Number(c.label, &Placement{}), c)
	}
	assert.Equal(t, 4, PrintedNumber("4"))
	assert.Equal(t, 12, PrintedNumber("12"))
}

// TestNamesOfSets checks that a longer name of the board precedes a shorter one, that the product's own precedes a
// sister's whatever their length, and that invalid headers are ignored.
func TestNamesOfSets(t *testing.T) {
	source := func(product string, lines string) string {
		sets := ReadSets(fstest.MapFS{setsFile: {Data: []byte(lines)}}, &inventory.Machine{Product: known(product)})
		require.NotNil(t, sets, product)
		return sets.Rows[2].Source
	}
	const short, long, sister = "set\tX\tR200\t\n2\t1,2\tbalanced\tshort\n", "set\tX\tR200 (B2)\t\n2\t1,2\tbalanced\tlong\n", "set\tX\tR300\tR200 (B2)\n2\t1,2\tbalanced\tsister\n"
	assert.Equal(t, "long", source("R200 (B2)", short+long))
	assert.Equal(t, "long", source("R200 (B2)", long+short))
	assert.Equal(t, "short", source("R200 (B2)", short+sister))
	assert.Equal(t, "short", source("R200 (B2)", sister+short))
	assert.Equal(t, "D", source("X", "set\tX\tX\t\n4\t1,2,3,4\tbalanced\tD\tmore\n2\t1,2\tbalanced\tD\n"), "a row of too many columns is none, and a name may be one letter")
	assert.Zero(t, platform.LengthOfName("R200", ""))
}
