package rulepack

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"cel.dev/cel-go/common/types"
	"go.yaml.in/yaml/v3"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/lazy"
	"memaudit.example/memaudit/internal/model/settings"
)

var idPattern = lazy.Pattern(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_-]*)+$`)

// Validate checks a pack's expressions, required fields and cases. The errors have line and column.
func (p *Pack) Validate() datafile.Complaints {
	v := &validator{pack: p}
	for _, r := range p.Rules {
		v.validateRule(r)
	}
	for _, q := range p.Profiles {
		v.validateProfile(q)
	}
	return v.out
}

type validator struct {
	pack *Pack
	out  datafile.Complaints
	Runner
}

// maxSpent limits the total cost of the cases of one file: less than a second of evaluation, or 4,000 cases
// like those of the built-in rules.
const maxSpent = 2_000_000

func (v *validator) complain(n *yaml.Node, format string, args ...any) {
	v.out = v.out.Add(complaintAt(v.pack.File, n, fmt.Sprintf(format, args...)))
}

func (v *validator) complainIf(wrong bool, n *yaml.Node, format string, args ...any) {
	if wrong {
		v.complain(n, format, args...)
	}
}

func keyOrRule(n *yaml.Node, key string) *yaml.Node {
	if c := datafile.Value(n, key); c != nil {
		return c
	}
	return n
}

func (v *validator) validateRule(r *Rule) {
	v.complainIf(!idPattern().MatchString(r.ID), keyOrRule(r.node, "id"), "id %q: expected area.subject.aspect in small letters", r.ID)
	for _, need := range []struct{ key, value string }{{"title", r.Title}, {"check", r.Check}, {"why", r.Why}, {"severity", r.Severity}} {
		v.complainIf(need.value == "", r.node, "rule %s: %s is missing", r.ID, need.key)
	}
	subjects := []string{facts.SubjectMachine, "socket", "slot", "node", "setting", facts.SubjectCounter, facts.SubjectBaseline,
		facts.SubjectMeasured, facts.SubjectDevice}
	v.complainIf(!slices.Contains(subjects, r.Subject), keyOrRule(r.node, "subject"),
		"subject %q, expected machine, socket, slot, node, setting, counter, baseline, measured or device", r.Subject)
	v.complainIf(!slices.Contains([]string{"", "direct", "corroborated", "indirect"}, r.Certainty), keyOrRule(r.node, "certainty"),
		"certainty %q, expected direct, corroborated or indirect", r.Certainty)
	v.complainIf(r.Applies != "" && r.Concerns == "", keyOrRule(r.node, "applies"), "rule %s: applies needs concerns, the same in words", r.ID)
	before := len(v.out)
	v.expressions(r)
	written := len(v.out) == before
	v.validatePlanning(r)
	v.validateSources(r)
	v.validateMark(r)
	v.prerequisites(r)
	v.complainIf(len(r.Headline) > longestShort, keyOrRule(r.node, "headline"),
		"rule %s: a headline of %d letters, expected at most %d", r.ID, len(r.Headline), longestShort)
	if e := r.Written.Effect; e != nil && e.AttachTo != "" && e.AttachTo != verdict.AttachToClass {
		v.complain(keyOrRule(datafile.Value(r.node, "effect"), "beside"), "rule %s: beside of an effect is %q, expected %s or nothing", r.ID, e.AttachTo, verdict.AttachToClass)
	}
	v.validateCases(r, written)
}

func (v *validator) expressions(r *Rule) {
	v.validateExpression(r.node, "applies", r.Applies, types.BoolType)
	v.validateExpression(r.node, "check", r.Check, types.BoolType)
	if verdict.Severity(r.Severity).Rank() == 0 {
		v.validateExpression(r.node, "severity", r.Severity, types.StringType)
	}
	for _, t := range r.texts() {
		v.text(r.node, t.key, t.src)
	}
	for vendor, src := range r.Written.Remedies {
		v.text(datafile.Value(r.node, "remedies"), vendor, src)
	}
	if e := r.Written.Effect; e != nil {
		v.text(datafile.Value(r.node, "effect"), "text", e.Text)
		v.text(datafile.Value(r.node, "effect"), "source", e.Source)
	}
}

func (v *validator) validateExpression(parent *yaml.Node, key, src string, want *types.Type) {
	if src != "" {
		_, err := v.programs.Get(src, want)
		v.placeErrors(parent, key, src, err)
	}
}

// quoted is how texts were written before they were templates.
var quoted = lazy.Pattern(`^"|" \+ |\+ "|^[a-z_]+\([a-z_.]+\)$|^[a-z_]+\.[a-z_.]+$`)

func (v *validator) text(parent *yaml.Node, key, src string) {
	v.complainIf(quoted().MatchString(src) && !strings.Contains(src, "{{"), keyOrRule(parent, key),
		`%s: an expression, expected a text with values in braces: {{gib .slot.size_bytes}} of memory`, key)
	v.placeErrors(parent, key, src, v.programs.CheckText(src))
}

func (v *validator) placeErrors(parent *yaml.Node, key, src string, err error) {
	if err != nil {
		for _, e := range splitErrors(err) {
			v.placeExpr(keyOrRule(parent, key), key, e, expectedHint(key, src, e))
		}
	}
}

func expectedHint(key, src string, err error) string {
	fault := err.Error()
	switch {
	case key == "severity" && !strings.ContainsAny(src, " ?("):
		return ", expected info, warning, critical or an expression that gives one"
	case strings.Contains(fault, "undefined field"), strings.Contains(fault, "undeclared reference"):
		return ", expected a fact of rules/facts.md" + likeFacts(src, err)
	}
	return ""
}

// likeFacts is "" if the expression does not show which object lacks the fact.
func likeFacts(src string, err error) string {
	var at *facts.ExprError
	line, _, _ := strings.Cut(src, "\n")
	if !errors.As(err, &at) || at.Line != 1 || at.Column >= len(line) || line[at.Column] != '.' {
		return ""
	}
	isName := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	before, after := line[:at.Column], line[at.Column+1:]
	object := before[len(strings.TrimRightFunc(before, isName)):]
	asked := after[:len(after)-len(strings.TrimLeftFunc(after, isName))]
	t, ok := facts.Declared().Object(object)
	if !ok {
		return ""
	}
	return ": " + object + " has " + factsLike(t, asked)
}

func splitErrors(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

func (v *validator) placeExpr(n *yaml.Node, key string, err error, expected string) {
	c := complaintAt(v.pack.File, n, key+": "+err.Error()+expected)
	var e *facts.ExprError
	if errors.As(err, &e) && e.Line > 0 && n != nil {
		switch n.Style {
		case yaml.LiteralStyle, yaml.FoldedStyle:
			c.Line += e.Line
		case yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle:
			c.Column += e.Column + 1
		default:
			c.Column += e.Column
		}
	}
	v.out = v.out.Add(c)
}

func (v *validator) validateSources(r *Rule) {
	v.complainIf(r.Citation == nil && !r.Explains && !r.Uncited, r.node, "rule %s: citation is missing", r.ID)
	if c, node := r.Citation, keyOrRule(r.node, "citation"); c != nil {
		v.complainIf(c.Vendor == "" || c.Title == "", node, "rule %s: a citation needs vendor and title", r.ID)
		v.complainIf(!slices.Contains([]string{"", verdict.Standard, verdict.ThirdParty}, c.Authority), keyOrRule(node, "authority"),
			"rule %s: authority %q is neither %s nor %s", r.ID, c.Authority, verdict.Standard, verdict.ThirdParty)
	}
	for _, word := range r.Cite {
		v.complainIf(!slices.Contains(CiteWords, word), keyOrRule(r.node, "cite"),
			"rule %s: %q is not a topic, expected one of %s", r.ID, word, strings.Join(CiteWords, ", "))
	}
	if e, node := r.Written.Effect, keyOrRule(r.node, "effect"); e != nil {
		v.complainIf(r.Citation == nil && e.Source == "", node, "rule %s: an effect needs its document", r.ID)
		v.complainIf(e.Text == "", node, "rule %s: an effect needs text", r.ID)
	}
}

// longestMark limits a mark to what fits below the picture of a socket.
const longestMark = 40

func (v *validator) validateMark(r *Rule) {
	if r.Mark == "" {
		return
	}
	node := keyOrRule(r.node, "mark")
	v.complainIf(r.Subject != "socket", node, "rule %s: a mark is written below a socket's picture, but the subject is %s", r.ID, r.Subject)
	v.complainIf(len(r.Mark) > longestMark, node, "rule %s: a mark of %d letters, at most %d fit", r.ID, len(r.Mark), longestMark)
	v.complainIf(strings.ContainsAny(strings.ReplaceAll(r.Mark, verdict.EmptyChannels, ""), "{}"), node,
		"rule %s: mark %q, the only braces known are %s", r.ID, r.Mark, verdict.EmptyChannels)
}

// A pass, a fail and an unknown are required. None is run after an error of an expression, which each would repeat.
func (v *validator) validateCases(r *Rule, written bool) {
	seen := map[string]bool{}
	list := datafile.Value(r.node, "cases")
	for i := range r.Cases {
		c := &r.Cases[i]
		seen[c.Expect] = true
		node := r.node
		if list != nil && i < len(list.Content) {
			node = list.Content[i]
		}
		if !slices.Contains([]string{"pass", "fail", "unknown", "not_applicable"}, c.Expect) {
			v.complain(node, "case %q: expect %q, expected pass, fail, unknown or not_applicable", c.Name, c.Expect)
			continue
		}
		if v.spent > maxSpent {
			v.complain(node, "the cases of this file cost more than %d, so that this one and those after it are not run", maxSpent)
			return
		}
		if !written {
			continue
		}
		if text := v.Run(r, c); text != "" {
			v.complain(node, "case %q of %s: %s", c.Name, r.ID, text)
		}
	}
	for _, need := range []string{"pass", "fail", "unknown"} {
		v.complainIf(!seen[need] && (!r.Explains || need != "fail"), r.node, "rule %s: no case that expects %s", r.ID, need)
	}
}

func (v *validator) validateProfile(q *ProfileSpec) {
	v.complainIf(q.ID == "" || strings.ContainsAny(q.ID, " \t"), keyOrRule(q.node, "id"), "profile id %q: expected words without spaces", q.ID)
	for _, intent := range q.Intents {
		v.complainIf(!slices.Contains(Intents[:], intent), keyOrRule(q.node, "intent"),
			"intent %q, expected one of %s", intent, strings.Join(Intents[:], ", "))
	}
	v.complainIf(q.Citation == nil || q.Citation.Vendor == "" || q.Citation.Title == "", q.node,
		"profile %s: citation with vendor and title is missing", q.ID)
	v.complainIf(q.Face != facts.BasisAny && q.Face != facts.BasisFirmware && q.Face != facts.BasisConfigured, keyOrRule(q.node, "face"),
		"face %q, expected %s, %s or nothing", q.Face, facts.BasisFirmware, facts.BasisConfigured)
	if n, err := strconv.Atoi(q.DocumentRows); q.DocumentRows != "" && q.DocumentRows != unknownRows && (err != nil || n <= len(q.Settings)) {
		v.complain(keyOrRule(q.node, "document_rows"), "document_rows %q, expected more than the %d settings of the profile, or %s", q.DocumentRows, len(q.Settings), unknownRows)
	}
	v.validateExpression(q.node, "applies", q.Applies, types.BoolType)
	v.complainIf(len(q.Settings) == 0, q.node, "profile %s: settings are missing", q.ID)
	table := datafile.Value(q.node, "settings")
	for i := range q.Settings {
		v.validateSetting(q, &q.Settings[i], table)
	}
}

func (v *validator) validateSetting(q *ProfileSpec, w *WantedSetting, table *yaml.Node) {
	node := keyOrRule(table, w.ID)
	known, ok := settings.Lookup(w.ID)
	v.complainIf(!ok, node, "profile %s: %q is not a canonical setting, expected an id of rules/settings/vocabulary.tsv", q.ID, w.ID)
	for _, word := range w.Want {
		v.complainIf(ok && !known.Accepts(word), keyOrRule(node, "want"),
			"profile %s: %s wants %q, expected %s", q.ID, w.ID, word, strings.Join(known.Expected(), ", "))
	}
	v.complainIf(w.Effect != nil && w.Effect.AttachTo != "", keyOrRule(datafile.Value(node, "effect"), "beside"),
		"profile %s: %s: beside is for the effects of rules", q.ID, w.ID)
	switch {
	case len(w.Want) > 0:
	case q.WrittenBy != nil:
		v.complain(node, "profile %s: %s wants nothing, and the preset writes nothing of it: expected want", q.ID, w.ID)
	default:
		v.complain(node, "profile %s: %s wants nothing", q.ID, w.ID)
	}
	v.complainIf(w.About != "" && w.About != facts.BasisOption && w.About != facts.BasisSystem, keyOrRule(node, "about"),
		"about %q, expected %s, %s or nothing", w.About, facts.BasisOption, facts.BasisSystem)
	switch w.Level {
	case "info", "warning":
	case "":
		v.complain(node, "profile %s: the level of %s is missing, expected info or warning", q.ID, w.ID)
	default:
		v.complain(keyOrRule(node, "level"), "level %q, expected info or warning", w.Level)
	}
	v.validateExpression(node, "applies", w.Applies, types.BoolType)
}

// ValidateSet checks across packs: a second rule of one id for the same machines, a dependence on a rule that
// does not exist.
func ValidateSet(packs []*Pack) datafile.Complaints {
	var out datafile.Complaints
	ids := map[string]*Rule{}
	for _, p := range packs {
		for _, r := range p.Rules {
			if first, ok := ids[r.ID]; ok && first.Subject != r.Subject {
				out = append(out, complaintAt(p.File, r.node,
					fmt.Sprintf("rule %s: subject %s, but %s has %s", r.ID, r.Subject, first.pack.File, first.Subject)))
			}
			ids[r.ID] = r
		}
	}
	for _, p := range packs {
		for _, r := range p.Rules {
			for _, d := range slices.Concat(r.DependsOn, r.Related) {
				if _, ok := ids[d]; !ok && !strings.HasPrefix(d, "setting.") {
					out = append(out, complaintAt(p.File, r.node, fmt.Sprintf("rule %s: %s is not a loaded rule", r.ID, d)))
				}
			}
		}
	}
	return out
}
