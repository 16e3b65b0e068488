package reporttest

import (
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/population"
)

// Subject returns the subject that a document names with a text.
func Subject(text string) (s inventory.Subject) {
	_ = s.UnmarshalText([]byte(text)) // any text is a subject
	return s
}

func passed(rule string, subject inventory.Subject) verdict.Finding {
	return verdict.Finding{
		Rule: rule, Title: nullable.String("title of " + rule), Result: verdict.Pass, Severity: verdict.Warning, Subject: subject,
		Found: "as it should be", Certainty: fact.Direct, Evidence: []fact.Evidence{DMI("field", "raw")},
	}
}

func skipped(rule, reason string) verdict.Finding {
	return verdict.Finding{
		Rule: rule, Result: verdict.NotApplicable, Severity: verdict.Info, Reason: nullable.String(reason),
	}
}

func open(rule string, subject inventory.Subject, reason string, knownBy fact.Input) verdict.Finding {
	return verdict.Finding{
		Rule: rule, Title: nullable.String("title of " + rule), Result: verdict.Unknown, Severity: verdict.Warning, Subject: subject,
		Reason: nullable.String(reason), KnownBy: knownBy.List(),
	}
}

func dell11G() *verdict.Citation {
	return &verdict.Citation{
		Vendor: "Dell", Title: "Optimal BIOS Settings for High Performance Computing with PowerEdge 11G Servers",
		Year: 2010, Place: `"Intel Nehalem Architecture"`, URL: "https://example.com/dell/11g-hpc.pdf",
	}
}

// Good is a machine of which everything is known and nothing fails.
func Good() *Input {
	m := DualSocket([12]int64{4, 4, 4, 0, 0, 0, 4, 4, 4, 0, 0, 0})
	for s := range 2 {
		m.Topo.Populations = append(m.Topo.Populations, newPopulation(s, []int{1, 1, 1}, "A", 1333, full()))
	}
	m.Topo.Symmetric = Direct(true)
	m.Audit.Profile = &verdict.Profile{ID: "dell-11g/balanced", Intent: "balanced", Title: "Balanced", Citation: *dell11G()}
	m.Audit.Findings = []verdict.Finding{
		passed("memory.socket.populated", inventory.SocketSubject(0)), passed("memory.socket.populated", inventory.SocketSubject(1)),
		passed("memory.channel.populated", inventory.SocketSubject(0)), passed("memory.channel.populated", inventory.SocketSubject(1)),
		passed("memory.socket.symmetric", inventory.Subject{}), passed("numa.node-interleaving", inventory.Subject{}),
		skipped("memory.hemisphere.possible", "the platform westmere-ep has one controller a processor"),
		skipped("memory.lockstep.identical", "lockstep is off"),
	}
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	return m
}

// Bad is a machine with two different processors and failures that follow from each other.
func Bad() *Input {
	m := DualSocket([12]int64{4, 4, 4, 0, 0, 0, 4, 4, 0, 4, 0, 0})
	m.Sys.Slots[9].ConfiguredMTs = Direct(1067)
	m.Sys.Sources = append(m.Sys.Sources,
		inventory.Source{Name: "msr", State: fact.SourceDenied, Detail: "/dev/cpu/0/msr: permission denied; run as root"},
		inventory.Source{Name: "edac", State: fact.SourceAbsent, Detail: "no controller below /sys/devices/system/edac/mc"},
		inventory.Source{Name: "acpi", State: fact.SourceTruncated, Detail: "SRAT ends at 0x80, its header says 0x1c0"})
	m.Topo.Populations = []population.Population{
		newPopulation(0, []int{1, 1, 1}, "A", 1333, full()),
		newPopulation(1, []int{2, 1, 0}, "C", 1333, population.Share{Low: 1. / 3, High: .5, By: "population model"}),
	}
	m.Topo.Populations[1].RunningMTs = Direct(1067)
	m.Topo.Symmetric = Direct(false)
	m.Audit.Profile = &verdict.Profile{ID: "dell-11g/max-performance", Intent: "max-performance", Citation: *dell11G()}
	m.Audit.Findings = BadFindings()
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	m.Audit.Notices = []string{"waiver for memory.slot.order, socket 3 matches nothing"}
	return m
}

// BadFindings are the findings of Bad.
func BadFindings() []verdict.Finding {
	slots := []fact.Evidence{
		DMI("type 17 0x1106 Size", "4096 MB"), DMI("type 17 0x1107 Size", "4096 MB"),
		DMI("type 17 0x1108 Size", "No Module Installed"), DMI("type 17 0x1109 Size", "4096 MB"),
	}
	return []verdict.Finding{
		passed("memory.socket.populated", inventory.SocketSubject(0)), passed("memory.socket.populated", inventory.SocketSubject(1)),
		passed("memory.channel.populated", inventory.SocketSubject(0)),
		{
			Rule: "memory.slot.order", Title: "slots are filled in the documented order", Result: verdict.Fail,
			Severity: verdict.Info, Subject: inventory.SocketSubject(1), Found: "DIMM_B4 is filled before DIMM_B3", Expected: "B1, B2, B3, then B4, B5, B6",
			Why: "the manual prescribes the order", CausedBy: "memory.channel.populated", Remedy: "see there",
			Evidence: slots, Certainty: fact.Direct, Citation: dell11G(),
		},
		{
			Rule: "memory.channel.populated", Title: "every channel of a processor has a DIMM", Result: verdict.Fail,
			Severity: verdict.Warning, Subject: inventory.SocketSubject(1),
			Mark:     verdict.EmptyChannels,
			Found:    "channel 2 (DIMM_B3, DIMM_B6) is empty, channel 0 holds two DIMMs",
			Expected: "one DIMM on each of the three channels",
			Why:      "an empty channel takes its share of the processor's memory bandwidth away, and the interleave falls into several regions",
			Effect:   &verdict.Effect{Text: "33 to 50 % of the socket's 32.0 GB/s is left (channel share; not measured for this layout)"},
			Remedy:   "move the DIMM from DIMM_B4 to DIMM_B3", Evidence: slots, Certainty: fact.Direct, Citation: dell11G(),
		},
		{
			Rule: "memory.socket.symmetric", Title: "processors carry the same memory", Result: verdict.Fail,
			Severity: verdict.Warning, Found: "socket 0 has 1 DIMM on 3 channels, socket 1 has 2, 1 and 0",
			Expected: "the same layout on both processors", CausedBy: "memory.channel.populated",
			Certainty: fact.Direct, Evidence: slots[:1], Citation: dell11G(),
		},
		{
			Rule: "setting.c_states", Title: "C-states", Result: verdict.Fail, Severity: verdict.Info, Subject: inventory.SettingSubject("c_states"), Value: "enabled",
			Found: "enabled (effective)", Expected: "disabled", Why: "wake-up latency",
			Effect:    &verdict.Effect{Text: "+2 to +8 % on InfiniBand, for 12-21 % more power", Source: "Dell, Figures 9 and 13"},
			Remedy:    "System BIOS > Power Management > C States: Disabled",
			Certainty: fact.Indirect, Citation: dell11G(),
			Evidence: []fact.Evidence{{Source: "cpuidle", Path: "/sys/devices/system/cpu/cpu0/cpuidle/state3/name", Raw: "C6"}},
		},
		{
			Rule: "setting.smt", Result: verdict.Waived, Severity: verdict.Info, Subject: inventory.SettingSubject("smt"), Found: "enabled", Expected: "disabled",
			Waiver:    &verdict.Waiver{Reason: "our solver gains 9 % with SMT, ticket HPC-311", Until: "2027-06-30"},
			Certainty: fact.Direct, Citation: dell11G(),
		},
		{
			Rule: "numa.distance.plausible", Result: verdict.Error, Severity: verdict.Info,
			Reason: "evaluation of check stopped after 100000 steps",
		},
		open("memory.speed.expected", inventory.SocketSubject(0), "SMBIOS 2.6 has no configured speed", "EDAC or the BMC would show it"),
		open("memory.speed.expected", inventory.SocketSubject(1), "SMBIOS 2.6 has no configured speed", "EDAC or the BMC would show it"),
		open("setting.node_interleave", inventory.SettingSubject("node_interleave"), "the source msr was denied", "run as root"),
		skipped("memory.hemisphere.possible", "the platform westmere-ep has one controller a processor"),
	}
}
