package report

import (
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
)

// buildBaseline makes the document of a comparison, and the metrics of each kind: a kind without differences is 0
// only if everything was compared.
func buildBaseline(b *inventory.Baseline) (*Baseline, map[string]bool) {
	if b == nil {
		return nil, nil
	}
	out := &Baseline{Path: b.Path, SavedAt: nullable.String(b.SavedAt), Changes: []Change{}}
	known := 0
	for _, c := range b.Compared {
		if c.Same.Known() {
			known++
		}
		for _, change := range c.Changes {
			out.Changes = append(out.Changes, Change{c.Subject, string(change.Kind), change.Then, change.Now})
		}
	}
	whole, none := known == len(b.Compared), false
	switch {
	case whole:
		out.Comparable = &whole
	case known == 0:
		out.Comparable = &none
	}
	changed := map[string]bool{}
	if whole {
		for _, kind := range inventory.ChangeKinds() {
			changed[string(kind)] = false
		}
	}
	for _, c := range out.Changes {
		changed[c.Kind] = true
	}
	return out, changed
}

// Baseline is the comparison with the accepted hardware. Comparable is false
// when nothing could be compared, null when some of it could not. Changes lists
// what differs, by slot.
type Baseline struct {
	Path       string          `json:"path"`
	SavedAt    nullable.String `json:"saved_at" jsonschema:"nullable"`
	Comparable *bool           `json:"comparable" jsonschema:"nullable"`
	Changes    []Change        `json:"changes"`
}

// Change is one difference. Kind is one of dimm_lost, dimm_added, dimm_moved,
// dimm_replaced, dimm_slower, dimm_faster, memory_lost, memory_gained,
// processor, numa, bios, setting.
type Change struct {
	Subject  inventory.Subject `json:"subject"`
	Kind     string            `json:"kind"`
	Accepted string            `json:"accepted"`
	Present  string            `json:"present"`
}
