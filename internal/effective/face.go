package effective

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/host"
	"github.com/memaudit/memaudit/internal/inventory"
)

// Canonical words of the settings derived here.
const (
	enabledWord  = "enabled"
	disabledWord = "disabled"
)

// effectiveFace is the effective value of a setting and who decided it.
type effectiveFace struct {
	effective, decided fact.Fact[string]
}

// byFirmware is a setting that only firmware can decide.
func byFirmware(derive func(*Machine) fact.Fact[string]) func(*Machine) effectiveFace {
	return func(m *Machine) effectiveFace {
		f := derive(m)
		if !f.Known() {
			return effectiveFace{effective: f}
		}
		return effectiveFace{f, fact.Known(inventory.DecidedFirmware, f.Certainty, f.From)}
	}
}

// elsewhere is where an operator finds what Linux does not show.
const elsewhere = "an export of the BIOS settings with --bios, or the BMC with --redfish"

// unobservable is a value that the running system does not show.
//
//go:noinline
func unobservable(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, elsewhere, at...)
}

// decidedBy is who decided, or why that is not known.
func (f *effectiveFace) decidedBy() fact.Fact[string] {
	switch {
	case !f.effective.Known():
		return fact.Unknown[string](f.effective.State, "the effective value is not known", "")
	case f.decided.Known() || f.decided.Reason != "":
		return f.decided
	default:
		return fact.Unknown[string](fact.Absent, "the kernel does not say who set it", "an export of the BIOS settings, to compare", f.effective.From)
	}
}

// lacking is why something that several facts decide is not known: the first of
// those that are not themselves. What is known is not to blame.
func lacking[T any](facts ...fact.Fact[T]) fact.Fact[string] {
	return fact.Blame[string](fact.First(slices.DeleteFunc(facts, func(f fact.Fact[T]) bool { return f.Known() })...))
}

// notUniform is why several files give no one value: the first was not read, or
// a later one.
func notUniform(source string, first host.Value[string], s *host.Sampled) fact.Fact[string] {
	if first.Known() && s.Failed != nil {
		first = host.Value[string]{State: s.State, Path: s.Failed.Path, Err: s.Failed}
	}
	return fact.Blame[string](host.Fact(source, first, fact.Direct))
}

// mixedValues is a value that differs between CPUs or policies, named by the first
// file that held each.
func mixedValues(what, source string, s *host.Sampled) fact.Fact[string] {
	var said []string
	var at []fact.Evidence
	for i, v := range s.Distinct {
		at = append(at, fact.At(source, s.Paths[i], v))
		if i < maxNamed {
			said = append(said, strconv.Quote(v)+" in "+s.Paths[i])
		}
	}
	return fact.Unknown[string](fact.Conflicting, what+": "+strings.Join(said, ", "), "", slices.Clip(at)...)
}

// maxNamed bounds the differing values that a reason names.
const maxNamed = 4

// undecided is a reason for which nobody can be named.
//
//go:noinline
func undecided(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, "an export of the BIOS settings, to compare", at...)
}
