package effective

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// option returns the last option of the command line that match accepts. match gets "key" and
// "value" without quotes.
func (m *Machine) option(match func(key, value string) bool) (fact.Evidence, bool) {
	if m.Kernel == nil {
		return fact.Evidence{}, false
	}
	line := m.Kernel.Cmdline
	for _, o := range slices.Backward(line.Options) {
		if match(o.Key, o.Value) {
			return fact.Evidence{Source: inventory.SourceCmdline, Path: line.Line.Path, Raw: strings.ReplaceAll(o.Raw, `"`, "")}, true
		}
	}
	return fact.Evidence{}, false
}

// optionsKnown reports whether the command line was read.
func (m *Machine) optionsKnown() bool { return m.Kernel != nil && m.Kernel.Cmdline.Line.Known() }

// byOption returns the command line as the one that decided, if an option matches.
func (m *Machine) byOption(match func(key, value string) bool) (fact.Fact[string], bool) {
	at, ok := m.option(match)
	if !ok {
		return fact.Fact[string]{}, false
	}
	return fact.Known(inventory.DecidedCommandLine, fact.Direct, at), true
}

// smtOption matches the options that make the kernel turn SMT off (linux
// Documentation/admin-guide/kernel-parameters.txt).
func smtOption(key, value string) bool {
	switch key {
	case "nosmt":
		return true
	case "l1tf":
		return value == "full" || value == "full,force" || value == "flush,nosmt"
	case "mitigations", "mds", "tsx_async_abort", "mmio_stale_data", "retbleed":
		return strings.Contains(value, "nosmt")
	default:
		return false
	}
}

// cpuOption matches the options that keep CPUs from coming online.
func cpuOption(key, _ string) bool {
	return key == "maxcpus" || key == "nr_cpus" || key == "possible_cpus"
}

// idleOption matches the options that keep the kernel from using idle states below C1 (linux
// Documentation/admin-guide/pm/cpuidle.rst, intel_idle.rst).
func idleOption(key, value string) bool {
	switch key {
	case "idle":
		return value == "poll" || value == "halt" || value == "nomwait"
	case "cpuidle.off":
		return value == "1"
	case "processor.max_cstate": // 0 counts as 1 (drivers/acpi/processor_idle.c)
		return value == "0" || value == "1"
	case "intel_idle.max_cstate": // 0 only selects ACPI's driver
		return value == "1"
	default:
		return false
	}
}
