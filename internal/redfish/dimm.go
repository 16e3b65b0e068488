package redfish

// DIMM is one memory module or empty place as the controller describes it
// (DSP2046 Memory). Zero numbers and "" mean that it does not say.
type DIMM struct {
	// Path is the resource without what identifies a machine.
	Path string
	// Labels are the names of its place by kind: service label, device
	// locator, name, id.
	Labels [4]string
	// Installed is false for a place without a module. Known says whether the
	// service tells at all.
	Installed, Known bool
	// Health is the schema's word: OK, Warning, Critical; Condition is
	// Status.State as sent: Enabled, Disabled, Absent ...
	Health, Condition string
	// SizeBytes of the module; SpeedMTs is the operating speed, which the
	// schema wants in MT/s and some services give as the clock in MHz.
	SizeBytes int64
	SpeedMTs  int
	Ranks     int
	// Type is the schema's word: DDR4, DDR5.
	Type, Manufacturer, PartNumber string
	// Location is the place by MemoryLocation; nil where the service states none.
	Location *Location
	// Counts are the errors that the service counted on the module.
	Counts *Counts
}

// Location is where a module sits, as the service counts; -1 is not stated.
type Location struct{ Socket, Controller, Channel, Slot int }

const (
	maxModules = 256
	// maxMiB is 16 TiB, maxMTs and maxRanks more than any module has.
	maxMiB, maxMTs, maxRanks = 1 << 24, 20000, 64
	// maxProblems bounds how many modules in a row are asked in vain.
	maxProblems = 4
)

// Counts are the memory errors of a module since the machine's last reset, or
// since somebody cleared them (DSP0268 MemoryMetrics, CurrentPeriod); nil where the
// service does not say. Those of a module's lifetime are not read: nobody can tell
// when they were.
type Counts struct {
	// Path is the resource without what identifies a machine.
	Path                   string
	Corrected, Uncorrected *int64
	// Alarms are thresholds crossed and parity errors that stayed, by the schema's names
	// (AlarmTrips), in order; nil where the service does not say.
	Alarms []string
}
