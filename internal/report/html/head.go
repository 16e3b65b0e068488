package html

import (
	"html/template"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// head is the data of the page as a whole: the verdict, which machine it is, how many checks were run,
// what made the page, and its sections.
type head struct {
	Title, Policy                                              string
	Style                                                      template.CSS
	Class, Status, Verdict, Machine, Checks, Outdated, Version string
	Sections                                                   []section
}

func (p *page) head() *head {
	inv, host := &p.r.Inventory, report.OrEmpty(p.r.Machine.Host)
	pieces := append(wording.Processors(inv.Sockets), wording.Capacities(inv)...)
	pieces = append(append([]string{host}, pieces...), wording.BIOS(&p.r.Machine.BIOS))
	title := wording.Machine(&p.r.Machine)
	if host != "" {
		title = host + ", " + title
	}
	version := "memaudit " + p.r.Memaudit.Version
	if p.r.Memaudit.Revision != nil {
		version += " (" + *p.r.Memaudit.Revision + ")"
	}
	checks, _ := text.Counts(p.r)
	status := p.r.Verdict.Status.Word()
	return &head{
		Title: status + " " + title + " - memaudit", Policy: Policy,
		Style: template.CSS(styleSheet), //nolint:gosec // the style sheet is the program's own
		Class: verdictClass(p.r.Verdict.Status), Status: status, Verdict: wording.Verdict(p.r),
		Machine: strings.Join(slices.DeleteFunc(pieces, func(s string) bool { return s == "" }), " · "),
		Checks:  checks, Outdated: p.r.Outdated, Version: version + ", " + p.r.Schema + ", " + p.r.GeneratedAt, Sections: p.sections(),
	}
}

// verdictClass is the class of the style sheet for a status.
func verdictClass(s report.Status) string {
	if s == report.StatusOK {
		return "pass"
	}
	return string(s)
}

func platform(m *report.Machine) string {
	out := "not recognised"
	if m.Platform.ID != nil {
		out = *m.Platform.ID
	}
	if m.Platform.Name != nil {
		out += ", " + *m.Platform.Name
	}
	if m.Platform.Certainty == fact.Indirect.String() {
		out += ", by one source only"
	}
	if m.Virtual != nil && *m.Virtual {
		out += ", virtual machine"
		if m.Hypervisor != nil {
			out += " (" + *m.Hypervisor + ")"
		}
	}
	return out
}

func profile(r *report.Report) string {
	if r.Profile == nil {
		if why := report.OrEmpty(r.Why); why != "" {
			return "none: " + why
		}
		return "none"
	}
	out := r.Profile.ID
	if s := report.OrEmpty(r.Profile.Source); s != "" {
		out += " (" + s + ")"
	}
	return out
}

// facts lists what was recognised, what it was checked against and when, and the identifiers if they
// were asked for.
func (p *page) facts() []pair {
	out := pairs("platform", platform(&p.r.Machine), "profile", profile(p.r), "audited", p.r.GeneratedAt)
	if id := p.r.Machine.Identifiers; id != nil {
		out = append(out, pairs("system serial", report.OrEmpty(id.SystemSerial), "system UUID", report.OrEmpty(id.SystemUUID),
			"board serial", report.OrEmpty(id.BoardSerial), "chassis serial", report.OrEmpty(id.ChassisSerial), "asset tag", report.OrEmpty(id.AssetTag))...)
	}
	return out
}
