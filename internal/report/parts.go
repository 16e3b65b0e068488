package report

import (
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/slab"
)

// documentParts keeps what one document has many of beside each other: texts, numbers, pieces
// of evidence, and the citations that findings share.
type documentParts struct {
	words     slab.Of[string]
	joined    slab.Texts
	evidence  slab.Of[Evidence]
	numbers   slab.Of[int]
	citations map[*verdict.Citation]*Citation
}

// word is nil for "".
func (p *documentParts) word(s string) *string {
	if s == "" {
		return nil
	}
	return p.words.With(s)
}

// stated is the fact's value, nil when it is not known or empty.
func (p *documentParts) stated(f *fact.Fact[string]) *string {
	if !f.Known() {
		return nil
	}
	return p.word(f.Value)
}

// positive is positive for the numbers of slots.
func (p *documentParts) positive(f *fact.Fact[int]) *int {
	if !f.Known() || f.Value <= 0 {
		return nil
	}
	return p.numbers.With(f.Value)
}

// coordinate is a coordinate, nil when it is negative (place.Unplaced).
func (p *documentParts) coordinate(v int) *int {
	if v < 0 {
		return nil
	}
	return p.numbers.With(v)
}

// citation makes each document once: most findings of a rule share theirs.
func (p *documentParts) citation(c *verdict.Citation) *Citation {
	if out, made := p.citations[c]; made {
		return out
	}
	out := buildCitation(c)
	if p.citations == nil {
		p.citations = map[*verdict.Citation]*Citation{}
	}
	p.citations[c] = out
	return out
}

func buildCitation(c *verdict.Citation) *Citation {
	if c == nil || c.Vendor == "" && c.Title == "" {
		return nil
	}
	return &Citation{
		Vendor:  c.Vendor,
		Title:   c.Title,
		Year:    positiveOrNil(c.Year),
		Place:   wordOrNil(c.Place),
		URL:     wordOrNil(c.URL),
		Version: c.Version, Standing: wordOrNil(c.Standing),
	}
}

// readings is never nil, so that JSON has [] and not null.
func (p *documentParts) readings(in []fact.Evidence) []Evidence {
	if len(in) == 0 {
		return []Evidence{}
	}
	out := p.evidence.Slice(len(in))
	for i := range in {
		e := &in[i]
		out[i] = Evidence{Source: e.Source, Path: p.word(e.Path), Raw: p.word(p.raw(e))}
	}
	return out
}

// raw joins the field and what was read in it: "type 17 0x1101 Speed:
// 1333 MT/s".
func (p *documentParts) raw(e *fact.Evidence) string {
	switch {
	case e.Field == "":
		return e.Raw
	case e.Raw == "":
		return e.Field
	default:
		return p.joined.Join(e.Field, ": ", e.Raw)
	}
}
