package reporttest

import (
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

// compared are the configured settings of the machine.
var compared = map[string]string{"smt": "disabled", "turbo": "enabled", "memory_speed": "max"}

func comparisonRow(id string, result verdict.Result, want ...string) (verdict.Finding, verdict.ProfileRow) {
	f := verdict.Finding{Rule: "setting." + id, Subject: inventory.SettingSubject(id), Result: result, Severity: verdict.Info, Citation: dell11G()}
	w := verdict.ProfileRow{Want: want}
	switch result {
	case verdict.Pass:
		f.Found = nullable.String(compared[id] + " (configured)")
	case verdict.Fail:
		f.Found = nullable.String(compared[id] + " (configured)")
		f.Remedy = nullable.String("System BIOS > " + id + " = " + want[0] + "\nracadm set BIOS." + id + " " + want[0])
		f.Effect = &verdict.Effect{Text: "+2 to +8 %", Source: "Dell, Figure 9"}
		w.Note, w.Exceptions = "the text says to test per application", []string{"a test shows a gain"}
	case verdict.Unknown:
		f.Reason, f.KnownBy = "neither firmware's settings nor the kernel show it", fact.Inputs{"export the BIOS settings"}
	case verdict.NotApplicable:
		f.Reason = "concerns only processors with Turbo Boost"
	case verdict.Waived, verdict.Error:
	}
	return f, w
}

func held(id, intent string, closest bool, rows ...func() (verdict.Finding, verdict.ProfileRow)) verdict.ProfileComparison {
	h := verdict.ProfileComparison{Profile: verdict.Profile{ID: id, Intent: intent, Title: id, Citation: *dell11G()}, Intents: []string{intent}, Closest: closest}
	for _, row := range rows {
		f, w := row()
		h.Findings, h.Rows = append(h.Findings, f), append(h.Rows, w)
	}
	h.Summary = verdict.Summarize(h.Findings)
	return h
}

func row(id string, result verdict.Result, want ...string) func() (verdict.Finding, verdict.ProfileRow) {
	return func() (verdict.Finding, verdict.ProfileRow) { return comparisonRow(id, result, want...) }
}

// Comparisons are made-up comparisons by name.
func Comparisons() map[string]*verdict.Comparison {
	power := row("power_policy", verdict.Unknown, "firmware_dynamic")
	noSMT := row("smt", verdict.Pass, "disabled")
	byAnalogy := held("dell-11g/low-latency", "low-latency", false, row("c_states", verdict.Error, "disabled"), row("turbo", verdict.NotApplicable, "enabled"))
	byAnalogy.Analogy = "the document covers R710"
	return map[string]*verdict.Comparison{
		"unknown": {Profiles: []verdict.ProfileComparison{
			held("hpe-gen10plus-amd-7003/transactional-application-processing", "database", false, power, row("smt", verdict.Unknown, "enabled")),
			held("hpe-gen10plus-amd-7003/general-power-efficient-compute", "energy-efficiency", false, power),
		}},
		"none": {Why: "no document gives a profile for this machine"},
		"some": {
			Profiles: []verdict.ProfileComparison{
				held("dell-11g/balanced", "balanced", true, power, noSMT, row("turbo", verdict.Fail, "disabled")),
				held("dell-11g/max-performance", "max-performance", false, row("power_policy", verdict.Unknown, "max_performance", "os_dynamic"),
					row("smt", verdict.Fail, "enabled"), row("turbo", verdict.Fail, "disabled"), row("memory_speed", verdict.Pass, "max")),
				held("dell-11g/hpc", "hpc", true, power, noSMT, row("turbo", verdict.Fail, "disabled")),
				byAnalogy,
			},
			Undecided: []verdict.Undecided{{ID: "dell-11g/board", Reason: "whether the profile dell-11g/board is written for this machine is not known"}},
		},
	}
}

// Compared is the machine of the comparisons.
func Compared() *Input {
	m := Bad()
	for id, value := range compared {
		setting := m.Sys.Settings[id]
		setting.Configured = Direct(value)
		m.Sys.Settings[id] = setting
	}
	return m
}
