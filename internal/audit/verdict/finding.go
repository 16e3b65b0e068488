package verdict

import (
	"strings"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
)

// Waiver is an accepted failure.
type Waiver struct {
	Reason string
	Until  string
	// Population says that the machine's whole population is accepted, not this failure.
	Population bool
}

// Finding is the result of one rule for one subject.
type Finding struct {
	Rule, Title string
	Result      Result
	// Severity is the rule's after all caps.
	Severity Severity
	// Subject is the thing judged.
	Subject inventory.Subject
	// Found, Expected: what is and what the document asks for.
	Found, Expected string
	// Why is the rule's reason in one sentence.
	Why string
	// Reason says why the result is unknown, not_applicable or error; KnownBy
	// what would make an unknown known.
	Reason, KnownBy string
	// CausedBy is the rule whose failure this finding follows from.
	CausedBy string
	Effect   *Effect
	Remedy   string
	Evidence []fact.Evidence
	// Certainty is the lowest of the facts read.
	Certainty fact.Certainty
	Citation  *Citation
	Waiver    *Waiver
	// Short is what is wrong in a few words, Headline the same of the whole machine, and Fix
	// what to do in one sentence; "" where the rule has none.
	Short, Headline, Fix string
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

// Comparison is one machine checked against every profile that a document gives
// for it.
type Comparison struct {
	// Profiles are those written for this machine, in file order.
	Profiles []ProfileComparison
	// Undecided are profiles that may or may not be written
	// for it; they are never compared.
	Undecided []Undecided
	// Why says why Profiles is empty.
	Why string
}

// ProfileComparison is a machine beside one profile.
type ProfileComparison struct {
	Profile Profile
	// Intents are all that the profile answers.
	Intents []string
	// Analogy says which machines the document itself speaks of, when this one
	// is none of them; "" otherwise.
	Analogy string
	// Findings has one entry for each setting, in the order of the document,
	// with the profile's own levels.
	Findings []Finding
	// Rows is aligned with Findings: the document's own row, also where it does
	// not speak of this machine.
	Rows    []ProfileRow
	Summary Summary
	// Closest marks the profiles from which the fewest settings are known to
	// differ, and of those the ones with which the most agree. A profile with
	// which no setting is known to agree is never closest.
	Closest bool
}

// Undecided is a profile that may or may not be written for the machine.
type Undecided struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// ProfileRow is what a document wants of one setting.
type ProfileRow struct {
	// Want are the values that the document accepts.
	Want []string
	// Note and Exceptions are the document's own, "" and nil where it has none.
	Note       string
	Exceptions []string
}

// Role is what a rule's result is to a plan for the machine's modules, by the
// rule's own words; the zero Role is a rule whose result stays whatever is moved.
type Role struct{ Layout, Running, Told, Modules, Order, Purchase, Permits, Nodes bool }

// PresetStep is the one step that fulfils several rows of a profile: the
// vendor's master preset is set to the value that, by the profile's own
// document, writes them.
type PresetStep struct {
	// Setting is the canonical id of the preset, Preset its new value as the
	// profile names it, Value as the tool or the menu spells it, From the one that
	// it has now.
	Setting, Preset, Value, From string
	// Tool and Command are a documented command line, Menu the way through BIOS
	// setup; "" if no document gives one. At least one is set.
	Tool, Command, Menu string
	// Writes are the settings that the preset writes, with what the document says
	// it writes; Silent are those that it governs without the document's saying
	// what it writes.
	Writes map[string]string
	Silent []string
	// Source is the document that says what the preset writes.
	Source string
}
