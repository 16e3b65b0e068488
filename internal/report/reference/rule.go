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

// Rule is one rule in full: what it checks, what is wrong if it fails, why it matters and
// how to fix it; whom it concerns and who says so; what it prints in a case of its own that
// fails; and last its expressions.
func Rule(i *rulepack.RuleInfo) []page.Block {
	example, _ := audit.Example(*i)
	out := []page.Block{
		{Head: &page.Head{Level: 2, Kind: "rule", Name: i.ID}},
		{Fields: append(ruleForPeople(i, example), ruleFacts(i)...)},
	}
	out = append(out, ruleExample(i)...)
	return append(out, page.Block{Text: "As it is evaluated:"}, page.Block{Fields: expressions(i)})
}

// ruleExample is what a rule prints in the first of its cases that fails.
func ruleExample(i *rulepack.RuleInfo) []page.Block {
	f, name := audit.Example(*i)
	if f == nil {
		return nil
	}
	does := "fails"
	if f.Result == verdict.Pass {
		does = "passes with an explanation"
	}
	built := report.BuildFinding(f)
	return []page.Block{{Text: fmt.Sprintf("In its case %q it %s:", name, does)}, {Example: text.Finding(&built, text.Options{Width: exampleWidth})}}
}

// rulesHeading is the heading of one of several rules of an id.
func rulesHeading(i *rulepack.RuleInfo) page.Block {
	return partHeading("For " + cmp.Or(i.Scope, "every other machine"))
}

// rulesOfID are the rules of one id in full below a heading of theirs, each under the
// machines that it is for where there are several.
func rulesOfID(rules []rulepack.RuleInfo) []page.Block {
	var out []page.Block
	for i := range rules {
		blocks := Rule(&rules[i])
		if len(rules) > 1 {
			blocks[0] = rulesHeading(&rules[i])
		} else {
			blocks = blocks[1:]
		}
		out = append(out, blocks...)
	}
	return out
}

// exampleWidth leaves room for an indent on 80 columns.
const exampleWidth = 78

// ruleForPeople is what a reader asks first: what the rule checks, what is wrong if it
// fails, why it matters and how to fix it. f is what it prints in a case that fails.
func ruleForPeople(i *rulepack.RuleInfo, f *verdict.Finding) []page.Field {
	fields := []page.Field{{Name: "checks", Value: i.Title}, problem(i, f), {Name: "why", Value: i.Why}}
	if !i.Computed {
		fields = append(fields, page.Field{Name: "effect", Value: i.Effect})
	}
	return append(fields, fixes("fix", i, f)...)
}

// problem is the rule's short sentence; one that depends on the machine as its example has it.
func problem(i *rulepack.RuleInfo, f *verdict.Finding) page.Field {
	return sentence("problem", i.Rule.Short, f, func() string { return f.Short })
}

// fixes are what to do, in general and by vendor.
func fixes(name string, i *rulepack.RuleInfo, f *verdict.Finding) []page.Field {
	if i.Rule.Explains {
		return []page.Field{{Name: name, Value: "nothing: the rule never fails, it explains what a reader may take for a fault"}}
	}
	out := []page.Field{sentence(name, cmp.Or(i.Rule.Fix, i.Remedy), f, func() string { return cmp.Or(f.Fix, f.Remedy) })}
	for _, vendor := range slices.Sorted(maps.Keys(i.Remedies)) {
		if e := expression(name, i.Remedies[vendor]); !e.Code {
			out = append(out, page.Field{Name: name, Value: vendor + ": " + e.Value})
		}
	}
	return out
}

// sentence is a text expression in words: itself if it depends on nothing, otherwise as the
// example f has it.
func sentence(name, src string, f *verdict.Finding, example func() string) page.Field {
	e := expression(name, src)
	if !e.Code {
		return e
	}
	e.Code, e.Value = false, ""
	if f != nil {
		if words := example(); words != "" {
			e.Value = "for example: " + words
		}
	}
	return e
}

// ruleFacts is whom a rule concerns, how severe it is and who says so.
func ruleFacts(i *rulepack.RuleInfo) []page.Field {
	return []page.Field{
		{Name: "severity", Value: i.Severity}, {Name: "for", Value: i.Scope}, {Name: "concerns", Value: i.Concerns},
		{Name: "source", Value: source(i.Citation)}, {Name: "follows", Value: strings.Join(i.DependsOn, ", ")},
		{Name: "related", Value: strings.Join(i.Related, ", ")},
	}
}

// expressions are those of a rule that an audit evaluates, with the file and its cases.
func expressions(i *rulepack.RuleInfo) []page.Field {
	fields := []page.Field{
		{Name: "subject", Value: i.Subject}, {Name: "applies", Value: i.Applies, Code: true}, {Name: "check", Value: i.Check, Code: true},
		expression("short", i.Rule.Short),
	}
	if i.Computed {
		fields = append(fields, page.Field{Name: "effect", Value: i.Effect, Code: true})
	}
	fields = append(fields, expression("fix", i.Rule.Fix), expression("remedy", i.Remedy))
	for _, vendor := range slices.Sorted(maps.Keys(i.Remedies)) {
		f := expression("remedy", i.Remedies[vendor])
		f.Value = vendor + ": " + f.Value
		f.Code = false
		fields = append(fields, f)
	}
	return append(slices.DeleteFunc(fields, func(f page.Field) bool { return !f.Code && (f.Name == "short" || f.Name == "fix") }),
		page.Field{Name: "file", Value: i.File, Code: true},
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
		{Text: "Made from the packs by go generate; do not edit. If several rules have one name, the narrowest that fits the machine applies. The program prints the same:"},
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
