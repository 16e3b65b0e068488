package facts

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/settings"
)

var settingType = newObjectType("Setting", "one BIOS setting with its three values",
	Field{"id", textType, "canonical id", typedReader(func(s *settingFacts) Value { return PlainValue(s.id) })},
	Field{"configured", textType, "what BIOS setup says", typedReader(func(s *settingFacts) Value { return valueOf(s.Configured) })},
	Field{"pending", textType, "what BIOS setup will say after the next boot", typedReader(func(s *settingFacts) Value { return valueOf(s.Pending) })},
	Field{"effective", textType, "what the system runs with", typedReader(func(s *settingFacts) Value { return valueOf(s.Effective) })},
	Field{"decided_by", textType, "firmware, command line, administrator, kernel, hypervisor, or firmware or the processor: who made the effective value", typedReader(func(s *settingFacts) Value { return valueOf(s.DecidedBy) })},
	Field{"decision", textType, "who made the effective value, in words, with the reading that shows it", typedReader((*settingFacts).describeDecision)},
	Field{"contradicts", boolType, "BIOS setup says one thing and the system runs with another", typedReader((*settingFacts).contradicts)},
	Field{"waits", boolType, "a change waits for the next boot", typedReader((*settingFacts).pendingDiffers)},
	Field{"override", textType, "how the running system takes back what firmware offers, with file, value and who; empty when it does not", typedReader((*settingFacts).describeOverrides)},
	Field{"undo", textType, "how to take the override back; empty without one", typedReader((*settingFacts).undoCommand)},
	Field{"wanted", boolType, "the profile that was asked for wants what the override takes back", typedReader((*settingFacts).profileWantsState)},
	Field{"fulfilled", boolType, "the system runs with a value that the profile that was asked for wants", typedReader((*settingFacts).isFulfilled)},
	Field{"exports_disagree", textType, "what two exports of the BIOS settings say of it; empty when they agree", typedReader((*settingFacts).disagreement)},
)

// One that switches off what BIOS setup has off is skipped; a limit of the clock is not.
func (s *settingFacts) joinOverrides(text func(o *inventory.Override) string) Value {
	off := s.Configured.Known() && s.Configured.Value != settings.Auto && !isDoubtful(s.Configured) && settings.Compatible(s.id, s.Configured.Value, settings.Disabled)
	if len(s.Overrides) == 0 && !s.Effective.Known() && !off {
		return valueOf(s.Effective)
	}
	var all []string
	var at []fact.Evidence
	for i := range s.Overrides {
		o := &s.Overrides[i]
		if !IsUnwantedOverride(s.id, s.wanted, o) || o.Saves && !s.performance() || off && o.Value == settings.Disabled ||
			s.id == "energy_perf_bias" && len(s.wanted) == 0 && s.intent == "energy-efficiency" {
			continue
		}
		if t := text(o); !slices.Contains(all, t) {
			all = append(all, t)
		}
		at = append(at, o.At...)
	}
	v := PlainValue(strings.Join(all, "; "))
	if len(at) > 0 {
		v.From, v.More = at[0], at[1:]
	}
	return v
}

// IsUnwantedOverride reports whether an override leads to a value other than those that a profile wants. One that leads to a
// wanted value is not a fault.
func IsUnwantedOverride(id string, want []string, o *inventory.Override) bool {
	return o.Value == "" || !settings.Satisfies(id, want, o.Value)
}

func (s *settingFacts) undoCommand() Value {
	return s.joinOverrides(func(o *inventory.Override) string { return o.Undo })
}

func (s *settingFacts) describeOverrides() Value {
	return s.joinOverrides(func(o *inventory.Override) string {
		if o.By == inventory.DecidedAdministrator {
			return o.Found + " (set at run time)"
		}
		return o.Found
	})
}

func (s *settingFacts) performance() bool {
	return slices.Contains([]string{"max-performance", "low-latency", "hpc"}, s.intent)
}

func (s *settingFacts) profileWantsState() Value {
	if len(s.Overrides) > 0 && s.Overrides[0].Saves {
		return PlainValue(false) // the drivers' default, which still follows the load
	}
	if s.performance() && len(s.wanted) == 0 &&
		(s.id == "energy_perf_bias" || s.id == "uncore_frequency" || slices.ContainsFunc(s.Overrides, func(o inventory.Override) bool { return o.Value == "" })) {
		return PlainValue(true) // a limit of the clock, whatever a document says of Turbo
	}
	if len(s.wanted) == 0 {
		return MissingValue(fact.Absent, "no profile that was asked for covers it", "")
	}
	definite := slices.DeleteFunc(slices.Clone(s.wanted), func(w string) bool { return w == settings.Auto })
	return PlainValue(len(definite) > 0 && !slices.ContainsFunc(definite, func(w string) bool { return settings.Compatible(s.id, w, settings.Disabled) }))
}

func (s *settingFacts) contradicts() Value {
	return deriveValue(func() any {
		return !settings.Compatible(s.id, s.Configured.Value, s.Effective.Value) && !s.isKernelRewritten() && !inventory.ClockLimit(s.DecidedBy.From)
	}, valueOf(s.Configured), valueOf(s.Effective))
}

// isFulfilled is false without a profile.
func (s *settingFacts) isFulfilled() Value {
	return deriveValue(func() any { return settings.Satisfies(s.id, s.wanted, s.Effective.Value) }, valueOf(s.Effective))
}

// Every kernel changes an energy bias of 0, and x2APIC mode that is off.
func (s *settingFacts) isKernelRewritten() bool {
	return s.DecidedBy.Or("") == inventory.DecidedKernel && (s.id == "energy_perf_bias" || s.id == "x2apic")
}

func (s *settingFacts) pendingDiffers() Value {
	if s.Configured.Known() {
		return deriveValue(func() any { return s.Pending.Value != s.Configured.Value }, valueOf(s.Pending), valueOf(s.Configured))
	}
	return deriveValue(func() any { return !settings.Compatible(s.id, s.Pending.Value, s.Effective.Value) }, valueOf(s.Pending), valueOf(s.Effective))
}

func (s *settingFacts) disagreement() Value {
	if s.Configured.State != fact.Conflicting {
		return PlainValue("")
	}
	v := PlainValue(s.Configured.Reason)
	v.From, v.More = s.Configured.From, s.Configured.More
	return v
}

func (s *settingFacts) describeDecision() Value {
	return computedFrom(s.DecidedBy, func(by string) any {
		out := DeciderName(by)
		if read := strings.TrimSpace(s.DecidedBy.From.Path + " " + strings.TrimSpace(s.DecidedBy.From.Raw)); read != "" {
			out += " (" + read + ")"
		}
		return out
	})
}

// selectValue returns the value that a verdict is about, and its name: the configured one if known, otherwise the
// effective one. With a configured "auto" firmware chooses; then the effective value is used. A doubtful
// configured value never takes precedence over the effective one.
func selectValue(s inventory.Setting) (Value, string) {
	if s.Configured.Known() && (!s.Effective.Known() || s.Configured.Value != settings.Auto && !isDoubtful(s.Configured)) {
		return valueOf(s.Configured), "configured"
	}
	v := valueOf(s.Effective)
	switch {
	case s.Configured.Or("") == settings.Auto:
		return v, "effective; BIOS setup says auto"
	case s.Configured.Known():
		return v, "effective; that BIOS setup says " + s.Configured.Value + " is in doubt"
	}
	if v.Reason == "" && !v.Known() {
		v.Reason = "neither firmware's settings nor the kernel show it"
		v.KnownBy = fact.BIOSExportPassed
	}
	return v, "effective"
}

// Such a value may be another machine's, may not be in effect yet, or has an unverified name or word.
func isDoubtful(f fact.Fact[string]) bool { return f.Unverified || f.Certainty < fact.Corroborated }

// Basis is the kind of value that a profile's document describes.
type Basis string

// The kinds of value.
const (
	// BasisAny is the state itself, whoever set it: a site's own profiles, and documents that set Linux itself.
	BasisAny Basis = ""
	// BasisFirmware is BIOS setup of systems that were measured running: the result of auto counts, changes by
	// the operating system do not.
	BasisFirmware Basis = "firmware"
	// BasisConfigured is BIOS setup literally: auto differs from its result.
	BasisConfigured Basis = "configured"
	// BasisOption is one option of BIOS setup, whatever the running system does besides.
	BasisOption Basis = "option"
	// BasisSystem is what Linux sets, whatever BIOS setup has.
	BasisSystem Basis = "system"
)

// Values that the kernel rewrites by itself never are. A document about BIOS setup is not contradicted by what the operating
// system set or may have set.
func isChosenByBIOS(s *inventory.Setting, id string, face Basis) bool {
	by, known := s.DecidedBy.Get()
	switch {
	case face == BasisAny: // the state itself counts
		return true
	case known:
		return by == inventory.DecidedFirmware || face == BasisFirmware && by == inventory.DecidedHardware
	default:
		return face == BasisFirmware && notWrittenByKernel(id)
	}
}

// Prefetchers' registers have no interface: the value is firmware's, unless registers were written (docs/kernel.md).
func notWrittenByKernel(id string) bool { return strings.HasSuffix(id, "_prefetch") }

// BIOS setup's value may be another machine's, and this one runs with a value that the document contradicts.
func contradictedInDoubt(s *inventory.Setting, id string, want []string, face Basis) bool {
	runs, known := s.Effective.Get()
	return s.Configured.Unverified && known && !settings.Satisfies(id, want, runs) && undecidedReason(s, id, false, face) == ""
}

// ValueToCompare is the value to compare with a profile's row about the setting id. If the profile recommends auto, or its
// document is about BIOS setup literally, only BIOS setup can show it; otherwise auto alone is not enough. If BIOS
// setup's value is unknown, the effective value contradicts the row only as far as it shows what BIOS setup chose.
func ValueToCompare(s inventory.Setting, id string, want []string, about Basis) (Value, string) {
	if about == BasisSystem {
		return valueOf(s.Effective), "effective"
	}
	if about != BasisOption && RunsAgainst(&s, id, want) {
		return valueOf(s.Effective), "effective, though BIOS setup says " + s.Configured.Value
	}
	if s.Configured.Known() && (about == BasisConfigured || about == BasisOption || slices.Contains(want, settings.Auto)) && !contradictedInDoubt(&s, id, want, about) {
		return valueOf(s.Configured), "configured"
	}
	v, face := selectValue(s)
	switch {
	case !v.Known() && s.Pending.Known():
		v.Reason = "only the value for the next boot is known: " + s.Pending.Value
		v.From, v.More = s.Pending.From, s.Pending.More
	case face == "configured" && v.Value == settings.Auto:
		return MissingValue(fact.Absent, "BIOS setup leaves the choice to firmware (auto), and what it came to does not show",
			"the menu of BIOS setup, or the vendor's description of auto"), face
	case v.Known() && len(want) == 1 && want[0] == settings.Auto:
		return MissingValue(fact.Absent, "the profile leaves the choice to firmware (auto), and what the kernel runs with does not say who chose",
			fact.BIOSExportPassed), face
	case v.Known() && face != "configured" && s.Configured.Or("") != settings.Auto:
		if why := undecidedReason(&s, id, settings.Satisfies(id, want, v.Text()), about); why != "" {
			return fact.Unknown[any](fact.Absent, "the document covers BIOS setup, whose value is not known; the system runs with "+v.Text()+", and "+why,
				fact.BIOSOrBMC, append([]fact.Evidence{s.Effective.From}, s.Effective.More...)...), face
		}
	}
	return v, face
}

// RunsAgainst reports whether the running system contradicts what a row is for, although BIOS setup has a value that
// satisfies it: Turbo off, SMT on or off, interleaved nodes or not, idle states in use.
func RunsAgainst(s *inventory.Setting, id string, want []string) bool {
	runs, known := s.Effective.Get()
	if !known || !s.Configured.Known() || isDoubtful(s.Configured) || s.Effective.Certainty < fact.Corroborated || s.DecidedBy.Or("") == inventory.DecidedHypervisor ||
		!settings.Satisfies(id, want, s.Configured.Value) || settings.Satisfies(id, want, runs) || settings.Compatible(id, s.Configured.Value, runs) {
		return false
	}
	switch id {
	case "turbo":
		return runs == settings.Disabled
	case "c_states", "c1e":
		return runs == settings.Enabled
	default:
		return id == "smt" || id == "node_interleave"
	}
}

// undecidedReason returns why the effective value neither passes nor fails a row; "" if it does. It passes a
// document about BIOS setup literally only if it shows what BIOS setup chose. It contradicts every document
// whoever set it, except for values that every kernel rewrites and for those that the processor may not have.
func undecidedReason(s *inventory.Setting, id string, fulfils bool, about Basis) string {
	by, known := s.DecidedBy.Get()
	switch {
	case isChosenByBIOS(s, id, about), fulfils && (about != BasisConfigured && about != BasisOption || by == inventory.DecidedHardware || notWrittenByKernel(id)):
		return ""
	case slices.ContainsFunc(s.Effective.Evidence(), inventory.KernelBias):
		// A bias of 6, which kernels leave if it is not configured, is firmware's or replaced a 0, in any of its sources.
		return "the kernel turns firmware's 0, maximum performance, into 6 at boot"
	case (fulfils || id == "x2apic" || about == BasisOption) && known:
		return "that is the doing of " + DeciderName(by)
	case !fulfils && by == inventory.DecidedHardware:
		return "firmware disables it, or the processor has none"
	case fulfils, id == "x2apic", about == BasisOption, s.Effective.Certainty < fact.Corroborated:
		return cmp.Or(s.DecidedBy.Reason, "who decided that does not show")
	default:
		return ""
	}
}

// DeciderName names who set a value, for a sentence.
func DeciderName(by string) string {
	switch by {
	case inventory.DecidedCommandLine:
		return "the kernel's command line"
	case inventory.DecidedAdministrator:
		return "an administrator at run time"
	case inventory.DecidedFirmware:
		return by
	default:
		return "the " + by
	}
}
