package reference

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/settings"
)

// setting explains a setting of BIOS setup.
func (e *Explainer) setting(s settings.Setting, doc *report.Report) []page.Block {
	out := append([]page.Block{{Head: &page.Head{Level: 2, Kind: "setting", Name: s.ID}}}, e.about(s.ID, s.Title)...)
	wants, effects, ways, documents := e.rows(s.ID)
	if len(wants.Rows) > 0 {
		out = append(out, part("What documents ask for"), page.Block{Table: wants})
	} else {
		out = append(out, page.Block{Text: "No profile that memaudit has speaks of it."})
	}
	if len(effects) > 0 {
		out = append(out, part("Measured"), page.Block{Fields: effects, Indent: 2})
	}
	out = append(out, faces(s.ID, doc)...)
	out = append(out, e.judged("setting."+s.ID, doc)...)
	if len(ways) > 0 {
		out = append(out, part("How it is set"), page.Block{Fields: ways, Indent: 2})
	}
	if len(documents) > 0 {
		out = append(out, part("Documents"), page.Block{Fields: documents, Indent: 2})
	}
	return out
}

// mostWays bounds the ways to set a setting that are printed: vendors have a menu
// for each generation.
const mostWays = 8

// rows gathers what the profiles say of a setting: the wanted values by intent,
// effects, ways to set it, documents, each once.
func (e *Explainer) rows(id string) (wants *page.Table, effects, ways, documents []page.Field) {
	wants = &page.Table{Heads: []string{"intent", "wanted", "by"}}
	by := map[[2]string][]string{}
	var order [][2]string
	add := func(list *[]page.Field, name, value string) {
		if value != "" && !slices.ContainsFunc(*list, func(f page.Field) bool { return f.Value == value }) {
			*list = append(*list, page.Field{Name: name, Value: value})
		}
	}
	for i := range e.profiles {
		p := &e.profiles[i]
		s, ok := p.Settings[id]
		if !ok {
			continue
		}
		for _, intent := range p.Intents {
			key := [2]string{intent, s.Value}
			if by[key] == nil {
				order = append(order, key)
			}
			by[key] = append(by[key], p.ID)
		}
		if s.Effect != "" {
			add(&effects, "-", s.Effect+" ("+p.Citation.Line()+")")
		}
		if len(ways) < mostWays {
			add(&ways, cmp.Or(first(p.Vendors), "-"), s.Remedy)
		}
		add(&documents, "-", p.Citation.Vendor+", "+p.Citation.Title)
	}
	slices.SortStableFunc(order, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), cmp.Compare(len(by[b]), len(by[a])))
	})
	for _, key := range order {
		wants.Rows = append(wants.Rows, []page.Cell{{Text: key[0]}, {Text: key[1]}, {Text: counted(by[key])}})
	}
	return wants, effects, ways, documents
}

// faces are the values of a setting on the named machine.
func faces(id string, doc *report.Report) []page.Block {
	if doc == nil {
		return nil
	}
	s, ok := doc.Inventory.Settings[id]
	if !ok {
		return []page.Block{part("This machine's value"), {Text: "nothing was read about it"}}
	}
	face := func(f *report.Face) string {
		return cmp.Or(report.OrEmpty(f.Value), "not known: "+cmp.Or(report.OrEmpty(f.Reason), "nothing says it"))
	}
	return []page.Block{part("This machine's value"), {Indent: 2, Fields: []page.Field{
		{Name: "in BIOS setup", Value: face(&s.Configured)}, {Name: "at work", Value: face(&s.Effective)},
		{Name: "decided by", Value: report.OrEmpty(s.DecidedBy.Value)},
	}}}
}

// platform explains a platform, with the picture of one processor's channels.
func (e *Explainer) platform(p *platform.Info, doc *report.Report) []page.Block {
	blocks := Platform(p)
	head := []page.Block{blocks[0], {Text: "A platform is a generation of processors with their memory: how many channels a processor has, which modules it takes, how fast they run."}}
	if d := channelDrawing(p); d != "" {
		head = append(head, page.Block{Example: d})
	}
	return slices.Concat(head, ofPlatform(p, doc), blocks[1:])
}

// mostDrawn is the number of channels up to which a drawing fits 80 columns.
const mostDrawn = 12

// channelDrawing draws the channels and the places on each; "" where their numbers
// are not known.
func channelDrawing(p *platform.Info) string {
	channels, who := p.ChannelsPerSocket, "processor"
	if channels == 0 {
		channels, who = p.ChannelsPerSystem, "memory controller"
	}
	if channels <= 0 || channels > mostDrawn || p.MaxDPC <= 0 {
		return ""
	}
	line := func(cell string) string { return strings.TrimRight(strings.Repeat(cell, channels), " ") + "\n" }
	var b strings.Builder
	b.WriteString(who + "\n" + line(" |   "))
	for range p.MaxDPC {
		b.WriteString(line("[ ]  "))
	}
	b.WriteString(number(channels) + " channels side by side, up to " + number(p.MaxDPC) + " modules on each\n")
	return b.String()
}

// ofPlatform says whether the named machine is of a platform, and what its
// processors carry.
func ofPlatform(p *platform.Info, doc *report.Report) []page.Block {
	if doc == nil {
		return nil
	}
	out := []page.Block{part("This machine")}
	if have := report.OrEmpty(doc.Machine.Platform.ID); have != p.ID {
		return append(out, page.Block{Text: "is not of this platform: " + cmp.Or(have, "its platform is not known")})
	}
	t := &page.Table{Heads: []string{"socket", "DIMMs", "channels filled", "class", "MT/s expected"}}
	for i := range doc.Inventory.Population.Sockets {
		s := &doc.Inventory.Population.Sockets[i]
		t.Rows = append(t.Rows, []page.Cell{{Text: orUnknown(s.Socket)}, {Text: orUnknown(s.DIMMs)},
			{Text: orUnknown(s.ChannelsPopulated) + " of " + orUnknown(s.ChannelsTotal)}, {Text: cmp.Or(report.OrEmpty(s.Class), "?")}, {Text: orUnknown(s.ExpectedMTs)}})
	}
	return append(out, page.Block{Text: "is of this platform."}, page.Block{Table: t})
}

func orUnknown(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}
