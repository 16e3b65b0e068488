package html

import (
	"maps"
	"slices"
	"strconv"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// settings shows the three faces of every setting of which one is known, and
// why the others are not.
func (p *pageWriter) settings() {
	all := p.r.Inventory.Settings
	var known, unknown []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		s := all[id]
		if faceKnown(&s) {
			known = append(known, id)
		} else {
			unknown = append(unknown, id)
		}
	}
	if len(known) > 0 {
		p.Open("details", markup.Class("group"))
		p.Element("summary", strconv.Itoa(len(known))+" of "+prose.Count(len(all), "setting")+" known")
		p.note("Configured is what BIOS setup says, pending what it will say after the next boot, effective what the system runs with.")
		t := p.table("setting", "configured", "pending", "effective", "decided by", "read from")
		for _, id := range known {
			s := all[id]
			t.row(id, faceText(&s.Configured), faceText(&s.Pending), faceText(&s.Effective), orDash(s.DecidedBy.Value), readFrom(&s))
		}
		t.end()
		p.Close()
	}
	p.unknownSettings(all, unknown)
}

// faceKnown reports whether anything of a setting is known.
func faceKnown(s *report.Setting) bool {
	return s.Configured.Value != nil || s.Configured.State == fact.Absent.String() || s.Pending.Value != nil || s.Effective.Value != nil
}

func (p *pageWriter) unknownSettings(all map[string]report.Setting, ids []string) {
	if len(ids) == 0 {
		return
	}
	p.Open("details", markup.Class("group"))
	p.Element("summary", "not known ("+strconv.Itoa(len(ids))+")")
	t := p.table("setting", "reason", "known by")
	for _, id := range ids {
		s := all[id]
		t.row(id, joinedReasons(s.Effective.Reason, s.Configured.Reason), joinedReasons(s.Effective.KnownBy, s.Configured.KnownBy))
	}
	t.end()
	p.Close()
}

// joinedReasons joins the kernel's reason and that of BIOS setup when they differ.
func joinedReasons(effective, configured *string) string {
	a, b := report.OrEmpty(effective), report.OrEmpty(configured)
	switch {
	case a == "" || a == b:
		return b
	case b == "":
		return a
	default:
		return a + "; " + b
	}
}

// faceText is the value with its certainty where that is not direct, or why there
// is none.
func faceText(f *report.Face) string {
	switch {
	case f.Value != nil && f.Certainty == fact.Direct.String():
		return *f.Value
	case f.Value != nil:
		return *f.Value + " (" + f.Certainty + ")"
	case f.State == fact.Absent.String():
		return "not offered"
	default:
		return "-"
	}
}

func orDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// readFrom lists what the known faces rest on, each once.
func readFrom(s *report.Setting) string {
	var seen []string
	add := func(known bool, readings []report.Evidence) {
		for i := range readings {
			if line := wording.Reading(&readings[i]); known && !slices.Contains(seen, line) {
				seen = append(seen, line)
			}
		}
	}
	add(s.Configured.Value != nil, s.Configured.Evidence)
	add(s.Pending.Value != nil, s.Pending.Evidence)
	add(s.Effective.Value != nil, s.Effective.Evidence)
	add(s.DecidedBy.Value != nil, s.DecidedBy.Evidence)
	return joined(seen)
}
