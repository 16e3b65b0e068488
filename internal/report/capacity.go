package report

import (
	"memaudit.example/memaudit/internal/advice/plan"
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
	Assumed        nullable.String      `json:"assumed" jsonschema:"nullable"`
	Configurations []plan.Configuration `json:"configurations"`
}

// BuildCapacity makes the document of a planned capacity; sys is nil for a
// platform's document alone.
func BuildCapacity(sys *inventory.System, topo *population.Result, t *plan.Target, requested, bytes int64, ways []plan.Configuration, identifiers bool) Capacity {
	out := Capacity{Schema: SchemaPlan, Platform: nullable.String(t.Platform.ID), Sockets: t.Sockets, CapacityBytes: bytes, RequestedBytes: requested,
		Assumed: nullable.String(t.Assumed), Configurations: ways}
	if sys != nil {
		m := buildMachine(&sys.Machine, topo, identifiers)
		out.Machine = &m
	}
	return out
}

// SchemaPlan is the schema of a WhatIf, as its "schema" key states it.
const SchemaPlan = "memaudit.plan/v1"

// WhatIf compares a machine with what it would be after some changes of its modules.
type WhatIf struct {
	Schema  string            `json:"schema"`
	Machine inventory.Machine `json:"machine"`
	// Platform is the id of the recognised platform.
	Platform nullable.String `json:"platform" jsonschema:"nullable"`
	plan.Outcome
	// Sockets are the machine's, for their names in the text.
	Sockets []inventory.Socket `json:"-"`
}

// BuildWhatIf makes the document of a what-if.
func BuildWhatIf(sys *inventory.System, topo *population.Result, o *plan.Outcome, identifiers bool) WhatIf {
	out := WhatIf{Schema: SchemaPlan, Machine: buildMachine(&sys.Machine, topo, identifiers), Outcome: *o, Sockets: sys.Sockets}
	if p, ok := topo.Platform.Get(); ok {
		out.Platform = nullable.String(p.ID)
	}
	return out
}
