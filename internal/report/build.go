package report

import (
	"time"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/plan"
	"github.com/memaudit/memaudit/internal/population"
	"github.com/memaudit/memaudit/internal/verdict"
)

// Options are what a document needs besides the machine and the audit.
type Options struct {
	// Version and Revision are this program's.
	Version, Revision string
	// Now is the time of the audit.
	Now time.Time
	// Identifiers adds serial numbers, UUID and asset tags.
	Identifiers bool
	// Plan is what to do about the memory population; nil when nobody planned.
	Plan *plan.Plan
}

// With adds a plan to the options.
func (o Options) With(p *plan.Plan) Options {
	o.Plan = p
	return o
}

// Build makes the report of one audit. A nil derivation or audit gives a report
// with what is there, so that an audit that could not be done still shows
// what was read.
func Build(sys *inventory.System, topo *population.Result, a *audit.Audit, o Options) Report {
	if a == nil {
		a = &audit.Audit{}
	}
	inv := BuildInventory(sys, topo, o)
	r := Report{
		Schema:       SchemaReport,
		GeneratedAt:  o.Now.UTC().Format(time.RFC3339),
		Memaudit:     Program{Version: o.Version, Revision: word(o.Revision)},
		Machine:      inv.Machine,
		Profile:      buildProfile(a.Profile),
		ProfileAsked: a.ProfileAsked,
		Summary:      buildSummary(a.Summary),
		Findings:     make([]Finding, 0, len(a.Findings)),
		Advice:       []Advice{},
		Inventory:    inv,
		Notices:      a.Notices,
	}
	if sys != nil {
		r.Baseline, r.Changed = buildBaseline(sys.Baseline)
		r.Measured = buildMeasured(sys.Measurements)
	}
	if r.Profile == nil {
		r.Why = &a.ProfileWhy
	}
	for i := range a.Findings {
		r.Findings = append(r.Findings, BuildFinding(&a.Findings[i]))
	}
	if o.Plan != nil && sys != nil {
		r.advise(sys, o.Plan)
	}
	return r
}

func buildProfile(p *audit.Profile) *Profile {
	if p == nil {
		return nil
	}
	return &Profile{
		ID:     p.ID,
		Intent: word(p.Intent),
		Title:  word(p.Title),
		Source: word(buildCitation(&p.Citation).Line()),
	}
}

func buildSummary(s audit.Summary) Summary {
	return Summary{
		Pass:          s.Pass,
		Fail:          s.Fail,
		Unknown:       s.Unknown,
		NotApplicable: s.NotApplicable,
		Waived:        s.Waived,
		Error:         s.Error,
		WorstSeverity: word(string(s.Worst)),
	}
}

// BuildFinding makes the document of one finding.
func BuildFinding(f *audit.Finding) Finding {
	own := make(texts, 0, 9)
	out := Finding{
		Rule:      f.Rule,
		Title:     own.word(f.Title),
		Result:    string(f.Result),
		Severity:  string(f.Severity),
		Subject:   f.Subject,
		Found:     own.word(f.Found),
		Expected:  own.word(f.Expected),
		Why:       own.word(f.Why),
		Reason:    own.word(f.Reason),
		KnownBy:   own.word(f.KnownBy),
		CausedBy:  own.word(f.CausedBy),
		Remedy:    own.word(f.Remedy),
		Advice:    []string{},
		Evidence:  buildEvidence(f.Evidence),
		Certainty: f.Certainty.String(),
		Citation:  buildCitation(f.Citation),
		Mark:      own.word(f.Mark),
		Explains:  f.Explains,
	}
	if f.Effect != nil {
		out.Effect = &Effect{Text: f.Effect.Text, Source: word(f.Effect.Source), Beside: f.Effect.Beside}
	}
	if f.Waiver != nil {
		out.Waiver = &Waiver{Reason: f.Waiver.Reason, Until: word(f.Waiver.Until)}
	}
	return out
}

func buildCitation(c *verdict.Citation) *Citation {
	if c == nil || c.Vendor == "" && c.Title == "" {
		return nil
	}
	return &Citation{
		Vendor:  c.Vendor,
		Title:   c.Title,
		Year:    above(c.Year),
		Place:   word(c.Place),
		URL:     word(c.URL),
		Version: c.Version, Standing: word(c.Standing),
	}
}

func buildEvidence(in []fact.Evidence) []Evidence {
	out := make([]Evidence, 0, len(in))
	own := make(texts, 0, 2*len(in))
	for i := range in {
		e := &in[i]
		out = append(out, Evidence{Source: e.Source, Path: own.word(e.Path), Raw: own.word(rawText(e))})
	}
	return out
}

// rawText joins the field and what was read in it: "type 17 0x1101 Speed:
// 1333 MT/s".
func rawText(e *fact.Evidence) string {
	switch {
	case e.Field == "":
		return e.Raw
	case e.Raw == "":
		return e.Field
	default:
		return e.Field + ": " + e.Raw
	}
}
