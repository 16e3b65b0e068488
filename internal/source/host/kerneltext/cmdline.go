package kerneltext

import (
	"bytes"
	"slices"
	"strings"
)

// Option is one option on the command line: "numa=off", "quiet".
type Option struct {
	Key, Value string
	// Raw is the option as written, with its quotes.
	Raw string
}

// ParseCmdline splits a command line as the kernel does (lib/cmdline.c): options end at spaces outside double quotes;
// quotes around an option or its value are removed. Words after "--" belong to init and are dropped.
func ParseCmdline(line string) []Option {
	var out []Option
	rest := line
	for len(out) < 4096 {
		rest = strings.TrimLeft(rest, " \t\r\n\v\f")
		if rest == "" {
			break
		}
		word := rest[:WordEnd(rest)]
		rest = rest[len(word):]
		if word == "--" {
			break
		}
		o := Option{Raw: word}
		bare := word
		if strings.HasPrefix(bare, `"`) {
			bare = strings.TrimSuffix(bare[1:], `"`)
		}
		o.Key, o.Value, _ = strings.Cut(bare, "=")
		if strings.HasPrefix(o.Value, `"`) {
			o.Value = strings.TrimSuffix(o.Value[1:], `"`)
		}
		out = append(out, o)
	}
	return out
}

// WordEnd returns the length of the first word of a command line, which ends at a space outside double quotes.
func WordEnd[T string | []byte](s T) int {
	quoted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && strings.IndexByte(" \t\r\n\v\f", c) >= 0:
			return i
		}
	}
	return len(s)
}

// keptOptions are the kernel options whose values are shown because they affect an audit
// (Documentation/admin-guide/kernel-parameters.txt). A key that ends in a dot matches all options of a module.
var keptOptions = [...]string{"numa", "acpi", "noacpi", "nosmt", "mitigations", "l1tf", "mds", "maxcpus", "nr_cpus", "possible_cpus", "mem",
	"memmap", "kernelcore", "movablecore", "efi_fake_mem", "hugepages", "hugepagesz", "default_hugepagesz", "transparent_hugepage",
	"numa_balancing", "crashkernel", "tsx_async_abort", "mmio_stale_data", "retbleed", "idle", "cpuidle.", "processor.", "intel_idle.",
	"cpufreq.", "intel_pstate", "amd_pstate", "intel_iommu", "amd_iommu", "iommu", "intremap", "nointremap", "nox2apic", "isolcpus", "nohz_full", "rcu_nocbs",
	"clocksource", "tsc", "nohz", "pcie_aspm", "edac_report", "spec_store_bypass_disable", "spectre_v2", "pti", "swiotlb",
	"kvm_intel.", "kvm_amd.", "mem_encrypt", "nosgx", "nohibernate"}

// HideOptions replaces values on a command line that an audit does not need (passwords, addresses, host
// names), words that look like an address or a name, and all words for init.
func HideOptions(line []byte, hide func([]byte) []byte) []byte {
	out := make([]byte, 0, len(line))
	forInit := false
	for len(line) > 0 {
		if line[0] <= ' ' {
			out, line = append(out, line[0]), line[1:]
			continue
		}
		word := line[:WordEnd(line)]
		line = line[len(word):]
		key, _, valued := bytes.Cut(bytes.TrimLeft(word, `"`), []byte("="))
		forInit = forInit || string(word) == "--"
		// A word with a dot inside may be a fully qualified host name. Module options also have one, but few have no value.
		switch dot := bytes.IndexByte(word, '.'); {
		case string(word) == "--", !forInit && slices.ContainsFunc(keptOptions[:], func(k string) bool {
			return string(key) == k || strings.HasSuffix(k, ".") && strings.HasPrefix(string(key), k)
		}):
			out = append(out, word...)
		case valued && !forInit:
			value := bytes.IndexByte(word, '=') + 1
			out = append(append(out, word[:value]...), hide(word[value:])...)
		case forInit || bytes.ContainsAny(word, ":/@0123456789") || dot > 0 && dot < len(word)-1:
			out = append(out, hide(word)...)
		default:
			out = append(out, word...)
		}
	}
	return out
}
