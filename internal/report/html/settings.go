package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/wording"
)

// settings lists the three values of every setting if one is known, and why the other settings are
// unknown.
func (p *page) settings() any {
	all := p.r.Inventory.Settings
	if len(all) == 0 {
		return nil
	}
	known := newTable("setting", "configured", "pending", "effective", "decided by", "read from")
	unknown := newTable("setting", "reason", "known by")
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if s := all[id]; s.Shown() {
			known.row(id, valueText(&s.Configured), valueText(&s.Pending), valueText(&s.Effective), orDash(nullable.String(s.DecidedBy.Value)), joined(wording.SettingReadings(&s)))
		} else {
			unknown.row(id, joinedReasons(s.Effective.Reason, s.Configured.Reason), joinedReasons(s.Effective.KnownBy, s.Configured.KnownBy))
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

func orDash(s nullable.String) string { return string(cmp.Or(s, "-")) }
