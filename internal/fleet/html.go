package fleet

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/memaudit/memaudit/internal/report/printable"
)

const style = `body{font:15px/1.4 system-ui,sans-serif;margin:1.5rem;max-width:90rem;color-scheme:light dark}
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
	table(b, "Findings", []string{"severity", "rule", "machines", "which", "example"}, rows)
}

func (d *Document) htmlDiffers(b *bytes.Buffer) {
	var rows [][]string
	for _, g := range d.Groups {
		for _, diff := range g.Differs {
			usual := "no majority"
			if diff.MajorityHas != nil {
				usual = *diff.MajorityHas
			}
			rows = append(rows, []string{g.Kind, diff.Machine, diff.Trait, diff.Has, usual})
		}
	}
	table(b, "Unlike most of their kind", []string{"kind", "machine", "trait", "has", "most have"}, rows)
}

// table writes a table with a heading, nothing without rows.
func table(b *bytes.Buffer, title string, head []string, rows [][]string) {
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
