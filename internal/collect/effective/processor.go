package effective

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// intelVendor is the CPUID vendor of Intel's processors.
const intelVendor = "GenuineIntel"

// processorModel identifies the processors.
type processorModel struct {
	vendor        fact.Fact[string]
	family, model fact.Fact[int]
}

// cpuModel returns vendor, family and model as the kernel reports them, or else as firmware does for the
// first socket that states them.
func (m *Machine) cpuModel() processorModel {
	p := processorModel{m.System.CPU.Vendor, m.System.CPU.Family, m.System.CPU.Model}
	for i := range m.System.Sockets {
		s := &m.System.Sockets[i]
		p.vendor, p.family, p.model = fact.First(p.vendor, s.Vendor), fact.First(p.family, s.Family), fact.First(p.model, s.Model)
	}
	return p
}

// frontSideBus reports whether this is an Intel processor without an integrated memory controller:
// NetBurst, and family 6 up to Core 2, whose last models are 23 and 29. known is false if vendor, family
// or model is not known.
func (m *Machine) frontSideBus() (fsb, known bool) {
	p := m.cpuModel()
	vendor, ok := p.vendor.Get()
	family, familyKnown := p.family.Get()
	n, modelKnown := p.model.Get()
	switch {
	case !ok:
		return false, false
	case vendor != "GenuineIntel":
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

// zen reports whether this is an AMD processor of family 17h or newer, or a Hygon processor.
func (m *Machine) zen() bool {
	p := m.cpuModel()
	v := p.vendor.Or("")
	return (v == "AuthenticAMD" || v == "HygonGenuine") && p.family.Or(0) >= 23
}

// naples reports whether this is the first EPYC, whose four dies are nodes by default.
func (m *Machine) naples() bool {
	p := m.cpuModel()
	return m.zen() && p.family.Or(0) == 23 && p.model.Or(0) == 1
}

// hasClusterOnDie reports whether this is a Haswell or Broadwell server, which has cluster on die.
func (p *processorModel) hasClusterOnDie() bool {
	n := p.model.Or(0)
	return p.family.Or(0) == 6 && (n == 63 || n == 79)
}

// hasSNC reports whether this is an Intel server from Skylake on, which has SNC.
func (p *processorModel) hasSNC() bool {
	family := p.family.Or(0)
	return family == 6 && p.model.Or(0) >= 85 || family > 6 && family != 15
}

// notX86 reports whether the processor is known not to be x86.
func (m *Machine) notX86() bool {
	v := m.cpuModel().vendor
	return v.Known() && !slices.Contains([]string{intelVendor, "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai"}, strings.TrimSpace(v.Value))
}

// flag reports whether the first processor of /proc/cpuinfo has a flag.
func (m *Machine) flag(name string) fact.Fact[bool] {
	f := fact.Convert(m.System.CPU.Flags, func(flags map[string]bool) bool { return flags[name] })
	f.From.Field, f.From.Raw = "flags", "no "+name
	if f.Or(false) {
		f.From.Raw = name
	}
	if !f.Known() {
		f.From.Raw = ""
	}
	return f
}
