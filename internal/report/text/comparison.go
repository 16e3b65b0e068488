package text

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// WriteComparison prints a comparison as text.
func WriteComparison(w io.Writer, c *report.Comparison, o Options) error {
	p := NewPage(o)
	p.printMachine(&c.Inventory)
	p.newline()
	p.printComparison(&c.Comparison, c.Settings)
	return p.Write(w)
}

// heldGroup holds profiles with the same wanted values and results for every setting: one column of the table.
type heldGroup struct {
	// numbers are their positions in the list, from 1.
	numbers []string
	*verdict.HeldProfile
}

func (g *heldGroup) rowOf(setting string) *verdict.HeldSetting {
	for i := range g.Settings {
		if g.Settings[i].Setting == setting {
			return &g.Settings[i]
		}
	}
	return nil
}

// alikeProfiles groups profiles with the same result on this machine: the same counts, the same differing
// settings with the same wanted values, remedies, notes and costs, and the same unknown settings for the same
// reasons.
func alikeProfiles(profiles []verdict.HeldProfile) (groups humanize.Groups[*verdict.HeldProfile]) {
	for i := range profiles {
		h := &profiles[i]
		said := []string{tallyText(h), string(h.Analogy)}
		for j := range h.Settings {
			s := &h.Settings[j]
			switch s.Result {
			case verdict.Fail:
				said = append(said, "\n", s.Setting, wantedValues(s), string(s.Remedy), string(s.Note), wording.DescribeCost(s.Effect))
			case verdict.Unknown, verdict.NotApplicable, verdict.Error:
				said = append(said, "\n", s.Setting, string(s.Result), string(s.Reason))
			case verdict.Pass, verdict.Waived:
			}
		}
		groups.Add(strings.Join(said, "\t"), h)
	}
	return groups
}

func groupComparisons(profiles []verdict.HeldProfile) []*heldGroup {
	var out []*heldGroup
	for i := range profiles {
		h := &profiles[i]
		at := slices.IndexFunc(out, func(g *heldGroup) bool { return sameSettings(g.Settings, h.Settings) })
		if at < 0 {
			at, out = len(out), append(out, &heldGroup{HeldProfile: h})
		}
		out[at].numbers = append(out[at].numbers, strconv.Itoa(i+1))
	}
	return out
}

func sameSettings(a, b []verdict.HeldSetting) bool {
	return slices.EqualFunc(a, b, func(x, y verdict.HeldSetting) bool {
		return x.Setting == y.Setting && x.Result == y.Result && slices.Equal(x.Wanted, y.Wanted) &&
			string(x.Remedy) == string(y.Remedy) && string(x.Reason) == string(y.Reason)
	})
}

// printComparison prints the machine next to every documented profile: the result, the profiles, the
// settings, and what is missing for the closest profile.
func (p *Page) printComparison(c *verdict.Comparison, settings map[string]report.Setting) {
	profiles := c.Profiles
	if len(profiles) == 0 {
		p.printSection("PROFILES", "not applicable: "+string(c.Why))
		p.printUndecided(c.Undecided)
		p.newline()
		return
	}
	groups := groupComparisons(profiles)
	p.printSection("PROFILES", humanize.Plural(len(profiles), "profile")+" documented for this machine; "+nearestProfiles(profiles))
	p.newline()
	p.printNumbered(profiles)
	p.printUndecided(c.Undecided)
	p.newline()
	p.settingSheet(groups, settings)
	closest := false
	alike := alikeProfiles(profiles)
	for _, name := range alike.Names {
		switch profiles := alike.Of[name]; {
		case profiles[0].Closest:
			p.printMissing("CLOSEST", profiles)
			closest = true
		case p.verbose:
			p.printMissing("PROFILE", profiles)
		}
	}
	if !closest && !p.verbose {
		p.unknownToAll(profiles)
	}
}

func (p *Page) printNumbered(profiles []verdict.HeldProfile) {
	for i := range profiles {
		number := strconv.Itoa(i + 1)
		p.padToColumn(6 - len(number))
		p.appendClean(number)
		p.padToColumn(8)
		pieces := []string{profiles[i].ID}
		if intents := strings.Join(profiles[i].Intents, ", "); intents != "" {
			pieces = append(pieces, "("+intents+")")
		}
		p.printUnbroken(8, pieces)
	}
}

func (p *Page) unknownToAll(profiles []verdict.HeldProfile) {
	all := verdict.HeldProfile{}
	for i := range profiles {
		for _, s := range profiles[i].Settings {
			same := func(o verdict.HeldSetting) bool {
				return o.Setting == s.Setting && string(o.Reason) == string(s.Reason)
			}
			if !slices.ContainsFunc(all.Settings, same) {
				all.Settings = append(all.Settings, s)
			}
		}
	}
	p.withoutVerdict(&all, verdict.Unknown, "unknown")
	p.newline()
}

func (p *Page) printUndecided(profiles []verdict.Undecided) {
	for _, u := range profiles {
		p.printField(2, "left out", u.ID+": "+u.Reason)
	}
}

// nearestProfiles names the profiles that the machine's known settings are closest to. It never states that the machine
// has one of them.
func nearestProfiles(profiles []verdict.HeldProfile) string {
	var numbers []string
	var best *verdict.HeldProfile
	for i := range profiles {
		if h := &profiles[i]; h.Closest {
			best, numbers = h, append(numbers, strconv.Itoa(i+1))
		}
	}
	switch {
	case best == nil && !slices.ContainsFunc(profiles, func(h verdict.HeldProfile) bool { return h.Differs > 0 }):
		return "none of their settings is known here"
	case best == nil:
		return "no known setting agrees with any of them"
	case best.Differs+best.Unknown+best.Error == 0:
		return "every setting that is asked of it agrees with " + strings.Join(numbers, ", ")
	case len(numbers) > 1 && best.Unknown > 0:
		return "fewest known differences, and equal as far as is known: " + strings.Join(numbers, ", ")
	default:
		return "fewest known differences: " + strings.Join(numbers, ", ")
	}
}

func settingsAsked(h *verdict.HeldProfile) int { return h.Agrees + h.Differs + h.Unknown + h.Error }

func tallyText(h *verdict.HeldProfile) string {
	out := fmt.Sprintf("agrees on %d of %s, differs on %d, %d not known", h.Agrees, humanize.Plural(settingsAsked(h), "setting"), h.Differs, h.Unknown)
	if h.NotApplicable > 0 {
		out += "; of no concern here: " + strconv.Itoa(h.NotApplicable)
	}
	if h.Error > 0 {
		out += "; " + strconv.Itoa(h.Error) + " broken"
	}
	return out
}

// printMissing lists the settings of a profile that differ, and what would show the unknown ones, once for profiles
// with the same list.
func (p *Page) printMissing(word string, profiles []*verdict.HeldProfile) {
	h := profiles[0]
	var ids, sources []string
	for _, h := range profiles {
		ids, sources = append(ids, h.ID), humanize.AddNew(sources, string(h.Source))
	}
	p.printSection(word, strings.Join(ids, ", "))
	p.printLine(valueColumn, tallyText(h))
	p.printField(2, "analogy", string(h.Analogy))
	for i := range h.Settings {
		s := &h.Settings[i]
		if s.Result != verdict.Fail {
			continue
		}
		p.printField(2, "differs", s.Setting+": "+string(s.Found)+", wanted "+wantedValues(s))
		p.printField(4, "note", string(s.Note))
		p.printField(4, "except", strings.Join(s.Exceptions, "; "))
		p.printField(4, "costs", wording.DescribeCost(s.Effect))
		name := "fix"
		for line := range strings.SplitSeq(string(s.Remedy), "\n") { // one way per line
			p.printField(4, name, line)
			name = ""
		}
	}
	p.withoutVerdict(h, verdict.Unknown, "unknown")
	p.withoutVerdict(h, verdict.Error, "broken")
	if p.verbose {
		p.withoutVerdict(h, verdict.NotApplicable, "n/a")
	}
	for _, s := range sources {
		p.printField(2, "source", s)
	}
	p.newline()
}

func (p *Page) withoutVerdict(h *verdict.HeldProfile, result verdict.Result, name string) {
	var findings []verdict.Finding
	for _, s := range h.Settings {
		findings = append(findings, verdict.Finding{Rule: s.Setting, Result: s.Result, Reason: s.Reason, KnownBy: s.KnownBy})
	}
	for _, g := range groupByReason(findings, result) {
		p.printField(2, name, ruleNames(g))
		p.printField(4, "reason", string(g[0].Reason))
		p.printField(4, "known by", string(g[0].KnownBy))
	}
}

func wantedValues(s *verdict.HeldSetting) string { return strings.Join(s.Wanted, " or ") }

// The widest cell of the setting sheet, on a page of up to roomyWidth columns and on a wider one: three
// profiles fit next to setting and machine in 80 columns, and nothing is wrapped if there is space.
const (
	narrowCell, wideCell = 13, 24
	roomyWidth           = 120
	// settingCell fits every setting id of usual length.
	settingCell = 24
)

// notAsked is the cell of a setting that a profile does not have.
const notAsked = "-"

func (p *Page) settingSheet(groups []*heldGroup, settings map[string]report.Setting) {
	s := &foldedTable{fixed: 2, nothing: notAsked, heads: []string{"setting", "this machine"}, most: []int{settingCell, narrowCell, narrowCell}}
	if p.width > roomyWidth {
		s.most = []int{settingCell, wideCell, wideCell}
	}
	tallies := [][]string{{"agrees", ""}, {"differs", ""}, {"not known", ""}}
	var ids []string
	for _, g := range groups {
		s.heads = append(s.heads, "  "+strings.Join(g.numbers, ", "))
		for i := range g.Settings {
			ids = humanize.AddNew(ids, g.Settings[i].Setting)
		}
		tallies[0] = append(tallies[0], "= "+strconv.Itoa(g.Agrees)+" of "+strconv.Itoa(settingsAsked(g.HeldProfile)))
		tallies[1] = append(tallies[1], "! "+strconv.Itoa(g.Differs))
		tallies[2] = append(tallies[2], "? "+strconv.Itoa(g.Unknown))
	}
	for _, id := range ids {
		row := []string{id, machineValues(settings[id])}
		for _, g := range groups {
			row = append(row, wantedCell(g.rowOf(id)))
		}
		s.rows = append(s.rows, row)
	}
	s.rows = append(append(s.rows, nil), tallies...)
	s.printRows(p)
	p.newline()
	p.printLine(0, gluedList([]string{"= agrees", "! differs", "? not known on this machine", "n/a does not concern it", "- not asked for"}))
	p.wrapWords(0, gluedList([]string{"(c) configured in firmware", "(e) in effect", "(p) waits for the next boot"}))
	p.newline()
	p.newline()
}

// resultMarks are before the wanted values of a setting.
var resultMarks = map[verdict.Result]string{verdict.Pass: "= ", verdict.Fail: "! ", verdict.Unknown: "? "}

func wantedCell(s *verdict.HeldSetting) string {
	switch {
	case s == nil:
		return notAsked
	case resultMarks[s.Result] != "":
		return resultMarks[s.Result] + wantedValues(s)
	case s.Result == verdict.NotApplicable:
		return "n/a"
	default:
		return "broken"
	}
}

// machineValues returns the machine's values of a setting, each with its mark. The effective and the pending
// value are left out if they equal the configured one.
func machineValues(s report.Setting) string {
	configured, effective, pending := string(s.Configured.Value), string(s.Effective.Value), string(s.Pending.Value)
	var out []string
	if configured != "" {
		out = append(out, configured+" (c)")
	}
	if effective != "" && effective != configured {
		out = append(out, effective+" (e)")
	}
	if pending != "" && pending != configured {
		out = append(out, pending+" (p)")
	}
	if len(out) == 0 {
		return "not known"
	}
	return strings.Join(out, " ")
}
