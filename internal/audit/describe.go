package audit

import (
	"slices"
	"strconv"
	"strings"
)

// RuleInfo describes a rule for a reader.
type RuleInfo struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subject  string `json:"subject"`
	Severity string `json:"severity"`
	// Scope names the machines the rule is written for, "" for all.
	Scope     string     `json:"scope"`
	Applies   string     `json:"applies"`
	Concerns  string     `json:"concerns"`
	Check     string     `json:"check"`
	Why       string     `json:"why"`
	Effect    string     `json:"effect"`
	Remedy    string     `json:"remedy"`
	Citation  *Citation  `json:"citation"`
	DependsOn []string   `json:"depends_on"`
	Related   []string   `json:"related"`
	File      string     `json:"file"`
	Cases     CaseCounts `json:"cases"`
}

// CaseCounts counts a rule's own cases by what they expect.
type CaseCounts struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Unknown int `json:"unknown"`
}

// Describe lists the rules of all packs by id, the narrowest of one id first.
func Describe(packs []*Pack) []RuleInfo {
	e := NewEngine(packs)
	out := []RuleInfo{}
	for _, id := range e.ids {
		for _, r := range e.rules[id] {
			out = append(out, r.info())
		}
	}
	return out
}

func (r *Rule) info() RuleInfo {
	i := RuleInfo{ID: r.ID, Title: r.Title, Subject: r.Subject, Severity: string(r.usual()), Scope: r.For.String(),
		Applies: r.Applies, Concerns: r.Concerns, Check: r.Check, Why: r.Why, Remedy: r.Remedy, Citation: r.Citation,
		DependsOn: emptyNotNil(r.DependsOn), Related: emptyNotNil(r.Related), File: r.pack.File}
	if r.Effect != nil {
		i.Effect = r.Effect.effect(strings.TrimSpace(r.Effect.Text+r.Effect.Expr), r.Citation).Text
	}
	for _, c := range r.Cases {
		switch Result(c.Expect) {
		case Pass:
			i.Cases.Pass++
		case Fail:
			i.Cases.Fail++
		case Unknown:
			i.Cases.Unknown++
		case NotApplicable, Waived, Error:
		}
	}
	return i
}

func emptyNotNil(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// String names the machines in words.
func (m *Match) String() string {
	if m == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Vendors, m.Products, m.Platforms), ", ")
}

// CitationLine prints a citation on one line, "" without one.
func (i RuleInfo) CitationLine() string { return i.Citation.Line() }

// Line prints vendor, title, version, year and place.
func (c *Citation) Line() string {
	if c == nil {
		return ""
	}
	out := c.Vendor + ", " + c.Title
	if c.Version != "" {
		out += ", " + c.version()
	}
	if c.Year > 0 {
		out += ", " + strconv.Itoa(c.Year)
	}
	if c.Place != "" {
		out += ", " + c.Place
	}
	return out
}

// version prints "v1.0", and words as they are.
func (c *Citation) version() string {
	if c.Version[0] >= '0' && c.Version[0] <= '9' {
		return "v" + c.Version
	}
	return c.Version
}

// Count counts the rules (with profiles) and cases of packs.
func Count(packs []*Pack) (rules, cases int) {
	for _, p := range packs {
		rules += len(p.Rules) + len(p.Profiles)
		for _, r := range p.Rules {
			cases += len(r.Cases)
		}
	}
	return rules, cases
}

// ProfileInfo describes a profile for a reader.
type ProfileInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Intent is the first of Intents, null without any.
	Intent  *string  `json:"intent"`
	Intents []string `json:"intents"`
	// Named are the products that the document names; of the other machines it
	// speaks by analogy. Empty when it names none.
	Named []string `json:"named"`
	// Platforms names the machines the profile is written for.
	Platforms []string               `json:"platforms"`
	Vendors   []string               `json:"vendors"`
	Applies   string                 `json:"applies"`
	Scope     string                 `json:"scope"`
	Citation  *Citation              `json:"citation"`
	Settings  map[string]SettingInfo `json:"settings"`
	// Order lists the settings as the document does.
	Order []string `json:"-"`
}

// SettingInfo is one row of a profile for a reader.
type SettingInfo struct {
	Value     string   `json:"value"`
	Level     string   `json:"level"`
	Exception []string `json:"exception"`
	Note      string   `json:"note"`
	Applies   string   `json:"applies"`
	Effect    string   `json:"effect"`
	Remedy    string   `json:"remedy"`
	Place     string   `json:"place"`
}

// DescribeProfiles lists the profiles of all packs in file order.
func DescribeProfiles(packs []*Pack) []ProfileInfo {
	out := []ProfileInfo{}
	for _, pack := range packs {
		for _, p := range pack.Profiles {
			out = append(out, p.info())
		}
	}
	return out
}

func (p *ProfileSpec) info() ProfileInfo {
	i := ProfileInfo{ID: p.ID, Title: p.Title, Intents: emptyNotNil(p.Intents), Named: emptyNotNil(p.Named), Applies: p.Applies, Scope: p.Scope,
		Platforms: []string{}, Vendors: []string{}, Citation: p.Citation, Settings: map[string]SettingInfo{}}
	if len(p.Intents) > 0 {
		i.Intent = &p.Intents[0]
	}
	if p.For != nil {
		i.Platforms, i.Vendors = emptyNotNil(p.For.Platforms), emptyNotNil(p.For.Vendors)
	}
	for _, w := range p.Table() {
		s := SettingInfo{Value: w.Want.String(), Level: w.Level, Exception: emptyNotNil(w.Exceptions), Note: w.Note,
			Applies: w.Applies, Remedy: w.Remedy, Place: w.Place}
		if w.Effect != nil {
			s.Effect = w.Effect.effect(w.Effect.Text, p.Citation).Text
		}
		i.Settings[w.ID] = s
		i.Order = append(i.Order, w.ID)
	}
	return i
}
