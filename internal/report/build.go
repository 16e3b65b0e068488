package report

import (
	"cmp"
	"io/fs"
	"slices"
	"time"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/population"
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
	a = cmp.Or(a, &verdict.Audit{})
	inv := BuildInventory(sys, topo, o)
	r := Report{
		Schema:       SchemaReport,
		GeneratedAt:  o.Now.UTC().Format(time.RFC3339),
		Memaudit:     Program{Version: o.Version, Revision: nullable.String(o.Revision)},
		Machine:      inv.Machine,
		Profile:      buildProfile(a.Profile),
		ProfileAsked: a.ProfileAsked,
		Summary:      a.Summary,
		Findings:     neverNil(slices.Clone(a.Findings)),
		Advice:       []plan.Advice{},
		Inventory:    inv,
		Notices:      a.Notices,
	}
	if sys != nil {
		r.Baseline, r.Changed = buildBaseline(sys.Baseline)
		r.Measured = buildMeasured(sys.Measurements, &r.Inventory, topo)
	}
	if r.Profile != nil && a.ProfileAsked {
		r.Profile.Part = nullable.String(a.Profile.Part)
	}
	if r.Profile == nil {
		r.Why = nullable.String(a.ProfileWhy)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Advice, f.Evidence, f.Fix = []string{}, neverNil(f.Evidence), cmp.Or(f.Fix, string(f.Remedy))
	}
	if o.Plan != nil && sys != nil {
		r.advise(o.Plan)
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
		Source: nullable.String(p.Citation.Line()),
	}
	if p.Citation.Standing == "" {
		out.Vendor = p.Citation.Vendor
	}
	return out
}
