package effective

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

const intelVendor = "GenuineIntel"

type processorModel struct {
	vendor        fact.Fact[string]
	family, model fact.Fact[int]
}

// cpuModel returns vendor, family and model as the kernel reports them, or else as firmware does for the
// first socket that states them.
func (m *Machine) cpuModel() processorModel {
	p := processorModel{m.System.CPU.Vendor, m.System.CPU.Family, m.System.CPU.Model}
	for s := range inventory.Pointers(m.System.Sockets) {
		p.vendor, p.family, p.model = fact.First(p.vendor, s.Vendor), fact.First(p.family, s.Family), fact.First(p.model, s.Model)
	}
	return p
}

// frontSideBus reports whether this is an Intel processor without an integrated memory controller: NetBurst, and family
// 6 up to Core 2, whose last models are 23 and 29. known is false if vendor, family or model is not known.
func (m *Machine) frontSideBus() (fsb, known bool) {
	p := m.cpuModel()
	vendor, ok := p.vendor.Get()
	family, familyKnown := p.family.Get()
	switch n, modelKnown := p.model.Get(); {
	case !ok:
		return false, false
	case vendor != intelVendor:
		return false, true
	case !familyKnown:
		return false, false
	case family != 6:
		return family == 15, true
	default:
		return modelKnown && (n < 26 || n == 29), modelKnown
	}
}

// northbridge reports whether this is an AMD processor of family 0Fh to 11h: the kernel finds its nodes
// without an SRAT (arch/x86/mm/amdtopology.c).
func (m *Machine) northbridge() bool {
	p := m.cpuModel()
	family := p.family.Or(0)
	return p.vendor.Or("") == "AuthenticAMD" && family >= 15 && family <= 17
}

func (m *Machine) isZenProcessor() bool {
	p := m.cpuModel()
	v := p.vendor.Or("")
	return (v == "AuthenticAMD" || v == "HygonGenuine") && p.family.Or(0) >= 23
}

// isFirstEPYC reports whether this is the first EPYC, whose four dies are nodes by default.
func (m *Machine) isFirstEPYC() bool {
	p := m.cpuModel()
	return m.isZenProcessor() && p.family.Or(0) == 23 && p.model.Or(0) == 1
}

func (p *processorModel) hasClusterOnDie() bool {
	n := p.model.Or(0)
	return p.family.Or(0) == 6 && (n == 63 || n == 79)
}

func (p *processorModel) supportsSNC() bool {
	family := p.family.Or(0)
	return family == 6 && p.model.Or(0) >= 85 || family > 6 && family != 15
}

func (m *Machine) isNotX86() bool {
	v := m.cpuModel().vendor
	return v.Known() && !slices.Contains([]string{intelVendor, "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai"}, strings.TrimSpace(v.Value))
}

func (m *Machine) processorFlag(name string) fact.Fact[bool] {
	return inWords(fact.Convert(m.System.CPU.Flags, func(flags map[string]bool) bool { return flags[name] }), "flags", name, "no "+name)
}

// inWords returns a fact whose evidence is one of two words under a field, "" if it is not known.
func inWords(f fact.Fact[bool], field, yes, no string) fact.Fact[bool] {
	f.From.Field, f.From.Raw = field, ""
	if f.Known() {
		f.From.Raw = map[bool]string{true: yes, false: no}[f.Value]
	}
	return f
}

// registerField is known if all CPUs that were read have the same. low is its lowest bit, bits its width.
func (m *Machine) registerField(register uint32, low, bits uint) fact.Fact[uint64] {
	readings := m.Registers.Readings[register]
	switch none := m.Registers.None; {
	case len(readings) > 0:
	case none.Reason == "":
		return fact.Unknown[uint64](fact.Absent, fmt.Sprintf("register 0x%X is not documented for this processor", register), fact.BIOSOrBMC)
	case errors.Is(none.Err, host.ErrNoRegisters):
		return fact.Unknown[uint64](none.State, host.ErrNoRegisters.Error(), fact.BIOSOrBMC)
	default:
		none.KnownBy = registerAdvice(none.State)
		return none
	}
	get := func(r *host.MSRReading) uint64 { return r.Value >> low & (1<<bits - 1) }
	first := &readings[0]
	for r := range inventory.Pointers(readings) {
		if !r.Known() {
			f := r.Fact
			f.KnownBy = registerAdvice(f.State)
			return f
		}
		if get(r) != get(first) {
			return fact.Unknown[uint64](fact.Conflicting, fmt.Sprintf("register 0x%X differs: CPU %d of package %d has 0x%x, CPU %d of package %d has 0x%x",
				register, first.CPU, first.Package, first.Value, r.CPU, r.Package, r.Value), "", registerEvidence(register, first), registerEvidence(register, r))
		}
	}
	var more []fact.Evidence
	for i := 1; i < len(readings); i++ {
		if readings[i].Package != readings[i-1].Package {
			more = append(more, registerEvidence(register, &readings[i]))
		}
	}
	return fact.Known(get(first), fact.Direct, registerEvidence(register, first), more...)
}

func registerAdvice(s fact.State) fact.Input {
	advice := map[fact.State]fact.Input{fact.Unread: fact.RegisterCapture, fact.Absent: fact.RegisterModule, fact.Denied: fact.RegistersAsRoot}
	return cmp.Or(advice[s], fact.BIOSOrBMC)
}

func registerEvidence(register uint32, r *host.MSRReading) fact.Evidence {
	at := r.From
	at.Field = fmt.Sprintf("MSR 0x%X", register)
	return at
}

// switchOf: on is the value that means enabled.
func switchState(f fact.Fact[uint64], on uint64) fact.Fact[string] {
	return fact.Convert(f, func(v uint64) string {
		if v == on {
			return enabledWord
		}
		return disabledWord
	})
}

// kernelOption returns the last option of the command line that match accepts. match gets "key" and "value" without quotes.
func (m *Machine) kernelOption(match func(key, value string) bool) (fact.Evidence, bool) {
	if m.Kernel == nil {
		return fact.Evidence{}, false
	}
	line := m.Kernel.Cmdline
	for _, o := range slices.Backward(line.Options) {
		if match(o.Key, o.Value) {
			return fact.Evidence{Source: inventory.SourceCmdline, Path: line.Line.From.Path, Raw: strings.ReplaceAll(o.Raw, `"`, "")}, true
		}
	}
	return fact.Evidence{}, false
}

func (m *Machine) optionsKnown() bool { return m.Kernel != nil && m.Kernel.Cmdline.Line.Known() }

func (m *Machine) byOption(match func(key, value string) bool) (fact.Fact[string], bool) {
	at, ok := m.kernelOption(match)
	if !ok {
		return fact.Fact[string]{}, false
	}
	return fact.Known(inventory.DecidedCommandLine, fact.Direct, at), true
}

// smtOption matches the options that make the kernel turn SMT off (linux
// Documentation/admin-guide/kernel-parameters.txt).
func smtOption(key, value string) bool {
	switch key {
	case "nosmt":
		return true
	case "l1tf":
		return value == "full" || value == "full,force" || value == "flush,nosmt"
	case "mitigations", "mds", "tsx_async_abort", "mmio_stale_data", "retbleed":
		return strings.Contains(value, "nosmt")
	default:
		return false
	}
}

func cpuOption(key, _ string) bool {
	return key == "maxcpus" || key == "nr_cpus" || key == "possible_cpus"
}

func disablesIdle(key, value string) bool {
	return key == "cpuidle.off" && value == "1" || key == "idle" && (value == "poll" || value == "halt")
}

// idleOption matches the options that keep the kernel from using idle states below C1 (linux
// Documentation/admin-guide/pm/cpuidle.rst, intel_idle.rst).
func idleOption(key, value string) bool {
	switch key {
	case "idle", "cpuidle.off":
		return value == "nomwait" || disablesIdle(key, value)
	case "processor.max_cstate": // 0 counts as 1 (drivers/acpi/processor_idle.c)
		return value == "0" || value == "1"
	case "intel_idle.max_cstate": // 0 only selects ACPI's driver
		return value == "1"
	default:
		return false
	}
}

// iommuPassthrough derives whether Linux leaves the addresses of devices untranslated. Without an option the kernel's
// configuration decides (CONFIG_IOMMU_DEFAULT_PASSTHROUGH), which distributions leave off.
func (m *Machine) iommuPassthrough() derived {
	by, option := m.byOption(func(key, value string) bool {
		return key == "iommu" && (value == "pt" || value == "nopt") || key == "iommu.passthrough"
	})
	line := m.System.NUMA.Cmdline // without secrets
	switch {
	case !m.optionsKnown():
		return derived{effective: fact.UnknownFrom[string](line)}
	case !option:
		return derived{fact.Known(disabledWord, fact.Indirect, line.From), unknownDecider("no option sets it: the kernel's configuration decides", line.From)}
	case strings.HasSuffix(by.From.Raw, "=pt") || strings.HasSuffix(by.From.Raw, "=1"):
		return derived{fact.Known(enabledWord, fact.Direct, by.From), by}
	default:
		return derived{fact.Known(disabledWord, fact.Direct, by.From), by}
	}
}

// numaBalancing derives whether Linux moves pages to the node that uses them
// (Documentation/admin-guide/sysctl/kernel.rst, numa_balancing).
func (m *Machine) numaBalancing() derived {
	raw := m.Kernel.Memory.NUMABalancing
	word, ok := map[string]string{"0": disabledWord, "1": enabledWord, "2": "tiering", "3": enabledWord}[raw.Or("")]
	switch {
	case !raw.Known():
		return derived{effective: raw}
	case !ok:
		return derived{effective: fact.Unknown[string](fact.Malformed, raw.Value+" is not a mode of NUMA balancing from 0 to 3", "", raw.From)}
	default:
		return derived{fact.Known(word, fact.Direct, raw.From), unknownDecider("the kernel's default, or it was set at run time", raw.From)}
	}
}
