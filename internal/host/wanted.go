package host

import "strings"

// captured are the folders of which a capture's members are kept; everything
// an audit could ask for lies below them. The rest of an archive (PCI devices,
// network, processes) is skipped unread.
var captured = [...]string{
	"sys/devices/system/cpu/", "sys/devices/system/node/", "sys/devices/system/memory/",
	"sys/devices/system/edac/", "sys/devices/system/machinecheck/",
	"sys/devices/virtual/dmi/", "sys/devices/virtual/firmware-attributes/", "sys/devices/virtual/memory_tiering/",
	"sys/devices/cpu_core/", "sys/devices/cpu_atom/", "sys/devices/soc0/",
	"sys/class/dmi/", "sys/class/firmware-attributes/", "sys/class/powercap/",
	"sys/bus/dax/", "sys/bus/cxl/", "sys/bus/nd/", "sys/bus/node/", "sys/bus/edac/",
	"sys/firmware/", "sys/hypervisor/", "sys/kernel/mm/", "sys/kernel/security/lockdown",
	"sys/module/intel_idle/", "sys/module/processor/", "sys/module/cpuidle/",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline", "proc/version", "proc/sys/kernel/", "proc/sys/vm/",
	"proc/device-tree/hypervisor/", "proc/driver/nvidia/gpus/", "proc/iomem", "proc/config.gz",
	"sys/class/iommu/", "sys/devices/virtual/misc/kvm/", "dev/cpu/", "dev/kmsg",
	notesName, InputsFolder,
}

// InputsFolder holds what a capture keeps beside the trees: the other inputs
// that its machine was audited with.
const InputsFolder = "memaudit-inputs/"

// machineTrees are the names directly below sys and proc by which a machine in an
// archive is recognised; a folder that happens to be called "sys" has none.
var machineTrees = [...]string{
	"sys/devices", "sys/class", "sys/bus", "sys/firmware", "sys/kernel", "sys/hypervisor", "sys/module",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline",
}

// wanted reports whether a capture keeps the member at this path below the
// machine's own folder.
func wanted(path string) bool {
	for _, c := range captured {
		if strings.HasPrefix(path, c) || leadsTo(path, c) {
			return true
		}
	}
	// Links from bus folders lead to devices anywhere.
	return strings.HasPrefix(path, "sys/devices/") && (strings.Contains(path, "/dax") || strings.Contains(path, "/edac/") || strings.Contains(path, "/mc/mc"))
}

// leadsTo reports whether path is a folder on the way to c.
func leadsTo(path, c string) bool {
	return len(path) < len(c) && c[len(path)] == '/' && strings.HasPrefix(c, path)
}

// splitMember cuts a member name into the machine's leading folder and the
// path below it. ok is false for members of no sys, proc or dev tree.
func splitMember(name string) (prefix, path string, ok bool) {
	start := 0
	for range maxPrefix + 1 {
		rest := name[start:]
		if isTree(rest) || rest == notesName || strings.HasPrefix(rest, InputsFolder) {
			return strings.TrimSuffix(name[:start], "/"), rest, true
		}
		top, _, more := strings.Cut(rest, "/")
		if !more || top == "sys" || top == "proc" {
			return "", "", false
		}
		start += len(top) + 1
	}
	return "", "", false
}

// maxPrefix is the largest number of leading folders in an archive.
const maxPrefix = 3

func isTree(path string) bool {
	for _, t := range machineTrees {
		if path == t || strings.HasPrefix(path, t) && path[len(t)] == '/' {
			return true
		}
	}
	return strings.HasPrefix(path, "proc/sys/") || strings.HasPrefix(path, "proc/device-tree/") || strings.HasPrefix(path, "proc/driver/nvidia/") || strings.HasPrefix(path, "dev/cpu/") ||
		path == "dev/kmsg"
}
