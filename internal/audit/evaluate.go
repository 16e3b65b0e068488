package audit

import (
	"cmp"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
)

// evaluateRule evaluates one id: for each subject the first of its candidates (narrowest first) that applies.
func (r *auditRun) evaluateRule(candidates []*rulepack.Rule) {
	matching := slices.DeleteFunc(slices.Clone(candidates), func(c *rulepack.Rule) bool { return !r.matchesMachine(c.For, false) })
	if len(matching) == 0 {
		general := candidates[len(candidates)-1]
		f := startRule(general, inventory.Subject{})
		f.Result, f.Reason = verdict.NotApplicable, nullable.String(general.DescribeConcern())
		r.add(f)
		return
	}
	subjects, known := r.facts.Subjects(matching[0].Subject)
	if len(subjects) == 0 {
		r.noSubject(matching[0], known)
		return
	}
	var findings []verdict.Finding
	var rules []*rulepack.Rule
	for _, s := range subjects {
		f, decisive := r.firstApplicable(matching, s)
		if !r.options.Bare {
			f.Citation = r.citeDocument(decisive, s)
		}
		if f.Result == verdict.Pass && !r.sys.Machine.Product.Known() {
			r.demotePass(candidates, decisive, &f)
		}
		if r.options.Prerequisites {
			f.Prerequisites = r.metWords(decisive, s)
		}
		findings, rules = append(findings, f), append(rules, decisive)
	}
	if !slices.ContainsFunc(findings, func(f verdict.Finding) bool { return f.Result != verdict.NotApplicable }) {
		findings[0].Subject = inventory.Subject{}
		findings, rules = findings[:1], rules[:1]
	}
	for i, f := range findings {
		at := r.add(f)
		if on := slices.Concat(rules[i].DependsOn, r.follows[f.Rule]); len(on) > 0 {
			r.depends[at], r.counters[at] = on, rules[i].Subject == facts.SubjectCounter
		}
	}
}

// A rule about single products may apply, too, which only the missing product name could decide.
func (r *auditRun) demotePass(candidates []*rulepack.Rule, decisive *rulepack.Rule, f *verdict.Finding) {
	for _, c := range candidates[:slices.Index(candidates, decisive)] {
		if c.For != nil && len(c.For.Products) > 0 && r.matchesMachine(c.For, true) {
			f.Result, f.Severity = verdict.Unknown, c.Usual
			f.Reason = nullable.String("it is not known whether a narrower rule applies to this machine (" + c.Title + "): firmware does not give the product's name")
			f.KnownBy = "the product's name"
			return
		}
	}
}

// matchesMachine checks a rule's match against the machine. An unknown platform does not match, so that the broader rule
// applies; of an unknown name it returns unknown.
func (r *auditRun) matchesMachine(m *rulepack.Match, unknown bool) bool {
	if m == nil {
		return true
	}
	if len(m.Platforms) > 0 {
		p, ok := r.population.Platform.Get()
		if !ok || !slices.Contains(m.Platforms, p.ID) {
			return false
		}
	}
	return matchText(m.Vendors, r.sys.Machine.Vendor, strings.HasPrefix, unknown) &&
		matchText(m.Products, r.sys.Machine.Product, strings.Contains, unknown)
}

func matchText(wanted []string, text fact.Fact[string], match func(s, part string) bool, unknown bool) bool {
	switch {
	case len(wanted) == 0:
		return true
	case !text.Known():
		return unknown
	default:
		return slices.ContainsFunc(wanted, func(w string) bool { return match(text.Value, w) })
	}
}

// noSubject adds the single finding of a rule without subjects. A guest has no physical memory to check;
// otherwise the reason is why the subjects are unknown.
func (r *auditRun) noSubject(rule *rulepack.Rule, known facts.Value) {
	f := startRule(rule, inventory.Subject{})
	s := facts.Subject{}
	if o := r.ruleApplies(rule, s); o.Val == types.False {
		f.Result, f.Reason = verdict.NotApplicable, nullable.String(rule.DescribeConcern())
	} else if known.Known() {
		f.Result, f.Reason = verdict.NotApplicable, nullable.String(cmp.Or(known.Reason, "the machine has no "+rule.Subject))
	} else {
		f.Result, f.Reason, f.KnownBy = verdict.Unknown, nullable.String(known.Reason), nullable.String(known.KnownBy)
	}
	r.add(f)
}

// The result is that for all subjects if the expression does not use the subject.
func (r *auditRun) ruleApplies(rule *rulepack.Rule, s facts.Subject) facts.Outcome {
	if rule.Applies == "" {
		return facts.Outcome{Val: types.True}
	}
	if virtual, known := r.sys.Machine.Virtual.Get(); rule.Physical && known && virtual {
		return facts.Outcome{Val: types.False} // without planning the expressions of all rules
	}
	if got, ok := r.applied[rule]; ok && !rule.PerSubject {
		return got
	}
	_, o := r.evaluateCondition(rule.Applies, s)
	if !rule.PerSubject && o.Val != nil {
		r.applied[rule] = o
	}
	return o
}

// If none is known to apply but one may, the result is unknown.
func (r *auditRun) firstApplicable(candidates []*rulepack.Rule, s facts.Subject) (verdict.Finding, *rulepack.Rule) {
	var unsure verdict.Finding
	var unsureRule *rulepack.Rule
	for _, rule := range candidates {
		o := r.ruleApplies(rule, s)
		f := startRule(rule, s.Of)
		switch {
		case o.Err != nil:
			f.Result, f.Reason = verdict.Error, nullable.String("applies: "+o.Err.Error())
			return f, rule
		case o.Val == nil:
			if unsureRule == nil {
				r.explainUnknown(&f, o)
				unsure, unsureRule = f, rule
			}
		case o.Val == types.True:
			r.checkSubject(rule, s, &f)
			return f, rule
		}
	}
	if unsureRule != nil {
		return unsure, unsureRule
	}
	last := candidates[len(candidates)-1]
	f := startRule(last, s.Of)
	f.Result, f.Reason = verdict.NotApplicable, nullable.String(last.DescribeConcern())
	return f, last
}

func startRule(r *rulepack.Rule, subject inventory.Subject) verdict.Finding {
	f := verdict.Finding{Rule: r.ID, Title: nullable.String(r.Title), Subject: subject, Why: nullable.String(r.Why), Citation: r.Citation, Mark: r.Mark, Headline: r.Headline}
	f.Severity = r.Usual
	return f
}

func (r *auditRun) checkSubject(rule *rulepack.Rule, s facts.Subject, f *verdict.Finding) {
	holds, o := r.evaluateCondition(rule.Check, s)
	f.Certainty = rule.CapCertainty(r.scope.Certainty)
	if !r.options.Bare && !r.options.NoReadings {
		f.Evidence = r.scope.Evidence()
	}
	doubt := r.doubtOfFacts(rule)
	switch {
	case o.Err != nil:
		f.Result, f.Reason = verdict.Error, nullable.String("check: "+o.Err.Error())
	case o.Val == nil:
		r.explainUnknown(f, o)
	case holds && r.scope.Doubt != nil:
		f.Result, f.Certainty = verdict.Unknown, fact.None
		f.Reason, f.KnownBy = nullable.String(r.scope.Doubt.Reason), nullable.String(r.scope.Doubt.KnownBy)
	case holds:
		f.Result, f.Explains = verdict.Pass, rule.Explains
	default:
		f.Result = verdict.Fail
	}
	if !r.options.Bare && (f.Result == verdict.Fail || f.Explains) {
		describeFinding(&r.engine.programs, r.scope, rule, r.sys.Machine.Vendor.Or(""), f)
	}
	if len(rule.Prerequisites) > 0 && (f.Result == verdict.Fail || f.Result == verdict.Unknown) {
		doubt = cmp.Or(r.completeFeature(rule, s, f), doubt)
	}
	if f.Result == verdict.Fail || f.Result == verdict.Unknown {
		if verdict.Severity(rule.Severity).Rank() == 0 {
			r.decideSeverity(rule, s, f, &doubt)
		}
		capSeverity(f, doubt)
	}
}

// exportDoubt is the doubt of an export with names that no document confirms, or of another machine.
const exportDoubt = "no document confirms what the export says of this machine's settings"

// doubtOfFacts is a contradiction about a fact that the expression read, or that no document confirms it.
func (r *auditRun) doubtOfFacts(rule *rulepack.Rule) string {
	unverified := r.scope.Unverified
	switch {
	case r.scope.Doubt != nil:
		return r.scope.Doubt.Reason
	case unverified != "" && rule.Subject == "setting":
		return exportDoubt
	case unverified != "" && slices.ContainsFunc(r.population.Placements, func(p place.Placement) bool { return p.Unverified }):
		return "no document confirms which slot is on which channel"
	case unverified != "":
		meaning, _, _ := strings.Cut(unverified, ", in ")
		return "no document confirms it for this machine: " + meaning
	case rule.For != nil && len(rule.For.Platforms) > 0 && r.population.Platform.Unverified:
		return "no document confirms that the processor is of " + r.population.Platform.Value.Name
	default:
		return ""
	}
}

// add appends a finding. If the table may be another machine's than the system tree, a finding is at most info;
// except memory errors, which the kernel counted itself, whatever the table lists.
func (r *auditRun) add(f verdict.Finding) int {
	if r.sys.Firmware.Doubt != "" && f.Result == verdict.Fail && !strings.HasPrefix(f.Rule, "memory.errors.") {
		capSeverity(&f, r.sys.Firmware.Doubt)
	}
	r.out.Findings = append(r.out.Findings, f)
	return len(r.out.Findings) - 1
}

// capSeverity lowers a severity to what the facts allow. A failure that doubt lowers is not decided.
func capSeverity(f *verdict.Finding, doubt string) {
	switch {
	case doubt != "" && f.Severity.Rank() > verdict.Info.Rank():
		f.Severity = verdict.Info
		if f.Result == verdict.Fail {
			f.Doubt = nullable.String(doubt)
		}
	case f.Certainty <= fact.Indirect && f.Severity == verdict.Critical:
		f.Severity = verdict.Warning
	}
}

// decideSeverity evaluates a severity that is an expression. doubt becomes what is in doubt about facts that the check did not use.
func (r *auditRun) decideSeverity(rule *rulepack.Rule, s facts.Subject, f *verdict.Finding, doubt *string) {
	r.scope.SetSubject(s)
	text, err := r.engine.programs.Word(r.scope, rule.Severity)
	*doubt = cmp.Or(*doubt, r.doubtOfFacts(rule))
	switch {
	case err != nil:
		f.Result, f.Reason = verdict.Error, nullable.String("severity: "+err.Error())
	case verdict.Severity(text).Rank() > 0:
		f.Severity = verdict.Severity(text)
	case text == facts.NotKnown:
		f.Severity = verdict.Info // the severity is unknown: use the lowest
	default:
		f.Result, f.Reason = verdict.Error, nullable.String("severity: expression gives "+text+", expected info, warning or critical")
	}
}

func (r *auditRun) evaluateCondition(src string, s facts.Subject) (bool, facts.Outcome) {
	r.scope.SetSubject(s)
	return r.engine.programs.Bool(r.scope, src)
}

// describeFinding fills in the texts of a rule. A failing one never changes the verdict: its error is printed instead.
func describeFinding(programs *facts.Programs, s *facts.Scope, rule *rulepack.Rule, vendor string, f *verdict.Finding) {
	say := func(src string) string {
		text, err := programs.Text(s, src)
		if err != nil {
			return "(text of the rule is broken: " + err.Error() + ")"
		}
		return text
	}
	texts := rule.Texts()
	f.Found, f.Expected = nullable.String(say(texts.Found)), nullable.String(say(texts.Expected))
	f.Short, f.Label, f.Fix = say(texts.Short), say(texts.Label), say(texts.Fix)
	f.Remedy = nullable.String(say(texts.RemedyFor(vendor)))
	if e := texts.Effect; e != nil {
		if text := say(e.Text); text != "" { // it may be empty for this machine
			f.Effect = e.MeasuredEffect(text, say(e.Source), rule.Citation)
		}
	}
}

func (r *auditRun) explainUnknown(f *verdict.Finding, o facts.Outcome) {
	f.Result = verdict.Unknown
	f.Certainty = fact.None
	if !r.options.Bare && !r.options.NoReadings {
		f.Evidence = r.scope.Evidence()
	}
	var reasons, knownBy []string
	for _, name := range o.Missing {
		v := r.scope.Read(name)
		reason := cmp.Or(v.Reason, name+" is not known")
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		if one := string(v.KnownBy); one != "" && !slices.Contains(knownBy, one) {
			knownBy = append(knownBy, one)
		}
	}
	f.Reason = nullable.String(cmp.Or(strings.Join(reasons, "; "), "a fact the rule needs is not known"))
	f.KnownBy = nullable.String(strings.Join(knownBy, fact.BetweenInputs))
}
