package effective

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/source/host"
)

// Names of the kernel's idle drivers.
const (
	intelIdle = "intel_idle"
	acpiIdle  = "acpi_idle"
)

// idleView holds the idle states that cpuidle shows (docs/kernel.md, C-states).
type idleView struct {
	driver fact.Fact[string]
	// deep are the states below C1.
	deep []host.IdleState
	// c1e is intel_idle's state C1E, nil if there is none.
	c1e *host.IdleState
	all []host.IdleState
}

func (m *Machine) findIdleStates() (*idleView, *fact.Fact[string]) {
	f := m.Kernel.CPUIdle
	v := &idleView{driver: f.Driver, all: f.States.Value}
	unknown := func(x fact.Fact[string]) (*idleView, *fact.Fact[string]) { return v, &x }
	switch {
	case v.driver.Or("") == "none":
		return v, nil
	case len(f.Names.Distinct) > 1:
		return unknown(mixedValues("the CPUs differ in their idle states", &f.Names))
	case len(f.Disabled.Distinct) > 1:
		return unknown(mixedValues("the CPUs differ in the idle states that are disabled", &f.Disabled))
	case !f.States.Known():
		return unknown(fact.UnknownFrom[string](f.States))
	}
	for s := range inventory.Pointers(v.all) {
		if !s.Name.Known() {
			return unknown(s.Name)
		}
		if s.Name.Value == "C1E" {
			v.c1e = s
		}
		if isBelowC1(s) {
			v.deep = append(v.deep, *s)
		}
	}
	return v, nil
}

// isBelowC1 reports whether an idle state is below C1: by the MWAIT hint in its description (bits 7:4 are
// the C-state minus one), or else by its name.
func isBelowC1(s *host.IdleState) bool {
	if _, hex, ok := strings.Cut(s.Desc.Value, "MWAIT 0x"); ok {
		if hint, err := strconv.ParseUint(hex, 16, 8); err == nil {
			return hint>>4 > 0
		}
	}
	name, _, _ := strings.Cut(s.Name.Value, "_")
	if n, ok := strings.CutPrefix(name, "LPI-"); ok {
		return n != "0"
	}
	digits, ok := strings.CutPrefix(name, "C")
	return ok && strings.IndexAny(digits, "23456789") == 0
}

func stateEvidence(states ...host.IdleState) []fact.Evidence {
	var out []fact.Evidence
	for s := range inventory.Pointers(states) {
		out = append(out, s.Name.From, s.Disabled.From)
		if s.DefaultStatus.Known() {
			out = append(out, s.DefaultStatus.From)
		}
	}
	return out
}

func (m *Machine) deriveCStates() derived {
	v, unknown := m.findIdleStates()
	switch by, option := m.byOption(idleOption); {
	case !v.driver.Known() && m.hasKernelOption(disablesIdle): // the kernel then makes no folder of an idle driver
		return derived{fact.Known(disabledWord, fact.Corroborated, by.From), by}
	case unknown != nil:
		return derived{effective: *unknown}
	case !v.driver.Known():
		return derived{effective: v.driver}
	case v.driver.Value == "none" && option: // the processor halts in C1 or polls
		return derived{fact.Known(disabledWord, fact.Direct, v.driver.From), by}
	case v.driver.Value == "none":
		return derived{fact.Known(disabledWord, fact.Corroborated, v.driver.From), unknownDecider("no idle driver is loaded, and no option says why", v.driver.From)}
	case v.driver.Value == "haltpoll":
		return derived{effective: fact.Unknown[string](fact.Refused, "the idle driver is one for guests", "", v.driver.From)}
	case len(v.deep) == 0:
		at := fact.At(inventory.SourceCPUIdle, m.Kernel.CPUIdle.States.From.Path, stateNames(v.all))
		return derived{fact.Known(disabledWord, fact.Direct, at, v.driver.From), m.whoLimitsIdle(v, at)}
	}
	on := 0
	for i := range v.deep {
		off, known := v.deep[i].Disabled.Get()
		if !known {
			return derived{effective: fact.UnknownFrom[string](v.deep[i].Disabled)}
		}
		if !off {
			on++
		}
	}
	if on == 0 {
		return m.allDisabled(v)
	}
	if limit, every, _ := m.latencyLimit(); every {
		return derived{fact.Known(disabledWord, fact.Direct, limit.At[0], append(limit.At[1:], stateEvidence(v.deep...)...)...),
			fact.Known(limit.By, fact.Direct, limit.At[0], limit.At[1:]...)}
	}
	return m.someEnabled(v)
}

func stateNames(states []host.IdleState) string {
	names := make([]string, len(states))
	for i := range states {
		names[i] = states[i].Name.Value
	}
	return strings.Join(names, " ")
}

// whoLimitsIdle returns who removed the deeper states: a boot option, the driver's parameter set by it,
// or firmware that disables MWAIT or offers no deeper state to ACPI's driver.
func (m *Machine) whoLimitsIdle(v *idleView, at fact.Evidence) fact.Fact[string] {
	if by, ok := m.byOption(idleOption); ok {
		return by
	}
	idle := m.Kernel.CPUIdle
	for _, p := range []fact.Fact[int64]{idle.IntelIdleMax, idle.ProcessorMax} {
		if p.Known() && p.Value == 1 {
			return fact.Known(inventory.DecidedCommandLine, fact.Corroborated, p.From)
		}
	}
	switch mwait := m.processorFlag("monitor"); {
	case !m.optionsKnown():
		return unknownDecider("the command line is not known, which can limit the idle states", at)
	case mwait.Known() && !mwait.Value:
		return fact.Known(inventory.DecidedFirmware, fact.Indirect, mwait.From, at)
	case v.driver.Value == acpiIdle || strings.HasSuffix(stateNames(v.all), "_ACPI"):
		return fact.Known(inventory.DecidedFirmware, fact.Indirect, at, v.driver.From)
	default:
		return unknownDecider("the driver's table of states does not say who limits it", at)
	}
}

// allDisabled handles a driver whose states below C1 are all disabled: at boot, because firmware's _CST
// lacks them or because of a boot option, or at run time.
func (m *Machine) allDisabled(v *idleView) derived {
	at := stateEvidence(v.deep...)
	f := derived{effective: fact.Known(disabledWord, fact.Direct, at[1], at...)}
	statuses := map[string]int{}
	for i := range v.deep {
		statuses[v.deep[i].DefaultStatus.Value]++
	}
	statesOff := func(key, value string) bool { return key == "intel_idle.states_off" && value != "0" }
	switch by, option := m.byOption(statesOff); {
	case statuses["enabled"] == len(v.deep):
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, at[0], at...)
	case statuses["disabled"] == len(v.deep) && option:
		f.decided = by
	case statuses["disabled"] == len(v.deep) && m.optionsKnown() && v.driver.Value == intelIdle:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, at[0], at...)
	case statuses[""] == len(v.deep):
		f.decided = unknownDecider("kernels before 5.6 do not say whether a state was off at boot", at...)
	default:
		f.decided = unknownDecider("some states were off at boot, others were switched off since", at...)
	}
	return f
}

// someEnabled handles a driver with a usable state below C1. intel_idle has its own table and uses
// it if firmware provides no _CST.
func (m *Machine) someEnabled(v *idleView) derived {
	at := stateEvidence(v.deep...)
	certainty := fact.Direct
	if v.driver.Value != intelIdle && v.driver.Value != acpiIdle {
		certainty = fact.Corroborated
	}
	f := derived{effective: fact.Known(enabledWord, certainty, at[0], slices.Concat(at[1:], v.driver.Evidence())...)}
	offAtBoot := func(s host.IdleState) bool { return s.DefaultStatus.Value == "disabled" }
	on := slices.DeleteFunc(slices.Clone(v.deep), func(s host.IdleState) bool { return s.Disabled.Value })
	switch {
	case !slices.ContainsFunc(on, func(s host.IdleState) bool { return !offAtBoot(s) }): // all of them were switched on since boot
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, on[0].Disabled.From, stateEvidence(on...)...)
	case v.driver.Value == acpiIdle, slices.ContainsFunc(v.deep, offAtBoot):
		// The list is firmware's, or intel_idle checked its own against it.
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, v.driver.From, at...)
	default:
		f.decided = unknownDecider("intel_idle uses its own table where firmware offers no C-states, so that this can be firmware's doing or the kernel's", v.driver.From)
	}
	return f
}

// deriveC1E derives whether cores enter the enhanced halt state C1E. intel_idle clears firmware's bit for
// it and offers the state itself (docs/kernel.md, C1E).
func (m *Machine) deriveC1E() derived {
	bit := m.registerField(host.MSRPowerCtl, 1, 1)
	switch v, unknown := m.findIdleStates(); {
	case bit.State == fact.Conflicting:
		return derived{effective: fact.UnknownFrom[string](bit)}
	case unknown != nil && bit.Or(0) == 0:
		return derived{effective: *unknown}
	case bit.Or(0) == 1:
		return m.c1ePromoted(v, &bit)
	case !v.driver.Known():
		return derived{effective: v.driver}
	case v.driver.Value == intelIdle && v.c1e != nil:
		return m.c1eState(v.c1e, &bit)
	case !bit.Known():
		return derived{effective: fact.UnknownFrom[string](bit)}
	case v.driver.Value == intelIdle:
		return derived{fact.Known(disabledWord, fact.Direct, bit.From, v.driver.From),
			unknownDecider("intel_idle clears the bit whatever firmware set", bit.From, v.driver.From)}
	default:
		return derived{fact.Known(disabledWord, fact.Direct, bit.From, v.driver.From),
			fact.Known(inventory.DecidedFirmware, fact.Direct, bit.From, v.driver.From)}
	}
}

// c1ePromoted handles a set bit: the hardware promotes C1 to C1E.
func (m *Machine) c1ePromoted(v *idleView, bit *fact.Fact[uint64]) derived {
	f := derived{effective: fact.Known(enabledWord, fact.Direct, bit.From, bit.More...)}
	switch {
	case v.driver.Known() && v.driver.Value != intelIdle:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Direct, bit.From, v.driver.From)
	case v.c1e != nil && v.c1e.Disabled.Known() && !v.c1e.Disabled.Value:
		f.decided = fact.Known(inventory.DecidedKernel, fact.Corroborated, v.driver.From, stateEvidence(*v.c1e)...)
	default:
		f.decided = unknownDecider("intel_idle clears the bit on most processors, so firmware set it, or it was changed since boot", bit.From)
	}
	return f
}

func (m *Machine) c1eState(s *host.IdleState, bit *fact.Fact[uint64]) derived {
	at := stateEvidence(*s)
	if bit.Known() {
		at = append(at, bit.From)
	}
	off, known := s.Disabled.Get()
	switch limit, longest, everywhere, limited := m.lowestLimit(); {
	case !known:
		return derived{effective: fact.UnknownFrom[string](s.Disabled)}
	case !off && limited && everywhere && exceedsLatency(s, longest): // the state is never entered
		return derived{fact.Known(disabledWord, fact.Direct, limit, at...), fact.Known(inventory.DecidedAdministrator, fact.Direct, limit)}
	case !off:
		return derived{fact.Known(enabledWord, fact.Direct, at[0], at[1:]...), fact.Known(inventory.DecidedKernel, fact.Corroborated, at[0], at[1:]...)}
	}
	certainty := fact.Corroborated
	if bit.Known() {
		certainty = fact.Direct
	}
	f := derived{effective: fact.Known(disabledWord, certainty, at[1], at...)}
	switch s.DefaultStatus.Value {
	case "enabled":
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, at[1], at...)
	case "disabled":
		f.decided = fact.Known(inventory.DecidedKernel, fact.Corroborated, at[1], at...)
	}
	return f
}

// packageLimits returns, for a generation of processors, the canonical words for the values of the package C-state
// limit in register 0xE2, and the number of bits of that field: three for servers from Haswell on, otherwise four
// (turbostat 6.12, *_pkg_cstate_limits). turbostat decodes Haswell and Broadwell servers like clients; Intel's manual
// has a separate table for them (SDM vol. 4, transcribed in EDK II's HaswellEMsr.h and XeonDMsr.h), which is used here.
func packageLimits(g host.Generation, model int) (words map[uint64]string, bits uint) {
	if g == host.GenHaswell && slices.Contains([]int{0x3F, 0x4F, 0x56}, model) {
		g = host.GenSkylake // the same words and bits
	}
	switch g {
	case host.GenNehalem:
		return map[uint64]string{0: "c0c1", 1: "c0c1", 2: "c3", 3: "c6", 4: "c7", 7: "nolimit"}, 4
	case host.GenSandyBridge:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6nr", 3: "c6r", 4: "c7", 7: "nolimit"}, 4
	case host.GenHaswell:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c3", 3: "c6", 4: "c7", 8: "nolimit"}, 4
	case host.GenSkylake:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6nr", 3: "c6r", 7: "nolimit"}, 3
	case host.GenIcelake, host.GenSapphire, host.GenGranite, host.GenSierra, host.GenDiamond:
		return map[uint64]string{0: "c0c1", 1: "c2", 2: "c6", 3: "c6", 7: "nolimit"}, 3
	default:
		return nil, 0
	}
}

func (m *Machine) packageCState() derived {
	words, bits := packageLimits(m.Kernel.CPU.Generation(), m.Kernel.CPU.Model.Value)
	if words == nil {
		return derived{effective: unobservable("the limit of this processor's packages is not documented here")}
	}
	limit := m.registerField(host.MSRPackageCst, 0, bits)
	if !limit.Known() {
		return derived{effective: fact.UnknownFrom[string](limit)}
	}
	word, ok := words[limit.Value]
	if !ok {
		return derived{effective: fact.Unknown[string](fact.Malformed, "the limit "+strconv.FormatUint(limit.Value, 10)+" of the register has no name on this processor", fact.BIOSOrBMC, limit.Evidence()...)}
	}
	f := derived{effective: fact.Known(word, fact.Direct, limit.From, limit.More...)}
	if lock := m.registerField(host.MSRPackageCst, 15, 1); lock.Or(0) == 1 {
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Direct, lock.From, lock.More...)
	} else {
		f.decided = unknownDecider("firmware left the register unlocked, so it may have been changed since boot", limit.From)
	}
	return f
}
