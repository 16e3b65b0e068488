package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

type cause struct {
	severity verdict.Severity
	rule     string
	machines []string
	// sentences and fixes count the texts of the reports, cures the kinds of advice.
	sentences, fixes, cures map[string]int
}

func (f *Fleet) recordProblem(m *Machine, r *report.Report, p *report.Problem) {
	if p.IsAboveNote() {
		m.Problems = append(m.Problems, MachineProblem{p.Severity, f.internText(p.Rule), f.internText(p.Text()), f.internText(p.Fix)})
	}
	sentence, rule := p.Sentence, p.Rule
	switch headline := f.headline(p.Rule); {
	case p.Settings():
		sentence, rule = "settings differ from the profile", "setting.*"
	case headline != "":
		sentence = headline
	}
	key := [2]string{rule, string(p.Severity)}
	c := f.problems[key]
	if c == nil {
		c = &cause{severity: p.Severity, rule: rule, sentences: map[string]int{}, fixes: map[string]int{}, cures: map[string]int{}}
		f.problems[key] = c
	}
	c.machines = appendOnce(c.machines, m.Name)
	c.sentences[f.internText(sentence)]++
	if kind := r.CuringAdvice(p); kind != "" {
		c.cures[string(kind)]++
	} else {
		c.fixes[f.internText(p.Fix)]++
	}
}

func (f *Fleet) listProblems(machines []Machine) []Problem {
	byName := map[string]*Machine{}
	for i := range machines {
		byName[machines[i].Name] = &machines[i]
	}
	out := []Problem{}
	for _, c := range f.problems {
		slices.Sort(c.machines)
		p := Problem{Severity: c.severity, Rule: c.rule, Sentence: mostFrequent(c.sentences), Machines: c.machines, Fix: c.describeFix()}
		var lowest *Machine
		for _, name := range c.machines {
			if m := byName[name]; m.RelativeBandwidth != nil && (lowest == nil || lessBandwidth(m, lowest) < 0) {
				lowest = m
			}
		}
		if lowest != nil && *lowest.RelativeBandwidth < 1 {
			p.LowestBandwidth, p.LowestOn = nullable.String(lowest.relativeShare().Percent()), lowest.Name
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Problem) int {
		return cmp.Or(report.SeverityRank(b.Severity)-report.SeverityRank(a.Severity), len(b.Machines)-len(a.Machines), cmp.Compare(a.Rule, b.Rule))
	})
	return out
}

var cureWords = [...][2]string{{"move", "move DIMMs"}, {"exchange", "replace DIMMs"}, {"install", "add DIMMs"}, {"remove", "remove DIMMs"}}

func (c *cause) describeFix() string {
	var out []string
	for _, w := range cureWords {
		if n := c.cures[w[0]]; n > 0 {
			out = append(out, w[1]+" on "+strconv.Itoa(n))
		}
	}
	common := mostFrequent(c.fixes)
	switch {
	case len(out) == 0:
		return common
	case len(c.fixes) > 0:
		n := 0
		for _, k := range c.fixes {
			n += k
		}
		out = append(out, "no layout to propose on "+strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

func mostFrequent(counts map[string]int) string {
	best := ""
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[text] > counts[best] {
			best = text
		}
	}
	return best
}

func (m *Machine) relativeShare() *population.Relative {
	return &population.Relative{Low: m.RelativeBandwidth, High: m.RelativeBandwidthHigh}
}

type outlier struct{ kind, machine, text string }

func (d *Document) findOutliers() []outlier {
	var out []outlier
	for i := range d.Groups {
		var machines wording.Groups[Difference]
		for _, differs := range d.Groups[i].Differs {
			machines.Add(differs.Machine, differs)
		}
		for _, name := range machines.Names {
			out = append(out, outlier{d.Groups[i].Kind, name, differenceText(machines.Of[name])})
		}
	}
	slices.SortStableFunc(out, func(a, b outlier) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.machine, b.machine)) })
	return out
}

// mostTraits limits the traits that one line names.
const mostTraits = 4

// differenceText describes in one line how a machine differs, hardware first. The layout of the DIMMs, a
// signature, is included only if capacity and processors are those of most, because it depends on them.
func differenceText(all []Difference) string {
	var hardware, others []string
	layout := false
	for _, d := range all {
		text := d.Trait + " " + d.Has + " (most: " + d.MajorityHas + ")"
		switch d.Trait {
		case traitLayout:
			layout = true
		case traitMemory, traitProcessors, traitSpeed, traitNodes:
			hardware = append(hardware, text)
		default:
			others = append(others, text)
		}
	}
	if layout && len(hardware) == 0 {
		hardware = append(hardware, "DIMMs of other kinds or in other slots")
	}
	return humanize.Truncated(mostTraits, append(hardware, others...))
}
