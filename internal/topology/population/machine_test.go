package population

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
)

const gib = int64(1) << 30

// testMachine is a machine with known placements, to test without slot labels.
type testMachine struct {
	sys    inventory.System
	places []place.Placement
}

// newTestMachine has n populated sockets with one processor model.
func newTestMachine(n int, vendor string, family, model, stepping int, brand string) *testMachine {
	return &testMachine{sys: inventory.System{Sockets: collecttest.Sockets(n, vendor, family, model, stepping, brand)}}
}

// testDIMM is one module; zero fields are usual values.
type testDIMM struct {
	gb             int64
	rated, run     int
	ranks          int
	lr, unbuffered bool
	mv             int
	memType        string
}

func (m *testMachine) add(socket, channel, slot int, d testDIMM) {
	s := inventory.Slot{Handle: inventory.Handle(0x1100 + len(m.sys.Slots)), Row: len(m.sys.Slots), State: inventory.SlotEmpty,
		Locator: collecttest.Known(fmt.Sprintf("S%dC%dD%d", socket, channel, slot))}
	if d.gb > 0 {
		s.State = inventory.SlotPopulated
		s.SizeBytes, s.Technology = collecttest.Known(d.gb*gib), collecttest.Known(inventory.DRAM)
		s.Registered, s.LoadReduced = collecttest.Known(!d.unbuffered), collecttest.Known(d.lr)
		s.Ranks, s.RatedMTs = collecttest.Known(2), collecttest.Known(d.rated)
		s.TotalWidth, s.DataWidth = collecttest.Known(72), collecttest.Known(64)
		if d.ranks > 0 {
			s.Ranks = collecttest.Known(d.ranks)
		}
		if d.rated == 0 {
			s.RatedMTs = fact.Fact[int]{State: fact.Unstated}
		}
		if d.run > 0 {
			s.ConfiguredMTs = collecttest.Known(d.run)
		}
		if d.mv > 0 {
			s.ConfiguredMV = collecttest.Known(d.mv)
		}
		if d.memType != "" {
			s.Type = collecttest.Known(d.memType)
		}
	}
	m.sys.Slots = append(m.sys.Slots, s)
	m.places = append(m.places, place.Placement{Socket: socket, Controller: place.Unplaced, Channel: channel, Slot: slot,
		Source: place.SourceLocator, Certainty: fact.Direct, Rule: "test"})
}

// fill puts counts[c] DIMMs on channel c of the socket; one without any has an empty slot.
func (m *testMachine) fill(socket int, counts []int, d testDIMM) *testMachine {
	if slices.Max(counts) == 0 {
		m.add(socket, 0, 0, testDIMM{})
	}
	for c, n := range counts {
		for s := range n {
			m.add(socket, c, s, d)
		}
	}
	return m
}

// derive is Derive with the machine's own placements.
func (m *testMachine) derive(t testing.TB) *Result { return m.deriveWith(corpustest.Rules(t)) }

func (m *testMachine) deriveWith(k fs.FS) *Result {
	r := &Result{Platform: platform.Recognise(&m.sys, k), Processors: platform.Processors(&m.sys, k), Placements: m.places}
	r.populate(&m.sys)
	return r
}

// deriveAs derives a machine with the processors of one whose platform is known.
func (m *testMachine) deriveAs(known *Result) *Result {
	r := &Result{Platform: known.Platform, Processors: known.Processors, Placements: m.places}
	r.populate(&m.sys)
	return r
}

// Processors that the tests use.
func cascadeLake(n int) *testMachine {
	return newTestMachine(n, platform.Intel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
}

func rome(n int) *testMachine {
	return newTestMachine(n, platform.AMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")
}

func milan(n int) *testMachine {
	return newTestMachine(n, platform.AMD, 25, 1, 1, "AMD EPYC 7543 32-Core Processor")
}

func sandyBridge(n int) *testMachine {
	return newTestMachine(n, platform.Intel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz")
}
