package fleet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
)

// Formats lists the words of --format.
func Formats() []string { return []string{"text", "html", "csv", "json"} }

// Write prints the document in one of Formats.
func (d *Document) Write(w io.Writer, format string) error {
	switch format {
	case "html":
		return d.html(w)
	case "csv":
		return d.csv(w)
	case "json":
		text, err := printable.EncodeJSON(d)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	default:
		return d.text(w)
	}
}

// csv writes one row a machine.
func (d *Document) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(columns)
	for _, cells := range d.rows() {
		for i := range cells {
			cells[i] = printable.CSVCell(cells[i])
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

var columns = []string{"name", "product", "platform", "cpu", "bios", "memory_bytes", "population", "worst_severity", "failures", "relative_bandwidth",
	"measured_read_bytes_per_second", "measured_share_of_median", "verdict", "sentence"}

// rows is one row a machine under columns.
func (d *Document) rows() [][]string {
	measured := map[string]*Measured{}
	for i := range d.Measured {
		measured[d.Measured[i].Machine] = &d.Measured[i]
	}
	var out [][]string
	for i := range d.Machines {
		m := &d.Machines[i]
		out = append(out, append(append(machineRow(m), measured[m.Name].cells()...), m.verdictCells()...))
	}
	return out
}

// verdictCells are empty for an inventory.
func (m *Machine) verdictCells() []string {
	if m.Verdict == nil {
		return []string{"", ""}
	}
	return []string{m.Verdict.Status.Word(), printable.Clean(m.Verdict.Sentence)}
}

func machineRow(m *Machine) []string {
	bytes, share := "", ""
	if m.MemoryBytes != nil {
		bytes = strconv.FormatInt(*m.MemoryBytes, 10)
	}
	if m.RelativeBandwidth != nil {
		share = strconv.FormatFloat(*m.RelativeBandwidth, 'f', 2, 64)
	}
	cells := []string{m.Name, report.OrEmpty(m.Product), report.OrEmpty(m.Platform), report.OrEmpty(m.CPU), report.OrEmpty(m.BIOS), bytes,
		report.OrEmpty(m.Population), report.OrEmpty(m.Worst), strconv.Itoa(m.Failures), share}
	for i := range cells {
		cells[i] = printable.Clean(cells[i])
	}
	return cells
}

// mostListed names of machines that a line of text shows.
const mostListed = 6

func machineNames(machines []string) string {
	shown := machines[:min(mostListed, len(machines))]
	text := strings.Join(shown, ", ")
	if more := len(machines) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// verdictCounts counts the machines by verdict, the worst first: "1 critical, 2 ok".
func (d *Document) verdictCounts() string {
	var out []string
	judged := 0
	for _, s := range slices.Backward(report.Statuses()) {
		if n := d.Verdicts[s]; n > 0 {
			out = append(out, strconv.Itoa(n)+" "+strings.ToLower(s.Word()))
			judged += n
		}
	}
	if n := len(d.Machines) - judged; n > 0 {
		out = append(out, strconv.Itoa(n)+" without findings (inventories)")
	}
	return strings.Join(out, ", ")
}

// text prints for a terminal: what fails, who differs, who waits, what is open.
func (d *Document) text(w io.Writer) error {
	var b bytes.Buffer
	say := func(format string, args ...any) {
		for i, a := range args {
			if s, ok := a.(string); ok {
				args[i] = printable.Clean(s)
			}
		}
		fmt.Fprintf(&b, format, args...)
	}
	say("fleet     %s: %s; %s not read\n", prose.Count(len(d.Machines), "machine"), d.verdictCounts(), prose.Count(len(d.Unreadable), "input"))
	d.textFindings(say)
	d.textMeasured(say)
	d.textDiffers(say)
	d.textBIOS(say)
	for i, p := range d.Pending {
		if i == 0 {
			say("\nREBOOT    settings that wait for one\n")
		}
		say("  %s: %s = %s\n", p.Machine, p.Setting, p.Then)
	}
	for i, u := range d.Undecided {
		if i == 0 {
			say("\nUNKNOWN   what could not be judged, and what would help\n")
		}
		say("  %s: %s\n", prose.Count(len(u.Machines), "machine"), u.Reason)
		if u.KnownBy != nil {
			say("    known by  %s\n", *u.KnownBy)
		}
	}
	for i, u := range d.Unreadable {
		if i == 0 {
			say("\nNOT READ\n")
		}
		say("  %s: %s\n", u.Input, u.Reason)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (d *Document) textFindings(say func(string, ...any)) {
	for _, f := range d.Findings {
		say("\n%-9s %s   %s\n", strings.ToUpper(f.Severity), f.Rule, prose.Count(len(f.Machines), "machine"))
		say("  on      %s\n", machineNames(f.Machines))
		if f.Example.Found != nil {
			say("  found   %s, %s: %s\n", f.Example.Machine, f.Example.Subject, *f.Example.Found)
		}
		if f.Example.Remedy != nil {
			say("  fix     %s\n", *f.Example.Remedy)
		}
	}
	lost := slices.DeleteFunc(slices.Clone(d.Machines), func(m Machine) bool { return m.RelativeBandwidth == nil || *m.RelativeBandwidth >= 1 })
	for i := range lost[:min(10, len(lost))] {
		if i == 0 {
			say("\nBANDWIDTH the most lost by population, share that is left\n")
		}
		say("  %3.0f %%  %s  %s\n", 100**lost[i].RelativeBandwidth, lost[i].Name, report.OrEmpty(lost[i].Product))
	}
}

// slowest is how many measured machines a person is shown.
const slowest = 10

// textMeasured prints the slowest machines that were measured.
func (d *Document) textMeasured(say func(string, ...any)) {
	for i := range d.Measured[:min(slowest, len(d.Measured))] {
		m := &d.Measured[i]
		if i == 0 {
			say("\nMEASURED  %s, the slowest node of each, beside the median machine of its kind\n", prose.Count(len(d.Measured), "machine"))
		}
		switch {
		case m.ReadBytesPerSecond == nil:
			say("  undecided  %s: %s\n", m.Machine, report.OrEmpty(m.Undecided))
		case m.ShareOfMedian == nil:
			say("  %9.1f GB/s  %s, node %d\n", *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node)
		default:
			say("  %3.0f %%  %6.1f GB/s  %s, node %d  %s\n", 100**m.ShareOfMedian, *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node, report.OrEmpty(m.Kind))
		}
	}
}

// textBIOS prints a line for each product.
func (d *Document) textBIOS(say func(string, ...any)) {
	product, line := "", ""
	for i, v := range d.BIOSVersions {
		if i == 0 {
			say("\nBIOS      versions of each product, and on how many machines\n")
		}
		if v.Product != product {
			if line != "" {
				say("  %s\n", line)
			}
			product, line = v.Product, v.Product+":"
		}
		line += fmt.Sprintf(" %s (%d)", v.Version, len(v.Machines))
	}
	if line != "" {
		say("  %s\n", line)
	}
}

// textDiffers prints each machine that is unlike most of its kind, and of a trait of which no
// value has a majority how many machines have which value.
func (d *Document) textDiffers(say func(string, ...any)) {
	for _, k := range d.kinds() {
		switch {
		case len(k.unlike) > 0:
			say("\nDIFFERS   from most of %s\n", k.kind)
		case len(k.split) > 0:
			say("\nDIFFERS   among %s\n", k.kind)
		}
		for _, diff := range k.unlike {
			say("  %s: %s is %s, most have %s\n", diff.Machine, diff.Trait, diff.Has, *diff.MajorityHas)
		}
		for _, s := range k.split {
			say("  no majority: %s is %s\n", s.trait, s.line(mostValues))
		}
	}
}

// html writes one self-contained page, one row a machine; no script, no request.
func (d *Document) html(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">" +
		"<title>memaudit fleet</title><style>" + styleSheet + "</style></head><body><main>\n")
	fmt.Fprintf(&b, "<h1>memaudit fleet</h1><p>%s, %s not read</p>\n", prose.Count(len(d.Machines), "machine"), prose.Count(len(d.Unreadable), "input"))
	d.htmlFindings(&b)
	d.htmlDiffers(&b)
	writeTable(&b, "Machines, the most bandwidth lost first", columns, d.rows())
	d.htmlMeasured(&b)
	d.htmlOpen(&b)
	b.WriteString("</main></body></html>\n")
	_, err := w.Write(b.Bytes())
	return err
}
