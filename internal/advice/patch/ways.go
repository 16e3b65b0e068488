package patch

import (
	"slices"

	"github.com/memaudit/memaudit/internal/model/settings"
)

// Ways are the ways to bring one setting to what the profile wants, by the changes of the patch: what
// must be changed first, as lines of text, and then the ways of the change itself. The reason is
// that of a setting that the patch leaves as it is.
func (p *Patch) Ways(id string, w settings.Wish) (before []string, ways []settings.Way, reason string) {
	for _, n := range p.Open {
		if n.Setting == id {
			return nil, nil, n.Reason
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		switch {
		case slices.Contains(c.serves(), id):
			if len(ways) > 0 {
				before = append(before, "first "+ways[0].String())
			}
			ways = p.give(c, w)
		case p.frees(c, id):
			before = append(before, "first set "+c.Attribute.Name+" to "+c.To+": it is "+c.From+", which governs the setting")
		}
	}
	if len(ways) == 0 && p.Preset != nil && slices.ContainsFunc(p.Written, func(n Note) bool { return n.Setting == id }) {
		for _, way := range p.give(p.Preset, w) {
			before = append(before, "the preset "+p.Preset.To+" writes this and its sibling rows in one step: "+way.String())
		}
	}
	return before, ways, ""
}

// give are the ways of one change.
func (p *Patch) give(c *Change, w settings.Wish) []settings.Way {
	return p.maker.src.Table.Give(settings.Given{Setting: c.Setting, Form: recordsOf(p.Export), Name: c.Attribute.Name, Group: c.Group,
		Value: c.To, Text: c.Attribute.OptionTexts[c.To], Current: c.From}, w)
}

// frees reports whether a change is that of a preset which governs a setting.
func (p *Patch) frees(c *Change, id string) bool {
	return slices.ContainsFunc(p.maker.src.Table.Masters, func(m settings.Master) bool {
		return settings.PlainName(m.Attribute) == settings.PlainName(c.Attribute.Name) && slices.Contains(m.Locks, id) && c.Setting != id
	})
}
