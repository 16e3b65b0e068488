package effective

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// Canonical words that several settings share.
const (
	enabledWord  = "enabled"
	disabledWord = "disabled"
)

// effectiveFace is the effective value of a setting and who decided it.
type effectiveFace struct {
	effective, decided fact.Fact[string]
}

// byFirmware makes a derivation for a setting that only firmware can decide.
func byFirmware(derive func(*Machine) fact.Fact[string]) func(*Machine) effectiveFace {
	return func(m *Machine) effectiveFace {
		f := derive(m)
		if !f.Known() {
			return effectiveFace{effective: f}
		}
		return effectiveFace{f, fact.Known(inventory.DecidedFirmware, f.Certainty, f.From)}
	}
}

// elsewhere tells an operator where to find what Linux does not show.
const elsewhere = "an export of the BIOS settings with --bios, or the BMC with --redfish"

// unobservable returns an unknown for a value that the running system does not show.
func unobservable(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, elsewhere, at...)
}

// decidedBy returns who decided, or an unknown with the reason.
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

// lacking returns an unknown with the reason of the first of these facts that is not known itself.
func lacking[T any](facts ...fact.Fact[T]) fact.Fact[string] {
	return fact.Blame[string](fact.First(slices.DeleteFunc(facts, func(f fact.Fact[T]) bool { return f.Known() })...))
}

// notUniform returns an unknown for a value that several files hold, of which the first or a later
// one could not be read.
func notUniform(source string, first host.Value[string], s *host.Sampled) fact.Fact[string] {
	if first.Known() && s.Failed != nil {
		first = host.Value[string]{State: s.State, Path: s.Failed.Path, Err: s.Failed}
	}
	return fact.Blame[string](host.Fact(source, first, fact.Direct))
}

// mixedValues returns an unknown for a value that differs between CPUs or policies. It names for
// each value the first file that held it, up to maxNamed.
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

// maxNamed limits how many differing values a reason names.
const maxNamed = 4

// undecided returns an unknown for who decided, with the reason.
func undecided(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, "an export of the BIOS settings, to compare", at...)
}
