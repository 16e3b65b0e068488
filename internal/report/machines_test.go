package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/topology"
)

// machine is one made-up machine with its audit, as the earlier stages would
// hand it over.
type machine struct {
	sys   inventory.System
	topo  topology.Result
	audit audit.Audit
}

func testOptions() Options {
	return Options{
		Version:  "1.2.3",
		Revision: "abcdef0",
		Now:      time.Date(2026, 11, 20, 9, 30, 0, 0, time.FixedZone("CET", 3600)),
	}
}

func (m *machine) report() *Report {
	r := Build(&m.sys, &m.topo, &m.audit, testOptions())
	return &r
}

// machines are all made-up machines by name.
func machines() map[string]*machine {
	return map[string]*machine{
		"good":    goodMachine(),
		"bad":     badMachine(),
		"vm":      virtualMachine(),
		"unknown": unknownMachine(),
		"big":     bigMachine(),
		"chipset": chipsetMachine(),
		"wide":    wideMachine(),
	}
}

func eachMachine(t *testing.T, run func(t *testing.T, m *machine)) {
	t.Helper()
	for name, m := range machines() {
		t.Run(name, func(t *testing.T) { run(t, m) })
	}
}

func dmi(field, raw string) inventory.Evidence {
	return inventory.Evidence{Source: "smbios", Path: "/sys/firmware/dmi/tables/DMI", Field: field, Raw: raw}
}

func direct[T any](v T) inventory.Fact[T] {
	return inventory.Known(v, inventory.Direct, dmi("field", fmt.Sprint(v)))
}

func identity(vendor, product, bios, date string) inventory.Machine {
	return inventory.Machine{
		Vendor: direct(vendor), Product: direct(product),
		BIOSVendor: direct(vendor), BIOSVersion: direct(bios), BIOSDate: direct(date),
		Virtual: direct(false),
	}
}

func processor(id int, brand string) inventory.Socket {
	return inventory.Socket{
		ID: id, Designation: direct(fmt.Sprintf("CPU%d", id+1)), Populated: direct(true), Brand: direct(brand),
		Family: direct(6), Model: direct(44), Stepping: direct(2),
		Cores: direct(6), CoresEnabled: direct(6), Threads: direct(12),
	}
}

// module fills a slot of gib GiB; 0 leaves it empty.
func module(handle int, locator string, gib int64) inventory.Slot {
	s := inventory.Slot{
		Handle: uint16(handle), Locator: direct(locator), State: inventory.SlotEmpty,
		FormFactor: direct("DIMM"), Technology: direct(inventory.DRAM), Type: direct("DDR3"),
	}
	if gib == 0 {
		return s
	}
	s.State, s.SizeBytes = inventory.SlotPopulated, direct(gib<<30)
	s.Ranks, s.RatedMTs, s.ConfiguredMTs, s.ConfiguredMV = direct(2), direct(1333), direct(1333), direct(1350)
	s.DataWidth, s.TotalWidth, s.Registered = direct(64), direct(72), direct(true)
	s.Manufacturer, s.PartNumber = direct("Samsung"), direct("M393B5273CH0-YH9")
	s.Serial, s.AssetTag = "SERIAL-SECRET", "ASSET-SECRET"
	return s
}

func at(socket, controller, channel, slot int) topology.Placement {
	return topology.Placement{
		Socket: socket, Controller: controller, Channel: channel, Slot: slot,
		Source: "slot_map", Certainty: inventory.Direct, Rule: "test",
	}
}

func westmere() *topology.Platform {
	return &topology.Platform{ID: "westmere-ep", Name: "Xeon 5600 (Westmere-EP)"}
}

// dualSocket is a two-socket machine of three channels and two slots a
// channel; sizes are GiB in the order of the labels A1 ... A6, B1 ... B6.
func dualSocket(sizes [12]int64) *machine {
	m := &machine{}
	m.sys.Machine = identity("Dell Inc.", "PowerEdge R610", "6.6.0", "05/22/2018")
	m.sys.Sources = []inventory.Source{
		{Name: "smbios", State: inventory.SourceOK}, {Name: "cpu", State: inventory.SourceOK},
		{Name: "numa", State: inventory.SourceOK}, {Name: "memory", State: inventory.SourceOK},
	}
	const brand = "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz"
	m.sys.Sockets = []inventory.Socket{processor(0, brand), processor(1, brand)}
	row := &topology.Processor{MaxMTs: 1333}
	m.topo.Processors = []*topology.Processor{row, row}
	m.topo.Platform = inventory.Known(westmere(), inventory.Direct, dmi("type 4 ID", "c2 06 02 00"))
	for i, gib := range sizes {
		socket, n := i/6, i%6
		locator := fmt.Sprintf("DIMM_%c%d", 'A'+socket, n+1)
		m.sys.Slots = append(m.sys.Slots, module(0x1100+i, locator, gib))
		m.topo.Placements = append(m.topo.Placements, at(socket, 0, n%3, n/3))
	}
	m.sys.Nodes = []inventory.Node{node(0, []int{0, 2, 4, 6, 8, 10}), node(1, []int{1, 3, 5, 7, 9, 11})}
	m.sys.Settings = map[string]inventory.Setting{
		"smt": {
			Configured: direct("disabled"),
			Pending:    direct("enabled"),
			Effective: inventory.Known("disabled", inventory.Direct,
				inventory.Evidence{Source: "cpu", Path: "/sys/devices/system/cpu/smt/control", Raw: "off"}),
		},
		"turbo": {Effective: inventory.Unknown[string](inventory.Unread, "cpufreq was not read", "run on the live machine")},
	}
	return m
}

func node(id int, cpus []int) inventory.Node {
	distances := []int{21, 21}
	distances[id%2] = 10
	return inventory.Node{
		ID: id, Kind: inventory.NodeDRAM, Socket: direct(id), CPUs: direct(cpus),
		MemoryBytes: direct(int64(12_345_678_848)), Distances: direct(distances),
	}
}

func population(socket int, dpc []int, class string, mts int, share topology.Share) topology.Population {
	used, dimms := 0, 0
	for _, n := range dpc {
		dimms += n
		if n > 0 {
			used++
		}
	}
	return topology.Population{
		Socket: socket, DIMMs: direct(dimms), ChannelsTotal: direct(len(dpc)), ChannelsPopulated: direct(used),
		DPC:     direct(dpc),
		Regions: direct([]topology.Region{{Bytes: int64(dimms) * 4 << 30, Ways: used}}),
		Class:   direct(topology.Class{Name: class, Best: "A"}),
		Speed:   direct(topology.Speed{MTs: mts, Limiter: topology.LimitNone}),
		Peak:    direct(int64(used) * int64(mts) * 8_000_000), Relative: direct(share),
	}
}

func full() topology.Share { return topology.Share{Low: 1, High: 1, Source: "population model"} }

// summed counts the results, as the audit does.
func summed(findings []audit.Finding) audit.Summary {
	var s audit.Summary
	for _, f := range findings {
		switch f.Result {
		case audit.Pass:
			s.Pass++
		case audit.Fail:
			s.Fail++
			if f.Severity.Rank() > s.Worst.Rank() {
				s.Worst = f.Severity
			}
		case audit.Unknown:
			s.Unknown++
		case audit.NotApplicable:
			s.NotApplicable++
		case audit.Waived:
			s.Waived++
		case audit.Error:
			s.Error++
		}
	}
	return s
}

func passed(rule, subject string) audit.Finding {
	return audit.Finding{
		Rule: rule, Title: "title of " + rule, Result: audit.Pass, Severity: audit.Warning, Subject: subject,
		Found: "as it should be", Certainty: inventory.Direct, Evidence: []inventory.Evidence{dmi("field", "raw")},
	}
}

func skipped(rule, reason string) audit.Finding {
	return audit.Finding{
		Rule: rule, Result: audit.NotApplicable, Severity: audit.Info, Subject: "machine", Reason: reason,
	}
}

func open(rule, subject, reason, knownBy string) audit.Finding {
	return audit.Finding{
		Rule: rule, Title: "title of " + rule, Result: audit.Unknown, Severity: audit.Warning, Subject: subject,
		Reason: reason, KnownBy: knownBy,
	}
}

func dell11G() *audit.Citation {
	return &audit.Citation{
		Vendor: "Dell", Title: "Optimal BIOS Settings for High Performance Computing with PowerEdge 11G Servers",
		Year: 2010, Place: `"Intel Nehalem Architecture"`, URL: "https://example.com/dell/11g-hpc.pdf",
	}
}

func goodMachine() *machine {
	m := dualSocket([12]int64{4, 4, 4, 0, 0, 0, 4, 4, 4, 0, 0, 0})
	for s := range 2 {
		m.topo.Populations = append(m.topo.Populations, population(s, []int{1, 1, 1}, "A", 1333, full()))
	}
	m.topo.Symmetric = direct(true)
	m.audit.Profile = &audit.Profile{ID: "dell-11g/balanced", Intent: "balanced", Title: "Balanced", Citation: *dell11G()}
	m.audit.Findings = []audit.Finding{
		passed("memory.socket.populated", "socket 0"), passed("memory.socket.populated", "socket 1"),
		passed("memory.channel.populated", "socket 0"), passed("memory.channel.populated", "socket 1"),
		passed("memory.socket.symmetric", "machine"), passed("numa.node-interleaving", "machine"),
		skipped("memory.hemisphere.possible", "the platform westmere-ep has one controller a processor"),
		skipped("memory.lockstep.identical", "lockstep is off"),
	}
	m.audit.Summary = summed(m.audit.Findings)
	return m
}

func badMachine() *machine {
	m := dualSocket([12]int64{4, 4, 4, 0, 0, 0, 4, 4, 0, 4, 0, 0})
	m.sys.Slots[9].ConfiguredMTs = direct(1067)
	m.sys.Sources = append(m.sys.Sources,
		inventory.Source{Name: "msr", State: inventory.SourceDenied, Detail: "/dev/cpu/0/msr: permission denied; run as root"},
		inventory.Source{Name: "edac", State: inventory.SourceAbsent, Detail: "no controller below /sys/devices/system/edac/mc"},
		inventory.Source{Name: "acpi", State: inventory.SourceTruncated, Detail: "SRAT ends at 0x80, its header says 0x1c0"})
	m.topo.Populations = []topology.Population{
		population(0, []int{1, 1, 1}, "A", 1333, full()),
		population(1, []int{2, 1, 0}, "C", 1333, topology.Share{Low: 1. / 3, High: .5, Source: "population model"}),
	}
	m.topo.Symmetric = direct(false)
	m.audit.Profile = &audit.Profile{ID: "dell-11g/max-performance", Intent: "max-performance", Citation: *dell11G()}
	m.audit.Findings = badFindings()
	m.audit.Summary = summed(m.audit.Findings)
	m.audit.Notices = []string{"waiver for memory.slot.order, socket 3 matches nothing"}
	return m
}

func badFindings() []audit.Finding {
	slots := []inventory.Evidence{
		dmi("type 17 0x1106 Size", "4096 MB"), dmi("type 17 0x1107 Size", "4096 MB"),
		dmi("type 17 0x1108 Size", "No Module Installed"), dmi("type 17 0x1109 Size", "4096 MB"),
	}
	return []audit.Finding{
		passed("memory.socket.populated", "socket 0"), passed("memory.socket.populated", "socket 1"),
		passed("memory.channel.populated", "socket 0"),
		{
			Rule: "memory.slot.order", Title: "slots are filled in the documented order", Result: audit.Fail,
			Severity: audit.Info, Subject: "socket 1", Found: "DIMM_B4 is filled before DIMM_B3", Expected: "B1, B2, B3, then B4, B5, B6",
			Why: "the manual prescribes the order", CausedBy: "memory.channel.populated socket 1", Remedy: "see there",
			Evidence: slots, Certainty: inventory.Direct, Citation: dell11G(),
		},
		{
			Rule: "memory.channel.populated", Title: "every channel of a processor has a DIMM", Result: audit.Fail,
			Severity: audit.Warning, Subject: "socket 1",
			Found:    "channel 2 (DIMM_B3, DIMM_B6) is empty, channel 0 holds two DIMMs",
			Expected: "one DIMM on each of the three channels",
			Why:      "an empty channel takes its share of the processor's memory bandwidth away, and the interleave falls into several regions",
			Effect:   &audit.Effect{Text: "33 to 50 % of the socket's 32.0 GB/s is left (channel share; not measured for this layout)"},
			Remedy:   "move the DIMM from DIMM_B4 to DIMM_B3", Evidence: slots, Certainty: inventory.Direct, Citation: dell11G(),
		},
		{
			Rule: "memory.socket.symmetric", Title: "processors carry the same memory", Result: audit.Fail,
			Severity: audit.Warning, Subject: "machine", Found: "socket 0 has 1 DIMM on 3 channels, socket 1 has 2, 1 and 0",
			Expected: "the same layout on both processors", CausedBy: "memory.channel.populated",
			Certainty: inventory.Direct, Evidence: slots[:1], Citation: dell11G(),
		},
		{
			Rule: "setting.c_states", Title: "C-states", Result: audit.Fail, Severity: audit.Info, Subject: "setting c_states",
			Found: "enabled (effective)", Expected: "disabled", Why: "wake-up latency",
			Effect:    &audit.Effect{Text: "+2 to +8 % on InfiniBand, for 12-21 % more power", Source: "Dell, Figures 9 and 13"},
			Remedy:    "System BIOS > Power Management > C States: Disabled",
			Certainty: inventory.Indirect, Citation: dell11G(),
			Evidence: []inventory.Evidence{{Source: "cpuidle", Path: "/sys/devices/system/cpu/cpu0/cpuidle/state3/name", Raw: "C6"}},
		},
		{
			Rule: "setting.smt", Result: audit.Waived, Severity: audit.Info, Subject: "setting smt", Found: "enabled", Expected: "disabled",
			Waiver:    &audit.Waiver{Reason: "our solver gains 9 % with SMT, ticket HPC-311", Until: "2027-06-30"},
			Certainty: inventory.Direct, Citation: dell11G(),
		},
		{
			Rule: "numa.distance.plausible", Result: audit.Error, Severity: audit.Info, Subject: "machine",
			Reason: "evaluation of check stopped after 100000 steps",
		},
		open("memory.speed.expected", "socket 0", "SMBIOS 2.6 has no configured speed", "EDAC or the BMC would tell"),
		open("memory.speed.expected", "socket 1", "SMBIOS 2.6 has no configured speed", "EDAC or the BMC would tell"),
		open("setting.node_interleave", "setting node_interleave", "the source msr was denied", "run as root"),
		skipped("memory.hemisphere.possible", "the platform westmere-ep has one controller a processor"),
	}
}

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
	m.topo.Platform = inventory.Unknown[*topology.Platform](inventory.Absent, "no processor row", "")
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
		Found: "a DIMM of 64 GiB behind a disabled processor", Expected: "no DIMM there", Certainty: inventory.Direct,
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
	m.sys.Sockets[1].Populated, m.sys.Sockets[1].Brand = direct(false), inventory.Fact[string]{}
	m.topo.Processors = []*topology.Processor{nil, nil}
	for i := range 8 {
		slot := module(0x30+i, fmt.Sprintf("DIMM%d/%c", i%4, 'A'+i/4), int64(2*(1-i/4)))
		slot.Type = direct("DDR2 FB-DIMM")
		if i == 3 {
			slot.SizeBytes = inventory.Fact[int64]{}
		}
		m.sys.Slots = append(m.sys.Slots, slot)
		m.topo.Placements = append(m.topo.Placements, at(topology.Unplaced, topology.Unplaced, i%4, i/4))
	}
	flash := inventory.Slot{Handle: 0x50, Locator: direct("SYSTEM ROM"), State: inventory.SlotPopulated,
		SizeBytes: direct(int64(4 << 20)), Technology: direct(inventory.Flash), Type: direct("Flash")}
	m.sys.Slots = append(m.sys.Slots, flash)
	m.topo.Populations = []topology.Population{population(topology.Unplaced, []int{1, 1, 1, 1}, "A", 667, full())}
	m.topo.Populations[0].Speed = inventory.Fact[topology.Speed]{}
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
	m.sys.Machine.BIOSDate = inventory.Fact[string]{}
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
	p.Relative = inventory.Fact[topology.Share]{}
	m.topo.Populations = []topology.Population{p}
	m.audit.Findings = []audit.Finding{passed("memory.channel.populated", "socket 0")}
	m.audit.Summary = summed(m.audit.Findings)
	m.audit.ProfileWhy = "none was asked for"
	return m
}
