package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

const compared = `
profiles:
  - id: example/quiet
    intent: energy-efficiency
    title: Quiet
    for: {vendors: [Example], platforms: [model-ep]}
    citation: &cite {vendor: Example, title: Tuning guide, year: 2020, place: Table 1}
    settings:
      smt: {want: disabled, level: warning}
      turbo: {want: disabled, level: warning}
      c_states: {want: enabled, level: info}
      node_interleave: {want: enabled, level: info, applies: machine.virtual, concerns: guests}
  - id: example/fast
    intent: max-performance
    title: Fast
    for: {vendors: [Example], platforms: [model-ep]}
    citation: *cite
    settings:
      smt: {want: [disabled, auto], level: warning}
      turbo: {want: enabled, level: warning, remedy: "Turbo = On", exceptions: [a cold room]}
      c_states: {want: disabled, level: info}
  - id: example/board
    intent: low-latency
    title: Board
    for: {vendors: [Example], platforms: [model-ep]}
    applies: machine.board == "B1"
    citation: *cite
    settings:
      smt: {want: disabled, level: warning}
  - id: other/fast
    intent: max-performance
    title: Other vendor
    for: {vendors: [Other], platforms: [model-ep]}
    citation: *cite
    settings:
      smt: {want: disabled, level: warning}
      turbo: {want: disabled, level: warning}
`

// effective are settings with only the effective value.
func effective(values map[string]string) map[string]inventory.Setting {
	out := map[string]inventory.Setting{}
	for id, v := range values {
		out[id] = inventory.Setting{Effective: direct(v)}
	}
	return out
}

func heldIDs(held []verdict.ProfileComparison) (ids, closest []string) {
	for _, h := range held {
		ids = append(ids, h.Profile.ID)
		if h.Closest {
			closest = append(closest, h.Profile.ID)
		}
	}
	return ids, closest
}

// A comparison is an audit against each profile in turn, with its own levels.
func TestCompareEqualsAudit(t *testing.T) {
	e := engineOf(t, compared)
	sys, topo := twoSockets()
	platformOf(topo, platform.Platform{ID: "model-ep"})
	sys.Settings = effective(map[string]string{"smt": "enabled", "turbo": "enabled"})
	sys.Machine.Board = direct("B1")
	got := e.Compare(sys, topo)
	require.Len(t, got.Profiles, 3)
	for _, h := range got.Profiles {
		a := run(t, e, sys, topo, audit.Options{Profile: h.Profile.ID, Asked: true})
		for _, f := range h.Findings {
			assert.Equal(t, f, findings(a, f.Rule)[f.Subject.String()])
		}
	}
}

// A profile whose own condition is unknown is named, never compared.
func TestCompareUndecided(t *testing.T) {
	e := engineOf(t, compared)
	sys, topo := twoSockets()
	platformOf(topo, platform.Platform{ID: "model-ep"})
	sys.Machine.Board = unread[string]()
	got := e.Compare(sys, topo)
	ids, _ := heldIDs(got.Profiles)
	assert.Equal(t, []string{"example/quiet", "example/fast"}, ids)
	assert.Equal(t, []verdict.Undecided{{ID: "example/board", Reason: "whether the profile example/board is written for this machine is not known"}}, got.Undecided)
}

// TestNothingToCompare checks the reason if there is nothing to compare with, and the note on a document that
// names other machines.
func TestNothingToCompare(t *testing.T) {
	const boards = `
profiles:
  - {id: example/board, title: t, for: {platforms: [model-ep]}, named: [Model 7, Model 8], applies: machine.board == "B1", citation: {vendor: Example, title: T}, settings: {smt: {want: disabled, level: info}}}
`
	e := engineOf(t, boards)
	sys, topo := twoSockets()
	assert.Equal(t, &verdict.Comparison{Why: "no document gives a profile for this machine"}, e.Compare(sys, topo), "no reason why the platform is unknown")
	platformOf(topo, platform.Platform{ID: "model-ep"})
	got := e.Compare(sys, topo)
	assert.Empty(t, got.Profiles)
	assert.Len(t, got.Undecided, 1)
	assert.Equal(t, "whether a documented profile is written for this machine is not known", got.Why)
	sys.Machine.Board = direct("B2")
	assert.Equal(t, &verdict.Comparison{Why: "no document gives a profile for this machine"}, e.Compare(sys, topo), "its condition is known, and another board's")
	sys.Machine.Board = direct("B1")
	for product, analogy := range map[string]string{"Model 1": "the document covers Model 7, Model 8", "Model 8": ""} {
		sys.Machine.Product = direct(product)
		got = e.Compare(sys, topo)
		require.Len(t, got.Profiles, 1)
		assert.Equal(t, analogy, got.Profiles[0].Analogy, product)
	}
}
