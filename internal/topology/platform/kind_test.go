package platform

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
)

// dimm is a module of these ranks, 0 for not stated, at a voltage in mV.
func dimm(registered bool, ranks, mv int) *inventory.Slot {
	s := &inventory.Slot{Registered: collecttest.Known(registered)}
	if ranks > 0 {
		s.Ranks = collecttest.Known(ranks)
	}
	if mv > 0 {
		s.ConfiguredMV = collecttest.Known(mv)
	}
	return s
}

// TestKindsFor checks which rows of a table of speeds may describe a module, and whether one of them is for exactly
// this kind.
func TestKindsFor(t *testing.T) {
	table := func(keys ...string) *Platform {
		p := &Platform{Speeds: map[string][]int{}}
		for _, key := range keys {
			p.Speeds[key] = []int{1333}
		}
		return p
	}
	changed := func(s *inventory.Slot, f func(*inventory.Slot)) *inventory.Slot { f(s); return s }
	loadReduced := changed(dimm(true, 4, 1350), func(s *inventory.Slot) { s.LoadReduced = collecttest.Known(true) })
	multiplexed := changed(dimm(true, 2, 0), func(s *inventory.Slot) { s.Type = collecttest.Known("DDR5 MRDIMM") })
	ranked := table("rdimm-1r2r", "rdimm-4r", "udimm")
	volts := table("rdimm-1.35v", "rdimm-1.5v", "lrdimm")
	for _, c := range []struct {
		name  string
		p     *Platform
		s     *inventory.Slot
		want  []string
		exact bool
	}{
		{"by ranks", ranked, dimm(true, 2, 0), []string{"rdimm-1r2r"}, true},
		{"by ranks", ranked, dimm(true, 4, 0), []string{"rdimm-4r"}, true},
		{"ranks not stated", ranked, dimm(true, 0, 0), []string{"rdimm-1r2r", "rdimm-4r"}, true},
		{"more ranks than a row can name", ranked, dimm(true, 10, 0), []string{"rdimm-1r2r", "rdimm-4r"}, true},
		{"fewer ranks than documented: the nearest", table("rdimm-2r", "rdimm-4r", "rdimm-2r3r"), dimm(true, 1, 0), []string{"rdimm-2r", "rdimm-2r3r"}, false},
		{"more ranks than documented", table("rdimm-1r2r"), dimm(true, 4, 0), nil, false},
		{"unbuffered", ranked, dimm(false, 2, 0), []string{"udimm"}, true},
		{"no row of the kind", table("udimm"), dimm(true, 2, 0), nil, false},
		{"registering not stated", table("rdimm", "udimm", "mrdimm"), &inventory.Slot{}, []string{"rdimm", "udimm"}, true},
		{"said not to be load-reduced", table("rdimm", "lrdimm"), changed(dimm(true, 2, 0), func(s *inventory.Slot) { s.LoadReduced = collecttest.Known(false) }), []string{"rdimm"}, true},
		{"multiplexed by its type", table("rdimm", "mrdimm"), multiplexed, []string{"mrdimm"}, true},
		// JESD79-3 has 1.5 V down to 1.425, JESD79-3-1 1.35 V below 1.45.
		{"at 1.35 V", volts, dimm(true, 2, 1350), []string{"rdimm-1.35v"}, true},
		{"at 1.5 V", volts, dimm(true, 2, 1500), []string{"rdimm-1.5v"}, true},
		{"the least of 1.5 V", volts, dimm(true, 2, 1425), []string{"rdimm-1.5v"}, true},
		{"below it", volts, dimm(true, 2, 1424), []string{"rdimm-1.35v"}, true},
		{"voltage not stated", volts, dimm(true, 2, 0), []string{"rdimm-1.35v", "rdimm-1.5v"}, true},
		{"a kind of which the lower voltage is not listed", volts, loadReduced, []string{"lrdimm"}, false},
		{"no voltages listed at all", table("rdimm"), dimm(true, 2, 1350), []string{"rdimm"}, true},
	} {
		have, exact := KindsFor(c.p, c.s)
		assert.Equal(t, c.want, have, c.name)
		assert.Equal(t, c.exact, exact, c.name)
	}
	for _, c := range []struct {
		mv    int
		exact bool
	}{{1350, false}, {1424, false}, {1425, true}, {1500, true}, {0, false}} { // 0: firmware says none
		s := dimm(true, 4, c.mv)
		s.LoadReduced = collecttest.Known(true)
		_, exact := KindsFor(volts, s)
		assert.Equal(t, c.exact, exact, "LRDIMM at %d mV", c.mv)
	}
}

// TestFrontSideBusByMemory checks that the kind of memory decides without a platform: Intel's processors have memory
// controllers since DDR3 (Nehalem), AMD's since the first Opteron with DDR.
func TestFrontSideBusByMemory(t *testing.T) {
	of := func(kernel, firmware string, slots ...inventory.Slot) *inventory.System {
		sys := &inventory.System{Slots: slots}
		if kernel != "" {
			sys.CPU.Vendor = collecttest.Known(kernel)
		}
		if firmware != "" {
			sys.Sockets = []inventory.Socket{{}, {Vendor: collecttest.Known(firmware)}}
		}
		return sys
	}
	module := func(kind string) inventory.Slot {
		return inventory.Slot{State: inventory.SlotPopulated, Type: collecttest.Known(kind)}
	}
	empty := inventory.Slot{State: inventory.SlotEmpty, Type: collecttest.Known("DDR2 FB-DIMM")}
	for _, c := range []struct {
		name string
		sys  *inventory.System
		p    *Platform
		want bool
	}{
		{"the platform's word", of(Intel, Intel, module("DDR2 FB-DIMM")), &Platform{NUMA: true}, false},
		{"the platform's word", of(Intel, Intel, module("DDR3")), &Platform{}, true},
		{"FB-DIMMs", of("", "", module("DDR2 FB-DIMM")), nil, true},
		{"DDR2 by the kernel's processor", of(Intel, "", module("DDR2")), nil, true},
		{"DDR2 by firmware's", of("", Intel, module("DDR2")), nil, true},
		{"DDR2 of nobody", of("", "", module("DDR2")), nil, false},
		{"DDR2 of a processor that does not say whose it is", &inventory.System{Sockets: []inventory.Socket{{}}, Slots: []inventory.Slot{module("DDR2")}}, nil, false},
		{"DDR2 by AMD", of("", AMD, module("DDR2")), nil, false},
		{"DDR2 by AMD in the kernel", of(AMD, "", module("DDR2")), nil, false},
		{"an AMD machine of FB-DIMMs is none", of("", AMD, module("DDR2 FB-DIMM")), nil, false},
		{"DDR3", of(Intel, Intel, module("DDR3")), nil, false},
		{"an empty slot says nothing", of(Intel, Intel, empty, module("DDR3")), nil, false},
		{"an empty slot says nothing", of(Intel, Intel, empty), nil, false},
	} {
		assert.Equal(t, c.want, FrontSideBus(c.sys, c.p), c.name)
	}
}

// TestTakes checks that three unbuffered modules do not fit on a channel of Westmere-EP (IBM, x3650 M3 product guide,
// p13), and that the number is unlimited without a document.
func TestTakes(t *testing.T) {
	p := &Platform{MostDPC: map[string]int{"udimm": 2, "lrdimm-8r": 1}}
	for _, c := range []struct {
		kind string
		d    int
		want bool
	}{{"udimm", 1, true}, {"udimm", 2, true}, {"udimm", 3, false}, {"lrdimm-8r", 1, true}, {"lrdimm-8r", 2, false}, {"rdimm", 1, true}, {"rdimm", 3, true}} {
		assert.Equal(t, c.want, p.Takes(c.kind, c.d), "%d of %s", c.d, c.kind)
	}
}
