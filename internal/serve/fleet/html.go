package fleet

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
)

const styleSheet = `body{font:15px/1.4 system-ui,sans-serif;margin:1.5rem;max-width:90rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%;margin:0 0 1.5rem}th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #8886;vertical-align:top}
.wide{overflow-x:auto}.critical,.warning{font-weight:600}@media print{body{margin:0}}`

func (d *Document) htmlFindings(b *bytes.Buffer) {
	var rows [][]string
	for _, f := range d.Findings {
		found := ""
		if f.Example.Found != nil {
			found = f.Example.Machine + ", " + f.Example.Subject + ": " + *f.Example.Found
		}
		rows = append(rows, []string{f.Severity, f.Rule, fmt.Sprint(len(f.Machines)), strings.Join(f.Machines, ", "), found})
	}
	writeTable(b, "Findings", []string{"severity", "rule", "machines", "which", "example"}, rows)
}

func (d *Document) htmlDiffers(b *bytes.Buffer) {
	var unlike, split [][]string
	for _, k := range d.kinds() {
		for _, diff := range k.unlike {
			unlike = append(unlike, []string{k.kind, diff.Machine, diff.Trait, diff.Has, *diff.MajorityHas})
		}
		for _, s := range k.split {
			split = append(split, []string{k.kind, s.trait, s.line(len(s.values))})
		}
	}
	writeTable(b, "Unlike most of their kind", []string{"kind", "machine", "trait", "has", "most have"}, unlike)
	writeTable(b, "No majority in their kind", []string{"kind", "trait", "values, and how many machines have each"}, split)
}

func (d *Document) htmlMeasured(b *bytes.Buffer) {
	var rows [][]string
	for i := range d.Measured {
		m := &d.Measured[i]
		node := ""
		if m.Node != nil {
			node = fmt.Sprint(*m.Node)
		}
		rows = append(rows, append([]string{m.Machine, report.OrEmpty(m.Kind), node}, append(m.cells(), report.OrEmpty(m.Undecided))...))
	}
	writeTable(b, "Measured, the slowest beside the median of its kind first", []string{"machine", "kind", "slowest_node", "read_bytes_per_second", "share_of_median", "undecided"}, rows)
}

// htmlOpen lists BIOS versions, what waits for a reboot, what could not be
// judged, and what could not be read.
func (d *Document) htmlOpen(b *bytes.Buffer) {
	var versions, pending, undecided, unreadable [][]string
	for _, v := range d.BIOSVersions {
		versions = append(versions, []string{v.Product, v.Version, fmt.Sprint(len(v.Machines)), strings.Join(v.Machines, ", ")})
	}
	for _, p := range d.Pending {
		pending = append(pending, []string{p.Machine, p.Setting, report.OrEmpty(p.Now), p.Then})
	}
	for _, u := range d.Undecided {
		undecided = append(undecided, []string{u.Reason, report.OrEmpty(u.KnownBy), fmt.Sprint(len(u.Machines)), strings.Join(u.Machines, ", ")})
	}
	for _, u := range d.Unreadable {
		unreadable = append(unreadable, []string{u.Input, u.Reason})
	}
	writeTable(b, "BIOS versions", []string{"product", "version", "machines", "which"}, versions)
	writeTable(b, "Waits for a reboot", []string{"machine", "setting", "now", "then"}, pending)
	writeTable(b, "Could not be judged", []string{"reason", "known_by", "machines", "which"}, undecided)
	writeTable(b, "Not read", []string{"input", "reason"}, unreadable)
}

// writeTable writes a table with a heading, nothing without rows.
func writeTable(b *bytes.Buffer, title string, head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "<h2>%s</h2><div class=\"wide\"><table><thead><tr>", html.EscapeString(title))
	for _, h := range head {
		fmt.Fprintf(b, "<th scope=\"col\">%s</th>", html.EscapeString(strings.ReplaceAll(h, "_", " ")))
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, cells := range rows {
		b.WriteString("<tr>")
		for _, c := range cells {
			fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(printable.Clean(c)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>\n")
}
