package text

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/reporttest"
	"github.com/memaudit/memaudit/internal/report/wording"
)

func textOf(t *testing.T, r *report.Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, r, o))
	return b.String()
}

// flat undoes line breaks, so that a wrapped phrase can be searched for.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// The first screen names every rule that failed, was waived or broke, and what
// would make known what is not; nothing open is left out in silence.
func TestTextNamesEveryOpenRule(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		for _, width := range []int{0, 60, 160} {
			text := flat(textOf(t, r, Options{Width: width}))
			open := 0
			for i := range r.Findings {
				f := &r.Findings[i]
				switch verdict.Result(f.Result) {
				case verdict.Fail:
					assert.Contains(t, text, strings.TrimPrefix(f.Rule, settingPrefix))
				case verdict.Waived, verdict.Error:
					assert.Contains(t, text, f.Rule)
				case verdict.Unknown:
					open++
				case verdict.Pass, verdict.NotApplicable:
				}
			}
			if open > 0 {
				assert.Contains(t, text, prose.Count(open, "finding")+" could not be judged")
			}
		}
	})
}

func TestVerboseTextNamesEveryOpenFinding(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		for _, width := range []int{0, 60, 160} {
			text := flat(textOf(t, r, Options{Width: width, Verbose: true}))
			for i := range r.Findings {
				f := &r.Findings[i]
				if f.Result == string(verdict.Pass) || f.Result == string(verdict.NotApplicable) {
					continue
				}
				assert.Contains(t, text, f.Rule)
				if !selfEvident(f.Rule, f.Subject) {
					assert.Contains(t, text, f.Subject)
				}
				for _, s := range []*string{f.Found, f.Reason, f.KnownBy} {
					assert.Contains(t, text, flat(report.OrEmpty(s)))
				}
			}
		}
	})
}

// TestVerdictIsFirstAndLast: the first line has the verdict's word, the machine and the sentence; the
// last one the word, the exit status and what to do next.
func TestVerdictIsFirstAndLast(t *testing.T) {
	for name, next := range map[string]string{"good": "nothing", "bad": "see the fix", "vm": "audit the host", "unknown": "give --smbios FILE (sudo dmidecode --dump-bin FILE)"} {
		r := reporttest.Report(reporttest.Inputs()[name])
		text := strings.TrimRight(textOf(t, r, Options{ExitStatus: true, Width: 200}), "\n")
		first, _, _ := strings.Cut(text, "\n")
		last := flat(text[strings.LastIndexByte(text, '\n'):])
		word := r.Verdict.Status.Word()
		assert.Equal(t, word+" "+wording.Verdict(r), flat(first), name)
		assert.True(t, strings.HasPrefix(last, word+" "), "%s: %s", name, last)
		assert.Contains(t, last, "; exit status "+strconv.Itoa(r.Verdict.ExitStatus)+"; next: "+next, name)
		assert.NotContains(t, textOf(t, r, Options{}), "exit status", "a daemon's page has none")
	}
}

// A value that is cut short says so, fits the width, and is whole with -v.
func TestCutShort(t *testing.T) {
	long := strings.Repeat("word ", 60)
	p := newPrinter(Options{Width: 60})
	p.brief(2, "found", long, 2)
	lines := strings.Split(strings.TrimSuffix(string(p.buf), "\n"), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasSuffix(lines[1], "word"+cutShort), lines[1])
	assert.LessOrEqual(t, len(lines[1]), 60)
	p = newPrinter(Options{Width: 60, Verbose: true})
	p.brief(2, "found", long, 2)
	assert.Equal(t, 60, strings.Count(string(p.buf), "word"))
	assert.NotContains(t, string(p.buf), cutShort)
}

func TestVerboseTextNamesEveryFinding(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		text := flat(textOf(t, r, Options{Verbose: true}))
		for i := range r.Findings {
			assert.Contains(t, text, r.Findings[i].Rule)
		}
	})
}

func TestTextKeepsTheWidth(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		for _, width := range []int{40, 60, 80, 132, 160} {
			for line := range strings.Lines(textOf(t, r, Options{Width: width})) {
				assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), width, line)
			}
		}
		for _, width := range []int{80, 160} {
			var b bytes.Buffer
			require.NoError(t, WriteInventory(&b, &r.Inventory, Options{Width: width}))
			for line := range strings.Lines(b.String()) {
				assert.LessOrEqual(t, printable.Columns(strings.TrimSuffix(line, "\n")), width, line)
			}
		}
	})
}

// A pipe may be given all the room there is.
func TestTextWithoutALimit(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		assert.NotEmpty(t, textOf(t, r, Options{Width: 1 << 40}))
		var b bytes.Buffer
		require.NoError(t, WriteInventory(&b, &r.Inventory, Options{Width: 1 << 40}))
		assert.NotContains(t, b.String(), "no room for")
	})
}

func TestTextHasNoTrailingBlanks(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		for line := range strings.Lines(textOf(t, reporttest.Report(m), Options{})) {
			assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
		}
	})
}

// Colour changes nothing but the leading words.
func TestColourIsAddedOnly(t *testing.T) {
	reporttest.Each(t, func(t *testing.T, m *reporttest.Input) {
		r := reporttest.Report(m)
		plain, coloured := textOf(t, r, Options{}), textOf(t, r, Options{Color: true})
		for _, w := range leadingWords() {
			coloured = strings.ReplaceAll(coloured, wordStyle(w)+w+styleReset, w)
		}
		assert.Equal(t, plain, coloured)
		assert.NotContains(t, plain, "\x1b")
	})
}

func leadingWords() []string {
	return []string{wordCritical, wordWarning, wordInfo, wordPass, wordUnknown, wordError, wordOK}
}

// lipgloss is the outside truth for colours and widths; style.go says why it
// is not in the product.
func TestStyleAgreesWithLipgloss(t *testing.T) {
	for word, want := range map[string]lipgloss.Style{
		wordCritical: lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red),
		wordError:    lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red),
		wordWarning:  lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Yellow),
		wordInfo:     lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Cyan),
		wordOK:       lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Green),
		wordPass:     lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Green),
		wordUnknown:  lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Magenta),
	} {
		assert.Equal(t, want.Render(word), wordStyle(word)+word+styleReset)
	}
	for _, s := range []string{"", "DIMM_A1", "µs ± 4 °C", "内存 1", "ｆｕｌｌ", "한글", "é", "GRÖSSE", "メモリ", "→ ok", "…"} {
		assert.Equal(t, lipgloss.Width(s), printable.Columns(s), s)
	}
}

// fill puts a hostile string into every string field of a value.
func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	case reflect.Map:
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e, s)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(s).Convert(v.Type().Key()), e)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(.5)
	default:
		panic("fill: " + v.Kind().String())
	}
}

// Whatever firmware puts into a string, a terminal never executes it.
func TestHostileStringsStayText(t *testing.T) {
	const hostile = "\x1b]0;owned\x07\x1b[2J\n\r\u202e\u009b\xff内 x"
	for _, result := range []verdict.Result{verdict.Pass, verdict.Fail, verdict.Unknown, verdict.NotApplicable, verdict.Waived, verdict.Error, hostile} {
		var r report.Report
		fill(reflect.ValueOf(&r).Elem(), hostile)
		for i := range r.Findings {
			r.Findings[i].Result = string(result)
		}
		r.Inventory.Slots[0].Channel = nil
		for i, state := range []inventory.SlotState{inventory.SlotPopulated, inventory.SlotEmpty} {
			r.Inventory.Slots[i].State = string(state)
		}
		for _, o := range []Options{{}, {Verbose: true, Width: 160}} {
			assertPrintable(t, textOf(t, &r, o))
			var b bytes.Buffer
			require.NoError(t, WriteInventory(&b, &r.Inventory, o))
			assertPrintable(t, b.String())
		}
	}
}

func assertPrintable(t *testing.T, s string) {
	t.Helper()
	for i, c := range s {
		if c != '\n' && (!unicode.IsPrint(c) || c == unicode.ReplacementChar) {
			t.Fatalf("byte %d is %q in %q", i, c, s)
		}
	}
}

// Root causes lead, what follows stands below, and a circle hides nothing.
func TestFailuresHangBelowTheirCauses(t *testing.T) {
	fail := func(rule, subject, severity, cause string) report.Finding {
		f := report.Finding{Rule: rule, Subject: subject, Severity: severity, Result: "fail"}
		if cause != "" {
			f.CausedBy = &cause
		}
		return f
	}
	tree := func(findings ...report.Finding) string {
		var b strings.Builder
		var show func(g *causeGroup, depth int)
		show = func(g *causeGroup, depth int) {
			b.WriteString(strings.Repeat(">", depth) + g.first().Rule + ":" + strings.Join(strings.Fields(g.subjects()), "") + " ")
			for _, l := range g.led {
				show(l, depth+1)
			}
		}
		for _, g := range failureGroups(findings) {
			show(g, 0)
		}
		return strings.TrimSpace(b.String())
	}
	assert.Equal(t, "b:m a:m", tree(fail("a", "m", "info", ""), fail("b", "m", "warning", "")))
	assert.Equal(t, "a:m >b:m c:m", tree(fail("c", "m", "warning", ""), fail("b", "m", "critical", "a"), fail("a", "m", "info", "")))
	assert.Equal(t, "a:1,2", tree(fail("a", "1", "info", ""), fail("a", "2", "info", "")))
	assert.Equal(t, "a:1 a:s2 >b:x", tree(fail("a", "1", "warning", ""), fail("a", "s2", "info", ""), fail("b", "x", "info", "a s2")))
	assert.Equal(t, "b:m", tree(fail("b", "m", "info", "not.failing")))
	assert.Equal(t, "a:m >b:m >>c:m", tree(fail("a", "m", "info", ""), fail("b", "m", "info", "a"), fail("c", "m", "info", "b")))
	assert.Equal(t, "b:m >a:m", tree(fail("a", "m", "info", "b"), fail("b", "m", "info", "a")))
}

func TestSlotsThatShareAPlaceAreAllShown(t *testing.T) {
	m := reporttest.Good()
	for i := range m.Topo.Placements {
		m.Topo.Placements[i] = reporttest.At(0, 0, 0, 0)
	}
	m.Topo.Placements[0].Slot = 1 << 30
	text := textOf(t, reporttest.Report(m), Options{})
	for i := range m.Sys.Slots {
		assert.Contains(t, text, strings.TrimPrefix(m.Sys.Slots[i].Locator.Value, "DIMM_")+":")
	}
}

// TestUnplacedSlotsAreCounted: more slots than a line holds stand sixteen to a line.
func TestUnplacedSlotsAreCounted(t *testing.T) {
	slots := make([]report.Slot, 32)
	for i := range slots {
		slots[i] = report.Slot{State: string(inventory.SlotEmpty)}
	}
	text := textOf(t, &report.Report{Inventory: report.Inventory{Slots: slots}}, Options{})
	row := strings.TrimSuffix(strings.Repeat(". ", 16), " ")
	assert.Contains(t, text, "  no socket known  "+row+"\n"+strings.Repeat(" ", 19)+row+"\n")
}

// A value that does not fit ends after a whole clause, where one ends beyond half of
// the room, and never within brackets.
func TestShortenedByClauses(t *testing.T) {
	for value, want := range map[string]string{
		"set Redundancy to Disabled in the setup (RX900 S2: Mirroring, (all) off), then go on for a while":       "set Redundancy to Disabled in the setup ... (-v)",
		"exchange modules until all are the same, as the manual says in a place that has no more room for this":  "exchange modules until all are the same ... (-v)",
		"no, this begins with a word before a comma and then has no other clause which could be its end":         "no, this begins with a word before a comma ... (-v)",
		"replace the modules that stand out: rated speed 1866 MT/s in two of the slots against 1333 MT/s in all": "replace the modules that stand out ... (-v)",
		"a value that fits": "a value that fits",
	} {
		p := newPrinter(Options{Width: 65})
		p.brief(2, "fix", value, 1)
		assert.Equal(t, "  fix       "+want+"\n", string(p.buf))
	}
}

// The abbreviations of a report are explained below it, before the last line, and
// what a cause costs is not said again below a setting.
func TestLegendAndNoSentenceTwice(t *testing.T) {
	cost := "enabled it hurt 4 of 9 benchmarks by 4 to 13 %"
	effect, found := &report.Effect{Text: cost}, "Node Interleaving is enabled"
	r := report.Report{Summary: report.Summary{Fail: 2}, Findings: []report.Finding{
		{Rule: "numa.node-interleaving", Subject: "machine", Result: "fail", Severity: "warning", Found: &found, Effect: effect},
		{Rule: "setting.node_interleave", Subject: "setting node_interleave", Result: "fail", Severity: "info", Found: &found, Effect: effect},
	}}
	r.Judge(report.Criteria{})
	printed := textOf(t, &r, Options{})
	assert.Equal(t, 1, strings.Count(flat(printed), cost), printed)
	assert.Contains(t, printed, "\nwords     NUMA: memory nearer to one processor than to others\n\nWARNING   ")
	r.Findings = r.Findings[1:]
	printed = textOf(t, &r, Options{})
	assert.Equal(t, 1, strings.Count(flat(printed), cost), "nobody said it before")
	assert.NotContains(t, printed, "\nwords ")
}

// TestCostOfTheClass: what a document says that the machine's class costs stands beside
// the class where the finding follows from another, whatever the rule is called.
func TestCostOfTheClass(t *testing.T) {
	r := reporttest.Report(reporttest.Bad())
	found, cause, class := "class C", "memory.channel.populated socket 1", "C"
	for i := range r.Inventory.Population.Sockets {
		r.Inventory.Population.Sockets[i].Class = &class
	}
	r.Findings = append(r.Findings, report.Finding{Rule: "site.layout.class", Subject: "machine", Result: "fail", Severity: "warning", Found: &found, CausedBy: &cause,
		Effect: &report.Effect{Text: "a fifth was measured", Beside: verdict.BesideClass}})
	assert.Contains(t, flat(textOf(t, r, Options{})), "a fifth was measured")
	r.Findings[len(r.Findings)-1].Effect.Beside = ""
	assert.NotContains(t, flat(textOf(t, r, Options{})), "a fifth was measured")
}
