package reference

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"memaudit.example/memaudit/internal/audit/knowledge"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/topology/platform"
)

// Explainer explains rules, settings, platforms and words of the glossary.
type Explainer struct {
	topics   []knowledge.Topic
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
	topics, err := knowledge.ReadTopics(k)
	if err != nil {
		return nil, err
	}
	terms, err := readTerms(k)
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

// KnownWords lists all that can be explained: rules, settings, platforms, words of the glossary.
func (e *Explainer) KnownWords() []string {
	out := e.explainableIDs()
	for _, t := range e.terms {
		for _, name := range t.names {
			out = append(out, strings.ToLower(name))
		}
	}
	return out
}

// Nearest lists the n words that are spelt most like one; vendors' names of settings count, too.
func (e *Explainer) Nearest(word string, n int) []string {
	words := e.KnownWords()
	for t := range e.tables.All() {
		for _, attributes := range t.Settings {
			for i := range attributes {
				name := attributes[i].Menu
				words = append(words, strings.TrimSpace(name[strings.LastIndex(name, ">")+1:]))
			}
		}
	}
	slices.Sort(words)
	return humanize.Nearest(slices.Compact(words), word, n)
}

func (e *Explainer) explainableIDs() []string {
	rules := humanize.Each(e.rules, func(r rulepack.RuleInfo) string { return r.ID })
	return slices.Concat(slices.Compact(rules), settings.IDs(), e.platforms)
}

// Explain lays out the page about a rule, a setting (also by its rule's id), a platform or a word of the
// glossary; nothing for an unknown word. doc is the selected machine's report, nil without one; verbose adds the rules of an id for
// other machines.
func (e *Explainer) Explain(l Layout, word string, doc *report.Report, verbose bool) error {
	word, named := e.resolveWord(word)
	if len(named) > 0 {
		return layOutPage(l, "explain settings", named)
	}
	if slices.Contains(e.platforms, word) {
		p, err := e.describe(word)
		if err != nil {
			return err
		}
		return layOutPage(l, "explain platform", platformPage(p, doc))
	}
	if s, ok := settings.Lookup(strings.TrimPrefix(word, "setting.")); ok {
		return layOutPage(l, "explain setting", e.settingPage(s, doc))
	}
	var rules []*rulePage
	for i := range e.rules {
		if e.rules[i].ID == word {
			rules = append(rules, newRulePage(&e.rules[i]))
		}
	}
	if len(rules) > 0 {
		return layOutPage(l, "explain rule", map[string]any{"Rules": rules, "General": rules[len(rules)-1], "Topic": e.findTopic(word),
			"Effects": e.measuredTexts(word), "Machine": e.machineResults(word, doc), "Needs": e.prerequisitesOf(word), "Verbose": verbose})
	}
	for _, t := range e.termsOf(word) {
		if err := layOutPage(l, "explain term", e.termPage(&t, word)); err != nil {
			return err
		}
	}
	return nil
}

func (e *Explainer) prerequisitesOf(word string) []labelled {
	var out []labelled
	for i := range e.rules {
		if e.rules[i].ID != word && e.rules[i].ID != "feature."+word {
			continue
		}
		for _, p := range e.rules[i].Rule.Prerequisites {
			strength := map[string]string{rulepack.Must: "must hold", rulepack.Indirect: "a remark only", rulepack.Open: "no document found, not checked"}[p.Strength]
			out = append(out, labelled{Name: p.Title, Value: humanize.Joined("; ", strength, p.Concerns, p.Note, citationSource(p.Citation))})
		}
	}
	return out
}

// Knows reports whether Explain has a page about a word.
func (e *Explainer) Knows(word string) bool {
	word, named := e.resolveWord(word)
	_, setting := settings.Lookup(strings.TrimPrefix(word, "setting."))
	return len(named) > 0 || setting || slices.Contains(e.explainableIDs(), word) || len(e.termsOf(word)) > 0
}

// resolveWord returns the id that a word spells in other letters or that a vendor's menu calls so, otherwise the word; and
// the settings if menus call several of them so.
func (e *Explainer) resolveWord(word string) (string, []settings.Setting) {
	ids := e.explainableIDs()
	if slices.Contains(ids, strings.TrimPrefix(word, "setting.")) || len(e.termsOf(word)) > 0 {
		return word, nil
	}
	plain := settings.PlainName(strings.TrimPrefix(strings.ToLower(word), "setting."))
	for _, id := range ids {
		if settings.PlainName(id) == plain {
			return id, nil
		}
	}
	var named, partly []settings.Setting
	for _, id := range settings.IDs() {
		if s, ok := settings.Lookup(id); ok && (e.isMenuName(id, plain) || e.isMenuName(id, coreMenuName(word))) {
			named = append(named, s)
		} else if ok && e.partOfMenu(id, strings.TrimPrefix(word, "setting.")) {
			partly = append(partly, s)
		}
	}
	for _, t := range e.terms {
		if i := slices.IndexFunc(t.names, func(name string) bool {
			return settings.PlainName(name) == plain || coreMenuName(name) == coreMenuName(word)
		}); len(named) == 0 && i >= 0 {
			return t.names[i], nil
		}
	}
	if len(named) == 0 && len(partly) <= partlyNamed {
		named = partly
	}
	if len(named) == 1 {
		return named[0].ID, nil
	}
	return word, named
}

// partlyNamed is the most settings that are listed for words that are a part of their menu names.
const partlyNamed = 6

// partOfMenu reports whether words of at least five letters are a part of a vendor's menu name of a setting.
func (e *Explainer) partOfMenu(id, word string) bool {
	words := func(name string) string {
		return " " + strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ") + " "
	}
	return len(word) >= 5 && e.hasAttribute(id, func(a settings.Attribute) bool {
		return strings.Contains(words(a.Menu[strings.LastIndex(a.Menu, "> ")+1:]), words(word))
	})
}

func (e *Explainer) hasAttribute(id string, is func(settings.Attribute) bool) bool {
	for t := range e.tables.All() {
		if slices.ContainsFunc(t.Settings[id], is) {
			return true
		}
	}
	return false
}

// isMenuName reports whether a vendor calls a setting so, in its menu or as an attribute, with or without words that
// vendors put around a name.
func (e *Explainer) isMenuName(id, plain string) bool {
	isSo := func(name string) bool {
		return name != "" && (coreMenuName(name) == plain || settings.PlainName(name[strings.LastIndex(name, "> ")+1:]) == plain)
	}
	return plain != "" && e.hasAttribute(id, func(a settings.Attribute) bool { return isSo(a.Menu) || isSo(a.Name) })
}

// coreMenuName is a name of a menu without the words that vendors put around it, in the singular.
func coreMenuName(name string) string {
	return strings.TrimSuffix(settings.PlainName(aroundNames().ReplaceAllString(name[strings.LastIndex(name, "> ")+1:], " ")), "s")
}

var aroundNames = lazy.Pattern(`(?i)\([^()]*\)|\[[^][]*\]|intel|amd|\bcpu\b|\bprocessors?\b|\bpci-?e?\b|technology|\btech\b|\bmode\b|\btype\b|control\b|support|enabled?$|^\w+_`)

type labelled struct{ Name, Value, Example string }

// machineResults is what the selected machine has of a rule: values of a setting, results, how it meets the prerequisites of a
// feature, slot sets of its manual.
type machineResults struct{ Values, Results, Meets, Sets []labelled }

func (e *Explainer) machineResults(rule string, doc *report.Report) *machineResults {
	if doc == nil {
		return nil
	}
	out := &machineResults{}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		switch {
		case f.Rule != rule:
		case f.Result == verdict.Fail:
			out.Results = append(out.Results, labelled{Example: text.Finding(f, text.Options{Width: exampleWidth})})
		default:
			out.Results = append(out.Results, labelled{Name: f.Subject.String(),
				Value: humanize.Joined("; ", string(f.Result), string(f.Found), string(f.Reason), string(f.KnownBy))})
		}
	}
	for i := range doc.Findings {
		if f := &doc.Findings[i]; f.Rule == rule || f.Rule == "feature."+strings.TrimPrefix(rule, "setting.") {
			for _, p := range f.Prerequisites {
				out.Meets = append(out.Meets, labelled{Name: p.Title, Value: p.Met})
			}
		}
	}
	if rule == slotOrder || rule == slotCount {
		out.Sets = e.slotSets(doc)
	}
	return out
}

// glossaryFile has the words of docs/glossary.md, which explain knows, too.
const glossaryFile = "explain/glossary.tsv"

type term struct {
	names   []string
	meaning string
}

func readTerms(k fs.FS) ([]term, error) {
	raw, err := fs.ReadFile(k, glossaryFile)
	if err != nil {
		return nil, fmt.Errorf("read the glossary: %w", err)
	}
	var out []term
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		names, meaning, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("read %s: %q: expected a word, a tab and its meaning", glossaryFile, line)
		}
		out = append(out, term{strings.Split(names, ", "), meaning})
	}
	return out, nil
}

// termsOf lists the terms that a word refers to, ignoring case: only the one of this name if there is one, otherwise those of
// whose first name it is a part ("numa" of "NUMA node").
func (e *Explainer) termsOf(word string) []term {
	var out []term
	same := func(name string) bool { return strings.EqualFold(name, word) }
	for _, t := range e.terms {
		if slices.ContainsFunc(t.names, same) {
			return []term{t}
		}
		if slices.ContainsFunc(strings.Fields(t.names[0]), same) {
			out = append(out, t)
		}
	}
	return out
}

func (e *Explainer) termPage(t *term, asked string) map[string]any {
	var topic *knowledge.Topic
	for _, name := range t.names {
		if topic = e.findTopic(name); topic != nil {
			break
		}
	}
	var also []string
	for _, id := range e.explainableIDs() {
		if slices.Contains(strings.FieldsFunc(id, func(r rune) bool { return r == '.' || r == '_' || r == '-' }), strings.ToLower(asked)) {
			also = append(also, id)
		}
	}
	return map[string]any{"Names": t.names, "Meaning": strings.ReplaceAll(t.meaning, "`", ""), "Topic": topic, "Also": also}
}

func (e *Explainer) findTopic(word string) *knowledge.Topic {
	i := slices.IndexFunc(e.topics, func(t knowledge.Topic) bool {
		return slices.ContainsFunc(t.For, func(pattern string) bool { match, _ := path.Match(pattern, word); return match })
	})
	if i < 0 {
		return nil
	}
	return &e.topics[i]
}

func (e *Explainer) measuredTexts(word string) []string {
	var out []string
	if t := e.findTopic(word); t != nil {
		for i := range t.Measured {
			out = append(out, t.Measured[i].Text+" ["+t.Measured[i].Source.Line()+"]")
		}
	}
	return out
}
