package report

import (
	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Capacity lists the ways to populate a capacity, best first. Figures of a
// configuration are of one processor (of the chipset on a front-side bus); the
// others are populated alike.
type Capacity struct {
	Schema string `json:"schema"`
	// Machine is null for a platform's document alone.
	Machine  *Machine        `json:"machine"`
	Platform nullable.String `json:"platform"`
	Sockets  int             `json:"sockets"`
	// CapacityBytes is that of all processors.
	CapacityBytes int64 `json:"capacity_bytes"`
	// Assumed lists what is assumed and not read of a machine.
	Assumed        nullable.String `json:"assumed"`
	Configurations []Configuration `json:"configurations"`
}

// Configuration is one way to populate each processor.
type Configuration struct {
	DIMMs []DIMMs `json:"dimms"`
	// Slots are locators, BANK/LOCATOR if locators repeat, or channel and slot if no label is known; Also are sets
	// that the vendor calls equally good.
	Slots       []string         `json:"slots"`
	Also        [][]string       `json:"also"`
	Class       nullable.String  `json:"class"`
	ExpectedMTs *int             `json:"expected_mts"`
	PeakBytes   *int64           `json:"peak_bytes_per_second"`
	Relative    Relative         `json:"relative_bandwidth"`
	Effects     []verdict.Effect `json:"effects"`
	// Source names the document of the layout, or general practice.
	Source      string         `json:"source"`
	Discouraged bool           `json:"discouraged"`
	Findings    []plan.Failure `json:"findings"`
}

// DIMMs are equal modules; Ranks is null when it is free.
type DIMMs struct {
	SizeBytes int64 `json:"size_bytes"`
	Ranks     *int  `json:"ranks"`
	Count     int   `json:"count"`
}

// BuildCapacity makes the document of a planned capacity; sys is nil for a
// platform's document alone.
func BuildCapacity(sys *inventory.System, topo *population.Result, t *plan.Target, bytes int64, ways []plan.Configuration, identifiers bool) Capacity {
	out := Capacity{Schema: SchemaPlan, Platform: nullable.String(t.Platform.ID), Sockets: t.Sockets, CapacityBytes: bytes,
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
	out := Configuration{DIMMs: []DIMMs{}, Slots: c.Slots, Also: c.Also, Class: s.Class, ExpectedMTs: s.ExpectedMTs, PeakBytes: s.PeakBytes,
		Relative: s.Relative, Effects: neverNil(c.Effects), Source: c.Source, Discouraged: c.Discouraged, Findings: neverNil(c.Against)}
	if out.Also == nil {
		out.Also = [][]string{}
	}
	for _, m := range c.Modules {
		out.DIMMs = append(out.DIMMs, DIMMs{SizeBytes: m.Bytes, Ranks: positiveOrNil(m.Ranks), Count: m.Count})
	}
	return out
}

// SchemaPlan is the schema of a WhatIf, as its "schema" key states it.
const SchemaPlan = "memaudit.plan/v1"

// WhatIf compares a machine with what it would be after some changes of its modules. Before has the running speed of
// the memory, After the expected one.
type WhatIf struct {
	Schema  string  `json:"schema"`
	Machine Machine `json:"machine"`
	// Platform is the id of the recognised platform.
	Platform     nullable.String `json:"platform"`
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
