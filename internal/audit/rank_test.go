package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

func known[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// judging is an audit of a machine of this vendor with an Intel processor on a platform.
func judging(maker string, p *platform.Platform) *auditRun {
	sys := &inventory.System{Sockets: []inventory.Socket{{}, {Vendor: known(platform.Intel)}}}
	if maker != "" {
		sys.Machine.Vendor = known(maker)
	}
	topo := &population.Result{Names: place.NamesOf(nil, &sys.Machine)}
	if p != nil {
		topo.Platform = known(p)
	}
	return newRun(NewEngine(nil), sys, topo, Options{})
}

// TestRanksOfDocuments checks the precedence of the machine's vendor's document, then the CPU vendor's, then any
// other; a rule for given vendors or products cites its own source.
func TestRanksOfDocuments(t *testing.T) {
	milan := &platform.Platform{ID: "milan"}
	by := func(vendor string) *verdict.Citation { return &verdict.Citation{Vendor: vendor, Title: "T"} }
	about := func(c *verdict.Citation, platforms ...string) *verdict.Citation { c.About = platforms; return c }
	of := func(c *verdict.Citation, authority string) *verdict.Citation { c.Authority = authority; return c }
	platforms := &rulepack.Match{Platforms: []string{"milan"}}
	for _, c := range []struct {
		name  string
		maker string
		p     *platform.Platform
		rule  rulepack.Rule
		want  int
	}{
		{"the machine's own", "Dell Inc.", milan, rulepack.Rule{Citation: by("Dell")}, ownSister},
		{"its own about this platform", "Dell Inc.", milan, rulepack.Rule{Citation: about(by("Dell"), "rome", "milan")}, ownSister},
		{"its own about another", "Dell Inc.", milan, rulepack.Rule{Citation: about(by("Dell"), "rome")}, otherGeneration},
		{"its own, where the platform is not known", "Dell Inc.", nil, rulepack.Rule{Citation: about(by("Dell"), "rome")}, otherGeneration},
		{"the processor's", "Dell Inc.", milan, rulepack.Rule{Citation: by("Intel Corporation")}, cpuVendor},
		{"another processor's", "Dell Inc.", milan, rulepack.Rule{Citation: by("AMD")}, practice},
		{"a standard", "Dell Inc.", milan, rulepack.Rule{Citation: of(by("JEDEC"), verdict.Standard)}, standard},
		{"of somebody who makes neither", "Dell Inc.", milan, rulepack.Rule{Citation: of(by("Dell"), verdict.ThirdParty)}, thirdParty},
		{"another's", "Dell Inc.", milan, rulepack.Rule{Citation: by("HPE")}, practice},
		{"another's about this platform", "Dell Inc.", milan, rulepack.Rule{Citation: by("HPE"), For: platforms}, otherMaker},
		{"a rule for a maker's machines", "Dell Inc.", milan, rulepack.Rule{Citation: by("HPE"), For: &rulepack.Match{Vendors: []string{"Dell"}}}, ownModel},
		{"a rule for a product", "Dell Inc.", milan, rulepack.Rule{Citation: by("HPE"), For: &rulepack.Match{Products: []string{"R610"}}}, ownModel},
		{"a maker that firmware does not name", "", milan, rulepack.Rule{Citation: by("")}, practice},
	} {
		assert.Equal(t, c.want, judging(c.maker, c.p).rank(&c.rule), c.name)
	}
	names := place.Names{Makers: []string{"depo", "dell"}, Models: []string{"Storm 1420C2", "PowerEdge R730xd"}}
	for _, c := range []struct {
		authority, vendor, models string
		want                      int
	}{
		{platform.FromVendor, "Dell", "", ownModel}, {platform.FromVendor, "Dell", "Storage NX3230;PowerEdge R730xd", ownModel}, {platform.FromVendor, "Dell", "PowerEdge R730", ownSister},
		{platform.FromVendor, "Dell", "PowerEdge R730;PowerEdge *", ownGeneration}, {platform.FromVendor, "Dell", "-", ownSister},
		{platform.FromVendor, "HP", "ProLiant DL380 Gen9", otherMaker}, {platform.FromVendor, "HP", "PowerEdge R730xd", otherMaker}, {platform.FromVendor, "", "", otherMaker},
		{platform.FromCPUVendor, "Intel", "", cpuVendor}, {platform.FromCPUVendor, "Dell", "PowerEdge R730xd", ownModel},
		{platform.FromThirdParty, "Dell", "", thirdParty}, {platform.FromCollection, "Dell", "", len(standings)},
		{platform.Unread, "Dell", "PowerEdge R7*", ownUnread}, {platform.Unread, "Dell", "PowerEdge R740", len(standings)}, {platform.Unread, "HP", "PowerEdge R730xd", len(standings)},
	} {
		d := &platform.Document{Citation: platform.Citation{Vendor: c.vendor}, Authority: c.authority, Models: strings.FieldsFunc(c.models, func(r rune) bool { return r == ';' })}
		if c.models == "" {
			d.Models = nil
		}
		assert.Equal(t, c.want, rankOf(d, names), "%+v", c)
	}
}

// TestDocumentsOfAPlatform checks which of the platform's documents a rule may cite, and the best of them.
func TestDocumentsOfAPlatform(t *testing.T) {
	document := func(key, vendor, authority string, says ...string) platform.Document {
		return platform.Document{Citation: platform.Citation{Key: key, Vendor: vendor, Title: key}, Authority: authority, Topics: says}
	}
	listed := &platform.Platform{Citation: platform.Citation{Key: "ROW", Vendor: "IBM", Title: "ROW"}}
	listed.Documents = []platform.Document{document("ROW", "IBM", platform.FromVendor), document("DELL", "Dell", platform.FromVendor, "channels"), document("INTEL", "Intel", platform.FromCPUVendor, "speed"),
		document("SEEN", "Dell", platform.FromCollection, "channels")}
	own := &platform.Platform{Citation: platform.Citation{Key: "SITE", Vendor: "us", Title: "SITE"}}
	untitled := &platform.Platform{Citation: platform.Citation{Key: "SITE", Vendor: "us"}}
	cited := &verdict.Citation{Vendor: "Fujitsu", Title: "RULE"}
	for _, c := range []struct {
		name     string
		p        *platform.Platform
		rule     rulepack.Rule
		want     string // title and standing
		standing string
	}{
		{"the machine's own maker's of the topic", listed, rulepack.Rule{Citation: cited, CiteSources: []string{"channels"}}, "DELL", ""},
		{"the CPU vendor's of the topic", listed, rulepack.Rule{Citation: cited, CiteSources: []string{"speed"}}, "INTEL", verdict.CPUVendor},
		{"none of the topic", listed, rulepack.Rule{Citation: cited, CiteSources: []string{"voltage"}}, "RULE", verdict.Practice},
		{"the row's own", listed, rulepack.Rule{Citation: cited, CitePlatform: true}, "ROW", verdict.OtherVendor},
		{"the row's own without another", listed, rulepack.Rule{CitePlatform: true}, "ROW", verdict.OtherVendor},
		{"no topic asked for", listed, rulepack.Rule{Citation: cited}, "RULE", verdict.Practice},
		{"a site's platform", own, rulepack.Rule{Citation: cited, CiteSources: []string{"channels"}}, "SITE", verdict.OtherVendor},
		{"a site's platform, no topic asked for", own, rulepack.Rule{Citation: cited}, "RULE", verdict.Practice},
		{"a row without a document", untitled, rulepack.Rule{Citation: cited, CitePlatform: true}, "RULE", verdict.Practice},
		{"no platform", nil, rulepack.Rule{Citation: cited, CitePlatform: true}, "RULE", verdict.Practice},
		{"nothing at all", nil, rulepack.Rule{}, "", ""},
	} {
		have := judging("Dell Inc.", c.p).cite(&c.rule, facts.Subject{})
		if c.want == "" {
			assert.Nil(t, have, c.name)
			continue
		}
		if assert.NotNil(t, have, c.name) {
			assert.Equal(t, []string{c.want, c.standing}, []string{have.Title, string(have.Standing)}, c.name)
		}
	}
	assert.Equal(t, "IBM, ROW (other vendor)", RowDocument(listed, place.Names{Makers: []string{"dell"}}))
	assert.Equal(t, "IBM, ROW", RowDocument(listed, place.Names{Makers: []string{"lenovo"}}), "its own maker's")
	assert.Empty(t, RowDocument(untitled, place.Names{Makers: []string{"dell"}}))
	listed.Documents[0].Authority = platform.FromCollection
	assert.Empty(t, RowDocument(listed, place.Names{Makers: []string{"lenovo"}}), "a list of what was seen asks for nothing")
}

// TestManualOfTheOrder checks that the manual that lists a processor's slots is cited for that processor, and marked
// if it is another machine's.
func TestManualOfTheOrder(t *testing.T) {
	r := judging("Dell Inc.", nil)
	order := func(of inventory.Subject) *verdict.Citation {
		if p := r.populationOf(of); p != nil {
			return r.slotsCitation(p.OrderSource)
		}
		return nil
	}
	r.population.Populations = []population.Population{{Socket: 0, OrderSource: "Dell, R610 manual"}, {Socket: 1}, {Socket: 2, OrderSource: "IBM, x3650 manual, p3"}}
	assert.Equal(t, &verdict.Citation{Vendor: "Dell", Title: "R610 manual"}, order(inventory.SocketSubject(0)))
	assert.Nil(t, order(inventory.SocketSubject(1)), "by the slot map")
	assert.Nil(t, order(inventory.Subject{}))
	assert.Equal(t, &verdict.Citation{Vendor: "IBM", Title: "x3650 manual, p3", Standing: verdict.OtherVendor}, order(inventory.SocketSubject(2)))
	r.population.Sets = &place.Sets{}
	assert.Empty(t, order(inventory.SocketSubject(0)).Standing)
	r.population.Sets.Analogous = true
	assert.EqualValues(t, verdict.Sister, order(inventory.SocketSubject(0)).Standing, "of the same maker's sister")
	r.population.Fill = &place.FillOrder{Source: "Dell, R610 manual"}
	assert.Empty(t, order(inventory.SocketSubject(0)).Standing, "the board's own document, whatever a sister's sets are")
	r.population.Fill.Source = "Dell, another"
	assert.EqualValues(t, verdict.Sister, order(inventory.SocketSubject(0)).Standing)
}

// TestCaps checks that a doubtful finding is info and not decided, and that a critical one from a single unreliable source is a
// warning.
func TestCaps(t *testing.T) {
	for _, c := range []struct {
		s         verdict.Severity
		certainty fact.Certainty
		doubt     string
		want      verdict.Severity
		decided   bool
	}{
		{verdict.Critical, fact.Direct, "", verdict.Critical, true}, {verdict.Critical, fact.Corroborated, "", verdict.Critical, true}, {verdict.Critical, fact.Indirect, "", verdict.Warning, true},
		{verdict.Critical, fact.None, "", verdict.Warning, true}, {verdict.Warning, fact.Indirect, "", verdict.Warning, true}, {verdict.Info, fact.Indirect, "", verdict.Info, true},
		{verdict.Critical, fact.Direct, "a short list", verdict.Info, false}, {verdict.Warning, fact.Direct, "a short list", verdict.Info, false},
		{verdict.Info, fact.Direct, "a short list", verdict.Info, true}, // a note by its own pack
	} {
		f := verdict.Finding{Result: verdict.Fail, Severity: c.s, Certainty: c.certainty}
		capSeverity(&f, c.doubt)
		assert.Equal(t, c.want, f.Severity, "%+v", c)
		assert.Equal(t, c.decided, f.Doubt == "", "%+v", c)
	}
	guessed := known(&platform.Platform{ID: "milan"})
	guessed.Unverified = true
	for _, c := range []struct {
		m    *rulepack.Match
		p    fact.Fact[*platform.Platform]
		want bool
	}{
		{&rulepack.Match{Platforms: []string{"milan"}}, guessed, true}, {&rulepack.Match{Platforms: []string{"milan"}}, known(&platform.Platform{ID: "milan"}), false},
		{&rulepack.Match{Vendors: []string{"Dell"}}, guessed, false}, {nil, guessed, false},
	} {
		r := judging("", nil)
		r.population.Platform = c.p
		assert.Equal(t, c.want, r.doubt(&rulepack.Rule{For: c.m}) != "", "%+v", c.m)
	}
}

// TestSummary checks that results are counted and that the worst failure is the summary's.
func TestSummary(t *testing.T) {
	of := func(severities ...verdict.Severity) verdict.Summary {
		findings := []verdict.Finding{{Result: verdict.Pass, Severity: verdict.Critical}, {Result: verdict.Waived, Severity: verdict.Critical}, {Result: verdict.Unknown, Severity: verdict.Critical}, {Result: verdict.NotApplicable}, {Result: verdict.Error}}
		for _, s := range severities {
			findings = append(findings, verdict.Finding{Result: verdict.Fail, Severity: s})
		}
		return verdict.Summarize(findings)
	}
	assert.Equal(t, verdict.Summary{Pass: 1, Waived: 1, Unknown: 1, NotApplicable: 1, Error: 1}, of())
	assert.Equal(t, verdict.Warning, of(verdict.Info, verdict.Warning, verdict.Info).Worst)
	assert.Equal(t, verdict.Critical, of(verdict.Critical, verdict.Warning).Worst)
	assert.Equal(t, verdict.Info, of(verdict.Info).Worst)
	area := (&verdict.Audit{Findings: []verdict.Finding{{Rule: "memory.a", Result: verdict.Fail, Severity: verdict.Info}, {Rule: "numa.a", Result: verdict.Pass}}}).Area("memory.")
	assert.Equal(t, verdict.Summary{Fail: 1, Worst: verdict.Info}, area.Summary)
}

// TestWordsThatMatch checks that a missing list excludes nothing, and that an unknown text excludes or not, as
// requested.
func TestWordsThatMatch(t *testing.T) {
	begins := func(s, part string) bool { return len(s) >= len(part) && s[:len(part)] == part }
	for _, c := range []struct {
		wanted  []string
		text    fact.Fact[string]
		unknown bool
		want    bool
	}{
		{nil, fact.Fact[string]{}, false, true}, {[]string{"Dell"}, known("Dell Inc."), false, true}, {[]string{"HP", "Dell"}, known("Dell Inc."), false, true}, {[]string{"HP"}, known("Dell Inc."), true, false},
		{[]string{"Dell"}, fact.Fact[string]{}, false, false}, {[]string{"Dell"}, fact.Fact[string]{}, true, true},
	} {
		assert.Equal(t, c.want, matchText(c.wanted, c.text, begins, c.unknown), "%+v", c)
	}
}

// TestLikeNames checks the score of similar names: a common word counts two, a misspelled one half of that, one more
// if both begin with it; one wrong letter per four is allowed. A name without its family is one step further away.
func TestLikeNames(t *testing.T) {
	for _, c := range []struct {
		name, known string
		want        int
	}{
		{"dell-16g/performance", "dell-16g/performance", 7}, {"Dell 16g", "dell-16g/performance", 5}, {"performance", "dell-16g/performance", 2}, {"hpe/performance", "dell-16g/performance", 2},
		{"dall", "dell-16g/performance", 2}, {"daal", "dell-16g/performance", 0}, {"hbe", "hpe/hpc", 0}, {"perfxrmance", "dell-16g/performance", 1}, {"perfxrmxnce", "dell-16g/performance", 1},
		{"pxrfxrmxnce", "dell-16g/performance", 0}, {"", "dell-16g/performance", 0}, {"16g_dell", "dell-16g/performance", 4},
	} {
		assert.Equal(t, c.want, shared(c.name, c.known), "%s %s", c.name, c.known)
	}
	for _, c := range []struct {
		name, known string
		want        int
	}{{"hpc", "hpc", 0}, {"HPC", "hpc", 0}, {"performance", "dell-16g/performance", 1}, {"performanc", "dell-16g/performance", 2}, {"performance", "a/b/performance", 1}, {"abc", "/abc", 1}} {
		assert.Equal(t, c.want, unlike(c.name, c.known), "%s %s", c.name, c.known)
	}
}

// TestClosest checks that the profile with the fewest rows to change is the closest, of those the one with the most
// that agree; equal ones are both listed, and one without agreement is not.
func TestClosest(t *testing.T) {
	for _, c := range []struct {
		name string
		held [][2]int // rows that fail, rows that pass
		want []bool
	}{
		{"the first", [][2]int{{0, 3}, {1, 3}, {2, 9}}, []bool{true, false, false}},
		{"the last", [][2]int{{2, 9}, {1, 3}, {0, 1}}, []bool{false, false, true}},
		{"by what agrees", [][2]int{{1, 3}, {1, 4}, {1, 2}}, []bool{false, true, false}},
		{"by what agrees, the first", [][2]int{{1, 4}, {1, 3}}, []bool{true, false}},
		{"two alike", [][2]int{{1, 4}, {1, 3}, {1, 4}}, []bool{true, false, true}},
		{"fewer to change before more that agree", [][2]int{{2, 9}, {1, 1}, {2, 8}}, []bool{false, true, false}},
		{"nothing agrees", [][2]int{{0, 0}, {1, 0}}, []bool{false, false}},
		{"nothing to change because nothing is known", [][2]int{{0, 0}, {3, 1}}, []bool{false, true}},
	} {
		held := make([]verdict.ProfileComparison, len(c.held))
		for i, n := range c.held {
			held[i].Summary = verdict.Summary{Fail: n[0], Pass: n[1]}
		}
		markClosest(held)
		for i := range held {
			assert.Equal(t, c.want[i], held[i].Closest, "%s: %v", c.name, c.held[i])
		}
	}
}

// TestWaiverThatCannotBeRead checks that an invalid date waives nothing and is reported, and that a waiver of a
// failure already waived with its cause is reported as unused.
func TestWaiverThatCannotBeRead(t *testing.T) {
	now, err := time.Parse(time.RFC3339, "2026-11-20T00:00:00Z")
	require.NoError(t, err)
	r := judging("", nil)
	r.options = Options{Now: now, Waivers: []WaiverSpec{{Rule: "a.b", Reason: "x", Until: "soon"}, {Rule: "a.c", Reason: "y", Until: "2026-12-01"}, {Rule: "a.d", Reason: "z", Until: "2026-11-18"}, {Rule: "a.e", Subject: "machine", Reason: "z", Until: "2026-12-01"}}}
	r.out.Findings = []verdict.Finding{{Rule: "a.b", Result: verdict.Fail}, {Rule: "a.c", Result: verdict.Fail}, {Rule: "a.d", Result: verdict.Fail}, {Rule: "a.e", Subject: inventory.SocketSubject(0), Result: verdict.Fail}}
	r.waive()
	assert.Equal(t, []string{`waiver of a.b: until is "soon", expected a date such as 2027-06-30`, "waiver of a.d ended on 2026-11-18; the failure counts again", "waiver of a.e (machine) matches no failure"}, r.out.Notices)
	var results []verdict.Result
	for _, f := range r.out.Findings {
		results = append(results, f.Result)
	}
	assert.Equal(t, []verdict.Result{verdict.Fail, verdict.Waived, verdict.Fail, verdict.Fail}, results)
	assert.Nil(t, r.out.Findings[0].Waiver)
	assert.EqualValues(t, "the waiver ended on 2026-11-18", r.out.Findings[2].Reason)
}

// TestLastDayOfAWaiver checks that a waiver is valid until the end of its day.
func TestLastDayOfAWaiver(t *testing.T) {
	for moment, want := range map[string]verdict.Result{"2026-11-20T00:00:00Z": verdict.Waived, "2026-11-20T23:59:59Z": verdict.Waived, "2026-11-21T00:00:01Z": verdict.Fail} {
		now, err := time.Parse(time.RFC3339, moment)
		require.NoError(t, err)
		r := judging("", nil)
		r.options = Options{Now: now, Waivers: []WaiverSpec{{Rule: "a.b", Reason: "on order", Until: "2026-11-20"}}}
		r.out.Findings = []verdict.Finding{{Rule: "a.b", Subject: inventory.SocketSubject(0), Result: verdict.Fail}, {Rule: "a.b", Subject: inventory.SocketSubject(1), Result: verdict.Unknown}, {Rule: "a.c", Result: verdict.Fail}}
		r.waive()
		assert.Equal(t, []verdict.Result{want, verdict.Unknown, verdict.Fail}, []verdict.Result{r.out.Findings[0].Result, r.out.Findings[1].Result, r.out.Findings[2].Result}, moment)
	}
}
