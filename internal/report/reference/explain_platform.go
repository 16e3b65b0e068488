package reference

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/humanize"

	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// platformPage is the data of a platform's page; the machine's part is nil without a machine.
func platformPage(p *platform.Info, doc *report.Report) map[string]any {
	out := map[string]any{"Platform": p, "Drawing": channelDrawing(p), "Effects": shares(p)}
	if doc == nil {
		return out
	}
	var rows [][]string
	for _, s := range doc.Inventory.Population.Sockets {
		rows = append(rows, []string{nullable.Text(s.Socket, "?"), cmp.Or(s.DIMMs.Text(), "?"),
			cmp.Or(s.ChannelsPopulated.Text(), "?") + " of " + cmp.Or(s.ChannelsTotal.Text(), "?"), cmp.Or(string(s.Class), "?"), cmp.Or(s.ExpectedMTs.Text(), "?")})
	}
	out["Machine"] = map[string]any{"ID": string(doc.Machine.Platform.ID), "Sockets": rows}
	return out
}

func shares(p *platform.Info) []string {
	var out []string
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
		for _, dimms := range slices.Sorted(maps.Keys(m.DIMMs)) {
			bounds := m.DIMMs[dimms]
			share := population.Relative{Low: &bounds[0], High: &bounds[1]}
			each = append(each, strconv.Itoa(dimms)+" equal DIMMs: "+share.Percent())
		}
		if p.Policy == platform.PolicyEX {
			at += "; modules on each pair of channels, | parts the two controllers"
		}
		out = append(out, "of the best layout's bandwidth: "+strings.Join(each, "; ")+" ("+at+") ["+documentOf(p, m.Source)+"]")
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

// speedTable lists MT/s by kind of DIMM and DIMMs per channel, and the processors' own; nil without any.
type speedTable struct {
	Heads []string
	Rows  [][]string
}

func speeds(byKind map[string][]int, ofProcessor map[string]int) *speedTable {
	t, most := &speedTable{Heads: []string{"DIMMs"}}, 0
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		row := []string{kind}
		for _, mts := range byKind[kind] {
			row = append(row, cmp.Or(number(mts), "not supported or not documented"))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, part := range slices.Sorted(maps.Keys(ofProcessor)) {
		name := "processor " + part
		if part == "*" {
			name = "every processor of it"
		}
		t.Rows = append(t.Rows, []string{name, number(ofProcessor[part])})
	}
	for _, row := range t.Rows {
		most = max(most, len(row))
	}
	for n := 1; n < most; n++ {
		t.Heads = append(t.Heads, strconv.Itoa(n))
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([]string, most-len(row))...)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func document(c platform.Citation) string {
	return humanize.Joined(", ", c.Vendor, c.Title, number(c.Year), c.Place, c.URL)
}
