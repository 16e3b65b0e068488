package fleet

import (
	"cmp"
	"slices"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/population"
)

// Document returns the result, in an order that depends only on the machines.
func (f *Fleet) Document() *Document {
	d := &Document{Schema: Schema, By: GroupKind(f.by), Machines: append([]Machine{}, f.machines...), Unreadable: append([]Unreadable{}, f.unreadable...),
		UnreadableMore: f.refused - len(f.unreadable), Pending: append([]Pending{}, f.pending...), Findings: []Finding{}, Undecided: []Undecided{}, Verdicts: map[report.Status]int{}}
	for _, s := range report.Statuses() {
		d.Verdicts[s] = 0
	}
	for i := range d.Machines {
		if v := d.Machines[i].Verdict; v != nil {
			d.Verdicts[v.Status]++
		}
	}
	for _, one := range f.findings {
		slices.Sort(one.Machines)
		d.Findings = append(d.Findings, *one)
	}
	for _, one := range f.undecided {
		slices.Sort(one.Machines)
		d.Undecided = append(d.Undecided, *one)
	}
	d.Problems = f.causes(d.Machines)
	slices.SortFunc(d.Machines, worseFirst)
	slices.SortFunc(d.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Input, b.Input) })
	slices.SortFunc(d.Findings, func(a, b Finding) int {
		return cmp.Or(report.SeverityRank(b.Severity)-report.SeverityRank(a.Severity), len(b.Machines)-len(a.Machines), cmp.Compare(a.Rule, b.Rule))
	})
	slices.SortFunc(d.Pending, func(a, b Pending) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Setting, b.Setting))
	})
	slices.SortFunc(d.Undecided, func(a, b Undecided) int {
		return cmp.Or(len(b.Machines)-len(a.Machines), cmp.Compare(a.Reason, b.Reason), cmp.Compare(string(a.KnownBy), string(b.KnownBy)))
	})
	d.Groups = groups(f.machines)
	d.BIOSVersions = biosVersions(d.Machines)
	d.Measured = ranked(f.measured)
	if f.plan != nil {
		d.Plan = f.plan.document(d.Machines)
	}
	return d
}

// biosVersions counts the versions of each product; a machine with an unknown product or version is left out.
func biosVersions(machines []Machine) []BIOSVersion {
	all := map[[2]string]*BIOSVersion{}
	for i := range machines {
		m := &machines[i]
		if m.Product == "" || m.BIOS == "" {
			continue
		}
		key := [2]string{string(m.Product), string(m.BIOS)}
		if all[key] == nil {
			all[key] = &BIOSVersion{Product: key[0], Version: key[1]}
		}
		all[key].Machines = append(all[key].Machines, m.Name)
	}
	out := []BIOSVersion{}
	for _, v := range all {
		slices.Sort(v.Machines)
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b BIOSVersion) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), len(b.Machines)-len(a.Machines), cmp.Compare(a.Version, b.Version))
	})
	return out
}

// worseFirst orders machines by status, then bandwidth, then name; those without findings come last.
func worseFirst(a, b Machine) int {
	rank := func(m *Machine) int {
		if m.Verdict == nil {
			return -1
		}
		return slices.Index(report.Statuses(), m.Verdict.Status)
	}
	return cmp.Or(rank(&b)-rank(&a), lessBandwidth(&a, &b), cmp.Compare(a.Name, b.Name))
}

// lessBandwidth orders machines by the bandwidth of their worst processor; unknown comes last.
func lessBandwidth(a, b *Machine) int { return population.CompareShares(a.share(), b.share()) }
