// Package reference turns rules, profiles and platforms into pages for a
// reader: what memaudit rules show, profiles show and explain print, and the
// page of all rules, rules/by-name.md.
package reference

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
)

// Rule is one rule in full: why, effect, remedy, source, and what it says in a
// case of its own that fails.
func Rule(i *rulepack.RuleInfo) []page.Block {
	blocks := []page.Block{
		{Head: &page.Head{Level: 2, Kind: "rule", Name: i.ID}},
		{Fields: ruleFields(i)},
	}
	f, name := audit.Example(*i)
	if f == nil {
		return blocks
	}
	says := "fails"
	if f.Result == verdict.Pass {
		says = "passes with an explanation"
	}
	built := report.BuildFinding(f)
	return append(blocks, page.Block{Text: fmt.Sprintf("In its case %q it %s:", name, says)},
		page.Block{Example: text.Finding(&built, text.Options{Width: exampleWidth})})
}

// rulesOfID are the rules of one id in full below a heading of theirs, each under the
// machines that it is for where there are several.
func rulesOfID(rules []rulepack.RuleInfo) []page.Block {
	var out []page.Block
	for i := range rules {
		blocks := Rule(&rules[i])
		if len(rules) > 1 {
			blocks[0] = partHeading("For " + cmp.Or(rules[i].Scope, "every other machine"))
		} else {
			blocks = blocks[1:]
		}
		out = append(out, blocks...)
	}
	return out
}

// exampleWidth leaves room for an indent on 80 columns.
const exampleWidth = 78

func ruleFields(i *rulepack.RuleInfo) []page.Field {
	fields := []page.Field{
		{Name: "title", Value: i.Title}, {Name: "subject", Value: i.Subject}, {Name: "severity", Value: i.Severity},
		{Name: "for", Value: i.Scope}, {Name: "applies", Value: i.Applies, Code: true}, {Name: "concerns", Value: i.Concerns},
		{Name: "check", Value: i.Check, Code: true}, {Name: "why", Value: i.Why}, {Name: "effect", Value: i.Effect, Code: i.Computed},
		expression("remedy", i.Remedy),
	}
	for _, vendor := range slices.Sorted(maps.Keys(i.Remedies)) {
		f := expression("remedy", i.Remedies[vendor])
		f.Value = vendor + ": " + f.Value
		f.Code = false
		fields = append(fields, f)
	}
	return append(fields,
		page.Field{Name: "source", Value: source(i.Citation)}, page.Field{Name: "follows", Value: strings.Join(i.DependsOn, ", ")},
		page.Field{Name: "related", Value: strings.Join(i.Related, ", ")}, page.Field{Name: "file", Value: i.File, Code: true},
		page.Field{Name: "cases", Value: fmt.Sprintf("%d pass, %d fail, %d unknown", i.Cases.Pass, i.Cases.Fail, i.Cases.Unknown)})
}

// expression is a text expression, in plain words where it is nothing but one
// quoted text.
func expression(name, src string) page.Field {
	src = strings.TrimSpace(src)
	for _, quote := range []string{`"`, `'`} {
		body, ok := strings.CutPrefix(src, quote)
		if !ok {
			continue
		}
		if body, ok = strings.CutSuffix(body, quote); ok && !strings.ContainsAny(body, quote+`\`) {
			return page.Field{Name: name, Value: body}
		}
	}
	return page.Field{Name: name, Value: src, Code: true}
}

// source is a citation on one line, with its address.
func source(c *verdict.Citation) string {
	if c == nil {
		return ""
	}
	if c.URL == "" {
		return c.Line()
	}
	return c.Line() + ", " + c.URL
}

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
		out = append(out, page.Block{Head: &page.Head{Level: 2, Name: id}}, page.Block{Fields: []page.Field{exampleField(examples[id])}})
		out = append(out, rulesOfID(rest[:of])...)
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

func exampleField(says string) page.Field {
	return page.Field{Name: "on the example servers", Value: says}
}
