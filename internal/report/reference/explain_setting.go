package reference

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/humanize"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/topology/place"
)

func (e *Explainer) setting(s settings.Setting, doc *report.Report) []page.Block {
	out := append([]page.Block{{Head: &page.Head{Level: 2, Kind: "setting", Name: s.ID}}}, e.about(s.ID, s.Title)...)
	wants, effects, ways, documents := e.rows(s.ID)
	if t := e.topic(s.ID); t != nil {
		out = append(out, partHeading("Why it matters"), page.Block{Fields: []page.Field{{Name: "-", Value: t.Why}}, Indent: 2})
	}
	out = append(out, effectsPart(append(effects, e.measuredOf(s.ID)...))...)
	out = append(out, partHeading("What documents ask for"))
	if len(wants.Rows) > 0 {
		out = append(out, page.Block{Table: wants})
	} else {
		out = append(out, page.Block{Fields: []page.Field{{Name: "-", Value: "no documented profile covers it"}}, Indent: 2})
	}
	out = append(out, e.judged("setting."+s.ID, doc, machineValues(s.ID, doc)...)...)
	if len(ways) == 0 {
		ways, documents = e.names(s.ID, documents)
	}
	return append(out, partHeading("How to change it"), page.Block{Fields: ways, Indent: 2}, partHeading("Documents"), page.Block{Fields: documents, Indent: 2})
}

// names returns the vendors' menus and attributes of a setting without instructions in a profile, and their
// documents appended to the given ones.
func (e *Explainer) names(id string, documents []page.Field) (ways, all []page.Field) {
	for t := range e.tables.All() {
		for i := range t.Settings[id] {
			a := &t.Settings[id][i]
			name := cmp.Or(a.Menu, a.Name)
			if a.Unverified || len(ways) == mostWays || slices.ContainsFunc(ways, func(f page.Field) bool { return f.Value == name }) {
				continue
			}
			ways = append(ways, page.Field{Name: t.Vendor, Value: name})
			if from, ok := t.Sources[a.Source]; ok {
				documents = append(documents, page.Field{Name: "-", Value: cmp.Or(from.Vendor, t.Vendor) + ", " + from.Title})
			}
		}
	}
	if len(ways) == 0 {
		ways = []page.Field{{Name: "-", Value: "no document on record says where it is set"}}
	}
	return ways, documents
}

// mostWays limits the ways to set a setting that are printed: vendors have a menu for each generation.
const mostWays = 8

// rows collects the profiles' rows of a setting: the wanted values by intent, effects, ways to set it,
// documents, each once.
func (e *Explainer) rows(id string) (wants *page.Table, effects, ways, documents []page.Field) {
	wants = &page.Table{Heads: []string{"intent", "wanted", "by"}}
	by := map[[2]string][]string{}
	var order [][2]string
	add := func(list *[]page.Field, name, value string) {
		if value != "" && !slices.ContainsFunc(*list, func(f page.Field) bool { return f.Value == value }) {
			*list = append(*list, page.Field{Name: name, Value: value})
		}
	}
	for i := range e.profiles {
		p := &e.profiles[i]
		s, ok := p.Settings[id]
		if !ok {
			continue
		}
		for _, intent := range p.Intents {
			key := [2]string{intent, s.Value}
			if by[key] == nil {
				order = append(order, key)
			}
			by[key] = append(by[key], p.ID)
		}
		if s.Effect != "" && !slices.ContainsFunc(effects, func(f page.Field) bool { return strings.HasPrefix(f.Value, s.Effect) }) {
			add(&effects, "-", s.Effect+" ["+p.Citation.Line()+"]")
		}
		if len(ways) < mostWays {
			add(&ways, cmp.Or(firstOf(p.Vendors), "-"), wayToSet(p, id, &s, e.tables))
		}
		add(&documents, "-", p.Citation.Vendor+", "+p.Citation.Title)
	}
	slices.SortStableFunc(order, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), cmp.Compare(len(by[b]), len(by[a])))
	})
	for _, key := range order {
		wants.Rows = append(wants.Rows, []string{key[0], key[1], counted(by[key])})
	}
	return wants, effects, ways, documents
}

func machineValues(id string, doc *report.Report) []page.Block {
	if doc == nil {
		return nil
	}
	s, ok := doc.Inventory.Settings[id]
	if !ok {
		return []page.Block{{Indent: 2, Fields: []page.Field{{Name: "-", Value: "nothing was read about it"}}}}
	}
	face := func(f *report.Face) string {
		return cmp.Or(string(f.Value), "not known: "+cmp.Or(string(f.Reason), "nothing says it"))
	}
	return []page.Block{{Indent: 2, Fields: []page.Field{
		{Name: "in BIOS setup", Value: face(&s.Configured)}, {Name: "at work", Value: face(&s.Effective)},
		{Name: "decided by", Value: string(s.DecidedBy.Value)},
	}}}
}

// counted names one profile and counts several: vendors have one for each generation.
func counted(profiles []string) string {
	if len(profiles) == 1 {
		return profiles[0]
	}
	return strconv.Itoa(len(profiles)) + " profiles"
}

// Rules that use the slot sets of the product's manual.
const (
	slotOrder = "memory.slot.order"
	slotCount = "memory.count.supported"
)

// slotSets lists the numbers of modules with a set of slots in the machine's manual, and whether the set is
// printed there or derived from an order of filling.
func (e *Explainer) slotSets(doc *report.Report) []page.Block {
	m := inventory.Machine{Product: fact.Known(string(doc.Machine.Product), fact.Direct, fact.Evidence{})}
	sets := place.ReadSets(e.knowledge, &m)
	if sets == nil {
		return nil
	}
	var fields []page.Field
	for _, n := range slices.Sorted(maps.Keys(sets.Rows)) {
		row := sets.Rows[n]
		if row.Source == "" {
			continue
		}
		how := row.Grade + ": " + sets.Document(n)
		if row.Printed {
			how += ", set printed"
		}
		fields = append(fields, page.Field{Name: humanize.Plural(n, "DIMM"), Value: how})
	}
	if len(fields) == 0 {
		return nil
	}
	return []page.Block{{Text: "What its manual says of a number of DIMMs per CPU:"}, {Indent: 2, Fields: fields}}
}
