package reference

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

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
	return append(fields, page.Field{Name: "not confirmed by a document, never above info", Value: unverified(p)})
}

func fewerOfKinds(most map[string]int) string {
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(most)) {
		out = append(out, kind+" "+number(most[kind]))
	}
	return strings.Join(out, ", ")
}

func attached(p *platform.Info) string {
	var out []string
	for _, f := range []struct {
		holds bool
		text  string
	}{
		{p.NUMA, "controllers in the processors"}, {!p.NUMA, "one controller outside the processors (front-side bus)"},
		{p.NoDIMMs, "soldered, no slots"}, {p.OwnChannels != "", p.OwnChannels + " modules, each with channels of its own"}, {p.Buffered, "memory buffers between processor and DIMMs"}, {p.LockstepPairs, "DIMMs in lockstep pairs"},
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
		return "everything here"
	}
	return strings.Join(slices.Sorted(maps.Keys(p.Unverified)), ", ")
}

func speeds(p *platform.Info) []page.Block {
	t := speedTable(p.Speeds)
	for _, part := range slices.Sorted(maps.Keys(p.ProcessorMTs)) {
		name := "processor " + part
		if part == "*" {
			name = "every processor of it"
		}
		t.Rows = append(t.Rows, []string{name, number(p.ProcessorMTs[part])})
	}
	if len(t.Rows) == 0 {
		return []page.Block{{Text: "No document gives speeds by DIMMs per channel; the processor's own maximum and the DIMMs' decide."}}
	}
	padRows(t)
	return []page.Block{{Head: &page.Head{Level: 3, Name: "Speeds in MT/s by DIMMs per channel"}}, {Table: t}}
}

func speedTable(speeds map[string][]int) *page.Table {
	t := &page.Table{Heads: []string{"DIMMs"}}
	for _, kind := range slices.Sorted(maps.Keys(speeds)) {
		row := []string{kind}
		for _, mts := range speeds[kind] {
			text := number(mts)
			if mts == 0 {
				text = "not supported or not documented"
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func padRows(t *page.Table) {
	most := 0
	for _, r := range t.Rows {
		most = max(most, len(r))
	}
	for n := 1; n < most; n++ {
		t.Heads = append(t.Heads, strconv.Itoa(n))
	}
	for i, r := range t.Rows {
		t.Rows[i] = append(r, make([]string, most-len(r))...)
	}
}

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

func recognised(p *platform.Info) []page.Block {
	var fields []page.Field
	for i := range p.Recognise {
		r := &p.Recognise[i]
		var out []string
		add := func(name, value string) {
			if value != "" {
				out = append(out, name+value)
			}
		}
		add("", r.Vendor)
		if r.Family >= 0 {
			add("family ", strconv.Itoa(r.Family))
		}
		if r.Model >= 0 {
			add("model ", strconv.Itoa(r.Model))
		}
		add("stepping ", numbers(r.Steppings))
		add("brand ", r.Brand)
		add("product ", r.Product)
		add("memory ", r.Memory)
		if !r.Verified {
			add("", "not confirmed by a document")
		}
		fields = append(fields, page.Field{Name: "-", Value: strings.Join(out, ", ")})
	}
	return []page.Block{partHeading("Recognised by"), {Fields: fields, Indent: 2}}
}

func boards(p *platform.Info) []page.Block {
	t := &page.Table{Heads: []string{"product", "MT/s at most", "source"}}
	for _, b := range p.Boards {
		t.Rows = append(t.Rows, []string{b.Product, number(b.MaxMTs), b.Source})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []page.Block{{Head: &page.Head{Level: 3, Name: "Boards that set a limit"}}, {Table: t}}
}

func document(c *platform.Citation) string {
	var out []string
	for _, s := range []string{c.Vendor, c.Title, number(c.Year), c.Place, c.URL} {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// number returns "" for 0, which is undocumented.
func number(n int) string {
	if n == 0 {
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
