package report

import (
	"slices"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

func buildSlots(in []inventory.Slot, topo *population.Result, o *Options) []inventory.Slot {
	out := slices.Clone(in)
	documented := ""
	if pf, known := topo.Platform.Get(); known && o.Rules != nil {
		documented = plan.PlatformMemory(o.Rules, pf.ID)
	}
	for i := range out {
		s, at := &out[i], place.Placement{Socket: place.Unplaced, Controller: place.Unplaced, Channel: place.Unplaced, Slot: place.Unplaced, Reason: "slots were not mapped"}
		if i < len(topo.Placements) {
			at = topo.Placements[i]
		}
		s.Place = inventory.Place{Socket: nullable.Coordinate(at.Socket), Controller: nullable.Coordinate(at.Controller), Channel: nullable.Coordinate(at.Channel),
			Slot: nullable.Coordinate(at.Slot), Mapping: buildMapping(&at)}
		if i < len(topo.Errors) && (topo.Errors[i].By != "" || topo.Errors[i].Log != nil) {
			s.Errors = buildErrors(topo.Errors[i])
		}
		s.Memory = purchaseType(s, documented)
		if !o.Identifiers {
			s.Serial, s.AssetTag = "", ""
		}
	}
	return neverNil(out)
}

// purchaseType is the kind of memory that advice names for a module to buy like this one, if that differs from
// firmware's; documented is what the platform takes.
func purchaseType(s *inventory.Slot, documented string) string {
	if documented == "" || s.State != inventory.SlotPopulated || !s.Type.Known() || s.Technology.Or("") != inventory.DRAM {
		return ""
	}
	if kind := plan.MemoryKind(documented, s); kind != s.Type.Value {
		return kind
	}
	return ""
}

func buildErrors(e *place.Errors) *place.Errors {
	counted := e.Corrected.Known() || e.Uncorrected.Known()
	if !counted && e.Log == nil {
		return nil
	}
	out := *e
	switch {
	case e.By == place.ByController, e.By == place.ByEvents && e.Uncorrected.From.Source != inventory.SourceEDAC, !counted:
		out.Source = inventory.SourceRedfish
	case e.By == place.ByLog:
		out.Source = inventory.SourceKernelLog
	default:
		out.Source = inventory.SourceEDAC
	}
	return &out
}

// buildUnplacedErrors leaves zeroes out: nothing happened there.
func buildUnplacedErrors(in []place.UnplacedErrors) []place.UnplacedErrors {
	var out []place.UnplacedErrors
	for _, u := range in {
		if e := buildErrors(&u.Errors); e != nil && (u.Any() || u.Log != nil) {
			u.Errors = *e
			out = append(out, u)
		}
	}
	return out
}

func buildMapping(at *place.Placement) inventory.Mapping {
	m := inventory.Mapping{Source: nullable.String(at.Source), Reason: nullable.String(at.Reason), Doubt: nullable.String(at.Doubt)}
	if m.Source != "" {
		m.Certainty = &at.Certainty
	} else if m.Reason == "" {
		m.Reason = nullable.String("nothing says where the slot is")
	}
	return m
}

func buildPopulation(topo *population.Result) Population {
	out := Population{
		Sockets:   make([]PopulationSocket, 0, len(topo.Populations)),
		Symmetric: topo.Symmetric.Pointer(),
	}
	for i := range topo.Populations {
		out.Sockets = append(out.Sockets, buildPopulationSocket(&topo.Populations[i]))
	}
	return out
}

func buildPopulationSocket(p *population.Population) PopulationSocket {
	return PopulationSocket{
		Socket:            nullable.Coordinate(p.Socket),
		DIMMs:             p.DIMMs,
		ChannelsTotal:     aboveZero(p.ChannelsTotal),
		ChannelsPopulated: p.ChannelsPopulated,
		DIMMsPerChannel:   neverNil(p.DPC.Or(nil)),
		Regions:           neverNil(p.Regions.Or(nil)),
		Class:             nullable.String(p.Class.Or(population.Class{}).Name),
		ExpectedMTs:       aboveZero(fact.Convert(p.Speed, func(s population.Speed) int { return s.MTs })),
		Limiter:           p.Speed.Or(population.Speed{}).Limiter,
		PeakBytes:         aboveZero(p.Peak),
		BestBytes:         aboveZero(p.Best),
		RunningMTs:        aboveZero(p.RunningMTs),
		Relative:          population.RelativeOf(p.Relative),
		ChannelNames:      p.ChannelNames,
	}
}
