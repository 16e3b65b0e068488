package audit

import (
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Ranks of a document, best first.
const (
	ownModel        = iota // of the machine's vendor or its board's, about this model or a twin
	ownGeneration          // of theirs, about all such machines
	ownSister              // of theirs, about another model of the same generation of processors
	standard               // a specification, or the kernel's documentation
	cpuVendor              // of the CPU vendor
	ownUnread              // of theirs, known by name alone
	otherGeneration        // of theirs, about processors of another generation
	thirdParty             // of a party that makes no such machines
	otherMaker             // of another maker, about such machines
	practice               // of another maker, about other machines
)

var standings = [...]verdict.Standing{ownGeneration: verdict.Generation, ownSister: verdict.Sister, cpuVendor: verdict.CPUVendor, ownUnread: verdict.Unread,
	otherGeneration: verdict.Practice, thirdParty: verdict.Practice, otherMaker: verdict.OtherVendor, practice: verdict.Practice}

// citeDocument is the document nearest to the machine; nil if there is none.
func (r *auditRun) citeDocument(rule *rulepack.Rule, s facts.Subject) *verdict.Citation {
	if p := r.populationOf(s.Of); p != nil {
		if c := r.slotsCitation(p.OrderSource); rule.Cites(rulepack.CiteOrder) && c != nil {
			return c
		}
		if c := r.slotsCitation(p.CountSource); rule.Cites(rulepack.CiteCounts) && c != nil { // which does not allow the number
			return c
		}
	}
	best, rank := rule.Citation, len(standings)
	if best != nil {
		rank = r.ruleDocumentRank(rule)
	}
	for _, d := range r.citableDocuments(rule) {
		if n := documentRank(d, r.documentNames()); n < rank {
			best, rank = &verdict.Citation{Vendor: d.Vendor, Title: d.Title, Year: nullable.Int(d.Year), Place: nullable.String(d.Place), URL: nullable.String(d.URL)}, n
		}
	}
	if best == nil {
		return nil
	}
	out := *best
	out.Standing = standings[rank]
	return &out
}

// A rule cites documents about its topics, and the one behind the platform's row if it rests on that.
func (r *auditRun) citableDocuments(rule *rulepack.Rule) []*platform.Document {
	p, ok := r.population.Platform.Get()
	if !ok {
		return nil
	}
	var out []*platform.Document
	for i := range p.Documents {
		if d := &p.Documents[i]; d.Covers(rule.Cite) {
			out = append(out, d)
		}
	}
	// Of a site's own platform only the row's document is known.
	row, listed := rowDocument(p)
	if p.Citation.Title != "" && (rule.Cites(rulepack.CitePlatform) || !listed && slices.ContainsFunc(verdict.Topics, rule.Cites)) {
		out = append(out, row)
	}
	return out
}

func rowDocument(p *platform.Platform) (*platform.Document, bool) {
	for i := range p.Documents {
		if p.Documents[i].Key == p.Citation.Key {
			return &p.Documents[i], true
		}
	}
	return &platform.Document{Citation: p.Citation, Authority: platform.FromVendor}, false
}

// RowDocument names the document behind a platform's row and its standing for the machine: "" for a collection of
// observed machines.
func RowDocument(p *platform.Platform, names place.Names) string {
	d, _ := rowDocument(p)
	rank := documentRank(d, names)
	if rank == ownSister && len(names.Models) == 0 {
		rank = ownModel // of a platform without a machine
	}
	if d.Title == "" || rank == len(standings) {
		return ""
	}
	return standings[rank].MarkDocument(d.Vendor + ", " + d.Title)
}

// A collection of observed machines recommends nothing and is never cited.
func documentRank(d *platform.Document, names place.Names) int {
	switch d.Authority {
	case platform.FromCollection:
		return len(standings)
	case platform.FromThirdParty:
		return thirdParty
	}
	own := slices.Contains(names.Makers, platform.VendorWord(d.Vendor))
	relation := d.Relation(names.Models)
	if d.Authority == platform.FromVendor && d.Models == nil {
		relation = platform.OfModel // a site's own, or written for all of the vendor's
	}
	switch {
	case d.Authority == platform.Unread && own && relation != platform.OfOthers:
		return ownUnread
	case d.Authority == platform.Unread:
		return len(standings)
	case own && relation == platform.OfModel:
		return ownModel
	case own && relation == platform.OfGeneration:
		return ownGeneration
	case d.Authority == platform.FromCPUVendor:
		return cpuVendor
	case own:
		return ownSister
	default:
		return otherMaker
	}
}

// A rule that is written for vendors or products cites the document it is written from.
func (r *auditRun) ruleDocumentRank(rule *rulepack.Rule) int {
	c, maker := rule.Citation, platform.VendorWord(rule.Citation.Vendor)
	p, known := r.population.Platform.Get()
	switch {
	case rule.For != nil && (len(rule.For.Vendors) > 0 || len(rule.For.Products) > 0):
		return r.rankOfListed(p, c, ownModel)
	case c.Authority == verdict.Standard:
		return standard
	case c.Authority == verdict.ThirdParty:
		return thirdParty
	case slices.Contains(r.documentNames().Makers, maker):
		if len(c.About) == 0 || known && slices.Contains(c.About, p.ID) {
			return r.rankOfListed(p, c, ownSister)
		}
		return otherGeneration
	case maker == r.cpuVendor():
		return cpuVendor
	case rule.For != nil:
		return otherMaker
	default:
		return practice
	}
}

// The models come from the list of the platform's documents.
func (r *auditRun) rankOfListed(p *platform.Platform, c *verdict.Citation, otherwise int) int {
	for i := 0; p != nil && i < len(p.Documents); i++ {
		if d := &p.Documents[i]; d.Title == c.Title {
			return documentRank(d, r.documentNames())
		}
	}
	return otherwise
}

// A vendor that may be that of firmware's reference code is left out.
func (r *auditRun) documentNames() place.Names {
	if r.found == nil {
		n := r.population.Names
		n.Makers = slices.DeleteFunc(slices.Clone(n.Makers), func(maker string) bool { return maker == r.cpuVendor() && maker != r.machineVendor() })
		r.found = &n
	}
	return *r.found
}

// machineVendor returns the machine's normalised vendor; "" if firmware does not name it. If only the board is named,
// and by the CPU vendor's name, it may be that of firmware's reference code (INTEL X79, Intel OEM), so it is
// unknown.
func (r *auditRun) machineVendor() string {
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

func (r *auditRun) populationOf(subject inventory.Subject) *population.Population {
	for i := range r.population.Populations {
		if p := &r.population.Populations[i]; inventory.SocketSubject(p.Socket) == subject {
			return p
		}
	}
	return nil
}

// source is a manual's name in the slot sets or the filling order; nil for "".
func (r *auditRun) slotsCitation(source string) *verdict.Citation {
	if source == "" {
		return nil
	}
	vendor, title, _ := strings.Cut(source, ", ")
	c := &verdict.Citation{Vendor: vendor, Title: title}
	bySets := r.population.Fill == nil || source != r.population.Fill.Source
	switch {
	case !bySets:
		c.URL = nullable.String(r.population.Fill.URL)
	case r.population.Sets != nil:
		c.URL = nullable.String(r.population.Sets.URL(source))
	}
	switch {
	case !slices.Contains(r.documentNames().Makers, platform.VendorWord(vendor)):
		c.Standing = verdict.OtherVendor
	case bySets && r.population.Sets.SisterManual(source) != "":
		c.Standing, c.Noted = verdict.Sister, true
	}
	return c
}
