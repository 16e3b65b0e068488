package effective_test

import (
	"testing"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/fact/want"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host/hosttest"
	"memaudit.example/memaudit/internal/source/smbios/smbiostest"
)

// withSMT returns a machine with this number of threads per core and the two files of cpu/smt; ""
// omits a file.
func withSMT(threads int, control, active string) hosttest.Files {
	f := hosttest.Skylake.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: threads}).Without(hosttest.CPUDir + "smt/")
	if control != "" {
		f[hosttest.CPUDir+"smt/control"] = control + "\n"
	}
	if active != "" {
		f[hosttest.CPUDir+"smt/active"] = active + "\n"
	}
	return f
}

// siblingless removes the lists of threads, so that only smt/ is left.
func siblingless(f hosttest.Files) hosttest.Files {
	out := f.Without(hosttest.CPUInfo)
	for cpu := range f {
		for _, name := range []string{"thread_siblings_list", "core_cpus_list"} {
			if len(cpu) > len(name) && cpu[len(cpu)-len(name):] == name {
				delete(out, cpu)
			}
		}
	}
	return out
}

// capable is a table of a processor with twice as many threads as cores.
func capable(f hosttest.Files, cores, threads, running int) hosttest.Files {
	version := 5
	if running > 0 {
		version = 6
	}
	b := smbiostest.New(3, version)
	b.System(smbiostest.System{Manufacturer: "Example Inc.", Product: "Server 1"})
	b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(),
		Cores: cores, Enabled: cores, Threads: threads, ThreadsEnabled: running, Characteristics: 4})
	return collecttest.Table(f, b)
}

// TestSMT checks the state against the decision table of smt/control and
// smt/active, row by row.
func TestSMT(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	for _, c := range []struct {
		name  string
		files hosttest.Files
		want  want.Fact[string]
	}{
		{"on 1", withSMT(2, "on", "1"), want.Is("enabled", direct)},
		{"on 1, siblings not captured", siblingless(withSMT(2, "on", "1")), want.Is("enabled", direct)},
		{"on 1, but no sibling", withSMT(1, "on", "1"), want.Not[string](fact.Conflicting, "no core has two CPUs")},
		{"off 0", withSMT(1, "off", "0"), want.Is("disabled", direct)},
		{"off 0, siblings not captured", siblingless(withSMT(1, "off", "0")), want.Is("disabled", direct)},
		{"forceoff 0", withSMT(1, "forceoff", "0"), want.Is("disabled", direct)},
		{"on 0", withSMT(1, "on", "0"), want.Is("disabled", direct)},
		{"on 0, siblings not captured", siblingless(withSMT(1, "on", "0")), want.Is("disabled", direct)},
		{"on 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), want.Is("disabled", direct)},
		{"notsupported 0", withSMT(1, "notsupported", "0"), want.Is("disabled", indirect)},
		{"notsupported 0, siblings not captured", siblingless(withSMT(1, "notsupported", "0")), want.Is("disabled", indirect)},
		{"notsupported 0, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), want.Is("disabled", corroborated)},
		{"notsupported 0, firmware counts the running threads", capable(withSMT(1, "notsupported", "0"), 4, 4, 0), want.Is("disabled", indirect)},
		{"notsupported 0, fewer threads run than there are", capable(withSMT(1, "notsupported", "0"), 6, 8, 6), want.Is("disabled", corroborated)},
		{"notsupported 0, one thread more than cores", capable(withSMT(1, "notsupported", "0"), 4, 5, 0), want.Is("disabled", indirect)},
		{"notimplemented, one thread", withSMT(1, "notimplemented", ""), want.Is("disabled", indirect)},
		{"notimplemented, two threads", withSMT(2, "notimplemented", ""), want.Is("enabled", direct)},
		{"4 of 8 threads", siblingless(withSMT(4, "4", "1")), want.Is("enabled", direct)},
		{"files missing, two threads", withSMT(2, "", ""), want.Is("enabled", direct)},
		{"files missing, one thread", withSMT(1, "", ""), want.Is("disabled", indirect)},
		{"files missing, the part can do two threads", capable(withSMT(1, "", ""), 4, 8, 0), want.Is("disabled", corroborated)},
		{"on, activity not captured", withSMT(1, "on", ""), want.Is("disabled", indirect)},
		{"on, neither activity nor siblings captured", siblingless(withSMT(1, "on", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"notimplemented, siblings not captured", siblingless(withSMT(1, "notimplemented", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"nothing captured", siblingless(withSMT(2, "", "")), want.Not[string](fact.Absent, "thread_siblings_list")},
		{"files denied, one thread", hosttest.Notes(withSMT(1, "", ""), "denied\t/sys/devices/system/cpu/smt/control"), want.Is("disabled", indirect)},
		{"word not known, one thread", withSMT(1, "maybe", "0"), want.Is("disabled", indirect)},
		{"siblings malformed", withSMT(2, "", "").With(hosttest.Files{hosttest.CPUDir + "cpu0/topology/thread_siblings_list": "x\n"}), want.Not[string](fact.Malformed, "thread_siblings_list")},
		{"siblings online whatever control says", withSMT(2, "notsupported", "0"), want.Is("enabled", direct)},
		{"two cores of a compute unit", hosttest.Fam15h.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Not[string](fact.Absent, "this processor has no SMT")},
		{"the same number of another maker", hosttest.Part{Vendor: "GenuineIntel", Brand: "Intel", Family: 21, Model: 1}.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Is("enabled", direct)},
		{"two threads of AMD", hosttest.Rome.Tree(hosttest.Machine{Sockets: 1, CoresPerSocket: 4, ThreadsPerCore: 2}), want.Is("enabled", direct)},
		{"privileged domain of Xen", withSMT(2, "on", "1").With(hosttest.Files{"sys/hypervisor/type": "xen\n", "sys/hypervisor/properties/features": "00000b21\n"}), want.Not[string](fact.Refused, "Xen makes up")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.want.Check(t, collecttest.Effective(collecttest.Collected(t, c.files), "smt"))
		})
	}
}

// TestSMTOfFile checks SMT with an SMBIOS file alone.
func TestSMTOfFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                             string
		cores, enabled, threads, running int
		want                             want.Fact[string]
	}{
		{"more threads than cores", 8, 8, 16, 0, want.Is("enabled", fact.Indirect)},
		{"as many threads as cores", 8, 8, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"some cores off", 8, 6, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"threads not stated", 8, 8, 0, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"cores not stated", 0, 0, 8, 0, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"running threads counted apart, on", 8, 8, 16, 16, want.Is("enabled", fact.Indirect)},
		{"running threads counted apart, off", 8, 8, 16, 8, want.Is("disabled", fact.Indirect)},
		{"running threads counted apart, a core for each, some off", 8, 4, 8, 4, want.Not[string](fact.Unread, "SMBIOS alone")},
		{"running threads counted apart, on with cores off", 8, 4, 16, 8, want.Is("enabled", fact.Indirect)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := smbiostest.New(3, 6)
			b.CPU(smbiostest.CPU{Socket: "CPU1", Manufacturer: "Intel", Version: hosttest.Skylake.Brand, ID: hosttest.Skylake.Signature(),
				Cores: c.cores, Enabled: c.enabled, Threads: c.threads, ThreadsEnabled: c.running, Characteristics: 4})
			c.want.Check(t, collecttest.Effective(collecttest.Decoded(t, b), "smt"))
		})
	}
}

// TestWhoDecidedSMT checks in the order of docs/kernel.md, SMT: siblings offline, options, firmware's
// thread counts.
func TestWhoDecidedSMT(t *testing.T) {
	t.Parallel()
	direct, corroborated, indirect := fact.Direct, fact.Corroborated, fact.Indirect
	cmd, administrator, firmware := inventory.DecidedCommandLine, inventory.DecidedAdministrator, inventory.DecidedFirmware
	off, forced := withSMT(1, "off", "0"), withSMT(1, "forceoff", "0")
	siblings := withSMT(1, "on", "0").With(hosttest.Files{hosttest.CPUDir + "present": "0-7\n", hosttest.CPUDir + "offline": "4-7\n"})
	run(t, "smt", []settingCase{
		{"on", withSMT(2, "on", "1"), by(want.Is("enabled", direct), firmware)},
		{"off by nosmt", hosttest.Options(off, "nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto,nosmt", hosttest.Options(off, "mitigations=auto,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=full", hosttest.Options(off, "l1tf=full"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush,nosmt", hosttest.Options(off, "l1tf=flush,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"off by l1tf=flush is none", hosttest.Options(off, "l1tf=flush"), by(want.Is("disabled", direct), administrator)},
		{"off by mds=full,nosmt", hosttest.Options(off, "mds=full,nosmt"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by nosmt=force", hosttest.Options(forced, "nosmt=force"), by(want.Is("disabled", direct), cmd)},
		{"forceoff by l1tf=full,force", hosttest.Options(forced, "l1tf=full,force"), by(want.Is("disabled", direct), cmd)},
		{"off by mitigations=auto is none", hosttest.Options(off, "mitigations=auto"), by(want.Is("disabled", direct), administrator)},
		{"off without an option: written", off, by(want.Is("disabled", direct), administrator)},
		{"off, options not captured", off.Without(hosttest.Cmdline), open(want.Is("disabled", direct))},
		{"on and 0, siblings offline", siblings, by(want.Is("disabled", direct), administrator)},
		{"on and 0, siblings offline by maxcpus", hosttest.Options(siblings, "maxcpus=4"), by(want.Is("disabled", direct), cmd)},
		{"on and 0, the part can do two threads", capable(withSMT(1, "on", "0"), 4, 8, 0), by(want.Is("disabled", direct), firmware)},
		{"on and 0, nothing says", withSMT(1, "on", "0"), open(want.Is("disabled", direct))},
		{"notsupported, the part can do two threads", capable(withSMT(1, "notsupported", "0"), 4, 8, 0), by(want.Is("disabled", corroborated), firmware)},
		{"notsupported, nothing says", withSMT(1, "notsupported", "0"), by(want.Is("disabled", indirect), inventory.DecidedHardware)},
		{"a guest's", hosttest.Flags(withSMT(2, "on", "1"), "hypervisor"), by(want.Is("enabled", direct), inventory.DecidedHypervisor)},
	})
}
