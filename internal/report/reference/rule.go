// Package reference formats rules, profiles and platforms as pages: the output of memaudit rules show, profiles
// show and explain, and the page of all rules, rules/by-name.md.
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
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
)

// Rule returns the page of a rule: what it checks, what is wrong if it fails, why it matters and how to fix it;
// the machines it applies to and its document; its output for a case that fails; and last its expressions.
func Rule(i *rulepack.RuleInfo) []page.Block {
	example, _ := audit.Example(*i)
	out := []page.Block{
		{Head: &page.Head{Level: 2, Kind: "rule", Name: i.ID}},
		{Fields: append(ruleForPeople(i, example), ruleFacts(i)...)},
	}
	out = append(out, ruleExample(i)...)
	return append(out, page.Block{Text: "As it is evaluated:"}, page.Block{Fields: expressions(i)})
}

// ruleExample returns what a rule prints in the first of its cases that fails.
func ruleExample(i *rulepack.RuleInfo) []page.Block {
	f, name := audit.Example(*i)
	if f == nil {
		return nil
	}
	does := "fails"
	if f.Result == verdict.Pass {
		does = "passes with an explanation"
	}
	return []page.Block{{Text: fmt.Sprintf("In its case %q it %s:", name, does)}, {Example: text.Finding(f, text.Options{Width: exampleWidth})}}
}

func rulesHeading(i *rulepack.RuleInfo) page.Block {
	return partHeading("For " + cmp.Or(i.Scope, "every other machine"))
}

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

// exampleWidth leaves space for an indent in 80 columns.
const exampleWidth = 78

// ruleForPeople returns the first part of the page: what the rule checks, what is wrong if it fails, why it
// matters and how to fix it. f is its finding in a case that fails.
func ruleForPeople(i *rulepack.RuleInfo, f *verdict.Finding) []page.Field {
	fields := []page.Field{{Name: "checks", Value: i.Title}, problem(i, f), {Name: "why", Value: i.Why}}
	if !i.Computed {
		fields = append(fields, page.Field{Name: "effect", Value: i.Effect})
	}
	return append(fields, fixes("fix", i, f)...)
}

// problem returns the rule's short sentence; from its example if it depends on the machine.
func problem(i *rulepack.RuleInfo, f *verdict.Finding) page.Field {
	return sentence("problem", i.Rule.Short, f, func() string { return f.Short })
}

func fixes(name string, i *rulepack.RuleInfo, f *verdict.Finding) []page.Field {
	if i.Rule.Explains {
		return []page.Field{{Name: name, Value: "nothing: the rule never fails, it explains what a reader may take for a fault"}}
	}
	out := []page.Field{sentence(name, cmp.Or(i.Rule.Fix, i.Remedy), f, func() string { return cmp.Or(f.Fix, string(f.Remedy)) })}
	for _, vendor := range slices.Sorted(maps.Keys(i.Remedies)) {
		if e := expression(name, i.Remedies[vendor]); !e.Code {
			out = append(out, page.Field{Name: name, Value: vendor + ": " + e.Value})
		}
	}
	return out
}

// sentence returns a text expression as text: itself if it is constant, otherwise as evaluated in the example
// f.
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

func ruleFacts(i *rulepack.RuleInfo) []page.Field {
	return []page.Field{
		{Name: "severity", Value: i.Severity}, {Name: "for", Value: i.Scope}, {Name: "concerns", Value: i.Concerns},
		{Name: "source", Value: source(i.Citation)}, {Name: "follows", Value: strings.Join(i.DependsOn, ", ")},
		{Name: "related", Value: strings.Join(i.Related, ", ")},
	}
}

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

// expression returns a text expression, unquoted if it is a single literal.
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

func source(c *verdict.Citation) string {
	if c == nil {
		return ""
	}
	if c.URL == "" {
		return c.Line()
	}
	return c.Line() + ", " + string(c.URL)
}

// ByName returns rules/by-name.md, to which alerts link: under a heading for each id the rules of all packs,
// with their results on the example servers, and then the settings of profiles. examples maps a rule's id to
// the example servers on which it fails, passes or is unknown.
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
