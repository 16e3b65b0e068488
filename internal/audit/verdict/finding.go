package verdict

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Waiver is the acceptance of a failure.
type Waiver struct {
	Reason string `json:"reason"`
	// Until is its last day (YYYY-MM-DD).
	Until nullable.String `json:"until" jsonschema:"nullable"`
	// Population is set if the machine's complete population is accepted, not this failure alone.
	Population bool `json:"population,omitempty"`
}

// Prerequisite is what a feature needs, and how the machine meets it, in words.
type Prerequisite struct {
	Title, Met string
	Result     Result
	// Layout is set if a layout of modules decides whether it is met; Source names its document.
	Layout bool
	Source string
}

// Ref names a finding.
type Ref struct {
	Rule    string            `json:"rule"`
	Subject inventory.Subject `json:"subject"`
}

func (r Ref) String() string { return r.Rule + " " + r.Subject.String() }

// Finding is the result of one rule for one subject, as the audit makes it and the report's document has it.
type Finding struct {
	Rule   string          `json:"rule"`
	Title  nullable.String `json:"title" jsonschema:"nullable"`
	Result Result          `json:"result"`
	// Severity is the rule's after all caps.
	Severity Severity `json:"severity"`
	// Subject is what was checked.
	Subject inventory.Subject `json:"subject"`
	// Found and Expected are what is and what the document asks for.
	Found    nullable.String `json:"found" jsonschema:"nullable"`
	Expected nullable.String `json:"expected" jsonschema:"nullable"`
	// Why is the rule's reason in one sentence.
	Why nullable.String `json:"why" jsonschema:"nullable"`
	// Reason is the reason if the result is unknown, not_applicable or error; KnownBy is what would make it known.
	Reason  nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy nullable.String `json:"known_by" jsonschema:"nullable"`
	// CausedBy is the rule whose failure this finding follows from; Causes are its failures, and those of other rules
	// that it follows from.
	CausedBy nullable.String `json:"caused_by" jsonschema:"nullable"`
	Causes   []Ref           `json:"causes,omitempty"`
	Effect   *Effect         `json:"effect" jsonschema:"nullable"`
	Remedy   nullable.String `json:"remedy" jsonschema:"nullable"`
	// Advice are the ids of the entries of the report's advice that cure it.
	Advice   []string        `json:"advice"`
	Evidence []fact.Evidence `json:"evidence"`
	// Certainty is the lowest of the facts read.
	Certainty fact.Certainty `json:"certainty"`
	Citation  *Citation      `json:"citation" jsonschema:"nullable"`
	Waiver    *Waiver        `json:"waiver" jsonschema:"nullable"`
	// Doubt is what is in doubt about a failure's facts, if that lowered its severity; such a failure decides nothing.
	Doubt nullable.String `json:"doubt,omitempty"`
	// Short is the fault in a few words, Label the same without figures that move, Headline for the complete machine, and
	// Fix what to do in one sentence; "" if the rule has none.
	Short    string `json:"-"`
	Label    string `json:"-"`
	Headline string `json:"-"`
	Fix      string `json:"-"`
	// Value is the present value of a setting that differs from the profile.
	Value string `json:"-"`
	// Mark is what a failure is called below the picture of its socket.
	Mark string `json:"-"`
	// Prerequisites are what a feature needs, each with how the machine meets it, for explain.
	Prerequisites []Prerequisite `json:"-"`
	// Explains is set for a pass that is listed for its explanation.
	Explains bool `json:"-"`
}

// mostCauses limits the causes that CauseText lists.
const mostCauses = 4

// CauseText lists the failures that the finding follows from, "" for none.
func (f *Finding) CauseText() string {
	if len(f.Causes) == 0 { // a document of an earlier version
		return string(f.CausedBy)
	}
	causes := make([]string, len(f.Causes))
	for i, cause := range f.Causes {
		causes[i] = cause.String()
	}
	return humanize.Truncated(mostCauses, causes)
}

// RootCauses returns for each failure the index of the failure that it follows from in the end, of several the most severe:
// its own index for a root cause, in a cycle, and for what does not fail.
func RootCauses(findings []Finding) []int {
	failed, first := map[Ref]int{}, map[string]Ref{}
	for i := len(findings) - 1; i >= 0; i-- {
		if f := &findings[i]; f.Result == Fail {
			first[f.Rule] = Ref{f.Rule, f.Subject}
			failed[first[f.Rule]] = i
		}
	}
	const unset = -1
	roots := slices.Repeat([]int{unset}, len(findings))
	var root func(i int) int
	root = func(i int) int {
		if roots[i] != unset {
			return roots[i]
		}
		roots[i] = i // a cycle ends here
		best, f, refs := i, &findings[i], findings[i].Causes
		if len(refs) == 0 { // a document of an earlier version names the rule alone: the failure of the same subject is meant, else the first
			refs = []Ref{{string(f.CausedBy), f.Subject}}
			if _, same := failed[refs[0]]; !same {
				refs[0] = first[string(f.CausedBy)]
			}
		}
		for _, ref := range refs {
			cause, known := failed[ref]
			if !known {
				continue
			}
			if up := root(cause); up != i && (best == i || findings[up].Severity.Rank() > findings[best].Severity.Rank()) {
				best = up
			}
		}
		roots[i] = best
		return best
	}
	for i := range findings {
		if findings[i].Result == Fail {
			root(i)
		} else {
			roots[i] = i
		}
	}
	return roots
}

// SettingRules begins the ids of the checks of settings against a profile.
const SettingRules = "setting."

var inBrackets = lazy.Pattern(` \([^()]*\)`)

// WithoutBrackets removes text in brackets, from the innermost on.
func WithoutBrackets(s string) string {
	for inBrackets().MatchString(s) {
		s = inBrackets().ReplaceAllString(s, "")
	}
	return s
}

// Summary describes a failure in a few words: the rule's short sentence; without one what was found, up to the first
// semicolon and the list after a colon, without brackets.
func (f *Finding) Summary() string {
	if f.Short != "" {
		return f.Short
	}
	found, _, _ := strings.Cut(WithoutBrackets(string(f.Found)), "; ")
	if head, _, ok := strings.Cut(found, ": "); ok && strings.Count(head, " ") > 1 {
		return head
	}
	return cmp.Or(found, "fails "+f.Rule)
}

// Summary counts findings by result.
type Summary struct {
	Pass          int `json:"pass" jsonschema:"minimum=0"`
	Fail          int `json:"fail" jsonschema:"minimum=0"`
	Unknown       int `json:"unknown" jsonschema:"minimum=0"`
	NotApplicable int `json:"not_applicable" jsonschema:"minimum=0"`
	Waived        int `json:"waived" jsonschema:"minimum=0"`
	Error         int `json:"error" jsonschema:"minimum=0"`
	// Worst is the highest severity among the failures, "" without one.
	Worst Severity `json:"worst_severity" jsonschema:"nullable"`
}

// Profile is the documented profile the machine was checked against. Source
// names the document in one line.
type Profile struct {
	ID     string          `json:"id"`
	Intent nullable.String `json:"intent" jsonschema:"nullable"`
	Title  nullable.String `json:"title" jsonschema:"nullable"`
	Source nullable.String `json:"source" jsonschema:"nullable"`
	// Part is how much of its document the profile that was asked for holds, null for all of it.
	Part nullable.String `json:"part" jsonschema:"nullable"`
	// Vendor is the source's, "" if the document is about other machines.
	Vendor string `json:"-"`
}

// Audit is everything an evaluation yields.
type Audit struct {
	Findings []Finding
	Summary  Summary
	// Profile is nil if none is applied; ProfileWhy is the reason, with the name. ProfileAsked is set if a flag or the
	// configuration named it: a requested profile that is not applied leaves the request unanswered.
	Profile      *Profile
	ProfileWhy   string
	ProfileAsked bool
	// Notices are remarks about the configuration: a waiver that matches
	// nothing, one past its date.
	Notices []string
}

// FilterByPrefix is the audit's findings of the rules whose ids begin with a prefix, checked
// against no profile.
func (a *Audit) FilterByPrefix(prefix string) *Audit {
	out := &Audit{ProfileWhy: "not asked for", Notices: a.Notices}
	for _, f := range a.Findings {
		if strings.HasPrefix(f.Rule, prefix) {
			out.Findings = append(out.Findings, f)
		}
	}
	out.Summary = Summarize(out.Findings)
	return out
}

// Summarize counts the findings by result and finds the worst failure.
func Summarize(findings []Finding) Summary {
	var s Summary
	for _, f := range findings {
		switch f.Result {
		case Pass:
			s.Pass++
		case Fail:
			s.Fail++
			if f.Severity.Rank() > s.Worst.Rank() {
				s.Worst = f.Severity
			}
		case Unknown:
			s.Unknown++
		case NotApplicable:
			s.NotApplicable++
		case Waived:
			s.Waived++
		case Error:
			s.Error++
		}
	}
	return s
}

// Comparison is one machine checked against every profile that a document gives for it. Its lists are never nil: JSON
// has [].
type Comparison struct {
	// Profiles are those written for this machine, in file order; Why is the reason why there is none.
	Profiles []HeldProfile   `json:"profiles"`
	Why      nullable.String `json:"why" jsonschema:"nullable"`
	// Undecided are profiles that may or may not be written for it; they are never compared.
	Undecided []Undecided `json:"undecided"`
}

// HeldProfile compares the machine's settings with a profile. Agrees, Differs, Unknown, NotApplicable and Error count
// its settings; an unknown one never counts as agreement. Closest marks the profiles with the fewest known
// differences, and of those the ones with most agreement.
type HeldProfile struct {
	ID string `json:"id"`
	// Intent is the first of Intents, null without any.
	Intent  nullable.String `json:"intent" jsonschema:"nullable"`
	Intents []string        `json:"intents"`
	// Analogy names the machines that the document covers, if this one is not among them.
	Analogy       nullable.String `json:"analogy" jsonschema:"nullable"`
	Title         nullable.String `json:"title" jsonschema:"nullable"`
	Source        nullable.String `json:"source" jsonschema:"nullable"`
	Closest       bool            `json:"closest"`
	Agrees        int             `json:"agrees" jsonschema:"minimum=0"`
	Differs       int             `json:"differs" jsonschema:"minimum=0"`
	Unknown       int             `json:"unknown" jsonschema:"minimum=0"`
	NotApplicable int             `json:"not_applicable" jsonschema:"minimum=0"`
	Error         int             `json:"error" jsonschema:"minimum=0"`
	Settings      []HeldSetting   `json:"settings"`
}

// HeldSetting is one setting of a profile on this machine: pass agrees, fail differs. Wanted lists the values that
// the document accepts; Found names the value that was compared. Remedy and Effect are set if the setting differs.
type HeldSetting struct {
	Setting  string          `json:"setting"`
	Result   Result          `json:"result"`
	Severity Severity        `json:"severity"`
	Wanted   []string        `json:"wanted"`
	Found    nullable.String `json:"found" jsonschema:"nullable"`
	Reason   nullable.String `json:"reason" jsonschema:"nullable"`
	KnownBy  nullable.String `json:"known_by" jsonschema:"nullable"`
	Effect   *Effect         `json:"effect" jsonschema:"nullable"`
	Remedy   nullable.String `json:"remedy" jsonschema:"nullable"`
	// Note and Exceptions are the document's own.
	Note       nullable.String `json:"note" jsonschema:"nullable"`
	Exceptions []string        `json:"exceptions"`
	Place      nullable.String `json:"place" jsonschema:"nullable"`
}

// Undecided is a profile that may or may not be written for the machine.
type Undecided struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Role is what a rule's result is to a plan for the machine's modules, by the
// rule's own words; the zero Role is a rule whose result stays whatever is moved.
type Role struct{ Layout, Running, Told, Modules, Order, Purchase, Permits, Nodes, Feature bool }

// PresetStep is the one step that fulfils several rows of a profile: the
// vendor's preset is set to the value that, by the profile's own
// document, writes them.
type PresetStep struct {
	// Setting is the canonical id of the preset, Preset its new value as the
	// profile names it, Value as the tool or the menu spells it, From the one that
	// it has now.
	Setting, Preset, Value, From string
	// Tool and Command are a documented command line, Menu the way through BIOS
	// setup; "" if no document gives one. At least one is set.
	Tool, Command, Menu string
	// Writes are the settings that the preset writes, with the documented values; Silent are those that it governs
	// without a documented value.
	Writes map[string]string
	Silent []string
	// Source is the document about what the preset writes.
	Source string
}
