package effective

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// amdTurbo derives boost from the register, the global boost file and the policies' boost files. If
// firmware disabled boost, amd-pstate starts with 0 in the policies' files, but always with 1 in the
// global file.
func (m *Machine) amdTurbo(v *turboView) derived {
	if v.off.State == fact.Conflicting {
		return derived{effective: fact.Blame[string](v.off)}
	}
	bit, ok := v.off.Get()
	pstate := strings.HasPrefix(v.driver, "amd-pstate") || v.driver == "amd_pstate"
	switch {
	case len(v.policies.Distinct) > 1:
		return derived{effective: mixedValues("the frequency policies differ in boost", inventory.SourceCPUFreq, v.policies)}
	case ok && bit == 1 && v.acpi():
		return v.known(disabledWord, fact.Direct, undecided("boost=0 of acpi-cpufreq sets the same bit as firmware", v.evidence()...))
	case ok && bit == 1:
		return v.known(disabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case pstate:
		return v.amdPstate(ok)
	case ok && !v.boost.Or(true):
		return v.contradict("cpufreq/boost is 0, but the register leaves boost on")
	case ok:
		return v.known(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case v.acpi():
		return v.byBoost(fact.Corroborated)
	default:
		return v.byBoost(fact.Indirect)
	}
}

// amdPstate derives boost from the files of amd-pstate. register is set if the register was read and
// does not disable boost.
func (v *turboView) amdPstate(register bool) derived {
	policies, all := v.policies.Uniform()
	global, globalKnown := v.boost.Get()
	switch {
	case globalKnown && !global:
		return v.known(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
	case all && policies == "0" && register:
		return v.withPolicies(disabledWord, inventory.DecidedAdministrator)
	case all && policies == "0" && globalKnown:
		return v.withPolicies(disabledWord, inventory.DecidedFirmware)
	case all && policies == "0":
		f := v.withPolicies(disabledWord, inventory.DecidedFirmware)
		f.decided = undecided("boost=0 of every policy can be firmware's doing or an administrator's", f.effective.From)
		return f
	case all && policies == "1":
		return v.withPolicies(enabledWord, inventory.DecidedFirmware)
	case register:
		return v.known(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	default:
		return v.byBoost(fact.Indirect)
	}
}

// withPolicies returns a value based on the policies' boost files.
func (v *turboView) withPolicies(word, who string) derived {
	at := fact.At(inventory.SourceCPUFreq, v.policies.Paths[0], v.policies.Distinct[0])
	more := v.evidence()
	return derived{fact.Known(word, fact.Corroborated, at, more...), fact.Known(who, fact.Corroborated, at, more...)}
}
