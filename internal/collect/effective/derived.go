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

// derived is the effective value of a setting and who decided it.
type derived struct {
	effective, decided fact.Fact[string]
}

// byFirmware returns a derivation for a setting that only firmware can decide.
func byFirmware(derive func(*Machine) fact.Fact[string]) func(*Machine) derived {
	return func(m *Machine) derived {
		f := derive(m)
		if !f.Known() {
			return derived{effective: f}
		}
		return derived{f, fact.Known(inventory.DecidedFirmware, f.Certainty, f.From)}
	}
}

// otherSources tells the user where to find a value that Linux does not show.
const otherSources = "an export of the BIOS settings with --bios, or the BMC with --redfish"

// unobservable returns an unknown fact for a value that the running system does not show.
func unobservable(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, otherSources, at...)
}

// decidedBy returns who decided, or an unknown fact with the reason.
func (f *derived) decidedBy() fact.Fact[string] {
	switch {
	case !f.effective.Known():
		return fact.Unknown[string](f.effective.State, "the effective value is not known", "")
	case f.decided.Known() || f.decided.Reason != "":
		return f.decided
	default:
		return fact.Unknown[string](fact.Absent, "the kernel does not say who set it", "an export of the BIOS settings, to compare", f.effective.From)
	}
}

// firstUnknown returns an unknown fact with the reason of the first unknown one of these facts.
func firstUnknown[T any](facts ...fact.Fact[T]) fact.Fact[string] {
	return fact.Blame[string](fact.First(slices.DeleteFunc(facts, func(f fact.Fact[T]) bool { return f.Known() })...))
}

// notUniform returns an unknown fact for a value that is in several files, if the first or a later one
// could not be read.
func notUniform(source string, first host.Value[string], s *host.Sampled) fact.Fact[string] {
	if first.Known() && s.Failed != nil {
		first = host.Value[string]{State: s.State, Path: s.Failed.Path, Err: s.Failed}
	}
	return fact.Blame[string](host.Fact(source, first, fact.Direct))
}

// mixedValues returns an unknown fact for a value that differs between CPUs or policies. The reason
// names up to maxNamed values, each with the first file that has it.
func mixedValues(what, source string, s *host.Sampled) fact.Fact[string] {
	var named []string
	var at []fact.Evidence
	for i, v := range s.Distinct {
		at = append(at, fact.At(source, s.Paths[i], v))
		if i < maxNamed {
			named = append(named, strconv.Quote(v)+" in "+s.Paths[i])
		}
	}
	return fact.Unknown[string](fact.Conflicting, what+": "+strings.Join(named, ", "), "", slices.Clip(at)...)
}

// maxNamed is the largest number of differing values in a reason.
const maxNamed = 4

// undecided returns an unknown fact for who decided, with the reason.
func undecided(reason string, at ...fact.Evidence) fact.Fact[string] {
	return fact.Unknown[string](fact.Absent, reason, "an export of the BIOS settings, to compare", at...)
}
