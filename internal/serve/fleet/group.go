package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/figure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/wording"
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
	counts, known := map[string]map[string]int{}, map[string]int{}
	for _, m := range machines {
		for name, value := range m.traits {
			if counts[name] == nil {
				counts[name] = map[string]int{}
			}
			counts[name][value]++
			known[name]++
		}
	}
	usual := map[string]string{}
	for name, values := range counts {
		for value, n := range values {
			if known[name] >= leastCompared && 2*n > known[name] {
				usual[name] = value
			}
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

// recordTrait records a trait of a machine; an unknown value is not recorded.
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
	var tally wording.Tally
	for _, text := range list {
		tally.Add(text, 1)
	}
	return strings.Join(wording.Each(tally, func(t wording.Tallied) string { return fmt.Sprintf("%d x %s", t.N, t.Name) }), ", ")
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
