package effective

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// TestClearsVirtualization checks the releases in which the kernel clears the flags: vmx from 5.6 on
// (arch/x86/kernel/cpu/feat_ctl.c) and svm from 6.7 on (arch/x86/kernel/cpu/amd.c); an unknown release is not
// conclusive.
func TestClearsVirtualization(t *testing.T) {
	for _, c := range []struct {
		flag, release string
		want          bool
	}{
		{"vmx", "4.18.0-553.el8.x86_64", false}, {"vmx", "5.5.19", false}, {"vmx", "5.6", true}, {"vmx", "5.6.0-rc1", true}, {"vmx", "5.10.0-28-amd64", true}, {"vmx", "6.1.0", true},
		{"svm", "5.19.0", false}, {"svm", "6.6.30", false}, {"svm", "6.7", true}, {"svm", "6.12-generic", true}, {"svm", "7.0.0", true},
		{"vmx", "", false}, {"vmx", "6", false}, {"vmx", "6.x", false}, {"svm", "7.", false}, {"vmx", "x.9", false},
	} {
		m := &Machine{Kernel: &host.Facts{Kernel: &host.Kernel{}}}
		m.Kernel.Kernel.Release.Value = c.release
		assert.Equal(t, c.want, m.clearsVirtualization(c.flag), c)
	}
}

// TestLessThanARank checks that firmware's reserved memory is smaller than a spare rank; modules with
// unknown ranks may have four.
func TestLessThanARank(t *testing.T) {
	const gib = int64(1 << 30)
	sized := func(bytes int64, ranks fact.Fact[int]) inventory.Slot {
		return inventory.Slot{State: inventory.SlotPopulated, SizeBytes: fact.Known(bytes, fact.Direct, fact.Evidence{}), Ranks: ranks}
	}
	of := func(n int) fact.Fact[int] { return fact.Known(n, fact.Direct, fact.Evidence{}) }
	empty := inventory.Slot{State: inventory.SlotEmpty}
	for name, c := range map[string]struct {
		slots []inventory.Slot
		want  int64
	}{
		"one rank":     {[]inventory.Slot{sized(2*gib, of(1)), empty}, 2 * gib},
		"two ranks":    {[]inventory.Slot{empty, sized(2*gib, of(2)), sized(8*gib, of(2))}, gib},
		"not stated":   {[]inventory.Slot{sized(8*gib, fact.Fact[int]{}), sized(4*gib, of(1))}, 2 * gib},
		"none stated":  {[]inventory.Slot{sized(2*gib, of(0))}, 2 * gib},
		"empty stated": {[]inventory.Slot{sized(2*gib, of(1)), {SizeBytes: fact.Known[int64](0, fact.Direct, fact.Evidence{})}}, 2 * gib},
	} {
		m := &Machine{System: &inventory.System{Slots: c.slots}}
		assert.Equal(t, c.want, m.smallestRank(), name)
	}
	m := &Machine{System: &inventory.System{Slots: []inventory.Slot{sized(2*gib, of(2)), sized(2*gib, of(2)), sized(2*gib, of(2))}}}
	for visible, want := range map[int64]bool{6 * gib: true, 5*gib + 1: true, 5 * gib: false, 6*gib + 1: false} {
		m.System.Memory.VisibleBytes = fact.Known(visible, fact.Direct, fact.Evidence{})
		assert.Equal(t, want, m.allVisible(6*gib), visible)
	}
}

// TestEvidenceOfStates checks the evidence of idle states: name, disable and, since Linux 5.6, the
// default.
func TestEvidenceOfStates(t *testing.T) {
	text := func(path string) fact.Fact[string] {
		return fact.Fact[string]{Value: path, State: fact.OK, From: fact.Evidence{Path: path, Raw: path}}
	}
	with := host.IdleState{Name: text("name"), Disabled: fact.Fact[bool]{State: fact.OK, From: fact.Evidence{Path: "disable", Raw: "0"}}, DefaultStatus: text("default_status")}
	without := with
	without.DefaultStatus = fact.Fact[string]{State: fact.Absent, From: fact.Evidence{Path: "default_status"}}
	var paths []string
	for _, e := range stateEvidence(with, without) {
		paths = append(paths, e.Path)
	}
	assert.Equal(t, []string{"name", "disable", "default_status", "name", "disable"}, paths)
}

// TestProcessorsByNumber checks the first and the last CPUID numbers of each kind of processor. Intel's last ones
// with an external memory controller are Penryn (6, 23) and Dunnington (6, 29), the first with an integrated one is
// Nehalem-EP (6, 26). AMD's families 0Fh to 11h need no SRAT; Zen begins with 17h, whose model 1 is Naples.
// Haswell-EP (6, 63) and Broadwell-EP (6, 79) have COD, Skylake-SP (6, 85) and later SNC. Intel's families above 6
// are NetBurst (15) and newer ones, such as Diamond Rapids (19, 1; linux arch/x86/include/asm/intel-family.h).
func TestProcessorsByNumber(t *testing.T) {
	type kinds struct{ fsb, known, northbridge, zen, naples, splits, hasSNC bool }
	number := func(n int) fact.Fact[int] {
		if n < 0 {
			return fact.Unknown[int](fact.Unread, "", "")
		}
		return fact.Known(n, fact.Direct, fact.Evidence{})
	}
	for _, c := range []struct {
		vendor        string
		family, model int // -1 where it is not known
		want          kinds
	}{
		{intelVendor, 6, 23, kinds{fsb: true, known: true}}, {intelVendor, 6, 29, kinds{fsb: true, known: true}}, {intelVendor, 6, 26, kinds{known: true}},
		{intelVendor, 6, 30, kinds{known: true}}, {intelVendor, 15, 6, kinds{fsb: true, known: true}}, {intelVendor, 6, -1, kinds{}}, {intelVendor, -1, 23, kinds{}},
		{intelVendor, 6, 63, kinds{known: true, splits: true}}, {intelVendor, 6, 79, kinds{known: true, splits: true}}, {intelVendor, 6, 62, kinds{known: true}}, {intelVendor, 6, 84, kinds{known: true}},
		{intelVendor, 6, 85, kinds{known: true, hasSNC: true}}, {intelVendor, 6, 143, kinds{known: true, hasSNC: true}}, {intelVendor, 19, 1, kinds{known: true, hasSNC: true}},
		{intelVendor, 5, 90, kinds{known: true}}, {intelVendor, 15, 63, kinds{fsb: true, known: true}}, {intelVendor, 15, 90, kinds{fsb: true, known: true}},
		{"AuthenticAMD", 14, 1, kinds{known: true}}, {"AuthenticAMD", 15, 1, kinds{known: true, northbridge: true}}, {"AuthenticAMD", 17, 1, kinds{known: true, northbridge: true}}, {"AuthenticAMD", 18, 1, kinds{known: true}},
		{"AuthenticAMD", 22, 1, kinds{known: true}}, {"AuthenticAMD", 23, 1, kinds{known: true, zen: true, naples: true}}, {"AuthenticAMD", 23, 49, kinds{known: true, zen: true}}, {"AuthenticAMD", 25, 1, kinds{known: true, zen: true}},
		{"HygonGenuine", 24, 1, kinds{known: true, zen: true}}, {"HygonGenuine", 16, 1, kinds{known: true}}, {"ARM", 23, 1, kinds{known: true}}, {"", 23, 1, kinds{}}, {"", 16, 1, kinds{}},
	} {
		m := &Machine{System: &inventory.System{}}
		if c.vendor != "" {
			m.System.CPU.Vendor = fact.Known(c.vendor, fact.Direct, fact.Evidence{})
		}
		m.System.CPU.Family, m.System.CPU.Model = number(c.family), number(c.model)
		p := m.cpuModel()
		fsb, known := m.frontSideBus()
		have := kinds{fsb: fsb, known: known, northbridge: m.northbridge(), zen: m.zen(), naples: m.naples()}
		if c.vendor == intelVendor { // asked of Intel's alone
			have.splits, have.hasSNC = p.hasClusterOnDie(), p.hasSNC()
		}
		assert.Equal(t, c.want, have, "%s %d %d", c.vendor, c.family, c.model)
	}
}

// TestSplitOfAnUnknownModel checks that the mode of two nodes per socket is unknown if Intel's family or model is
// missing, with that fact's reason.
func TestSplitOfAnUnknownModel(t *testing.T) {
	six, missing := fact.Known(6, fact.Direct, fact.Evidence{}), fact.Unknown[int](fact.Denied, "not readable", "")
	m := &Machine{System: &inventory.System{}}
	for _, p := range []processorModel{{family: six, model: missing}, {family: missing, model: six}, {family: missing, model: missing}} {
		f := m.intelMode(layout{perSocket: 2, cpus: 8}, &p)
		assert.Equal(t, []any{fact.Denied, "not readable"}, []any{f.State, f.Reason})
	}
}

// TestKnownIsNotToBlame checks that the boost file of a driver other than acpi-cpufreq is not the
// reason if flags and no_turbo are missing.
func TestKnownIsNotToBlame(t *testing.T) {
	v := &turboView{noTurbo: fact.Unknown[bool](fact.Absent, "no such file", ""), boost: fact.Known(true, fact.Direct, fact.Evidence{}), flag: fact.Unknown[bool](fact.Denied, "flags not readable", "")}
	f := v.byFlag(false).effective
	assert.Equal(t, []any{fact.Absent, "no such file"}, []any{f.State, f.Reason})
	f = firstUnknown(v.boost, v.flag, v.noTurbo)
	assert.Equal(t, []any{fact.Denied, "flags not readable"}, []any{f.State, f.Reason})
}

// TestWhoSetTheTurboBit checks who set the bit: the flag is the copy made at boot. If acpi-cpufreq's boost file
// exists, it may have set the bit; without it, firmware certainly did.
func TestWhoSetTheTurboBit(t *testing.T) {
	known := func(v bool) fact.Fact[bool] { return fact.Known(v, fact.Direct, fact.Evidence{Path: "p"}) }
	for _, c := range []struct {
		flag, boost fact.Fact[bool]
		who         string
		certainty   fact.Certainty
	}{
		{known(true), fact.Fact[bool]{}, inventory.DecidedAdministrator, fact.Corroborated}, {known(true), known(false), inventory.DecidedAdministrator, fact.Corroborated},
		{known(false), fact.Fact[bool]{}, inventory.DecidedFirmware, fact.Direct}, {known(false), known(false), inventory.DecidedFirmware, fact.Corroborated},
		{fact.Fact[bool]{}, known(false), "", fact.None}, {fact.Fact[bool]{}, fact.Fact[bool]{}, "", fact.None},
	} {
		by := (&turboView{off: fact.Known(uint64(1), fact.Direct, fact.Evidence{Path: "msr"}), flag: c.flag, boost: c.boost}).whoSetTurboBit()
		assert.Equal(t, []any{c.who, c.certainty}, []any{by.Value, by.Certainty}, "%+v", c)
	}
}

// TestEvidenceOfTurbo checks that only known readings are evidence, the register first.
func TestEvidenceOfTurbo(t *testing.T) {
	at := func(path string) fact.Evidence { return fact.Evidence{Path: path} }
	v := &turboView{off: fact.Known(uint64(0), fact.Direct, at("msr")), noTurbo: fact.Unknown[bool](fact.Absent, "none", "", at("no_turbo")), boost: fact.Known(true, fact.Direct, at("boost")), flag: fact.Known(true, fact.Direct, at("flag"))}
	assert.Equal(t, []fact.Evidence{at("msr"), at("boost"), at("flag")}, v.evidence())
	v = &turboView{off: fact.Unknown[uint64](fact.Denied, "denied", "run as root", at("msr")), boost: fact.Unknown[bool](fact.Absent, "no boost", "a capture", at("boost"))}
	assert.Empty(t, v.evidence())
	f := v.byBoost(fact.Indirect).effective
	assert.Equal(t, []any{fact.Absent, "no boost", "run as root"}, []any{f.State, f.Reason, f.KnownBy})
	v.off.KnownBy = ""
	assert.Equal(t, "a capture", v.byBoost(fact.Indirect).effective.KnownBy)
}

// TestUncoreRegisterBeforeTPMI checks that the register is not used on Granite Rapids, which has its
// uncore in TPMI.
func TestUncoreRegisterBeforeTPMI(t *testing.T) {
	text := func(v string) fact.Fact[string] { return fact.Fact[string]{Value: v, State: fact.OK} }
	number := func(v int) fact.Fact[int] { return fact.Fact[int]{Value: v, State: fact.OK} }
	for model, want := range map[int]string{85: "dynamic", 173: ""} {
		reading := host.MSRReading{Fact: fact.Fact[uint64]{Value: 8<<8 | 24, State: fact.OK}}
		m := &Machine{Kernel: &host.Facts{CPU: &host.CPU{Identity: host.Identity{Vendor: text(intelVendor), Family: number(6), Model: number(model)}}}, Registers: &host.MSR{Readings: map[uint32][]host.MSRReading{host.MSRUncore: {reading}}}}
		f := m.uncoreRegister(fact.Unknown[string](fact.Absent, "no driver", ""))
		assert.Equal(t, want, f.Value, model)
		if want == "" {
			assert.Equal(t, []string{"no driver", "load the intel_uncore_frequency module"}, []string{f.Reason, f.KnownBy})
		}
	}
}

// counted returns a number of the SMBIOS table, unknown for -1.
func counted(n int) fact.Fact[int] {
	if n < 0 {
		return fact.Unknown[int](fact.Unread, "not stated", "")
	}
	return fact.Known(n, fact.Direct, fact.Evidence{Raw: strconv.Itoa(n)})
}

// TestThreadsByFirmwaresCounts checks that a processor has SMT if the table counts two threads for
// each core, or more than are enabled (SMBIOS 3.6); as many threads as cores are not conclusive,
// because cores may be disabled.
func TestThreadsByFirmwaresCounts(t *testing.T) {
	for _, c := range []struct {
		threads, cores, running int
		capable                 bool
	}{
		{8, 4, -1, true}, {8, 4, 8, true}, {9, 4, -1, true}, {8, 5, -1, false}, {4, 4, -1, false}, {4, 4, 4, false}, {8, 5, 6, true}, {4, 4, 2, false}, {8, -1, 4, true}, {8, -1, 8, false}, {8, -1, -1, false}, {-1, 4, 2, false}, {-1, -1, -1, false},
	} {
		m := &Machine{System: &inventory.System{Sockets: []inventory.Socket{{}, {Threads: counted(c.threads), Cores: counted(c.cores), ThreadsEnabled: counted(c.running)}}}}
		capable := m.smtSocket() != nil
		assert.Equal(t, c.capable, capable, c)
		f := m.withoutSiblings(fact.Evidence{}, nil)
		assert.Equal(t, []any{disabledWord, c.capable}, []any{f.Value, f.Certainty == fact.Corroborated}, c)
	}
	for _, c := range []struct {
		threads, cores, running, coresOn int
		want                             string
	}{
		{8, 4, -1, -1, enabledWord}, {4, 4, -1, -1, ""}, {4, 4, 4, -1, ""}, {8, 8, 4, -1, ""}, {8, 8, 4, 4, ""}, {8, 4, 4, 4, disabledWord}, {8, 4, 4, 2, enabledWord}, {8, 4, 8, 4, enabledWord},
		{8, -1, -1, 4, enabledWord}, {-1, 4, -1, -1, ""}, {8, -1, 4, -1, ""}, {-1, 4, 4, 2, enabledWord}, {-1, 4, 2, 2, ""}, {16, 8, 16, 16, ""},
	} {
		m := &Machine{System: &inventory.System{Sockets: []inventory.Socket{{Threads: counted(c.threads), Cores: counted(c.cores), ThreadsEnabled: counted(c.running), CoresEnabled: counted(c.coresOn)}}}}
		assert.Equal(t, c.want, m.smtByFirmware().Value, c)
	}
}

// TestHalfOfTheCPUsOffline checks that at least half of the present CPUs must be offline to conclude
// that threads were disabled.
func TestHalfOfTheCPUsOffline(t *testing.T) {
	cpus := func(n int) fact.Fact[[]int] {
		if n < 0 {
			return fact.Unknown[[]int](fact.Unread, "", "")
		}
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		return fact.Known(list, fact.Direct, fact.Evidence{})
	}
	for _, c := range []struct {
		present, online int
		want            bool
	}{{8, 4, true}, {8, 3, true}, {8, 5, false}, {8, 7, false}, {8, 8, false}, {0, 0, false}, {-1, 4, false}, {8, -1, false}, {-1, -1, false}} {
		m := &Machine{System: &inventory.System{}}
		m.System.CPU.Present, m.System.CPU.Online = cpus(c.present), cpus(c.online)
		_, offline := m.siblingsOffline()
		assert.Equal(t, c.want, offline, c)
	}
}

// TestEvidenceOfRegistersAndFlags checks that a register is evidence once for each package, and a flag
// only if it was read.
func TestEvidenceOfRegistersAndFlags(t *testing.T) {
	reading := func(pkg, cpu int) host.MSRReading {
		return host.MSRReading{Package: pkg, CPU: cpu, Fact: fact.Fact[uint64]{Value: 5, State: fact.OK, From: fact.Evidence{Path: "cpu" + strconv.Itoa(cpu), Raw: "0x5"}}}
	}
	m := &Machine{System: &inventory.System{}, Registers: &host.MSR{Readings: map[uint32][]host.MSRReading{1: {reading(0, 0), reading(0, 1), reading(1, 8), reading(1, 9), reading(2, 16)}}}}
	var paths []string
	for _, e := range m.field(1, 0, 4).Evidence() {
		paths = append(paths, e.Path)
	}
	assert.Equal(t, []string{"cpu0", "cpu8", "cpu16"}, paths)

	assert.Empty(t, m.flag("ida").From.Raw)
	m.System.CPU.Flags = fact.Known(map[string]bool{"ida": true}, fact.Direct, fact.Evidence{Raw: "fpu ida"})
	assert.Equal(t, []string{"ida", "no hwp"}, []string{m.flag("ida").From.Raw, m.flag("hwp").From.Raw})
}
