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

// cpuModel returns what the kernel says of the processors, or else what firmware says of the first
// socket that states it.
func (m *Machine) cpuModel() processorModel {
	p := processorModel{m.System.CPU.Vendor, m.System.CPU.Family, m.System.CPU.Model}
	for i := range m.System.Sockets {
		s := &m.System.Sockets[i]
		p.vendor, p.family, p.model = fact.First(p.vendor, s.Vendor), fact.First(p.family, s.Family), fact.First(p.model, s.Model)
	}
	return p
}

// frontSideBus tells whether this is an Intel processor without a memory controller of its own:
// NetBurst, and family 6 up to Core 2, whose last models are 23 and 29. known is false if vendor,
// family or model is not known.
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

// northbridge tells whether this is an AMD processor of family 0Fh to 11h, whose nodes the kernel
// finds without an SRAT (arch/x86/mm/amdtopology.c).
func (m *Machine) northbridge() bool {
	p := m.cpuModel()
	family := p.family.Or(0)
	return p.vendor.Or("") == "AuthenticAMD" && family >= 15 && family <= 17
}

// zen tells whether this is an AMD processor of family 17h or newer, or a Hygon processor.
func (m *Machine) zen() bool {
	p := m.cpuModel()
	v := p.vendor.Or("")
	return (v == "AuthenticAMD" || v == "HygonGenuine") && p.family.Or(0) >= 23
}

// naples reports the first EPYC, a node for each of whose four dies is its
// nature.
func (m *Machine) naples() bool {
	p := m.cpuModel()
	return m.zen() && p.family.Or(0) == 23 && p.model.Or(0) == 1
}

// splitsL3 reports Haswell and Broadwell servers, which cluster on die.
func (p *processorModel) splitsL3() bool {
	n := p.model.Or(0)
	return p.family.Or(0) == 6 && (n == 63 || n == 79)
}

// clusters reports Intel servers from Skylake on, which have SNC.
func (p *processorModel) clusters() bool {
	family := p.family.Or(0)
	return family == 6 && p.model.Or(0) >= 85 || family > 6 && family != 15
}

// otherThanX86 reports a processor that is known not to be of x86.
func (m *Machine) otherThanX86() bool {
	v := m.cpuModel().vendor
	return v.Known() && !slices.Contains([]string{intelVendor, "AuthenticAMD", "HygonGenuine", "CentaurHauls", "Shanghai"}, strings.TrimSpace(v.Value))
}

// flag is whether the first processor of /proc/cpuinfo has a flag.
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
