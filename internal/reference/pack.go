package reference

import (
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/rulepack"
)

// knowledge is everything that pages are made of, in stable order.
type knowledge struct {
	rules    []rulepack.RuleInfo
	profiles []rulepack.ProfileInfo
}

// documents lists the files of profiles.
func (k *knowledge) documents() []string {
	var out []string
	for i := range k.profiles {
		out = append(out, k.profiles[i].File)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// document is the page of one file of profiles.
func (k *knowledge) document(file string) []page.Block {
	of := k.profilesOf(file)
	return append([]page.Block{
		{Head: &page.Head{Level: 1, Kind: "pack", Name: file}},
		{Text: "Made from the pack by go generate; do not edit. The program says the same of each:"},
		{Commands: []string{"memaudit profiles show " + of[0].ID}},
	}, profileTables(of)...)
}

func (k *knowledge) profilesOf(file string) []*rulepack.ProfileInfo {
	var out []*rulepack.ProfileInfo
	for i := range k.profiles {
		if k.profiles[i].File == file {
			out = append(out, &k.profiles[i])
		}
	}
	return out
}

// profileTables shows the profiles of one document: what each is, settings by
// profiles, and once for each setting and value how it is set and why.
func profileTables(profiles []*rulepack.ProfileInfo) []page.Block {
	var out []page.Block
	for _, p := range profiles {
		out = append(out, page.Block{Head: &page.Head{Level: 2, Kind: "profile", Name: p.ID}}, page.Block{Fields: profileFields(p)})
	}
	order := settingOrder(profiles)
	table := &page.Table{Heads: []string{"setting"}}
	for _, p := range profiles {
		table.Heads = append(table.Heads, shortID(p.ID))
	}
	var details []page.Block
	for _, id := range order {
		row := []page.Cell{{Text: id, Code: true}}
		for _, p := range profiles {
			s, ok := p.Settings[id]
			text := ""
			if ok {
				text = s.Value
			}
			row = append(row, page.Cell{Text: text})
		}
		table.Rows = append(table.Rows, row)
		details = append(details, page.Block{Head: &page.Head{Level: 3, Name: id}})
		details = append(details, settingDetails(id, profiles)...)
	}
	return slices.Concat(out, []page.Block{{Head: &page.Head{Level: 2, Name: "Settings by profile"}}, {Table: table},
		{Head: &page.Head{Level: 2, Name: "Settings one by one"}}}, details)
}

// shortID is a profile's name within its document.
func shortID(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

func settingOrder(profiles []*rulepack.ProfileInfo) []string {
	var out []string
	for _, p := range profiles {
		for _, id := range p.Order {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// settingDetails says once what several profiles have in common for a setting.
func settingDetails(id string, profiles []*rulepack.ProfileInfo) []page.Block {
	type detail struct {
		fields   []page.Field
		profiles []string
	}
	var out []*detail
	for _, p := range profiles {
		s, ok := p.Settings[id]
		if !ok {
			continue
		}
		fields := append([]page.Field{{Name: "wants", Value: s.Value + " (" + s.Level + ")"}}, settingFields(&s, counted)...)
		at := slices.IndexFunc(out, func(d *detail) bool { return slices.Equal(d.fields, fields) })
		if at < 0 {
			at = len(out)
			out = append(out, &detail{fields: fields})
		}
		out[at].profiles = append(out[at].profiles, shortID(p.ID))
	}
	var blocks []page.Block
	for _, d := range out {
		blocks = append(blocks, page.Block{Text: "In " + strings.Join(d.profiles, ", ") + ":"}, page.Block{Fields: d.fields})
	}
	return blocks
}
