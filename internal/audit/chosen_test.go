package audit

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// TestProfilesAreChosenAlone checks for each intent that no two profiles that may apply to one machine are equally
// narrow, so that the order of files decides nothing.
func TestProfilesAreChosenAlone(t *testing.T) {
	packs, err := LoadedPacks()
	require.NoError(t, err)
	all := NewEngine(packs).Profiles()
	for i, p := range all {
		for _, o := range all[i+1:] {
			shared := slices.ContainsFunc(p.Intents, func(i string) bool { return slices.Contains(o.Intents, i) })
			if shared && p.For.CountLists() == o.For.CountLists() && p.Applies == "" && o.Applies == "" {
				assert.False(t, overlap(p.For, o.For), "%s and %s", p.ID, o.ID)
			}
		}
	}
}

// overlap reports whether one machine can match both.
func overlap(a, b *rulepack.Match) bool {
	either := func(x, y []string, same func(a, b string) bool) bool {
		return len(x) == 0 || len(y) == 0 || slices.ContainsFunc(x, func(v string) bool {
			return slices.ContainsFunc(y, func(w string) bool { return same(v, w) })
		})
	}
	equal := func(a, b string) bool { return a == b }
	part := func(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }
	return either(a.Platforms, b.Platforms, equal) && either(a.Vendors, b.Vendors, part) && either(a.Products, b.Products, func(_, _ string) bool { return true })
}

// LoadedPacks are read once for all tests, including those outside the package, and changed by none.
var LoadedPacks = sync.OnceValues(func() ([]*rulepack.Pack, error) { return rulepack.LoadBuiltin(os.DirFS("../../rules")) })

func builtinPacks(t *testing.T) []*rulepack.Pack {
	t.Helper()
	packs, err := LoadedPacks()
	require.NoError(t, err)
	return packs
}

// The program has the packs compiled alone: rules, examples and profiles are those of the files.
func TestCompiledPacksAreTheFiles(t *testing.T) {
	compiled, err := rulepack.LoadCompiled(rules.FS)
	require.NoError(t, err)
	shipped := rulepack.Describe(compiled)
	for i, r := range rulepack.Describe(builtinPacks(t)) {
		want, name := Example(r)
		got, gotName := Example(shipped[i])
		assert.Equal(t, name, gotName, r.ID)
		assert.Equal(t, want, got, r.ID)
	}
	described := func(packs []*rulepack.Pack) string {
		text, err := json.MarshalIndent([]any{rulepack.Describe(packs), rulepack.ProfilesApart(packs)}, "", " ")
		require.NoError(t, err)
		return string(text)
	}
	assert.Equal(t, described(builtinPacks(t)), described(compiled))
}

// identity is what a pack's `for` is compared with; firmware is the family of its BIOS, written after the
// platform (milan@A42).
type identity struct{ vendor, product, platform, firmware string }

// runFor is an audit of a machine of which only the identity is known.
func runFor(e *Engine, i identity) *auditRun {
	known := func(s string) fact.Fact[string] {
		if s == "-" || s == "" {
			return fact.Fact[string]{}
		}
		return fact.Known(s, fact.Direct, fact.Evidence{})
	}
	sys, topo := &inventory.System{Settings: map[string]inventory.Setting{}}, &population.Result{}
	sys.Machine.Vendor, sys.Machine.Product, sys.Machine.BIOS.Version = known(i.vendor), known(i.product), known(i.firmware)
	if i.platform != "-" {
		topo.Platform = fact.Known(&platform.Platform{ID: i.platform, Verified: true}, fact.Direct, fact.Evidence{})
	}
	return newRun(e, sys, topo, Options{Asked: true})
}

// TestProfileRows sets each row's setting on a machine that the profile is for: every recommended value passes and
// another fails, at the row's level if the document names the machine.
func TestProfileRows(t *testing.T) {
	e := NewEngine(builtinPacks(t))
	judged, silent := 0, 0
	for _, p := range e.profiles {
		r := machineOf(e, p)
		require.NotNil(t, r, "%s: no machine is one that its `for` and `named` are about", p.ID)
		whole := p.Whole()
		for i := range whole.Settings {
			w := &whole.Settings[i]
			for _, word := range w.Want {
				f := r.judge(whole, w, word)
				if f.Result == verdict.Unknown || f.Result == verdict.NotApplicable { // the row's own condition
					assert.NotEmpty(t, w.Applies, "%s %s: %s", p.ID, w.ID, f.Reason)
					silent++
					continue
				}
				judged++
				assert.Equal(t, verdict.Pass, f.Result, "%s %s %s", p.ID, w.ID, word)
			}
			if f := r.judge(whole, w, "another word"); f.Result == verdict.Fail {
				want := verdict.Severity(w.Level)
				if !r.namesMachine(p) {
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
func machineOf(e *Engine, p *rulepack.ListedProfile) *auditRun {
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
				if applies, _ := r.profileApplies(p); applies && (found == nil || !found.namesMachine(p) && r.namesMachine(p)) {
					found = r
				}
			}
		}
	}
	return found
}

// judge returns a row's result for a value reported by firmware.
func (r *auditRun) judge(p *rulepack.ProfileSpec, w *rulepack.WantedSetting, word string) verdict.Finding {
	s := inventory.Setting{Configured: fact.Known(word, fact.Direct, fact.Evidence{})}
	if w.About == facts.BasisSystem { // BIOS setup neither passes nor fails it
		s = inventory.Setting{Configured: fact.Known("other", fact.Direct, fact.Evidence{}), Effective: s.Configured}
	}
	r.sys.Settings = map[string]inventory.Setting{w.ID: s}
	r.out.Findings = nil
	r.evaluateSetting(p, w)
	return r.out.Findings[0]
}

// TestForeignDocumentsAreMarked checks for every rule, platform and machine vendor that a document without a mark is the
// vendor's, the CPU vendor's or a standard, and that collected observations are never cited.
func TestForeignDocumentsAreMarked(t *testing.T) {
	all, err := platform.IDs(rules.FS)
	require.NoError(t, err)
	describe := platform.Describer(rules.FS)
	e := NewEngine(builtinPacks(t))
	marked, fitting := 0, 0
	for _, id := range all {
		described, err := describe(id)
		require.NoError(t, err)
		p := &described.Platform
		p.Documents = described.Documents
		collections, makers := vendorsOf(p.Documents, platform.FromCollection), processorMakers(described)
		for _, vendor := range []string{"Dell Inc.", "HPE", "Lenovo", "Supermicro", "FUJITSU", "Cisco Systems Inc", "Nobody", "-"} {
			r := runFor(e, identity{vendor, "Example", p.ID, ""})
			r.population.Platform = fact.Known(p, fact.Direct, fact.Evidence{})
			r.sys.Sockets = []inventory.Socket{{Vendor: fact.Known(described.Recognise[0].Vendor, fact.Direct, fact.Evidence{})}}
			for _, pack := range builtinPacks(t) {
				for _, rule := range pack.Rules {
					if rule.For != nil && (!r.matchesMachine(rule.For, false) || len(rule.For.Vendors)+len(rule.For.Products) > 0) {
						continue
					}
					c := r.citeDocument(rule, facts.Subject{})
					if c == nil {
						require.Nil(t, rule.Citation, rule.ID)
						continue
					}
					if slices.Contains(collections, c.Vendor) {
						assert.Fail(t, "a collection is cited", "%s by %s on %s", c.Vendor, rule.ID, p.ID)
					}
					if c.Standing != "" {
						marked++
						continue
					}
					fitting++
					if !fitsUnmarked(c.Vendor, vendor, makers) {
						assert.Fail(t, "a stranger without a mark", "%s on %s of %s cites %s", rule.ID, p.ID, vendor, c.Line())
					}
				}
			}
		}
	}
	t.Logf("%d marked, %d not", marked, fitting)
	require.Greater(t, marked, 1000)
	require.Greater(t, fitting, 1000)
}

// vendorsOf are the vendors of the documents of an authority.
func vendorsOf(documents []platform.Document, authority string) []string {
	var out []string
	for i := range documents {
		if documents[i].Authority == authority {
			out = append(out, documents[i].Vendor)
		}
	}
	return out
}

// processorMakers are the CPU vendors of a platform as documents name them.
func processorMakers(p *platform.Info) []string {
	switch p.Recognise[0].Vendor {
	case platform.Intel:
		return []string{"Intel"}
	case platform.AMD:
		return []string{"AMD"}
	default:
		return vendorsOf(p.Documents, platform.FromCPUVendor)
	}
}

func fitsUnmarked(doc, vendor string, makers []string) bool {
	if doc == "DMTF" || doc == "JEDEC" || doc == "Linux kernel" || doc == "SchedMD" ||
		slices.ContainsFunc(strings.Split(doc, ", "), func(author string) bool { return slices.Contains(makers, author) }) {
		return true
	}
	own := map[string][]string{"Dell Inc.": {"Dell", "Dell EMC"}, "HPE": {"HP", "HPE"}, "Lenovo": {"Lenovo", "Lenovo Press", "IBM", "IBM Redbooks"},
		"Supermicro": {"Supermicro"}, "FUJITSU": {"Fujitsu", "Fujitsu Technology Solutions"}, "Cisco Systems Inc": {"Cisco"}}
	return slices.Contains(own[vendor], doc)
}
