package audit

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// Profiles lists the loaded profiles in file order.
func (e *Engine) Profiles() []*rulepack.ListedProfile { return e.profiles }

// A profile of another platform is never used.
func (r *auditRun) resolveProfile(name string) (*rulepack.ListedProfile, string) {
	intent := slices.Contains(rulepack.Intents[:], name)
	var chosen *rulepack.ListedProfile
	var reasons []string
	for _, p := range r.engine.profiles {
		if p.ID != name && (!intent || !p.ServesIntent(name)) {
			continue
		}
		applies, reason := r.profileApplies(p)
		if !applies {
			reasons = append(reasons, reason)
			continue
		}
		if chosen == nil || p.For.CountLists() > chosen.For.CountLists() {
			chosen = p
		}
	}
	switch {
	case chosen != nil:
		return chosen, ""
	case !intent && len(reasons) > 0:
		return nil, reasons[0]
	case !r.population.Platform.Known():
		return nil, "no document is known to give a profile for " + name + ": the machine's platform is not known"
	default:
		return nil, "no document for this machine gives a profile for " + name
	}
}

func (r *auditRun) profileApplies(p *rulepack.ListedProfile) (bool, string) {
	switch {
	case r.writtenFor(p):
	case r.mayMatchMachine(p.For):
		return false, "whether the profile " + p.ID + " is written for this machine is not known"
	default:
		return false, "the profile " + p.ID + " is written for other machines"
	}
	if p.Applies == "" || r.runsFirmware(p.Firmware) {
		return true, ""
	}
	switch applies, o := r.evaluateCondition(p.Applies, facts.Subject{}); {
	case o.Err != nil:
		return false, "the profile " + p.ID + " is broken: " + o.Err.Error()
	case o.Val == nil:
		return false, "whether the profile " + p.ID + " is written for this machine is not known"
	default:
		return applies, "the profile " + p.ID + " is written for other machines"
	}
}

func (r *auditRun) mayMatchMachine(m *rulepack.Match) bool {
	p, known := r.population.Platform.Get()
	return (!known || len(m.Platforms) == 0 || slices.Contains(m.Platforms, p.ID)) &&
		matchText(m.Vendors, r.sys.Machine.Vendor, strings.HasPrefix, true) && matchText(m.Products, r.sys.Machine.Product, strings.Contains, true)
}

func (r *auditRun) namesMachine(p *rulepack.ListedProfile) bool {
	return r.runsFirmware(p.Firmware) || matchText(p.Named, r.sys.Machine.Product, strings.HasSuffix, false) ||
		r.population.Platform.Known() && slices.Contains(p.Named, r.population.Platform.Value.ID)
}

// documentStanding returns the standing of a profile's document for this machine: "" if its vendor wrote it for it,
// Analogous if it names other machines, Practice if another vendor wrote it. A machine with an unknown vendor
// has no other.
func (r *auditRun) documentStanding(p *rulepack.ProfileSpec) verdict.Standing {
	own := r.vendors().machine
	switch {
	case own != "" && platform.VendorWord(p.Citation.Vendor) != own && !r.runsFirmware(p.Firmware):
		return verdict.Practice
	case !r.namesMachine(&p.ListedProfile):
		return verdict.Analogous
	default:
		return ""
	}
}

func (r *auditRun) describeProfile(p *rulepack.ProfileSpec, intent string) *verdict.Profile {
	c := *p.Citation
	c.Standing = r.documentStanding(p)
	out := verdict.Profile{ID: p.ID, Intent: nullable.String(intent), Title: nullable.String(p.Title), Source: nullable.String(c.Line())}
	if c.Standing == "" {
		out.Vendor = c.Vendor
	}
	return &out
}

func (r *auditRun) writtenFor(p *rulepack.ListedProfile) bool {
	return r.matchesMachine(p.For, false) || r.runsFirmware(p.Firmware)
}

func (r *auditRun) runsFirmware(families []string) bool {
	return slices.Contains(families, r.sys.Machine.BIOS.Version.Or("")) || slices.Contains(families, r.firmwareFamily())
}

func (r *auditRun) firmwareFamily() string {
	registry, _, _ := strings.Cut(r.sys.Machine.BIOSRegistry.Or(""), ".")
	if family, ok := strings.CutPrefix(registry, "BiosAttributeRegistry"); ok {
		return family
	}
	return ""
}

func startSetting(p *rulepack.ProfileSpec, w *rulepack.WantedSetting) verdict.Finding {
	c := *p.Citation
	c.Place = cmp.Or(nullable.String(w.Place), c.Place)
	why := p.Title + " asks for " + w.Want.String()
	if w.Note != "" {
		why += "; " + w.Note
	}
	if len(w.Exceptions) > 0 {
		why += "; not where: " + strings.Join(w.Exceptions, ", ")
	}
	subject := inventory.SettingSubject(w.ID)
	return verdict.Finding{Rule: "setting." + w.ID, Title: nullable.String(subject.String() + " as the profile asks"),
		Subject: subject, Severity: verdict.Severity(w.Level), Why: nullable.String(why), Citation: &c}
}

func (r *auditRun) settingApplies(w *rulepack.WantedSetting, f *verdict.Finding) bool {
	if w.Applies == "" {
		return true
	}
	applies, o := r.evaluateCondition(w.Applies, facts.Subject{})
	switch {
	case o.Err != nil:
		f.Result, f.Reason = verdict.Error, nullable.String("applies: "+o.Err.Error())
	case o.Val == nil:
		r.explainUnknown(f, o)
	case !applies:
		f.Result, f.Reason = verdict.NotApplicable, nullable.String("concerns only "+cmp.Or(w.Concerns, "machines where "+w.Applies))
	default:
		return true
	}
	return false
}

// Compare checks a machine against every profile documented for it. Unknown settings are counted separately,
// never as agreement.
func (e *Engine) Compare(sys *inventory.System, topo *population.Result) *verdict.Comparison {
	r := newRun(e, sys, topo, Options{Asked: true})
	out := &verdict.Comparison{Profiles: []verdict.HeldProfile{}, Undecided: []verdict.Undecided{}}
	for _, p := range e.profiles {
		applies, reason := r.profileApplies(p)
		switch {
		case applies:
			out.Profiles = append(out.Profiles, r.compareProfile(p.Whole()))
		case r.isUndecided(p):
			out.Undecided = append(out.Undecided, verdict.Undecided{ID: p.ID, Reason: reason})
		}
	}
	markClosest(out.Profiles)
	switch {
	case len(out.Profiles) > 0:
	case len(out.Undecided) > 0:
		out.Why = "whether a documented profile is written for this machine is not known"
	case !topo.Platform.Known() && topo.Platform.Reason != "":
		out.Why = "no document is known to give a profile for this machine; its platform is not known: " + nullable.String(topo.Platform.Reason)
	default:
		out.Why = "no document gives a profile for this machine"
	}
	return out
}

// Its own condition is unknown, on a machine that its match covers.
func (r *auditRun) isUndecided(p *rulepack.ListedProfile) bool {
	if !r.writtenFor(p) {
		return false
	}
	_, o := r.evaluateCondition(p.Applies, facts.Subject{})
	return o.Val == nil
}

func (r *auditRun) compareProfile(p *rulepack.ProfileSpec) verdict.HeldProfile {
	about := r.describeProfile(p, p.AnsweredIntent(""))
	h := verdict.HeldProfile{ID: about.ID, Intent: about.Intent, Intents: append([]string{}, p.Intents...), Title: about.Title, Source: about.Source}
	if !r.namesMachine(&p.ListedProfile) {
		h.Analogy = nullable.String("the document covers " + strings.Join(p.Named, ", "))
	}
	r.out.Findings = nil
	h.Settings = make([]verdict.HeldSetting, len(p.Settings))
	for i := range p.Settings {
		row := &p.Settings[i]
		r.evaluateSetting(p, row)
		f := &r.out.Findings[i]
		h.Settings[i] = verdict.HeldSetting{Setting: row.ID, Result: f.Result, Severity: f.Severity, Wanted: append([]string{}, row.Want...),
			Found: f.Found, Reason: f.Reason, KnownBy: f.KnownBy, Effect: f.Effect, Remedy: f.Remedy,
			Note: nullable.String(row.Note), Exceptions: append([]string{}, row.Exceptions...), Place: f.Citation.Place}
	}
	n := verdict.Summarize(r.out.Findings)
	h.Agrees, h.Differs, h.Unknown, h.NotApplicable, h.Error = n.Pass, n.Fail, n.Unknown, n.NotApplicable, n.Error
	return h
}

// markClosest leaves out a profile with which no setting is known to agree.
func markClosest(held []verdict.HeldProfile) {
	var best *verdict.HeldProfile
	for i := range held {
		h := &held[i]
		if h.Agrees > 0 && (best == nil || h.Differs < best.Differs || h.Differs == best.Differs && h.Agrees > best.Agrees) {
			best = h
		}
	}
	for i := range held {
		held[i].Closest = best != nil && held[i].Differs == best.Differs && held[i].Agrees == best.Agrees
	}
}
