package report

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/topology"
)

func virtualMachine() *machine {
	m := &machine{}
	m.sys.Machine = inventory.Machine{Virtual: direct(true), Hypervisor: direct("kvm")}
	m.sys.Sources = []inventory.Source{
		{Name: "smbios", State: inventory.SourceAbsent, Detail: "/sys/firmware/dmi/tables does not exist"},
		{Name: "cpu", State: inventory.SourceOK}, {Name: "numa", State: inventory.SourceOK},
		{Name: "cpufreq", State: inventory.SourceAbsent, Detail: "not in this input"},
		{Name: "edac", State: inventory.SourceAbsent, Detail: "not in this input"},
	}
	m.sys.Nodes = []inventory.Node{{
		ID: 0, Kind: inventory.NodeDRAM, CPUs: direct([]int{0, 1, 2, 3}), MemoryBytes: direct(int64(8_322_000_000)),
		Distances: direct([]int{10}),
	}}
	m.topo.Platform = fact.Unknown[*topology.Platform](fact.Absent, "no processor row", "")
	m.audit.ProfileWhy = "no profile is documented for a machine whose platform is not recognised"
	m.audit.Findings = []audit.Finding{
		skipped("memory.socket.populated", "a virtual machine has no DIMM slots of its own"),
		skipped("memory.channel.populated", "a virtual machine has no DIMM slots of its own"),
		passed("numa.node.memory", "node 0"),
		open("memory.capacity.visible", "machine", "the source smbios is absent", "pass --smbios with a dump of the host's table"),
	}
	m.audit.Summary = summed(m.audit.Findings)
	return m
}

// unknownMachine is a table full of slots of which nothing can be told.
func unknownMachine() *machine {
	m := &machine{}
	m.sys.Sources = []inventory.Source{{Name: "smbios", State: inventory.SourcePartial, Detail: "12 structures of 40 are cut short"}}
	for i := range 24 {
		m.sys.Slots = append(m.sys.Slots, inventory.Slot{Handle: uint16(0x20 + i), State: inventory.SlotUnknown})
		p := nowhere()
		p.Reason = "the locators are empty"
		m.topo.Placements = append(m.topo.Placements, p)
	}
	for _, rule := range []string{"memory.socket.populated", "memory.channel.populated", "memory.dimm.uniform", "numa.node-interleaving"} {
		m.audit.Findings = append(m.audit.Findings, open(rule, "machine", "no slot could be read", "run dmidecode --dump-bin as root and pass the file with --smbios"))
	}
	m.audit.Findings = append(m.audit.Findings, open("setting.turbo", "setting turbo", "", ""))
	m.audit.Summary = summed(m.audit.Findings)
	m.audit.ProfileWhy = "the machine's vendor is not known"
	return m
}

// bigMachine has eight processors of eight channels and two slots a channel;
// one lacks a channel, and 60 findings talk about it.
func bigMachine() *machine {
	m := &machine{}
	m.sys.Machine = identity("Example Computers Inc.", "Octo 8000", "U40 v2.10", "2024-03-01")
	m.topo.Platform = direct(&topology.Platform{ID: "skylake-sp", Name: "Xeon Scalable"})
	for s := range 8 {
		m.sys.Sockets = append(m.sys.Sockets, processor(s, "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz"))
		m.topo.Processors = append(m.topo.Processors, &topology.Processor{MaxMTs: 2933})
		dpc := []int{2, 2, 2, 2, 2, 2, 2, 2}
		for i := range 16 {
			gib := int64(64)
			if s == 5 && i%8 == 3 {
				gib = 0
			}
			slot := module(0x1000+s*16+i, fmt.Sprintf("P%d_DIMM_%c%d", s+1, 'A'+i%8, i/8+1), gib)
			slot.Type, slot.BankLocator = direct("DDR4"), direct(fmt.Sprintf("_Node%d_Channel%d_Dimm%d", s, i%8, i/8))
			m.sys.Slots = append(m.sys.Slots, slot)
			m.topo.Placements = append(m.topo.Placements, at(s, i%8/4, i%8, i/8))
		}
		share := full()
		if s == 5 {
			dpc[3], share.Low, share.High = 0, .5, 7./8
		}
		p := population(s, dpc, "A", 2666, share)
		p.Speed = direct(topology.Speed{MTs: 1333, Limiter: topology.LimitDPC})
		m.topo.Populations = append(m.topo.Populations, p)
	}
	m.topo.Symmetric = direct(false)
	m.audit.ProfileWhy = "no document describes this machine's settings"
	m.audit.Findings = bigFindings()
	m.audit.Summary = summed(m.audit.Findings)
	return m
}

func bigFindings() []audit.Finding {
	bad := badFindings()
	channel, order := bad[4], bad[3]
	channel.Subject, channel.Severity = "socket 5", audit.Critical
	channel.Found = "channel 3 (P6_DIMM_D1, P6_DIMM_D2) is empty, the other seven hold two DIMMs each"
	channel.Remedy = "put DIMMs of 64 GiB into P6_DIMM_D1 and P6_DIMM_D2"
	order.Subject, order.CausedBy = "socket 5", "memory.channel.populated socket 5"
	slot := audit.Finding{
		Rule: "memory.slot.reachable", Result: audit.Fail, Severity: audit.Warning, Subject: "slot 0x1012 (P2_DIMM_C1)",
		Found: "a DIMM of 64 GiB behind a disabled processor", Expected: "no DIMM there", Certainty: fact.Direct,
	}
	out := []audit.Finding{order, channel, slot}
	for s := range 8 {
		subject := fmt.Sprintf("socket %d", s)
		f := channel
		f.Rule, f.Subject, f.Severity = "memory.ranks.sufficient", subject, audit.Info
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

// chipsetMachine has one controller outside its processors, and slots of
// which one holds memory that is not DRAM.
func chipsetMachine() *machine {
	m := &machine{}
	m.sys.Machine = identity("Supermicro", "X7DB8", "2.1", "06/23/2008")
	m.sys.Sources = []inventory.Source{{Name: "smbios", State: inventory.SourceOK}}
	m.sys.Sockets = []inventory.Socket{processor(0, "Intel(R) Xeon(R) CPU E5345 @ 2.33GHz"), processor(1, "")}
	m.sys.Sockets[1].Populated, m.sys.Sockets[1].Brand = direct(false), fact.Fact[string]{}
	m.topo.Processors = []*topology.Processor{nil, nil}
	for i := range 8 {
		slot := module(0x30+i, fmt.Sprintf("DIMM%d/%c", i%4, 'A'+i/4), int64(2*(1-i/4)))
		slot.Type = direct("DDR2 FB-DIMM")
		if i == 3 {
			slot.SizeBytes = fact.Fact[int64]{}
		}
		m.sys.Slots = append(m.sys.Slots, slot)
		m.topo.Placements = append(m.topo.Placements, at(topology.Unplaced, topology.Unplaced, i%4, i/4))
	}
	flash := inventory.Slot{Handle: 0x50, Locator: direct("SYSTEM ROM"), State: inventory.SlotPopulated,
		SizeBytes: direct(int64(4 << 20)), Technology: direct(inventory.Flash), Type: direct("Flash")}
	m.sys.Slots = append(m.sys.Slots, flash)
	m.topo.Populations = []topology.Population{population(topology.Unplaced, []int{1, 1, 1, 1}, "A", 667, full())}
	m.topo.Populations[0].Speed = fact.Fact[topology.Speed]{}
	m.audit.ProfileWhy = "no profile of the platform is documented"
	m.audit.Findings = []audit.Finding{passed("memory.channel.populated", "machine"), open("memory.dimm.uniform", "machine", "slot 0x0033 has no size", "a newer BIOS")}
	m.audit.Summary = summed(m.audit.Findings)
	return m
}

// wideMachine has one processor of twelve channels with NVDIMMs, long slot
// names and slots that no one can place.
func wideMachine() *machine {
	m := &machine{}
	m.sys.Machine = identity("Example Computers Inc.", "Wide 1", "1", "")
	m.sys.Machine.BIOSDate = fact.Fact[string]{}
	m.sys.Sockets = []inventory.Socket{processor(0, "AMD EPYC 9654 96-Core Processor")}
	for i := range 24 {
		slot := module(0x40+i, fmt.Sprintf("PROC 1 DIMM %d LONG NAME", i+1), 128)
		slot.Type = direct("DDR5")
		if i/12 == 1 {
			slot.Technology = direct(inventory.NVDIMM)
		}
		m.sys.Slots = append(m.sys.Slots, slot)
		p := at(0, i%12/6, i%12, i/12)
		if i == 23 {
			p = nowhere()
			p.Socket, p.Reason = 0, "two patterns contradict each other about "+strings.ToUpper(slot.Locator.Value)
		}
		m.topo.Placements = append(m.topo.Placements, p)
	}
	p := population(0, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "1", 4800, full())
	p.Relative = fact.Fact[topology.Share]{}
	m.topo.Populations = []topology.Population{p}
	m.audit.Findings = []audit.Finding{passed("memory.channel.populated", "socket 0")}
	m.audit.Summary = summed(m.audit.Findings)
	m.audit.ProfileWhy = "none was asked for"
	return m
}
