package fleet

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/printable"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("fleet").Funcs(template.FuncMap{
		"add": func(a, b int) int { return a + b }, "plural": humanize.Plural, "size": humanize.Size,
		"clean": func(text any) string { return printable.Clean(fmt.Sprint(text)) },
		"share": func(m Machine) string { return m.relativeShare().Percent() },
	}).Parse(pageText))
})

type page struct {
	Policy   string
	Style    template.CSS
	Document *Document
	Verdicts []pageVerdict
	Groups   []pageMachines
	Tables   []pageTable
}

type pageVerdict struct {
	N           int
	Word, Class string
}

// pageMachines are the machines of one status.
type pageMachines struct {
	Word   string
	Folded bool
	Rows   []Machine
}

type pageTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

func (d *Document) writePage(w io.Writer) error {
	if err := pageTemplate().Execute(w, page{html.Policy, template.CSS(html.StyleSheet()), d, d.pageVerdicts(), d.pageMachines(), d.pageTables()}); err != nil { //nolint:gosec // the style sheet is the program's own
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
	for _, m := range d.Machines {
		if len(out) == 0 || m.statusWord() != out[len(out)-1].Word {
			out = append(out, pageMachines{Word: m.statusWord(), Folded: !m.hasFailed()})
		}
		g := &out[len(out)-1]
		g.Rows = append(g.Rows, m)
	}
	return out
}

func (d *Document) pageTables() []pageTable {
	unread := humanize.Each(d.Unreadable, func(u Unreadable) []string { return []string{u.Input, u.Reason} })
	if d.UnreadableMore > 0 {
		unread = append(unread, []string{"and " + humanize.Plural(d.UnreadableMore, "other input"), ""})
	}
	return slices.DeleteFunc([]pageTable{
		{"Outliers", []string{string(d.By), "machine", "differs from most in"},
			humanize.Each(d.findOutliers(), func(o outlier) []string { return []string{o.kind, o.machine, o.text} })},
		{"Measured memory bandwidth, the slowest first", []string{"machine", string(d.By), "slowest node", "bytes per second", "share of the median", "undecided"},
			humanize.Each(d.Measured, func(m Measured) []string {
				return slices.Concat([]string{m.Machine, string(m.Kind), nullable.Text(m.Node, "")}, m.figureCells(), []string{string(m.Undecided)})
			})},
		{"BIOS versions", []string{"product", "version", "machines", "which"}, humanize.Each(d.BIOSVersions, func(v BIOSVersion) []string {
			return []string{v.Product, v.Version, strconv.Itoa(len(v.Machines)), strings.Join(v.Machines, ", ")}
		})},
		{"Settings that wait for a reboot", []string{"machine", "setting", "now", "then"},
			humanize.Each(d.Pending, func(p Pending) []string { return []string{p.Machine, p.Setting, string(p.Now), p.Then} })},
		{"Checks that did not run", []string{"reason", "what would help", "machines"},
			humanize.Each(d.Undecided, func(u Undecided) []string {
				return []string{u.Reason, string(u.KnownBy), strconv.Itoa(len(u.Machines))}
			})},
		{"Not read", []string{"input", "reason"}, unread},
	}, func(t pageTable) bool { return len(t.Rows) == 0 })
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
		return printable.WriteCSV(w, columns, d.tableRows())
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
