package audit

import (
	"cmp"
	"slices"

	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// TestProfileRows sets each row's setting on a machine that the profile is for: every recommended value passes and
// another fails, at the row's level if the document names the machine.
func TestProfileRows(t *testing.T) {
	e := NewEngine(builtinPacks(t))
	judged, silent := 0, 0
	for _, p := range e.profiles {
		r := machineOf(e, p)
		require.NotNil(t, r, "%s: no machine is one that its `for` and `named` are about", p.ID)
		table := p.Table()
		for i := range table {
			w := &table[i]
			for _, word := range w.Want {
				f := r.judge(p, w, word)
				if f.Result == verdict.Unknown || f.Result == verdict.NotApplicable { // the row's own condition
					assert.NotEmpty(t, w.Applies, "%s %s: %s", p.ID, w.ID, f.Reason)
					silent++
					continue
				}
				judged++
				assert.Equal(t, verdict.Pass, f.Result, "%s %s %s", p.ID, w.ID, word)
			}
			if f := r.judge(p, w, "another word"); f.Result == verdict.Fail {
				want := verdict.Severity(w.Level)
				if !r.named(p) {
					want = verdict.Info
				}
				assert.Equal(t, want, f.Severity, "%s %s", p.ID, w.ID)
				assert.NotEmpty(t, f.Remedy, "%s %s", p.ID, w.ID)
			} else {
				assert.NotEqual(t, verdict.Pass, f.Result, "%s %s: another word passes", p.ID, w.ID)
			}
		}
	}
	t.Logf("%d recommended values checked, %d left to a condition of their row", judged, silent)
	assert.Greater(t, judged, 10*silent)
}

// machineOf is an audit of a machine that a profile applies to, with a processor that has SMT and Turbo; if possible one
// that the profile's document names. It is nil if there is none.
func machineOf(e *Engine, p *rulepack.ProfileSpec) *auditRun {
	of := cmp.Or(p.For, &rulepack.Match{})
	unless := func(list []string) []string { // without a list any machine is meant
		if len(list) == 0 {
			return []string{"-"}
		}
		return list
	}
	products := slices.Clone(p.Named)
	for _, product := range of.Products {
		for _, named := range p.Named {
			products = append(products, product+" "+named)
		}
		products = append(products, product)
	}
	var found *auditRun
	for _, product := range unless(products) {
		for _, id := range unless(of.Platforms) {
			for _, firmware := range unless(p.Firmware) {
				r := runFor(e, identity{unless(of.Vendors)[0], product, id, firmware})
				r.population.Processors = []*platform.Processor{{SMT: "yes", Turbo: "yes"}}
				r.sys.Sockets = []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}}
				if applies, _ := r.profileApplies(p); applies && (found == nil || !found.named(p) && r.named(p)) {
					found = r
				}
			}
		}
	}
	return found
}

// judge returns a row's result for a value reported by firmware.
func (r *auditRun) judge(p *rulepack.ProfileSpec, w *rulepack.WantedSetting, word string) verdict.Finding {
	r.sys.Settings = map[string]inventory.Setting{w.ID: {Configured: fact.Known(word, fact.Direct, fact.Evidence{})}}
	r.out.Findings = nil
	r.setting(p, w)
	return r.out.Findings[0]
}
