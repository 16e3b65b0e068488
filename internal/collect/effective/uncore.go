package effective

import (
	"fmt"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// uncoreFrequency derives the range of the frequency of mesh or ring (docs/kernel.md, Uncore
// frequency). All packages and dies must show the same.
func (m *Machine) uncoreFrequency() derived {
	entries := host.Fact(inventory.SourceCPUFreq, m.Kernel.CPUFreq.Uncore, fact.Direct)
	list, ok := entries.Get()
	if !ok {
		return derived{effective: m.uncoreRegister(fact.Blame[string](entries))}
	}
	if len(list) == 0 {
		return derived{effective: m.uncoreRegister(fact.Unknown[string](fact.Absent, "the kernel's uncore driver lists no package", "", entries.From))}
	}
	var f derived
	for i := range list {
		next := uncoreEntry(&list[i])
		switch {
		case !next.effective.Known():
			return next
		case i == 0:
			f = next
		case next.effective.Value != f.effective.Value:
			return derived{effective: fact.Unknown[string](fact.Conflicting, fmt.Sprintf("%s is %s, %s is %s", list[0].Name, f.effective.Value, list[i].Name, next.effective.Value),
				"", f.effective.From, next.effective.From)}
		case next.decided.Value != f.decided.Value:
			f.decided = undecided("the packages differ in who set the range", f.effective.From, next.effective.From)
		}
	}
	return f
}

// uncoreEntry derives the range of one package or die. The initial values are those that firmware set.
// A fixed frequency is the maximum or minimum only if firmware's range ends there.
func uncoreEntry(u *host.Uncore) derived {
	values := []host.Value[int64]{u.MinKHz, u.MaxKHz, u.InitialMinKHz, u.InitialMaxKHz}
	var at []fact.Evidence
	for _, v := range values[:2] {
		if !v.Known() {
			return derived{effective: fact.Blame[string](host.Fact(inventory.SourceCPUFreq, v, fact.Direct))}
		}
	}
	for _, v := range values {
		if v.Known() {
			at = append(at, fact.At(inventory.SourceCPUFreq, v.Path, v.Raw))
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
		return derived{effective: unobservable(fmt.Sprintf("%s is fixed at %d MHz; whether that is its highest frequency does not show", u.Name, high/1000), at...)}
	}
	f := derived{effective: fact.Known(word, fact.Direct, at[0], at[1:]...)}
	switch {
	case firmware:
		f.decided = fact.Known(inventory.DecidedFirmware, fact.Corroborated, at[0], at[1:]...)
	case initial:
		f.decided = fact.Known(inventory.DecidedAdministrator, fact.Direct, at[0], at[1:]...)
	}
	return f
}

// uncoreRegister derives the range from the register, on processors before TPMI (Granite Rapids).
func (m *Machine) uncoreRegister(missing fact.Fact[string]) fact.Fact[string] {
	high, low := m.field(host.MSRUncore, 0, 7), m.field(host.MSRUncore, 8, 7)
	switch {
	case high.State == fact.Conflicting || low.State == fact.Conflicting:
		return firstUnknown(high, low)
	case !high.Known() || !low.Known() || m.Kernel.CPU.Generation() == host.GenGranite:
		missing.KnownBy = strings.TrimPrefix(missing.KnownBy+", or load the intel_uncore_frequency module", ", or ")
		return missing
	case low.Value < high.Value:
		return fact.Known("dynamic", fact.Direct, high.From, high.More...)
	default:
		return unobservable(fmt.Sprintf("the uncore is fixed at %d MHz; whether that is its highest frequency does not show", high.Value*100), high.From)
	}
}
