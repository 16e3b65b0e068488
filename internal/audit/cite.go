package audit

import (
	"path"
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

// citeDocument is the document nearest to the machine; nil if there is none. A rule cites documents about its topics, and the one
// behind the platform's row if it rests on that.
func (r *auditRun) citeDocument(rule *rulepack.Rule, s facts.Subject) *verdict.Citation {
	if rule.Cites(rulepack.CiteOrder) || rule.Cites(rulepack.CiteCounts) {
		if c := r.slotsCitation(rule, s.Of); c != nil {
			return c
		}
	}
	best, rank := rule.Citation, len(standings)
	if best != nil {
		rank = r.ruleDocumentRank(rule)
	}
	var documents []*platform.Document
	if p, ok := r.population.Platform.Get(); ok {
		for i := range p.Documents {
			if d := &p.Documents[i]; slices.ContainsFunc(d.Topics, rule.Cites) {
				documents = append(documents, d)
			}
		}
		// Of a site's own platform only the row's document is known.
		row, listed := rowDocument(p)
		if p.Citation.Title != "" && (rule.Cites(rulepack.CitePlatform) || !listed && slices.ContainsFunc(verdict.Topics, rule.Cites)) {
			documents = append(documents, row)
		}
	}
	for _, d := range documents {
		if n := documentRank(d, r.vendors().documents); n < rank {
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

// RankOfModels returns how close the models of a document are to a machine with these names of product and board: its own, its
// generation, others.
func RankOfModels(d *platform.Document, names []string) int {
	best := ownSister
	for _, model := range d.Models {
		for _, name := range names {
			switch {
			case strings.Contains(model, "*"):
				if ok, _ := path.Match(model, strings.ReplaceAll(name, "/", " ")); ok {
					best = min(best, ownGeneration)
				}
			case platform.LengthOfName(model, name) > 0:
				return ownModel
			}
		}
	}
	return best
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
	rank := RankOfModels(d, names.Models)
	if d.Authority == platform.FromVendor && d.Models == nil {
		rank = ownModel // a site's own, or written for all of the vendor's
	}
	switch {
	case d.Authority == platform.Unread && own && rank != ownSister:
		return ownUnread
	case d.Authority == platform.Unread:
		return len(standings)
	case own && rank != ownSister:
		return rank
	case d.Authority == platform.FromCPUVendor:
		return cpuVendor
	case own:
		return ownSister
	default:
		return otherMaker
	}
}

// A rule that is written for vendors or products cites the document it is written from. Which models a document of theirs covers
// is in the platform's list.
func (r *auditRun) ruleDocumentRank(rule *rulepack.Rule) int {
	c, p, named := rule.Citation, r.population.Platform.Or(nil), r.vendors()
	maker := platform.VendorWord(c.Vendor)
	unlisted := ownSister
	switch {
	case rule.For != nil && (len(rule.For.Vendors) > 0 || len(rule.For.Products) > 0):
		unlisted = ownModel
	case c.Authority == verdict.Standard:
		return standard
	case c.Authority == verdict.ThirdParty:
		return thirdParty
	case slices.Contains(named.documents.Makers, maker):
		if len(c.About) > 0 && (p == nil || !slices.Contains(c.About, p.ID)) {
			return otherGeneration
		}
	case maker == named.cpu:
		return cpuVendor
	case rule.For != nil:
		return otherMaker
	default:
		return practice
	}
	for i := 0; p != nil && i < len(p.Documents); i++ {
		if d := &p.Documents[i]; d.Title == c.Title {
			return documentRank(d, named.documents)
		}
	}
	return unlisted
}

// vendors are those of a machine, normalised.
type vendors struct {
	// machine is "" if firmware does not name it. If only the board is named, and by the CPU vendor's name, it may be that of
	// firmware's reference code (INTEL X79, Intel OEM), so it is unknown.
	machine string
	cpu     string
	// documents is what the machine's documents are found by, without a vendor that may be that of firmware's reference code.
	documents place.Names
}

// cpuVendors are the vendors of processors by their CPUID vendor strings.
var cpuVendors = map[string]string{platform.Intel: "intel", platform.AMD: "amd"}

func (r *auditRun) vendors() *vendors {
	if r.named != nil {
		return r.named
	}
	cpu, machine := r.sys.CPU.Vendor, r.sys.Machine.Vendor
	if i := slices.IndexFunc(r.sys.Sockets, func(s inventory.Socket) bool { return s.Vendor.Known() }); i >= 0 {
		cpu = r.sys.Sockets[i].Vendor
	}
	v := vendors{machine: platform.VendorWord(machine.Or("")), cpu: cpuVendors[cpu.Or("")], documents: r.population.Names}
	if machine.Certainty <= fact.Indirect && v.machine == v.cpu {
		v.machine = ""
	}
	v.documents.Makers = slices.DeleteFunc(slices.Clone(v.documents.Makers), func(maker string) bool { return maker == v.cpu && maker != v.machine })
	r.named = &v
	return &v
}

// slotsCitation is the manual that the slot sets or the filling order are from, or that does not allow the number of DIMMs; nil
// if a rule cites none.
func (r *auditRun) slotsCitation(rule *rulepack.Rule, subject inventory.Subject) *verdict.Citation {
	source := ""
	for _, p := range r.population.Populations {
		if inventory.SocketSubject(p.Socket) != subject {
			continue
		}
		if rule.Cites(rulepack.CiteOrder) {
			source = p.OrderSource
		}
		if source == "" && rule.Cites(rulepack.CiteCounts) {
			source = p.CountSource
		}
		break
	}
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
	case !slices.Contains(r.vendors().documents.Makers, platform.VendorWord(vendor)):
		c.Standing = verdict.OtherVendor
	case bySets && r.population.Sets.SisterManual(source) != "":
		c.Standing, c.Noted = verdict.Sister, true
	}
	return c
}
