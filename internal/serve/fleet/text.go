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
		shown := d.Machines
		if most > 0 { // those that are not ok
			shown = slices.DeleteFunc(slices.Clone(shown), func(m Machine) bool { return !m.hasFailed() })
			t.writeHead(len(shown), "WORST", "of "+humanize.Plural(len(shown), "machine")+" with a warning or worse")
		} else {
			t.writeHead(1, "MACHINES", "the worst first")
		}
		t.writeList(humanize.Each(shown, func(m Machine) string {
			return fmt.Sprintf("%-*s", statusColumn-1, m.statusWord()) + " " + m.Name + "  " + m.summarySentence()
		}), len(shown), most, "machine", name)
	case "outliers":
		all, whose := d.findOutliers(), "their "
		if len(all) == 1 {
			whose = "its "
		}
		t.writeHead(len(all), "OUTLIERS", humanize.Plural(len(all), "machine")+" unlike most of "+whose+string(d.By))
		t.writeList(humanize.Each(all, func(o outlier) string { return "  " + o.machine + " (" + o.kind + "): " + o.text }), len(all), most, "machine", name)
	case "unknown":
		t.writeUndecided(d, most)
	case "notes":
		t.writeProblems(d, false)
	case "measured":
		t.writeHead(len(d.Measured), "MEASURED", "the slowest node of "+humanize.Plural(len(d.Measured), "machine")+", and its share of the median of its "+string(d.By))
		t.writeList(humanize.Each(d.Measured, describeMeasured), len(d.Measured), most, "machine", name)
	case "bios":
		t.writeHead(len(d.BIOSVersions), "BIOS", "versions of each product, and on how many machines")
		for i := 0; i < len(d.BIOSVersions); {
			product, line := d.BIOSVersions[i].Product, ""
			for ; i < len(d.BIOSVersions) && d.BIOSVersions[i].Product == product; i++ {
				line += " " + d.BIOSVersions[i].Version + " (" + strconv.Itoa(len(d.BIOSVersions[i].Machines)) + ")"
			}
			t.writeLine(statusColumn, "  "+product+":"+line)
		}
	case "reboot":
		t.writeHead(len(d.Pending), "PENDING REBOOT", "settings that take effect at the next boot")
		t.writeList(humanize.Each(d.Pending, func(p Pending) string { return "  " + p.Machine + ": " + p.Setting + " = " + p.Then }), len(d.Pending), most, "setting", name)
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

// writeHead prints the heading of a list of n entries; nothing for none.
func (t *textWriter) writeHead(n int, name, what string) {
	if n == 0 {
		return
	}
	if t.out.Len() > 0 {
		t.out.WriteByte('\n')
	}
	t.writeLine(statusColumn, fmt.Sprintf("%-*s", statusColumn-1, name)+" "+what)
}

const statusColumn = 10

func (t *textWriter) writeProblems(d *Document, above bool) {
	name, what := "NOTES", "what is not as recommended, at info"
	if above {
		name, what = "PROBLEMS", "root causes"
	}
	shown := slices.DeleteFunc(slices.Clone(d.Problems), func(p Problem) bool { return above != (p.Severity != "info") })
	t.writeHead(len(shown), name, what)
	for _, p := range shown {
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

// writeList prints the lines of n entries, at most `most` of them if most > 0, and how many more there are.
func (t *textWriter) writeList(lines []string, n, most int, what, section string) {
	if most == 0 {
		most = n
	}
	for _, line := range lines[:min(most, len(lines))] {
		t.writeLine(statusColumn, line)
	}
	if n > most {
		t.writeLine(statusColumn, strings.Repeat(" ", statusColumn)+"and "+humanize.Plural(n-most, what)+" more (--section "+section+")")
	}
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

// writeUndecided prints why checks did not run. The overview shows only what affects machines without a verdict.
func (t *textWriter) writeUndecided(d *Document, most int) {
	if most > 0 {
		n := d.Verdicts[report.StatusUnknown]
		t.writeHead(n, "UNKNOWN", humanize.Plural(n, "machine")+" without a verdict, and what would help")
		var reasons humanize.Groups[string]
		for _, m := range d.Machines {
			if m.Verdict != nil && m.Verdict.Status == report.StatusUnknown {
				reasons.Add(m.Verdict.Sentence, m.Name)
			}
		}
		slices.SortStableFunc(reasons.Names, func(a, b string) int { return len(reasons.Of[b]) - len(reasons.Of[a]) })
		t.writeList(humanize.Each(reasons.Names, func(reason string) string {
			return fmt.Sprintf("%*d ", statusColumn-1, len(reasons.Of[reason])) + reason
		}), len(reasons.Names), most, "reason", "unknown")
		return
	}
	t.writeHead(len(d.Undecided), "UNKNOWN", "checks that did not run, and what would help")
	for _, u := range d.Undecided {
		t.writeLine(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, len(u.Machines))+u.Reason)
		if u.KnownBy != "" {
			t.writeLine(statusColumn+4, strings.Repeat(" ", statusColumn)+"with "+string(u.KnownBy))
		}
	}
}

func describeMeasured(m Measured) string {
	switch {
	case m.ReadBytesPerSecond == nil:
		return "  undecided  " + m.Machine + ": " + string(m.Undecided)
	case m.ShareOfMedian == nil:
		return fmt.Sprintf("  %9.1f GB/s  %s, node %d", *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node)
	default:
		return fmt.Sprintf("  %3.0f %%  %6.1f GB/s  %s, node %d  %s", 100**m.ShareOfMedian, *m.ReadBytesPerSecond/1e9, m.Machine, *m.Node, string(m.Kind))
	}
}

func (t *textWriter) writeUnread(d *Document, most int) {
	t.writeHead(d.NotRead(), "NOT READ", humanize.Plural(d.NotRead(), "input"))
	n, lines := d.NotRead(), humanize.Each(d.Unreadable, func(u Unreadable) string { return "  " + u.Input + ": " + u.Reason })
	if d.UnreadableMore > 0 && most == 0 {
		n, lines = len(lines)+1, append(lines, "  and "+humanize.Plural(d.UnreadableMore, "other input"))
	}
	t.writeList(lines, n, most, "input", "unread")
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

func (t *textWriter) writePlan(d *Document) {
	p := d.Plan
	t.writeLine(0, humanize.Plural(len(d.Machines), "machine")+": "+p.summarise())
	t.writeChanges("MOVES", "gain by moving modules alone, those that gain most first", p.Moves, (*Change).describeGains)
	t.writeChanges("GIVE UP", "can give up modules and keep their class, bandwidth and passed checks", p.GiveUp, (*Change).describeGivenUp)
	t.writeChanges("TRANSFERS", "gain by modules that other machines give up, those in which each module does most first", p.Transfers, func(c *Change) string {
		out := humanize.Plural(c.Modules, "module") + " from " + humanize.List(originTexts(c.Origins)) + "; " + c.describeGains()
		if c.Unlike != "" {
			out += "; of another " + c.Unlike + ", or one that is not known: the note on mixed DIMMs may come or go"
		}
		return out
	})
	t.writeChanges("SPARES", "gain by modules in stock, those in which each module does most first", p.Spares, func(c *Change) string {
		return humanize.Plural(c.Modules, "module") + " of spare " + humanize.List(humanize.Each(c.Spares, strconv.Itoa)) + "; " + c.describeGains()
	})
	t.writeHead(len(p.Stock), "STOCK", "what becomes of the spare modules")
	for i := range p.Stock {
		t.writeLine(statusColumn, strings.Repeat(" ", statusColumn)+p.Stock[i].describeUse(i+1))
	}
	t.writeHead(len(p.NotPlanned), "NO PLAN", "machines that nothing can be planned for")
	for _, n := range p.NotPlanned {
		t.writeLine(statusColumn, fmt.Sprintf("%*d ", statusColumn-1, len(n.Machines))+n.Reason+": "+humanize.Truncated(mostTraits, n.Machines))
	}
	t.writeHead(len(p.UnknownFloors), "FLOORS", "of machines and products that are not here: "+humanize.Truncated(mostListed, p.UnknownFloors))
	t.writeUnread(d, mostListed)
}

func (t *textWriter) writeChanges(name, what string, list []Change, words func(c *Change) string) {
	t.writeHead(len(list), name, humanize.Plural(len(list), "machine")+": "+what)
	indent := strings.Repeat(" ", statusColumn)
	for i := range list {
		c := &list[i]
		t.writeLine(statusColumn, "  "+c.Machine+wording.InBrackets(string(c.Product))+": "+words(c))
		for n, step := range c.Steps {
			t.writeLine(statusColumn+4, indent+strconv.Itoa(n+1)+". "+step)
		}
		if c.Bandwidth != "" {
			t.writeLine(statusColumn, indent+c.Bandwidth)
		}
	}
}

// originTexts names the slots that modules come out of, by machine: "web7 (DIMM_A3, DIMM_B3)".
func originTexts(list []Origin) []string {
	var machines humanize.Groups[string]
	for _, o := range list {
		machines.Add(o.Machine, o.Slot)
	}
	for i, name := range machines.Names {
		machines.Names[i] = name + " (" + strings.Join(machines.Of[name], ", ") + ")"
	}
	return machines.Names
}

func (p *Plan) summarise() string {
	gone, used, stock := 0, 0, 0
	for i := range p.GiveUp {
		gone += p.GiveUp[i].Modules
	}
	for i := range p.Stock {
		used, stock = used+p.Stock[i].Used, stock+p.Stock[i].Count
	}
	out := strconv.Itoa(len(p.Moves)) + " can gain by moves alone, " + strconv.Itoa(len(p.GiveUp)) + " can give up modules"
	if gone > 0 {
		out += " (" + strconv.Itoa(gone) + ")"
	}
	if len(p.Transfers) > 0 {
		out += ", " + humanize.Plural(len(p.Transfers), "machine") + " can get what others give up"
	}
	if stock > 0 {
		out += ", " + strconv.Itoa(used) + " of " + humanize.Plural(stock, "spare module") + " placed in " + humanize.Plural(len(p.Spares), "machine")
	}
	if n := p.without(); n > 0 {
		out += ", no plan for " + strconv.Itoa(n)
	}
	return out
}

func (p *Plan) without() (machines int) {
	for _, n := range p.NotPlanned {
		machines += len(n.Machines)
	}
	return machines
}

func (c *Change) describeGains() string {
	var out []string
	for _, n := range []struct {
		n    int
		word string
	}{{c.Critical, "critical failure"}, {c.Warning, "warning"}} {
		switch {
		case n.n > 0:
			out = append(out, humanize.Plural(n.n, n.word)+" fewer")
		case n.n < 0:
			out = append(out, humanize.Plural(-n.n, n.word)+" more")
		}
	}
	if c.Times != nil && *c.Times >= 1.05 {
		out = append(out, "at least "+strconv.FormatFloat(*c.Times, 'f', 1, 64)+" times the memory bandwidth")
	}
	switch {
	case len(out) > 0:
	case len(c.Advice.Cures) > 0:
		out = append(out, humanize.Plural(len(c.Advice.Cures), "note")+" fewer")
	default:
		out = append(out, "more bandwidth in the slowest case")
	}
	return strings.Join(out, ", ")
}

func (c *Change) describeGivenUp() string {
	out := humanize.Plural(c.Modules, "module")
	if before, after := c.CapacityBytes, c.Advice.Reaches.CapacityBytes; before != nil && after != nil {
		out += ", " + humanize.Size(*before) + " to " + humanize.Size(*after)
	}
	if c.Critical > 0 || c.Warning > 0 || c.Times != nil && *c.Times >= 1.05 {
		out += ", " + c.describeGains()
	}
	if c.Given > 0 {
		out += ", " + strconv.Itoa(c.Given) + " of them for other machines (TRANSFERS)"
	}
	if c.FloorBytes == nil {
		return out + ", no floor is given"
	}
	return out + ", floor " + humanize.Size(*c.FloorBytes)
}

func (s *Stock) describeUse(entry int) string {
	out := strconv.Itoa(entry) + ". " + s.Spare + ": " + strconv.Itoa(s.Used) + " of " + strconv.Itoa(s.Count) + " used"
	switch {
	case s.Short > 0:
		out += "; more machines could use " + strconv.Itoa(s.Short)
	case s.Used == 0:
		out += "; no machine with modules of this kind gains most by more of them"
	}
	if s.Used > 0 && s.Assumed != "" {
		out += "; " + s.Assumed
	}
	return out
}
