package reference

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/platform"
	"github.com/memaudit/memaudit/internal/report/page"
)

// Platform is what is known of one platform.
func Platform(p *platform.Info) []page.Block {
	blocks := []page.Block{
		{Head: &page.Head{Level: 1, Kind: "platform", Name: p.ID + ": " + p.Name}},
		{Fields: platformFields(p)},
	}
	blocks = append(blocks, speeds(p)...)
	blocks = append(blocks, processorParts(p)...)
	blocks = append(blocks, recognised(p)...)
	blocks = append(blocks, measured(p)...)
	blocks = append(blocks, boards(p)...)
	return append(blocks, documents(p)...)
}

func platformFields(p *platform.Info) []page.Field {
	policy := p.Policy
	if policy == "" {
		policy = "none known: populations are counted, not graded"
	}
	fields := []page.Field{
		{Name: "memory", Value: attached(p)},
		{Name: "channels per processor", Value: number(p.ChannelsPerSocket)}, {Name: "channels per system", Value: number(p.ChannelsPerSystem)},
		{Name: "controllers per processor", Value: number(p.Controllers)}, {Name: "DIMMs per channel at most", Value: number(p.MaxDPC)},
		{Name: "fewer per channel of a kind", Value: fewerOfKinds(p.MostDPC)},
		{Name: "interleave policy", Value: policy}, {Name: "recommended DIMMs per processor", Value: numbers(p.RecommendedDIMMs)},
		{Name: "acceptable DIMMs", Value: numbers(p.AcceptableDIMMs)}, {Name: "the only DIMM counts allowed", Value: numbers(p.AllowedDIMMs)},
		{Name: "classes of layouts", Value: p.Classes},
	}
	for _, topic := range slices.Sorted(maps.Keys(p.Notes)) {
		fields = append(fields, page.Field{Name: topic, Value: p.Notes[topic]})
	}
	return append(fields, page.Field{Name: "not confirmed by a document, never above info", Value: unverified(p)},
		page.Field{Name: "source", Value: document(&p.Citation)})
}

// fewerOfKinds lists the kinds of which a channel takes fewer modules than it has slots.
func fewerOfKinds(most map[string]int) string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(most)) {
		out = append(out, kind+" "+number(most[kind]))
	}
	return strings.Join(out, ", ")
}

// attached says in words how the memory hangs on the processors.
func attached(p *platform.Info) string {
	var out []string
	for _, f := range []struct {
		holds bool
		text  string
	}{
		{p.NUMA, "controllers in the processors"}, {!p.NUMA, "one controller outside the processors (front-side bus)"},
		{p.NoDIMMs, "soldered, no slots"}, {p.Buffered, "memory buffers between processor and DIMMs"}, {p.LockstepPairs, "DIMMs in lockstep pairs"},
		{p.ZeroDIMMsLegal, "HBM on the processor: no DIMM at all is legal"}, {p.UniformDIMMs, "the document asks for identical DIMMs"},
	} {
		if f.holds {
			out = append(out, f.text)
		}
	}
	return strings.Join(out, "; ")
}

func unverified(p *platform.Info) string {
	if !p.Verified {
		return "the whole page"
	}
	return strings.Join(slices.Sorted(maps.Keys(p.Unverified)), ", ")
}

// speeds tables MT/s by kind of DIMM and DIMMs per channel.
func speeds(p *platform.Info) []page.Block {
	t := speedTable(p.Speeds)
	for _, part := range slices.Sorted(maps.Keys(p.ProcessorMTs)) {
		name := "processor " + part
		if part == "*" {
			name = "every processor of it"
		}
		t.Rows = append(t.Rows, []page.Cell{{Text: name}, {Text: number(p.ProcessorMTs[part])}})
	}
	if len(t.Rows) == 0 {
		return []page.Block{{Text: "No document gives speeds by DIMMs per channel; the processor's own maximum and the DIMMs' decide."}}
	}
	padRows(t)
	return []page.Block{{Head: &page.Head{Level: 2, Kind: "speeds", Name: "Speeds in MT/s by DIMMs per channel"}}, {Table: t}}
}

func speedTable(speeds map[string][]int) *page.Table {
	t := &page.Table{Heads: []string{"DIMMs"}}
	for _, kind := range slices.Sorted(maps.Keys(speeds)) {
		row := []page.Cell{{Text: kind}}
		for _, mts := range speeds[kind] {
			text := number(mts)
			if mts == 0 {
				text = "not supported or not documented"
			}
			row = append(row, page.Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// padRows gives every row as many cells as the longest one has.
func padRows(t *page.Table) {
	most := 0
	for _, r := range t.Rows {
		most = max(most, len(r))
	}
	for n := 1; n < most; n++ {
		t.Heads = append(t.Heads, strconv.Itoa(n))
	}
	for i, r := range t.Rows {
		t.Rows[i] = append(r, make([]page.Cell, most-len(r))...)
	}
}

// processorParts lists the processors whose facts differ.
func processorParts(p *platform.Info) []page.Block {
	var out []page.Block
	for i := range p.Parts {
		part := &p.Parts[i]
		out = append(out, page.Block{Head: &page.Head{Level: 3, Name: "Otherwise for " + part.Brand}},
			page.Block{Fields: []page.Field{
				{Name: "channels per processor", Value: number(part.ChannelsPerSocket)}, {Name: "DIMMs per channel at most", Value: number(part.MaxDPC)},
				{Name: "recommended DIMMs per processor", Value: numbers(part.RecommendedDIMMs)},
			}})
		if t := speedTable(part.Speeds); len(t.Rows) > 0 {
			padRows(t)
			out = append(out, page.Block{Table: t})
		}
	}
	return out
}

// recognised lists the ways in which the platform is known.
func recognised(p *platform.Info) []page.Block {
	t := &page.Table{Heads: []string{"vendor", "family", "model", "steppings", "brand", "product", "memory", "confirmed"}}
	for i := range p.Recognise {
		r := &p.Recognise[i]
		confirmed := "yes"
		if !r.Verified {
			confirmed = "no"
		}
		t.Rows = append(t.Rows, []page.Cell{{Text: r.Vendor}, {Text: identity(r.Family)}, {Text: identity(r.Model)}, {Text: numbers(r.Steppings)},
			{Text: r.Brand, Code: true}, {Text: r.Product, Code: true}, {Text: r.Memory}, {Text: confirmed}})
	}
	return []page.Block{{Head: &page.Head{Level: 2, Kind: "recognised", Name: "Recognised by"}}, {Table: t}}
}

// measured lists layouts whose bandwidth a document measured.
func measured(p *platform.Info) []page.Block {
	t := &page.Table{Heads: []string{"layout", "share of the full population's bandwidth", "on", "source"}}
	for _, m := range p.Measured {
		for _, layout := range slices.Sorted(maps.Keys(m.Layouts)) {
			t.Rows = append(t.Rows, []page.Cell{{Text: layout}, {Text: strconv.FormatFloat(m.Layouts[layout], 'f', -1, 64)}, {Text: m.Product}, {Text: m.Source}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []page.Block{{Head: &page.Head{Level: 2, Kind: "measured", Name: "Measured layouts"}}, {Table: t}}
}

// boards lists the limits that boards set.
func boards(p *platform.Info) []page.Block {
	t := &page.Table{Heads: []string{"product", "MT/s at most", "source"}}
	for _, b := range p.Boards {
		t.Rows = append(t.Rows, []page.Cell{{Text: b.Product, Code: true}, {Text: number(b.MaxMTs)}, {Text: b.Source}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []page.Block{{Head: &page.Head{Level: 2, Kind: "boards", Name: "Boards that set a limit"}}, {Table: t}}
}

// documents lists the sources.
func documents(p *platform.Info) []page.Block {
	t := &page.Table{Heads: []string{"key", "document"}}
	for i := range p.Documents {
		t.Rows = append(t.Rows, []page.Cell{{Text: p.Documents[i].Key}, {Text: document(&p.Documents[i].Citation)}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []page.Block{{Head: &page.Head{Level: 2, Kind: "sources", Name: "Sources"}}, {Table: t}}
}

// document is a platform's citation on one line.
func document(c *platform.Citation) string {
	var out []string
	for _, s := range []string{c.Vendor, c.Title, number(c.Year), c.Place, c.URL} {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// number is "" for 0: not stated.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// identity is a number of CPUID, "" for one that is not asked for.
func identity(n int) string {
	if n < 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func numbers(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ", ")
}
