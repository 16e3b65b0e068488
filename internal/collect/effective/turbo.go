package effective

import (
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// turbo derives whether Turbo Boost (Intel) or Core Performance Boost (AMD) is in effect.
func (m *Machine) turbo() effectiveFace {
	f := m.Kernel.CPUFreq
	v := turboView{
		noTurbo: host.Fact(inventory.SourceCPUFreq, f.NoTurbo, fact.Direct), boost: host.Fact(inventory.SourceCPUFreq, f.Boost, fact.Direct),
		driver: f.First.Driver.V, policies: &f.Boosts,
		above: f.First.CPUInfoMaxKHz.Known() && f.First.BaseKHz.Known() && f.First.CPUInfoMaxKHz.V > f.First.BaseKHz.V,
	}
	switch p := m.cpuModel(); {
	case p.vendor.Or("") == intelVendor:
		v.off, v.flag = m.field(host.MSRMiscEnable, 38, 1), m.flag("ida")
		return m.intelTurbo(&v)
	case p.vendor.Or("") == "AuthenticAMD" || p.vendor.Or("") == "HygonGenuine":
		v.off, v.flag = m.field(host.MSRHWCR, 25, 1), m.flag("cpb")
		return m.amdTurbo(&v)
	default:
		return v.byBoost(fact.Indirect)
	}
}
