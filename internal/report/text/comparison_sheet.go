package text

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/report"
)

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

// settingSheet prints a table of settings and profiles: the value each profile wants, marked with whether the
// machine has it, and the totals.
func (p *printer) settingSheet(groups []*heldGroup, settings map[string]report.Setting) {
	s := &foldedTable{fixed: 2, nothing: notAsked, heads: []string{"setting", "this machine"}, most: []int{settingCell, narrowCell, narrowCell}}
	if p.width > roomyWidth {
		s.most = []int{settingCell, wideCell, wideCell}
	}
	for _, g := range groups {
		s.heads = append(s.heads, "  "+strings.Join(g.numbers, ", "))
	}
	for _, id := range settingOrder(groups) {
		row := []string{id, machineValues(settings[id])}
		for _, g := range groups {
			row = append(row, wantedCell(g.rows[id]))
		}
		s.rows = append(s.rows, row)
	}
	s.rows = append(s.rows, nil)
	s.rows = append(s.rows, tallies(groups)...)
	s.print(p, 0)
	p.newline()
	p.line(0, gluedList([]string{"= agrees", "! differs", "? not known on this machine", "n/a does not concern it", "- not asked for"}))
	p.wrap(0, gluedList([]string{"(c) configured in firmware", "(e) in effect", "(p) waits for the next boot"}))
	p.newline()
	p.newline()
}

// settingOrder lists the settings of all profiles in order of first occurrence.
func settingOrder(groups []*heldGroup) []string {
	var out []string
	for _, g := range groups {
		for i := range g.first().Settings {
			if id := g.first().Settings[i].Setting; !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

func wantedCell(s *report.HeldSetting) string {
	if s == nil {
		return notAsked
	}
	switch s.Result {
	case verdict.Pass:
		return "= " + wanted(s)
	case verdict.Fail:
		return "! " + wanted(s)
	case verdict.Unknown:
		return "? " + wanted(s)
	case verdict.NotApplicable:
		return "n/a"
	case verdict.Waived, verdict.Error:
	}
	return "broken"
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

func tallies(groups []*heldGroup) [][]string {
	rows := [][]string{{"agrees", ""}, {"differs", ""}, {"not known", ""}}
	for _, g := range groups {
		h := g.first()
		rows[0] = append(rows[0], "= "+strconv.Itoa(h.Agrees)+" of "+strconv.Itoa(settingsAsked(h)))
		rows[1] = append(rows[1], "! "+strconv.Itoa(h.Differs))
		rows[2] = append(rows[2], "? "+strconv.Itoa(h.Unknown))
	}
	return rows
}
