package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

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
