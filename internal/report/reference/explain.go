package reference

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Explainer explains rules, settings and platforms.
type Explainer struct {
	topics []Topic
	rules  []rulepack.RuleInfo
	// profiles are read when a setting is explained: rules and platforms need none.
	profiles func() []rulepack.ProfileInfo
	// platforms are their ids: the file of one is read when it is asked for.
	platforms []string
	describe  func(id string) (*platform.Info, error)
	tables    settings.Tables
}

// NewExplainer reads what explanations are made of.
func NewExplainer(k fs.FS, packs []*rulepack.Pack) (*Explainer, error) {
	topics, err := Topics(k)
	if err != nil {
		return nil, err
	}
	platforms, err := platform.IDs(k)
	if err != nil {
		return nil, err
	}
	tables, err := settings.LoadCompiled(k)
	if err != nil {
		return nil, fmt.Errorf("load the vendors' tables: %w", err)
	}
	profiles := sync.OnceValue(func() []rulepack.ProfileInfo { return rulepack.ProfilesApart(packs) })
	return &Explainer{topics, rulepack.Describe(packs), profiles, platforms, platform.Describer(k), tables}, nil
}

// Words lists all that can be explained: rules, settings, platforms.
func (e *Explainer) Words() []string {
	var out []string
	for i := range e.rules {
		out = append(out, e.rules[i].ID)
	}
	return slices.Concat(slices.Compact(out), settings.IDs(), e.platforms)
}

// Explain is the page about a rule, a setting (also by its rule's id) or a
// platform; nil for a word that is none of them. doc is the machine that was
// named, nil without one. The error is a platform's file that cannot be read.
func (e *Explainer) Explain(word string, doc *report.Report) ([]page.Block, error) {
	if slices.Contains(e.platforms, word) {
		p, err := e.describe(word)
		if err != nil {
			return nil, err
		}
		return e.platform(p, doc), nil
	}
	id := strings.TrimPrefix(word, "setting.")
	if s, ok := settings.Lookup(id); ok {
		return e.setting(s, doc), nil
	}
	rules := slices.DeleteFunc(slices.Clone(e.rules), func(r rulepack.RuleInfo) bool { return r.ID != word })
	if len(rules) == 0 {
		return nil, nil
	}
	return e.rule(rules, doc), nil
}

// KnowsRule reports whether a word is a rule's id.
func (e *Explainer) KnowsRule(word string) bool {
	return slices.ContainsFunc(e.rules, func(r rulepack.RuleInfo) bool { return r.ID == word })
}

// Knows reports whether Explain has a page about a word.
func (e *Explainer) Knows(word string) bool {
	_, setting := settings.Lookup(strings.TrimPrefix(word, "setting."))
	return setting || slices.Contains(e.Words(), word)
}

func partHeading(name string) page.Block { return page.Block{Head: &page.Head{Level: 3, Name: name}} }

// rule explains the rules of one id, the one for every machine first.
func (e *Explainer) rule(rules []rulepack.RuleInfo, doc *report.Report) []page.Block {
	general := rules[len(rules)-1]
	out := append([]page.Block{{Head: &page.Head{Level: 2, Kind: "rule", Name: general.ID}}}, e.about(general.ID, general.Title)...)
	out = append(out, partHeading("Why it matters"))
	for _, why := range differentTexts(rules, func(r *rulepack.RuleInfo) string { return r.Why }) {
		out = append(out, page.Block{Fields: []page.Field{why}, Indent: 2})
	}
	out = append(out, e.measured(general.ID, differentTexts(rules, effect))...)
	if f, name := audit.Example(general); f != nil {
		out = append(out, partHeading("What a report says: a made-up machine ("+name+")"), page.Block{Example: bareFinding(f)})
	}
	out = append(out, e.judged(general.ID, doc)...)
	return slices.Concat(out, waysToMend(rules), sources(rules))
}

// bareFinding is a finding without what the page about its rule says in parts of its own.
func bareFinding(f *verdict.Finding) string {
	built := report.BuildFinding(f)
	built.Why, built.Remedy, built.Citation, built.Effect = nil, nil, nil, nil
	return text.Finding(&built, text.Options{Width: exampleWidth})
}

// effect is what a document says of a rule's effect, with the document; "" where none
// does. An effect that is computed is told by the rule's own example.
func effect(r *rulepack.RuleInfo) string {
	if !r.Computed {
		if r.Effect == "" {
			return ""
		}
		return r.Effect + " [" + r.Citation.Line() + "]"
	}
	f, _ := audit.Example(*r)
	if f == nil || f.Effect == nil || f.Citation == nil || !strings.HasPrefix(f.Effect.Source, f.Citation.Vendor) {
		return ""
	}
	return f.Effect.Text + " [" + f.Effect.Source + "]"
}

// waysToMend are what a failure's report tells to do.
func waysToMend(rules []rulepack.RuleInfo) []page.Block {
	out := []page.Block{partHeading("How to change it")}
	fields := differentTexts(rules, func(r *rulepack.RuleInfo) string {
		if f, _ := audit.Example(*r); f != nil && f.Result == verdict.Fail {
			return f.Remedy
		}
		return ""
	})
	if len(fields) == 0 {
		fields = []page.Field{{Name: "-", Value: "nothing is to be changed: the rule explains, and never fails"}}
	}
	return append(out, page.Block{Fields: fields, Indent: 2})
}

// sources are the documents behind the rules of one id.
func sources(rules []rulepack.RuleInfo) []page.Block {
	fields := differentTexts(rules, func(r *rulepack.RuleInfo) string { return source(r.Citation) })
	if len(fields) == 0 {
		fields = []page.Field{{Name: "-", Value: "none: the machine is compared with itself, not with a document"}}
	}
	return []page.Block{partHeading("Documents"), {Fields: fields, Indent: 2}}
}

// differentTexts are the different texts of some rules, each with the machines that its
// rule is written for.
func differentTexts(rules []rulepack.RuleInfo, get func(*rulepack.RuleInfo) string) []page.Field {
	var out []page.Field
	for i := range slices.Backward(rules) {
		value := get(&rules[i])
		if value == "" || slices.ContainsFunc(out, func(f page.Field) bool { return strings.HasPrefix(f.Value, value) }) {
			continue
		}
		if scope := rules[i].Scope; scope != "" && len(rules) > 1 {
			value += " [" + scope + "]"
		}
		out = append(out, page.Field{Name: "-", Value: value})
	}
	return out
}

// judged is what an audit of the named machine says of a rule.
func (e *Explainer) judged(rule string, doc *report.Report, before ...page.Block) []page.Block {
	if doc == nil {
		return unnamed()
	}
	out := append([]page.Block{partHeading("This machine")}, before...)
	for i := range doc.Findings {
		f := &doc.Findings[i]
		switch {
		case f.Rule != rule:
		case f.Result == string(verdict.Fail):
			out = append(out, page.Block{Example: text.Finding(f, text.Options{Width: exampleWidth})})
		default:
			out = append(out, page.Block{Indent: 2, Fields: []page.Field{{Name: f.Subject, Value: strings.Join(slices.DeleteFunc([]string{
				f.Result, report.OrEmpty(f.Found), report.OrEmpty(f.Reason), report.OrEmpty(f.KnownBy)}, func(s string) bool { return s == "" }), "; ")}}})
		}
	}
	if len(out) == 1 {
		out = append(out, page.Block{Indent: 2, Fields: []page.Field{{Name: "-", Value: "the audit says nothing of it"}}})
	}
	return out
}

// unnamed says how a machine is named, where none was.
func unnamed() []page.Block {
	return []page.Block{partHeading("This machine"), {Indent: 2, Fields: []page.Field{{Name: "-",
		Value: "none was named: --root / reads the one at hand, --snapshot, --smbios and --bios FILE read another"}}}}
}
