// Package reference prints pages about rules, profiles, settings and platforms: the output of memaudit rules show, profiles
// show and explain, and the page of all rules, rules/by-name.md. The pages are templates, which see the data of the packs.
package reference

import (
	"bytes"
	"cmp"
	"embed"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/text"
)

//go:embed *.tmpl
var pageFiles embed.FS

// Layout prints the parts of a page: text.Page for a terminal, others for files.
type Layout interface {
	// Head prints a heading: of level 1 for the page, 2 for a thing of a kind, 3 for a part of it.
	Head(level int, kind, name string)
	Text(s string)
	// Field prints a labelled text at a column; nothing for an empty one. Code marks expressions and names of files.
	Field(indent int, name, value string, code bool)
	Table(heads []string, rows [][]string)
	// Example prints output of the program, line by line; Commands what to type, for who reads a file.
	Example(s string)
	Commands(lines ...string)
}

var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("pages").Funcs(wordFuncs).Funcs(layoutFuncs(nil)).ParseFS(pageFiles, "*.tmpl"))
})

// layOutPage executes a template, which prints by the functions of the layout: the text between them is dropped.
func layOutPage(l Layout, name string, data any) error {
	t, err := pages().Clone()
	if err == nil {
		err = t.Funcs(layoutFuncs(l)).ExecuteTemplate(io.Discard, name, data)
	}
	return err
}

func layoutFuncs(l Layout) template.FuncMap {
	return template.FuncMap{
		"head":     func(level int, kind, name string) string { l.Head(level, kind, name); return "" },
		"part":     func(name string) string { l.Head(3, "", name); return "" },
		"text":     func(s string) string { l.Text(s); return "" },
		"example":  func(s string) string { l.Example(s); return "" },
		"commands": func(lines ...string) string { l.Commands(lines...); return "" },
		"field":    func(name, value string) string { l.Field(0, name, value, false); return "" },
		"code":     func(name, value string) string { l.Field(0, name, value, true); return "" },
		"indented": func(indent int, name, value string) string { l.Field(indent, name, value, false); return "" },
		"item":     func(value string) string { l.Field(2, "-", value, false); return "" },
		"table":    func(heads []string, rows [][]string) string { l.Table(heads, rows); return "" },
	}
}

var wordFuncs = template.FuncMap{
	"number": numberOrEmpty,
	"source": citationSource, "document": citationText, "speeds": tabulateSpeeds, "elsewhere": otherWants, "computed": func(text string) string { return strings.TrimPrefix(text, constant(text)) },
	"literal": constant,
	"numbers": func(list []int) string { return strings.Join(humanize.Each(list, strconv.Itoa), ", ") },
	"list":    func(words ...string) []string { return words },
	"row":     func(rows [][]string, cells ...string) [][]string { return append(rows, cells) },
	"norows":  func() [][]string { return nil },
	"when": func(holds bool, s string) string {
		if holds {
			return s
		}
		return ""
	},
	"after": func(prefix, s string) string {
		if s == "" {
			return ""
		}
		return prefix + s
	},
	"join":   strings.Join,
	"joined": humanize.Joined,
}

// numberOrEmpty returns "" for 0, which is undocumented.
func numberOrEmpty(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// exampleWidth leaves space for an indent in 80 columns.
const exampleWidth = 78

// rulePage is a rule with its finding in the first of its cases that fails, nil if there is none.
type rulePage struct {
	*rulepack.RuleInfo
	finding *verdict.Finding
	// Case is that case's name.
	Case string
}

func newRulePage(i *rulepack.RuleInfo) *rulePage {
	f, name := audit.Example(*i)
	return &rulePage{i, f, name}
}

// LayOutRule lays out the page of a rule.
func LayOutRule(l Layout, i *rulepack.RuleInfo) error { return layOutPage(l, "rule", newRulePage(i)) }

// Profile lays out the page of a profile, setting by setting, with the different values of profiles of the same intent for
// other machines.
func Profile(l Layout, i *rulepack.ProfileInfo) error { return layOutPage(l, "profile", i) }

// Does describes the result of the case: a rule that never fails explains what it passes.
func (r *rulePage) Does() string {
	if r.finding.Result == verdict.Pass {
		return "passes with an explanation"
	}
	return "fails"
}

// Printed returns the finding of the case as the program prints it.
func (r *rulePage) Printed() string {
	if r.finding == nil {
		return ""
	}
	return text.Finding(r.finding, text.Options{Width: exampleWidth})
}

// Problem returns the rule's short sentence; from its example if it depends on the machine.
func (r *rulePage) Problem() string {
	return r.evaluatedText(r.Rule.Texts().Short, func(f *verdict.Finding) string { return f.Short })
}

// Fixes returns what to do, in general and by vendor.
func (r *rulePage) Fixes() []string {
	if r.Rule.Explains {
		return []string{"nothing: the rule never fails, it explains what a reader may take for a fault"}
	}
	out := []string{r.evaluatedText(cmp.Or(r.Rule.Texts().Fix, r.Remedy), func(f *verdict.Finding) string { return cmp.Or(f.Fix, string(f.Remedy)) })}
	for _, vendor := range slices.Sorted(maps.Keys(r.Remedies)) {
		if words := constant(r.Remedies[vendor]); words != "" {
			out = append(out, vendor+": "+words)
		}
	}
	return out
}

// evaluatedText returns a text if it is constant, otherwise as printed in the example.
func (r *rulePage) evaluatedText(text string, evaluated func(*verdict.Finding) string) string {
	words := constant(text)
	if words != "" || r.finding == nil {
		return words
	}
	if words = evaluated(r.finding); words != "" {
		words = "for example: " + words
	}
	return words
}

// constant returns a text unless it depends on the machine, and computed one that does.
func constant(text string) string {
	if strings.Contains(text, "{{") {
		return ""
	}
	return text
}

func citationSource(c *verdict.Citation) string {
	if c == nil {
		return ""
	}
	return humanize.Joined(", ", c.Line(), string(c.URL))
}

func otherWants(others []rulepack.OtherWant) []string {
	var profiles humanize.Groups[string]
	for _, o := range others {
		profiles.Add(o.Value, o.Profile)
	}
	return humanize.Each(profiles.Names, func(value string) string { return value + ": " + strings.Join(profiles.Of[value], ", ") })
}

// RulesByName lays out the page of all rules: under a heading for each id the rules of all packs, with their results on the
// example servers, and then the settings of profiles. examples maps a rule's id to the example servers on which it fails, passes
// or is unknown.
func RulesByName(l Layout, packs []*rulepack.Pack, examples map[string]string) error {
	var rules [][]*rulePage
	infos := rulepack.Describe(packs)
	for i := range infos {
		if i == 0 || infos[i].ID != infos[i-1].ID {
			rules = append(rules, nil)
		}
		last := len(rules) - 1
		rules[last] = append(rules[last], newRulePage(&infos[i]))
	}
	return layOutPage(l, "by name", map[string]any{"Rules": rules, "Settings": settings.All(), "Examples": examples})
}

// htmlPage is a Layout that writes the content of a page for a browser: a heading of level 2 has its name as id, for links.
type htmlPage struct{ bytes.Buffer }

func (h *htmlPage) writeElement(start, text, end string) {
	if text != "" {
		h.WriteString(start + template.HTMLEscapeString(text) + end + "\n")
	}
}

// Head implements Layout, as the other methods do.
func (h *htmlPage) Head(level int, _, name string) {
	name = singleLine(name)
	if level < 3 {
		name = template.HTMLEscapeString(name)
		h.WriteString(`<h2 id="` + name + `"><a href="#` + name + `">` + name + "</a></h2>\n")
		return
	}
	h.writeElement("<p><strong>", name, "</strong></p>")
}

func (h *htmlPage) Text(s string) { h.writeElement("<p>", singleLine(s), "</p>") }

func (h *htmlPage) Field(_ int, name, value string, _ bool) {
	if name != "-" && value != "" {
		value = name + ": " + value
	}
	h.writeElement("<p class=item>", singleLine(value), "</p>")
}

// Table prints nothing, as Commands does.
func (h *htmlPage) Table([]string, [][]string) {}

func (h *htmlPage) Commands(...string) {}

func (h *htmlPage) Example(s string) {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = printable.Clean(lines[i])
	}
	h.writeElement("<pre>", strings.Join(lines, "\n"), "</pre>")
}

func singleLine(s string) string { return printable.Clean(strings.Join(strings.Fields(s), " ")) }

// Runbook returns the page that alerts link to, as HTML: below the name of each alert of alertsPage (Markdown) what it means
// and what to do, and below the id of each rule and setting what is wrong, why it matters and how to fix it.
func (e *Explainer) Runbook(alertsPage, style string) ([]byte, error) {
	var h htmlPage
	h.WriteString(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>memaudit: alerts and rules</title>
<style>` + style + `h2 { margin: 1.5rem 0 .25rem; } main p { margin-bottom: .5rem; } .item { padding-left: 1.25rem; } pre { overflow-x: auto; }</style>
</head>
<body>
<header><h1>memaudit: alerts and rules</h1></header>
<main>
`)
	layOutAlerts(&h, alertsPage)
	for i := range e.rules {
		if i+1 < len(e.rules) && e.rules[i+1].ID == e.rules[i].ID {
			continue // the last one is for machines in general
		}
		if err := layOutPage(&h, "rule in short", map[string]any{"General": newRulePage(&e.rules[i]), "Topic": e.findTopic(e.rules[i].ID), "Effects": e.measuredTexts(e.rules[i].ID)}); err != nil {
			return nil, err
		}
	}
	for _, s := range settings.All() {
		ways, _ := e.vendorNames(s.ID, nil)
		if err := layOutPage(&h, "setting in short", map[string]any{"Setting": s, "Topic": e.findTopic(s.ID), "Ways": ways}); err != nil {
			return nil, err
		}
	}
	h.WriteString("</main>\n</body>\n</html>\n")
	return h.Bytes(), nil
}

// layOutAlerts lays out the parts about alerts of a page in Markdown: paragraphs and blocks of code below "## Alerts".
func layOutAlerts(l Layout, markdown string) {
	_, about, _ := strings.Cut(markdown, "\n## Alerts\n")
	for part := range strings.SplitSeq(about, "\n### ") {
		name, body, _ := strings.Cut(part, "\n")
		if !strings.HasPrefix(name, "Memaudit") {
			continue // how the alerts are made
		}
		l.Head(2, "", name)
		for paragraph := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
			if code, ok := strings.CutPrefix(paragraph, "```"); ok {
				_, code, _ = strings.Cut(strings.TrimSuffix(code, "```"), "\n")
				l.Example(code)
			} else {
				l.Text(strings.ReplaceAll(paragraph, "`", ""))
			}
		}
	}
}
