package topology

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/inventory"
)

const gib = int64(1) << 30

// testMachine builds a machine with known placements, so that what follows
// from them can be tested without slot labels.
type testMachine struct {
	sys    inventory.System
	places []Placement
}

func yes[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS})
}

// newTestMachine has n populated sockets with one processor model.
func newTestMachine(n int, vendor string, family, model, stepping int, brand string) *testMachine {
	m := &testMachine{}
	for i := range n {
		m.sys.Sockets = append(m.sys.Sockets, inventory.Socket{ID: i, Populated: yes(true), Vendor: yes(vendor),
			Family: yes(family), Model: yes(model), Stepping: yes(stepping), Brand: yes(brand)})
	}
	return m
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
	s := inventory.Slot{Handle: uint16(0x1100 + len(m.sys.Slots)), Row: len(m.sys.Slots), State: inventory.SlotEmpty,
		Locator: yes(fmt.Sprintf("S%dC%dD%d", socket, channel, slot))}
	if d.gb > 0 {
		s.State = inventory.SlotPopulated
		s.SizeBytes, s.Technology = yes(d.gb*gib), yes(inventory.DRAM)
		s.Registered, s.LoadReduced = yes(!d.unbuffered), yes(d.lr)
		s.Ranks, s.RatedMTs = yes(2), yes(d.rated)
		if d.ranks > 0 {
			s.Ranks = yes(d.ranks)
		}
		if d.rated == 0 {
			s.RatedMTs = fact.Fact[int]{State: fact.Unstated}
		}
		if d.run > 0 {
			s.ConfiguredMTs = yes(d.run)
		}
		if d.mv > 0 {
			s.ConfiguredMV = yes(d.mv)
		}
		if d.memType != "" {
			s.Type = yes(d.memType)
		}
	}
	m.sys.Slots = append(m.sys.Slots, s)
	m.places = append(m.places, Placement{Socket: socket, Controller: Unplaced, Channel: channel, Slot: slot,
		Source: sourceLocator, Certainty: fact.Direct, Rule: "test"})
}

// fill puts counts[c] DIMMs on channel c of the socket.
func (m *testMachine) fill(socket int, counts []int, d testDIMM) *testMachine {
	for c, n := range counts {
		for s := range n {
			m.add(socket, c, s, d)
		}
	}
	return m
}

// derive is Derive with the machine's own placements.
func (m *testMachine) derive(t testing.TB) *Result { return m.deriveWith(slotRules(t)) }

func (m *testMachine) deriveWith(k fs.FS) *Result {
	r := &Result{Platform: recognise(&m.sys, k), Processors: lookUpProcessors(&m.sys, k), Placements: m.places}
	r.populate(&m.sys)
	return r
}

// Processors that the tests use.
func cascadeLake(n int) *testMachine {
	return newTestMachine(n, vendorIntel, 6, 85, 7, "Intel(R) Xeon(R) Gold 6252N CPU @ 2.30GHz")
}

func rome(n int) *testMachine {
	return newTestMachine(n, vendorAMD, 23, 49, 0, "AMD EPYC 7742 64-Core Processor")
}

func milan(n int) *testMachine {
	return newTestMachine(n, vendorAMD, 25, 1, 1, "AMD EPYC 7543 32-Core Processor")
}

func sandyBridge(n int) *testMachine {
	return newTestMachine(n, vendorIntel, 6, 45, 7, "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz")
}
