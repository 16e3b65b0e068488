package reference

import (
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report/page"
)

// byNamePage is where alerts link to: a heading for every rule id, whichever
// packs speak of it.
const byNamePage = "by-name.md"

// byName lists under each rule's id the packs that speak of it, and under each
// setting's what the profiles want of it.
func (k *knowledge) byName() []page.Block {
	out := []page.Block{{Head: &page.Head{Level: 1, Name: "Rules by name"}},
		{Text: "Of several rules of one name, the narrowest that fits the machine speaks. Its page has the reason, the source and the remedy; so has memaudit rules show, and profiles show for a setting."}}
	rules := map[string]*page.Table{}
	for i := range k.rules {
		r := &k.rules[i]
		t := namedTable(rules, r.ID, "rule", "severity", "subject", "for", "title")
		t.Rows = append(t.Rows, ruleRow(r, ""))
	}
	for _, id := range slices.Sorted(maps.Keys(rules)) {
		out = append(out, page.Block{Head: &page.Head{Level: 2, Name: id}}, page.Block{Table: rules[id]})
	}
	wanted := map[string]map[string][]string{}
	for i := range k.profiles {
		for id, s := range k.profiles[i].Settings {
			if wanted[id] == nil {
				wanted[id] = map[string][]string{}
			}
			wanted[id][s.Value] = append(wanted[id][s.Value], k.profiles[i].ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		t := &page.Table{Heads: []string{"value", "profiles that want it"}}
		for _, value := range slices.Sorted(maps.Keys(wanted[id])) {
			t.Rows = append(t.Rows, []page.Cell{{Text: value}, {Text: strings.Join(wanted[id][value], ", ")}})
		}
		out = append(out, page.Block{Head: &page.Head{Level: 2, Name: "setting." + id}}, page.Block{Table: t})
	}
	return out
}

func namedTable(tables map[string]*page.Table, id string, heads ...string) *page.Table {
	if tables[id] == nil {
		tables[id] = &page.Table{Heads: heads}
	}
	return tables[id]
}
