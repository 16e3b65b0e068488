package audit_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
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

// emptyChannels is the severity of memory.channel.populated by subject, of a server with
// one module on each of the first channels of its two processors.
func emptyChannels(t *testing.T, e *audit.Engine, name string, first, second int) map[string]verdict.Severity {
	s := machinetest.Servers()[name]
	sys := collecttest.Read(t, name, s.Table(func(cpu, channel, slot int) bool {
		return slot == 0 && channel < [...]int{first, second}[cpu]
	}).Dump())
	found, err := e.Run(sys, population.Derive(sys, rules.FS), audit.Options{})
	require.NoError(t, err)
	out := map[string]verdict.Severity{}
	for i := range found.Findings {
		if f := &found.Findings[i]; f.Rule == "memory.channel.populated" && f.Result == verdict.Fail {
			out[f.Subject.String()] = f.Severity
		}
	}
	return out
}

// TestEqualLossEqualSeverity checks that the loss of the same share of the channels has the same severity on every
// generation, Skylake to Genoa and Altra: one empty channel of twelve is a warning, not info, and so are seven of
// eight. Two processors of one machine are compared with the same limit, whatever the other one lacks.
func TestEqualLossEqualSeverity(t *testing.T) {
	e := builtin(t)
	both := map[string]verdict.Severity{"socket 0": verdict.Warning, "socket 1": verdict.Warning}
	for name, s := range machinetest.Servers() {
		for n := 1; n < s.Channels; n++ {
			assert.Equal(t, both, emptyChannels(t, e, name, n, n), "%s, %d of %d channels", name, n, s.Channels)
		}
		assert.Equal(t, both, emptyChannels(t, e, name, s.Channels/2, 2), "%s, half and two channels", name)
		assert.Equal(t, map[string]verdict.Severity{"socket 1": verdict.Warning}, emptyChannels(t, e, name, s.Channels, s.Channels-1), name)
	}
}

// TestListThatMayBeShort checks that if arrays announce more devices than the table lists, nothing about the list
// passes or fails above info, unless the listed slots cover every channel.
func TestListThatMayBeShort(t *testing.T) {
	e := builtin(t)
	servers := machinetest.Servers()
	server := servers["dell-r740"]
	sys := collecttest.Read(t, "dell-r740", server.Table(func(_, _, slot int) bool { return slot == 0 }).Dump())
	results := func() map[string]verdict.Result {
		out := map[string]verdict.Result{}
		for _, f := range run(t, e, sys, population.Derive(sys, rules.FS), audit.Options{}).Findings {
			out[f.Rule+" "+f.Subject.String()] = f.Result
		}
		return out
	}
	before := results()
	sys.Firmware.Short = &inventory.Problem{Code: "devices", Text: "memory array 0x1000 announces 99 devices, 24 were found"}
	assert.Equal(t, before, results(), "every channel has as many slots")

	// The rows of the last processor are missing.
	topo := population.Derive(sys, rules.FS)
	last := topo.Populations[len(topo.Populations)-1]
	var kept []inventory.Slot
	for i, s := range sys.Slots {
		if !slices.Contains(last.Slots, i) && !slices.Contains(last.EmptySlots, i) {
			kept = append(kept, s)
		}
	}
	sys.Slots = kept
	topo = population.Derive(sys, rules.FS)
	assert.NotNil(t, topo.Unlisted)
	unknown := 0
	for _, f := range run(t, e, sys, topo, audit.Options{}).Findings {
		if !strings.HasPrefix(f.Rule, "memory.") || strings.HasPrefix(f.Subject.String(), "slot") {
			continue
		}
		assert.NotEqual(t, verdict.Pass, f.Result, "%s %s", f.Rule, f.Subject)
		if f.Result == verdict.Fail {
			assert.Equal(t, verdict.Info, f.Severity, "%s %s", f.Rule, f.Subject)
		}
		if f.Result == verdict.Unknown && strings.Contains(string(f.Reason), "may not list all slots") {
			unknown++
		}
	}
	assert.Positive(t, unknown)
}

// TestPlatformCases runs the cases of the platforms' files. A platform that has cases has at least three brand
// strings, a population that passes and one that does not.
func TestPlatformCases(t *testing.T) {
	e := builtin(t)
	ids, err := platform.IDs(rules.FS)
	require.NoError(t, err)
	describe := platform.Describer(rules.FS)
	with := 0
	for _, id := range ids {
		info, err := describe(id)
		require.NoError(t, err)
		if len(info.Cases) == 0 {
			continue
		}
		with++
		assert.GreaterOrEqual(t, len(info.Brands), 3, id)
		assert.GreaterOrEqual(t, len(info.Cases), 2, id)
		differences, err := e.CheckPlatform(rules.FS, id)
		require.NoError(t, err, id)
		assert.Empty(t, differences, id)
	}
	assert.GreaterOrEqual(t, with, 19)
	_, err = e.CheckPlatform(rules.FS, "no-such")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
