package html

import (
	"strconv"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// status are the words below a picture: channels in use, class, speed, peak.
func (p *pageWriter) status(id int, pop *report.PopulationSocket) []string {
	out := []string{orUnknown(pop.ChannelsPopulated) + " of " + orUnknown(pop.ChannelsTotal) + " channels in use"}
	if pop.Class != nil {
		out = append(out, "class "+*pop.Class)
	}
	out = append(out, speedText(p.running(id), pop.ExpectedMTs))
	if limit := wording.LimitReason(report.OrEmpty(pop.Limiter)); limit != "" {
		out = append(out, limit)
	}
	if pop.PeakBytes != nil {
		out = append(out, "peak "+prose.Bandwidth(*pop.PeakBytes))
	}
	return out
}

// orUnknown is the number, "?" when it is not known.
func orUnknown(v *int) string {
	if v == nil {
		return "?"
	}
	return strconv.Itoa(*v)
}

// speedText says how fast the modules run and how fast they should.
func speedText(running, expected *int) string {
	switch {
	case running == nil && expected == nil:
		return "speed not known"
	case running == nil:
		return "speed not known, expected " + wording.PrintedRate(*expected) + " MT/s"
	case expected == nil:
		return wording.PrintedRate(*running) + " MT/s"
	default:
		return wording.PrintedRate(*running) + " MT/s, expected " + wording.PrintedRate(*expected)
	}
}

// running is the lowest configured speed of a socket's modules, nil as soon as
// one of them does not say.
func (p *pageWriter) running(id int) *int {
	var lowest *int
	for i := range p.r.Inventory.Slots {
		s := &p.r.Inventory.Slots[i]
		if wording.SocketID(s.Socket) != id || s.State != string(inventory.SlotPopulated) || report.OrEmpty(s.Technology) != string(inventory.DRAM) {
			continue
		}
		if s.ConfiguredMTs == nil {
			return nil
		}
		if lowest == nil || *s.ConfiguredMTs < *lowest {
			lowest = s.ConfiguredMTs
		}
	}
	return lowest
}
