package text

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/tools/reporttest"
	"memaudit.example/memaudit/internal/topology/population"
)

func inventoryOf(t *testing.T, inv *report.Inventory, o Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, WriteInventory(&b, inv, o))
	return b.String()
}

// TestEmptyInventory checks that each part without data says so.
func TestEmptyInventory(t *testing.T) {
	require.Equal(t, `memaudit  machine of unknown make
platform  not recognised

SOCKETS   none known

SLOTS     none known: nothing was read

NODES     none known

SOURCES   none
`, inventoryOf(t, &report.Inventory{}, Options{}))
	require.Equal(t, `memaudit  machine of unknown make
platform  not recognised

SETTINGS  none known
`, inventoryOf(t, &report.Inventory{}, Options{Settings: true}))
	inv := &report.Inventory{Machine: inventory.Machine{Virtual: is(true)}, Sources: []inventory.Source{{Name: "cpu", State: "denied"}, {Name: "smbios", State: "ok"}}}
	require.Contains(t, inventoryOf(t, inv, Options{}), `
platform  not recognised  virtual machine
`)
	require.Contains(t, inventoryOf(t, inv, Options{Width: 120}), `
SLOTS     none known: the SMBIOS table lists no memory
`)
	inv.Machine.Hypervisor, inv.Sources[1].State = is("kvm"), "absent"
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nplatform  not recognised  virtual machine (kvm)\n")
	require.Contains(t, inventoryOf(t, inv, Options{}), "\nSLOTS     none known: there is no SMBIOS table\n")
	inv.Sources[1].Detail, inv.Machine.Virtual = "no such file", is(false)
	text := inventoryOf(t, inv, Options{})
	require.Contains(t, text, "\nSLOTS     none known: there is no SMBIOS table (no such file)\n\nNODES ")
	require.Contains(t, text, "\n  cpu     denied\n  smbios  absent     no such file\n")
	require.NotContains(t, text, "virtual")
}

// TestColumnsWithoutRoom checks that the least important columns of a table wider than the page are left out first,
// and named, and that none is if the page is wide enough.
func TestColumnsWithoutRoom(t *testing.T) {
	printed := func(width int) string {
		table := &textTable{columns: []column{{head: "slot"}, {head: "rank", drop: 1, right: true}, {head: "part", drop: 3}, {head: "mV", drop: 2}, {head: "bank", drop: 4}, {head: "tag", drop: 5, always: true}}}
		table.appendRow("A1", "2", "M393B5273CH0", "1350", "", "")
		table.appendRow("A2", "", "M393", "", "", "")
		return partOf(Options{Width: width}, func(p *Page) { table.printRows(p, 11) })
	}
	require.Equal(t, `           slot  rank  part          mV    tag
           A1       2  M393B5273CH0  1350  -
           A2       -  M393          -     -
`, printed(46))
	require.Equal(t, printed(46), printed(300))
	require.Equal(t, `           slot  rank  part          mV
           A1       2  M393B5273CH0  1350
           A2       -  M393          -
           no room for: tag
`, printed(45))
	require.Equal(t, printed(45), printed(41))
	require.Equal(t, `           slot  rank  mV
           A1       2  1350
           A2       -  -
           no room for: tag, part
`, printed(40))
	// A column that must not be dropped stays, and the first of two equal ones is dropped.
	table := &textTable{columns: []column{{head: "slot"}, {head: "rank", drop: 1}, {head: "part", drop: 1}, {head: "size"}}}
	table.appendRow("A1", "2", "M393", "8 GiB")
	at := func(indent int) string {
		return strings.ReplaceAll(partOf(Options{Width: 40}, func(p *Page) { table.printRows(p, indent) }), strings.Repeat(" ", indent), "")
	}
	require.Equal(t, "slot  rank  part  size\nA1    2     M393  8 GiB\n", at(17))
	require.Equal(t, "slot  part  size\nA1    M393  8 GiB\nno room for: rank\n", at(18))
	require.Equal(t, "slot  size\nA1    8 GiB\nno room for:\nrank, part\n", at(28))
	require.Equal(t, "slot  size\nA1    8 GiB\nno\nroom\nfor:\nrank,\npart\n", at(35))
}

// cpuTime is what this process has used: other work of the machine must not count.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLongWord checks that a word is cut at the width, in linear time. A name of a megabyte, from an export or a
// capture, once took a minute because the rest was counted again for each line.
func TestLongWord(t *testing.T) {
	wrapped := func(word string) string {
		p := &Page{width: 20}
		p.wrapWords(4, word)
		return string(p.buf)
	}
	assert.Equal(t, "    "+strings.Repeat("A", 16)+"\n    "+strings.Repeat("A", 16)+"\n    AAAA", wrapped(strings.Repeat("A", 36)))
	assert.Equal(t, "    "+strings.Repeat("字", 8)+"\n    字", wrapped(strings.Repeat("字", 9)))
	address := "https://" + strings.Repeat("a", 36)
	assert.Equal(t, "    "+address, wrapped(address))

	before := cpuTime(t)
	assert.Len(t, wrapped(strings.Repeat("A", 1<<20)), (1<<20)/16*21-1)
	assert.Less(t, cpuTime(t)-before, 5*time.Second)
}

// TestCapacity checks each configuration of a capacity with its modules, its figures, its slots, and what discourages
// it; figures are per processor if there are several.
func TestCapacity(t *testing.T) {
	vendor, product, platform, assumed := "Dell Inc.", "PowerEdge R610", "westmere-ep", "six slots a processor"
	quad, class, mts, peak := 4, "A", 1066, int64(25_600_000_000)
	low := 1.0
	r := &report.Capacity{Machine: &inventory.Machine{Vendor: is(vendor), Product: is(product)}, Platform: nullable.String(platform), Assumed: nullable.String(assumed), Sockets: 2, CapacityBytes: 96 << 30, RequestedBytes: 90 << 30,
		Configurations: []plan.Configuration{
			{DIMMs: []plan.Modules{{Bytes: 16 << 30, Count: 3, Installed: 2, Bought: 4}}, Slots: []string{"A1", "A2", "A3"}, OtherSlots: [][]string{{"B1", "B2", "B3"}}, Left: 7, Doubt: "no slot map", Note: "firmware states less", Also: [][]string{{"A4", "A5", "A6"}},
				Reached: plan.Reached{Class: nullable.String(class), ExpectedMTs: &mts, PeakBytes: &peak, Relative: population.Relative{Low: &low, High: &low}}, Source: "Dell, Technical Guide",
				Effects: []verdict.Effect{{Text: "three channels are used", Source: "Dell, page 4"}}},
			{DIMMs: []plan.Modules{{Bytes: 16 << 30, Count: 2, Bought: 4, Ranks: &quad}, {Bytes: 8 << 30, Count: 2, Bought: 3}}, Slots: []string{"A1", "A2"}, Discouraged: true,
				Findings: []plan.Failure{{Rule: "memory.dimm.uniform", Severity: "info"}}, Source: "general practice"},
		}}
	printed := func() string {
		var b strings.Builder
		require.NoError(t, WriteCapacity(&b, r, Options{}))
		return b.String()
	}
	head := `CAPACITY  96 GiB on 2 processors, 48 GiB each; figures are of one
  requested 90 GiB, which no documented layout has; this is the nearest one
            above
  machine   Dell PowerEdge R610
  platform  westmere-ep
  assumed   six slots a processor
`
	ways := `
1         3 x 16 GiB%[1]s, 4 to buy, 7 of the installed modules left over
  gives     1066 MT/s, 25.6 GB/s, full bandwidth
  slots     A1-A3
            B1-B3
  or        A4-A6
  doubt     no slot map
  note      firmware states less
  effect    three channels are used (Dell, page 4)
  source    Dell, Technical Guide

2         2 x 16 GiB quad-rank and 2 x 8 GiB%[1]s, 4 x 16 GiB and 3 x 8 GiB
          to buy (discouraged)
  gives     not known
  slots     A1, A2
  fails     memory.dimm.uniform (info)
  source    general practice
`
	require.Equal(t, head+fmt.Sprintf(ways, " per CPU"), printed())
	// A document's own class is a word that people know.
	r.Configurations[0].Class, r.RequestedBytes = "2", r.CapacityBytes
	require.Contains(t, printed(), "\n  gives     class 2, 1066 MT/s, 25.6 GB/s\n")
	r.Sockets, r.Machine, r.Assumed = 1, nil, ""
	require.Contains(t, printed(), "CAPACITY  96 GiB\n  platform  westmere-ep\n\n1         3 x 16 GiB, 7 of")
}

// TestWhatIf checks a machine before and after a change, with equal processors once, and the failures that it fixes
// and causes.
func TestWhatIf(t *testing.T) {
	a, d, bytes := "1", "3", int64(48<<30)
	zero, one, two := 0, 1, 2
	r := &report.WhatIf{Sockets: []inventory.Socket{{ID: 0, Designation: is("CPU1")}, {ID: 1}, {ID: 2, Designation: is("CPU3")}}, Outcome: plan.Outcome{
		Before: plan.Reaches{Sockets: []plan.ReachedSocket{{Socket: &zero, Reached: plan.Reached{Class: nullable.String(d)}}, {Socket: &one, Reached: plan.Reached{Class: nullable.String(a)}}, {Socket: &two, Reached: plan.Reached{Class: nullable.String(d)}}},
			Findings: []plan.Failure{{Rule: "memory.slot.order", Severity: "info"}, {Rule: "setting.smt", Severity: "info"}}},
		After:        plan.Reaches{CapacityBytes: &bytes, Sockets: []plan.ReachedSocket{{Socket: &zero, Reached: plan.Reached{Class: nullable.String(a)}}, {Socket: &one, Reached: plan.Reached{Class: nullable.String(a)}}, {Socket: &two, Reached: plan.Reached{Class: "A"}}}},
		FindingsGone: []plan.Failure{{Rule: "memory.slot.order", Subject: inventory.SocketSubject(0), Severity: "info"}, {Rule: "memory.slot.order", Subject: inventory.SocketSubject(2), Severity: "info"}},
	}}
	var b strings.Builder
	require.NoError(t, WriteWhatIf(&b, r, Options{}))
	require.Equal(t, `BEFORE    capacity not known
  reaches   CPU1, CPU3: class 3
            socket 1: class 1
  fails     memory.slot.order (info)

AFTER     48 GiB
  reaches   class 1

gone      memory.slot.order CPU1 (info)
          memory.slot.order CPU3 (info)
new       none
`, b.String())
}

func TestComparisonGolden(t *testing.T) {
	reporttest.EachComparison(t, func(t *testing.T, name string, _ *reporttest.Input, c *report.Comparison) {
		for file, o := range map[string]Options{"80": {}, "160": {Width: 160}, "verbose": {Verbose: true}} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, c, o))
			reporttest.Golden(t, filepath.Join("testdata", "compare."+name+"."+file+".txt"), b.Bytes())
		}
	})
}

// No line is wider than the page, down to the narrowest one.
func TestComparisonKeepsTheWidth(t *testing.T) {
	reporttest.EachComparison(t, func(t *testing.T, _ string, _ *reporttest.Input, c *report.Comparison) {
		for _, width := range []int{60, 80, 100, 120, 121, 160, 300} {
			var b bytes.Buffer
			require.NoError(t, WriteComparison(&b, c, Options{Width: width, Verbose: true}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), width, line)
				assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line, "no blanks at the end")
			}
		}
	})
}

func TestGolden(t *testing.T) {
	for name, m := range reporttest.Inputs(t) {
		t.Run(name, func(t *testing.T) {
			r := reporttest.Report(m)
			for file, write := range map[string]func(*bytes.Buffer) error{
				"80.txt":           func(b *bytes.Buffer) error { return Write(b, r, Options{}) },
				"160.txt":          func(b *bytes.Buffer) error { return Write(b, r, Options{Width: 160}) },
				"verbose.txt":      func(b *bytes.Buffer) error { return Write(b, r, Options{Verbose: true}) },
				"inventory.80.txt": func(b *bytes.Buffer) error { return WriteInventory(b, &r.Inventory, Options{}) },
				"inventory.160.txt": func(b *bytes.Buffer) error {
					return WriteInventory(b, &r.Inventory, Options{Width: 160})
				},
			} {
				var b bytes.Buffer
				require.NoError(t, write(&b))
				reporttest.Golden(t, filepath.Join("testdata", name+"."+file), b.Bytes())
			}
		})
	}
}
