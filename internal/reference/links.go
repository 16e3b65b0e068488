package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/arrange"
	"github.com/memaudit/memaudit/internal/report/page"
)

// refines names the files of rules and of profiles that are written for one
// platform. It lists no single rule: another rule of a file that is named
// changes no platform's page.
func (k *knowledge) refines(id string) []page.Block {
	t := &page.Table{Heads: []string{"what", "file"}}
	add := func(what, file, link string) {
		row := []page.Cell{{Text: what}, {Text: file, Link: link}}
		if !slices.ContainsFunc(t.Rows, func(have []page.Cell) bool { return slices.Equal(have, row) }) {
			t.Rows = append(t.Rows, row)
		}
	}
	for i := range k.rules {
		if r := &k.rules[i]; r.WrittenFor(id) {
			add("rules", r.File, "../"+r.File)
		}
	}
	for i := range k.profiles {
		if p := &k.profiles[i]; p.WrittenFor(id) {
			add("profiles", p.File, "../"+pageOf(p.File))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	arrange.Values(t.Rows, func(a, b []page.Cell) int {
		return cmp.Or(strings.Compare(b[0].Text, a[0].Text), strings.Compare(a[1].Text, b[1].Text))
	})
	return []page.Block{{Head: &page.Head{Level: 2, Name: "Rules and profiles written for it"}}, {Table: t}}
}

// pageOf is the page beside a file of profiles.
func pageOf(file string) string { return strings.TrimSuffix(file, ".yaml") + ".md" }
