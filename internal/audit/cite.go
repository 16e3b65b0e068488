package audit

import (
	"strings"

	"github.com/memaudit/memaudit/internal/facts"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/verdict"
)

// cite is the document that a verdict rests on: for what the platform's row or
// the maker's table of slots decides, theirs. One by another maker than the
// machine's is marked.
func (r *run) cite(rule *rulepack.Rule, s facts.Subject) *verdict.Citation {
	if rule.CiteOrder {
		if c := r.orderCitation(s.Name); c != nil {
			return c
		}
	}
	c := rule.Citation
	if rule.CitePlatform {
		c = r.platformCitation(c, rule.CiteSources)
	}
	return r.marked(rule, c)
}

// platformCitation is the document behind the platform's data, else the rule's
// own. Of several behind the row the machine's own maker's goes first, then the
// processor's.
func (r *run) platformCitation(own *verdict.Citation, any bool) *verdict.Citation {
	p, ok := r.topo.Platform.Get()
	if !ok || p.Citation.Title == "" {
		return own
	}
	c := p.Citation
	if any {
		for _, maker := range []string{r.maker(), r.processorMaker()} {
			if d, ok := documentOf(p, maker); ok {
				c = d
				break
			}
		}
	}
	return &verdict.Citation{Vendor: c.Vendor, Title: c.Title, Year: c.Year, Place: c.Place, URL: c.URL}
}

// documentOf is the first document behind a platform's row by a maker.
func documentOf(p *platform.Platform, maker string) (platform.Citation, bool) {
	if maker == "" {
		return platform.Citation{}, false
	}
	if platform.Maker(p.Citation.Vendor) == maker {
		return p.Citation, true
	}
	for _, d := range p.Documents {
		if platform.Maker(d.Vendor) == maker {
			return d, true
		}
	}
	return platform.Citation{}, false
}

// maker is the machine's, folded; "" when firmware does not name it.
func (r *run) maker() string { return platform.Maker(r.sys.Machine.Vendor.Or("")) }

func (r *run) processorMaker() string {
	for i := range r.sys.Sockets {
		if v, ok := r.sys.Sockets[i].Vendor.Get(); ok {
			return platform.ProcessorMaker(v)
		}
	}
	return platform.ProcessorMaker(r.sys.CPU.Vendor.Or(""))
}

// orderCitation is the manual that lists the slots of a processor, nil without.
func (r *run) orderCitation(subject string) *verdict.Citation {
	for i := range r.topo.Populations {
		p := &r.topo.Populations[i]
		if p.OrderSource == "" || facts.SubjectOfPopulation(p) != subject {
			continue
		}
		vendor, title, _ := strings.Cut(p.OrderSource, ", ")
		c := &verdict.Citation{Vendor: vendor, Title: title}
		if r.topo.Sets != nil && r.topo.Sets.Analogous {
			c.Standing = verdict.Analogous
		}
		return c
	}
	return nil
}

// marked says of a document by another maker of machines that it is one: of a
// general rule it shows the practice, of a platform's it is an analogy. A rule
// that is written for makers or products cites what it is written from.
func (r *run) marked(rule *rulepack.Rule, c *verdict.Citation) *verdict.Citation {
	if c == nil || rule.For != nil && (len(rule.For.Vendors) > 0 || len(rule.For.Products) > 0) {
		return c
	}
	doc := platform.Maker(c.Vendor)
	if own := r.maker(); own == "" || doc == own || !platform.MakesSystems(doc) {
		return c
	}
	out := *c
	out.Standing = verdict.Analogous
	if rule.For == nil && !rule.CitePlatform {
		out.Standing = verdict.Practice
	}
	return &out
}
