package report

import (
	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/nullable"
	"github.com/memaudit/memaudit/internal/topology/place"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// nowhere is the placement of a slot that was not derived.
func nowhere() place.Placement {
	return place.Placement{
		Socket:     place.Unplaced,
		Controller: place.Unplaced,
		Channel:    place.Unplaced,
		Slot:       place.Unplaced,
		Reason:     "slots were not mapped",
	}
}

func buildSlots(in []inventory.Slot, topo *population.Result, o *Options) []Slot {
	places := topo.Placements
	out := make([]Slot, 0, len(in))
	documented := ""
	if pf, known := topo.Platform.Get(); known && o.Rules != nil {
		documented = plan.PlatformMemory(o.Rules, pf.ID)
	}
	for i := range in {
		at := nowhere()
		if i < len(places) {
			at = places[i]
		}
		slot := buildSlot(&in[i])
		slot.Socket, slot.Controller = coordinate(at.Socket), coordinate(at.Controller)
		slot.Channel, slot.Slot = coordinate(at.Channel), coordinate(at.Slot)
		slot.Mapping = buildMapping(&at)
		if i < len(topo.Errors) && topo.Errors[i].By != "" {
			slot.Errors = buildErrors(topo.Errors[i])
		}
		slot.Memory = purchaseType(&in[i], documented)
		if o.Identifiers {
			slot.Serial, slot.AssetTag = in[i].Serial, in[i].AssetTag
		}
		out = append(out, slot)
	}
	return out
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

func buildSlot(s *inventory.Slot) Slot {
	out := Slot{
		Handle:         inventory.HandleText(s.Handle),
		Locator:        stated(s.Locator),
		BankLocator:    stated(s.BankLocator),
		State:          string(s.State),
		SizeBytes:      positive(s.SizeBytes),
		Type:           stated(s.Type),
		FormFactor:     stated(s.FormFactor),
		Registered:     boolOrNil(s.Registered),
		NonVolatile:    boolOrNil(s.NonVolatile),
		Ranks:          positive(s.Ranks),
		DataWidthBits:  positive(s.DataWidth),
		TotalWidthBits: positive(s.TotalWidth),
		RatedMTs:       positive(s.RatedMTs),
		ConfiguredMTs:  positive(s.ConfiguredMTs),
		ConfiguredMV:   positive(s.ConfiguredMV),
		Manufacturer:   stated(s.Manufacturer),
		PartNumber:     stated(s.PartNumber),
		Health:         stated(s.Health),
	}
	if out.State == "" {
		out.State = string(inventory.SlotUnknown)
	}
	if t, ok := s.Technology.Get(); ok {
		out.Technology = nullable.String(string(t))
	}
	return out
}

// buildErrors is nil if nothing was counted.
func buildErrors(e *place.Errors) *Errors {
	out := &Errors{Corrected: number(e.Corrected), Uncorrected: number(e.Uncorrected), CountedSeconds: number(e.CountedSeconds),
		Source: inventory.SourceEDAC, By: e.By}
	switch e.By {
	case place.ByController:
		out.Source = inventory.SourceRedfish
	case place.ByLog:
		out.Source = inventory.SourceKernelLog
	}
	if out.Corrected == nil && out.Uncorrected == nil {
		return nil
	}
	return out
}

// buildUnplacedErrors leaves zeroes out: nothing happened there.
func buildUnplacedErrors(in []place.UnplacedErrors) []UnplacedErrors {
	var out []UnplacedErrors
	for i := range in {
		if e := buildErrors(&in[i].Errors); e != nil && in[i].Corrected.Or(0)+in[i].Uncorrected.Or(0) > 0 {
			out = append(out, UnplacedErrors{Label: in[i].Label, Errors: *e})
		}
	}
	return out
}

func buildMapping(at *place.Placement) Mapping {
	m := Mapping{Source: nullable.String(at.Source), Reason: nullable.String(at.Reason), Doubt: nullable.String(at.Doubt)}
	if m.Source != "" {
		m.Certainty = nullable.String(at.Certainty.String())
	} else if m.Reason == "" {
		m.Reason = nullable.String("nothing says where the slot is")
	}
	return m
}

func buildPopulation(topo *population.Result) Population {
	out := Population{
		Sockets:   make([]PopulationSocket, 0, len(topo.Populations)),
		Symmetric: boolOrNil(topo.Symmetric),
	}
	for i := range topo.Populations {
		out.Sockets = append(out.Sockets, buildPopulationSocket(&topo.Populations[i]))
	}
	return out
}

func buildPopulationSocket(p *population.Population) PopulationSocket {
	out := PopulationSocket{
		Socket:            coordinate(p.Socket),
		DIMMs:             number(p.DIMMs),
		ChannelsTotal:     positive(p.ChannelsTotal),
		ChannelsPopulated: number(p.ChannelsPopulated),
		DIMMsPerChannel:   []int{},
		Regions:           []Region{},
		PeakBytes:         positive(p.Peak),
		BestBytes:         positive(p.Best),
		RunningMTs:        positive(p.RunningMTs),
		Relative:          buildRelative(p.Relative),
	}
	if dpc, ok := p.DPC.Get(); ok {
		out.DIMMsPerChannel = neverNil(dpc)
	}
	if regions, ok := p.Regions.Get(); ok {
		for _, r := range regions {
			out.Regions = append(out.Regions, Region{Bytes: r.Bytes, Ways: r.Ways})
		}
	}
	if class, ok := p.Class.Get(); ok {
		out.Class = nullable.String(class.Name)
	}
	if speed, ok := p.Speed.Get(); ok {
		out.ExpectedMTs, out.Limiter = positiveOrNil(speed.MTs), nullable.String(speed.Limiter)
	}
	return out
}

func buildRelative(f fact.Fact[population.Share]) Relative {
	share, ok := f.Get()
	if !ok {
		return Relative{}
	}
	out := Relative{Value: share.Value, Low: &share.Low, High: &share.High, Source: nullable.String(share.Source()),
		Unverified: f.Unverified, ByChannels: share.ByChannels()}
	if share.Document == "" {
		out.Note = share.Note
	}
	return out
}
