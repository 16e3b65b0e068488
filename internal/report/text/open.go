package text

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

const (
	linesSources = 2
	// linesWays is how many ways to know more are printed; the others are only counted.
	linesWays = 3
)

// openWay is an input that would make something known, with the rules that it would decide.
type openWay struct {
	way      string
	rules    []string
	findings int
}

// openWays groups the findings that could not be judged by the input that would decide them. The
// one that decides most rules is first, what no input decides is last.
func openWays(findings []report.Finding) []openWay {
	var out []openWay
	for i := range findings {
		f := &findings[i]
		if f.Result != string(verdict.Unknown) {
			continue
		}
		way := wording.WayToKnow(report.OrEmpty(f.KnownBy))
		at := slices.IndexFunc(out, func(w openWay) bool { return w.way == way })
		if at < 0 {
			at = len(out)
			out = append(out, openWay{way: way})
		}
		out[at].findings++
		if !slices.Contains(out[at].rules, f.Rule) {
			out[at].rules = append(out[at].rules, f.Rule)
		}
	}
	slices.SortStableFunc(out, func(a, b openWay) int {
		return cmp.Or(cmp.Compare(a.hopeless(), b.hopeless()), cmp.Compare(len(b.rules), len(a.rules)))
	})
	return out
}

// hopeless is 1 if no input would decide it, else 0.
func (w *openWay) hopeless() int {
	if w.way == wording.WayNone {
		return 1
	}
	return 0
}

// firstWay returns the input that would decide most rules, or where to look if no input would
// decide any.
func firstWay(findings []report.Finding) string {
	ways := openWays(findings)
	if len(ways) == 0 || ways[0].way == wording.WayNone {
		return "-v says what could not be told"
	}
	return ways[0].way
}

// byWay prints a line for each of the inputs that would decide most, with the number of rules; the
// others are counted.
func (p *printer) byWay(findings []report.Finding) {
	ways := openWays(findings)
	if len(ways) == 0 {
		return
	}
	total := 0
	for _, w := range ways {
		total += w.findings
	}
	p.section(wordUnknown, prose.Count(total, "finding")+" could not be judged; -v says which and why")
	room := max(1, linesWays-p.tight)
	for i, w := range ways {
		line := w.way + ": " + ruleCount(w.rules)
		if left := len(ways) - i; i == room-1 && left > 1 {
			line += "; " + prose.Count(left-1, "other way")
		}
		p.atMost(1, func() {
			p.to(2)
			p.wrap(2, line)
			p.newline()
		})
		if i == room-1 {
			break
		}
	}
	p.pause()
}

// ruleCount returns the number of rules, or of settings if all of them are rules about settings.
func ruleCount(rules []string) string {
	if slices.ContainsFunc(rules, func(r string) bool { return !strings.HasPrefix(r, settingPrefix) }) {
		return prose.Count(len(rules), "rule")
	}
	return prose.Count(len(rules), "setting")
}
