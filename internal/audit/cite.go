package audit

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/facts"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Ranks of a document, best first.
const (
	ownMaker      = iota // of the machine's vendor, about such machines
	cpuVendor            // of the CPU vendor, or a standard
	ownMakerOther        // of the machine's vendor, about others
	otherMaker           // of another maker, about such machines
	thirdParty           // of neither's vendor, about such machines
	practice             // of another vendor, about other machines
)

// standings are the names of the ranks.
var standings = [...]string{ownMakerOther: verdict.Analogous, otherMaker: verdict.Analogous, thirdParty: verdict.Practice, practice: verdict.Practice}

// cite returns the document that a verdict rests on: the machine vendor's takes precedence over the CPU
// vendor's, and theirs over any other's, which is marked. It is nil if there is none.
func (r *auditRun) cite(rule *rulepack.Rule, s facts.Subject) *verdict.Citation {
	if p := r.populationOf(s.Of); p != nil {
		if c := r.orderCitation(p); rule.CiteOrder && c != nil {
			return c
		}
		if c := manual(p.CountSource); rule.CiteCounts && c != nil { // which does not allow the number
			return c
		}
	}
	best, rank, maker := rule.Citation, len(standings), r.maker()
	if best != nil {
		rank = r.rank(rule)
	}
	for _, d := range r.documents(rule) {
		if n := rankOf(d, maker); n < rank {
			best, rank = &verdict.Citation{Vendor: d.Vendor, Title: d.Title, Year: nullable.Int(d.Year), Place: nullable.String(d.Place), URL: nullable.String(d.URL)}, n
		}
	}
	if best == nil {
		return nil
	}
	out := *best
	out.Standing = nullable.String(standings[rank])
	return &out
}

// documents returns those of the recognised platform that the rule may cite: about its topics, and the one
// behind the row if the rule rests on that.
func (r *auditRun) documents(rule *rulepack.Rule) []*platform.Document {
	p, ok := r.population.Platform.Get()
	if !ok {
		return nil
	}
	var out []*platform.Document
	for i := range p.Documents {
		if d := &p.Documents[i]; d.Covers(rule.CiteSources) {
			out = append(out, d)
		}
	}
	// Of a site's own platform only the row's document is known.
	row, listed := rowDocument(p)
	if p.Citation.Title != "" && (rule.CitePlatform || !listed && len(rule.CiteSources) > 0) {
		out = append(out, row)
	}
	return out
}

// rowDocument returns the document behind a platform's row, and whether it is listed.
func rowDocument(p *platform.Platform) (*platform.Document, bool) {
	for i := range p.Documents {
		if p.Documents[i].Key == p.Citation.Key {
			return &p.Documents[i], true
		}
	}
	return &platform.Document{Citation: p.Citation, Authority: platform.FromVendor}, false
}

// RowDocument names the document behind a platform's row and its standing for a machine of this vendor (as
// returned by platform.VendorWord): "" for a collection of observed machines.
func RowDocument(p *platform.Platform, maker string) string {
	d, _ := rowDocument(p)
	rank := rankOf(d, maker)
	if d.Title == "" || rank == len(standings) {
		return ""
	}
	return verdict.Standing(standings[rank], d.Vendor+", "+d.Title)
}

// rankOf ranks a document about the platform for a machine of this vendor ("" if unknown). A collection of
// observed machines recommends nothing and is never cited.
func rankOf(d *platform.Document, maker string) int {
	switch {
	case d.Authority == platform.FromCollection:
		return len(standings)
	case d.Authority == platform.FromCPUVendor:
		return cpuVendor
	case d.Authority == platform.FromThirdParty:
		return thirdParty
	case maker != "" && platform.VendorWord(d.Vendor) == maker:
		return ownMaker
	default:
		return otherMaker
	}
}

// rank ranks the rule's own document. A rule that is written for vendors or products cites the document it is
// written from.
func (r *auditRun) rank(rule *rulepack.Rule) int {
	c, maker := rule.Citation, platform.VendorWord(rule.Citation.Vendor)
	switch {
	case rule.For != nil && (len(rule.For.Vendors) > 0 || len(rule.For.Products) > 0):
		return ownMaker
	case c.Authority == verdict.Standard:
		return cpuVendor
	case c.Authority == verdict.ThirdParty:
		return practice
	case r.maker() != "" && maker == r.maker():
		if p, ok := r.population.Platform.Get(); len(c.About) == 0 || ok && slices.Contains(c.About, p.ID) {
			return ownMaker
		}
		return ownMakerOther
	case maker == r.cpuVendor():
		return cpuVendor
	case rule.For != nil:
		return otherMaker
	default:
		return practice
	}
}

// maker returns the machine's normalised vendor; "" if firmware does not name it. If only the board is named,
// and by the CPU vendor's name, it may be that of firmware's reference code (INTEL X79, Intel OEM), so it is
// unknown.
func (r *auditRun) maker() string {
	if r.folded == nil {
		vendor := r.sys.Machine.Vendor
		name := platform.VendorWord(vendor.Or(""))
		if vendor.Certainty <= fact.Indirect && name == r.cpuVendor() {
			name = ""
		}
		r.folded = &name
	}
	return *r.folded
}

func (r *auditRun) cpuVendor() string {
	for i := range r.sys.Sockets {
		if v, ok := r.sys.Sockets[i].Vendor.Get(); ok {
			return platform.CPUVendor(v)
		}
	}
	return platform.CPUVendor(r.sys.CPU.Vendor.Or(""))
}

// populationOf returns that of a socket, nil for another subject.
func (r *auditRun) populationOf(subject inventory.Subject) *population.Population {
	for i := range r.population.Populations {
		if p := &r.population.Populations[i]; inventory.SocketSubject(p.Socket) == subject {
			return p
		}
	}
	return nil
}

// manual returns the citation of a vendor's manual, nil for "".
func manual(source string) *verdict.Citation {
	if source == "" {
		return nil
	}
	vendor, title, _ := strings.Cut(source, ", ")
	return &verdict.Citation{Vendor: vendor, Title: title}
}

// orderCitation returns the manual that lists the slots of a CPU, nil if there is none.
func (r *auditRun) orderCitation(p *population.Population) *verdict.Citation {
	c := manual(p.OrderSource)
	if c == nil {
		return nil
	}
	bySets := r.population.Fill == nil || p.OrderSource != r.population.Fill.Source
	if bySets && r.population.Sets != nil && r.population.Sets.OfSister(p.OrderSource) || platform.VendorWord(c.Vendor) != r.maker() {
		c.Standing = verdict.Analogous
	}
	return c
}
