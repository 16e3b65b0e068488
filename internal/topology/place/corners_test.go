package place

import (
	"testing"

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
	out, _ := Slots(sys, p, corpustest.Rules(t))
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
		assert.Empty(t, machine(change), name)
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
		{"DIMM@Z", "dimm`z", false}, {"DIMM[", "dimm{", false}, {"P{num", "P1", false}, {"*DIMM{num}", "CPU DIMM7", true}, {"*DIMM{num}", "DIMM7", true},
		{"*A{num}", "B7", false}, {"P{cpu=2}X", "PX", true}, {"P{cpu=22}X", "PX", false}, {"P{L=2}X", "PX", false}, {"P{_=2}X", "PX", false}, {"P{none=2}X", "PX", false},
	} {
		var got captured
		assert.Equal(t, c.fits, matchLabel(c.pattern, c.label, &got), "%s on %s", c.label, c.pattern)
	}
	var got captured
	require.True(t, matchLabel("*P{cpu}-{L}{slot}", "x P7 P12-C3", &got))
	for f, want := range map[labelField]int{fieldCPU: 12, fieldLetter: 2, fieldSlot: 3} {
		v, ok := got.get(f)
		assert.True(t, ok)
		assert.Equal(t, want, v)
	}
	for b := range 256 {
		want := byte(b)
		if 'A' <= want && want <= 'Z' {
			want += 32
		}
		assert.Equal(t, want, lowerCase(byte(b)))
	}
}
