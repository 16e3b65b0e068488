package reference

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

func (e *Explainer) platform(p *platform.Info, doc *report.Report) []page.Block {
	out := []page.Block{
		{Head: &page.Head{Level: 2, Kind: "platform", Name: p.ID + ": " + p.Name}},
		{Text: "A platform is a generation of processors with their memory: how many channels a processor has, which modules it takes, how fast they run."},
		{Example: channelDrawing(p)},
		partHeading("Why it matters"), {Indent: 2, Fields: []page.Field{{Name: "-", Value: "the same modules run at other speeds, and fill other channels, on " +
			"another platform: what a document says of one holds for no other"}}},
	}
	out = append(out, effectsPart(shares(p))...)
	out = append(out, partHeading("What is known of it"), page.Block{Fields: platformFields(p), Indent: 2})
	out = slices.Concat(out, speeds(p), processorParts(p), boards(p), recognised(p), ofPlatform(p, doc))
	out = append(out, partHeading("How to change it"), page.Block{Indent: 2, Fields: []page.Field{{Name: "-", Value: howToFill(p)}}})
	return append(out, partHeading("Documents"), page.Block{Indent: 2, Fields: platformDocuments(p)})
}

func shares(p *platform.Info) []page.Field {
	var out []page.Field
	for _, m := range p.Measured {
		at := cmp.Or(strings.ReplaceAll(m.Product, " ?", " "), "any board")
		if m.Sockets > 0 {
			at += ", " + strconv.Itoa(m.Sockets) + " populated sockets"
		}
		if m.Slots > 0 {
			at += ", " + strconv.Itoa(m.Slots) + " slots"
		}
		layouts := slices.SortedFunc(maps.Keys(m.Layouts), func(a, b string) int {
			return cmp.Or(cmp.Compare(m.Layouts[b], m.Layouts[a]), strings.Compare(a, b))
		})
		each := make([]string, len(layouts))
		for i, layout := range layouts {
			each[i] = layoutWords(layout) + " " + strconv.FormatFloat(math.Round(m.Layouts[layout]*1000)/10, 'f', -1, 64) + " %"
		}
		if strings.Contains(layouts[0], "|") {
			at += "; modules on each pair of channels, | parts the two controllers"
		}
		out = append(out, page.Field{Name: "-", Value: "of the best layout's bandwidth: " + strings.Join(each, "; ") + " (" + at + ") [" + documentOf(p, m.Source) + "]"})
	}
	return out
}

// layoutWords describes a layout as written in platform files: "4/8" are channels with modules, "1-1|1-0"
// modules on the channels of each controller.
func layoutWords(layout string) string {
	if strings.Contains(layout, "|") {
		return layout + ":"
	}
	channels, rest, _ := strings.Cut(layout, ",")
	have, all, _ := strings.Cut(channels, "/")
	words := have + " of " + all + " channels filled"
	if each, speed, more := strings.Cut(rest, " per channel"); more {
		words += " with" + each + " modules each" + speed
	}
	return strings.Replace(words, "with 1 modules each", "with 1 module each", 1) + ":"
}

func documentOf(p *platform.Info, key string) string {
	for i := range p.Documents {
		if c := &p.Documents[i].Citation; c.Key == key {
			return c.Vendor + ", " + c.Title
		}
	}
	return key
}

func howToFill(p *platform.Info) string {
	out := "processor and board decide the platform; how its slots are filled can be changed: memaudit plan --platform " + p.ID + " --capacity SIZE lists layouts"
	switch {
	case p.NoDIMMs:
		return "its memory is soldered: nothing is to be changed"
	case len(p.RecommendedDIMMs) > 0:
		out += "; the documents recommend " + numbers(p.RecommendedDIMMs) + " modules for each processor"
	}
	return out
}

func platformDocuments(p *platform.Info) []page.Field {
	var out []page.Field
	if own := document(&p.Citation); own != "" {
		out = append(out, page.Field{Name: "-", Value: own})
	}
	for i := range p.Documents {
		if c := &p.Documents[i].Citation; c.Key != p.Citation.Key {
			out = append(out, page.Field{Name: "-", Value: document(c)})
		}
	}
	if len(out) == 0 {
		out = []page.Field{{Name: "-", Value: "none on record: nothing that rests on this page goes above info"}}
	}
	return out
}

// mostDrawn is the largest number of channels in a drawing of 80 columns.
const mostDrawn = 12

func channelDrawing(p *platform.Info) string {
	channels, who := p.ChannelsPerSocket, "processor"
	if channels == 0 {
		channels, who = p.ChannelsPerSystem, "memory controller"
	}
	if channels <= 0 || channels > mostDrawn {
		return who + "\n | ... |\n[ ] ... [ ]   how many channels is not documented, or differs by part\n"
	}
	line := func(cell string) string { return strings.TrimRight(strings.Repeat(cell, channels), " ") + "\n" }
	var b strings.Builder
	b.WriteString(who + "\n" + line(" |   "))
	switch {
	case p.NoDIMMs:
		b.WriteString(line("###  ") + number(channels) + " channels side by side, the memory soldered: no slots\n")
	case p.MaxDPC <= 0:
		b.WriteString(line("[ ]  ") + number(channels) + " channels side by side; how many modules each takes is not documented\n")
	default:
		b.WriteString(strings.Repeat(line("[ ]  "), p.MaxDPC) + number(channels) + " channels side by side, up to " + number(p.MaxDPC) + " modules on each\n")
	}
	return b.String()
}

func ofPlatform(p *platform.Info, doc *report.Report) []page.Block {
	if doc == nil {
		return unnamed()
	}
	out := []page.Block{partHeading("This machine")}
	if have := string(doc.Machine.Platform.ID); have != p.ID {
		return append(out, page.Block{Text: "is not of this platform: " + cmp.Or(have, "its platform is not known")})
	}
	t := &page.Table{Heads: []string{"socket", "DIMMs", "channels filled", "class", "MT/s expected"}}
	for i := range doc.Inventory.Population.Sockets {
		s := &doc.Inventory.Population.Sockets[i]
		t.Rows = append(t.Rows, []string{orUnknown(s.Socket), orUnknown(s.DIMMs),
			orUnknown(s.ChannelsPopulated) + " of " + orUnknown(s.ChannelsTotal), cmp.Or(string(s.Class), "?"), orUnknown(s.ExpectedMTs)})
	}
	return append(out, page.Block{Text: "is of this platform."}, page.Block{Table: t})
}

func orUnknown(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}
