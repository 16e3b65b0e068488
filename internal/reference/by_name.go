package reference

import (
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
)

// byNamePage is the page of all rules, and where alerts link to: a heading for
// every rule id, whichever packs speak of it.
const byNamePage = "by-name.md"

// byName shows under each id the rules of all packs in full, with what they say
// of the example servers, and after them the settings that profiles may want.
func (k *knowledge) byName(examples map[string]string) []page.Block {
	out := []page.Block{
		{Head: &page.Head{Level: 1, Name: "Rules by name"}},
		{Text: "Made from the packs by go generate; do not edit. Of several rules of one name, the narrowest that fits the machine speaks. The program says the same of each:"},
		{Commands: []string{"memaudit rules show memory.channel.populated"}},
	}
	for rest := k.rules; len(rest) > 0; {
		id := rest[0].ID
		of := slices.IndexFunc(rest, func(r rulepack.RuleInfo) bool { return r.ID != id })
		if of < 0 {
			of = len(rest)
		}
		out = append(out, rulesNamed(rest[:of], examples[id])...)
		rest = rest[of:]
	}
	for _, s := range settings.All() {
		id := "setting." + s.ID
		out = append(out, page.Block{Head: &page.Head{Level: 2, Name: id}}, page.Block{Fields: []page.Field{
			{Name: "title", Value: s.Title}, exampleField(examples[id]),
		}}, page.Block{Commands: []string{"memaudit explain " + s.ID}})
	}
	return out
}

// rulesNamed shows the rules of one id, each under the machines that it is for where
// there are several.
func rulesNamed(rules []rulepack.RuleInfo, examples string) []page.Block {
	out := []page.Block{{Head: &page.Head{Level: 2, Name: rules[0].ID}}, {Fields: []page.Field{exampleField(examples)}}}
	for i := range rules {
		blocks := Rule(&rules[i])
		if len(rules) > 1 {
			blocks[0].Head = &page.Head{Level: 3, Name: "For " + cmp.Or(rules[i].Scope, "every other machine")}
		} else {
			blocks = blocks[1:]
		}
		out = append(out, blocks...)
	}
	return out
}

func exampleField(says string) page.Field {
	return page.Field{Name: "on the example servers", Value: says}
}
