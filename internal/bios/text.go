package bios

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// textLine is one line of a text export.
type textLine struct {
	n    int
	text string
}

func (l textLine) place() string { return line(l.n) }

// textFormat is one text format with the line that gives it away.
type textFormat struct {
	tell   *regexp.Regexp
	decode func([]textLine) (*Export, error)
}

// textFormats in the order in which they are tried: the surest mark first.
// Like every pattern here they are compiled when first needed: most runs read
// no export, and pay nothing for it.
var textFormats = sync.OnceValue(func() []textFormat {
	return []textFormat{
		{regexp.MustCompile(`^\[Key=`), decodeRacadm},
		{regexp.MustCompile(`^\[BIOS(::.*)?\]$`), decodeIntel},
		{regexp.MustCompile(`^Supermicro Update Manager|^\[[^\]|]+\|[^\]]+\]$|^[^=\[\]/]+=\S*\s+//\s*\*?[0-9A-Fa-f]+ \(`), decodeSUMText},
		{regexp.MustCompile(`^(set (CMOS_|(` + asuGroups + `)\.)\S* \S|loaddefault \S)`), decodeASUBatch},
		{regexp.MustCompile(`^((` + asuGroups + `)\.[A-Za-z0-9][^=]*|CMOS_[A-Za-z0-9_]+)=`), decodeASU},
		{regexp.MustCompile(`^(` + ilorestNames + `)`), decodeILORest},
		{regexp.MustCompile(omreportTell), decodeOmreport},
		{regexp.MustCompile(`^(--)?(` + syscfgNames + `)=`), decodeSyscfg},
		{regexp.MustCompile(`^#?(` + racadmNames + `)=`), decodeRacadm},
		{regexp.MustCompile(`^(` + settingNames + `)\s*[:=]`), decodeWords},
	}
})

// decodeText tells the text exports apart by their lines.
func decodeText(text string) (*Export, error) {
	var lines []textLine
	n := 0
	for l := range strings.Lines(text) {
		switch n++; {
		case n > maxLines:
			return nil, malformed(line(n), "more than %d lines", maxLines)
		case len(l) > maxValue:
			return nil, malformed(line(n), "longer than %d bytes", maxValue)
		}
		if l = clean(l); l != "" {
			lines = append(lines, textLine{n, l})
		}
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%w, %s", ErrEmpty, expected)
	}
	for _, f := range textFormats() {
		for _, l := range lines {
			if f.tell.MatchString(l.text) {
				return f.decode(lines)
			}
		}
	}
	first := lines[0]
	switch {
	case secret(first.text):
		first.text = "(a password)"
	case len(first.text) > 60:
		first.text = first.text[:60] + "..."
	}
	return nil, fmt.Errorf("%w: line %d: %q, %s", ErrUnrecognised, first.n, first.text, expected)
}

// racadmNames are attributes by which an excerpt without its header is known.
const racadmNames = `SysProfile|LogicalProc|ProcCStates|ProcC1E|ProcTurboMode|ProcPwrPerf|NodeInterleave|MemFrequency|SubNumaCluster|NumaNodesPerSocket`

// Lines of racadm.
var (
	racadmKey  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[Key=([^#\]]+)(?:#([^\]]*))?\]$`) })
	racadmLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#?)([A-Za-z][A-Za-z0-9_. -]*)=(.*)$`) })
	racadmWait = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)\s*\(Pending Value=(.*)\)$`) })
)

// decodeRacadm reads "racadm get BIOS.Group": a key line, then Name=Value. A
// change that waits for the next boot follows in brackets; a leading # marks
// what cannot be changed now. A transcript's other lines are passed over.
func decodeRacadm(lines []textLine) (*Export, error) {
	e := &Export{Format: Racadm, Vendor: Dell}
	group, other := "", false
	groups := map[string]bool{}
	for _, l := range lines {
		if m := racadmKey().FindStringSubmatch(l.text); m != nil {
			group, other = m[2], !strings.HasPrefix(m[1], "BIOS.")
			groups[group] = !other
			continue
		}
		m := racadmLine().FindStringSubmatch(l.text)
		if m == nil || other {
			continue
		}
		a := Attribute{Name: m[2], Menu: group, Value: m[3], Stated: true, ReadOnly: m[1] != "", Place: l.place()}
		if wait := racadmWait().FindStringSubmatch(m[3]); wait != nil {
			a.Value, a.Pending, a.HasPending = wait[1], wait[2], true
		}
		if secret(a.Name) {
			a.Value, a.Stated, a.Pending, a.HasPending = "", false, "", false
		}
		if err := e.add(a); err != nil {
			return nil, err
		}
	}
	if err := e.some(lines, "Name=Value below a [Key=BIOS...] line"); err != nil {
		return nil, err
	}
	e.Product, e.Firmware = e.stated("SystemModelName"), e.stated("SystemBiosVersion")
	e.Complete = groups["ProcSettings"] && groups["MemSettings"] && groups["SysProfileSettings"] && len(e.Attributes) >= 40
	return e, nil
}

// some is an error when nothing was found.
func (e *Export) some(lines []textLine, want string) error {
	if len(e.Attributes) > 0 {
		return nil
	}
	last := lines[len(lines)-1]
	return malformed(last.place(), "the file ends without a setting, expected %s", want)
}

// syscfgNames are options of Dell's syscfg (DELL-11G, Appendix B).
const syscfgNames = `logicproc|nodeinterleave|turbomode|cstates|c1e|virtualization|memoptmode|snoopfilter`

var syscfgLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:--)?([a-z][a-z0-9_-]*)=(.*)$`) })

// decodeSyscfg reads Dell's Deployment Toolkit: "syscfg --logicproc" prints
// logicproc=disable. After a change it prints the new value at once, although
// it takes effect at the next boot (DELL-11G, Appendix B).
func decodeSyscfg(lines []textLine) (*Export, error) {
	e := &Export{Format: DellSyscfg, Vendor: Dell, ReadsPending: true}
	for _, l := range lines {
		if strings.HasPrefix(l.text, "[") || strings.HasPrefix(l.text, ";") || strings.HasPrefix(l.text, "#") {
			continue
		}
		m := syscfgLine().FindStringSubmatch(l.text)
		if m == nil {
			e.problem("%s: not option=value", l.place())
			continue
		}
		if err := e.addPlain(m[1], m[2], false, l.place()); err != nil {
			return nil, err
		}
	}
	return e, e.some(lines, "option=value")
}
