package html

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// slots is the picture in words: every slot with all that is known of it.
func (p *pageWriter) slots() {
	all := p.r.Inventory.Slots
	p.Open("details", markup.Class("group"))
	p.Element("summary", prose.Count(len(all), "slot"))
	t := p.table("slot", "handle", "place", "holds", "speed", "module", "mapped by")
	for i := range all {
		s := &all[i]
		t.row(slotLabel(s), s.Handle, slotPlace(s), slotHolds(s), speeds(s), module(s), mapped(s))
	}
	t.end()
	p.Close()
}

func slotLabel(s *report.Slot) string {
	name := orDash(s.Locator)
	if s.BankLocator != nil {
		name += " (" + *s.BankLocator + ")"
	}
	return name
}

func slotPlace(s *report.Slot) string {
	var parts []string
	for _, c := range [...]struct {
		name  string
		value *int
	}{{"socket ", s.Socket}, {"controller ", s.Controller}, {"channel ", s.Channel}, {"slot ", s.Slot}} {
		if c.value != nil {
			parts = append(parts, c.name+strconv.Itoa(*c.value))
		}
	}
	if len(parts) == 0 {
		return "not known"
	}
	return joined(parts)
}

func slotHolds(s *report.Slot) string {
	parts := []string{cellSize(s)}
	for _, more := range []string{wording.MemoryReported(s), report.OrEmpty(s.Technology), report.OrEmpty(s.FormFactor)} {
		if more != "" && more != "dram" {
			parts = append(parts, more)
		}
	}
	if s.Ranks != nil {
		parts = append(parts, prose.Count(*s.Ranks, "rank"))
	}
	if s.DataWidthBits != nil && s.TotalWidthBits != nil {
		parts = append(parts, strconv.Itoa(*s.TotalWidthBits)+"/"+strconv.Itoa(*s.DataWidthBits)+" bits")
	}
	if s.Registered != nil && *s.Registered {
		parts = append(parts, "registered")
	}
	if s.NonVolatile != nil && *s.NonVolatile {
		parts = append(parts, "non-volatile")
	}
	return joined(parts)
}

func speeds(s *report.Slot) string {
	var parts []string
	if s.ConfiguredMTs != nil {
		parts = append(parts, wording.PrintedRate(*s.ConfiguredMTs)+" MT/s")
	}
	if s.RatedMTs != nil {
		parts = append(parts, "rated "+wording.PrintedRate(*s.RatedMTs)+" MT/s")
	}
	if s.ConfiguredMV != nil {
		parts = append(parts, strconv.Itoa(*s.ConfiguredMV)+" mV")
	}
	if text := wording.Errors(s.Errors); text != "" {
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return "-"
	}
	return joined(parts)
}

func module(s *report.Slot) string {
	var parts []string
	for _, more := range []*string{s.Manufacturer, s.PartNumber, s.Serial, s.AssetTag} {
		if more != nil {
			parts = append(parts, *more)
		}
	}
	if s.Health != nil {
		parts = append(parts, "health "+*s.Health)
	}
	if len(parts) == 0 {
		return "-"
	}
	return joined(parts)
}

func mapped(s *report.Slot) string {
	if s.Mapping.Source == nil {
		return "not mapped: " + report.OrEmpty(s.Mapping.Reason)
	}
	out := *s.Mapping.Source
	if s.Mapping.Certainty != nil {
		out += " (" + *s.Mapping.Certainty + ")"
	}
	if s.Mapping.Doubt != nil {
		out += ", doubted: " + *s.Mapping.Doubt
	}
	return out
}

// sources says what the machine was checked against, what was read, and the documents that the findings
// name.
func (p *pageWriter) sources() {
	p.facts()
	if all := p.r.Inventory.Sources; len(all) > 0 {
		says := prose.Count(len(all), "source")
		var incomplete []string
		for _, s := range all {
			if s.State != string(fact.SourceOK) {
				incomplete = append(incomplete, s.Name+" "+s.State)
			}
		}
		if len(incomplete) > 0 {
			says += " (" + strings.Join(incomplete, ", ") + ")"
		}
		p.Open("details", markup.Class("group"))
		p.Element("summary", says)
		t := p.table("source", "state", "detail")
		for _, s := range all {
			t.row(s.Name, s.State, orDash(s.Detail))
		}
		t.end()
		p.Close()
	}
	p.documents()
	p.abbreviations()
	p.unmapped()
	for _, n := range p.r.Notices {
		p.note(n)
	}
}

// abbreviations explains those that the page uses up to here.
func (p *pageWriter) abbreviations() {
	terms := wording.TermsIn(string(p.Bytes()))
	if len(terms) == 0 {
		return
	}
	p.Open("details", markup.Class("group"))
	p.Element("summary", "abbreviations")
	p.Open("dl")
	for _, t := range terms {
		p.pair(t.Name, t.Meaning)
	}
	p.Close()
	p.Close()
}

// documents lists every document that speaks in a finding, each once.
func (p *pageWriter) documents() {
	var seen []string
	for i := range p.r.Findings {
		c := p.r.Findings[i].Citation
		if c == nil || p.r.Findings[i].Result == "not_applicable" || slices.Contains(seen, c.Line()) {
			continue
		}
		if len(seen) == 0 {
			p.Open("details", markup.Class("group"))
			p.Element("summary", "documents that the findings rest on")
			p.Open("ul")
		}
		seen = append(seen, c.Line())
		p.Open("li")
		p.citation(c)
		p.Close()
	}
	if len(seen) > 0 {
		p.Close()
		p.Close()
	}
}

// unmapped names the attributes of exports that say nothing to memaudit.
func (p *pageWriter) unmapped() {
	for i := range p.r.Inventory.Unmapped {
		u := &p.r.Inventory.Unmapped[i]
		p.Open("details", markup.Class("group"))
		p.Element("summary", strconv.Itoa(len(u.Attributes)+len(u.Untranslated))+" attributes of "+u.Path+" without a canonical setting")
		p.Element("p", joined(u.Attributes))
		if len(u.Untranslated) > 0 {
			p.Element("p", "values without a canonical word: "+joined(u.Untranslated))
		}
		p.Close()
	}
}

// baseline says what differs from the accepted hardware.
func (p *pageWriter) baseline() {
	b := p.r.Baseline
	switch {
	case b.Comparable != nil && !*b.Comparable:
		p.Element("p", p.r.Incomparable())
	case len(b.Changes) == 0 && b.Comparable != nil:
		p.Element("p", "Nothing differs.")
	case len(b.Changes) == 0:
		p.Element("p", "Nothing that could be compared differs; some could not.")
	default:
		t := p.table("subject", "change", "accepted", "present")
		for _, c := range b.Changes {
			t.row(c.Subject, c.Kind, c.Accepted, c.Present)
		}
		t.end()
	}
}

// profiles checks the machine against every profile documented for it.
func (p *pageWriter) profiles() {
	if len(p.r.Profiles) == 0 {
		p.Element("p", "None: "+p.r.ProfilesWhy)
	}
	for i := range p.r.Profiles {
		p.heldProfile(&p.r.Profiles[i])
	}
	for _, u := range p.r.LeftOut {
		p.note(u.ID + ": " + u.Reason)
	}
}

func (p *pageWriter) heldProfile(h *report.HeldProfile) {
	p.Open("details", markup.Class("group"))
	defer p.Close()
	says := h.ID + ": " + strconv.Itoa(h.Agrees) + " agree, " + strconv.Itoa(h.Differs) + " differ, " + strconv.Itoa(h.Unknown) + " not known"
	if h.Closest {
		says += "; the closest"
	}
	p.Element("summary", says)
	if h.Source != nil {
		p.note(*h.Source)
	}
	t := p.table("setting", "result", "wanted", "found", "fix")
	for i := range h.Settings {
		s := &h.Settings[i]
		found := report.OrEmpty(s.Found)
		if found == "" {
			found = orDash(s.Reason)
		}
		t.row(s.Setting, s.Result, joined(s.Wanted), found, orDash(s.Remedy))
	}
	t.end()
}
