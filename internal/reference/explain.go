package reference

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/verdict"
)

// topicsFile holds what rules and settings are about, in words and drawings.
const topicsFile = "explain/topics.yaml"

// Topic says what some words are about, for a reader to whom they are new.
type Topic struct {
	// For are the ids that it explains; * at an end stands for anything.
	For     []string `yaml:"for"`
	What    string   `yaml:"what"`
	Drawing string   `yaml:"drawing"`
}

// Topics reads the topics of the knowledge.
func Topics(k fs.FS) ([]Topic, error) {
	raw, err := fs.ReadFile(k, topicsFile)
	if err != nil {
		return nil, fmt.Errorf("read the topics: %w", err)
	}
	var file struct {
		Topics []Topic `yaml:"topics"`
	}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", topicsFile, err)
	}
	return file.Topics, nil
}

// names reports whether a topic explains a word.
func (t *Topic) names(word string) bool {
	return slices.ContainsFunc(t.For, func(pattern string) bool {
		head, behind := strings.CutPrefix(pattern, "*")
		stem, before := strings.CutSuffix(head, "*")
		switch {
		case behind && before:
			return strings.Contains(word, stem)
		case before:
			return strings.HasPrefix(word, stem)
		case behind:
			return strings.HasSuffix(word, stem)
		default:
			return word == pattern
		}
	})
}

// Explainer explains rules, settings and platforms.
type Explainer struct {
	topics    []Topic
	rules     []rulepack.RuleInfo
	profiles  []rulepack.ProfileInfo
	platforms []platform.Info
}

// NewExplainer reads what explanations are made of.
func NewExplainer(k fs.FS, packs []*rulepack.Pack) (*Explainer, error) {
	topics, err := Topics(k)
	if err != nil {
		return nil, err
	}
	platforms, err := platform.Describe(k)
	if err != nil {
		return nil, err
	}
	tables, err := settings.Load(k, "settings")
	if err != nil {
		return nil, fmt.Errorf("load the vendors' tables: %w", err)
	}
	e := &Explainer{topics, rulepack.Describe(packs), rulepack.DescribeProfiles(packs), platforms}
	SetBy(e.profiles, tables)
	return e, nil
}

// Words lists all that can be explained: rules, settings, platforms.
func (e *Explainer) Words() []string {
	var out []string
	for i := range e.rules {
		out = append(out, e.rules[i].ID)
	}
	out = append(slices.Compact(out), settings.IDs()...)
	for i := range e.platforms {
		out = append(out, e.platforms[i].ID)
	}
	return out
}

// Explain is the page about a rule, a setting (also by its rule's id) or a
// platform; nil for a word that is none of them. doc is the machine that was
// named, nil without one.
func (e *Explainer) Explain(word string, doc *report.Report) []page.Block {
	for i := range e.platforms {
		if p := &e.platforms[i]; p.ID == word {
			return e.platform(p, doc)
		}
	}
	id := strings.TrimPrefix(word, "setting.")
	if s, ok := settings.Lookup(id); ok {
		return e.setting(s, doc)
	}
	rules := slices.DeleteFunc(slices.Clone(e.rules), func(r rulepack.RuleInfo) bool { return r.ID != word })
	if len(rules) == 0 {
		return nil
	}
	return e.rule(rules, doc)
}

// about is what a word means, with its drawing.
func (e *Explainer) about(word, title string) []page.Block {
	out := []page.Block{{Text: title}}
	i := slices.IndexFunc(e.topics, func(t Topic) bool { return t.names(word) })
	if i < 0 {
		return out
	}
	out = append(out, page.Block{Text: e.topics[i].What})
	if d := e.topics[i].Drawing; d != "" {
		out = append(out, page.Block{Example: d})
	}
	return out
}

func part(name string) page.Block { return page.Block{Head: &page.Head{Level: 3, Name: name}} }

// rule explains the rules of one id, the one for every machine first.
func (e *Explainer) rule(rules []rulepack.RuleInfo, doc *report.Report) []page.Block {
	general := rules[len(rules)-1]
	out := append([]page.Block{{Head: &page.Head{Level: 2, Kind: "rule", Name: general.ID}}}, e.about(general.ID, general.Title)...)
	out = append(out, part("Why it matters"))
	for _, why := range texts(rules, func(r *rulepack.RuleInfo) string { return r.Why }) {
		out = append(out, page.Block{Fields: []page.Field{why}, Indent: 2})
	}
	if f, name := audit.Example(general); f != nil {
		built := report.BuildFinding(f)
		out = append(out, part("What it says and how it is mended: a made-up machine ("+name+")"),
			page.Block{Example: text.Finding(&built, text.Options{Width: exampleWidth})})
	}
	if effects := texts(rules, func(r *rulepack.RuleInfo) string {
		if r.Computed {
			return ""
		}
		return r.Effect
	}); len(effects) > 0 {
		out = append(out, part("Measured"), page.Block{Fields: effects, Indent: 2})
	}
	out = append(out, e.judged(general.ID, doc)...)
	out = append(out, part("Documents"))
	return append(out, page.Block{Fields: texts(rules, func(r *rulepack.RuleInfo) string { return source(r.Citation) }), Indent: 2})
}

// texts are the different texts of some rules, each with the machines that its
// rule is written for.
func texts(rules []rulepack.RuleInfo, get func(*rulepack.RuleInfo) string) []page.Field {
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
func (e *Explainer) judged(rule string, doc *report.Report) []page.Block {
	if doc == nil {
		return nil
	}
	out := []page.Block{part("This machine")}
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
	return out
}
