package audit_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// direct is a fact that firmware states plainly.
func direct[T any](v T) fact.Fact[T] {
	return fact.Known(v, fact.Direct, fact.Evidence{Source: inventory.SourceSMBIOS, Raw: fmt.Sprint(v)})
}

// twoSockets is a physical machine with two populated sockets and no memory.
func twoSockets() (*inventory.System, *population.Result) {
	sys := &inventory.System{Settings: map[string]inventory.Setting{}}
	sys.Machine.Virtual = direct(false)
	sys.Machine.Vendor, sys.Machine.Product = direct("Example Inc."), direct("Model 1")
	sys.Firmware.SMBIOS = direct(true)
	topo := &population.Result{}
	for id := range 2 {
		sys.Sockets = append(sys.Sockets, inventory.Socket{ID: id, Populated: direct(true)})
		topo.Processors = append(topo.Processors, nil)
		topo.Populations = append(topo.Populations, population.Population{Socket: id, DIMMs: direct(0)})
	}
	return sys, topo
}

// platformOf recognises the machine.
func platformOf(topo *population.Result, p platform.Platform) {
	p.Verified = true
	topo.Platform = direct(&p)
}

// addDIMM adds a module of this many GiB to a socket.
func addDIMM(sys *inventory.System, topo *population.Result, socket int, gib int64) {
	n := len(sys.Slots)
	sys.Slots = append(sys.Slots, inventory.Slot{Handle: inventory.Handle(0x1100 + n), State: inventory.SlotPopulated,
		Locator: direct(fmt.Sprintf("DIMM_%c%d", 'A'+socket, n)), SizeBytes: direct(gib << 30),
		Technology: direct(inventory.DRAM), Soldered: direct(false)})
	topo.Placements = append(topo.Placements, place.Placement{Socket: socket, Controller: place.Unplaced,
		Channel: place.Unplaced, Slot: place.Unplaced, Source: "locator", Certainty: fact.Direct})
	for i := range topo.Populations {
		if p := &topo.Populations[i]; p.Socket == socket {
			p.Slots = append(p.Slots, n)
			p.DIMMs = direct(len(p.Slots))
		}
	}
}

// engineOf loads packs written in a test.
func engineOf(t *testing.T, sources ...string) *audit.Engine {
	t.Helper()
	var packs []*rulepack.Pack
	for i, src := range sources {
		p, faults := rulepack.ParsePack(fmt.Sprintf("pack%d.yaml", i), []byte(src))
		require.Empty(t, faults)
		packs = append(packs, p)
	}
	return audit.NewEngine(packs)
}

// auditRun audits and returns the findings of one rule by subject.
func run(t *testing.T, e *audit.Engine, sys *inventory.System, topo *population.Result, o audit.Options) *verdict.Audit {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	}
	a, err := e.Run(sys, topo, o)
	require.NoError(t, err)
	return a
}

// findings lists what a rule found, by subject.
func findings(a *verdict.Audit, rule string) map[string]verdict.Finding {
	out := map[string]verdict.Finding{}
	for _, f := range a.Findings {
		if f.Rule == rule {
			out[f.Subject.String()] = f
		}
	}
	return out
}

// unread is a fact that no rule uses.
func unread[T any]() fact.Fact[T] {
	return fact.Unknown[T](fact.Unread, "not part of this input", "")
}
