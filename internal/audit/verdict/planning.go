package verdict

// Role is what a rule's result is to a plan for the machine's modules, by the
// rule's own words; the zero Role is a rule whose result stays whatever is moved.
type Role struct{ Layout, Running, Modules, Order, Purchase, Permits bool }

// PresetStep is the one step that fulfils several rows of a profile: the
// vendor's master preset is set to the value that, by the profile's own
// document, writes them.
type PresetStep struct {
	// Setting is the canonical id of the preset, Preset its new value as the
	// profile names it, Value as the tool or the menu spells it, From the one that
	// it has now.
	Setting, Preset, Value, From string
	// Tool and Command are a documented command line, Menu the way through BIOS
	// setup; "" where nothing proves one. At least one is there.
	Tool, Command, Menu string
	// Writes are the settings that the preset writes, with what the document says
	// it writes; Silent are those that it governs and of which the document says
	// nothing.
	Writes map[string]string
	Silent []string
	// Source is the document that says what the preset writes.
	Source string
}
