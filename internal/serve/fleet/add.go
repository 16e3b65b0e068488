package fleet

import (
	"fmt"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
)

// Refuse records an input without a machine.
func (f *Fleet) Refuse(input, reason string) {
	if f.refused++; f.refused <= mostUnreadable {
		f.unreadable = append(f.unreadable, Unreadable{input, reason})
	}
}

// Add adds a machine's report and returns its name, which is made unique by its input.
func (f *Fleet) Add(name, input string, r *report.Report) string {
	m := f.machine(name, input, &r.Inventory)
	kept := r.Verdict // a pointer into the report would keep all of it
	m.Judged, m.Verdict = true, &kept
	f.measurement(&m, r.Measured)
	for i := range r.Findings {
		f.finding(&m, &r.Findings[i])
	}
	for i := range r.Problems {
		f.problem(&m, r, &r.Problems[i])
	}
	f.machines = append(f.machines, m)
	return m.Name
}

// AddInventory adds a machine's inventory, which has no findings, and returns its name.
func (f *Fleet) AddInventory(name, input string, inv *report.Inventory) string {
	m := f.machine(name, input, inv)
	f.undecide(m.Name, "an inventory holds no findings", "memaudit check --format json on the machine, or its snapshot")
	f.machines = append(f.machines, m)
	return m.Name
}

func (f *Fleet) machine(name, input string, inv *report.Inventory) Machine {
	own := name
	for n := 1; f.names[own]; n++ {
		own = input
		if n > 1 {
			own = fmt.Sprintf("%s (%d)", input, n)
		}
	}
	f.names[own] = true
	m := Machine{Name: own, Problems: []MachineProblem{}, traits: map[string]string{}}
	f.identity(&m, inv)
	f.memory(&m, inv)
	f.settings(&m, inv)
	return m
}

func (f *Fleet) finding(m *Machine, one *verdict.Finding) {
	switch one.Result {
	case verdict.Fail:
		if m.Worst == "" || report.SeverityRank(one.Severity) > report.SeverityRank(m.Worst) {
			m.Worst = one.Severity
		}
		if one.CausedBy != "" {
			return
		}
		m.Failures++
		f.failure(m.Name, one)
	case verdict.Unknown, verdict.Error:
		f.undecide(m.Name, string(one.Reason), one.KnownBy.String())
	case verdict.Pass, verdict.NotApplicable, verdict.Waived:
	}
}

func (f *Fleet) failure(machine string, one *verdict.Finding) {
	key := [2]string{one.Rule, string(one.Severity)}
	all := f.findings[key]
	if all == nil {
		all = &Finding{Rule: one.Rule, Severity: one.Severity, Example: Example{machine, one.Subject, one.Found, one.Remedy}}
		f.findings[key] = all
	}
	all.Machines = appendOnce(all.Machines, machine)
}

func (f *Fleet) undecide(machine, reason, knownBy string) {
	key := [2]string{reason, knownBy}
	all := f.undecided[key]
	if all == nil {
		all = &Undecided{Reason: reason, KnownBy: nullable.String(knownBy)}
		f.undecided[key] = all
	}
	all.Machines = appendOnce(all.Machines, machine)
}
