package collect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/source/bios"
)

// exportSource records the state of one export as a source, and the attributes without a canonical
// setting.
func (c *collector) exportSource(g *Export, e *bios.Export) {
	var own *Joined // nil if the export was joined into another one
	if i := slices.IndexFunc(c.joined, func(j *Joined) bool { return j.Export == e }); i >= 0 {
		own = c.joined[i]
	}
	state, detail := fact.SourceOK, string(e.Format)
	if e.Vendor != "" {
		detail += " of " + manufacturers[e.Vendor]
	}
	if e.Product != "" {
		detail += " " + e.Product
	}
	detail += fmt.Sprintf(", %d attributes", len(e.Attributes))
	switch {
	case own == nil:
		detail += ", taken as the pending values of the export that it belongs to"
	case e.HasRegistry():
		detail += ", an attribute registry"
	default:
		x := own.account()
		x.Source, x.Path, x.Format = g.Source, g.Path, string(e.Format)
		c.sys.Exports = append(c.sys.Exports, x)
		detail += fmt.Sprintf(", %d mapped", x.Mapped)
		if own.Doubt != "" {
			state = fact.SourcePartial
			detail += "; " + own.Doubt
		}
		if e.PendingOnly {
			detail += "; " + describePending(e) + ": what is to be set, not evidence of what is set"
		}
	}
	if n := len(e.Problems); n > 0 {
		if state == fact.SourceOK {
			state = fact.SourcePartial
		}
		detail += fmt.Sprintf("; %d problems, the first: %s", n, e.Problems[0])
	}
	if g.Source == inventory.SourceRedfish || g.Source == inventory.SourceFirmwareAttributes {
		return // recorded with the source itself
	}
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: g.Source, State: state, Detail: g.Path + ": " + detail})
}

// account counts the attributes that map to canonical settings and lists the others.
func (j *Joined) account() inventory.Export {
	var x inventory.Export
	for i := range j.Export.Attributes {
		a := &j.Export.Attributes[i]
		if _, own := settings.Lookup(a.Name); own && j.Export.Format == bios.OwnWords {
			x.Mapped++
			if !vocabularyOf(a.Name).Accepts(a.Value) {
				x.Foreign = append(x.Foreign, a.Name)
			}
			continue
		}
		matches := j.matches(a)
		if len(matches) == 0 {
			x.Unmapped = append(x.Unmapped, redacted(a.Name))
			continue
		}
		x.Mapped++
		if a.Stated && !slices.ContainsFunc(matches, func(m settings.Match) bool { return translates(m, a.Value, a.Text) }) ||
			a.HasPending && !slices.ContainsFunc(matches, func(m settings.Match) bool { return translates(m, a.Pending, a.PendingText) }) {
			x.Foreign = append(x.Foreign, redacted(a.Name))
		}
	}
	return x
}

func (j *Joined) matches(a *bios.Attribute) []settings.Match {
	if j.Table == nil {
		return nil
	}
	if found := j.Table.Find(a.Name); len(found) > 0 {
		return found
	}
	return j.Table.Find(a.Display)
}

func translates(m settings.Match, value, text string) bool {
	s, ok := settings.Lookup(m.ID)
	if !ok {
		return false
	}
	if _, ok := m.Attr.Canonical(s, value); ok {
		return true
	}
	_, ok = m.Attr.Canonical(s, text)
	return ok && text != ""
}

// address matches a MAC address. Some firmware puts one into the names of a device's attributes.
var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(^|[^0-9a-z])[0-9a-f]{12}($|[^0-9a-z])`)
})

// redacted removes addresses and control characters from the name of an attribute.
func redacted(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	return strings.TrimSpace(address().ReplaceAllString(name, "${2}(address)${3}"))
}
