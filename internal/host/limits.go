package host

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
