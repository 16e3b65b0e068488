package audit

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/rules"
)

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
					if rule.For != nil && (!r.matches(rule.For, false) || len(rule.For.Vendors)+len(rule.For.Products) > 0) {
						continue
					}
					c := r.cite(rule, facts.Subject{})
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
	if doc == "DMTF" || doc == "Linux kernel" || doc == "SchedMD" ||
		slices.ContainsFunc(strings.Split(doc, ", "), func(author string) bool { return slices.Contains(makers, author) }) {
		return true
	}
	own := map[string][]string{"Dell Inc.": {"Dell", "Dell EMC"}, "HPE": {"HP", "HPE"}, "Lenovo": {"Lenovo", "Lenovo Press", "IBM", "IBM Redbooks"},
		"Supermicro": {"Supermicro"}, "FUJITSU": {"Fujitsu", "Fujitsu Technology Solutions"}, "Cisco Systems Inc": {"Cisco"}}
	return slices.Contains(own[vendor], doc)
}
