package html

import (
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// adviceTitle is the heading of what the report advises.
const adviceTitle = "Steps and result"

// advice says what to do: the alternatives for the population with their steps,
// what each socket has before and after them, and the BIOS settings beside them.
func (p *pageWriter) advice() {
	if len(p.r.Advice) > 1 && p.r.Advice[1].ID != report.AdviceSettings {
		p.note("These are alternatives, the cheapest first: carry out one of them. The picture shows number " + strconv.Itoa(p.shown()+1) + ".")
	}
	for i := range p.r.Advice {
		p.alternative(&p.r.Advice[i], i == 0)
	}
}

// alternative is one advice; with the first stands why there is none cheaper.
func (p *pageWriter) alternative(a *report.Advice, first bool) {
	p.Open("div", markup.Class("advice"), attr("data-advice", a.ID))
	defer p.Close()
	p.Element("h3", a.ID+": "+wording.Effort(a))
	p.Open("ol")
	for _, line := range report.Steps(a.Steps, &p.r.Inventory) {
		p.Element("li", line.Text)
	}
	p.Close()
	if a.ID != report.AdviceSettings {
		p.beforeAndAfter(a)
	}
	p.Open("dl")
	p.pair("cures", curedRules(a.Cures))
	p.pair("still fails", remaining(a.Reaches.Findings))
	if first && p.r.AdviceDear != "" {
		p.pair("cheaper", p.r.AdviceDear)
	}
	p.pair("source", a.Source)
	p.Close()
}

// notKnown stands where nothing of a socket's memory is known.
const notKnown = "not known"

// beforeAndAfter is what each socket has now and after the steps, where anything of
// it is known.
func (p *pageWriter) beforeAndAfter(a *report.Advice) {
	of := func(i int) (id int, before, after string) {
		s := &a.Reaches.Sockets[i]
		id = wording.SocketID(s.Socket)
		return id, p.before(id), reached(wording.ReachedSpeed(s), s.PeakBytes, &s.Relative)
	}
	sockets, known := len(a.Reaches.Sockets), false
	for i := range sockets {
		_, before, after := of(i)
		known = known || before != notKnown || after != notKnown
	}
	if !known {
		return
	}
	t := p.table("CPU", "before", "after")
	for _, alike := range alikeNumbers(sockets, func(i int) string {
		_, before, after := of(i)
		return before + "\n" + after
	}) {
		ids := make([]int, len(alike))
		for n, i := range alike {
			ids[n], _, _ = of(i)
		}
		_, before, after := of(alike[0])
		t.row(p.names(ids), before, after)
	}
	t.end()
}

// before is what a socket has now.
func (p *pageWriter) before(id int) string {
	s := p.population(id)
	if s == nil {
		return notKnown
	}
	speed, running := "", p.texts.Running(id)
	if running != nil || s.ExpectedMTs != nil {
		speed = speedText(running, s.ExpectedMTs)
	}
	return reached(speed, s.PeakBytes, &s.Relative)
}

// reached is a socket's memory in a few words.
func reached(speed string, peak *int64, share *report.Relative) string {
	var parts []string
	if speed != "" {
		parts = append(parts, speed)
	}
	if peak != nil {
		parts = append(parts, "peak "+prose.Bandwidth(*peak))
	}
	if says := wording.Promised(share, false); says != "" {
		parts = append(parts, says)
	}
	if len(parts) == 0 {
		return notKnown
	}
	return strings.Join(parts, ", ")
}

// curedRules names each rule once, with what it no longer fails on.
func curedRules(list []report.Cured) string {
	names, subjects := make([]string, len(list)), make([]string, len(list))
	for i, c := range list {
		names[i], subjects[i] = c.Rule, c.Subject
	}
	return byRule(names, subjects)
}

func remaining(list []report.Remaining) string {
	names, subjects := make([]string, len(list)), make([]string, len(list))
	for i, f := range list {
		names[i], subjects[i] = f.Rule+" ("+f.Severity+")", f.Subject
	}
	return byRule(names, subjects)
}

// byRule writes each name once, with its subjects.
func byRule(names, subjects []string) string {
	var order []string
	of := map[string][]string{}
	for i, name := range names {
		if of[name] == nil {
			order = append(order, name)
		}
		of[name] = append(of[name], subjects[i])
	}
	for i, name := range order {
		order[i] = name + " " + strings.Join(wording.Subjects(of[name]), ", ")
	}
	return joined(order)
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
