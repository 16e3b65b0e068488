package report

import (
	"io/fs"
	"time"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Options are what a document needs besides the machine and the audit.
type Options struct {
	// Version and Revision are this program's.
	Version, Revision string
	// Now is the time of the audit.
	Now time.Time
	// Identifiers adds serial numbers, UUID and asset tags.
	Identifiers bool
	// Rules is the tree under rules/, which knows what memory a platform takes; nil
	// where firmware's word on a module's kind stands.
	Rules fs.FS
	// Plan is what to do about the memory population; nil when nobody planned.
	Plan *plan.Plan
	Criteria
}

// With adds a plan to the options.
func (o Options) With(p *plan.Plan) Options {
	o.Plan = p
	return o
}

// By adds the criteria of the verdict to the options.
func (o Options) By(c Criteria) Options {
	o.Criteria = c
	return o
}

// Build makes the report of one audit. A nil derivation or audit gives a report
// with what is there, so that an audit that could not be done still shows
// what was read.
func Build(sys *inventory.System, topo *population.Result, a *verdict.Audit, o Options) Report {
	if a == nil {
		a = &verdict.Audit{}
	}
	own := &documentParts{}
	inv := own.inventory(sys, topo, o)
	r := Report{
		Schema:       SchemaReport,
		GeneratedAt:  o.Now.UTC().Format(time.RFC3339),
		Memaudit:     Program{Version: o.Version, Revision: wordOrNil(o.Revision)},
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
		r.Findings = append(r.Findings, own.finding(&a.Findings[i]))
	}
	if o.Plan != nil && sys != nil {
		r.advise(sys, o.Plan)
	}
	r.Judge(o.Criteria)
	return r
}

func buildProfile(p *verdict.Profile) *Profile {
	if p == nil {
		return nil
	}
	return &Profile{
		ID:     p.ID,
		Intent: wordOrNil(p.Intent),
		Title:  wordOrNil(p.Title),
		Source: wordOrNil(buildCitation(&p.Citation).Line()),
	}
}

func buildSummary(s verdict.Summary) Summary {
	return Summary{
		Pass:          s.Pass,
		Fail:          s.Fail,
		Unknown:       s.Unknown,
		NotApplicable: s.NotApplicable,
		Waived:        s.Waived,
		Error:         s.Error,
		WorstSeverity: wordOrNil(string(s.Worst)),
	}
}

// BuildFinding makes the document of one finding.
func BuildFinding(f *verdict.Finding) Finding { return (&documentParts{}).finding(f) }

func buildEffect(e *verdict.Effect) *Effect {
	if e == nil {
		return nil
	}
	return &Effect{Text: e.Text, Source: wordOrNil(e.Source), Beside: e.Beside}
}

func (p *documentParts) finding(f *verdict.Finding) Finding {
	out := Finding{
		Rule:      f.Rule,
		Title:     p.word(f.Title),
		Result:    string(f.Result),
		Severity:  string(f.Severity),
		Subject:   f.Subject,
		Found:     p.word(f.Found),
		Expected:  p.word(f.Expected),
		Why:       p.word(f.Why),
		Reason:    p.word(f.Reason),
		KnownBy:   p.word(f.KnownBy),
		CausedBy:  p.word(f.CausedBy),
		Remedy:    p.word(f.Remedy),
		Advice:    []string{},
		Evidence:  p.readings(f.Evidence),
		Certainty: f.Certainty.String(),
		Citation:  p.citation(f.Citation),
		Mark:      p.word(f.Mark),
		Explains:  f.Explains,
		Effect:    buildEffect(f.Effect),
	}
	if f.Waiver != nil {
		out.Waiver = &Waiver{Reason: f.Waiver.Reason, Until: wordOrNil(f.Waiver.Until)}
	}
	return out
}
