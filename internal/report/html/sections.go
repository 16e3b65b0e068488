package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

type findings struct {
	ID, Title string
	Findings  []finding
}

type finding struct {
	*verdict.Finding
	ID, Class, Word, Brief string
	Pairs                  []pair
	Evidence               string
	Readings               []readings
}

// readings are what was read from one source and file.
type readings struct {
	From string
	Raw  []string
}

func (p *page) findingsSection() any {
	out := []findings{}
	for _, kind := range [...]struct {
		result verdict.Result
		title  string
	}{
		{verdict.Fail, "Failed"}, {verdict.Error, "Rules that could not be evaluated"}, {verdict.Unknown, "Not known"}, {verdict.Waived, "Accepted"},
		{verdict.Pass, "Passed"}, {verdict.NotApplicable, "Not applicable"},
	} {
		group := findings{ID: string(kind.result), Title: kind.title}
		for i := range p.r.Findings {
			if p.r.Findings[i].Result == kind.result {
				group.Findings = append(group.Findings, p.findingData(i))
			}
		}
		if kind.result == verdict.Fail { // the worst first
			slices.SortStableFunc(group.Findings, func(a, b finding) int {
				return cmp.Compare(report.SeverityRank(b.Severity), report.SeverityRank(a.Severity))
			})
		}
		if len(group.Findings) > 0 {
			out = append(out, group)
		}
	}
	return out
}

func findingID(i int) string { return "finding-" + strconv.Itoa(i) }

// findingData returns what is shown of a finding. A failure leads with its severity and has its colour, the others with
// their result.
func (p *page) findingData(i int) finding {
	f := &p.r.Findings[i]
	out := finding{Finding: f, ID: findingID(i), Class: string(f.Result), Word: strings.ReplaceAll(string(f.Result), "_", " "), Brief: string(f.Reason), Readings: groupReadings(f.Evidence)}
	if f.Result == verdict.Fail {
		out.Class, out.Word = string(f.Severity), string(f.Severity)
	}
	if f.Result == verdict.Fail || f.Result == verdict.Waived {
		out.Brief = string(f.Found)
	}
	out.Pairs = particulars(f, out.Brief)
	out.Evidence = "evidence: " + humanize.Plural(len(f.Evidence), "reading") + ", " + f.Certainty.String()
	return out
}

// particulars returns the labelled lines of a finding, except the one that its first lines contain.
func particulars(f *verdict.Finding, brief string) []pair {
	found, reason := string(f.Found), string(f.Reason)
	if found == brief {
		found = ""
	}
	if reason == brief {
		reason = ""
	}
	out := nonEmptyPairs("rule", string(f.Title), "found", found, "expected", string(f.Expected), "reason", reason, "known by", string(f.KnownBy),
		"why", string(f.Why), "costs", wording.DescribeCost(f.Effect), "fix", string(f.Remedy))
	if len(f.Advice) > 0 {
		out = append(out, pair{"advice", link{Text: strings.Join(f.Advice, " or ") + ", in " + adviceTitle, ID: "advice"}})
	}
	out = append(out, nonEmptyPairs("follows from", f.CauseText(), "accepted", wording.DescribeWaiver(f.Waiver))...)
	if f.Citation != nil {
		out = append(out, pair{"source", citationLink(f.Citation)})
	}
	return out
}

// groupReadings lists the readings of a finding: each source and file once, and below it what was read there.
func groupReadings(all []fact.Evidence) []readings {
	var out []readings
	for _, e := range all {
		if from := strings.TrimSpace(e.Source + " " + e.Path); len(out) == 0 || from != out[len(out)-1].From {
			out = append(out, readings{From: from})
		}
		last := &out[len(out)-1]
		last.Raw = append(last.Raw, e.Reading())
	}
	return out
}

type problem struct {
	Number         int
	Severity, Text string
	Rule           link
	Settings       *table
	Pairs          []pair
}

func (p *page) problemsSection() any {
	var data struct{ Problems, Notes []problem }
	for i := range p.r.Problems {
		pr := &p.r.Problems[i]
		out := problem{Number: i + 1, Severity: string(pr.Severity), Text: text.Statement(pr), Rule: link{Text: pr.Rule}, Settings: problemSettings(pr)}
		if len(pr.Members) > 0 {
			out.Rule = p.ruleLink(pr.Rule, pr.Members[0])
		}
		if !pr.IsAboveNote() {
			if fix := fixOutsideTable(pr, pr.Fix); showsTable(pr) && fix != "" {
				out.Text += " (" + fix + ")"
			}
			data.Notes = append(data.Notes, out)
			continue
		}
		out.Pairs = nonEmptyPairs("Fix", fixOutsideTable(pr, text.ProblemFix(p.r, i)))
		if source := pr.SourceLine(); source != "" {
			url := ""
			if len(pr.Members) > 0 && pr.Members[0].Citation != nil {
				url = string(pr.Members[0].Citation.URL)
			}
			out.Pairs = append(out.Pairs, pair{"Source", webLink(source, url)})
		}
		data.Problems = append(data.Problems, out)
	}
	for i := range p.r.Findings {
		// What differs on purpose is explained.
		if f := &p.r.Findings[i]; f.Explains && f.Result == verdict.Pass {
			data.Notes = append(data.Notes, problem{Text: text.UpperFirst(string(f.Found)), Rule: p.ruleLink(f.Rule, f)})
		}
	}
	if len(data.Problems)+len(data.Notes) == 0 {
		return nil
	}
	return data
}

func showsTable(pr *report.Problem) bool { return pr.Settings() && len(pr.Members) > 1 }

func problemSettings(pr *report.Problem) *table {
	if !showsTable(pr) {
		return nil
	}
	t := newTable("setting", "current", "recommended", "severity", "how")
	for _, f := range pr.Members {
		way, _ := firstRemedyLine(f)
		t.appendRow(f.Subject.Name, verdict.WithoutBrackets(string(f.Found)), string(f.Expected), string(f.Severity), way)
	}
	return t
}

func firstRemedyLine(f *verdict.Finding) (way string, more bool) {
	way, _, more = strings.Cut(string(f.Remedy), "\n")
	return way, more
}

// fixOutsideTable returns a problem's fix, "" if the table of its settings has the same.
func fixOutsideTable(pr *report.Problem, fix string) string {
	if showsTable(pr) && !slices.ContainsFunc(pr.Members, func(f *verdict.Finding) bool {
		way, more := firstRemedyLine(f)
		return way == "" || more || !strings.Contains(fix, way)
	}) {
		return ""
	}
	return fix
}

func (p *page) ruleLink(rule string, f *verdict.Finding) link {
	i := slices.IndexFunc(p.r.Findings, func(o verdict.Finding) bool { return o.Rule == f.Rule && o.Subject == f.Subject })
	return link{Text: rule, ID: findingID(max(i, 0))}
}

func (p *page) slotsSection() any {
	all := p.r.Inventory.Slots
	if len(all) == 0 {
		return nil
	}
	t := newTable("slot", "handle", "place", "holds", "speed", "module", "mapped by")
	for i := range all {
		s := &all[i]
		t.appendRow(cmp.Or(s.Locator.Text(), "-")+wording.InBrackets(s.BankLocator.Text()), s.Handle.String(),
			slotPlace(s), slotHolds(s), slotSpeeds(s), slotModule(s), slotMapping(s))
	}
	return plain{Folded: []folded{{Summary: humanize.Plural(len(all), "slot"), Table: t}}}
}

func slotPlace(s *inventory.Slot) string {
	var parts []string
	for _, c := range [...]struct {
		name  string
		value *int
	}{{"socket ", s.Socket}, {"controller ", s.Controller}, {"channel ", s.Channel}, {"slot ", s.Slot}} {
		if c.value != nil {
			parts = append(parts, c.name+strconv.Itoa(*c.value))
		}
	}
	return cmp.Or(joinLines(parts), notKnown)
}

func slotHolds(s *inventory.Slot) string {
	only := func(word string, is bool) string { return map[bool]string{true: word}[is] }
	return humanize.Joined("; ", cellSize(s), wording.MemoryReported(s), strings.TrimPrefix(s.Technology.Text(), string(inventory.DRAM)), s.FormFactor.Text(),
		fact.Convert(s.Ranks, func(n int) string { return humanize.Plural(n, "rank") }).Text(),
		only(s.TotalWidth.Text()+"/"+s.DataWidth.Text()+" bits", s.DataWidth.Known() && s.TotalWidth.Known()),
		only("registered", s.Registered.Or(false)), only("non-volatile", s.NonVolatile.Or(false)))
}

func slotSpeeds(s *inventory.Slot) string {
	inUnit := func(before, unit string) func(int) string {
		return func(n int) string { return before + wording.PrintedRate(n) + unit }
	}
	return cmp.Or(humanize.Joined("; ", fact.Convert(s.ConfiguredMTs, inUnit("", " MT/s")).Text(), fact.Convert(s.RatedMTs, inUnit("rated ", " MT/s")).Text(),
		fact.Convert(s.ConfiguredMV, func(mv int) string { return strconv.Itoa(mv) + " mV" }).Text(), wording.DescribeErrors(s.Errors)), "-")
}

func slotModule(s *inventory.Slot) string {
	health := fact.Convert(s.Health, func(h inventory.Health) string { return "health " + string(h) }).Text()
	return cmp.Or(humanize.Joined("; ", s.Manufacturer.Text(), s.PartNumber.Text(), s.Serial, s.AssetTag, health), "-")
}

func slotMapping(s *inventory.Slot) string {
	if s.Mapping.Source == "" {
		return "not mapped: " + string(s.Mapping.Reason)
	}
	out := string(s.Mapping.Source)
	if s.Mapping.Certainty != nil {
		out += wording.InBrackets(s.Mapping.Certainty.String())
	}
	if s.Mapping.Doubt != "" {
		out += ", doubted: " + string(s.Mapping.Doubt)
	}
	return out
}

// sourcesSection has what the machine was checked against, what was read, and the documents that the findings name.
func (p *page) sourcesSection() any {
	data := map[string]any{"Facts": p.machineFacts(), "Documents": p.documentLinks(), "Abbreviations": p.abbreviations, "Unmapped": p.r.Inventory.Unmapped, "Notices": p.r.Notices}
	if all := p.r.Inventory.Sources; len(all) > 0 {
		t := newTable("source", "state", "detail")
		var incomplete []string
		for _, s := range all {
			if s.State != fact.SourceOK {
				incomplete = append(incomplete, s.Name+" "+string(s.State))
			}
			t.appendRow(s.Name, string(s.State), textOrDash(s.Detail))
		}
		data["Sources"] = folded{Summary: humanize.Plural(len(all), "source") + wording.InBrackets(strings.Join(incomplete, ", ")), Table: t}
	}
	return data
}

func (p *page) documentLinks() []link {
	var out []link
	seen := map[string]bool{}
	for i := range p.r.Findings {
		c := p.r.Findings[i].Citation
		if c == nil || p.r.Findings[i].Result == "not_applicable" || seen[c.Line()] {
			continue
		}
		seen[c.Line()] = true
		out = append(out, citationLink(c))
	}
	return out
}

func (p *page) baselineSection() any {
	b := p.r.Baseline
	switch {
	case b == nil:
		return nil
	case b.Comparable != nil && !*b.Comparable:
		return plain{Text: p.r.Incomparable()}
	case len(b.Changes) == 0 && b.Comparable != nil:
		return plain{Text: "Nothing differs."}
	case len(b.Changes) == 0:
		return plain{Text: "Nothing that could be compared differs; some could not."}
	}
	t := newTable("subject", "change", "accepted", "present")
	for _, c := range b.Changes {
		t.appendRow(c.Subject.String(), c.Kind, c.Accepted, c.Present)
	}
	return plain{Table: t}
}

func (p *page) profilesSection() any {
	c := p.r.Compared
	if c == nil {
		return nil
	}
	var data plain
	if len(c.Profiles) == 0 {
		data.Text = "None: " + string(c.Why)
	}
	for i := range c.Profiles {
		data.Folded = append(data.Folded, comparisonDetails(&c.Profiles[i]))
	}
	for _, u := range c.Undecided {
		data.Notes = append(data.Notes, u.ID+": "+u.Reason)
	}
	return data
}

func comparisonDetails(h *verdict.HeldProfile) folded {
	summary := h.ID + ": " + strconv.Itoa(h.Agrees) + " agree, " + strconv.Itoa(h.Differs) + " differ, " + strconv.Itoa(h.Unknown) + " not known"
	if h.Closest {
		summary += "; the closest"
	}
	t := newTable("setting", "result", "wanted", "found", "fix")
	for _, s := range h.Settings {
		t.appendRow(s.Setting, string(s.Result), joinLines(s.Wanted), cmp.Or(string(s.Found), textOrDash(s.Reason)), textOrDash(s.Remedy))
	}
	return folded{summary, string(h.Source), t}
}

func (p *page) settingsSection() any {
	all := p.r.Inventory.Settings
	if len(all) == 0 {
		return nil
	}
	known := newTable("setting", "configured", "pending", "effective", "decided by", "read from")
	unknown := newTable("setting", "reason", "known by")
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if s := all[id]; s.IsWorthShowing() {
			known.appendRow(id, valueText(&s.Configured), valueText(&s.Pending), valueText(&s.Effective), textOrDash(nullable.String(s.DecidedBy.Value)), joinLines(wording.SettingReadings(&s)))
		} else {
			unknown.appendRow(id, joinedReasons(s.Effective.Reason, s.Configured.Reason), joinedReasons(s.Effective.KnownBy, s.Configured.KnownBy))
		}
	}
	var data plain
	if n := len(known.Rows); n > 0 {
		data.Folded = append(data.Folded, folded{strconv.Itoa(n) + " of " + humanize.Plural(len(all), "setting") + " known",
			"Configured is what BIOS setup says, pending what it will say after the next boot, effective what the system runs with.", known})
	}
	if n := len(unknown.Rows); n > 0 {
		data.Folded = append(data.Folded, folded{Summary: "not known (" + strconv.Itoa(n) + ")", Table: unknown})
	}
	return data
}

func joinedReasons(effective, configured nullable.String) string {
	if effective == configured {
		return string(configured)
	}
	return humanize.Joined("; ", string(effective), string(configured))
}

// valueText returns the value, with its certainty if that is not direct, or why it is missing.
func valueText(f *report.Face) string {
	switch {
	case f.Value != "" && f.Certainty == fact.Direct:
		return string(f.Value)
	case f.Value != "":
		return string(f.Value) + " (" + f.Certainty.String() + ")"
	case f.State == report.FaceAbsent:
		return "not offered"
	default:
		return "-"
	}
}

func textOrDash(s nullable.String) string { return string(cmp.Or(s, "-")) }
