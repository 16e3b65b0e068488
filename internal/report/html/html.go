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
	return template.Must(template.New("").Funcs(template.FuncMap{"shade": distanceClass, "lines": joinLines, "add": func(a, b int) int { return a + b }}).ParseFS(templateFiles, "*.tmpl"))
})

// Policy is the content security policy of the page: nothing is loaded and
// nothing runs. The page carries it itself, and a server may send it.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

// StyleSheet returns the style sheet of the pages.
func StyleSheet() string { return styleSheet }

// Write prints the report as a page. Every finding has its own element with data-rule, data-subject and data-result.
func Write(w io.Writer, r *report.Report) error {
	board := text.NewBoard(r)
	p := &page{r: r, texts: board, marked: board.MarkedSlots()}
	if err := templates().ExecuteTemplate(&p.out, "page.tmpl", p.headData()); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	if _, err := w.Write(bytes.Map(printableRune, p.out.Bytes())); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	return nil
}

// printableRune returns a rune of the page, or '?' if it is not printable: firmware may print anything, and
// the templates escape only what HTML gives a meaning to.
func printableRune(r rune) rune {
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

type section struct {
	ID, Title string
	Data      any
}

func (p *page) listSections() []section {
	host := func(data func() any) any {
		if p.isVirtualMachine() {
			return nil
		}
		return data()
	}
	problems := "Notes"
	if slices.ContainsFunc(p.r.Problems, func(pr report.Problem) bool { return pr.IsAboveNote() }) {
		problems = "What to do"
	}
	return slices.DeleteFunc([]section{
		{"problems", problems, p.problemsSection()},
		{"board", "Memory slots", host(p.boardSection)},
		{"advice", adviceTitle, host(p.adviceSection)},
		{"bandwidth", "Bandwidth", p.bandwidthSection()},
		{"numa", "NUMA nodes", host(p.numaSection)},
		{"findings", "Findings", p.findingsSection()},
		{"settings", "Settings", host(p.settingsSection)},
		{"profiles", "Profiles documented for this machine", p.profilesSection()},
		{"baseline", "Changes since the accepted baseline", p.baselineSection()},
		{"slots", "Table of slots", host(p.slotsSection)},
		{"sources", "Sources", p.sourcesSection()},
	}, func(s section) bool { return s.Data == nil })
}

func (p *page) isVirtualMachine() bool { return p.r.Verdict.Status == report.StatusNotApplicable }

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

func (t *table) appendRow(cells ...string) { t.Rows = append(t.Rows, cells) }

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

func citationLink(c *verdict.Citation) link {
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

func nonEmptyPairs(termsAndTexts ...string) []pair {
	var out []pair
	for both := range slices.Chunk(termsAndTexts, 2) {
		if both[1] != "" {
			out = append(out, pair{both[0], link{Text: both[1]}})
		}
	}
	return out
}

func joinLines(lines []string) string { return humanize.Joined("; ", lines...) }

func (p *page) abbreviations() []wording.Term { return wording.TermsIn(p.out.String()) }

// headData is the data of the complete page: the verdict, the machine, the number of checks, the program, and its sections.
func (p *page) headData() map[string]any {
	inv, host := &p.r.Inventory, p.r.Machine.Host.Text()
	pieces := slices.Concat([]string{host}, wording.CountProcessors(inv.Sockets), wording.SumCapacities(inv), []string{wording.DescribeBIOS(&p.r.Machine.BIOS)})
	title := wording.MachineName(&p.r.Machine)
	if host != "" {
		title = host + ", " + title
	}
	version := "memaudit " + p.r.Memaudit.Version + wording.InBrackets(string(p.r.Memaudit.Revision))
	checks, _ := text.CheckCounts(p.r)
	status := p.r.Verdict.Status.Word()
	return map[string]any{
		"Title": status + " " + title + " - memaudit", "Policy": Policy,
		"Style": template.CSS(styleSheet), //nolint:gosec // the style sheet is the program's own
		"Class": p.r.Verdict.Status.Class(), "Status": status, "Verdict": wording.VerdictSentence(p.r), "Machine": humanize.Joined(" · ", pieces...),
		"Checks": checks, "Outdated": p.r.Outdated, "Version": version + ", " + p.r.Schema + ", " + p.r.GeneratedAt, "Sections": p.listSections(),
	}
}

// machineFacts lists what was recognised, what it was checked against and when, and the identifiers if they
// were asked for.
func (p *page) machineFacts() []pair {
	profile := humanize.Joined(": ", "none", string(p.r.Why))
	if p.r.Profile != nil {
		profile = p.r.Profile.ID + wording.InBrackets(string(p.r.Profile.Source))
	}
	out := nonEmptyPairs("platform", strings.Join(wording.PlatformNames(&p.r.Machine), ", "), "profile", profile, "audited", p.r.GeneratedAt)
	id := &p.r.Machine.Identifiers
	return append(out, nonEmptyPairs("system serial", string(id.SystemSerial), "system UUID", string(id.SystemUUID),
		"board serial", string(id.BoardSerial), "chassis serial", string(id.ChassisSerial), "asset tag", string(id.AssetTag))...)
}
