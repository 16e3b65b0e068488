package host

// Kernel are settings of the operating system that have the same purpose as firmware's, and may
// contradict a finding.
type Kernel struct {
	// Release is /proc/sys/kernel/osrelease, "6.18.44".
	Release Value[string]
	// THP is transparent_hugepage/enabled, the word in brackets.
	THP Value[string]
	// NUMABalancing is 0 to 3; Absent without CONFIG_NUMA_BALANCING.
	NUMABalancing Value[int64]
	// ZoneReclaim is vm.zone_reclaim_mode.
	ZoneReclaim Value[int64]
}

// ReadKernel reads the settings.
func ReadKernel(root *Root) *Kernel {
	r := newReader(root)
	return &Kernel{
		Release:       r.text("/proc/sys/kernel/osrelease"),
		THP:           r.bracketed("/sys/kernel/mm/transparent_hugepage/enabled"),
		NUMABalancing: r.number("/proc/sys/kernel/numa_balancing"),
		ZoneReclaim:   r.number("/proc/sys/vm/zone_reclaim_mode"),
	}
}
