package audit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// TestCitations checks whose document is cited, and as what: of this model, of the generation, of a sister, then
// the CPU vendor's, then another vendor's; a vendor's document about another generation is general practice.
func TestCitations(t *testing.T) {
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	for _, c := range []struct {
		vendor, product, rule, cites string
		standing                     verdict.Standing
	}{
		{"Dell Inc.", "PowerEdge R610", "memory.channel.populated", "Dell", verdict.Generation},
		{"Dell Inc.", "PowerEdge R610", "memory.socket.populated", "Dell", ""},
		{"Dell Inc.", "PowerEdge T710", "memory.socket.populated", "Dell", verdict.Sister},
		{"IBM", "System x3650 M3 -[7945AC1]-", "memory.channel.populated", "IBM", ""},
		{"IBM", "System x3550 M3 -[7944KAG]-", "memory.channel.populated", "IBM", verdict.Sister},
		{"HP", "ProLiant DL180 G6", "memory.channel.populated", "HP", verdict.Generation},
		{"HP", "ProLiant DL360 G7", "memory.channel.populated", "HP", verdict.Sister},
		{"Cisco Systems Inc", "R210-2121605W", "memory.channel.populated", "Intel", verdict.CPUVendor},
		{"", "", "memory.channel.populated", "Intel", verdict.CPUVendor},
		{"Intel Corporation", "S5520UR", "memory.channel.populated", "Intel", ""},
		{"Fujitsu", "PRIMERGY RX300 S6", "memory.channel.symmetric", "HP", verdict.OtherVendor},
		// Dell's manual of the R940 lets sizes be mixed; that of the C6520 asks for equal modules.
		{"Dell Inc.", "PowerEdge T710", "memory.dimm.uniform", "Dell EMC", verdict.Practice},
		// A standard binds every machine.
		{"Fujitsu", "PRIMERGY RX300 S6", "memory.mapping.consistent", "DMTF", ""},
		{"Dell Inc.", "PowerEdge R610", "memory.capacity.visible", "Dell", verdict.Practice},
		{"HP", "ProLiant DL360 G7", "memory.capacity.visible", "Dell", verdict.Practice},
	} {
		sys := dell11G("PowerEdge R610", brand, 44, 6, 1333, 1, 2, 4)
		sys.Machine.Vendor, sys.Machine.Product = direct(c.vendor), direct(c.product)
		bySubject := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), c.rule)
		found, ok := bySubject["socket 0"]
		if !ok {
			found = bySubject["machine"]
		}
		require.NotNil(t, found.Citation, "%v: %s", c, found.Reason)
		assert.Equal(t, c.cites, found.Citation.Vendor, c)
		assert.Equal(t, c.standing, found.Citation.Standing, c)
	}
	practice := verdict.Citation{Vendor: "Dell", Title: "A guide", Year: 2019, Standing: verdict.Practice}
	assert.Equal(t, "general practice: Dell, A guide, 2019", practice.Line())
	practice.Standing = verdict.CPUVendor
	assert.Equal(t, "Dell, A guide, 2019 (CPU vendor)", practice.Line())
}

// TestCountIsCitedFromTheManual checks that a number of DIMMs that the product's own manual does not allow is cited from it.
func TestCountIsCitedFromTheManual(t *testing.T) {
	b := smbiostest.New(3, 5)
	b.System(smbiostest.System{Manufacturer: "Dell Inc.", Product: "PowerEdge T560"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: "Intel(R) Xeon(R) Gold 6430", ID: hosttest.Signature([3]int{6, 143, 8}), Cores: 32})
	array := b.Array(smbiostest.Array{Devices: 8})
	for i := range 8 {
		d := smbiostest.DIMM{Array: array, Type: 0x22, Locator: fmt.Sprintf("A%d", i+1)}
		if i < 3 {
			d.Bytes, d.Speed, d.Configured, d.Rank = 16<<30, 4800, 4400, 1
		}
		b.MemoryDevice(d)
	}
	sys := collecttest.Decoded(t, b)
	found := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.count.supported")["socket 0"]
	assert.Equal(t, verdict.Fail, found.Result, found.Reason)
	require.NotNil(t, found.Citation)
	assert.Equal(t, "Dell, PowerEdge T560 manual p184, table 131", found.Citation.Document())
}

// TestRebadgedMachines checks that the board's maker counts as a maker, and that a document that is known by name
// alone is named before another vendor's.
func TestRebadgedMachines(t *testing.T) {
	const e5v2, gold = "Intel(R) Xeon(R) CPU E5-2640 v2 @ 2.00GHz", "Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz"
	for _, c := range []struct {
		vendor, product, boardVendor, board, brand, rule string
		model, stepping                                  int
		line                                             string
	}{
		{"DEPO Computers", "Storm 3350N5", "Supermicro", "X9DRW", e5v2, "memory.channel.populated", 62, 4, "Supermicro, Memory Configuration Guide, X9 Series DP Motherboards, Revised Ivy Bridge Update (Socket R and B2), 2014, memory insertion order (same generation)"},
		{"HPE", "ProLiant ML350 Gen10", "HPE", "ProLiant ML350 Gen10", gold, "memory.channel.symmetric", 85, 4, "HPE, paper a00017079enw, Gen10 Intel Xeon memory population rules (not read)"},
		{"HPE", "ProLiant ML350 Gen10", "HPE", "ProLiant ML350 Gen10", gold, "memory.channel.populated", 85, 4, "Intel, How to get best performance with NICs on Intel platforms (DPDK, Getting Started Guide for Linux), 2015, Hardware and Memory Requirements (CPU vendor)"},
	} {
		sys := dell11G(c.product, c.brand, c.model, 12, 1333, 1, 2)
		sys.Machine.Vendor, sys.Machine.BoardVendor, sys.Machine.Board = direct(c.vendor), direct(c.boardVendor), direct(c.board)
		for i := range sys.Sockets {
			sys.Sockets[i].Stepping = direct(c.stepping)
		}
		found := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), c.rule)["socket 0"]
		require.NotNil(t, found.Citation, "%v: %s", c, found.Reason)
		assert.Equal(t, c.line, found.Citation.Line())
	}
}
