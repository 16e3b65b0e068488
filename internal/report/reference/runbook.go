package reference

import (
	"bytes"
	"html/template"
	"strings"

	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report/printable"
)

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
