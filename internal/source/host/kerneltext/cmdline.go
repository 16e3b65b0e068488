package kerneltext

import (
	"bytes"
	"slices"
	"strconv"
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

// CPUInfo is /proc/cpuinfo.
type CPUInfo struct {
	// First holds the keys of the first processor; on old Arm kernels also the keys after the last
	// processor, which apply to all.
	First map[string]string
	// Processors are all that were parsed, in order of appearance.
	Processors []Processor
}

// Processor is one block of /proc/cpuinfo. Numbers are -1 when the block does not have them.
type Processor struct {
	ID, PhysicalID, CoreID int
}

// Bounds of one parse.
const (
	maxKeys       = 128
	maxProcessors = MaxCPU + 1
)

// ParseCPUInfo parses /proc/cpuinfo of any architecture. If all is false, it stops after the first processor on x86,
// where that is sufficient. Lines without "key : value" are skipped, and so is an incomplete last line.
func ParseCPUInfo(b []byte, all bool) CPUInfo {
	info := CPUInfo{First: make(map[string]string, 32)}
	b = bytes.TrimRight(b, "\x00")
	for raw := range bytes.Lines(b) {
		if raw[len(raw)-1] != '\n' {
			break
		}
		name, value, ok := bytes.Cut(raw, []byte{':'})
		if !ok {
			continue
		}
		key := strings.TrimSpace(string(name))
		if key == "processor" || strings.HasPrefix(key, "processor ") {
			if !all && len(info.Processors) > 0 && info.First["vendor_id"] != "" && info.First["flags"] != "" {
				return info
			}
			info.beginProcessor(key, value)
		}
		info.recordKey(key, value)
	}
	return info
}

// beginProcessor starts a processor: "processor : 7", on s390 "processor 7: ...".
func (c *CPUInfo) beginProcessor(key string, value []byte) {
	digits := string(bytes.TrimSpace(value))
	if rest, ok := strings.CutPrefix(key, "processor "); ok {
		digits = rest
	}
	id, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil || id < 0 || id > MaxCPU || len(c.Processors) >= maxProcessors {
		return
	}
	c.Processors = append(c.Processors, Processor{ID: id, PhysicalID: -1, CoreID: -1})
}

// recordKey keeps a key that appears for the first time, and the numbers of the current processor.
func (c *CPUInfo) recordKey(key string, value []byte) {
	value = bytes.TrimSpace(value)
	if _, have := c.First[key]; !have && len(c.First) < maxKeys && len(key) <= 64 {
		c.First[key] = string(value)
	}
	if len(c.Processors) == 0 {
		return
	}
	switch p := &c.Processors[len(c.Processors)-1]; key {
	case "physical id":
		p.PhysicalID = parseID(value)
	case "core id":
		p.CoreID = parseID(value)
	}
}

func parseID(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil || n < 0 || len(b) > 12 {
		return -1
	}
	return n
}
