package text

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

func resultOf(result, rule, subject, reason, knownBy string) report.Finding {
	f := report.Finding{Rule: rule, Subject: subject, Result: result, Severity: "info"}
	if reason != "" {
		f.Reason = &reason
	}
	if knownBy != "" {
		f.KnownBy = &knownBy
	}
	return f
}

// TestReasonsOfAResult: findings stand by their reason, what settles most first; a rule is
// named once with its subjects, but where its name says what it is about.
func TestReasonsOfAResult(t *testing.T) {
	findings := []report.Finding{
		resultOf("unknown", "memory.x", "machine", "", ""),
		resultOf("unknown", "setting.smt", "setting smt", "denied", "run as root"), resultOf("unknown", "setting.smt", "socket 1", "denied", "BIOS settings"),
		resultOf("unknown", "memory.y", "socket 0", "denied", "run as root"), resultOf("unknown", "memory.y", "socket 1", "denied", "run as root"), resultOf("pass", "memory.z", "machine", "denied", "run as root"),
		resultOf("not_applicable", "memory.q", "machine", "no DIMM", ""), resultOf("error", "memory.e", "node 1", "too many steps", ""),
	}
	printed := partOf(Options{Verbose: true}, 0, func(p *printer) {
		p.broken(findings)
		p.unknowns(findings)
		p.notApplicable(findings)
		p.passed(findings)
		p.passed(findings[:1])
		p.passed([]report.Finding{resultOf("pass", "memory.z", "machine", "", ""), resultOf("pass", "memory.z", "socket 1", "", "")})
		p.waived(findings)
	})
	require.Equal(t, `ERROR     1 finding: the rule itself broke
  too many steps
    rules     memory.e (node 1)

UNKNOWN   5 findings could not be judged
  denied
    known by  run as root
    rules     setting.smt, memory.y (socket 0, socket 1)
  no reason given
    rules     memory.x
  denied
    known by  BIOS settings
    rules     setting.smt (socket 1)

NOT APPLICABLE  1 finding
  no DIMM
    rules     memory.q

PASSED    1 finding
  memory.z

PASSED    2 findings
  memory.z (machine, socket 1)

`, printed)
	require.True(t, selfEvident("setting.smt", "setting smt") && selfEvident("memory.x", "machine"))
	require.False(t, selfEvident("setting.smt", "setting turbo") || selfEvident("memory.x", "socket 0") || selfEvident("memory.x", "setting memory.x"))
}

// TestExplained: a pass that explains is a note, in brief or with all that it says.
func TestExplained(t *testing.T) {
	why, found := "by design", "one node is slower"
	f := report.Finding{Rule: "numa.x", Subject: "machine", Result: "pass", Explains: true, Found: &found, Why: &why, Effect: &report.Effect{Text: "a third"}, Citation: &report.Citation{Vendor: "Dell", Title: "Guide"}}
	silent, failed, bare := f, f, f
	silent.Explains, failed.Result, bare.Effect = false, "fail", nil
	both := []report.Finding{f, silent, failed}
	require.Equal(t, "NOTE      numa.x machine\n  found     one node is slower\n  measured  a third\n  source    Dell, Guide\n", partOf(Options{}, 0, func(p *printer) { p.explained(both) }))
	require.Equal(t, "NOTE      numa.x machine\n  found     one node is slower\n  source    Dell, Guide\n", partOf(Options{}, 0, func(p *printer) { p.explained([]report.Finding{bare}) }))
	require.Equal(t, "NOTE      numa.x machine\n  found     one node is slower\n  why       by design\n  measured  a third\n  source    Dell, Guide\n\n",
		partOf(Options{Verbose: true}, 0, func(p *printer) { p.explained(both) }))
}

// TestMeasuredFigures: eight figures of a result are printed, two fewer for each step that
// room is short, and the rest counted; with Verbose all of them with their passes.
func TestMeasuredFigures(t *testing.T) {
	low, value, high, undecided, at, path := 9e9, 10e9, 11e9, "the passes differ", "2026-11-23", "/tmp/stream.txt"
	m := report.Measurement{Tool: "stream", At: &at, Path: &path}
	for i := range 9 {
		m.Figures = append(m.Figures, report.MeasuredFigure{What: "Triad", CPUNode: &i, MemoryNode: &i, Value: &value, Low: &low, High: &high})
	}
	printed := func(o Options, tight int) string {
		return partOf(o, tight, func(p *printer) { p.measured([]report.Measurement{m}) })
	}
	for tight, n := range []int{8, 6, 4, 2, 0} {
		text := printed(Options{}, tight)
		require.True(t, strings.HasPrefix(text, "MEASURED  with stream, 2026-11-23, 9 figures\n"), text)
		require.Equal(t, n, strings.Count(text, "Triad 10.0 GB/s\n"))
		require.True(t, strings.HasSuffix(text, "\n  "+map[bool]string{true: "1 figure", false: strconv.Itoa(9-n) + " figures"}[n == 8]+" more ... (-v)\n"), text)
	}
	text := printed(Options{Verbose: true, Width: 100}, 0)
	require.True(t, strings.HasPrefix(text, "MEASURED  with stream, 2026-11-23, 9 figures, /tmp/stream.txt\n  node 0: Triad 10.0 GB/s (9.0 GB/s to 11.0 GB/s)\n"), text)
	require.Contains(t, text, "\n  node 8: Triad 10.0 GB/s")
	require.NotContains(t, text, "more")
	m.Figures = m.Figures[:8]
	require.NotContains(t, printed(Options{}, 0), "more")
	m.Figures, m.At = m.Figures[:1], nil
	m.Figures[0].Undecided = &undecided
	require.Equal(t, "MEASURED  with stream, 1 figure\n  node 0: Triad 10.0 GB/s (undecided: the passes differ)\n", printed(Options{}, 0))
	m.Unjudged = &path
	require.Equal(t, "MEASURED  with stream, 1 figure\n  no verdict  /tmp/stream.txt\n  node 0: Triad 10.0 GB/s\n", printed(Options{}, 0), "why the whole is not judged was said")
	m.Figures[0].Low, m.Figures[0].Undecided, m.Path = nil, nil, nil
	require.Equal(t, "MEASURED  with stream, 1 figure\n  no verdict  /tmp/stream.txt\n  node 0: Triad 10.0 GB/s\n\n", printed(Options{Verbose: true}, 0))
}

// TestWaived: what was accepted, why and until when.
func TestWaived(t *testing.T) {
	found, until := "enabled", "2027-01-01"
	one, two, three := resultOf(string(verdict.Waived), "setting.smt", "setting smt", "", ""), resultOf("waived", "memory.x", "socket 1", "", ""), resultOf("waived", "memory.y", "machine", "", "")
	one.Found, one.Waiver, two.Expected, two.Waiver = &found, &report.Waiver{Reason: "measured", Until: &until}, &found, &report.Waiver{Reason: "accepted"}
	three.Found, three.Expected = &found, &until
	require.Equal(t, `WAIVED    3 findings, failed but accepted
  setting.smt   setting smt
    found     enabled
    waiver    measured; until 2027-01-01
  memory.x   socket 1
    found     expected enabled
    waiver    accepted; without an end
  memory.y   machine
    found     enabled; expected 2027-01-01
    waiver    no reason given

`, partOf(Options{}, 0, func(p *printer) {
		p.waived([]report.Finding{one, two, resultOf("pass", "memory.z", "machine", "", ""), three})
	}))
}

// TestSourcesNotRead: in brief those that were there and could not be read, by their state;
// with Verbose each that did not say all, with its detail.
func TestSourcesNotRead(t *testing.T) {
	root, cut := "run as root", "it is cut short"
	sources := []report.Source{{Name: "cpu", State: "ok"}, {Name: "msr", State: "denied", Detail: &root}, {Name: "edac", State: "absent"}, {Name: "dmi", State: "denied", Detail: &root},
		{Name: "acpi", State: "truncated", Detail: &cut}, {Name: "smbios", State: "partial"}, {Name: "efi", State: "denied"}}
	printed := func(o Options, sources []report.Source) string {
		return partOf(o, 0, func(p *printer) { p.unread(sources) })
	}
	require.Equal(t, "SOURCES   4 of 7 not read in full; denied: msr, dmi, efi; truncated: acpi\n", printed(Options{}, sources))
	require.Equal(t, `SOURCES   6 of 7 not read in full
  denied    msr, dmi: run as root
  absent    edac
  truncated acpi: it is cut short
  partial   smbios
  denied    efi

`, printed(Options{Verbose: true}, sources))
	require.Equal(t, "SOURCES   1 of 2 not read in full; denied: msr\n", printed(Options{}, sources[:2]))
	require.Empty(t, printed(Options{Verbose: true}, sources[:1]))
	require.Empty(t, printed(Options{}, sources[2:3]))
	require.Empty(t, printed(Options{}, sources[5:6]))
}

// TestProfileLine: a profile that was asked for stands on a line of its own, with why there
// is none; one that nobody asked for beside the platform, and not where room is shortest.
func TestProfileLine(t *testing.T) {
	source, practice, why := "Dell, Guide", "general practice: Example, Guide", "no document"
	r := &report.Report{}
	head := func(o Options, tight int) string {
		text := partOf(o, tight, func(p *printer) { p.report(r, nil, nil) })
		_, text, _ = strings.Cut(text, "platform  not recognised")
		text, _, _ = strings.Cut(text, "\n\n")
		return text
	}
	require.Empty(t, head(Options{}, 0))
	require.Equal(t, "\nprofile   none: no reason given", head(Options{Verbose: true}, 0))
	r.ProfileAsked, r.Why = true, &why
	require.Equal(t, "\nprofile   none: no document", head(Options{}, 0))
	r.Profile, r.ProfileAsked = &report.Profile{ID: "example/hpc", Source: &source}, false
	require.Equal(t, "  profile example/hpc", head(Options{}, tightest-1))
	require.Empty(t, head(Options{}, tightest))
	require.Equal(t, "\nprofile   example/hpc  Dell, Guide", head(Options{Verbose: true}, 0))
	r.ProfileAsked = true
	require.Equal(t, "\nprofile   example/hpc", head(Options{}, tightest))
	r.Profile.Source = &practice
	require.Equal(t, "\nprofile   example/hpc  general practice, no document of the maker", head(Options{}, 0))
	require.Equal(t, "\nprofile   example/hpc  general practice: Example, Guide", head(Options{Verbose: true}, 0))
}

// TestCutText: what a part may not take is cut at the end of a line between two words, with
// a mark; what fits to the last line is whole.
func TestCutText(t *testing.T) {
	lines := func(width, most int, text string) string {
		return partOf(Options{Width: width}, 0, func(p *printer) { p.atMost(most, func() { p.wrap(0, text); p.newline() }) })
	}
	text := strings.TrimSpace(strings.Repeat("word ", 24)) // 119 columns
	require.Equal(t, text[:59]+"\n"+text[60:]+"\n", lines(60, 2, text))
	require.Equal(t, text[:59]+"\n"+text[60:]+"\n", lines(60, 3, text))
	require.Equal(t, text[:49]+" ... (-v)\n", lines(60, 1, text))
	require.Equal(t, text[:49]+" ... (-v)\n", lines(58, 1, text))
	require.Equal(t, text[:44]+" ... (-v)\n", lines(57, 1, text))
	require.Equal(t, "one two; three: four ... (-v)\n", lines(40, 1, "one two; three: four, "+strings.Repeat("x", 30)))
}

// TestLinesBreak: what fits to the last column stays on its line; a word that no line holds
// is cut at the margin, however near that is.
func TestLinesBreak(t *testing.T) {
	at40 := func(part func(p *printer)) string { return partOf(Options{Width: 40}, 0, part) }
	x := strings.Repeat("x", 60)
	require.Equal(t, x[:40], at40(func(p *printer) { p.wrap(0, x[:40]) }))
	require.Equal(t, x[:38]+"\n  "+x[:5], at40(func(p *printer) { p.wrap(2, x[:43]) })[2:])
	require.Equal(t, strings.Repeat(" ", 40)+"abc", at40(func(p *printer) { p.wrap(40, "abc") }), "beyond the page nothing is cut")
	require.Equal(t, x[:19]+"  "+x[:19]+"\n", at40(func(p *printer) { p.units(0, []string{x[:19], x[:19]}) }))
	require.Equal(t, "  "+x[:17]+"\n  "+x[:20]+"\n", at40(func(p *printer) { p.units(2, []string{x[:17], x[:20]}) }))
	for word, want := range map[string][2]int{"ab": {1, 1}, "内内": {3, 3}, "a内": {1, 1}, "": {0, 0}} {
		require.Equal(t, want, [2]int{breakAfter(word, 0), breakAfter(word, 1)}, word)
	}
	require.Equal(t, "\na ... (-v)\n", at40(func(p *printer) {
		p.atMost(2, func() {
			for _, s := range []string{"", "a", "b"} {
				p.put(s)
				p.newline()
			}
		})
	}), "an empty line is a line")
	for in, want := range map[string][]int{"(a) b": nil, " (b)": {0}, "a (b (c), d) e": {1}, "a, b; c: d": {7, 4, 1}, "a,b (c, d": {3}, "a) (b": {2}} {
		require.Equal(t, want, clauseEnds(in), in)
	}
	// A clause that ends in the middle of the room is taken, one before it is not.
	for n, want := range map[int]string{26: x[:26] + " ... (-v)", 25: x[:25] + ", and so on and on ... (-v)"} {
		text := partOf(Options{Width: 65}, 0, func(p *printer) { p.brief(2, "fix", x[:n]+", and so on and on "+x[:40], 1) })
		require.Equal(t, "  fix       "+want+"\n", text)
	}
}

// TestScreen: a report that fits a screen of forty lines to the last one has its sections
// parted, and a longer one loses that first.
func TestScreen(t *testing.T) {
	r := &report.Report{Outdated: "the last audit read nothing", Findings: []report.Finding{resultOf("unknown", "memory.x", "machine", "", "run as root")}, Summary: report.Summary{Unknown: 1}}
	r.Judge(report.Criteria{})
	require.True(t, strings.HasPrefix(textOf(t, r, Options{}), "UNKNOWN   memory.x: no reason; what helps: run as root\n\noutdated  the last audit read nothing\nmemaudit  "))
	most := 0
	for len(r.Notices) < 40 {
		text := textOf(t, r, Options{})
		if strings.Contains(text, "run as root: 1 rule\n\n") {
			most = max(most, strings.Count(text, "\n"))
		}
		r.Notices = append(r.Notices, "n")
	}
	require.Equal(t, 40, most)
}

// TestSheetInParts: columns that do not fit beside each other stand below each other, after
// the first ones again; what is only "-" there has no row in that part.
func TestSheetInParts(t *testing.T) {
	s := &foldedTable{fixed: 1, nothing: "-", heads: []string{"setting", "one", "two", "three"}, most: []int{24, 20},
		rows: [][]string{{"smt", "enabled", "disabled", "-"}, {"turbo", "-", "-", "enabled"}, nil, {"agrees", "1", "2", "3"}}}
	printed := func(width int) string { return partOf(Options{Width: width}, 0, func(p *printer) { s.print(p, 20) }) }
	whole := `                    setting  one      two       three
                    smt      enabled  disabled  -
                    turbo    -        -         enabled

                    agrees   1        2         3
`
	require.Equal(t, whole, printed(55))
	require.Equal(t, `                    setting  one      two
                    smt      enabled  disabled

                    agrees   1        2

                    setting  three
                    turbo    enabled

                    agrees   3
`, printed(54))
	s.nothing = ""
	s.rows = [][]string{{"smt", "", "", ""}}
	require.Contains(t, printed(43), "\n                    smt\n\n                    setting  three\n                    smt\n")
	for in, want := range map[string][]string{
		"ab cdefghijklmno": {"ab", "cdefghijklmno"}, "= cdefghijklmn": {"= cdefghijklmn"[:13], "  n"}, "_bcdefghijklmnop": {"_bcdefghijklm", "  nop"}, "a_cdefghijklmnop": {"a_", "  cdefghijklm", "  nop"},
	} {
		require.Equal(t, want, foldCell(in, 13), in)
	}
}
