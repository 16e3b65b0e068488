package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/fact"

	"cel.dev/cel-go/common/types"
)

// rule evaluates one id: of its candidates (narrowest first) the first that
// applies speaks for a subject.
func (r *run) rule(candidates []*Rule) {
	general := candidates[len(candidates)-1]
	matching := slices.DeleteFunc(slices.Clone(candidates), func(c *Rule) bool { return !r.matches(c.For) })
	if len(matching) == 0 {
		r.notConcerned(general)
		return
	}
	subjects, known := r.facts.subjects(matching[0].Subject)
	if len(subjects) == 0 {
		r.noSubject(matching[0], known)
		return
	}
	var findings []Finding
	var rules []*Rule
	for _, s := range subjects {
		f, spoke := r.ask(matching, s)
		findings, rules = append(findings, f), append(rules, spoke)
	}
	if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Result != NotApplicable }) {
		findings[0].Subject = SubjectMachine
		findings, rules = findings[:1], rules[:1]
	}
	for i, f := range findings {
		at := r.add(f)
		if len(rules[i].DependsOn) > 0 {
			if r.depends == nil {
				r.depends = map[int][]string{}
			}
			r.depends[at] = rules[i].DependsOn
		}
	}
}

// matches holds a rule's plain index against the machine. What is not known
// of the machine does not match: the broader rule speaks.
func (r *run) matches(m *Match) bool {
	if m == nil {
		return true
	}
	if len(m.Platforms) > 0 {
		p, ok := r.topo.Platform.Get()
		if !ok || !slices.Contains(m.Platforms, p.ID) {
			return false
		}
	}
	return matchText(m.Vendors, r.sys.Machine.Vendor, strings.HasPrefix) &&
		matchText(m.Products, r.sys.Machine.Product, strings.Contains)
}

func matchText(wanted []string, text fact.Fact[string], match func(s, part string) bool) bool {
	if len(wanted) == 0 {
		return true
	}
	return text.Known() && slices.ContainsFunc(wanted, func(w string) bool { return match(text.Value, w) })
}

// notConcerned is the one entry of a rule that is not about this machine.
func (r *run) notConcerned(rule *Rule) {
	f := startRule(rule, SubjectMachine)
	f.Result, f.Reason = NotApplicable, rule.concern()
	r.add(f)
}

// noSubject is the one entry of a rule without anything to ask it of. A guest
// has no physical memory to judge; else the reason why nothing is known.
func (r *run) noSubject(rule *Rule, known Value) {
	f := startRule(rule, SubjectMachine)
	s := subject{name: SubjectMachine}
	if applies, o := r.applies(rule, s); o.val != nil && !applies {
		f.Result, f.Reason = NotApplicable, rule.concern()
	} else if known.known() {
		f.Result, f.Reason = NotApplicable, cmp.Or(known.reason, "the machine has no "+rule.Subject)
	} else {
		f.Result, f.Reason, f.KnownBy = Unknown, known.reason, known.knownBy
	}
	r.add(f)
}

// applicable is what an applies expression gave.
type applicable struct {
	holds bool
	outcome
}

// applies evaluates a rule's applicability for a subject; once for all
// subjects when the expression does not name the subject.
func (r *run) applies(rule *Rule, s subject) (bool, outcome) {
	if rule.Applies == "" {
		return true, outcome{val: types.True}
	}
	shared := s.variable == "" || !strings.Contains(rule.Applies, s.variable+".")
	if got, ok := r.applied[rule]; ok && shared {
		return got.holds, got.outcome
	}
	p, err := r.engine.programs.Get(rule.Applies, types.BoolType)
	if err != nil {
		return false, outcome{err: err}
	}
	r.scope.about(s)
	holds, o := r.scope.evalBool(p)
	if shared && o.val != nil {
		if r.applied == nil {
			r.applied = map[*Rule]applicable{}
		}
		r.applied[rule] = applicable{holds, o}
	}
	return holds, o
}

// ask lets the narrowest rule that applies speak for one subject. When none
// surely applies but one may, the result is unknown.
func (r *run) ask(candidates []*Rule, s subject) (Finding, *Rule) {
	var unsure *Finding
	var unsureRule *Rule
	for _, rule := range candidates {
		applies, o := r.applies(rule, s)
		f := startRule(rule, s.name)
		switch {
		case o.err != nil:
			f.Result, f.Reason = Error, "applies: "+o.err.Error()
			return f, rule
		case o.val == nil:
			if unsure == nil {
				r.blame(&f, o)
				unsure, unsureRule = &f, rule
			}
		case applies:
			r.check(rule, s, &f)
			return f, rule
		}
	}
	if unsure != nil {
		return *unsure, unsureRule
	}
	last := candidates[len(candidates)-1]
	f := startRule(last, s.name)
	f.Result, f.Reason = NotApplicable, last.concern()
	return f, last
}

// finding starts a finding with what the rule says of itself.
func startRule(r *Rule, subject string) Finding {
	f := Finding{Rule: r.ID, Title: r.Title, Subject: subject, Why: r.Why, Citation: r.Citation}
	f.Severity = r.usual()
	return f
}

// check evaluates a rule that applies and fills the finding.
func (r *run) check(rule *Rule, s subject, f *Finding) {
	if rule.CitePlatform {
		f.Citation = r.platformCitation(rule.Citation)
	}
	p, err := r.engine.programs.Get(rule.Check, types.BoolType)
	if err != nil {
		f.Result, f.Reason = Error, "check: "+err.Error()
		return
	}
	r.scope.about(s)
	holds, o := r.scope.evalBool(p)
	weakest, unverified := r.scope.certainty()
	f.Certainty = rule.cap(weakest)
	f.Evidence = r.scope.evidence()
	unverified = unverified || r.platformUnverified(rule)
	switch {
	case o.err != nil:
		f.Result, f.Reason = Error, "check: "+o.err.Error()
	case o.val == nil:
		r.blame(f, o)
	case holds:
		f.Result = Pass
		if rule.Explains {
			f.Explains = true
			r.describe(rule, f)
		}
	default:
		f.Result = Fail
		r.describe(rule, f)
	}
	if f.Result == Fail || f.Result == Unknown {
		r.severity(rule, f)
		f.Severity = capSeverity(f.Severity, f.Certainty, unverified)
	}
}

// platformCitation is the document behind the platform's data, else the
// rule's own.
func (r *run) platformCitation(own *Citation) *Citation {
	p, ok := r.topo.Platform.Get()
	if !ok || p.Citation.Title == "" {
		return own
	}
	c := p.Citation
	return &Citation{Vendor: c.Vendor, Title: c.Title, Year: c.Year, Place: c.Place, URL: c.URL}
}

// platformUnverified reports whether a rule that is written for platforms
// rests on a recognition that no document confirms.
func (r *run) platformUnverified(rule *Rule) bool {
	return rule.For != nil && len(rule.For.Platforms) > 0 && r.topo.Platform.Unverified
}

// capSeverity lowers a severity to what the facts can carry.
func capSeverity(s Severity, c fact.Certainty, unverified bool) Severity {
	if unverified {
		return Info
	}
	if c <= fact.Indirect && s == Critical {
		return Warning
	}
	return s
}

// severity evaluates a severity that is an expression.
func (r *run) severity(rule *Rule, f *Finding) {
	if Severity(rule.Severity).Rank() > 0 {
		return
	}
	text, err := r.text(rule.Severity)
	switch {
	case err != nil:
		f.Result, f.Reason = Error, "severity: "+err.Error()
	case Severity(text).Rank() > 0:
		f.Severity = Severity(text)
	case text == notKnown:
		f.Severity = Info // what decides the severity is not known: the lowest
	default:
		f.Result, f.Reason = Error, "severity: expression gives "+text+", expected info, warning or critical"
	}
}

// text evaluates a text expression for the subject that the scope is about.
func (r *run) text(src string) (string, error) {
	if src == "" {
		return "", nil
	}
	p, err := r.engine.programs.Get(src, types.StringType)
	if err != nil {
		return "", err
	}
	return r.scope.evalText(p)
}

// describe fills found, expected, effect and remedy. A text that breaks never
// spoils the verdict: the fault stands in its place.
func (r *run) describe(rule *Rule, f *Finding) {
	say := func(src string) string {
		text, err := r.text(src)
		if err != nil {
			return "(text of the rule is broken: " + err.Error() + ")"
		}
		return text
	}
	f.Found, f.Expected = say(rule.Found), say(rule.Expected)
	f.Remedy = say(rule.remedyFor(r.sys.Machine.Vendor.Or("")))
	if e := rule.Effect; e != nil {
		text := e.Text
		if e.Expr != "" {
			text = say(e.Expr)
		}
		if text != "" { // a computed effect may have nothing to say of this machine
			f.Effect = e.effect(text, rule.Citation)
		}
	}
}

// blame says why a result is unknown, from the facts that were missing.
func (r *run) blame(f *Finding, o outcome) {
	f.Result = Unknown
	f.Certainty = fact.None
	f.Evidence = r.scope.evidence()
	var reasons, knownBy []string
	for _, name := range o.missing {
		v := r.scope.read(name)
		reason := v.reason
		if reason == "" {
			reason = name + " is not known"
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		if v.knownBy != "" && !slices.Contains(knownBy, v.knownBy) {
			knownBy = append(knownBy, v.knownBy)
		}
	}
	f.Reason, f.KnownBy = strings.Join(reasons, "; "), strings.Join(knownBy, "; ")
	if f.Reason == "" {
		f.Reason = "a fact the rule needs is not known"
	}
}
