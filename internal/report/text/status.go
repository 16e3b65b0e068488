package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// status returns the pieces of the lines below a grid: used channels, class, speed, bandwidth.
func (d *drawing) status(key int) []string {
	p := d.population(key)
	if p == nil {
		return nil
	}
	out := []string{channelsUsed(p)}
	if p.Class != nil {
		out = append(out, "class "+printable.Clean(*p.Class))
	}
	out = append(out, d.speed(key, p))
	if l := wording.LimitReason(report.OrEmpty(p.Limiter)); l != "" {
		out = append(out, l)
	}
	if p.PeakBytes != nil {
		out = append(out, "peak "+prose.Bandwidth(*p.PeakBytes))
	}
	if s := wording.Share(&p.Relative); s != "" {
		out = append(out, s)
	}
	return out
}

func (d *drawing) population(key int) *report.PopulationSocket {
	for i := range d.inv.Population.Sockets {
		if p := &d.inv.Population.Sockets[i]; wording.SocketID(p.Socket) == key {
			return p
		}
	}
	return nil
}

// channelsUsed returns for example "2 of 3 channels", with '?' for an unknown number.
func channelsUsed(p *report.PopulationSocket) string {
	return countOr(p.ChannelsPopulated) + " of " + countOr(p.ChannelsTotal) + " channels"
}

// countOr returns the number as text, "?" if it is not known.
func countOr(v *int) string {
	if v == nil {
		return "?"
	}
	return strconv.Itoa(*v)
}

// speed returns the running and the expected speed.
func (d *drawing) speed(key int, p *report.PopulationSocket) string {
	running := d.running(key)
	switch {
	case running == nil && p.ExpectedMTs == nil:
		return "speed not known"
	case running == nil:
		return wording.PrintedRate(*p.ExpectedMTs) + " MT/s expected"
	case p.ExpectedMTs == nil && d.passes("memory.speed.expected", key): // nothing can raise it
		return wording.PrintedRate(*running) + " MT/s"
	case p.ExpectedMTs == nil:
		return wording.PrintedRate(*running) + " MT/s (expected ?)"
	}
	s := wording.PrintedRate(*running) + " MT/s"
	if !ddr.SameSpeed(*running, *p.ExpectedMTs) {
		s += " (expected " + wording.PrintedRate(*p.ExpectedMTs) + ")"
	}
	return s
}

// running returns the lowest configured speed in MT/s of the socket's DRAM modules; nil if that of
// one of them is not known, or if there is none.
func (d *drawing) running(key int) *int {
	var lowest *int
	for i := range d.inv.Slots {
		s := &d.inv.Slots[i]
		if wording.SocketID(s.Socket) != key || s.State != string(inventory.SlotPopulated) || report.OrEmpty(s.Technology) != string(inventory.DRAM) {
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

// passes reports whether a rule passed for a socket.
func (d *drawing) passes(rule string, key int) bool {
	return slices.ContainsFunc(d.findings, func(f report.Finding) bool {
		return f.Rule == rule && f.Result == string(verdict.Pass) && f.Subject == "socket "+strconv.Itoa(key)
	})
}

// marks returns in a few words what failed on a socket, for causes above info.
func (d *drawing) marks(key int) []string {
	var out []string
	for _, f := range d.causes(key) {
		out = append(out, printable.Clean(d.mark(f, key)))
	}
	return out
}

// causes returns the failures of a socket above info that follow from no other. For memory outside
// the sockets they are those of the machine that have a word for the picture.
func (d *drawing) causes(key int) []*report.Finding {
	subject := "socket " + strconv.Itoa(key)
	if key == wording.NoSocket {
		subject = "machine"
	}
	var out []*report.Finding
	for i := range d.findings {
		f := &d.findings[i]
		if key == wording.NoSocket && f.Mark == nil {
			continue
		}
		if f.Result == string(verdict.Fail) && f.Subject == subject && f.CausedBy == nil && report.SeverityRank(f.Severity) > 1 {
			out = append(out, f)
		}
	}
	return out
}

// starved returns the handles of slots that a failure wants to be filled: the first slot of each
// channel of the socket without a DIMM.
func (d *drawing) starved(key int) []string {
	p := d.population(key)
	wanted := slices.ContainsFunc(d.causes(key), func(f *report.Finding) bool {
		return strings.Contains(report.OrEmpty(f.Mark), verdict.EmptyChannels)
	})
	if p == nil || !wanted {
		return nil
	}
	first := map[int]*report.Slot{}
	for _, s := range d.placed(key) {
		c := *s.Channel
		if c >= len(p.DIMMsPerChannel) || p.DIMMsPerChannel[c] > 0 || s.State != string(inventory.SlotEmpty) || s.Slot == nil {
			continue
		}
		if first[c] == nil || *s.Slot < *first[c].Slot {
			first[c] = s
		}
	}
	var out []string
	for _, s := range first {
		out = append(out, s.Handle)
	}
	return out
}

// mark returns the rule's own word for a failure of the socket, else the rule's id.
func (d *drawing) mark(f *report.Finding, key int) string {
	if f.Mark == nil {
		return strings.TrimPrefix(f.Rule, "memory.")
	}
	return strings.ReplaceAll(*f.Mark, verdict.EmptyChannels, d.emptyChannels(key))
}

// emptyChannels lists the channels without a DIMM: "channels 2, 5 empty".
func (d *drawing) emptyChannels(key int) string {
	p := d.population(key)
	var empty []string
	if p != nil {
		for c, n := range p.DIMMsPerChannel {
			if n == 0 {
				empty = append(empty, strconv.Itoa(c))
			}
		}
	}
	switch len(empty) {
	case 0:
		return "channels empty"
	case 1:
		return "channel " + empty[0] + " empty"
	default:
		return "channels " + strings.Join(empty, ", ") + " empty"
	}
}

// failedSlots returns the handles of slots that are the subject of a failure: "slot 0x1101
// (DIMM_A4)".
func failedSlots(findings []report.Finding) []string {
	var out []string
	for i := range findings {
		f := &findings[i]
		rest, ok := strings.CutPrefix(f.Subject, "slot ")
		if !ok || f.Result != string(verdict.Fail) {
			continue
		}
		h, _, _ := strings.Cut(rest, " ")
		out = append(out, h)
	}
	return out
}

// drawing is what the blocks of one machine have in common.
type drawing struct {
	inv      *report.Inventory
	findings []report.Finding
	// room is the number of columns that a block may take.
	room int
	// many is true if there are more than two blocks, which are then kept narrow. wide is true if
	// blocks are printed below each other.
	many, wide bool
	// failed has the handles of slots that a failure is about, and of empty slots that it wants to
	// be filled.
	failed []string
}

// placed returns the slots of one socket whose channel is known.
func (d *drawing) placed(key int) []*report.Slot {
	var out []*report.Slot
	for i := range d.inv.Slots {
		if s := &d.inv.Slots[i]; s.Channel != nil && wording.SocketID(s.Socket) == key {
			out = append(out, s)
		}
	}
	return out
}
