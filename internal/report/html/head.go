package html

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/markup"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/report/wording"
)

// header gives the verdict, which machine it is, and how many checks were run.
func (p *pageWriter) header(parts []part) {
	inv := &p.r.Inventory
	p.Open("header")
	p.Open("h1", markup.Class("verdict "+verdictClass(p.r.Verdict.Status)))
	p.Element("strong", p.r.Verdict.Status.Word())
	p.Text(" " + wording.Verdict(p.r))
	p.Close()
	pieces := append(wording.Processors(inv.Sockets), wording.Capacities(inv)...)
	pieces = append(append([]string{report.OrEmpty(p.r.Machine.Host)}, pieces...), wording.BIOS(&p.r.Machine.BIOS))
	pieces = slices.DeleteFunc(pieces, func(s string) bool { return s == "" })
	if len(pieces) > 0 {
		p.Element("p", strings.Join(pieces, " · "), markup.Class("machine"))
	}
	checks, _ := text.Counts(p.r)
	p.Element("p", checks+".", markup.Class("machine"))
	if p.r.Outdated != "" {
		p.Open("p", markup.Class("verdict unknown"))
		p.Element("strong", "OUTDATED")
		p.Text(" " + p.r.Outdated)
		p.Close()
	}
	p.navigation(parts)
	p.Close()
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

// facts says what was recognised, what it was checked against and when, and the identifiers if they
// were asked for.
func (p *pageWriter) facts() {
	p.Open("dl", markup.Class("facts"))
	defer p.Close()
	p.pair("platform", platform(&p.r.Machine))
	p.pair("profile", profile(p.r))
	p.pair("audited", p.r.GeneratedAt)
	id := p.r.Machine.Identifiers
	if id == nil {
		return
	}
	p.pair("system serial", report.OrEmpty(id.SystemSerial))
	p.pair("system UUID", report.OrEmpty(id.SystemUUID))
	p.pair("board serial", report.OrEmpty(id.BoardSerial))
	p.pair("chassis serial", report.OrEmpty(id.ChassisSerial))
	p.pair("asset tag", report.OrEmpty(id.AssetTag))
}

// navigation leads to the parts of the page.
func (p *pageWriter) navigation(parts []part) {
	p.Open("nav", attr("aria-label", "parts of the report"))
	for _, a := range parts {
		p.Element("a", a.title, attr("href", "#"+a.id))
	}
	p.Close()
}

// footer says what made the page.
func (p *pageWriter) footer() {
	version := "memaudit " + p.r.Memaudit.Version
	if p.r.Memaudit.Revision != nil {
		version += " (" + *p.r.Memaudit.Revision + ")"
	}
	p.Line()
	p.Open("footer")
	p.Element("p", version+", "+p.r.Schema+", "+p.r.GeneratedAt+". It reads the machine and never writes to it.")
	p.Close()
}
