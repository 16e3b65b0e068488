package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

// board holds the slots of every processor; processors that are the same share a picture.
type board struct {
	Empty         string // why nothing is drawn
	Marked, Steps bool   // there are slots with a problem, and steps
	Sockets       []socket
	Doubts        []string
	Unplaced      string // how many slots are not drawn
}

// socket holds the slots of the first of processors that are the same, and their summary.
type socket struct {
	Title, Processor, Prefix, Line string
	Picture                        *picture
}

func (p *page) boardSection() any {
	ids := p.drawnSockets()
	if len(ids) == 0 {
		return board{Empty: p.noBoard()}
	}
	data := board{Marked: len(p.marked) > 0, Steps: len(p.shownSteps()) > 0, Doubts: text.DescribeDoubts(p.r)}
	var alike humanize.Groups[int]
	for _, id := range ids {
		alike.Add(p.pictureKey(id), id)
	}
	for _, key := range alike.Names {
		data.Sockets = append(data.Sockets, p.socketSection(alike.Of[key]))
	}
	unplaced := 0
	for i := range p.r.Inventory.Slots {
		if p.r.Inventory.Slots[i].Channel == nil {
			unplaced++
		}
	}
	if unplaced > 0 {
		data.Unplaced = humanize.Plural(unplaced, "slot")
	}
	return data
}

// pictureKey returns what the picture of a processor shows, except the labels of its slots.
func (p *page) pictureKey(id int) string {
	if id == report.NoSocket {
		return "not of one processor"
	}
	out := p.processorName(id) + "\n" + p.texts.MemoryLines(id) + "\n"
	d := layoutChannels(p.slotsOfSocket(id))
	for _, c := range d.columns {
		out += fmt.Sprintln(c.controller, c.channel)
		for row, s := range c.cells {
			if s != nil {
				out += fmt.Sprintln(row, cellClass(s), cellSize(s), cellSpeed(s), p.marked[s.Handle.String()])
			}
		}
	}
	for _, s := range p.shownSteps() {
		for end, handle := range []string{s.From, s.To, s.At} {
			if x, y, here := d.badgePosition(handle); here {
				out += fmt.Sprintln(s.Do, end, x, y)
			}
		}
	}
	return out
}

func (p *page) noBoard() string {
	switch {
	case len(p.r.Inventory.Slots) > 0:
		return "The channel of no slot is known; the table of slots says why."
	case p.r.Machine.Virtual.Or(false):
		return "A virtual machine's memory is what the hypervisor grants; its DIMMs are the host's."
	}
	return text.UpperFirst(cmp.Or(p.r.Inventory.WithoutTable(), "the SMBIOS table lists no memory")) + "."
}

// drawnSockets lists what gets a picture: every socket with a processor or a
// placed slot, and the memory outside them.
func (p *page) drawnSockets() []int {
	var ids []int
	for i := range p.r.Inventory.Slots {
		if s := &p.r.Inventory.Slots[i]; s.Channel != nil {
			ids = append(ids, report.SocketID(s.Socket))
		}
	}
	if len(ids) > 0 && !slices.Contains(ids, report.NoSocket) {
		for i := range p.r.Inventory.Sockets {
			ids = append(ids, p.r.Inventory.Sockets[i].ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (p *page) socketSection(ids []int) socket {
	id, slots := ids[0], p.slotsOfSocket(ids[0])
	data := socket{Title: p.texts.Title(ids), Processor: p.processorName(id), Line: strings.ReplaceAll(p.texts.MemoryLines(id), "\n", "; ")}
	if id == report.NoSocket {
		data.Title = "memory of all processors"
	}
	prefix, names := wording.ShortNames(slots)
	if strings.Trim(prefix, " _-:./#") != "" {
		data.Prefix = strings.TrimSpace(prefix)
	}
	if len(slots) > 0 {
		data.Picture = p.drawPicture(data.Title, layoutChannels(slots), names)
	}
	return data
}

func (p *page) processorName(id int) string {
	for i := range p.r.Inventory.Sockets {
		switch s := &p.r.Inventory.Sockets[i]; {
		case s.ID != id:
		case !s.Populated.Or(true):
			return "no processor"
		case s.Brand.Known():
			return wording.ProcessorName(s.Brand.Value)
		}
	}
	return ""
}

func (p *page) slotsOfSocket(id int) []*inventory.Slot {
	var out []*inventory.Slot
	for i := range p.r.Inventory.Slots {
		if s := &p.r.Inventory.Slots[i]; s.Channel != nil && report.SocketID(s.Socket) == id {
			out = append(out, s)
		}
	}
	return out
}

func (p *page) processorNames(ids []int) string {
	return humanize.List(humanize.Each(ids, func(id int) string {
		if id == report.NoSocket {
			return "all processors"
		}
		return p.r.Inventory.SocketName(id)
	}))
}

const adviceTitle = "Steps and result"

// alternative is one advice: its steps, and what each socket has before and after them.
type alternative struct {
	ID, Title string
	Steps     []report.StepLine
	Sockets   *table
	Pairs     []pair
}

func (p *page) adviceSection() any {
	if len(p.r.Advice) == 0 {
		return nil
	}
	var data struct {
		Note         string
		Alternatives []alternative
	}
	if len(p.r.Advice) > 1 && p.r.Advice[1].ID != plan.Settings {
		data.Note = "These are alternatives, the cheapest first: carry out one of them."
		if !p.r.Advice[p.shownAdviceIndex()].ByChannel() {
			data.Note += " The picture shows number " + strconv.Itoa(p.shownAdviceIndex()+1) + "."
		}
	}
	for i := range p.r.Advice {
		a := &p.r.Advice[i]
		cheaper := "" // the first advice explains why there is no cheaper one
		if i == 0 {
			cheaper = p.r.AdviceExpensive
		}
		var cured, failing humanize.Groups[inventory.Subject]
		for _, c := range a.Cures {
			cured.Add(c.Rule, c.Subject)
		}
		for _, f := range a.Reaches.Findings {
			failing.Add(f.Rule+" ("+string(f.Severity)+")", f.Subject)
		}
		out := alternative{ID: string(a.ID), Title: string(a.ID) + ": " + wording.AdviceEffort(a), Steps: report.StepLines(a.Steps, &p.r.Inventory),
			Pairs: nonEmptyPairs("cures", subjectsByRule(&cured), "still fails", subjectsByRule(&failing), "cheaper", cheaper, "source", a.Source)}
		if a.ID != plan.Settings {
			out.Sockets = p.beforeAndAfter(a)
		}
		data.Alternatives = append(data.Alternatives, out)
	}
	return data
}

// notKnown is printed if nothing about a socket's memory is known.
const notKnown = "not known"

func (p *page) beforeAndAfter(a *plan.Advice) *table {
	const nothing = notKnown + "\n" + notKnown
	var alike humanize.Groups[int]
	for i := range a.Reaches.Sockets {
		s := &a.Reaches.Sockets[i]
		id := report.SocketID(s.Socket)
		alike.Add(p.describeBefore(id)+"\n"+reachedText(wording.ReachedSpeed(&s.Reached), s.PeakBytes, &s.Relative), id)
	}
	if !slices.ContainsFunc(alike.Names, func(key string) bool { return key != nothing }) {
		return nil
	}
	t := newTable("CPU", "before", "after")
	for _, key := range alike.Names {
		before, after, _ := strings.Cut(key, "\n")
		t.appendRow(p.processorNames(alike.Of[key]), before, after)
	}
	return t
}

func (p *page) describeBefore(id int) string {
	s := p.r.Inventory.PopulationOf(id)
	if s == nil {
		return notKnown
	}
	speed := ""
	switch running, expected := wording.PrintedRate(s.RunningMTs.Value), wording.PrintedRate(s.ExpectedMTs.Value); {
	case s.RunningMTs.Known() && s.ExpectedMTs.Known():
		speed = running + " MT/s, expected " + expected
	case s.RunningMTs.Known():
		speed = running + " MT/s"
	case s.ExpectedMTs.Known():
		speed = "speed not known, expected " + expected + " MT/s"
	}
	return reachedText(speed, s.PeakBytes.Pointer(), &s.Relative)
}

func reachedText(speed string, peak *int64, share *population.Relative) string {
	best := ""
	if peak != nil {
		best = "peak " + humanize.Bandwidth(*peak)
	}
	return cmp.Or(humanize.Joined(", ", speed, best, wording.PromisedShare(share, false)), notKnown)
}

func subjectsByRule(rules *humanize.Groups[inventory.Subject]) string {
	return joinLines(humanize.Each(rules.Names, func(name string) string { return name + " " + strings.Join(wording.JoinSubjects(rules.Of[name]), ", ") }))
}
