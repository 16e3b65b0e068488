package place

import (
	"fmt"
	"io/fs"
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

// hpeAt are positions of HPE's type 202: processor, controller, channel, index; -1 is unstated.
func hpeAt(t *testing.T, p *platform.Platform, product string, sockets string, labels string, at ...[4]int) []Placement {
	t.Helper()
	sys := board("HPE", product, sockets, labels)
	require.Len(t, sys.Slots, len(at))
	for i, a := range at {
		sys.Slots[i].HPE = &inventory.Location{Processor: a[0], Controller: a[1], Channel: a[2], Index: a[3]}
	}
	out, _ := LocateSlots(sys, p, corpustest.Rules(t))
	return out
}

func places(out []Placement) (all [][4]int) {
	for _, o := range out {
		all = append(all, [4]int{o.Socket, o.Controller, o.Channel, o.Slot})
	}
	return all
}

// TestHPEControllers checks that Gen10 numbers controllers over the machine and, if two controllers have one channel
// number, channels within them.
func TestHPEControllers(t *testing.T) {
	const u = Unplaced
	labels := "PROC~{1,2}~DIMM~{1..4}*"
	within := [][4]int{{0, 0, 0, 0}, {0, 0, 2, 1}, {0, 1, 0, 0}, {0, 1, 2, 0}, {1, 2, 0, 0}, {1, 2, 1, 0}, {1, 3, 0, 0}, {1, 3, 1, 1}}
	assert.Equal(t, [][4]int{{0, 0, 0, 0}, {0, 0, 2, 1}, {0, 1, 3, 0}, {0, 1, 5, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 1, 3, 0}, {1, 1, 4, 1}},
		places(hpeAt(t, plat6, "ProLiant DL9999 Gen10", "PP", labels, within...)))
	// One controller of two that is listed: its place among them is not known.
	one := [][4]int{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 2, 0}, {0, 0, 2, 1}, {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 0, 2, 0}, {1, 0, 2, 1}}
	assert.Equal(t, [][4]int{{0, u, 0, 0}, {0, u, 1, 0}, {0, u, 2, 0}, {0, u, 2, 1}, {1, u, 0, 0}, {1, u, 1, 0}, {1, u, 2, 0}, {1, u, 2, 1}},
		places(hpeAt(t, plat6, "ProLiant DL9999 Gen10", "PP", labels, one...)))
	// Numbers within controllers mean nothing if the platform has one controller; a module whose controller is
	// unstated is not placed by them.
	for _, o := range hpeAt(t, plat3, "ProLiant DL9999 Gen10", "PP", labels, within...) {
		assert.NotEqual(t, sourceHPE, o.Source)
	}
	untold := append([][4]int{}, within...)
	untold[7] = [4]int{1, -1, 2, 0}
	got := hpeAt(t, plat6, "ProLiant DL9999 Gen10", "PP", labels, untold...)
	assert.Equal(t, sourceHPE, got[6].Source)
	assert.NotEqual(t, sourceHPE, got[7].Source)
	// Channels counted over the processor, both controllers on it.
	over := [][4]int{{0, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 3, 0}, {0, 1, 4, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}, {1, 1, 3, 0}, {1, 1, 4, 0}}
	assert.Equal(t, over, places(hpeAt(t, plat6, "ProLiant DL9999 Gen10", "PP", labels, over...)))
}

// TestHPELeavesOpen checks that the label gives the processor and the slot if type 202 does not, and that a slot that
// does not fit its channel is unknown.
func TestHPELeavesOpen(t *testing.T) {
	const u = Unplaced
	labels := "PROC~{1,2}~DIMM~{1,2}*"
	assert.Equal(t, [][4]int{{0, 0, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}, {1, 0, 1, 0}},
		places(hpeAt(t, plat3, "ProLiant DL9999 Gen11", "PP", labels, [4]int{0, 0, 0, 0}, [4]int{0, 0, 1, 0}, [4]int{1, 0, 0, 0}, [4]int{1, 0, 1, 0})))
	// The processor of the label.
	got := hpeAt(t, plat4, "ProLiant DL9999 Gen11", "PP", labels, [4]int{-1, -1, 0, 0}, [4]int{-1, -1, 1, 0}, [4]int{-1, -1, 0, 0}, [4]int{-1, -1, 1, 0})
	assert.Equal(t, [][4]int{{0, u, 0, 0}, {0, u, 1, 0}, {1, u, 0, 0}, {1, u, 1, 0}}, places(got))
	// The first processor as in type 202, if no label names one.
	got = hpeAt(t, plat4, "ProLiant DL9999 Gen11", "PP", "x{1,2}*", [4]int{0, 0, 1, 0}, [4]int{1, 1, 2, 0})
	assert.Equal(t, [][4]int{{0, 0, 1, 0}, {1, 0, 2, 0}}, places(got))
	// Controllers in their order if the platform does not define their number; if there are more than it has, the
	// controller is unknown.
	two := [][4]int{{0, 0, 0, 0}, {0, 1, 1, 0}, {1, 2, 0, 0}, {1, 3, 1, 0}}
	assert.Equal(t, [][4]int{{0, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 0, 0}, {1, 1, 1, 0}}, places(hpeAt(t, plat4, "ProLiant DL9999 Gen11", "PP", labels, two...)))
	assert.Equal(t, [][4]int{{0, u, 0, 0}, {0, u, 1, 0}, {1, u, 0, 0}, {1, u, 1, 0}}, places(hpeAt(t, plat3, "ProLiant DL9999 Gen11", "PP", labels, two...)))
	// Two modules on one channel without an index: both slots are unknown, the other channel's stays.
	got = hpeAt(t, plat3, "ProLiant DL9999 Gen11", "PP", labels, [4]int{0, 0, 0, -1}, [4]int{0, 0, 0, -1}, [4]int{1, 0, 0, 1}, [4]int{1, 0, 1, 0})
	assert.Equal(t, [][4]int{{0, 0, 0, u}, {0, 0, 0, u}, {1, 0, 0, 1}, {1, 0, 1, 0}}, places(got))
}

// TestInconclusiveNodes checks that a node that is unread, without a known processor, or with memory other than
// DRAM neither contradicts nor confirms anything.
func TestInconclusiveNodes(t *testing.T) {
	machine := func(change func(sys *inventory.System)) []string {
		sys := board("Supermicro", "Super Server", "PP", "P1-DIMM{A,B,C}1@NO~DIMM* P2-DIMM{A,B,C}1@NO~DIMM*")
		for i := range 2 {
			sys.Nodes = append(sys.Nodes, inventory.Node{ID: i, Kind: fact.Known(inventory.NodeDRAM, fact.Direct, fact.Evidence{}),
				Socket: known(i), MemoryBytes: known([]int64{47 << 30, 1 << 30}[i])})
		}
		change(sys)
		return examined(t, sys, plat6)
	}
	assert.Len(t, machine(func(*inventory.System) {}), 1, "48 and none of what should be 24 and 24")
	assert.Len(t, machine(func(sys *inventory.System) {
		sys.Nodes = append(sys.Nodes, inventory.Node{ID: 2, Kind: fact.Known(inventory.NodeMemoryless, fact.Direct, fact.Evidence{}), Socket: known(1), MemoryBytes: known(int64(0))})
	}), 1, "a node without memory")
	for name, change := range map[string]func(*inventory.System){
		"unread":       func(sys *inventory.System) { sys.Nodes[1].MemoryBytes = fact.Unknown[int64](fact.Denied, "x", "") },
		"no processor": func(sys *inventory.System) { sys.Nodes[1].Socket = fact.Unknown[int](fact.Absent, "x", "") },
		"other memory": func(sys *inventory.System) {
			sys.Nodes[1].Kind = fact.Known(inventory.NodeHBM, fact.Direct, fact.Evidence{})
		},
		"unknown kind": func(sys *inventory.System) {
			sys.Nodes[1].Kind = fact.Unknown[inventory.NodeKind](fact.Absent, "x", "")
		},
		"size not known": func(sys *inventory.System) { sys.Slots[0].SizeBytes = fact.Unknown[int64](fact.Absent, "x", "") },
		"too much":       func(sys *inventory.System) { sys.Nodes[0].MemoryBytes = known(int64(480 << 30)) },
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, machine(change))
		})
	}
}

// TestCaptures checks that a field captures one letter, or up to three digits, that {x} captures any character, and
// that only capitals are letters.
func TestCaptures(t *testing.T) {
	for _, c := range []struct {
		pattern, label string
		fits           bool
	}{
		{"P{L}", "PA", true}, {"P{L}", "PZ", true}, {"P{L}", "P[", false}, {"P{L}", "P@", false}, {"P{L}", "Pa", false}, {"P{L}", "P", false},
		{"P{x}", "P[", true}, {"P{x}", "P7", true}, {"P{num}", "P123", true}, {"P{num}", "P1234", false}, {"P{num}", "P", false},
		{"P{num:1}", "P1", true}, {"P{num:1}", "P12", false}, {"dimm a", "DIMM   A", true}, {"DIMM A", "dimm a", true},
		{"DIMM@Z", "dimm`z", false}, {"DIMM[", "dimm{", false}, {"*DIMM{num}", "CPU DIMM7", true}, {"*DIMM{num}", "DIMM7", true},
		{"*A{num}", "B7", false}, {"P{cpu=2}X", "PX", true}, {"P{cpu=22}X", "PX", false}, {"P{L=2}X", "PX", false}, {"P{_=2}X", "PX", false}, {"P{none=2}X", "PX", false},
	} {
		var got captured
		assert.Equal(t, c.fits, matchLabel(c.pattern, c.label, &got), "%s on %s", c.label, c.pattern)
	}
	var got captured
	require.True(t, matchLabel("*P{cpu}-{L}{slot}", "x P7 P12-C3", &got))
	for f, want := range map[labelField]int{fieldCPU: 12, fieldLetter: 2, fieldSlot: 3} {
		v, ok := got.fieldValue(f)
		assert.True(t, ok)
		assert.Equal(t, want, v)
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
	out, conflicts := LocateSlots(sys, plat4, corpustest.Rules(t))
	require.Empty(t, conflicts)
	for i := range out {
		assert.Equal(t, [3]int{i / 12, i / 3 % 4, i % 3}, [3]int{out[i].Socket, out[i].Channel, out[i].Slot}, slots[i])
	}

	sys = board("Supermicro", "X10DRi", "PP", "P1_DIMMA1@P0_Node0_Channel0_Dimm0*", "NO~DIMM@NO~DIMM", "P2_DIMME1@P1_Node0_Channel0_Dimm0*")
	out, _ = LocateSlots(sys, plat4, corpustest.Rules(t))
	assert.Equal(t, "firmware calls the empty slot NO DIMM instead of by its label", out[1].Reason)
	assert.Equal(t, Unplaced, out[1].Channel)
}

// ofChannels is a platform by its channels and controllers.
func ofChannels(channels, controllers int) *platform.Platform {
	return &platform.Platform{NUMA: true, ChannelsPerSocket: channels, Controllers: controllers, MaxDPC: 2}
}

// ruleOf reads a rule written as its columns: id, locators and banks (separated by bars), vendors, models (by commas), node, options.
func ruleOf(line string) LocatorRule {
	list := func(text, separator string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, separator)
	}
	c := strings.Split(line, "\t")
	return LocatorRule{ID: c[0], Locators: list(c[1], "|"), Banks: list(c[2], "|"), Vendors: list(c[3], ","), Models: list(c[4], ","), Node: c[5], Options: list(c[6], ",")}
}

// resolved places slots by one pattern, given as a line of the compiled patterns,
// before anything is checked against the result.
func resolved(t *testing.T, line, sockets string, p *platform.Platform, words ...string) (string, []Placement) {
	t.Helper()
	rules := []LocatorRule{ruleOf(line)}
	sys := board("Example", "E1", sockets, words...)
	pl := newPlacer(sys, p)
	pl.matchLabels(rules)
	g := pl.groupOfRule(&rules[0])
	require.NotNil(t, g, line)
	g.derivePositions(nil)
	for i := range pl.out {
		pl.out[i].Slot = Unplaced // not tested here
	}
	return seats(sys, pl.out), pl.out
}

// TestLettersThatDoNotFit checks letters that are not a consecutive range of the processor's channels: they are
// numbered by the bank's controllers, otherwise by their order. On an unknown platform they are used as they are,
// unless they may continue from another processor.
func TestLettersThatDoNotFit(t *testing.T) {
	for name, c := range map[string]placeCase{
		"by the controllers": {vendor: "Supermicro", product: "SYS-E300-9D", sockets: "P", platform: ofChannels(4, 2),
			slots: []string{"DIMMA1@P0_Node0_Channel0_Dimm0* DIMME1@P0_Node1_Channel1_Dimm0*"}, want: "0.0.0.0 0.1.3.0", certainty: fact.Corroborated},
		"nodes that say nothing": {vendor: "Lenovo", product: "HR630X", sockets: "P", platform: ofChannels(6, 2),
			slots: []string{"CPU1_DIMM_A1@_Node0_Channel0_Dimm0* CPU1_DIMM_H1@_Node0_Channel5_Dimm0*"}, want: "0.-.0.0 0.-.1.0", certainty: fact.Indirect},
		"as many as channels": {vendor: "Quanta", product: "unknown", sockets: "P", platform: ofChannels(4, 2),
			slots: []string{"CPU1_{A,B,D,E}1*"}, want: "0.0.0.0 0.0.1.0 0.1.2.0 0.1.3.0", certainty: fact.Corroborated},
		"platform unknown": {vendor: "Quanta", product: "unknown", sockets: "PP",
			slots: []string{"CPU1_{B,D}1* CPU2_{A,C}1*"}, want: "0.-.1.0 0.-.3.0 1.-.0.0 1.-.2.0", certainty: fact.Corroborated},
		"platform unknown, letters of the second alone": {vendor: "Quanta", product: "unknown", sockets: "PP",
			slots: []string{"CPU1_A1 CPU2_{F,H}1*"}, want: "1.-.0.0 1.-.1.0", certainty: fact.Indirect},
		"a board of four channels": {vendor: "FUJITSU", product: "PRIMERGY RX600 S6", sockets: "PPPP", platform: platEX,
			slots: []string{"DIMM-1{D,E}@CPU1-MEM-A*"}, want: "0.-.-.- 0.-.-.-", reason: "a memory board has channels A to D only"},
		"number of no processor": {vendor: "Lenovo", product: "ThinkSystem SR650 -[7X06CTO1WW]-", sockets: "PP", platform: plat6,
			slots: []string{"DIMM~5@CPU~1* DIMM~30@CPU~2*"}, want: "0.-.-.- 1.-.-.-", reason: "slot number 30 is not on slot map lenovo-sp-12"},
		"number of the other processor's own map": {vendor: "Dell Inc.", product: "PowerEdge R430", sockets: "PP", platform: plat4,
			slots: []string{"A5* B5*"}, want: "0.-.-.- 1.-.-.-", reason: "slot number 5 is not on slot map dell-13g-8-4"},
	} {
		t.Run(name, c.run)
	}
}

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
		t.Run(name, func(t *testing.T) {
			got, out := resolved(t, byNode, c.sockets, c.p, c.slots)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.reason, out[len(out)-1].Reason)
		})
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
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).parseSlot(c.word), c)
	}
	for _, c := range []struct {
		numbering, label string
		want             int
	}{
		{"0 boards", "Board 1, DIMM 2A", -1}, {"x boards", "Board 1, DIMM 2A", -1}, {"1 boards", "Board 3, DIMM 2A", 102}, {"2 boards", "Board 3, DIMM 2A", 102}, {"2 boards", "2, DIMM 8", 208},
	} {
		assert.Equal(t, c.want, (&Sets{numbering: c.numbering}).SlotNumber(c.label, &Placement{}), c)
	}
	assert.Equal(t, 4, PrintedNumber("4"))
	assert.Equal(t, 12, PrintedNumber("12"))
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
		out, _ := LocateSlots(sys, plat3, k)
		for _, o := range out {
			require.Less(t, o.Socket, 2)
			require.Less(t, o.Channel, 3)
			require.True(t, o.Channel >= 0 || o.Reason != "")
		}
	})
}
