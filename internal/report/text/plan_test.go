package text

import (
	"fmt"
	"strings"
	"testing"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// TestCapacity checks each configuration of a capacity with its modules, its figures, its slots, and what discourages
// it; figures are per processor if there are several.
func TestCapacity(t *testing.T) {
	vendor, product, platform, assumed := "Dell Inc.", "PowerEdge R610", "westmere-ep", "six slots a processor"
	quad, class, mts, peak := 4, "A", 1066, int64(25_600_000_000)
	low := 1.0
	r := &report.Capacity{Machine: &inventory.Machine{Vendor: is(vendor), Product: is(product)}, Platform: nullable.String(platform), Assumed: nullable.String(assumed), Sockets: 2, CapacityBytes: 96 << 30, RequestedBytes: 90 << 30,
		Configurations: []report.Configuration{
			{DIMMs: []plan.Modules{{Bytes: 16 << 30, Count: 3, Installed: 2, Bought: 4}}, Slots: []string{"A1", "A2", "A3"}, OtherSlots: [][]string{{"B1", "B2", "B3"}}, Left: 7, Doubt: "no slot map", Note: "firmware states less", Also: [][]string{{"A4", "A5", "A6"}},
				Class: nullable.String(class), ExpectedMTs: &mts, PeakBytes: &peak, Relative: report.Relative{Low: &low, High: &low}, Source: "Dell, Technical Guide",
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
  slots     A1, A2, A3
            B1, B2, B3
  or        A4, A5, A6
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
	r := &report.WhatIf{
		Before: report.Reaches{Sockets: []report.ReachedSocket{{Socket: &zero, Class: nullable.String(d)}, {Socket: &one, Class: nullable.String(a)}, {Socket: &two, Class: nullable.String(d)}},
			Findings: []plan.Failure{{Rule: "memory.slot.order", Severity: "info"}, {Rule: "setting.smt", Severity: "info"}}},
		After:        report.Reaches{CapacityBytes: &bytes, Sockets: []report.ReachedSocket{{Socket: &zero, Class: nullable.String(a)}, {Socket: &one, Class: nullable.String(a)}, {Socket: &two, Class: "A"}}},
		FindingsGone: []plan.Failure{{Rule: "memory.slot.order", Subject: inventory.SocketSubject(0), Severity: "info"}, {Rule: "memory.slot.order", Subject: inventory.SocketSubject(2), Severity: "info"}},
	}
	var b strings.Builder
	require.NoError(t, WriteWhatIf(&b, r, Options{}))
	require.Equal(t, `BEFORE    capacity not known
  reaches   socket 0, socket 2: class 3
            socket 1: class 1
  fails     memory.slot.order (info)

AFTER     48 GiB
  reaches   class 1

gone      memory.slot.order socket 0 (info)
          memory.slot.order socket 2 (info)
new       none
`, b.String())
}
