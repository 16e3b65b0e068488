package report

// Baseline is the comparison with the accepted hardware. Comparable is false
// when nothing could be compared, null when some of it could not. Changes lists
// what differs, by slot.
type Baseline struct {
	Path       string   `json:"path"`
	SavedAt    *string  `json:"saved_at" jsonschema:"nullable"`
	Comparable *bool    `json:"comparable" jsonschema:"nullable"`
	Changes    []Change `json:"changes"`
}

// Change is one difference. Kind is one of dimm_lost, dimm_added, dimm_moved,
// dimm_replaced, dimm_slower, dimm_faster, memory_lost, memory_gained,
// processor, numa, bios, setting.
type Change struct {
	Subject  string `json:"subject"`
	Kind     string `json:"kind"`
	Accepted string `json:"accepted"`
	Present  string `json:"present"`
}
