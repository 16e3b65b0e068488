package fleet

import (
	_ "embed" // the page
	"encoding/csv"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/printable"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("fleet").Funcs(template.FuncMap{"add": func(a, b int) int { return a + b }}).Parse(pageText))
})

type page struct {
	Policy   string
	Style    template.CSS
	Count    string
	Verdicts []pageVerdict
	Problems []Problem
	Machines []pageMachines
	Tables   []pageTable
}

type pageVerdict struct {
	N           int
	Word, Class string
}

type pageMachines struct {
	Title  string
	Folded bool
	Rows   []pageMachine
}

type pageMachine struct {
	Name, Class, Word, Product, Bandwidth, Sentence string
	Problems                                        []MachineProblem
	Facts                                           [][2]string
}

type pageTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

func (d *Document) writePage(w io.Writer) error {
	p := page{Policy: html.Policy, Style: template.CSS(html.StyleSheet()), Count: humanize.Plural(len(d.Machines), "machine"), //nolint:gosec // the style sheet is the program's own
		Verdicts: d.pageVerdicts(), Machines: d.pageMachines(), Tables: d.pageTables()}
	for i := range d.Problems {
		q := d.Problems[i]
		q.Sentence, q.Fix, q.LowestOn = printable.Clean(q.Sentence), printable.Clean(q.Fix), printable.Clean(q.LowestOn)
		p.Problems = append(p.Problems, q)
	}
	if err := pageTemplate().Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (d *Document) pageVerdicts() []pageVerdict {
	var out []pageVerdict
	for _, s := range slices.Backward(report.Statuses()) {
		if n := d.Verdicts[s]; n > 0 {
			out = append(out, pageVerdict{n, strings.ToLower(s.Word()), s.Class()})
		}
	}
	if n := d.NotRead(); n > 0 {
		out = append(out, pageVerdict{n, "not read", "error"})
	}
	return out
}

func (d *Document) pageMachines() []pageMachines {
	var out []pageMachines
	last := ""
	for _, m := range d.Machines {
		if len(out) == 0 || m.statusWord() != last {
			last = m.statusWord()
			out = append(out, pageMachines{Folded: !m.hasFailed()})
		}
		g := &out[len(out)-1]
		g.Rows = append(g.Rows, m.pageRow())
		g.Title = last + ": " + humanize.Plural(len(g.Rows), "machine")
	}
	return out
}

func (m *Machine) pageRow() pageMachine {
	row := pageMachine{Name: printable.Clean(m.Name), Class: "unknown", Word: m.statusWord(), Product: printable.Clean(string(m.Product)), Bandwidth: m.relativeShare().Percent(), Sentence: "not checked"}
	if m.Verdict != nil {
		row.Class, row.Sentence = m.Verdict.Status.Class(), printable.Clean(m.Verdict.Sentence)
	}
	for _, p := range m.Problems {
		p.Text, p.Fix = printable.Clean(p.Text), printable.Clean(p.Fix)
		row.Problems = append(row.Problems, p)
	}
	memory := ""
	if m.MemoryBytes != nil {
		memory = humanize.Size(*m.MemoryBytes)
	}
	for _, f := range [][2]string{{"processor", string(m.CPU)}, {"platform", string(m.Platform)}, {"BIOS", string(m.BIOS)}, {"memory", memory}} {
		if f[1] != "" {
			row.Facts = append(row.Facts, [2]string{f[0], printable.Clean(f[1])})
		}
	}
	return row
}

func (d *Document) pageTables() []pageTable {
	tables := []pageTable{
		{Title: "Outliers", Head: []string{string(d.By), "machine", "differs from most in"}},
		{Title: "Measured memory bandwidth, the slowest first", Head: []string{"machine", string(d.By), "slowest node", "bytes per second", "share of the median", "undecided"}},
		{Title: "BIOS versions", Head: []string{"product", "version", "machines", "which"}},
		{Title: "Settings that wait for a reboot", Head: []string{"machine", "setting", "now", "then"}},
		{Title: "Checks that did not run", Head: []string{"reason", "what would help", "machines"}},
		{Title: "Not read", Head: []string{"input", "reason"}},
	}
	add := func(table int, cells ...string) {
		for i := range cells {
			cells[i] = printable.Clean(cells[i])
		}
		tables[table].Rows = append(tables[table].Rows, cells)
	}
	for _, o := range d.findOutliers() {
		add(0, o.kind, o.machine, o.text)
	}
	for _, m := range d.Measured {
		node := ""
		if m.Node != nil {
			node = strconv.Itoa(*m.Node)
		}
		add(1, append([]string{m.Machine, string(m.Kind), node}, append(m.figureCells(), string(m.Undecided))...)...)
	}
	for _, v := range d.BIOSVersions {
		add(2, v.Product, v.Version, strconv.Itoa(len(v.Machines)), strings.Join(v.Machines, ", "))
	}
	for _, p := range d.Pending {
		add(3, p.Machine, p.Setting, string(p.Now), p.Then)
	}
	for _, u := range d.Undecided {
		add(4, u.Reason, string(u.KnownBy), strconv.Itoa(len(u.Machines)))
	}
	for _, u := range d.Unreadable {
		add(5, u.Input, u.Reason)
	}
	if d.UnreadableMore > 0 {
		add(5, "and "+humanize.Plural(d.UnreadableMore, "other input"), "")
	}
	return slices.DeleteFunc(tables, func(t pageTable) bool { return len(t.Rows) == 0 })
}

// Formats lists the values of --format.
func Formats() []string { return []string{"text", "html", "csv", "json"} }

// Options are the options of the text format.
type Options struct {
	// Width is in columns; 0 is 80.
	Width int
	// Section is one of Sections, "" for the overview.
	Section string
}

// Write prints the document in one of Formats.
func (d *Document) Write(w io.Writer, format string, o Options) error {
	switch format {
	case "html":
		return d.writePage(w)
	case "csv":
		out := csv.NewWriter(w)
		_ = out.Write(columns)
		for _, cells := range d.tableRows() {
			for i := range cells {
				cells[i] = printable.CSVCell(cells[i])
			}
			_ = out.Write(cells)
		}
		out.Flush()
		return out.Error()
	case "json":
		text, err := printable.EncodeJSON(d)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	default:
		return d.writeText(w, o)
	}
}

var columns = []string{"name", "product", "platform", "cpu", "bios", "memory_bytes", "population", "worst_severity", "failures", "relative_bandwidth",
	"measured_read_bytes_per_second", "measured_share_of_median", "verdict", "sentence", "relative_bandwidth_high"}

func (d *Document) tableRows() [][]string {
	measured := map[string]*Measured{}
	for i := range d.Measured {
		measured[d.Measured[i].Machine] = &d.Measured[i]
	}
	var out [][]string
	for _, m := range d.Machines {
		bytes, status, sentence := "", "", ""
		if m.MemoryBytes != nil {
			bytes = strconv.FormatInt(*m.MemoryBytes, 10)
		}
		if m.Verdict != nil {
			status, sentence = m.Verdict.Status.Word(), m.Verdict.Sentence
		}
		row := []string{m.Name, string(m.Product), string(m.Platform), string(m.CPU), string(m.BIOS), bytes,
			string(m.Population), string(m.Worst), strconv.Itoa(m.Failures), formatShare(m.RelativeBandwidth)}
		out = append(out, append(append(row, measured[m.Name].figureCells()...), status, sentence, formatShare(m.RelativeBandwidthHigh)))
	}
	return out
}

func formatShare(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}
