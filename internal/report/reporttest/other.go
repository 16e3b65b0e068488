package reporttest

import (
	"fmt"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Virtual is a guest without slots.
func Virtual() *Input {
	m := &Input{}
	m.Sys.Machine = inventory.Machine{Virtual: Direct(true), Hypervisor: Direct("kvm")}
	m.Sys.Sources = []inventory.Source{
		{Name: "smbios", State: fact.SourceAbsent, Detail: "/sys/firmware/dmi/tables does not exist"},
		{Name: "cpu", State: fact.SourceOK}, {Name: "numa", State: fact.SourceOK},
		{Name: "cpufreq", State: fact.SourceAbsent, Detail: "not in this input"},
		{Name: "edac", State: fact.SourceAbsent, Detail: "not in this input"},
	}
	m.Sys.Nodes = []inventory.Node{{
		ID: 0, Kind: Direct(inventory.NodeDRAM), CPUs: Direct([]int{0, 1, 2, 3}), MemoryBytes: Direct(int64(8_322_000_000)),
		Distances: Direct([]int{10}),
	}}
	m.Topo.Platform = fact.Unknown[*platform.Platform](fact.Absent, "no processor row", "")
	m.Audit.ProfileWhy = "no profile is documented for a machine whose platform is not recognised"
	m.Audit.Findings = []verdict.Finding{
		skipped("memory.socket.populated", "a virtual machine has no DIMM slots of its own"),
		skipped("memory.channel.populated", "a virtual machine has no DIMM slots of its own"),
		passed("numa.node.memory", inventory.NodeSubject(0)),
		open("memory.capacity.visible", inventory.Subject{}, "the source smbios is absent", fact.SMBIOSFile),
	}
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	return m
}

// Nothing is a table full of slots without data.
func Nothing() *Input {
	m := &Input{}
	m.Sys.Sources = []inventory.Source{{Name: "smbios", State: fact.SourcePartial, Detail: "12 structures of 40 are cut short"}}
	for i := range 24 {
		m.Sys.Slots = append(m.Sys.Slots, inventory.Slot{Handle: inventory.Handle(0x20 + i), State: inventory.SlotUnknown})
		m.Topo.Placements = append(m.Topo.Placements, unplaced(place.Unplaced, "the locators are empty"))
	}
	for _, rule := range []string{"memory.socket.populated", "memory.channel.populated", "memory.dimm.uniform", "numa.node-interleaving"} {
		m.Audit.Findings = append(m.Audit.Findings, open(rule, inventory.Subject{}, "no slot could be read", fact.SMBIOSFile))
	}
	m.Audit.Findings = append(m.Audit.Findings, open("setting.turbo", inventory.SettingSubject("turbo"), "", ""))
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	m.Audit.ProfileWhy = "the machine's vendor is not known"
	return m
}

// Big has eight processors of eight channels and two slots a channel;
// one lacks a channel, and 60 findings talk about it.
func Big() *Input {
	m := &Input{}
	m.Sys.Machine = identity("Example Computers Inc.", "Octo 8000", "U40 v2.10", "2024-03-01")
	m.Topo.Platform = Direct(&platform.Platform{ID: "skylake-sp", Name: "Xeon Scalable"})
	for s := range 8 {
		m.Sys.Sockets = append(m.Sys.Sockets, processor(s, "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz"))
		m.Topo.Processors = append(m.Topo.Processors, &platform.Processor{MaxMTs: 2933})
		dpc := []int{2, 2, 2, 2, 2, 2, 2, 2}
		for i := range 16 {
			gib := int64(64)
			if s == 5 && i%8 == 3 {
				gib = 0
			}
			slot := Module(0x1000+s*16+i, fmt.Sprintf("P%d_DIMM_%c%d", s+1, 'A'+i%8, i/8+1), gib)
			slot.Type, slot.BankLocator = Direct("DDR4"), Direct(fmt.Sprintf("_Node%d_Channel%d_Dimm%d", s, i%8, i/8))
			m.Sys.Slots = append(m.Sys.Slots, slot)
			m.Topo.Placements = append(m.Topo.Placements, At(s, i%8/4, i%8, i/8))
		}
		share := full()
		if s == 5 {
			dpc[3], share.Low, share.High = 0, .5, 7./8
		}
		p := newPopulation(s, dpc, "A", 2666, share)
		p.Speed = Direct(population.Speed{MTs: 1333, Limiter: population.LimitDPC})
		m.Topo.Populations = append(m.Topo.Populations, p)
	}
	m.Topo.Symmetric = Direct(false)
	m.Audit.ProfileWhy = "no document describes this machine's settings"
	m.Audit.Findings = bigFindings()
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	return m
}

func bigFindings() []verdict.Finding {
	bad := BadFindings()
	channel, order := bad[4], bad[3]
	channel.Subject, channel.Severity = inventory.SocketSubject(5), verdict.Critical
	channel.Found = "channel 3 (P6_DIMM_D1, P6_DIMM_D2) is empty, the other seven hold two DIMMs each"
	channel.Remedy = "put DIMMs of 64 GiB into P6_DIMM_D1 and P6_DIMM_D2"
	order.Subject, order.CausedBy = inventory.SocketSubject(5), "memory.channel.populated"
	slot := verdict.Finding{
		Rule: "memory.slot.reachable", Result: verdict.Fail, Severity: verdict.Warning, Subject: inventory.SlotSubject(0x1012, "P2_DIMM_C1"),
		Found: "a DIMM of 64 GiB behind a disabled processor", Expected: "no DIMM there", Certainty: fact.Direct,
	}
	out := []verdict.Finding{order, channel, slot}
	for s := range 8 {
		subject := inventory.SocketSubject(s)
		f := channel
		f.Rule, f.Subject, f.Severity = "memory.ranks.sufficient", subject, verdict.Info
		f.Found, f.Expected, f.Remedy = "2 ranks on each channel", "4 ranks on each channel", "use quad-rank modules"
		out = append(out, f, open("memory.voltage.uniform", subject, "the table has no voltages", "a newer BIOS"),
			passed("memory.socket.populated", subject), passed("memory.dimm.uniform", subject),
			passed("memory.count.supported", subject), open("memory.speed.expected", subject, "the table has no configured speed", "EDAC"))
	}
	for i := len(out); i < 60; i++ {
		out = append(out, skipped(fmt.Sprintf("setting.example_%d", i), "no profile applies"))
	}
	return out
}

// Chipset has one controller outside its processors, and slots of
// which one holds memory that is not DRAM.
func Chipset() *Input {
	m := &Input{}
	m.Sys.Machine = identity("Supermicro", "X7DB8", "2.1", "06/23/2008")
	m.Sys.Sources = []inventory.Source{{Name: "smbios", State: fact.SourceOK}}
	m.Sys.Sockets = []inventory.Socket{processor(0, "Intel(R) Xeon(R) CPU E5345 @ 2.33GHz"), processor(1, "")}
	m.Sys.Sockets[1].Populated, m.Sys.Sockets[1].Brand = Direct(false), fact.Fact[string]{}
	m.Topo.Processors = []*platform.Processor{nil, nil}
	for i := range 8 {
		slot := Module(0x30+i, fmt.Sprintf("DIMM%d/%c", i%4, 'A'+i/4), int64(2*(1-i/4)))
		slot.Type = Direct("DDR2 FB-DIMM")
		if i == 3 {
			slot.SizeBytes = fact.Fact[int64]{}
		}
		m.Sys.Slots = append(m.Sys.Slots, slot)
		m.Topo.Placements = append(m.Topo.Placements, At(place.Unplaced, place.Unplaced, i%4, i/4))
	}
	flash := inventory.Slot{Handle: 0x50, Locator: Direct("SYSTEM ROM"), State: inventory.SlotPopulated,
		SizeBytes: Direct(int64(4 << 20)), Technology: Direct(inventory.Flash), Type: Direct("Flash")}
	m.Sys.Slots = append(m.Sys.Slots, flash)
	m.Topo.Populations = []population.Population{newPopulation(place.Unplaced, []int{1, 1, 1, 1}, "A", 667, full())}
	m.Topo.Populations[0].Speed = fact.Fact[population.Speed]{}
	m.Audit.ProfileWhy = "no profile of the platform is documented"
	m.Audit.Findings = []verdict.Finding{passed("memory.channel.populated", inventory.Subject{}), open("memory.dimm.uniform", inventory.Subject{}, "slot 0x0033 has no size", "a newer BIOS")}
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	return m
}

// Wide has one processor of twelve channels with NVDIMMs, long slot names and slots without a place.
func Wide() *Input {
	m := &Input{}
	m.Sys.Machine = identity("Example Computers Inc.", "Wide 1", "1", "")
	m.Sys.Machine.BIOS.Date = fact.Fact[string]{}
	m.Sys.Sockets = []inventory.Socket{processor(0, "AMD EPYC 9654 96-Core Processor")}
	for i := range 24 {
		slot := Module(0x40+i, fmt.Sprintf("PROC 1 DIMM %d LONG NAME", i+1), 128)
		slot.Type = Direct("DDR5")
		if i/12 == 1 {
			slot.Technology = Direct(inventory.NVDIMM)
		}
		m.Sys.Slots = append(m.Sys.Slots, slot)
		p := At(0, i%12/6, i%12, i/12)
		if i == 23 {
			p = unplaced(0, "two patterns contradict each other about "+strings.ToUpper(slot.Locator.Value))
		}
		m.Topo.Placements = append(m.Topo.Placements, p)
	}
	p := newPopulation(0, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "1", 4800, full())
	p.Relative = fact.Fact[population.Share]{}
	m.Topo.Populations = []population.Population{p}
	m.Audit.Findings = []verdict.Finding{passed("memory.channel.populated", inventory.SocketSubject(0))}
	m.Audit.Summary = verdict.Summarize(m.Audit.Findings)
	m.Audit.ProfileWhy = "none was asked for"
	return m
}
