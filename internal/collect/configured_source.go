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

// exportSource records what became of one export: its state as a source, and the attributes that no
// canonical setting stands for.
func (c *collector) exportSource(g *Export, e *bios.Export) {
	own := c.joinedOf(e)
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
		if own.doubt != "" {
			state = fact.SourcePartial
			detail += "; " + own.doubt
		}
		if e.Wishes {
			detail += "; " + wishes(e) + ": what is to be set, not evidence of what is set"
		}
	}
	if n := len(e.Problems); n > 0 {
		if state == fact.SourceOK {
			state = fact.SourcePartial
		}
		detail += fmt.Sprintf("; %d problems, the first: %s", n, e.Problems[0])
	}
	if g.Source == inventory.SourceRedfish || g.Source == inventory.SourceFirmwareAttributes {
		return // the source's own entry speaks of it
	}
	c.sys.Sources = append(c.sys.Sources, inventory.Source{Name: g.Source, State: state, Detail: g.Path + ": " + detail})
}

func (c *collector) joinedOf(e *bios.Export) *joinedExport {
	for _, j := range c.joined {
		if j.export == e {
			return j
		}
	}
	return nil
}

// account counts the attributes that canonical settings stand for and lists the others.
func (j *joinedExport) account() inventory.Export {
	var x inventory.Export
	for i := range j.export.Attributes {
		a := &j.export.Attributes[i]
		if _, own := settings.Lookup(a.Name); own && j.export.Format == bios.OwnWords {
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

func (j *joinedExport) matches(a *bios.Attribute) []settings.Match {
	if j.table == nil {
		return nil
	}
	if found := j.table.Find(a.Name); len(found) > 0 {
		return found
	}
	return j.table.Find(a.Display)
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

// digitsOfAddress is the number of digits of a MAC address; few names have as many in a row.
const digitsOfAddress = 12

// hexadecimals returns the length of the longest run of hexadecimal digits, in which ':' and '-'
// are skipped.
func hexadecimals(name string) int {
	most, n := 0, 0
	for i := range len(name) {
		switch c := name[i] | 0x20; {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			n++
			most = max(most, n)
		case name[i] != ':' && name[i] != '-':
			n = 0
		}
	}
	return most
}

// redacted removes addresses and control characters from the name of an attribute.
func redacted(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, name)
	if hexadecimals(name) >= digitsOfAddress {
		name = address().ReplaceAllString(name, "${2}(address)${3}")
	}
	return strings.TrimSpace(name)
}
