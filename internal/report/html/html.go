// Package html writes a report as one page for a browser: self-contained,
// without a script and without a request, readable on a phone and on paper.
package html

import (
	_ "embed" // the style sheet
	"fmt"
	"io"
	"slices"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/report/wording"
)

//go:embed style.css
var styleSheet string

// Policy is the content security policy of the page: nothing is loaded and
// nothing runs. The page carries it itself, and a server may send it.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// Write prints the report as a page. Every finding has an element of its own
// with data-rule, data-subject and data-result.
func Write(w io.Writer, r *report.Report) error {
	board := text.NewBoard(r)
	p := &pageWriter{r: r, texts: board, marked: board.Marked()}
	p.document()
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

func (p *pageWriter) document() {
	p.Own("<!DOCTYPE html>\n")
	p.Open("html", attr("lang", "en"))
	p.Open("head")
	p.Void("meta", attr("charset", "utf-8"))
	p.Void("meta", attr("name", "viewport"), attr("content", "width=device-width, initial-scale=1"))
	p.Void("meta", attr("name", "color-scheme"), attr("content", "light dark"))
	p.Void("meta", attr("http-equiv", "Content-Security-Policy"), attr("content", Policy))
	machine := wording.Machine(&p.r.Machine)
	if host := report.OrEmpty(p.r.Machine.Host); host != "" {
		machine = host + ", " + machine
	}
	p.Element("title", p.r.Verdict.Status.Word()+" "+machine+" - memaudit")
	p.Own("<style>\n" + styleSheet + "</style>")
	p.Close()
	p.Line()
	p.Open("body")
	p.Element("a", "skip to the findings", markup.Class("skip"), attr("href", "#findings"))
	parts := slices.DeleteFunc(p.parts(), func(a part) bool { return !a.has })
	p.header(parts)
	p.Open("main")
	for _, a := range parts {
		p.Line()
		p.Open("section", attr("id", a.id), attr("aria-labelledby", a.id+"-title"))
		p.Element("h2", a.title, attr("id", a.id+"-title"))
		a.write()
		p.Close()
	}
	p.Close()
	p.footer()
	p.Close()
	p.Close()
	p.Line()
}

// part is a part of the page; one that has nothing to say of the machine is left out.
type part struct {
	id, title string
	has       bool
	write     func()
}

func (p *pageWriter) parts() []part {
	inv := &p.r.Inventory
	guest := p.r.Verdict.Status == report.StatusNotApplicable
	return []part{
		{"problems", p.problemsTitle(), p.hasProblems(), p.problems},
		{"board", "Memory slots", !guest, p.board},
		{"advice", adviceTitle, !guest && len(p.r.Advice) > 0, p.advice},
		{"bandwidth", "Bandwidth", !guest && p.predicts() || len(p.r.Measured) > 0, p.bandwidth},
		{"numa", "NUMA nodes", !guest && len(inv.Nodes) > 0, p.numa},
		{"findings", "Findings", true, p.findings},
		{"settings", "Settings", !guest && len(inv.Settings) > 0, p.settings},
		{"profiles", "Profiles documented for this machine", p.r.Profiles != nil, p.profiles},
		{"baseline", "Changes since the accepted baseline", p.r.Baseline != nil, p.baseline},
		{"slots", "Table of slots", !guest && len(inv.Slots) > 0, p.slots},
		{"sources", "Sources", true, p.sources},
	}
}

// Style returns the style sheet of the pages.
func Style() string { return styleSheet }

// pageWriter is one document being written.
type pageWriter struct {
	markup.Writer
	r *report.Report
	// texts are the words about the slots, marked the slots that something is wrong with, by handle.
	texts  *text.Board
	marked map[string]bool
}

func attr(name, value string) markup.Attr { return markup.Attr{Name: name, Value: value} }

// pair writes one line of a list of terms, nothing for "".
func (p *pageWriter) pair(term, value string) {
	if value == "" {
		return
	}
	p.Element("dt", term)
	p.Element("dd", value)
}

// words writes a text of the picture, nothing for "".
func (p *pageWriter) words(x, y int, class, s string) {
	if s != "" {
		p.Element("text", s, markup.Class(class), markup.Int("x", x), markup.Int("y", y))
	}
}
