package report

import (
	"cmp"
	"io/fs"
	"time"

	"github.com/memaudit/memaudit/internal/model/nullable"

	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
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
	// Rules is the tree below rules/, which has the memory that a platform takes; nil if firmware's type of a module
	// is used.
	Rules fs.FS
	// Plan is what to do about the memory population; nil if nothing was planned.
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

// Build makes the report of one audit. With a nil derivation or audit the report has the rest, so that an audit that
// failed still shows what was read.
func Build(sys *inventory.System, topo *population.Result, a *verdict.Audit, o Options) Report {
	if a == nil {
		a = &verdict.Audit{}
	}
	inv := BuildInventory(sys, topo, o)
	r := Report{
		Schema:       SchemaReport,
		GeneratedAt:  o.Now.UTC().Format(time.RFC3339),
		Memaudit:     Program{Version: o.Version, Revision: nullable.String(o.Revision)},
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
		r.Why = nullable.String(a.ProfileWhy)
	}
	for i := range a.Findings {
		r.Findings = append(r.Findings, BuildFinding(&a.Findings[i]))
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
	out := &Profile{
		ID:     p.ID,
		Intent: nullable.String(p.Intent),
		Title:  nullable.String(p.Title),
		Source: nullable.String(buildCitation(&p.Citation).Line()),
	}
	if p.Citation.Standing == "" {
		out.Vendor = p.Citation.Vendor
	}
	return out
}

func buildSummary(s verdict.Summary) Summary {
	return Summary{
		Pass:          s.Pass,
		Fail:          s.Fail,
		Unknown:       s.Unknown,
		NotApplicable: s.NotApplicable,
		Waived:        s.Waived,
		Error:         s.Error,
		WorstSeverity: nullable.String(string(s.Worst)),
	}
}

// BuildFinding makes the document of one finding.
func BuildFinding(f *verdict.Finding) Finding {
	out := Finding{
		Rule:      f.Rule,
		Title:     nullable.String(f.Title),
		Result:    string(f.Result),
		Severity:  string(f.Severity),
		Subject:   f.Subject,
		Found:     nullable.String(f.Found),
		Expected:  nullable.String(f.Expected),
		Why:       nullable.String(f.Why),
		Reason:    nullable.String(f.Reason),
		KnownBy:   nullable.String(f.KnownBy),
		CausedBy:  nullable.String(f.CausedBy),
		Remedy:    nullable.String(f.Remedy),
		Advice:    []string{},
		Evidence:  buildEvidence(f.Evidence),
		Certainty: f.Certainty.String(),
		Citation:  buildCitation(f.Citation),
		Mark:      nullable.String(f.Mark),
		Short:     nullable.String(f.Short),
		Headline:  nullable.String(f.Headline),
		Fix:       nullable.String(cmp.Or(f.Fix, f.Remedy)),
		Explains:  f.Explains,
		Effect:    buildEffect(f.Effect),
	}
	if f.Waiver != nil {
		out.Waiver = &Waiver{Reason: f.Waiver.Reason, Until: nullable.String(f.Waiver.Until), Population: f.Waiver.Population}
	}
	return out
}

func buildEffect(e *verdict.Effect) *Effect {
	if e == nil {
		return nil
	}
	return &Effect{Text: e.Text, Source: nullable.String(e.Source), AttachTo: e.AttachTo}
}

func buildCitation(c *verdict.Citation) *Citation {
	if c == nil || c.Vendor == "" && c.Title == "" {
		return nil
	}
	return &Citation{
		Vendor:  c.Vendor,
		Title:   c.Title,
		Year:    positiveOrNil(c.Year),
		Place:   nullable.String(c.Place),
		URL:     nullable.String(c.URL),
		Version: c.Version, Standing: nullable.String(c.Standing),
	}
}

// buildEvidence is never nil, so that JSON has [] and not null.
func buildEvidence(in []fact.Evidence) []Evidence {
	out := make([]Evidence, len(in))
	for i := range in {
		e := &in[i]
		out[i] = Evidence{Source: e.Source, Path: nullable.String(e.Path), Raw: nullable.String(rawReading(e))}
	}
	return out
}

// rawReading joins the field and what was read in it: "type 17 0x1101 Speed:
// 1333 MT/s".
func rawReading(e *fact.Evidence) string {
	switch {
	case e.Field == "":
		return e.Raw
	case e.Raw == "":
		return e.Field
	default:
		return e.Field + ": " + e.Raw
	}
}
