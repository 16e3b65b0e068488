package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/topology/population"
)

// groupMachines groups machines of one kind that are equal in every trait, and lists how each group differs from most
// of its kind. A machine without a kind is not compared.
func groupMachines(machines []Machine) []Group {
	kinds := map[string][]*Machine{}
	for i := range machines {
		if kind := machines[i].Kind; kind != "" {
			kinds[string(kind)] = append(kinds[string(kind)], &machines[i])
		}
	}
	out := []Group{}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, groupKind(kind, kinds[kind])...)
	}
	return out
}

func groupKind(kind string, machines []*Machine) []Group {
	usual := majorities(machines)
	bySignature := map[string]*Group{}
	for _, m := range machines {
		s := traitSignature(m)
		g := bySignature[s]
		if g == nil {
			g = &Group{Kind: kind, Signature: s, Differs: []Difference{}}
			bySignature[s] = g
		}
		g.Machines = append(g.Machines, m.Name)
		g.Differs = append(g.Differs, differences(m, usual)...)
	}
	var out []Group
	for _, g := range bySignature {
		slices.Sort(g.Machines)
		slices.SortStableFunc(g.Differs, func(a, b Difference) int { return cmp.Compare(a.Machine, b.Machine) })
		g.Majority = 2*len(g.Machines) > len(machines)
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Machines[0], b.Machines[0]))
	})
	return out
}

func traitSignature(m *Machine) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.traits)) {
		b.WriteString(name + "\x00" + m.traits[name] + "\x00")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:6])
}

const leastCompared = 3

func majorities(machines []*Machine) map[string]string {
	type trait struct{ name, value string }
	counts, known, usual := map[trait]int{}, map[string]int{}, map[string]string{}
	for _, m := range machines {
		for name, value := range m.traits {
			counts[trait{name, value}]++
			known[name]++
		}
	}
	for t, n := range counts {
		if known[t.name] >= leastCompared && 2*n > known[t.name] {
			usual[t.name] = t.value
		}
	}
	return usual
}

func differences(m *Machine, usual map[string]string) []Difference {
	var out []Difference
	for _, name := range slices.Sorted(maps.Keys(m.traits)) {
		if most, ok := usual[name]; ok && most != m.traits[name] {
			out = append(out, Difference{m.Name, name, m.traits[name], most})
		}
	}
	return out
}

// The traits of the hardware.
const (
	traitProcessors = "processors"
	traitMemory     = "memory"
	traitSpeed      = "memory speed"
	traitLayout     = "population"
	traitNodes      = "NUMA nodes"
)

func (f *Fleet) recordTrait(m *Machine, name, value string) {
	if value != "" {
		m.traits[f.internText(name)] = f.internText(value)
	}
}

func (f *Fleet) recordIdentity(m *Machine, inv *report.Inventory) {
	known := func(s string) nullable.String { return nullable.String(f.internText(s)) }
	m.Product, m.Platform, m.BIOS = known(inv.Machine.Product.Text()), known(string(inv.Machine.Platform.ID)), known(inv.Machine.BIOS.Version.Text())
	var processors []string
	whole := true
	for _, s := range inv.Sockets {
		if model := s.Brand.Text(); model != "" {
			processors = append(processors, strings.Join(strings.Fields(model), " "))
		} else if s.Populated.Or(true) {
			whole = false
		}
	}
	if len(processors) > 0 {
		m.CPU = nullable.String(f.internText(processors[0]))
	}
	if whole {
		f.recordTrait(m, traitProcessors, countTexts(processors))
	}
	switch f.by {
	case "platform":
		m.Kind = m.Platform
	case "cpu":
		m.Kind = m.CPU
	default:
		m.Kind = m.Product
	}
	f.recordTrait(m, "bios version", string(m.BIOS))
}

// countTexts counts equal texts: "2 x Xeon Gold 6130".
func countTexts(list []string) string {
	slices.Sort(list)
	var equal humanize.Groups[string]
	for _, text := range list {
		equal.Add(text, text)
	}
	return strings.Join(humanize.Each(equal.Names, func(text string) string { return strconv.Itoa(len(equal.Of[text])) + " x " + text }), ", ")
}

func (f *Fleet) recordMemory(m *Machine, inv *report.Inventory) {
	var bytes int64
	var speeds []string
	sized, timed := true, true
	for _, s := range inv.Slots {
		if s.State == "empty" {
			continue
		}
		if s.State == "populated" && s.SizeBytes.Known() {
			bytes += s.SizeBytes.Value
		} else {
			sized = false
		}
		if s.State == "populated" && s.ConfiguredMTs.Known() {
			speeds = append(speeds, fmt.Sprintf("%d MT/s", ddr.Nominal(s.ConfiguredMTs.Value)))
		} else {
			timed = false
		}
	}
	if timed { // each speed once: a lost module does not change the set
		slices.Sort(speeds)
		f.recordTrait(m, traitSpeed, strings.Join(slices.Compact(speeds), " and "))
	}
	m.Population = nullable.String(f.internText(metrics.Signature(inv)))
	if sized {
		f.recordTrait(m, traitLayout, string(m.Population))
	}
	if sized && bytes > 0 {
		m.MemoryBytes = &bytes
		f.recordTrait(m, traitMemory, humanize.Size(bytes))
	}
	if len(inv.Nodes) > 0 {
		f.recordTrait(m, traitNodes, fmt.Sprint(len(inv.Nodes)))
	}
	worst := population.Relative{} // nil bounds if none is known
	for _, s := range inv.Population.Sockets {
		if population.CompareShares(&s.Relative, &worst) < 0 {
			worst = s.Relative
		}
	}
	m.RelativeBandwidth, m.RelativeBandwidthHigh = cmp.Or(worst.Value, worst.Low), cmp.Or(worst.Value, worst.High)
}

func (f *Fleet) recordSettings(m *Machine, inv *report.Inventory) {
	for id, s := range inv.Settings {
		f.recordTrait(m, id+" (configured)", string(s.Configured.Value))
		f.recordTrait(m, id+" (effective)", string(s.Effective.Value))
		then, now := s.Pending.Value, s.Configured.Value
		if then != "" && (now == "" || string(now) != string(then)) {
			f.pending = append(f.pending, Pending{Machine: m.Name, Setting: id, Now: now, Then: string(then)})
		}
	}
}

const leastMeasured = 3

func (f *Fleet) measurement(m *Machine, all []report.Measurement) {
	last := metrics.LastMeasured(all)
	if last == nil {
		return
	}
	one := Measured{Machine: m.Name, Kind: m.Kind, Undecided: last.Unjudged}
	for _, measured := range last.Figures {
		if measured.Kind != string(figure.Read) || measured.CPUNode == nil || measured.MemoryNode == nil || *measured.CPUNode != *measured.MemoryNode {
			continue
		}
		switch {
		case measured.Undecided != "":
			one.Undecided = cmp.Or(one.Undecided, measured.Undecided)
		case measured.Value != nil && (one.ReadBytesPerSecond == nil || *measured.Value < *one.ReadBytesPerSecond):
			one.Node, one.ReadBytesPerSecond = measured.CPUNode, measured.Value
		}
	}
	switch {
	case one.Undecided != "":
		one.Node, one.ReadBytesPerSecond = nil, nil
	case one.ReadBytesPerSecond == nil:
		return // it measured something else
	}
	f.measured = append(f.measured, one)
}

func rankMeasured(all []Measured) []Measured {
	rates := map[string][]float64{}
	for i := range all {
		if m := &all[i]; m.Kind != "" && m.ReadBytesPerSecond != nil {
			rates[string(m.Kind)] = append(rates[string(m.Kind)], *m.ReadBytesPerSecond)
		}
	}
	out := append([]Measured{}, all...)
	for i := range out {
		m := &out[i]
		if m.Kind == "" || m.ReadBytesPerSecond == nil || len(rates[string(m.Kind)]) < leastMeasured {
			continue
		}
		if middle := figure.Median(rates[string(m.Kind)]); middle > 0 {
			share := *m.ReadBytesPerSecond / middle
			m.ShareOfMedian = &share
		}
	}
	const unknown = 1e300 // sorts after all known values
	value := func(v *float64) float64 {
		if v == nil {
			return unknown
		}
		return *v
	}
	slices.SortFunc(out, func(a, b Measured) int {
		return cmp.Or(cmp.Compare(value(a.ShareOfMedian), value(b.ShareOfMedian)),
			cmp.Compare(value(a.ReadBytesPerSecond), value(b.ReadBytesPerSecond)), cmp.Compare(a.Machine, b.Machine))
	})
	return out
}

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
		var machines humanize.Groups[Difference]
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
