package host

// Bounds of single reads, in bytes.
const (
	// LimitAttribute bounds a sysfs attribute (one page).
	LimitAttribute = 4096
	// LimitList bounds files that grow with the machine: CPU lists, masks.
	LimitList = 64 << 10
	// LimitCPUInfo bounds /proc/cpuinfo (4 MB with 2,048 CPUs).
	LimitCPUInfo = 16 << 20
	// LimitSMBIOS bounds the SMBIOS structure table.
	LimitSMBIOS = 4 << 20
	// limitNames bounds the entries of one folder; a node of 12 TiB links
	// 100,000 memory blocks.
	limitNames = 1 << 20
)
