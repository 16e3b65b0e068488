// Package html writes a report as one page for a browser: self-contained,
// without a script and without a request, readable on a phone and on paper.
package html

import (
	_ "embed" // the style sheet
	"fmt"
	"io"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
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
	p := &pageWriter{r: r}
	p.roots, p.led = causes(r.Findings)
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
	p.Element("title", p.r.Verdict.Status.Word()+" "+wording.Machine(&p.r.Machine)+" - memaudit")
	p.Own("<style>\n" + styleSheet + "</style>")
	p.Close()
	p.Line()
	p.Open("body")
	p.Element("a", "skip to the findings", markup.Class("skip"), attr("href", "#findings"))
	p.header()
	p.Open("main")
	p.board()
	p.advice()
	p.bandwidth()
	p.numa()
	p.findings()
	p.settings()
	p.profiles()
	p.baseline()
	p.slots()
	p.sources()
	p.Close()
	p.footer()
	p.Close()
	p.Close()
	p.Line()
}
