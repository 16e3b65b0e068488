package fleet

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// The traits of the hardware.
const (
	traitProcessors = "processors"
	traitMemory     = "memory"
	traitSpeed      = "memory speed"
	traitLayout     = "population"
	traitNodes      = "NUMA nodes"
)

// trait records a trait of a machine; an unknown value is not recorded.
func (f *Fleet) trait(m *Machine, name, value string) {
	if value != "" {
		m.traits[f.intern(name)] = f.intern(value)
	}
}

func (f *Fleet) identity(m *Machine, inv *report.Inventory) {
	known := func(s string) nullable.String { return nullable.String(f.intern(s)) }
	m.Product, m.Platform, m.BIOS = known(inv.Machine.Product.Text()), known(string(inv.Machine.Platform.ID)), known(inv.Machine.BIOS.Version.Text())
	var processors []string
	whole := true
	for i := range inv.Sockets {
		s := &inv.Sockets[i]
		if model := s.Brand.Text(); model != "" {
			processors = append(processors, strings.Join(strings.Fields(model), " "))
		} else if s.Populated.Or(true) {
			whole = false
		}
	}
	if len(processors) > 0 {
		m.CPU = nullable.String(f.intern(processors[0]))
	}
	if whole {
		f.trait(m, traitProcessors, counted(processors))
	}
	switch f.by {
	case "platform":
		m.Kind = m.Platform
	case "cpu":
		m.Kind = m.CPU
	default:
		m.Kind = m.Product
	}
	f.trait(m, "bios version", string(m.BIOS))
}

// counted counts equal texts: "2 x Xeon Gold 6130".
func counted(list []string) string {
	slices.Sort(list)
	var tally wording.Tally
	for _, text := range list {
		tally.Add(text, 1)
	}
	out := make([]string, len(tally))
	for i, t := range tally {
		out[i] = fmt.Sprintf("%d x %s", t.N, t.Name)
	}
	return strings.Join(out, ", ")
}

func (f *Fleet) memory(m *Machine, inv *report.Inventory) {
	var bytes int64
	var speeds []string
	sized, timed := true, true
	for i := range inv.Slots {
		s := &inv.Slots[i]
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
		f.trait(m, traitSpeed, strings.Join(slices.Compact(speeds), " and "))
	}
	population := metrics.Signature(inv)
	if population != "" {
		m.Population = nullable.String(f.intern(population))
	}
	if sized {
		f.trait(m, traitLayout, population)
	}
	if sized && bytes > 0 {
		m.MemoryBytes = &bytes
		f.trait(m, traitMemory, humanize.Size(bytes))
	}
	if len(inv.Nodes) > 0 {
		f.trait(m, traitNodes, fmt.Sprint(len(inv.Nodes)))
	}
	m.RelativeBandwidth, m.RelativeBandwidthHigh = worstShare(inv.Population.Sockets)
}

// worstShare returns the bounds of the worst processor, as documented or estimated; nil if none is known.
func worstShare(sockets []report.PopulationSocket) (low, high *float64) {
	worst := population.Relative{}
	for i := range sockets {
		if r := &sockets[i].Relative; population.CompareShares(r, &worst) < 0 {
			worst = *r
		}
	}
	if v := worst.Value; v != nil {
		return v, v
	}
	return worst.Low, worst.High
}

func (f *Fleet) settings(m *Machine, inv *report.Inventory) {
	for id, s := range inv.Settings {
		f.trait(m, id+" (configured)", string(s.Configured.Value))
		f.trait(m, id+" (effective)", string(s.Effective.Value))
		then, now := s.Pending.Value, s.Configured.Value
		if then != "" && (now == "" || string(now) != string(then)) {
			f.pending = append(f.pending, Pending{Machine: m.Name, Setting: id, Now: now, Then: string(then)})
		}
	}
}
