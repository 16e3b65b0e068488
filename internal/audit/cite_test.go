package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/topology/population"
	"github.com/memaudit/memaudit/rules"
)

// TestCitations checks that a machine's vendor's document is cited if there is one, then the CPU vendor's, that
// another vendor's is marked, and that one of a general rule is called general practice.
func TestCitations(t *testing.T) {
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	for _, c := range []struct {
		vendor, rule, cites, standing string
	}{
		// The row of Xeon 5600 is from IBM's guides; Dell and HP wrote of it, too.
		{"Dell Inc.", "memory.channel.populated", "Dell", ""},
		{"IBM", "memory.channel.populated", "IBM", ""},
		{"HP", "memory.channel.populated", "HP", ""},
		{"Cisco Systems Inc", "memory.channel.populated", "HP", verdict.Analogous},
		{"", "memory.channel.populated", "HP", verdict.Analogous},
		{"Dell Inc.", "memory.channel.symmetric", "Dell", ""},
		{"HP", "memory.channel.symmetric", "HP", ""},
		{"Fujitsu", "memory.channel.symmetric", "HP", verdict.Analogous},
		// Dell's manual of the R940 lets sizes be mixed; that of the C6520 asks for equal modules.
		{"Dell Inc.", "memory.dimm.uniform", "Dell EMC", verdict.Analogous},
		{"IBM", "memory.dimm.uniform", "IBM", ""},
		// A standard binds every machine; a manual of Dell's about another generation is Dell's still.
		{"Fujitsu", "memory.mapping.consistent", "DMTF", ""},
		{"Dell Inc.", "memory.capacity.visible", "Dell", verdict.Analogous},
		{"HP", "memory.capacity.visible", "Dell", verdict.Practice},
	} {
		sys := dell11G("PowerEdge R610", brand, 44, 6, 1333, 1, 2, 4)
		sys.Machine.Vendor = direct(c.vendor)
		if c.vendor != "Dell Inc." {
			sys.Machine.Product = direct("Example")
		}
		bySubject := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), c.rule)
		found, ok := bySubject["socket 0"]
		if !ok {
			found = bySubject["machine"]
		}
		require.NotNil(t, found.Citation, "%v: %s", c, found.Reason)
		assert.Equal(t, c.cites, found.Citation.Vendor, c)
		assert.EqualValues(t, c.standing, found.Citation.Standing, c)
	}
	practice := verdict.Citation{Vendor: "Dell", Title: "A guide", Year: 2019, Standing: verdict.Practice}
	assert.Equal(t, "general practice: Dell, A guide, 2019", practice.Line())
}

// TestSupermicrosGuidesAreCited checks that Supermicro's boards from Xeon E5 to E5 v4 are audited by Supermicro's
// guides, not by analogy with another vendor's.
func TestSupermicrosGuidesAreCited(t *testing.T) {
	for brand, id := range map[string]struct{ model, stepping int }{
		"Intel(R) Xeon(R) CPU E5-2640 0 @ 2.50GHz": {45, 7}, "Intel(R) Xeon(R) CPU E5-2640 v2 @ 2.00GHz": {62, 4},
		"Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz": {63, 2}, "Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz": {79, 1},
	} {
		sys := dell11G("Example", brand, id.model, 12, 1333, 1, 2)
		sys.Machine.Vendor = direct("Supermicro")
		for i := range sys.Sockets {
			sys.Sockets[i].Stepping = direct(id.stepping)
		}
		for _, rule := range []string{"memory.channel.populated", "memory.channel.symmetric"} {
			bySubject := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), rule)
			found, ok := bySubject["socket 0"]
			if !ok {
				found = bySubject["machine"]
			}
			require.NotNil(t, found.Citation, "%s: %s", brand, rule)
			assert.Equal(t, "Supermicro", found.Citation.Vendor, "%s: %s", brand, rule)
			assert.Empty(t, found.Citation.Standing, "%s: %s", brand, rule)
			assert.NotEmpty(t, found.Citation.Place, "%s: %s", brand, rule)
		}
	}
}

// TestVendorDocumentsAreCited checks that a vendor's document on populated and equal channels, memory at every
// processor and mixed modules takes precedence over another vendor's.
func TestVendorDocumentsAreCited(t *testing.T) {
	const e5620, e5v4, gold, iceLake = "Intel(R) Xeon(R) CPU E5620 @ 2.40GHz", "Intel(R) Xeon(R) CPU E5-2640 v4 @ 2.40GHz", "Intel(R) Xeon(R) Gold 6138 CPU @ 2.00GHz", "Intel(R) Xeon(R) Gold 6330N CPU @ 2.20GHz"
	for _, c := range []struct {
		vendor, brand, rule string
		model, stepping     int
		title               string
	}{
		{"Apple Inc.", e5620, "memory.channel.populated", 44, 2, "Mac Pro (Early 2009 and Mid 2010) memory DIMMs replacement instructions, 073-1246"},
		{"Apple Inc.", e5620, "memory.channel.symmetric", 44, 2, "Mac Pro (Early 2009 and Mid 2010) memory DIMMs replacement instructions, 073-1246"},
		{"HP", e5620, "memory.channel.populated", 44, 2, "ISS Technology Update, volume 8, number 4: memory of ProLiant G6"},
		{"LENOVO", gold, "memory.channel.populated", 85, 4, "ThinkSystem SR950, memory guidelines"},
		{"LENOVO", gold, "memory.channel.symmetric", 85, 4, "ThinkSystem SR950, memory guidelines"},
		{"Intel Corporation", e5v4, "memory.socket.populated", 79, 1, "Intel Server Board S2600CW Family Technical Product Specification, revision 2.4"},
		{"Intel Corporation", gold, "memory.socket.populated", 85, 4, "Memory population rules of the Intel Server Board S2600WF family"},
		// With only a board's name the vendor is unknown, because it may be that of the reference code.
		{"INTEL", e5v4, "memory.socket.populated", 79, 1, "PowerEdge FC430 Owner's Manual"},
		{"xFusion", iceLake, "memory.channel.populated", 106, 6, "FusionServer 1288H V6 Server Technical White Paper"},
	} {
		sys := dell11G("Example", c.brand, c.model, 12, 1333, 1, 2)
		standing := ""
		sys.Machine.Vendor = direct(c.vendor)
		if c.vendor == "INTEL" {
			sys.Machine.Vendor.Certainty, standing = fact.Indirect, verdict.Analogous
		}
		for i := range sys.Sockets {
			sys.Sockets[i].Stepping = direct(c.stepping)
		}
		bySubject := findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), c.rule)
		found, ok := bySubject["socket 0"]
		if !ok {
			found = bySubject["machine"]
		}
		require.NotNil(t, found.Citation, "%s: %s", c.vendor, c.rule)
		assert.Equal(t, c.title, found.Citation.Title, "%s: %s", c.vendor, c.rule)
		assert.EqualValues(t, standing, found.Citation.Standing, "%s: %s", c.vendor, c.rule)
	}
}

// TestOrderCitesTheManual checks that an R630 with modules only in slots 3 and 4 breaks the order in Dell's manuals
// of the generation, which are cited, and that a machine without a table is never reported to follow an order.
func TestOrderCitesTheManual(t *testing.T) {
	const brand = "Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz"
	audited := func(product string, slots ...int) verdict.Finding {
		sys := dell11G(product, brand, 63, 12, 1866, slots...)
		return findings(run(t, builtin(t), sys, population.Derive(sys, rules.FS), audit.Options{}), "memory.slot.order")["socket 0"]
	}
	f := audited("PowerEdge R630", 3, 4)
	assert.Equal(t, verdict.Fail, f.Result, f.Reason)
	assert.EqualValues(t, "slots 3, 4 are filled; the manual fills 1, 2 for 2 modules", f.Found)
	assert.Equal(t, verdict.Info, f.Severity)
	assert.Equal(t, "Dell", f.Citation.Vendor)
	assert.Contains(t, f.Citation.Line(), "by analogy") // the manual of a sister model was read
	f = audited("PowerEdge R630", 1, 2)
	assert.Equal(t, verdict.Pass, f.Result, f.Reason)
	f = audited("PowerEdge T630", 3, 4)
	assert.Equal(t, verdict.Fail, f.Result, f.Reason)
	assert.NotContains(t, f.Citation.Line(), "by analogy")
}
