package rulepack

import (
	"github.com/memaudit/memaudit/internal/slab"
	"github.com/memaudit/memaudit/internal/verdict"
)

// pack writes a pack without what only a validation needs: cases, of which it
// keeps the counts, and places.
func (w *blobWriter) pack(p *Pack) {
	w.text(p.File)
	w.uint(uint64(len(p.Rules)))
	for _, r := range p.Rules {
		w.rule(r)
	}
	w.texts(p.SettingIDs())
	w.uint(uint64(len(p.Profiles)))
	for _, q := range p.Profiles {
		w.profile(q)
	}
}

// packReader reads packs and keeps what they have many of beside each other.
type packReader struct {
	*blobReader
	rules     slab.Of[Rule]
	profiles  slab.Of[ProfileSpec]
	tables    slab.Of[packedTable]
	matches   slab.Of[Match]
	citations slab.Of[verdict.Citation]
}

func (r *packReader) pack() *Pack {
	p := &Pack{File: r.text()}
	n := r.count()
	p.Rules = make([]*Rule, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		rule := r.rule()
		rule.pack = p
		p.Rules = append(p.Rules, rule)
	}
	p.settings = r.texts()
	n = r.count()
	p.Profiles = make([]*ProfileSpec, 0, n)
	for i := 0; i < n && r.err == nil; i++ {
		q := r.profile()
		q.pack = p
		p.Profiles = append(p.Profiles, q)
	}
	return p
}

func (w *blobWriter) rule(r *Rule) {
	for _, s := range []string{r.ID, r.Title, r.Subject, r.Applies, r.Concerns, r.Check, r.Severity, r.Certainty,
		r.Found, r.Expected, r.Why, r.Remedy, r.Mark} {
		w.text(s)
	}
	w.match(r.For)
	w.effect(r.Effect)
	w.citation(r.Citation)
	w.pairs(r.Remedies)
	w.texts(r.DependsOn)
	w.texts(r.Related)
	w.texts(r.Planning)
	w.bool(r.Explains)
	w.bool(r.Uncited)
	w.bool(r.CitePlatform)
	w.texts(r.CiteSources)
	w.bool(r.CiteOrder)
	w.texts(r.paths)
	w.texts(r.variables)
	w.text(string(r.usual))
	n := r.caseCounts()
	w.uint(uint64(n.Pass))
	w.uint(uint64(n.Fail))
	w.uint(uint64(n.Unknown))
}

func (r *packReader) rule() *Rule {
	out := r.rules.New()
	for _, s := range []*string{&out.ID, &out.Title, &out.Subject, &out.Applies, &out.Concerns, &out.Check, &out.Severity,
		&out.Certainty, &out.Found, &out.Expected, &out.Why, &out.Remedy, &out.Mark} {
		*s = r.text()
	}
	out.For, out.Effect, out.Citation = r.match(), r.effect(), r.citation()
	out.Remedies = r.pairs()
	out.DependsOn, out.Related, out.Planning = r.texts(), r.texts(), r.texts()
	out.Explains, out.Uncited = r.bool(), r.bool()
	out.CitePlatform, out.CiteSources, out.CiteOrder = r.bool(), r.texts(), r.bool()
	out.ruleShape = ruleShape{paths: r.texts(), variables: r.texts(), usual: verdict.Severity(r.text())}
	out.counted = CaseCounts{Pass: int(r.uint()), Fail: int(r.uint()), Unknown: int(r.uint())}
	return out
}

func (w *blobWriter) match(m *Match) {
	w.bool(m != nil)
	if m != nil {
		w.texts(m.Platforms)
		w.texts(m.Vendors)
		w.texts(m.Products)
	}
}

func (r *packReader) match() *Match {
	if !r.bool() {
		return nil
	}
	return r.matches.With(Match{Platforms: r.texts(), Vendors: r.texts(), Products: r.texts()})
}

func (w *blobWriter) effect(e *EffectSpec) {
	w.bool(e != nil)
	if e == nil {
		return
	}
	for _, s := range []string{e.Text, e.Expr, e.Unit, e.Conditions, e.Place, e.Source, e.SourceExpr, e.Beside} {
		w.text(s)
	}
	w.bool(e.Number != nil)
	if e.Number != nil {
		w.float(*e.Number)
	}
}

func (r *packReader) effect() *EffectSpec {
	if !r.bool() {
		return nil
	}
	e := &EffectSpec{}
	for _, s := range []*string{&e.Text, &e.Expr, &e.Unit, &e.Conditions, &e.Place, &e.Source, &e.SourceExpr, &e.Beside} {
		*s = r.text()
	}
	if r.bool() {
		n := r.float()
		e.Number = &n
	}
	return e
}

func (w *blobWriter) citation(c *verdict.Citation) {
	w.bool(c != nil)
	if c == nil {
		return
	}
	for _, s := range []string{c.Vendor, c.Title, c.Version, c.Place, c.URL, c.Authority} {
		w.text(s)
	}
	w.int(int64(c.Year))
	w.texts(c.About)
}

func (r *packReader) citation() *verdict.Citation {
	if !r.bool() {
		return nil
	}
	c := r.citations.New()
	for _, s := range []*string{&c.Vendor, &c.Title, &c.Version, &c.Place, &c.URL, &c.Authority} {
		*s = r.text()
	}
	c.Year, c.About = int(r.int()), r.texts()
	return c
}

func (w *blobWriter) pairs(m map[string]string) {
	keys := sortedKeys(m)
	w.uint(uint64(len(keys)))
	for _, k := range keys {
		w.text(k)
		w.text(m[k])
	}
}

func (r *packReader) pairs() map[string]string {
	n := r.count()
	if n == 0 {
		return nil
	}
	out := make(map[string]string, min(n, 16))
	for i := 0; i < n && r.err == nil; i++ {
		k := r.text()
		out[k] = r.text()
	}
	return out
}

func (w *blobWriter) profile(q *ProfileSpec) {
	for _, s := range []string{q.ID, q.Title, q.Applies, q.Scope, string(q.Face), q.Preset} {
		w.text(s)
	}
	w.texts(q.Intents)
	w.match(q.For)
	w.texts(q.Named)
	w.texts(q.Firmware)
	w.citation(q.Citation)
	head := w.body
	w.body = nil
	w.uint(uint64(len(q.Settings)))
	for i := range q.Settings {
		w.setting(&q.Settings[i])
	}
	table := w.body
	w.body = head
	w.uint(uint64(len(table)))
	w.body = append(w.body, table...)
}

// profile reads a profile's head and leaves its table for later.
func (r *packReader) profile() *ProfileSpec {
	q := r.profiles.New()
	for _, s := range []*string{&q.ID, &q.Title, &q.Applies, &q.Scope, (*string)(&q.Face), &q.Preset} {
		*s = r.text()
	}
	q.Intents = r.texts()
	q.For, q.Named, q.Firmware, q.Citation = r.match(), r.texts(), r.texts(), r.citation()
	n := r.count()
	q.packed = r.tables.With(packedTable{body: r.body[:n], strings: r.strings})
	r.body = r.body[n:]
	return q
}

// packedTable is the table of a compiled profile as the blob holds it.
type packedTable struct {
	body    string
	strings []string
}

// table reads the rows; a damaged one ends it.
func (p *packedTable) table() SettingTable {
	r := &packReader{blobReader: &blobReader{body: p.body, strings: p.strings}}
	n := r.count()
	rows := make(SettingTable, n)
	for i := 0; i < n && r.err == nil; i++ {
		r.setting(&rows[i])
	}
	return rows
}

func (w *blobWriter) setting(s *WantedSetting) {
	for _, v := range []string{s.ID, s.Level, s.Applies, s.Concerns, s.Note, s.Remedy, s.Place} {
		w.text(v)
	}
	w.texts(s.Want)
	w.texts(s.Exceptions)
	w.effect(s.Effect)
}

func (r *packReader) setting(s *WantedSetting) {
	for _, v := range []*string{&s.ID, &s.Level, &s.Applies, &s.Concerns, &s.Note, &s.Remedy, &s.Place} {
		*v = r.text()
	}
	s.Want, s.Exceptions = r.texts(), r.texts()
	s.Effect = r.effect()
}
