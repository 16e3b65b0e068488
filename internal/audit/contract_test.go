package audit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestEveryRuleReportsOnEmptyMachine checks that a machine without any data gets one entry for every rule id, none of
// them pass or fail.
func TestEveryRuleReportsOnEmptyMachine(t *testing.T) {
	sys, topo := twoSockets()
	sys.Sockets, topo.Processors, topo.Populations = nil, nil, nil
	sys.Firmware.SMBIOS, sys.Machine.Virtual = unread[bool](), unread[bool]()
	a := run(t, builtin(t), sys, topo, audit.Options{})
	assert.Zero(t, a.Summary.Pass+a.Summary.Fail+a.Summary.Error, "%+v", a.Findings)
	for _, f := range a.Findings {
		assert.NotEmpty(t, f.Reason, f.Rule)
		assert.Equal(t, "machine", f.Subject.String(), f.Rule)
	}
}

// TestGuestIsNotChecked checks that no physical rule applies to a virtual machine.
func TestGuestIsNotChecked(t *testing.T) {
	sys, topo := twoSockets()
	addDIMM(sys, topo, 0, 8)
	sys.Machine.Virtual = direct(true)
	for _, f := range run(t, builtin(t), sys, topo, audit.Options{}).Findings {
		if f.Rule != "firmware.smbios.wellformed" {
			assert.Equal(t, verdict.NotApplicable, f.Result, "%s: %s; applies: '!machine.virtual' keeps a rule from guests", f.Rule, f.Reason)
		}
	}
}

// TestDefectOfAFile checks that a file with less than the machine's table is not a reason to update the BIOS before
// the machine itself was checked.
func TestDefectOfAFile(t *testing.T) {
	for file, want := range map[bool]string{false: "update the BIOS (running version", true: "run memaudit check on the machine itself"} {
		sys, topo := twoSockets()
		sys.Machine.Virtual, sys.Machine.BIOS.Version = direct(false), direct("2.1")
		sys.Firmware.FromFile, sys.Firmware.Problems = file, []inventory.Problem{{Text: "no end marker (type 127)"}}
		f := findings(run(t, builtin(t), sys, topo, audit.Options{}), "firmware.smbios.wellformed")["machine"]
		assert.Equal(t, verdict.Fail, f.Result)
		assert.True(t, strings.HasPrefix(string(f.Remedy), want), f.Remedy)
		assert.Contains(t, f.Remedy, "2.1")
	}
}

// TestAsymmetryByDesign checks that the Sun systems pass with the explanation, and that the rule does not apply to
// others.
func TestAsymmetryByDesign(t *testing.T) {
	four := func(vendor, product, id string) verdict.Finding {
		sys, topo := twoSockets()
		sys.Sockets = append(sys.Sockets, sys.Sockets...)
		sys.Machine.Vendor, sys.Machine.Product = direct(vendor), direct(product)
		platformOf(topo, platform.Platform{ID: id, NUMA: true})
		addDIMM(sys, topo, 7, 0)
		return findings(run(t, builtin(t), sys, topo, audit.Options{}), "memory.asymmetry.expected")["machine"]
	}
	for _, vendor := range []string{"Sun Microsystems", "SUN MICROSYSTEMS", "Oracle Corporation", "ORACLE CORPORATION"} {
		f := four(vendor, "Sun Blade X6440 Server Module", "opteron-socket-f")
		assert.Equal(t, verdict.Pass, f.Result, vendor)
		assert.Contains(t, f.Found, "3939.8, 4693.9, 4609.2 and 3945.4")
		assert.Contains(t, f.Effect.Text, "15.2 %")
	}
	assert.Equal(t, verdict.Pass, four("Sun Microsystems", "Sun Fire X4440", "opteron-socket-f").Result)
	assert.Equal(t, verdict.NotApplicable, four("Sun Microsystems", "Sun Fire X4600 M2", "opteron-socket-f").Result, "eight sockets, four of them filled")
	assert.Equal(t, verdict.NotApplicable, four("HP", "ProLiant DL585 G6", "opteron-socket-f").Result)
	assert.Equal(t, verdict.NotApplicable, four("Oracle Corporation", "SUN FIRE X4470", "nehalem-ex").Result)
}

// TestE326m checks that memory at the second processor is optional with a cost, and at the first mandatory; the
// broader rule reports both as critical.
func TestE326m(t *testing.T) {
	levels := func(vendor string) map[string]verdict.Severity {
		sys, topo := twoSockets()
		sys.Machine.Vendor, sys.Machine.Product = direct(vendor), direct("eserver 326m -[796976Y]-")
		platformOf(topo, platform.Platform{ID: "opteron-939-940", NUMA: true, UniformDIMMs: true})
		addDIMM(sys, topo, 7, 1) // the slots were read; nothing is behind 0 and 1
		out := map[string]verdict.Severity{}
		for subject, f := range findings(run(t, builtin(t), sys, topo, audit.Options{}), "memory.socket.populated") {
			require.Equal(t, verdict.Fail, f.Result)
			out[subject] = f.Severity
		}
		return out
	}
	assert.Equal(t, map[string]verdict.Severity{"socket 0": verdict.Critical, "socket 1": verdict.Warning}, levels("IBM"))
	assert.Equal(t, map[string]verdict.Severity{"socket 0": verdict.Critical, "socket 1": verdict.Critical}, levels("Example"))
}

// TestEveryCitationNamesAPlace checks that a rule or profile names its document and the place in it, or states that
// it compares the machine with itself.
func TestEveryCitationNamesAPlace(t *testing.T) {
	packs, err := builtinPacks()
	require.NoError(t, err)
	holds := func(c *verdict.Citation, what string) {
		if assert.NotNil(t, c, what) {
			assert.NotEmpty(t, c.Vendor, what)
			assert.NotEmpty(t, c.Title, what)
			assert.NotEmpty(t, c.Place, what)
		}
	}
	for _, p := range packs {
		for _, r := range p.Rules {
			if !r.Uncited {
				holds(r.Citation, p.File+" "+r.ID)
			}
		}
		for _, q := range p.Profiles {
			holds(q.Citation, p.File+" "+q.ID)
		}
	}
}
