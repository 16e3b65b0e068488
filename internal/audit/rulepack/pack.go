// Package rulepack loads rules and profiles from YAML packs, validates them with their own cases, describes
// them, and compiles them ahead of time.
package rulepack

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
)

// Pack is one YAML file of rules and profiles, one file per document.
type Pack struct {
	// Document is a place for the citation that the file's rules share by YAML anchor; it is not used
	// otherwise.
	Document any `yaml:"document,omitempty" cbor:"-"`
	// For applies to every rule of the file without its own `for`.
	For      *Match         `yaml:"for,omitempty"`
	Rules    []*Rule        `yaml:"rules,omitempty"`
	Profiles []*ProfileSpec `yaml:"profiles,omitempty" cbor:"-"`

	// File is the name the pack was read from.
	File string `yaml:"-"`

	// Judges are the settings that the profiles of all compiled packs cover, sorted; the first pack has them. Listed are the pack's
	// profiles.
	Judges []string         `yaml:"-"`
	Listed []*ListedProfile `yaml:"-"`
	// Expressions are those of all compiled packs, for facts.Programs.
	Expressions func(src string, into any) (known bool, err error) `yaml:"-" cbor:"-"`
}

// ListedProfiles lists the pack's profiles in file order.
func (p *Pack) ListedProfiles() []*ListedProfile {
	out := slices.Clone(p.Listed)
	for _, q := range p.Profiles {
		out = append(out, &q.ListedProfile)
	}
	return out
}

// SettingIDs lists the settings that the profiles of packs cover, each once.
func SettingIDs(packs []*Pack) []string {
	var out []string
	for _, p := range packs {
		out = append(out, p.Judges...)
		for _, q := range p.Profiles {
			for i := range q.Settings {
				out = append(out, q.Settings[i].ID)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Match lists the machines a rule is written for. Every given list must match; within a list one entry is
// enough. Rules that it excludes are never compiled.
type Match struct {
	_ struct{} `cbor:",toarray"` // stored without field names
	// Platforms are ids of rules/platforms.
	Platforms []string `yaml:"platforms,omitempty"`
	// Vendors are prefixes of the system manufacturer.
	Vendors []string `yaml:"vendors,omitempty"`
	// Products are parts of the product name.
	Products []string `yaml:"products,omitempty"`
}

// isEquivalent reports whether both match the same machines; nil matches all.
func (m *Match) isEquivalent(other *Match) bool {
	if m == nil || other == nil {
		return m == other
	}
	return slices.Equal(m.Platforms, other.Platforms) && slices.Equal(m.Vendors, other.Vendors) && slices.Equal(m.Products, other.Products)
}

// CountLists counts the given lists: more are narrower.
func (m *Match) CountLists() int {
	n := 0
	if m == nil {
		return 0
	}
	for _, l := range [][]string{m.Platforms, m.Vendors, m.Products} {
		if len(l) > 0 {
			n++
		}
	}
	return n
}

// Rule is one check with all texts of its findings.
type Rule struct {
	_ struct{} `cbor:",toarray"` // stored without field names
	// ID is area.subject.aspect.
	ID    string `yaml:"id"`
	Title string `yaml:"title"`
	// Subject is what the rule is evaluated for: machine, socket, slot, node, setting, baseline or measured.
	Subject string `yaml:"subject"`
	For     *Match `yaml:"for,omitempty"`
	// Applies is an expression; Concerns describes the machines that the rule applies to, for the reason of a
	// not_applicable.
	Applies  string `yaml:"applies,omitempty"`
	Concerns string `yaml:"concerns,omitempty"`
	// Check is the expression that must be true.
	Check string `yaml:"check"`
	// Severity is a word, or an expression of one; the last alternative of an expression is the rule's usual
	// severity.
	Severity string `yaml:"severity"`
	// Certainty limits the certainty of the verdict.
	Certainty string `yaml:"certainty,omitempty"`
	// Headline is what is wrong with the whole machine if places differ ("memory runs below its speed").
	Headline string            `yaml:"headline,omitempty"`
	Why      string            `yaml:"why"`
	Citation *verdict.Citation `yaml:"citation,omitempty"`
	// Written are the texts of a rule that was not compiled: use Texts.
	Written RuleTexts `yaml:",inline" cbor:"-"`
	// Cite names what is cited instead where it is nearer to the machine: topics of rules/platforms/sources.tsv (of the
	// platform's documents about them one by the machine's vendor before one by the CPU vendor, then another's), or
	// one of CiteWords.
	Cite []string `yaml:"cite,omitempty"`
	// Mark is the label of a failure below the picture of its socket, two or three words; EmptyChannels is
	// replaced by the channels without a DIMM.
	Mark string `yaml:"mark,omitempty"`
	// Planning is what the result means to a plan for the machine's DIMMs, in words of PlanningWords; empty for
	// a rule that does not depend on the DIMMs' slots.
	Planning []string `yaml:"planning,omitempty"`
	// DependsOn names rules whose failure causes this one's. Related names rules about the same thing: the failure of a
	// setting's check that it names (setting.ID) follows from this one's.
	DependsOn []string `yaml:"depends_on,omitempty"`
	Related   []string `yaml:"related,omitempty"`
	// Prerequisites are given by a rule about a feature that is asked for: check is whether the running system shows that it
	// works, and these are what it needs, in the order in which setup has to be changed.
	Prerequisites []Prerequisite `yaml:"prerequisites,omitempty"`
	// Explains is set for a rule that never fails: it passes with an explanation.
	Explains bool `yaml:"explains,omitempty"`
	// Uncited is set for a rule that compares the machine with itself and so needs no document.
	Uncited bool   `yaml:"uncited,omitempty"`
	Cases   []Case `yaml:"cases" cbor:"-"`
	// What measure finds in the expressions: Usual is the severity, or its last alternative; PerSubject is true
	// if applies differs from subject to subject, Physical if it is false on every virtual machine. Narrowness ranks rules of one id: named platforms, vendors and
	// products first, then the facts used in applies, then a site's own.
	Usual      verdict.Severity `yaml:"-"`
	PerSubject bool             `yaml:"-"`
	Physical   bool             `yaml:"-"`
	Narrowness int              `yaml:"-"`
	// Encoded are the texts of a compiled rule.
	Encoded compiled.Piece `yaml:"-"`

	pack *Pack
	// knowledge is what the texts of a compiled rule are in.
	knowledge fs.FS
	node      *yaml.Node
}

// RuleTexts are the texts of a rule's failure, which few rules of an audit have: templates over the facts.
type RuleTexts struct {
	_ struct{} `cbor:",toarray"` // stored without field names
	// Short is what is wrong, in a few words that follow the place ("channel 2 is empty"). Fix is what to do in one sentence, if
	// the remedy is longer. Label is Short without figures that move while the machine stays as it is, for metrics: a rule with
	// such figures has one.
	Short    string      `yaml:"short,omitempty"`
	Label    string      `yaml:"label,omitempty"`
	Fix      string      `yaml:"fix,omitempty"`
	Found    string      `yaml:"found,omitempty"`
	Expected string      `yaml:"expected,omitempty"`
	Effect   *EffectSpec `yaml:"effect,omitempty"`
	// Remedies replaces Remedy for a vendor (a prefix of the system manufacturer).
	Remedy   string            `yaml:"remedy,omitempty"`
	Remedies map[string]string `yaml:"remedies,omitempty"`
	// Counted are the numbers of cases of a compiled rule, which has none itself but Kept, its example as YAML.
	Counted CaseCounts `yaml:"-"`
	Kept    string     `yaml:"-"`
}

// Texts returns the texts of a rule's failure.
func (r *Rule) Texts() *RuleTexts {
	if r.knowledge == nil {
		return &r.Written
	}
	var out RuleTexts
	_ = r.Encoded.Decode(r.knowledge, PiecesPart, &out) // a test compares all with their files
	return &out
}

// Prerequisite is one condition of a feature, as a document states it.
type Prerequisite struct {
	_ struct{} `cbor:",toarray"` // stored without field names
	// Title is what must hold.
	Title string `yaml:"title"`
	// Applies is an expression, without which it holds for every machine; Concerns is the same in words.
	Applies  string `yaml:"applies,omitempty"`
	Concerns string `yaml:"concerns,omitempty"`
	// Setting and Want are a setting of BIOS setup and the values that fulfil it; Needs is an expression that must be true. With
	// neither no input shows it.
	Setting string `yaml:"setting,omitempty"`
	Want    Words  `yaml:"want,omitempty"`
	Needs   string `yaml:"needs,omitempty"`
	// Lacks and Fix are texts: what is instead, in a few words, and what to do. A setting has its own.
	Lacks string `yaml:"lacks,omitempty"`
	Fix   string `yaml:"fix,omitempty"`
	// Strength is must (a vendor's document or registry: the feature fails without it), indirect (a third party or analogy: a
	// remark) or open (asked for, and no document found: not evaluated).
	Strength string `yaml:"strength"`
	// Follows is the rule about the layout of the memory whose failure this one's is.
	Follows string `yaml:"follows,omitempty"`
	// Note is what the document says besides: what firmware does if it is not met.
	Note     string            `yaml:"note,omitempty"`
	Citation *verdict.Citation `yaml:"citation,omitempty"`
}

// The strengths of a prerequisite.
const (
	Must     = "must"
	Indirect = "indirect"
	Open     = "open"
)

// Words of cite besides topics.
const (
	// CitePlatform is the document behind the recognised platform's row, for an expectation that is the platform's own:
	// no machine is checked by another's paper.
	CitePlatform = "platform"
	// CiteOrder is the vendor's manual with the sets of slots.
	CiteOrder = "order"
	// CiteCounts is the product's manual that does not allow a number of DIMMs.
	CiteCounts = "counts"
)

// CiteWords lists them with the topics.
var CiteWords = append([]string{CitePlatform, CiteOrder, CiteCounts}, verdict.Topics...)

// Cites reports whether a rule cites what a word stands for.
func (r *Rule) Cites(word string) bool { return slices.Contains(r.Cite, word) }

// EffectSpec is the cost of a deviation.
type EffectSpec struct {
	_ struct{} `cbor:",toarray"` // stored without field names
	// Text is the statement, of a rule a template, as Source is.
	Text string `yaml:"text,omitempty"`
	// Number and Unit are the measured figure, Conditions those it was measured under.
	Number     *float64 `yaml:"number,omitempty"`
	Unit       string   `yaml:"unit,omitempty"`
	Conditions string   `yaml:"conditions,omitempty"`
	// Place is where the citation's document prints it; Source names another document.
	Place  string `yaml:"place,omitempty"`
	Source string `yaml:"source,omitempty"`
	// AttachTo is the term of the report that the effect is attached to: it is printed with that term's
	// explanation if the finding follows from another and is not printed. verdict.AttachToClass is the only one.
	AttachTo string `yaml:"beside,omitempty"`
}

// Case is one test of a rule. Facts that it does not contain are unknown.
type Case struct {
	Name  string    `yaml:"name"`
	Facts yaml.Node `yaml:"facts"`
	// Expect is pass, fail, unknown or not_applicable.
	Expect string `yaml:"expect"`
	// Missing is the fact that an unknown must name.
	Missing string `yaml:"missing,omitempty"`
	// Unmet are the titles of the prerequisites that are not met, in order, if given.
	Unmet []string `yaml:"unmet,omitempty"`
	// Severity is the severity a fail must have, if given.
	Severity string `yaml:"severity,omitempty"`
}

// ListedProfile is what a profile is found by.
type ListedProfile struct {
	_  struct{} `cbor:",toarray"` // stored without field names
	ID string   `yaml:"id"`
	// Intents are those of the package's Intents that the table serves; none if the document has a purpose
	// without an intent, so that the profile is only found by its id.
	Intents Words  `yaml:"intent,omitempty"`
	For     *Match `yaml:"for,omitempty"`
	// Named are suffixes of the names of the products that the document names, or platforms. If given, the profile covers the
	// other machines of For by analogy: never above info, and marked as such.
	Named []string `yaml:"named,omitempty"`
	// Firmware are the firmware families whose own data the document is: the BIOS version of SMBIOS (HPE's
	// "U58") or the end of an attribute registry's name. The document covers every machine that runs one,
	// whatever its name and For.
	Firmware []string `yaml:"firmware,omitempty"`
	Applies  string   `yaml:"applies,omitempty"`
	// Encoded is the profile itself in a compiled pack: of many an audit needs one.
	Encoded compiled.Piece `yaml:"-"`

	whole func() *ProfileSpec
}

// Whole returns the profile itself.
func (p *ListedProfile) Whole() *ProfileSpec { return p.whole() }

// ProfileSpec is a table of settings that a document recommends.
type ProfileSpec struct {
	ListedProfile `yaml:",inline" cbor:"-"`

	_     struct{} `cbor:",toarray"` // stored without field names
	Title string   `yaml:"title"`
	// Face is "configured" for a document that lists literally what BIOS setup contains: there "auto" differs
	// from its result. It is "firmware" for one about BIOS setup that includes the result of auto. What the operating
	// system set fails such a row only if it contradicts what the document is for. It is empty for one about the state itself, whoever set
	// it.
	Face facts.Basis `yaml:"face,omitempty"`
	// Preset is the value of the vendor's preset that writes these rows, if the document says so (HPE's
	// registries: "LowLatency").
	Preset string `yaml:"preset,omitempty"`
	// WrittenBy is the preset of a vendor's table that defines the rows; they repeat no word of that table.
	WrittenBy *PresetRef        `yaml:"written_by,omitempty"`
	Citation  *verdict.Citation `yaml:"citation"`
	// DocumentRows is the number of settings that the document lists for this purpose, if the profile holds a part of
	// them only; "unknown" if the document itself was not read. Empty for a complete profile.
	DocumentRows string `yaml:"document_rows,omitempty"`
	// Scope describes what the document was written for.
	Scope string `yaml:"scope,omitempty"`
	// Settings keeps the order of the file.
	Settings SettingTable `yaml:"settings"`

	pack *Pack
	node *yaml.Node
}

// DocumentPart describes how much of its document a profile holds, "" for all of it. checked is how many of its rows passed or
// failed.
func (p *ProfileSpec) DocumentPart(checked int) string {
	held := len(p.Settings)
	switch p.DocumentRows {
	case "":
		return ""
	case unknownRows:
		return fmt.Sprintf("only %s of the document %s known, second-hand: the others were not checked", humanize.Plural(held, "setting"), map[bool]string{true: "is", false: "are"}[held == 1])
	default:
		return fmt.Sprintf("%d of the %s settings that the document lists were checked", checked, p.DocumentRows)
	}
}

// unknownRows is the number of rows of a document that was not read itself.
const unknownRows = "unknown"

// ServesIntent reports whether the profile serves an intent.
func (p *ListedProfile) ServesIntent(intent string) bool { return slices.Contains(p.Intents, intent) }

// AnsweredIntent returns the intent under which a profile was found: the requested one, or the first of its own; "" if
// it has none.
func (p *ListedProfile) AnsweredIntent(asked string) string {
	switch {
	case p.ServesIntent(asked):
		return asked
	case len(p.Intents) > 0:
		return p.Intents[0]
	default:
		return ""
	}
}

// PresetRef names a preset with documented effects.
type PresetRef struct {
	// Settings is the vendor's table, by the name of its file in rules/settings; Preset is the preset's value
	// as that table spells it, or if empty the profile's own Preset.
	Settings string `yaml:"settings"`
	Preset   string `yaml:"preset,omitempty"`
}

// SettingTable is the settings of a profile in file order.
type SettingTable []WantedSetting

// WantedSetting is one row of a profile.
type WantedSetting struct {
	_  struct{} `cbor:",toarray"` // stored without field names
	ID string   `yaml:"-"`
	// Want is the canonical value; several if the document accepts several. In a profile with WrittenBy the
	// loader sets the preset's word here, followed by the equivalent ones of Also.
	Want Words `yaml:"want,omitempty"`
	Also Words `yaml:"also,omitempty"`
	// Level is the severity of a deviation: info or warning.
	Level string `yaml:"level"`
	// About replaces the profile's Face if the document means something else by this row: "option", an option of BIOS
	// setup whatever the running system does, or "system", what Linux sets whatever BIOS setup has.
	About   facts.Basis `yaml:"about,omitempty"`
	Applies string      `yaml:"applies,omitempty"`
	// Concerns describes when the row applies.
	Concerns   string      `yaml:"concerns,omitempty"`
	Effect     *EffectSpec `yaml:"effect,omitempty"`
	Exceptions []string    `yaml:"exceptions,omitempty"`
	Note       string      `yaml:"note,omitempty"`
	// Remedy is plain text: the menu path or command as in the document.
	Remedy string `yaml:"remedy,omitempty"`
	Place  string `yaml:"place,omitempty"`
}

// Words is one word or a list of them.
type Words []string

// Shape accepts any form.
func (*Words) Shape() any { return nil }

// UnmarshalYAML accepts a scalar or a sequence.
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = Words{n.Value}
		return nil
	}
	var l []string
	if err := n.Decode(&l); err != nil {
		return err
	}
	*w = l
	return nil
}

// String joins the words as alternatives.
func (w Words) String() string { return strings.Join(w, " or ") }

// Shape returns the form in a file.
func (*SettingTable) Shape() any { return map[string]WantedSetting{} }

// UnmarshalYAML keeps the order of the mapping.
func (t *SettingTable) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var s WantedSetting
		if err := n.Content[i+1].Decode(&s); err != nil {
			return err
		}
		s.ID = n.Content[i].Value
		*t = append(*t, s)
	}
	return nil
}

// Intents are the purposes that a user may select by name.
var Intents = [...]string{"balanced", "max-performance", "energy-efficiency", "low-latency", "hpc", "virtualization", "database"}

// CaseCounts counts a rule's own cases by what they expect.
type CaseCounts struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Unknown int `json:"unknown"`
}

func (r *Rule) caseCounts() CaseCounts {
	n := r.Texts().Counted
	for _, c := range r.Cases {
		switch verdict.Result(c.Expect) {
		case verdict.Pass:
			n.Pass++
		case verdict.Fail:
			n.Fail++
		case verdict.Unknown:
			n.Unknown++
		case verdict.NotApplicable, verdict.Waived, verdict.Error:
		}
	}
	return n
}

// Example is the first case that fails; of a rule that only explains, that passes. It is nil for a rule without such a case.
func (r *Rule) Example() (*Case, error) {
	want := verdict.Fail
	if r.Explains {
		want = verdict.Pass
	}
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Expect == string(want) {
			return c, nil
		}
	}
	kept := r.Texts().Kept
	if kept == "" {
		return nil, nil
	}
	var c Case
	return &c, yaml.Unmarshal([]byte(kept), &c)
}

// DescribeConcern describes the machines that a rule applies to.
func (r *Rule) DescribeConcern() string {
	if r.Concerns != "" {
		return "concerns only " + r.Concerns
	}
	if r.For.CountLists() > 0 {
		return "concerns only " + strings.Join(slices.Concat(r.For.Vendors, r.For.Products, r.For.Platforms), ", ")
	}
	return "does not concern this machine"
}

// RemedyFor returns the remedy for a vendor, the longer name's if two match (HP, HPE), or otherwise the general
// one; "" matches no vendor.
func (t *RuleTexts) RemedyFor(vendor string) string {
	best, text := "", t.Remedy
	for name, own := range t.Remedies {
		if len(name) > len(best) && strings.HasPrefix(vendor, name) {
			best, text = name, own
		}
	}
	return text
}

// MeasuredEffect returns a measured effect with its conditions and source, that of its citation if it names none.
func (e *EffectSpec) MeasuredEffect(text, source string, c *verdict.Citation) *verdict.Effect {
	if e.Conditions != "" {
		text += " (" + e.Conditions + ")"
	}
	if source == "" && c != nil {
		source = c.Vendor + ", " + c.Title
		if e.Place != "" {
			source += ", " + e.Place
		}
	}
	return &verdict.Effect{Text: text, Source: nullable.String(source), AttachTo: e.AttachTo}
}

// CapCertainty lowers the certainty of the facts read to the rule's own.
func (r *Rule) CapCertainty(c fact.Certainty) fact.Certainty {
	switch r.Certainty {
	case "indirect":
		c = min(c, fact.Indirect)
	case "corroborated":
		c = min(c, fact.Corroborated)
	}
	return c
}

// identifying are the facts by which a condition selects machines.
var identifying = [...]string{"platform.", "processor.", "machine.product", "machine.vendor"}

func onlyPhysical(e celast.Expr) bool {
	if e.Kind() != celast.CallKind {
		return false
	}
	switch c := e.AsCall(); c.FunctionName() {
	case operators.LogicalAnd:
		return slices.ContainsFunc(c.Args(), onlyPhysical)
	case operators.LogicalNot:
		s := c.Args()[0]
		return s.Kind() == celast.SelectKind && s.AsSelect().FieldName() == "virtual" && !s.AsSelect().IsTestOnly() &&
			s.AsSelect().Operand().Kind() == celast.IdentKind && s.AsSelect().Operand().AsIdent() == facts.SubjectMachine
	default:
		return false
	}
}

// Expressions that do not parse are left out: Validate reports them, and an invalid rule is never used.
func (r *Rule) measureExpressions() {
	r.Usual, r.Narrowness = verdict.Warning, r.For.CountLists()*100
	if r.Applies != "" {
		r.Narrowness += 2
	}
	root := true
	_ = facts.VisitExpr(r.Applies, func(e celast.Expr) {
		if root {
			r.Physical, root = onlyPhysical(e), false
		}
		switch e.Kind() { //nolint:exhaustive // other kinds have no name
		case celast.IdentKind:
			r.PerSubject = r.PerSubject || e.AsIdent() == r.Subject && r.Subject != facts.SubjectMachine
		case celast.SelectKind:
			if s := e.AsSelect(); s.Operand().Kind() == celast.IdentKind {
				path := s.Operand().AsIdent() + "." + s.FieldName()
				if slices.ContainsFunc(identifying[:], func(beginning string) bool { return strings.HasPrefix(path, beginning) }) {
					r.Narrowness += 10
				}
			}
		}
	})
	if s := verdict.Severity(r.Severity); s.Rank() > 0 {
		r.Usual = s
		return
	}
	_ = facts.VisitExpr(r.Severity, func(e celast.Expr) {
		if e.Kind() == celast.LiteralKind {
			if text, ok := e.AsLiteral().Value().(string); ok && verdict.Severity(text).Rank() > 0 {
				r.Usual = verdict.Severity(text)
			}
		}
	})
}
