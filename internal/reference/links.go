package reference

import (
	"cmp"
	"strings"

	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/rulepack"
)

// anchor is what a heading is linked by: GitHub keeps letters, digits, hyphens
// and underscores, in small letters.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, heading)
}

// index lists all rules, profiles and platforms.
func (k *knowledge) index(platforms []platform.Info) []page.Block {
	return []page.Block{
		{Head: &page.Head{Level: 2, Name: "All rules"}}, {Table: k.ruleTable()},
		{Head: &page.Head{Level: 2, Name: "All profiles"}}, {Table: profileTable(k.profiles, "")},
		{Head: &page.Head{Level: 2, Name: "All platforms"}}, {Table: platformTable(platforms)},
	}
}

// ruleTable has a row for each rule of each pack.
func (k *knowledge) ruleTable() *page.Table {
	t := &page.Table{Heads: []string{"rule", "severity", "subject", "for", "title"}}
	for i := range k.rules {
		t.Rows = append(t.Rows, ruleRow(&k.rules[i], ""))
	}
	return t
}

func ruleRow(r *rulepack.RuleInfo, up string) []page.Cell {
	return []page.Cell{{Text: r.ID, Link: up + pageOf(r.File) + "#" + anchor(r.ID)}, {Text: r.Severity}, {Text: r.Subject},
		{Text: cmp.Or(r.Scope, "every machine")}, {Text: r.Title}}
}

func profileTable(profiles []rulepack.ProfileInfo, up string) *page.Table {
	t := &page.Table{Heads: []string{"profile", "intent", "for", "document"}}
	for i := range profiles {
		p := &profiles[i]
		t.Rows = append(t.Rows, []page.Cell{{Text: p.ID, Link: up + pageOf(p.File) + "#" + anchor(p.ID)},
			{Text: strings.Join(p.Intents, ", ")}, {Text: cmp.Or(p.Match.String(), "every machine")}, {Text: p.Citation.Line()}})
	}
	return t
}

func platformTable(platforms []platform.Info) *page.Table {
	t := &page.Table{Heads: []string{"platform", "name", "channels per processor", "DIMMs per channel at most"}}
	for i := range platforms {
		p := &platforms[i]
		t.Rows = append(t.Rows, []page.Cell{{Text: p.ID, Link: "platforms/" + p.ID + ".md"}, {Text: p.Name},
			{Text: number(p.ChannelsPerSocket)}, {Text: number(p.MaxDPC)}})
	}
	return t
}

// refines lists the rules and profiles that are written for one platform.
func (k *knowledge) refines(id string) []page.Block {
	rules := &page.Table{Heads: []string{"rule", "severity", "subject", "for", "title"}}
	for i := range k.rules {
		if r := &k.rules[i]; r.WrittenFor(id) {
			rules.Rows = append(rules.Rows, ruleRow(r, "../"))
		}
	}
	var profiles []rulepack.ProfileInfo
	for i := range k.profiles {
		if p := &k.profiles[i]; p.WrittenFor(id) {
			profiles = append(profiles, *p)
		}
	}
	var out []page.Block
	if len(rules.Rows) > 0 {
		out = append(out, page.Block{Head: &page.Head{Level: 2, Kind: "rules", Name: "Rules of its own"}}, page.Block{Table: rules})
	}
	if len(profiles) > 0 {
		out = append(out, page.Block{Head: &page.Head{Level: 2, Kind: "profiles", Name: "Profiles"}}, page.Block{Table: profileTable(profiles, "../")})
	}
	return out
}

// pageOf is the page beside a pack.
func pageOf(file string) string { return strings.TrimSuffix(file, ".yaml") + ".md" }
