package rulepack

import (
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/nullable"
)

// RuleInfo describes a rule for rules show.
type RuleInfo struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subject  string `json:"subject"`
	Severity string `json:"severity"`
	// Scope names the machines the rule is written for, "" for all.
	Scope    string `json:"scope"`
	Applies  string `json:"applies"`
	Concerns string `json:"concerns"`
	Check    string `json:"check"`
	Why      string `json:"why"`
	Effect   string `json:"effect"`
	Remedy   string `json:"remedy"`
	// Remedies replace Remedy for a vendor.
	Remedies  map[string]string `json:"remedies"`
	Citation  *verdict.Citation `json:"citation"`
	DependsOn []string          `json:"depends_on"`
	Related   []string          `json:"related"`
	File      string            `json:"file"`
	Cases     CaseCounts        `json:"cases"`
	// Match is the machines the rule is written for, nil for all.
	Match *Match `json:"-"`

	// Rule is the rule itself, with its cases unless it was compiled.
	Rule *Rule `json:"-"`
}

// Describe lists the rules of all packs by id, the narrowest of one id first.
func Describe(packs []*Pack) []RuleInfo {
	out := []RuleInfo{}
	for _, rules := range RulesByID(packs) {
		for _, r := range rules {
			out = append(out, r.buildInfo())
		}
	}
	return out
}

func (r *Rule) buildInfo() RuleInfo {
	texts := r.Texts()
	i := RuleInfo{ID: r.ID, Title: r.Title, Subject: r.Subject, Severity: string(r.Usual), Scope: r.For.String(),
		Applies: r.Applies, Concerns: r.Concerns, Check: r.Check, Why: r.Why, Remedy: texts.Remedy, Citation: r.Citation,
		DependsOn: emptyNotNil(r.DependsOn), Related: emptyNotNil(r.Related), File: r.pack.File,
		Remedies: map[string]string{}, Match: r.For, Rule: r}
	maps.Copy(i.Remedies, texts.Remedies)
	if e := texts.Effect; e != nil {
		i.Effect = e.MeasuredEffect(strings.TrimSpace(e.Text), "", r.Citation).Text
	}
	i.Cases = r.caseCounts()
	return i
}

func emptyNotNil(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// String describes the machines.
func (m *Match) String() string {
	if m == nil {
		return ""
	}
	return strings.Join(slices.Concat(m.Vendors, m.Products, m.Platforms), ", ")
}

// CountRules counts the rules (with profiles) and cases of packs.
func CountRules(packs []*Pack) (rules, cases int) {
	for _, p := range packs {
		rules += len(p.Rules) + len(p.Profiles)
		for _, r := range p.Rules {
			cases += len(r.Cases)
		}
	}
	return rules, cases
}

// ProfileInfo describes a profile for profiles show.
type ProfileInfo struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Intent is the first of Intents, null if there is none.
	Intent  nullable.String `json:"intent"`
	Intents []string        `json:"intents"`
	// Named are the products that the document names; it covers other machines by analogy. Empty if it names
	// none.
	Named []string `json:"named"`
	// Platforms names the machines the profile is written for.
	Platforms []string               `json:"platforms"`
	Vendors   []string               `json:"vendors"`
	Applies   string                 `json:"applies"`
	Scope     string                 `json:"scope"`
	Citation  *verdict.Citation      `json:"citation"`
	Settings  map[string]SettingInfo `json:"settings"`
	// Order lists the settings in the document's order.
	Order []string `json:"-"`
	// Match is the machines the profile is written for, nil for all.
	Match *Match `json:"-"`
	// File is the pack that contains it.
	File string `json:"-"`

	spec *ProfileSpec
}

// SettingInfo describes one row of a profile.
type SettingInfo struct {
	Value     string   `json:"value"`
	Level     string   `json:"level"`
	Exception []string `json:"exception"`
	Note      string   `json:"note"`
	Applies   string   `json:"applies"`
	Effect    string   `json:"effect"`
	Remedy    string   `json:"remedy"`
	Place     string   `json:"place"`
	// Concerns describes when the row applies.
	Concerns string `json:"concerns"`
	// Elsewhere lists the profiles of the same intent, written for other machines, that want another value.
	Elsewhere []OtherWant `json:"elsewhere"`

	// Wants are the values that the document accepts.
	Wants Words `json:"wants"`
}

// OtherWant is what another profile wants of a setting.
type OtherWant struct {
	Profile string `json:"profile"`
	Value   string `json:"value"`
}

// DescribeProfiles lists the profiles of all packs in file order, each compared with those of its intents that
// are written for other machines.
func DescribeProfiles(packs []*Pack) []ProfileInfo {
	return DescribeChosen(packs, func(*ProfileInfo) bool { return true })
}

// DescribeChosen is DescribeProfiles for some profiles only: comparing every profile with every other takes
// longer than all the rest.
func DescribeChosen(packs []*Pack, chosen func(*ProfileInfo) bool) []ProfileInfo {
	all, out := ProfilesApart(packs), []ProfileInfo{}
	for i := range all {
		if !chosen(&all[i]) {
			continue
		}
		for j := range all {
			all[i].recordConflict(&all[j])
		}
		out = append(out, all[i])
	}
	return out
}

// ProfilesApart lists the profiles of all packs in file order, without comparing them.
func ProfilesApart(packs []*Pack) []ProfileInfo {
	out := []ProfileInfo{}
	for _, pack := range packs {
		for _, p := range pack.ListedProfiles() {
			out = append(out, p.Whole().buildInfo())
		}
	}
	return out
}

// Another profile may share an intent, be written for different machines and accept no value of this one.
func (i *ProfileInfo) recordConflict(other *ProfileInfo) {
	contains := func(list []string) func(string) bool { return func(w string) bool { return slices.Contains(list, w) } }
	if i.ID == other.ID || i.spec.Applies == other.spec.Applies && i.Match.isEquivalent(other.Match) || !slices.ContainsFunc(i.Intents, contains(other.Intents)) {
		return
	}
	for id, s := range i.Settings {
		if o, ok := other.Settings[id]; ok && !slices.ContainsFunc(s.Wants, contains(o.Wants)) {
			s.Elsewhere = append(s.Elsewhere, OtherWant{other.ID, o.Value})
			i.Settings[id] = s
		}
	}
}

func (p *ProfileSpec) buildInfo() ProfileInfo {
	i := ProfileInfo{ID: p.ID, Title: p.Title, Intents: emptyNotNil(p.Intents), Named: emptyNotNil(p.Named), Applies: p.Applies, Scope: p.Scope,
		Platforms: []string{}, Vendors: []string{}, Citation: p.Citation, Settings: map[string]SettingInfo{},
		Match: p.For, File: p.pack.File, spec: p}
	if len(p.Intents) > 0 {
		i.Intent = nullable.String(p.Intents[0])
	}
	if p.For != nil {
		i.Platforms, i.Vendors = emptyNotNil(p.For.Platforms), emptyNotNil(p.For.Vendors)
	}
	for _, w := range p.Settings {
		s := SettingInfo{Value: w.Want.String(), Level: w.Level, Exception: emptyNotNil(w.Exceptions), Note: w.Note,
			Applies: w.Applies, Remedy: w.Remedy, Place: w.Place, Concerns: w.Concerns, Elsewhere: []OtherWant{}, Wants: w.Want}
		if w.Effect != nil {
			s.Effect = w.Effect.MeasuredEffect(w.Effect.Text, w.Effect.Source, p.Citation).Text
		}
		i.Settings[w.ID] = s
		i.Order = append(i.Order, w.ID)
	}
	return i
}
