package host

import "errors"

// errBounds is the error of a capture or its notes above the limits.
var errBounds = errors.New("archive is larger than memaudit reads")

// Limits of single reads, in bytes.
const (
	// LimitAttribute is for a sysfs attribute (one page).
	LimitAttribute = 4096
	// LimitList is for files that may be longer than a page: CPU lists and masks, meminfo, the
	// command line.
	LimitList = 64 << 10
	// LimitCPUInfo is for /proc/cpuinfo (4 MB with 2,048 CPUs).
	LimitCPUInfo = 16 << 20
	// LimitSMBIOS is for the SMBIOS structure table.
	LimitSMBIOS = 4 << 20
	// limitNames is the number of entries in one folder; a node with 12 TiB links 100,000 memory
	// blocks.
	limitNames = 1 << 20
)

// Folders of the CPU tree.
const (
	cpuDir    = "/sys/devices/system/cpu"
	cpuPrefix = cpuDir + "/cpu"
	cpuinfo   = "/proc/cpuinfo"
	// cpuinfoHead is enough for the first processor of every architecture
	// (x86 needs about 2.5 KB).
	cpuinfoHead = 16 << 10
)

const (
	nodeDir    = "/sys/devices/system/node"
	nodePrefix = nodeDir + "/node"
	maxNodes   = 1 << 10
)
