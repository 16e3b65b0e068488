package redfish

import "fmt"

// DIMM is a memory module or an empty slot as the controller describes it (DSP2046 Memory). Numbers
// that are 0 and strings that are "" were not stated.
type DIMM struct {
	// Path is the path of the resource without identifiers of the machine.
	Path string
	// Labels are the names of its slot: service label, device locator, name and ID, in this order.
	Labels [4]string
	// Installed is false for an empty slot. Known is false if the service does not report it.
	Installed, Known bool
	// Health is Status.Health (OK, Warning, Critical), Condition is Status.State (Enabled,
	// Disabled, Absent and others), both as sent.
	Health, Condition string
	// SizeBytes is the module's capacity. SpeedMTs is its operating speed: in MT/s by the schema,
	// but some services give the clock in MHz.
	SizeBytes int64
	SpeedMTs  int
	Ranks     int
	// Type is MemoryDeviceType as sent, for example DDR4 or DDR5.
	Type, PartNumber string
	// Location is MemoryLocation, nil if the service does not state socket and channel.
	Location *Location
	// Counts are the module's errors, nil if the service does not report them.
	Counts *Counts
}

// check reports numbers that no reading of a module returns.
func (d *DIMM) check() error {
	switch {
	case d.SizeBytes < 0 || d.SizeBytes > maxMiB<<20:
		return fmt.Errorf("SizeBytes: %d, expected 0 to %d", d.SizeBytes, int64(maxMiB)<<20)
	case d.SpeedMTs < 0 || d.SpeedMTs > maxMTs:
		return fmt.Errorf("SpeedMTs: %d, expected 0 to %d", d.SpeedMTs, maxMTs)
	case d.Ranks < 0 || d.Ranks > maxRanks:
		return fmt.Errorf("Ranks: %d, expected 0 to %d", d.Ranks, maxRanks) //nolint:staticcheck // begins with the name of the key
	}
	if l := d.Location; l != nil {
		if min(l.Socket, l.Channel, l.Controller+1, l.Slot+1) < 0 || max(l.Socket, l.Controller, l.Channel, l.Slot) > maxModules {
			return fmt.Errorf("Location: %+v, expected socket and channel from 0, controller and slot from -1, all up to %d", *l, maxModules)
		}
	}
	return d.Counts.check()
}

// Location is the position of a module's slot with the service's numbers; -1 for a number that it does not
// report.
type Location struct{ Socket, Controller, Channel, Slot int }

const (
	maxModules = 256
	// maxMiB (16 TiB), maxMTs and maxRanks are more than any module has.
	maxMiB, maxMTs, maxRanks = 1 << 24, 20000, 64
	// maxProblems is the number of failed modules after which the others are not read.
	maxProblems = 4
)

// Counts are the memory errors of a module, or of all together, since the last reset of the machine or of the
// counters (DSP0268 MemoryMetrics, CurrentPeriod). Errors over the lifetime of a module are not read, because
// it is not known when they happened.
type Counts struct {
	// Path is the path of the resource without identifiers of the machine. Corrected and
	// Uncorrected are nil if the service does not state them.
	Path                   string
	Corrected, Uncorrected *int64
	// Alarms are the names of the active alarms about errors (AlarmTrips in the schema); nil if the service
	// does not report alarms, empty if none is active.
	Alarms []string
}

// check reports numbers that no reading of counts returns.
func (c *Counts) check() error {
	if c == nil {
		return nil
	}
	for _, n := range []*int64{c.Corrected, c.Uncorrected} {
		if n != nil && *n < 0 {
			return fmt.Errorf("Counts: %d errors, expected 0 or more", *n)
		}
	}
	return nil
}
