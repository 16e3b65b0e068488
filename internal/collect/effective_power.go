package collect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// osControl is the word for an operating system that scales the frequency.
const osControl = "os_control"

// powerPolicy is who scales the P-states (linux-sources.md section 4.4). A
// frequency driver says that firmware left that to the system; which profile
// of firmware's keeps it for itself does not show.
func (c *collector) powerPolicy() face {
	f := c.facts.CPUFreq
	if !f.Policies.Known() {
		return face{effective: inventory.Blame[string](from(inventory.SourceCPUFreq, f.Policies, inventory.Direct))}
	}
	if f.Policies.V == 0 {
		return face{effective: c.withoutPolicies()}
	}
	driver, same := f.Drivers.Uniform()
	switch {
	case len(f.Drivers.Distinct) > 1:
		return face{effective: mixed("the frequency policies differ in their driver", inventory.SourceCPUFreq, &f.Drivers)}
	case !same:
		return face{effective: inventory.Blame[string](from(inventory.SourceCPUFreq, f.First.Driver, inventory.Direct))}
	case driver == "pcc-cpufreq":
		return face{effective: unobservable("firmware and the system scale the frequency together (pcc-cpufreq): firmware's mode does not show",
			evidenceOf(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver))}
	}
	at := evidenceOf(inventory.SourceCPUFreq, f.Drivers.Paths[0], driver)
	more := c.governors()
	return face{inventory.Known(osControl, inventory.Indirect, at, more...), inventory.Known(inventory.DecidedFirmware, inventory.Indirect, at)}
}

// governors is the evidence of what the system does with its control.
func (c *collector) governors() []inventory.Evidence {
	g := &c.facts.CPUFreq.Governors
	var out []inventory.Evidence
	for i, word := range g.Distinct {
		out = append(out, evidenceOf(inventory.SourceCPUFreq, g.Paths[i], word))
	}
	return out
}

// withoutPolicies is a kernel that scales nothing.
func (c *collector) withoutPolicies() inventory.Fact[string] {
	at := evidenceOf(inventory.SourceCPUFreq, c.facts.CPUFreq.Policies.Path, "no policy")
	off := func(key, value string) bool {
		return key == "cpufreq.off" && value == "1" || (key == "intel_pstate" || key == "amd_pstate") && value == "disable"
	}
	if o, ok := c.option(off); ok {
		return inventory.Unknown[string](inventory.Refused, "the command line turns the frequency driver off, so that firmware's mode does not show", "boot without the option", o, at)
	}
	return unobservable("the system has no frequency driver: firmware scales the frequency or fixes it, which profile does that does not show", at)
}

// pStates is whether the processor changes its frequency by P-states.
func (c *collector) pStates() face {
	f := c.facts.CPUFreq
	if c.cpuModel().vendor.Or("") == intel {
		eist := c.field(host.MSRMiscEnable, 16, 1)
		if eist.Known() {
			word := switchOf(eist, 1)
			return face{word, undecided("firmware or somebody since set the register", eist.From)}
		}
		if eist.State == inventory.Conflicting {
			return face{effective: inventory.Blame[string](eist)}
		}
	}
	if driver := f.First.Driver; f.Policies.Known() && f.Policies.V > 0 && driver.Known() {
		at := evidenceOf(inventory.SourceCPUFreq, driver.Path, driver.Raw)
		return face{inventory.Known(enabledWord, inventory.Corroborated, at), inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, at)}
	}
	if !f.Policies.Known() {
		return face{effective: inventory.Blame[string](from(inventory.SourceCPUFreq, f.Policies, inventory.Direct))}
	}
	return face{effective: c.withoutPolicies()}
}

// hwp is whether the hardware scales the P-states by itself (section 4.5).
func (c *collector) hwp() face {
	platform8, platform18 := c.field(host.MSRMiscPower, 8, 1), c.field(host.MSRMiscPower, 18, 1)
	on := c.field(host.MSRHWPEnable, 0, 1)
	flag := c.flag("hwp")
	epp := from(inventory.SourceCPUFreq, c.facts.CPUFreq.First.EPP, inventory.Direct)
	firmware := func(at inventory.Evidence) inventory.Fact[string] {
		return inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, at)
	}
	switch {
	case on.State == inventory.Conflicting:
		return face{effective: inventory.Blame[string](on)}
	case platform8.Or(0) == 1 || platform18.Or(0) == 1:
		return face{inventory.Known("oob", inventory.Direct, platform8.From, platform8.More...), firmware(platform8.From)}
	case on.Known() && on.Value == 1:
		return face{inventory.Known("native", inventory.Direct, on.From, append(on.More, flag.From)...), firmware(flag.From)}
	case on.Known():
		f := face{effective: inventory.Known(disabledWord, inventory.Direct, on.From, append(on.More, flag.From)...)}
		f.decided = c.whoDisabledHWP(flag.From)
		return f
	case !flag.Known():
		return face{effective: inventory.Blame[string](flag)}
	case !flag.Value && epp.Known():
		return face{effective: inventory.Unknown[string](inventory.Conflicting, "the processor does not report HWP, but the kernel has an energy preference for it", elsewhere, flag.From, epp.From)}
	case !flag.Value:
		return face{inventory.Known(disabledWord, inventory.Indirect, flag.From), undecided("firmware hides HWP, or the processor has none", flag.From)}
	case epp.Known():
		return face{inventory.Known("native", inventory.Corroborated, flag.From, epp.From), firmware(flag.From)}
	default:
		f := inventory.Unknown[string](epp.State, "the processor has HWP, but whether it is switched on does not show", registerAdvice(on.State), flag.From)
		return face{effective: f}
	}
}

func (c *collector) whoDisabledHWP(at inventory.Evidence) inventory.Fact[string] {
	noHWP := func(key, value string) bool {
		return key == "intel_pstate" && (value == "no_hwp" || value == "disable")
	}
	if by, ok := c.byOption(noHWP); ok {
		return by
	}
	return undecided("firmware leaves HWP to the system, which does not use it", at)
}

// biases are the words for the energy and performance bias.
var biases = [...]string{"max_performance", "balanced_performance", "balanced_power", "power_saving"}

// energyPerfBias is the bias that runs now: EPP where the hardware scales the
// P-states, else EPB (section 4.5).
func (c *collector) energyPerfBias() face {
	f := c.facts.CPUFreq
	epb, at := c.epbWord()
	epp := c.eppWord()
	switch {
	case len(f.EPP.Distinct) > 1:
		return face{effective: mixed("the frequency policies differ in their energy preference", inventory.SourceCPUFreq, &f.EPP)}
	case epp.Known() && epb.Known() && epp.Value != epb.Value:
		return face{effective: inventory.Unknown[string](inventory.Conflicting,
			fmt.Sprintf("the energy preference of the P-states is %s, the bias of the rest of the processor %s", epp.Value, epb.Value), "", epp.From, epb.From)}
	case epp.Known():
		epp.More = append(epp.More, epb.Evidence()...)
		return face{epp, undecided("the system takes firmware's preference over unless somebody sets one", epp.From)}
	case epb.Known():
		return face{epb, at}
	case len(f.EPP.Distinct) > 0:
		return face{effective: epp}
	default:
		return face{effective: first(epb, epp)}
	}
}

// epbWord is the bias of /sys, else of the register, and who set it: the kernel
// turns firmware's 0 into 6, so that a 0 is somebody's doing since.
func (c *collector) epbWord() (word, decided inventory.Fact[string]) {
	s := &c.facts.CPUFreq.EPB
	if len(s.Distinct) > 1 {
		return mixed("the CPUs differ in their energy bias", inventory.SourceCPUFreq, s), inventory.Fact[string]{}
	}
	raw, ok := s.Uniform()
	if !ok {
		reg := c.field(host.MSREnergyBias, 0, 4)
		return convert(reg, func(v uint64) string { return biases[v/4] }), undecided("the kernel, firmware or somebody since set the register", reg.From)
	}
	at := evidenceOf(inventory.SourceCPUFreq, s.Paths[0], raw)
	n, err := strconv.Atoi(raw)
	switch {
	case err != nil || n < 0 || n > 15:
		return inventory.Unknown[string](inventory.Malformed, fmt.Sprintf("%q is no energy bias from 0 to 15", raw), "", at), inventory.Fact[string]{}
	case n == 0:
		decided = inventory.Known(inventory.DecidedAdministrator, inventory.Corroborated, at)
	case n == 6:
		decided = undecided("firmware left 6, or left 0 and the kernel made it 6 at boot", at)
	default:
		decided = undecided("firmware or somebody since set it", at)
	}
	return inventory.Known(biases[n/4], inventory.Direct, at), decided
}

// eppWord is the kernel's word for the energy preference.
func (c *collector) eppWord() inventory.Fact[string] {
	s := &c.facts.CPUFreq.EPP
	raw, ok := s.Uniform()
	if !ok {
		return inventory.Blame[string](from(inventory.SourceCPUFreq, c.facts.CPUFreq.First.EPP, inventory.Direct))
	}
	at := evidenceOf(inventory.SourceCPUFreq, s.Paths[0], raw)
	i := slices.Index([]string{"performance", "balance_performance", "balance_power", "power"}, raw)
	if i < 0 {
		return inventory.Unknown[string](inventory.Unstated, fmt.Sprintf("the energy preference %q has no name", raw), "", at)
	}
	return inventory.Known(biases[i], inventory.Direct, at)
}

// epbOwner is who sets the bias: documented for servers from Sapphire Rapids on
// only (PerfSpect).
func (c *collector) epbOwner() face {
	if c.facts.CPU.Generation() < host.GenSapphire || !c.facts.CPU.Generation().Intel() {
		return face{effective: unobservable("the owner of the bias is not documented for this processor")}
	}
	bit := c.field(host.MSRPowerCtl, 34, 1)
	if !bit.Known() {
		return face{effective: inventory.Blame[string](bit)}
	}
	word := "os"
	if bit.Value == 1 {
		word = "bios"
	}
	return face{inventory.Known(word, inventory.Indirect, bit.From, bit.More...), inventory.Known(inventory.DecidedFirmware, inventory.Indirect, bit.From)}
}

// uncoreFrequency is the range of the mesh's or ring's frequency (section 4.6).
// Every package and die must show the same.
func (c *collector) uncoreFrequency() face {
	entries := from(inventory.SourceCPUFreq, c.facts.CPUFreq.Uncore, inventory.Direct)
	list, ok := entries.Get()
	if !ok || len(list) == 0 {
		return face{effective: c.uncoreRegister(inventory.Blame[string](entries))}
	}
	var f face
	for i := range list {
		next := uncoreEntry(&list[i])
		switch {
		case !next.effective.Known():
			return next
		case i == 0:
			f = next
		case next.effective.Value != f.effective.Value:
			return face{effective: inventory.Unknown[string](inventory.Conflicting, fmt.Sprintf("%s is %s, %s is %s", list[0].Name, f.effective.Value, list[i].Name, next.effective.Value),
				"", f.effective.From, next.effective.From)}
		case !next.decided.Known() || next.decided.Value != f.decided.Value:
			f.decided = undecided("the packages differ in who set the range", f.effective.From, next.effective.From)
		}
	}
	return f
}

// uncoreEntry judges one package or die. initial is what firmware left; a fixed
// frequency is the highest only when firmware left a range with that top.
func uncoreEntry(u *host.Uncore) face {
	values := []host.Value[int64]{u.MinKHz, u.MaxKHz, u.InitialMinKHz, u.InitialMaxKHz}
	var at []inventory.Evidence
	for _, v := range values[:2] {
		if !v.Known() {
			return face{effective: inventory.Blame[string](from(inventory.SourceCPUFreq, v, inventory.Direct))}
		}
	}
	for _, v := range values {
		if v.Known() {
			at = append(at, evidenceOf(inventory.SourceCPUFreq, v.Path, v.Raw))
		}
	}
	low, high := u.MinKHz.V, u.MaxKHz.V
	initial := u.InitialMinKHz.Known() && u.InitialMaxKHz.Known()
	firmware := initial && low == u.InitialMinKHz.V && high == u.InitialMaxKHz.V
	word := ""
	switch {
	case low < high && (firmware || !initial):
		word = "dynamic"
	case initial && !firmware && low == high && high == u.InitialMaxKHz.V:
		word = "maximum"
	case initial && !firmware && low == high && low == u.InitialMinKHz.V:
		word = "minimum"
	case initial && !firmware:
		word = "custom"
	default:
		return face{effective: unobservable(fmt.Sprintf("%s is fixed at %d MHz; whether that is its highest frequency does not show", u.Name, high/1000), at...)}
	}
	f := face{effective: inventory.Known(word, inventory.Direct, at[0], at[1:]...)}
	switch {
	case firmware:
		f.decided = inventory.Known(inventory.DecidedFirmware, inventory.Corroborated, at[0], at[1:]...)
	case initial:
		f.decided = inventory.Known(inventory.DecidedAdministrator, inventory.Direct, at[0], at[1:]...)
	}
	return f
}

// uncoreRegister is the same from the register, before TPMI.
func (c *collector) uncoreRegister(missing inventory.Fact[string]) inventory.Fact[string] {
	high, low := c.field(host.MSRUncore, 0, 7), c.field(host.MSRUncore, 8, 7)
	switch {
	case high.State == inventory.Conflicting || low.State == inventory.Conflicting:
		return inventory.Blame[string](first(high, low))
	case !high.Known() || !low.Known() || c.facts.CPU.Generation() == host.GenGranite:
		missing.KnownBy = strings.TrimPrefix(missing.KnownBy+", or load the intel_uncore_frequency module", ", or ")
		return missing
	case low.Value < high.Value:
		return inventory.Known("dynamic", inventory.Direct, high.From, high.More...)
	default:
		return unobservable(fmt.Sprintf("the uncore is fixed at %d MHz; whether that is its highest frequency does not show", high.Value*100), high.From)
	}
}
