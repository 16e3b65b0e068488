// Package reference turns rules, profiles and platforms into pages for a
// reader: what memaudit rules show, profiles show and explain print, and the
// page of all rules, rules/by-name.md.
package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
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
