package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

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

// sources is what the machine was checked against, what was read, and the documents that the findings
// name.
type sources struct {
	Facts         []pair
	Sources       *folded
	Documents     []link
	Abbreviations func() []wording.Term
	Unmapped      []inventory.Export
	Notices       []string
}

func (p *page) sourcesSection() any {
	data := sources{Facts: p.machineFacts(), Documents: p.documentLinks(), Abbreviations: p.abbreviations, Unmapped: p.r.Inventory.Unmapped, Notices: p.r.Notices}
	if all := p.r.Inventory.Sources; len(all) > 0 {
		t := newTable("source", "state", "detail")
		var incomplete []string
		for _, s := range all {
			if s.State != fact.SourceOK {
				incomplete = append(incomplete, s.Name+" "+string(s.State))
			}
			t.appendRow(s.Name, string(s.State), textOrDash(s.Detail))
		}
		data.Sources = &folded{Summary: humanize.Plural(len(all), "source"), Table: t}
		if len(incomplete) > 0 {
			data.Sources.Summary += " (" + strings.Join(incomplete, ", ") + ")"
		}
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
	if p.r.Profiles == nil {
		return nil
	}
	var data plain
	if len(p.r.Profiles) == 0 {
		data.Text = "None: " + p.r.ProfilesWhy
	}
	for i := range p.r.Profiles {
		data.Folded = append(data.Folded, comparisonDetails(&p.r.Profiles[i]))
	}
	for _, u := range p.r.LeftOut {
		data.Notes = append(data.Notes, u.ID+": "+u.Reason)
	}
	return data
}

func comparisonDetails(h *report.HeldProfile) folded {
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
