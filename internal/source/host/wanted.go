package host

import (
	"slices"
	"strings"
)

// captured are the folders that are kept from an archive: all files that an audit can read are below them.
// Other members (network, processes, most files of PCI devices) are skipped.
var captured = [...]string{
	"sys/devices/system/cpu/", "sys/devices/system/node/", "sys/devices/system/memory/",
	"sys/devices/system/edac/", "sys/devices/system/machinecheck/",
	"sys/devices/virtual/dmi/", "sys/devices/virtual/firmware-attributes/", "sys/devices/virtual/memory_tiering/",
	"sys/devices/virtual/powercap/",
	"sys/devices/cpu_core/", "sys/devices/cpu_atom/", "sys/devices/soc0/",
	"sys/class/dmi/", "sys/class/firmware-attributes/", "sys/class/powercap/",
	"sys/bus/dax/", "sys/bus/cxl/", "sys/bus/nd/", "sys/bus/node/", "sys/bus/edac/", "sys/bus/pci/devices/",
	"sys/firmware/", "sys/hypervisor/", "sys/kernel/mm/", "sys/kernel/kexec_crash_size", "sys/kernel/security/lockdown",
	"sys/module/intel_idle/", "sys/module/processor/", "sys/module/cpuidle/", "sys/module/kvm_intel/", "sys/module/kvm_amd/",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline", "proc/version", "proc/sys/kernel/", "proc/sys/vm/",
	"proc/device-tree/hypervisor/", "proc/driver/nvidia/gpus/", "proc/iomem", "proc/config.gz",
	"sys/class/iommu/", "sys/devices/virtual/misc/kvm/", "dev/cpu/", "dev/cpu_dma_latency", "dev/kmsg",
	notesName, InputsFolder,
}

// linked are parts of the paths of devices to which links from bus folders lead, anywhere below
// sys/devices: DAX, memory controllers, the CXL decoders of the root.
var linked = [...]string{"/dax", "/edac/", "/mc/mc", "/decoder0."}

// InputsFolder holds the inputs of an audit other than the trees, in memaudit's own captures.
const InputsFolder = "memaudit-inputs/"

// LimitInputs is for one file in it, in bytes.
const LimitInputs = 16 << 20

// machineTrees are names directly below sys and proc that identify a machine in an archive; other folders
// called "sys" have none of them.
var machineTrees = [...]string{
	"sys/devices", "sys/class", "sys/bus", "sys/firmware", "sys/kernel", "sys/hypervisor", "sys/module",
	"proc/cpuinfo", "proc/meminfo", "proc/cmdline",
}

func wanted(path string) bool {
	for _, c := range captured {
		if strings.HasPrefix(path, c) || leadsTo(path, c) {
			return true
		}
	}
	if strings.HasPrefix(path, "sys/devices/pci") && (strings.HasSuffix(path, "/class") || strings.HasSuffix(path, "/numa_node") || strings.HasSuffix(path, "/vendor")) {
		return true
	}
	return strings.HasPrefix(path, "sys/devices/") && slices.ContainsFunc(linked[:], func(part string) bool { return strings.Contains(path, part) })
}

func leadsTo(path, c string) bool {
	return len(path) < len(c) && c[len(path)] == '/' && strings.HasPrefix(c, path)
}

// splitMember splits a member's name into the machine's leading folders and the path below them. ok
// is false for members that are not in a machine's trees (isTree) and neither notes nor inputs.
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

const maxPrefix = 3

func isTree(path string) bool {
	for _, t := range machineTrees {
		if path == t || strings.HasPrefix(path, t) && path[len(t)] == '/' {
			return true
		}
	}
	return strings.HasPrefix(path, "proc/sys/") || strings.HasPrefix(path, "proc/device-tree/") || strings.HasPrefix(path, "proc/driver/nvidia/") || strings.HasPrefix(path, "dev/cpu/") ||
		path == "dev/cpu_dma_latency" || path == "dev/kmsg"
}
