package collect

import (
	"github.com/memaudit/memaudit/internal/fact"
)

// model is what tells processors apart.
type model struct {
	vendor        fact.Fact[string]
	family, model fact.Fact[int]
}

// cpuModel is the kernel's word for the processors, else firmware's for the
// first socket that has one.
func (c *collector) cpuModel() model {
	m := model{c.sys.CPU.Vendor, c.sys.CPU.Family, c.sys.CPU.Model}
	for i := range c.sys.Sockets {
		s := &c.sys.Sockets[i]
		m.vendor, m.family, m.model = first(m.vendor, s.Vendor), first(m.family, s.Family), first(m.model, s.Model)
	}
	return m
}

// frontSideBus reports an Intel processor without a memory controller of its
// own: NetBurst, and family 6 up to Core 2, whose last models are 23 and 29.
func (c *collector) frontSideBus() (fsb, known bool) {
	m := c.cpuModel()
	vendor, ok := m.vendor.Get()
	family, familyKnown := m.family.Get()
	n, modelKnown := m.model.Get()
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

// northbridge reports an AMD processor of family 0Fh to 11h, whose nodes the
// kernel finds without an SRAT (arch/x86/mm/amdtopology.c).
func (c *collector) northbridge() bool {
	m := c.cpuModel()
	family := m.family.Or(0)
	return m.vendor.Or("") == "AuthenticAMD" && family >= 15 && family <= 17
}

// zen reports an AMD processor of family 17h or newer (or Hygon's).
func (c *collector) zen() bool {
	m := c.cpuModel()
	v := m.vendor.Or("")
	return (v == "AuthenticAMD" || v == "HygonGenuine") && m.family.Or(0) >= 23
}

// naples reports the first EPYC, a node for each of whose four dies is its
// nature.
func (c *collector) naples() bool {
	m := c.cpuModel()
	return c.zen() && m.family.Or(0) == 23 && m.model.Or(0) == 1
}

// splitsL3 reports Haswell and Broadwell servers, which cluster on die.
func (m *model) splitsL3() bool {
	n := m.model.Or(0)
	return m.family.Or(0) == 6 && (n == 63 || n == 79)
}

// clusters reports Intel servers from Skylake on, which have SNC.
func (m *model) clusters() bool {
	family := m.family.Or(0)
	return family == 6 && m.model.Or(0) >= 85 || family > 6 && family != 15
}
