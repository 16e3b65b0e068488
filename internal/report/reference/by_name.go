package reference

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report/page"
)

// ByName writes rules/by-name.md, to which alerts link: under a heading for each
// id the rules of all packs in full, with what they say of the example servers,
// and after them the settings that profiles may want. examples says of a rule's
// id on which of the example servers it fails, passes or cannot tell.
func ByName(packs []*rulepack.Pack, examples map[string]string) (string, error) {
	out := []page.Block{
		{Head: &page.Head{Level: 1, Name: "Rules by name"}},
		{Text: "Made from the packs by go generate; do not edit. Of several rules of one name, the narrowest that fits the machine speaks. The program says the same of each:"},
		{Commands: []string{"memaudit rules show memory.channel.populated"}},
	}
	for rest := rulepack.Describe(packs); len(rest) > 0; {
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
	var b bytes.Buffer
	err := page.WriteMarkdown(&b, out)
	return b.String(), err
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
