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
