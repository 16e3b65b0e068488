package verdict

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
)

// Waiver is an accepted failure.
type Waiver struct {
	Reason string
	Until  string
}

// Finding is the result of one rule for one subject.
type Finding struct {
	Rule, Title string
	Result      Result
	// Severity is the rule's after all caps.
	Severity Severity
	// Subject names the thing judged: machine, socket 0,
	// slot 0x1101 (DIMM_A4), node 1, setting turbo.
	Subject string
	// Found, Expected: what is and what the document asks for.
	Found, Expected string
	// Why is the rule's reason in one sentence.
	Why string
	// Reason says why the result is unknown, not_applicable or error; KnownBy
	// what would make an unknown known.
	Reason, KnownBy string
	// CausedBy is "RULE" or "RULE SUBJECT" of the finding this one follows
	// from.
	CausedBy string
	Effect   *Effect
	Remedy   string
	Evidence []fact.Evidence
	// Certainty is the lowest of the facts read.
	Certainty fact.Certainty
	Citation  *Citation
	Waiver    *Waiver
	// Mark is what a failure is called below the picture of its socket.
	Mark string
	// Explains is true for a pass that is there for what it says.
	Explains bool
}

// Summary counts results over findings.
type Summary struct {
	Pass, Fail, Unknown, NotApplicable, Waived, Error int
	// Worst is the highest severity among the failures, "" without one.
	Worst Severity
}

// Profile is the profile an audit was checked against.
type Profile struct {
	ID, Intent, Title string
	Citation          Citation
}

// Audit is everything an evaluation yields.
type Audit struct {
	Findings []Finding
	Summary  Summary
	// Profile is nil when none is applied; ProfileWhy says why, with the name.
	// ProfileAsked is true when flag or configuration named it: one that was asked
	// for and is not applied leaves what was asked unjudged.
	Profile      *Profile
	ProfileWhy   string
	ProfileAsked bool
	// Notices are remarks about the configuration: a waiver that matches
	// nothing, one past its date.
	Notices []string
}

// Area is the audit's findings of the rules whose ids begin with a prefix, checked
// against no profile.
func (a *Audit) Area(prefix string) *Audit {
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
