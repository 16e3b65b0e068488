// Package html writes a report as one page for a browser: self-contained,
// without a script and without a request, readable on a phone and on paper.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

//go:embed style.css
var styleSheet string

//go:embed *.tmpl
var templateFiles embed.FS

// templates are parsed once, and only if a page is written.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"shade": distanceClass}).ParseFS(templateFiles, "*.tmpl"))
})

// Policy is the content security policy of the page: nothing is loaded and
// nothing runs. The page carries it itself, and a server may send it.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// Style returns the style sheet of the pages.
func Style() string { return styleSheet }

// Write prints the report as a page. Every finding has its own element with data-rule, data-subject and data-result.
func Write(w io.Writer, r *report.Report) error {
	board := text.NewBoard(r)
	p := &page{r: r, texts: board, marked: board.Marked()}
	if err := templates().ExecuteTemplate(&p.out, "page.tmpl", p.head()); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	if _, err := w.Write(bytes.Map(printed, p.out.Bytes())); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// printed returns a rune of the page, or '?' if it is not printable: firmware may print anything, and
// the templates escape only what HTML gives a meaning to.
func printed(r rune) rune {
	if r == '\n' || r != unicode.ReplacementChar && unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// page collects what the page of one report shows. Its methods return the data of the templates.
type page struct {
	r *report.Report
	// texts are the words about the slots, marked the slots that something is wrong with, by handle.
	texts  *text.Board
	marked map[string]bool
	out    bytes.Buffer
}

// section is a section of the page, with the data of its template.
type section struct {
	ID, Title string
	Data      any
}

// sections lists the sections that have data. A guest has none about its memory.
func (p *page) sections() []section {
	host := func(data func() any) any {
		if p.guest() {
			return nil
		}
		return data()
	}
	return slices.DeleteFunc([]section{
		{"problems", p.problemsTitle(), p.problems()},
		{"board", "Memory slots", host(p.board)},
		{"advice", adviceTitle, host(p.advice)},
		{"bandwidth", "Bandwidth", p.bandwidth()},
		{"numa", "NUMA nodes", host(p.numa)},
		{"findings", "Findings", p.findings()},
		{"settings", "Settings", host(p.settings)},
		{"profiles", "Profiles documented for this machine", p.profiles()},
		{"baseline", "Changes since the accepted baseline", p.baseline()},
		{"slots", "Table of slots", host(p.slots)},
		{"sources", "Sources", p.sources()},
	}, func(s section) bool { return s.Data == nil })
}

func (p *page) guest() bool { return p.r.Verdict.Status == report.StatusNotApplicable }

// plain is a section of sentences and tables.
type plain struct {
	Text   string
	Table  *table
	Folded []folded
	Notes  []string
}

// folded is a table that a reader unfolds.
type folded struct {
	Summary, Note string
	Table         *table
}

// table is a table; the first cell of each row is its heading. The others carry their column's name, so
// that a narrow page can show each row as a list.
type table struct {
	Head []string
	Rows [][]string
}

func newTable(head ...string) *table { return &table{Head: head} }

func (t *table) row(cells ...string) { t.Rows = append(t.Rows, cells) }

// link is a text, with the address that it leads to: an ID of the page or one of the web.
type link struct{ Text, ID, URL string }

// webLink returns a text, as a link if the address is one of the web.
func webLink(text, url string) link {
	if !onTheWeb(url) {
		url = ""
	}
	return link{Text: text, URL: url}
}

func onTheWeb(url string) bool {
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://")
}

func citation(c *verdict.Citation) link {
	url := string(c.URL)
	if url != "" && !onTheWeb(url) {
		return link{Text: c.Line() + ", " + url}
	}
	return webLink(c.Line(), url)
}

type pair struct {
	Term string
	Text link
}

// pairs returns terms with their descriptions, without those that are "".
func pairs(termsAndTexts ...string) []pair {
	var out []pair
	for both := range slices.Chunk(termsAndTexts, 2) {
		if both[1] != "" {
			out = append(out, pair{both[0], link{Text: both[1]}})
		}
	}
	return out
}

func joined(lines []string) string { return humanize.Joined("; ", lines...) }

// sockets are processors with the same description.
type sockets struct {
	first int // the number of the first
	ids   []int
}

func alike(n int, of func(int) (id int, description string)) []sockets {
	var out []sockets
	at := map[string]int{}
	for i := range n {
		id, key := of(i)
		if _, seen := at[key]; !seen {
			at[key] = len(out)
			out = append(out, sockets{first: i})
		}
		group := &out[at[key]]
		group.ids = append(group.ids, id)
	}
	return out
}

func (p *page) abbreviations() []wording.Term { return wording.TermsIn(p.out.String()) }

// head is the data of the complete page: the verdict, the machine, the number of checks, the program, and its
// sections.
type head struct {
	Title, Policy                                              string
	Style                                                      template.CSS
	Class, Status, Verdict, Machine, Checks, Outdated, Version string
	Sections                                                   []section
}

func (p *page) head() *head {
	inv, host := &p.r.Inventory, p.r.Machine.Host.Text()
	pieces := slices.Concat([]string{host}, wording.Processors(inv.Sockets), wording.Capacities(inv), []string{wording.BIOS(&p.r.Machine.BIOS)})
	title := wording.Machine(&p.r.Machine)
	if host != "" {
		title = host + ", " + title
	}
	version := "memaudit " + p.r.Memaudit.Version
	if p.r.Memaudit.Revision != "" {
		version += " (" + string(p.r.Memaudit.Revision) + ")"
	}
	checks, _ := text.Counts(p.r)
	status := p.r.Verdict.Status.Word()
	return &head{
		Title: status + " " + title + " - memaudit", Policy: Policy,
		Style: template.CSS(styleSheet), //nolint:gosec // the style sheet is the program's own
		Class: p.r.Verdict.Status.Class(), Status: status, Verdict: wording.Verdict(p.r),
		Machine: humanize.Joined(" · ", pieces...),
		Checks:  checks, Outdated: p.r.Outdated, Version: version + ", " + p.r.Schema + ", " + p.r.GeneratedAt, Sections: p.sections(),
	}
}

func profile(r *report.Report) string {
	if r.Profile == nil {
		return humanize.Joined(": ", "none", string(r.Why))
	}
	return r.Profile.ID + wording.InBrackets(string(r.Profile.Source))
}

// facts lists what was recognised, what it was checked against and when, and the identifiers if they
// were asked for.
func (p *page) facts() []pair {
	out := pairs("platform", strings.Join(wording.Platform(&p.r.Machine), ", "), "profile", profile(p.r), "audited", p.r.GeneratedAt)
	id := &p.r.Machine.Identifiers
	return append(out, pairs("system serial", string(id.SystemSerial), "system UUID", string(id.SystemUUID),
		"board serial", string(id.BoardSerial), "chassis serial", string(id.ChassisSerial), "asset tag", string(id.AssetTag))...)
}
