package html

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
	"memaudit.example/memaudit/internal/topology/population"
)

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
		out := alternative{ID: string(a.ID), Title: string(a.ID) + ": " + wording.AdviceEffort(a), Steps: report.StepLines(a.Steps, &p.r.Inventory),
			Pairs: nonEmptyPairs("cures", curedRules(a.Cures), "still fails", remainingRules(a.Reaches.Findings), "cheaper", cheaper, "source", a.Source)}
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
	var alike wording.Groups[int]
	for i := range a.Reaches.Sockets {
		s := &a.Reaches.Sockets[i]
		id := wording.SocketID(s.Socket)
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
	s := wording.FindPopulation(&p.r.Inventory, id)
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

func curedRules(list []verdict.Ref) string {
	var rules wording.Groups[inventory.Subject]
	for _, c := range list {
		rules.Add(c.Rule, c.Subject)
	}
	return subjectsByRule(&rules)
}

func remainingRules(list []plan.Failure) string {
	var rules wording.Groups[inventory.Subject]
	for _, f := range list {
		rules.Add(f.Rule+" ("+string(f.Severity)+")", f.Subject)
	}
	return subjectsByRule(&rules)
}

func subjectsByRule(rules *wording.Groups[inventory.Subject]) string {
	return joinLines(wording.Each(rules.Names, func(name string) string { return name + " " + strings.Join(wording.JoinSubjects(rules.Of[name]), ", ") }))
}
