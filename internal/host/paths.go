package host

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
