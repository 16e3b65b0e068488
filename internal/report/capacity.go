package report

import (
	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/population"
)

// Capacity lists the ways to populate a capacity, best first. Figures of a
// configuration are of one processor (of the chipset on a front-side bus); the
// others are populated alike.
type Capacity struct {
	Schema string `json:"schema"`
	// Machine is null for a platform's document alone.
	Machine  *inventory.Machine `json:"machine" jsonschema:"nullable"`
	Platform nullable.String    `json:"platform" jsonschema:"nullable"`
	Sockets  int                `json:"sockets"`
	// CapacityBytes is that of all processors, the nearest one at or above the requested one.
	CapacityBytes  int64 `json:"capacity_bytes"`
	RequestedBytes int64 `json:"requested_bytes"`
	// Assumed lists what is assumed and not read of a machine.
	Assumed        nullable.String `json:"assumed" jsonschema:"nullable"`
	Configurations []Configuration `json:"configurations"`
}

// Configuration is one way to populate each processor.
type Configuration struct {
	DIMMs []plan.Modules `json:"dimms"`
	// Left is how many installed modules are not used.
	Left int `json:"left"`
	// Slots are locators, BANK/LOCATOR if locators repeat, or channel and slot if no label is known; Also are sets
	// that the vendor calls equally good, OtherSlots the slots of the other processors.
	Slots      []string   `json:"slots"`
	Also       [][]string `json:"also"`
	OtherSlots [][]string `json:"other_slots"`
	// Doubt is the reason why it is not certain which slot is on which channel, Note what firmware states against the
	// capacity.
	Doubt       nullable.String  `json:"doubt" jsonschema:"nullable"`
	Note        nullable.String  `json:"note" jsonschema:"nullable"`
	Class       nullable.String  `json:"class" jsonschema:"nullable"`
	ExpectedMTs *int             `json:"expected_mts" jsonschema:"nullable"`
	PeakBytes   *int64           `json:"peak_bytes_per_second" jsonschema:"nullable"`
	Relative    Relative         `json:"relative_bandwidth"`
	Effects     []verdict.Effect `json:"effects"`
	// Source names the document of the layout, or general practice.
	Source      string         `json:"source"`
	Discouraged bool           `json:"discouraged"`
	Findings    []plan.Failure `json:"findings"`
}

// BuildCapacity makes the document of a planned capacity; sys is nil for a
// platform's document alone.
func BuildCapacity(sys *inventory.System, topo *population.Result, t *plan.Target, requested, bytes int64, ways []plan.Configuration, identifiers bool) Capacity {
	out := Capacity{Schema: SchemaPlan, Platform: nullable.String(t.Platform.ID), Sockets: t.Sockets, CapacityBytes: bytes, RequestedBytes: requested,
		Assumed: nullable.String(t.Assumed), Configurations: []Configuration{}}
	if sys != nil {
		m := buildMachine(&sys.Machine, topo, identifiers)
		out.Machine = &m
	}
	for i := range ways {
		out.Configurations = append(out.Configurations, buildConfiguration(&ways[i]))
	}
	return out
}

func buildConfiguration(c *plan.Configuration) Configuration {
	s := buildReached(&c.Socket)
	return Configuration{DIMMs: c.Modules, Left: c.Left, Slots: c.Slots, Also: neverNil(c.Also), OtherSlots: neverNil(c.Others), Doubt: nullable.String(c.Doubt), Note: nullable.String(c.Note),
		Class: s.Class, ExpectedMTs: s.ExpectedMTs, PeakBytes: s.PeakBytes, Relative: s.Relative, Effects: neverNil(c.Effects), Source: c.Source, Discouraged: c.Discouraged, Findings: neverNil(c.Against)}
}

// SchemaPlan is the schema of a WhatIf, as its "schema" key states it.
const SchemaPlan = "memaudit.plan/v1"

// WhatIf compares a machine with what it would be after some changes of its modules. Before has the running speed of
// the memory, After the expected one.
type WhatIf struct {
	Schema  string            `json:"schema"`
	Machine inventory.Machine `json:"machine"`
	// Platform is the id of the recognised platform.
	Platform     nullable.String `json:"platform" jsonschema:"nullable"`
	Before       Reaches         `json:"before"`
	After        Reaches         `json:"after"`
	FindingsGone []plan.Failure  `json:"findings_gone"`
	FindingsNew  []plan.Failure  `json:"findings_new"`
}

// BuildWhatIf makes the document of a what-if.
func BuildWhatIf(sys *inventory.System, topo *population.Result, o *plan.Outcome, identifiers bool) WhatIf {
	out := WhatIf{Schema: SchemaPlan, Machine: buildMachine(&sys.Machine, topo, identifiers),
		Before: buildReaches(&o.Before), After: buildReaches(&o.After), FindingsGone: neverNil(o.Gone), FindingsNew: neverNil(o.New)}
	if p, ok := topo.Platform.Get(); ok {
		out.Platform = nullable.String(p.ID)
	}
	return out
}
