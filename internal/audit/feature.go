package audit

import (
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
)

type prerequisite struct {
	*rulepack.Prerequisite
	result verdict.Result
	// instead is what is there instead of what is needed, fix how to meet it.
	instead, fix string
	certainty    fact.Certainty
	// logged is set if the kernel itself reports it.
	logged bool
}

// One whose facts are in doubt is not known.
func (r *auditRun) prerequisites(rule *rulepack.Rule, s facts.Subject) ([]prerequisite, error) {
	var out []prerequisite
	for i := range rule.Prerequisites {
		p := prerequisite{Prerequisite: &rule.Prerequisites[i]}
		r.scope.SetSubject(s)
		var err error
		if p.result, err = p.Evaluate(&r.engine.programs, r.scope); err != nil {
			return nil, err
		}
		switch {
		case p.result != verdict.Fail:
		case r.scope.Unverified != "" || r.scope.Doubt != nil:
			p.result = verdict.Unknown
		default:
			p.certainty, p.logged = r.scope.Certainty, r.scope.Read("kernel.messages").Known()
			p.instead, p.fix = r.describeInstead(p.Prerequisite), r.prerequisiteFix(p.Prerequisite)
		}
		out = append(out, p)
	}
	return out, nil
}

// Unchecked prerequisites are named unless the kernel itself gives a cause. doubt is about whether the feature was asked for.
func (r *auditRun) completeFeature(rule *rulepack.Rule, s facts.Subject, f *verdict.Finding) (doubt string) {
	list, err := r.prerequisites(rule, s)
	if err != nil {
		f.Result, f.Reason = verdict.Error, nullable.String("prerequisites: "+err.Error())
		return ""
	}
	met := make([]verdict.Result, len(list))
	var unmet []prerequisite
	var said, remarks, unchecked, fixes, follows []string
	logged, certainty := false, fact.Direct
	for i, p := range list {
		met[i] = p.result
		text := "missing: " + p.Title + " (" + p.instead + "; " + prerequisiteSource(p.Prerequisite) + ")"
		switch {
		case p.result == verdict.Unknown && p.Strength == rulepack.Must:
			unchecked = append(unchecked, p.Title)
		case p.result == verdict.Fail && p.Strength == rulepack.Must:
			unmet, said, fixes, follows = append(unmet, p), append(said, text), append(fixes, p.fix), append(follows, p.Follows)
			logged, certainty = logged || p.logged, min(certainty, p.certainty)
		case p.result == verdict.Fail:
			remarks = append(remarks, "perhaps "+text)
		}
	}
	said = append(said, remarks...)
	if len(unchecked) > 0 && !logged {
		said = append(said, "not checked: "+humanize.List(unchecked))
	}
	if f.Result = rule.FeatureResult(f.Result, met); f.Result != verdict.Fail {
		f.Reason = nullable.String(strings.Join(append([]string{string(f.Reason)}, said...), "; "))
		return ""
	}
	r.evaluateCondition(rule.Applies, s)
	doubt = r.doubtOfFacts(rule)
	if !r.options.Bare {
		describeFinding(&r.engine.programs, r.scope, rule, r.sys.Machine.Vendor.Or(""), f)
	}
	f.Reason, f.KnownBy = "", ""
	if len(unmet) == 0 {
		said = append([]string{"the running system shows that it does not work, and nothing that it needs was found missing"}, said...)
	} else {
		f.Certainty = certainty
		f.Short += ": needs " + unmet[0].Title
		if f.Fix = strings.Join(fixes, "; then "); len(fixes) > 1 {
			f.Fix += "; restart in between where setup does not offer the next option yet"
		}
		f.Remedy = nullable.String(f.Fix)
	}
	f.Found = nullable.String(strings.Join(append([]string{string(f.Found)}, said...), "; "))
	if len(follows) > 0 && !slices.Contains(follows, "") {
		r.follows = map[string][]string{f.Rule: follows}
	}
	return doubt
}

func (r *auditRun) describeInstead(p *rulepack.Prerequisite) string {
	if text, _ := r.engine.programs.Text(r.scope, p.Lacks); text != "" { // checked when the pack was loaded
		return text
	}
	set := r.facts.Setting(p.Setting)
	if from := set.Configured.From; set.Configured.Known() && from.Field != "" {
		if set.GreyedOut != "" {
			return "BIOS setup has " + from.Field + " = " + from.Raw + ", greyed out because " + set.GreyedOut
		}
		return "BIOS setup has " + from.Field + " = " + from.Raw
	}
	return "the system runs with " + set.Effective.Text()
}

// prerequisiteFix says how to meet a prerequisite: by the machine's own name of the option where it is known.
func (r *auditRun) prerequisiteFix(p *rulepack.Prerequisite) string {
	if text, _ := r.engine.programs.Text(r.scope, p.Fix); text != "" || p.Setting == "" {
		return text
	}
	set := r.facts.Setting(p.Setting)
	if steps := r.settingSteps(&rulepack.ProfileSpec{}, &rulepack.WantedSetting{ID: p.Setting, Want: p.Want}, set); len(steps) > 0 {
		return steps[0]
	}
	if len(r.sys.Exports) > 0 && !set.Configured.Known() {
		return "the export lists no option that is known for it (" + p.Title + "): ask the vendor of the machine"
	}
	known, _ := settings.Lookup(p.Setting)
	return "set " + strconv.Quote(known.Title) + " to " + p.Want.String() + " in BIOS setup"
}

func prerequisiteSource(p *rulepack.Prerequisite) string {
	if p.Citation == nil {
		return "no document found"
	}
	return p.Citation.Vendor + ", " + p.Citation.Title
}

func (r *auditRun) metWords(rule *rulepack.Rule, s facts.Subject) []verdict.Prerequisite {
	list, _ := r.prerequisites(rule, s)
	var out []verdict.Prerequisite
	for _, p := range list {
		words := map[verdict.Result]string{verdict.Pass: "met", verdict.Fail: "not met: " + p.instead, verdict.Unknown: "not known"}[p.result]
		switch {
		case p.Strength == rulepack.Open:
			words = "no document found, not checked"
		case words == "":
			words = "does not concern this machine (" + p.Concerns + ")"
		}
		out = append(out, verdict.Prerequisite{Title: p.Title, Met: words, Result: p.result, Layout: p.Strength == rulepack.Must && p.Follows != "", Source: prerequisiteSource(p.Prerequisite)})
	}
	return out
}
