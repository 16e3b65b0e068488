package html

import (
	"html/template"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/report/wording"
)

// head is the data of the complete page: the verdict, the machine, the number of checks, the program, and its
// sections.
type head struct {
	Title, Policy                                              string
	Style                                                      template.CSS
	Class, Status, Verdict, Machine, Checks, Outdated, Version string
	Sections                                                   []section
}

func (p *page) head() *head {
	inv, host := &p.r.Inventory, p.r.Machine.Host.Text()
	pieces := slices.Concat([]string{host}, wording.Processors(inv.Sockets), wording.Capacities(inv), []string{wording.BIOS(&p.r.Machine.BIOS)})
	title := wording.Machine(&p.r.Machine)
	if host != "" {
		title = host + ", " + title
	}
	version := "memaudit " + p.r.Memaudit.Version
	if p.r.Memaudit.Revision != "" {
		version += " (" + string(p.r.Memaudit.Revision) + ")"
	}
	checks, _ := text.Counts(p.r)
	status := p.r.Verdict.Status.Word()
	return &head{
		Title: status + " " + title + " - memaudit", Policy: Policy,
		Style: template.CSS(styleSheet), //nolint:gosec // the style sheet is the program's own
		Class: p.r.Verdict.Status.Class(), Status: status, Verdict: wording.Verdict(p.r),
		Machine: humanize.Joined(" · ", pieces...),
		Checks:  checks, Outdated: p.r.Outdated, Version: version + ", " + p.r.Schema + ", " + p.r.GeneratedAt, Sections: p.sections(),
	}
}

func profile(r *report.Report) string {
	if r.Profile == nil {
		return humanize.Joined(": ", "none", string(r.Why))
	}
	return r.Profile.ID + wording.InBrackets(string(r.Profile.Source))
}

// facts lists what was recognised, what it was checked against and when, and the identifiers if they
// were asked for.
func (p *page) facts() []pair {
	out := pairs("platform", strings.Join(wording.Platform(&p.r.Machine), ", "), "profile", profile(p.r), "audited", p.r.GeneratedAt)
	id := &p.r.Machine.Identifiers
	return append(out, pairs("system serial", string(id.SystemSerial), "system UUID", string(id.SystemUUID),
		"board serial", string(id.BoardSerial), "chassis serial", string(id.ChassisSerial), "asset tag", string(id.AssetTag))...)
}
