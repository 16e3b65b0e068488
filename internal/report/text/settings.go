package text

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// notOffered is printed if the machine's BIOS does not have the setting.
const notOffered = "not offered"

// settings prints the values of every setting with at least one known value, and the reasons for the others.
// With full each has its sources below it.
func (p *printer) settings(all map[string]report.Setting, full bool) {
	if len(all) == 0 {
		if full {
			p.section("SETTINGS", "none known")
		}
		return
	}
	t := &textTable{below: map[int][]string{}, columns: []column{
		{head: "setting"}, {head: "configured"}, {head: "pending", drop: 2, always: full}, {head: "effective"},
		{head: "decided by", drop: 1, always: full}, {head: "certainty", drop: 3},
	}}
	if !full {
		t.columns = append(t.columns, column{head: "evidence", drop: 4})
	}
	unknown := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		s := all[id]
		if !s.Shown() {
			why := settingWhy(&s)
			unknown[why] = append(unknown[why], id)
			continue
		}
		lines := wording.SettingReadings(&s)
		cells := []string{id, valueCell(&s.Configured), string(s.Pending.Value), string(s.Effective.Value), string(s.DecidedBy.Value), settingCertainty(&s)}
		if full {
			t.below[len(t.rows)] = lines
		} else {
			cells = append(cells, strings.Join(lines, "; "))
		}
		t.row(cells...)
	}
	p.section("SETTINGS", strconv.Itoa(len(t.rows))+" of "+strconv.Itoa(len(all))+" known; '-' is not known")
	if len(t.rows) > 0 {
		t.print(p, 2)
	}
	p.unknownSettings(unknown)
	p.newline()
}

// unknownSettings lists the other settings by reason.
func (p *printer) unknownSettings(unknown map[string][]string) {
	for _, why := range slices.Sorted(maps.Keys(unknown)) {
		p.line(2, "not known: "+gluedList(unknown[why]))
		if why != "" {
			p.to(2 + belowIndent)
			p.wrap(2+belowIndent, why)
			p.newline()
		}
	}
}

// settingWhy returns the reasons for a setting without a known value: for the effective and the configured one
// why it is unknown and what would show it, each text once.
func settingWhy(s *report.Setting) string {
	parts := []string{}
	for _, f := range []report.Face{s.Effective, s.Configured} {
		for _, text := range []nullable.String{f.Reason, f.KnownBy} {
			if t := string(text); t != "" && !slices.Contains(parts, t) {
				parts = append(parts, t)
			}
		}
	}
	return strings.Join(parts, "; ")
}

func settingCertainty(s *report.Setting) string {
	var known []fact.Certainty
	for _, f := range []report.Face{s.Configured, s.Pending, s.Effective} {
		if f.Value != "" {
			known = append(known, f.Certainty)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return slices.Min(known).String()
}

// valueCell returns the value of a view, or that the machine does not have the setting.
func valueCell(f *report.Face) string {
	if f.Value == "" && f.State == report.FaceAbsent {
		return notOffered
	}
	return string(f.Value)
}
