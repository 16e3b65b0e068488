package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// mostRemarked is the largest number of settings for which the brief report says what each costs
// and how it is set, halved with each step of p.tight. With more there is only the table.
const mostRemarked = 4

// settingFailures prints the settings that differ from the profile as a table,
// the worst first, and names the profile's document once.
func (p *printer) settingFailures(r *report.Report, groups []*causeGroup) {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g *causeGroup) bool { return !g.setting() })
	if len(groups) == 0 {
		return
	}
	if p.verbose {
		p.failures(groups)
		return
	}
	p.section(severityWord(groups[0].first().Severity), settingsHead(r, len(groups)))
	t := &textTable{columns: []column{{head: "setting"}, {head: "found"}, {head: "wanted"}, {head: "matters"}}, below: map[int][]string{}, belowMost: 1}
	for i, g := range groups {
		f := g.first()
		t.row(strings.TrimPrefix(f.Rule, settingPrefix), wording.WithoutBrackets(foundText(f)), expected(f), f.Severity)
		if len(groups) <= mostRemarked>>p.tight {
			t.below[i] = settingNotes(f, p.tight == 0 && f.Effect != nil && !p.said[f.Effect.Text])
		}
	}
	t.print(p, 2)
	if r.ProfileAsked || p.tight < tightest { // of a profile that nobody asked for, the name says whose it is
		p.settingDocuments(groups)
	}
	switch n := advised(groups); {
	case n > 0:
		p.brief(2, "set by", fmt.Sprintf("one step for %d of %d, see %s", n, len(groups), wordAdvice), 1)
	case len(t.below) == 0 && p.tight < tightest:
		p.brief(2, "set by", "-v prints what each does and how it is set", 1)
	}
	p.pause()
}

// advised counts the settings that an advice cures.
func advised(groups []*causeGroup) int {
	n := 0
	for _, g := range groups {
		if len(g.first().Advice) > 0 {
			n++
		}
	}
	return n
}

func settingsHead(r *report.Report, n int) string {
	head := prose.Count(n, "setting") + " unlike "
	if r.Profile == nil {
		return head + "the profile"
	}
	head += r.Profile.ID
	if !r.ProfileAsked {
		head += " (not asked for)"
	}
	return head
}

// settingNotes returns, if there is room, what a failure of a setting costs, and the first way to
// set it.
func settingNotes(f *report.Finding, effect bool) []string {
	var out []string
	if effect {
		out = append(out, clause(f.Effect.Text))
	}
	if way, _, _ := strings.Cut(report.OrEmpty(f.Remedy), "\n"); way != "" && len(f.Advice) == 0 {
		if menu, _, ok := strings.Cut(way, " in the BIOS setup"); ok {
			return append(out, "BIOS setup: "+clause(menu))
		}
		out = append(out, "set by: "+clause(way))
	}
	return out
}

// clause returns the start of a sentence, up to an explanation or an addition.
func clause(s string) string {
	for _, end := range [...]string{" (", ", or ", ", then ", "; "} {
		s, _, _ = strings.Cut(s, end)
	}
	return s
}

// settingDocuments prints each document that was not printed before, with the place in it if all
// settings have the same.
func (p *printer) settingDocuments(groups []*causeGroup) {
	var documents []*report.Citation
	for _, g := range groups {
		c := g.first().Citation
		if c == nil {
			continue
		}
		at := slices.IndexFunc(documents, func(d *report.Citation) bool { return d.Vendor == c.Vendor && d.Title == c.Title })
		if at < 0 {
			whole := *c
			documents = append(documents, &whole)
		} else if report.OrEmpty(documents[at].Place) != report.OrEmpty(c.Place) {
			documents[at].Place = nil
		}
	}
	for _, c := range documents {
		if !p.said[c.Vendor+c.Title] {
			p.document(2, c)
		}
	}
}
