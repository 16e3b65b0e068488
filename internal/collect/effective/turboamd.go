package effective

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// amdTurbo derives boost from the register, the global boost file and those of the policies.
// amd-pstate starts with 1 in the global file whatever firmware says, and with 0 in those of the
// policies if firmware disabled boost.
func (m *Machine) amdTurbo(v *turboView) effectiveFace {
	if v.off.State == fact.Conflicting {
		return effectiveFace{effective: fact.Blame[string](v.off)}
	}
	bit, ok := v.off.Get()
	pstate := strings.HasPrefix(v.driver, "amd-pstate") || v.driver == "amd_pstate"
	switch {
	case len(v.policies.Distinct) > 1:
		return effectiveFace{effective: mixedValues("the frequency policies differ in boost", inventory.SourceCPUFreq, v.policies)}
	case ok && bit == 1 && v.acpi():
		return v.say(disabledWord, fact.Direct, undecided("boost=0 of acpi-cpufreq sets the same bit as firmware", v.evidence()...))
	case ok && bit == 1:
		return v.say(disabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case pstate:
		return v.amdPstate(ok)
	case ok && !v.boost.Or(true):
		return v.contradict("cpufreq/boost is 0, but the register leaves boost on")
	case ok:
		return v.say(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	case v.acpi():
		return v.byBoost(fact.Corroborated)
	default:
		return v.byBoost(fact.Indirect)
	}
}

// amdPstate judges the files of amd-pstate. register says that the register was read and does not
// disable boost.
func (v *turboView) amdPstate(register bool) effectiveFace {
	policies, all := v.policies.Uniform()
	global, globalKnown := v.boost.Get()
	switch {
	case globalKnown && !global:
		return v.say(disabledWord, fact.Corroborated, v.by(inventory.DecidedAdministrator, fact.Corroborated))
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
		return v.say(enabledWord, fact.Direct, v.by(inventory.DecidedFirmware, fact.Corroborated))
	default:
		return v.byBoost(fact.Indirect)
	}
}

// withPolicies returns a face that rests on the boost files of the policies.
func (v *turboView) withPolicies(word, who string) effectiveFace {
	at := fact.At(inventory.SourceCPUFreq, v.policies.Paths[0], v.policies.Distinct[0])
	more := v.evidence()
	return effectiveFace{fact.Known(word, fact.Corroborated, at, more...), fact.Known(who, fact.Corroborated, at, more...)}
}
