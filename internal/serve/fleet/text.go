package fleet

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/wording"
)

// Sections lists the values of --section.
func Sections() []string {
	return []string{"problems", "machines", "outliers", "unknown", "notes", "measured", "bios", "reboot", "unread"}
}

// writeSection prints one part of the text, at most `most` entries if most > 0.
func (t *textWriter) writeSection(d *Document, name string, most int) {
	switch name {
	case "problems":
		t.writeProblems(d, true)
	case "machines":
		t.writeMachines(d, most)
	case "outliers":
		t.writeOutliers(d, most)
	case "unknown":
		t.writeUndecided(d, most)
	case "notes":
		t.writeProblems(d, false)
	case "measured":
		t.writeMeasured(d, most)
	case "bios":
		for i := 0; i < len(d.BIOSVersions); {
			if i == 0 {
				t.writeHead("BIOS", "versions of each product, and on how many machines")
			}
			product, line := d.BIOSVersions[i].Product, ""
			for ; i < len(d.BIOSVersions) && d.BIOSVersions[i].Product == product; i++ {
				line += " " + d.BIOSVersions[i].Version + " (" + strconv.Itoa(len(d.BIOSVersions[i].Machines)) + ")"
			}
			t.writeLine(statusColumn, "  "+product+":"+line)
		}
	case "reboot":
		t.writePending(d, most)
	case "unread":
		t.writeUnread(d, most)
	}
}

const mostListed = 10

const mostReasons = 3

func (d *Document) writeText(w io.Writer, o Options) error {
	t := &textWriter{width: o.Width}
	if t.width <= 0 {
		t.width = 80
	}
	switch {
	case d.Plan != nil:
		t.writePlan(d)
	case o.Section != "":
		t.writeSection(d, o.Section, 0)
	default:
		t.writeLine(0, humanize.Plural(len(d.Machines), "machine")+": "+d.verdictCounts())
		t.writeSection(d, "problems", 0)
		t.writeSection(d, "machines", mostListed)
		t.writeSection(d, "outliers", mostListed/2)
		t.writeSection(d, "measured", mostListed)
		t.writeSection(d, "reboot", mostListed/2)
		t.writeSection(d, "unknown", mostReasons)
		t.writeSection(d, "unread", mostListed)
		t.writeRest(d)
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

type textWriter struct {
	out   strings.Builder
	width int
}

func (t *textWriter) writeLine(indent int, s string) {
	at := 0
	for i, word := range strings.Split(printable.Clean(s), " ") {
		n := printable.Columns(word)
		switch {
		case i == 0:
		case at+1+n > t.width && word != "":
			t.out.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			t.out.WriteByte(' ')
			at++
		}
		t.out.WriteString(word)
		at += n
	}
	t.out.WriteByte('\n')
}

func (t *textWriter) writeHead(name, what string) {
	if t.out.Len() > 0 {
		t.out.WriteByte('\n')
	}
	t.writeLine(statusColumn, fmt.Sprintf("%-*s", statusColumn-1, name)+" "+what)
}

const statusColumn = 10

func (t *textWriter) writeMore(hidden int, what, section string) {
	if hidden > 0 {
		t.writeLine(statusColumn, strings.Repeat(" ", statusColumn)+"and "+humanize.Plural(hidden, what)+" more (--section "+section+")")
	}
}

func (t *textWriter) writeProblems(d *Document, above bool) {
	name, what := "NOTES", "what is not as recommended, at info"
	if above {
		name, what = "PROBLEMS", "root causes"
	}
	first := true
	for _, p := range d.Problems {
		if above != (p.Severity != "info") {
			continue
		}
		if first {
			t.writeHead(name, what)
			first = false
		}
		label := fmt.Sprintf("%-*s", statusColumn-1, strings.ToUpper(string(p.Severity))) + " "
		machines := humanize.Plural(len(p.Machines), "machine")
		if p.LowestBandwidth != "" {
			machines += ", lowest bandwidth " + string(p.LowestBandwidth)
		}
		t.writeLine(statusColumn, label+p.Sentence+": "+machines+" ("+p.Rule+")")
		if p.Fix != "" {
			t.writeLine(statusColumn+5, strings.Repeat(" ", statusColumn)+"Fix  "+p.Fix)
		}
	}
}

// writeMachines prints the machines with their verdict, the worst first; at most `most` of those that are not ok, or
// all.
func (t *textWriter) writeMachines(d *Document, most int) {
	shown := d.Machines
	if most > 0 {
		bad := slices.IndexFunc(shown, func(m Machine) bool { return !m.hasFailed() })
		if bad >= 0 {
			shown = shown[:bad]
		}
		if len(shown) == 0 {
			return
		}
		t.writeHead("WORST", "of "+humanize.Plural(len(shown), "machine")+" with a warning or worse")
	} else {
		t.writeHead("MACHINES", "the worst first")
	}
	all := len(shown)
	shown = first(shown, most)
	for _, m := range shown {
		t.writeLine(statusColumn, fmt.Sprintf("%-*s", statusColumn-1, m.statusWord())+" "+m.Name+"  "+m.summarySentence())
	}
	t.writeMore(all-len(shown), "machine", "machines")
}

// first returns at most `most` entries of a list if most > 0, else all.
func first[T any](list []T, most int) []T {
	if most > 0 {
		return list[:min(most, len(list))]
	}
	return list
}

func (m *Machine) hasFailed() bool {
	return m.Verdict != nil && (m.Verdict.Status == report.StatusWarning || m.Verdict.Status == report.StatusCritical)
}

func (m *Machine) statusWord() string {
	if m.Verdict == nil {
		return "INVENTORY"
	}
	return m.Verdict.Status.Word()
}

func (m *Machine) summarySentence() string {
	sentence := "not checked: an inventory has no findings"
	if m.Verdict != nil {
		sentence = m.Verdict.Sentence
	}
	if m.Product == "" {
		return sentence
	}
	return string(m.Product) + ": " + sentence
}

func (t *textWriter) writeOutliers(d *Document, most int) {
	all := d.findOutliers()
	if len(all) == 0 {
		return
	}
	whose := "their "
	if len(all) == 1 {
		whose = "its "
	}
	t.writeHead("OUTLIERS", humanize.Plural(len(all), "machine")+" unlike most of "+whose+string(d.By))
	shown := first(all, most)
	for _, o := range shown {
		t.writeLine(statusColumn, "  "+o.machine+" ("+o.kind+"): "+o.text)
	}
	t.writeMore(len(all)-len(shown), "machine", "outliers")
}

// writeUndecided prints why checks did not run. The overview shows only what affects machines without a verdict.
func (t *textWriter) writeUndecided(d *Document, most int) {
	if most > 0 {
		if !d.Unknown() {
			return
		}
		t.writeHead("UNKNOWN", humanize.Plural(d.Verdicts[report.StatusUnknown], "machine")+" without a verdict, and what would help")
		tally := wording.Tally{}
		for _, m := range d.Machines {
			if m.Verdict != nil && m.Verdict.Status == report.StatusUnknown {
				tally.Add(m.Verdict.Sentence, 1)
			}
		}
		slices.SortStableFunc(tally, func(a, b wording.Tallied) int { return int(b.N - a.N) })
		for _, e := range tally[:min(most, len(tally))] {
			t.writeLine(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, e.N)+e.Name)
		}
		t.writeMore(len(tally)-most, "reason", "unknown")
		return
	}
	for i, u := range d.Undecided {
		if i == 0 {
			t.writeHead("UNKNOWN", "checks that did not run, and what would help")
		}
		t.writeLine(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, len(u.Machines))+u.Reason)
		if u.KnownBy != "" {
			t.writeLine(statusColumn+4, strings.Repeat(" ", statusColumn)+"with "+string(u.KnownBy))
		}
	}
}

func (t *textWriter) writeMeasured(d *Document, most int) {
	shown := first(d.Measured, most)
	for i := range shown {
		m := &shown[i]
		if i == 0 {
			t.writeHead("MEASURED", "the slowest node of "+humanize.Plural(len(d.Measured), "machine")+", and its share of the median of its "+string(d.By))
		}
		switch {
		case m.ReadBytesPerSecond == nil:
			t.writeLine(statusColumn, "  undecided  "+m.Machine+": "+string(m.Undecided))
		case m.ShareOfMedian == nil:
			t.writeLine(statusColumn, fmt.Sprintf("  %9.1f GB/s  %s, node %d", *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node))
		default:
			t.writeLine(statusColumn, fmt.Sprintf("  %3.0f %%  %6.1f GB/s  %s, node %d  %s", 100**m.ShareOfMedian, *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node, string(m.Kind)))
		}
	}
	t.writeMore(len(d.Measured)-len(shown), "machine", "measured")
}

func (t *textWriter) writePending(d *Document, most int) {
	shown := first(d.Pending, most)
	for i, p := range shown {
		if i == 0 {
			t.writeHead("PENDING REBOOT", "settings that take effect at the next boot")
		}
		t.writeLine(statusColumn, "  "+p.Machine+": "+p.Setting+" = "+p.Then)
	}
	t.writeMore(len(d.Pending)-len(shown), "setting", "reboot")
}

func (t *textWriter) writeUnread(d *Document, most int) {
	shown := first(d.Unreadable, most)
	for i, u := range shown {
		if i == 0 {
			t.writeHead("NOT READ", humanize.Plural(d.NotRead(), "input"))
		}
		t.writeLine(statusColumn, "  "+u.Input+": "+u.Reason)
	}
	if len(shown) < len(d.Unreadable) {
		t.writeMore(d.NotRead()-most, "input", "unread")
	} else if d.UnreadableMore > 0 {
		t.writeLine(statusColumn, "  and "+humanize.Plural(d.UnreadableMore, "other input"))
	}
}

func (t *textWriter) writeRest(d *Document) {
	notes := slices.ContainsFunc(d.Problems, func(p Problem) bool { return p.Severity == "info" })
	var out []string
	for _, s := range []struct {
		there         bool
		what, section string
	}{{notes, "notes", "notes"}, {len(d.Undecided) > 0, "checks that did not run", "unknown"}, {len(d.BIOSVersions) > 0, "BIOS versions", "bios"}} {
		if s.there {
			out = append(out, s.what+" (--section "+s.section+")")
		}
	}
	if len(out) > 0 {
		t.out.WriteByte('\n')
		t.writeLine(0, "Not shown: "+strings.Join(out, ", ")+".")
	}
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
	if n := d.NotRead(); n > 0 {
		out = append(out, humanize.Plural(n, "input")+" not read")
	}
	return strings.Join(out, ", ")
}
