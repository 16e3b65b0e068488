package audit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// TestStatedCellsJudge sets each stated cell's setting on a machine of the profile: every recommended value passes
// and another fails, at the stated level if the document names the machine.
func TestStatedCellsJudge(t *testing.T) {
	e := NewEngine(builtinPacks(t))
	stated := statedCells(t)
	machines := auditsOf(t, e)
	judged, silent := 0, 0
	for _, p := range e.profiles {
		r := auditOf(p, machines)
		if !assert.NotNil(t, r, "no machine of internal/audit/%s is one that %s is written for: add its vendor, product and platform there, then make golden", machinesFile, p.ID) {
			continue
		}
		table := p.Table()
		for i := range table {
			w := &table[i]
			c := stated[[2]string{p.ID, w.ID}]
			if generated(p.ID) {
				c = statedCell{want: w.Want, level: w.Level, printed: w.Place}
			}
			for _, word := range c.want {
				f := r.judge(p, w, word)
				if f.Result == verdict.Unknown || f.Result == verdict.NotApplicable { // the row's own condition
					assert.NotEmpty(t, w.Applies, "%s %s: %s", p.ID, w.ID, f.Reason)
					silent++
					continue
				}
				judged++
				assert.Equal(t, verdict.Pass, f.Result, "%s %s %s, printed: %s", p.ID, w.ID, word, c.printed)
			}
			if f := r.judge(p, w, "another word"); f.Result == verdict.Fail {
				want := verdict.Severity(c.level)
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

// auditsOf are audits of the stated machines, with a processor that has SMT and Turbo.
func auditsOf(t *testing.T, e *Engine) []*auditRun {
	t.Helper()
	machines, _ := identities(t)
	out := make([]*auditRun, len(machines))
	for n, i := range machines {
		out[n] = runFor(e, i)
		out[n].population.Processors = []*platform.Processor{{SMT: "yes", Turbo: "yes"}}
		out[n].sys.Sockets = []inventory.Socket{{Populated: fact.Known(true, fact.Direct, fact.Evidence{})}}
	}
	return out
}

// auditOf returns the audit of the first machine of a profile, if possible one that its document names; nil if there
// is none.
func auditOf(p *rulepack.ProfileSpec, machines []*auditRun) *auditRun {
	var found *auditRun
	for _, r := range machines {
		if applies, _ := r.profileApplies(p); applies && (found == nil || (!found.named(p) && r.named(p))) {
			found = r
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
