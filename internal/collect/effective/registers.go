package effective

import (
	"errors"
	"fmt"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/source/host"
)

// field returns a field of a register, known if it is the same on all CPUs that were read. low is its
// lowest bit, bits its width.
func (m *Machine) field(register uint32, low, bits uint) fact.Fact[uint64] {
	readings := m.Registers.Readings[register]
	if len(readings) == 0 {
		return m.noRegister(register)
	}
	get := func(r *host.MSRReading) uint64 { return r.Value.V >> low & (1<<bits - 1) }
	first := &readings[0]
	for i := range readings {
		r := &readings[i]
		if !r.Value.Known() {
			f := host.Fact(inventory.SourceMSR, r.Value, fact.Direct)
			f.KnownBy = registerAdvice(f.State)
			return fact.Blame[uint64](f)
		}
		if get(r) != get(first) {
			return fact.Unknown[uint64](fact.Conflicting, fmt.Sprintf("register 0x%X differs: CPU %d of package %d has 0x%x, CPU %d of package %d has 0x%x",
				register, first.CPU, first.Package, first.Value.V, r.CPU, r.Package, r.Value.V), "", registerEvidence(register, first), registerEvidence(register, r))
		}
	}
	var more []fact.Evidence
	for i := 1; i < len(readings); i++ {
		if readings[i].Package != readings[i-1].Package {
			more = append(more, registerEvidence(register, &readings[i]))
		}
	}
	return fact.Known(get(first), fact.Direct, registerEvidence(register, first), more...)
}

// noRegister returns the reason why a register was not read.
func (m *Machine) noRegister(register uint32) fact.Fact[uint64] {
	err := m.Registers.Err
	if err == nil {
		return fact.Unknown[uint64](fact.Absent, fmt.Sprintf("register 0x%X is not documented for this processor", register), otherSources)
	}
	state := err.State
	if errors.Is(err, host.ErrNoRegisters) {
		return fact.Unknown[uint64](state, "no register of this processor is documented here", otherSources)
	}
	return fact.Unknown[uint64](state, err.Error(), registerAdvice(state), fact.At(inventory.SourceMSR, err.Path, ""))
}

// registerAdvice tells the user how to make registers readable.
func registerAdvice(s fact.State) string {
	switch s {
	case fact.Unread:
		return "a capture made by root with the msr module loaded, or " + otherSources
	case fact.Absent:
		return "load the msr module (modprobe msr) and run as root, or " + otherSources
	case fact.Denied:
		return "run as root with CAP_SYS_RAWIO, or " + otherSources
	default:
		return otherSources
	}
}

func registerEvidence(register uint32, r *host.MSRReading) fact.Evidence {
	return fact.Evidence{Source: inventory.SourceMSR, Path: r.Value.Path, Field: fmt.Sprintf("MSR 0x%X", register), Raw: r.Value.Raw}
}

// switchOf converts a register's field to enabled or disabled; on is the value that means enabled.
func switchOf(f fact.Fact[uint64], on uint64) fact.Fact[string] {
	return fact.Convert(f, func(v uint64) string {
		if v == on {
			return enabledWord
		}
		return disabledWord
	})
}
