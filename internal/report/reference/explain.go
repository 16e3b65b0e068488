package reference

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// Explainer explains rules, settings, platforms and words of the glossary.
type Explainer struct {
	topics   []Topic
	terms    []term
	rules    []rulepack.RuleInfo
	profiles []rulepack.ProfileInfo
	// knowledge has the slot sets if a machine is given.
	knowledge fs.FS
	// platforms are their ids; each file is read when needed.
	platforms []string
	describe  func(id string) (*platform.Info, error)
	tables    settings.Tables
}

// NewExplainer reads the data that explanations are made of.
func NewExplainer(k fs.FS, packs []*rulepack.Pack) (*Explainer, error) {
	topics, err := Topics(k)
	if err != nil {
		return nil, err
	}
	terms, err := glossary(k)
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
	return &Explainer{topics, terms, rulepack.Describe(packs), rulepack.ProfilesApart(packs), k, platforms, platform.Describer(k), tables}, nil
}

// Words lists all that can be explained: rules, settings, platforms, words of the glossary.
func (e *Explainer) Words() []string {
	out := e.ids()
	for _, t := range e.terms {
		for _, name := range t.names {
			word, _, _ := strings.Cut(strings.ToLower(name), " ")
			out = append(out, word)
		}
	}
	return out
}

func (e *Explainer) ids() []string {
	var out []string
	for i := range e.rules {
		out = append(out, e.rules[i].ID)
	}
	return slices.Concat(slices.Compact(out), settings.IDs(), e.platforms)
}

// Explain returns the page about a rule, a setting (also by its rule's id), a platform or a word of the
// glossary; nil for an unknown word. doc is the selected machine's report, nil without one. The error is that
// of a platform's file.
func (e *Explainer) Explain(word string, doc *report.Report) ([]page.Block, error) {
	word, named := e.resolve(word)
	if len(named) > 0 {
		return settingsList(named), nil
	}
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
	if len(rules) > 0 {
		return e.rule(rules, doc), nil
	}
	var out []page.Block
	for _, t := range e.termsOf(word) {
		out = append(out, e.term(&t, word)...)
	}
	return out, nil
}

// Knows reports whether Explain has a page about a word.
func (e *Explainer) Knows(word string) bool {
	word, named := e.resolve(word)
	_, setting := settings.Lookup(strings.TrimPrefix(word, "setting."))
	return len(named) > 0 || setting || slices.Contains(e.ids(), word) || len(e.termsOf(word)) > 0
}

// resolve returns the id that a word spells in other letters or that a vendor's menu calls so, otherwise the word; and
// the settings if menus call several of them so.
func (e *Explainer) resolve(word string) (string, []settings.Setting) {
	ids := e.ids()
	if slices.Contains(ids, strings.TrimPrefix(word, "setting.")) || len(e.termsOf(word)) > 0 {
		return word, nil
	}
	plain := settings.PlainName(strings.TrimPrefix(strings.ToLower(word), "setting."))
	for _, id := range ids {
		if settings.PlainName(id) == plain {
			return id, nil
		}
	}
	var named []settings.Setting
	for _, id := range settings.IDs() {
		if s, ok := settings.Lookup(id); ok && e.menuName(id, plain) {
			named = append(named, s)
		}
	}
	if len(named) == 1 {
		return named[0].ID, nil
	}
	return word, named
}

// menuName reports whether a vendor calls a setting so, in its menu or as an attribute, with or without words that
// vendors put around a name.
func (e *Explainer) menuName(id, plain string) bool {
	core := func(name string) string {
		name = aroundNames.ReplaceAllString(name[strings.LastIndex(name, "> ")+1:], " ")
		return settings.PlainName(name)
	}
	for t := range e.tables.All() {
		for i := range t.Settings[id] {
			a := &t.Settings[id][i]
			for _, name := range []string{a.Menu, a.Name} {
				if name != "" && plain != "" && (core(name) == plain || settings.PlainName(name[strings.LastIndex(name, "> ")+1:]) == plain) {
					return true
				}
			}
		}
	}
	return false
}

// aroundNames are parts of menu names that people leave out.
var aroundNames = regexp.MustCompile(`(?i)\([^()]*\)|intel|amd|technology|\btech\b|\bmode\b|support|enable$|^\w+_`)

func settingsList(named []settings.Setting) []page.Block {
	fields := make([]page.Field, len(named))
	for i, s := range named {
		fields[i] = page.Field{Name: s.ID, Value: s.Title + ": memaudit explain " + s.ID}
	}
	return []page.Block{{Text: "Vendors' menus have this name for several settings."}, {Indent: 2, Fields: fields}}
}

func partHeading(name string) page.Block { return page.Block{Head: &page.Head{Level: 3, Name: name}} }

// rule explains the rules of one id: what is wrong, why it matters and how to fix it, from the rule for
// machines in general; then measurements, the result on the selected machine, and each rule of the id.
func (e *Explainer) rule(rules []rulepack.RuleInfo, doc *report.Report) []page.Block {
	general := &rules[len(rules)-1]
	example, _ := audit.Example(*general)
	out := []page.Block{{Head: &page.Head{Level: 2, Kind: "rule", Name: general.ID}}, {Fields: []page.Field{{Name: "checks", Value: general.Title}, problem(general, example)}}}
	if t := e.topic(general.ID); t != nil {
		out = append(out, page.Block{Text: t.What}, page.Block{Example: t.Drawing})
	}
	out = append(out, partHeading("Why it matters"), page.Block{Indent: 2, Fields: []page.Field{{Name: "-", Value: general.Why}}},
		partHeading("How to fix it"), page.Block{Indent: 2, Fields: fixes("-", general, example)})
	if measured := e.measuredOf(general.ID); len(measured) > 0 {
		out = append(out, effectsPart(measured)...)
	}
	out = append(out, e.judged(general.ID, doc)...)
	out = append(out, partHeading("Rules"))
	if len(rules) > 1 {
		out = append(out, page.Block{Text: "The narrowest that fits the machine applies."})
	}
	for i := range rules {
		fields := ruleFacts(&rules[i])
		if &rules[i] != general {
			example, _ := audit.Example(rules[i])
			fields = append(ruleForPeople(&rules[i], example), fields...)
		}
		if len(rules) > 1 {
			out = append(out, rulesHeading(&rules[i]))
		}
		out = append(out, page.Block{Fields: fields})
		out = append(out, ruleExample(&rules[i])...)
	}
	return append(out, page.Block{Text: "Its expressions: memaudit rules show " + general.ID})
}

func (e *Explainer) judged(rule string, doc *report.Report, before ...page.Block) []page.Block {
	if doc == nil {
		return unnamed()
	}
	out := append([]page.Block{partHeading("This machine")}, before...)
	for i := range doc.Findings {
		f := &doc.Findings[i]
		switch {
		case f.Rule != rule:
		case f.Result == verdict.Fail:
			out = append(out, page.Block{Example: text.Finding(f, text.Options{Width: exampleWidth})})
		default:
			out = append(out, page.Block{Indent: 2, Fields: []page.Field{{Name: f.Subject.String(), Value: strings.Join(slices.DeleteFunc([]string{
				string(f.Result), string(f.Found), string(f.Reason), string(f.KnownBy)}, func(s string) bool { return s == "" }), "; ")}}})
		}
	}
	if rule == slotOrder || rule == slotCount {
		out = append(out, e.slotSets(doc)...)
	}
	if len(out) == 1 {
		out = append(out, page.Block{Indent: 2, Fields: []page.Field{{Name: "-", Value: "the audit says nothing of it"}}})
	}
	return out
}

func unnamed() []page.Block {
	return []page.Block{partHeading("This machine"), {Indent: 2, Fields: []page.Field{{Name: "-",
		Value: "none was named: --root / reads this machine, --snapshot, --smbios and --bios FILE read another"}}}}
}
