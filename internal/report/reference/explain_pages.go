package reference

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

func (e *Explainer) settingPage(s settings.Setting, doc *report.Report) map[string]any {
	wants, effects, ways, documents := e.profileRows(s.ID)
	if len(ways) == 0 {
		ways, documents = e.vendorNames(s.ID, documents)
	}
	machine := e.machineResults("setting."+s.ID, doc)
	if machine != nil {
		machine.Values = machineValues(s.ID, doc)
	}
	return map[string]any{"Setting": s, "Topic": e.findTopic(s.ID), "Effects": append(effects, e.measuredTexts(s.ID)...), "Wants": wants,
		"Ways": ways, "Documents": documents, "Machine": machine, "Needs": e.prerequisitesOf(s.ID)}
}

// vendorNames returns the vendors' menus and attributes of a setting without instructions in a profile, and their
// documents appended to the given ones.
func (e *Explainer) vendorNames(id string, documents []string) (ways []labelled, all []string) {
	for t := range e.tables.All() {
		for _, a := range t.Settings[id] {
			name := cmp.Or(a.Menu, a.Name)
			if a.Unverified || len(ways) == mostWays || slices.ContainsFunc(ways, func(w labelled) bool { return w.Value == name }) {
				continue
			}
			ways = append(ways, labelled{Name: t.Vendor, Value: name})
			if from, ok := t.Sources[a.Source]; ok {
				documents = append(documents, cmp.Or(from.Vendor, t.Vendor)+", "+from.Title)
			}
		}
	}
	return ways, documents
}

// mostWays limits the ways to set a setting that are printed: vendors have a menu for each generation.
const mostWays = 8

func (e *Explainer) profileRows(id string) (wants [][]string, effects []string, ways []labelled, documents []string) {
	by := map[[2]string][]string{}
	var order [][2]string
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
		if s.Effect != "" && !slices.ContainsFunc(effects, func(f string) bool { return strings.HasPrefix(f, s.Effect) }) {
			effects = append(effects, s.Effect+" ["+p.Citation.Line()+"]")
		}
		way := wayToSet(p, id, &s, e.tables)
		if way != "" && len(ways) < mostWays && !slices.ContainsFunc(ways, func(w labelled) bool { return w.Value == way }) {
			ways = append(ways, labelled{Name: cmp.Or(firstOf(p.Vendors), "-"), Value: way})
		}
		documents = humanize.AddNew(documents, p.Citation.Vendor+", "+p.Citation.Title)
	}
	slices.SortStableFunc(order, func(a, b [2]string) int {
		return cmp.Or(strings.Compare(a[0], b[0]), cmp.Compare(len(by[b]), len(by[a])))
	})
	for _, key := range order {
		profiles := by[key][0]
		if n := len(by[key]); n > 1 { // vendors have one for each generation
			profiles = strconv.Itoa(n) + " profiles"
		}
		wants = append(wants, []string{key[0], key[1], profiles})
	}
	return wants, effects, ways, documents
}

func machineValues(id string, doc *report.Report) []labelled {
	s, ok := doc.Inventory.Settings[id]
	if !ok {
		return []labelled{{Name: "-", Value: "nothing was read about it"}}
	}
	value := func(f *report.Face) string {
		return cmp.Or(string(f.Value), "not known: "+cmp.Or(string(f.Reason), "nothing says it"))
	}
	return []labelled{{Name: "in BIOS setup", Value: value(&s.Configured)}, {Name: "at work", Value: value(&s.Effective)},
		{Name: "decided by", Value: string(s.DecidedBy.Value)}}
}

// Rules that use the slot sets of the product's manual.
const (
	slotOrder = "memory.slot.order"
	slotCount = "memory.count.supported"
)

// slotSets lists the numbers of modules with a set of slots in the machine's manual, and whether the set is
// printed there or derived from an order of filling.
func (e *Explainer) slotSets(doc *report.Report) []labelled {
	sets := place.ReadSets(e.knowledge, &doc.Machine)
	if sets == nil {
		return nil
	}
	var out []labelled
	for _, n := range slices.Sorted(maps.Keys(sets.Rows)) {
		row := sets.Rows[n]
		if row.Source == "" {
			continue
		}
		how := row.Grade + ": " + sets.Document(n)
		if row.Printed {
			how += ", set printed"
		}
		out = append(out, labelled{Name: humanize.Plural(n, "DIMM"), Value: how})
	}
	return out
}

// AddWays completes profile rows whose document has no instructions, from the vendors' tables of menus and attributes.
func AddWays(profiles []rulepack.ProfileInfo, tables settings.Tables) {
	for i := range profiles {
		p := &profiles[i]
		for id, s := range p.Settings {
			s.Remedy = wayToSet(p, id, &s, tables)
			p.Settings[id] = s
		}
	}
}

// wayToSet returns how to set a profile's row: from its document, or from the vendor's table.
func wayToSet(p *rulepack.ProfileInfo, id string, s *rulepack.SettingInfo, tables settings.Tables) string {
	if s.Remedy != "" {
		return s.Remedy
	}
	for _, vendor := range p.Vendors {
		if table := tables.FindTable(vendor); table != nil {
			return firstStep(table, p, id, s)
		}
	}
	return ""
}

// firstStep returns the menu path of a setting, or the command if there is none; "" if the vendor has several names
// for it and the document does not show which one these machines have. It assumes that the preset does not lock the
// setting, which depends on the machine.
func firstStep(t *settings.Table, p *rulepack.ProfileInfo, id string, s *rulepack.SettingInfo) string {
	change := settings.Change{ID: id, Product: firstOf(p.Named), Platform: firstOf(p.Platforms), Seen: attributeIn(t, s.Place)}
	if change.Seen == "" && len(t.Settings[id]) > 1 {
		return ""
	}
	if p.Match != nil {
		change.Product = cmp.Or(change.Product, firstOf(p.Match.Products))
	}
	if len(t.Presets) > 0 {
		change.Preset = firstOf(t.Presets[0].Unlocked)
	}
	for _, change.Want = range s.Wants {
		if lines := t.StepLines(change); len(lines) > 0 {
			return lines[0]
		}
	}
	return ""
}

// attributeIn finds the vendor's own name of a setting at the end of a place in a document ("MapFromAttribute
// WorkloadProfile: ProcAMDBoost=Enabled").
func attributeIn(t *settings.Table, place string) string {
	words := strings.Fields(place)
	if len(words) == 0 {
		return ""
	}
	name, _, ok := strings.Cut(words[len(words)-1], "=")
	if !ok || len(t.Find(name)) == 0 {
		return ""
	}
	return name
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func platformPage(p *platform.Info, doc *report.Report) map[string]any {
	out := map[string]any{"Platform": p, "Drawing": channelDrawing(p), "Effects": measuredShares(p)}
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

func measuredShares(p *platform.Info) []string {
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
		out = append(out, "of the best layout's bandwidth: "+strings.Join(each, "; ")+" ("+at+") ["+documentTitle(p, m.Source)+"]")
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

func documentTitle(p *platform.Info, key string) string {
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
		b.WriteString(line("###  ") + numberOrEmpty(channels) + " channels side by side, the memory soldered: no slots\n")
	case p.MaxDPC <= 0:
		b.WriteString(line("[ ]  ") + numberOrEmpty(channels) + " channels side by side; how many modules each takes is not documented\n")
	default:
		b.WriteString(strings.Repeat(line("[ ]  "), p.MaxDPC) + numberOrEmpty(channels) + " channels side by side, up to " + numberOrEmpty(p.MaxDPC) + " modules on each\n")
	}
	return b.String()
}

// speedTable lists MT/s by kind of DIMM and DIMMs per channel, and the processors' own; nil without any.
type speedTable struct {
	Heads []string
	Rows  [][]string
}

func tabulateSpeeds(byKind map[string][]int, ofProcessor map[string]int) *speedTable {
	t, most := &speedTable{Heads: []string{"DIMMs"}}, 0
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		row := []string{kind}
		for _, mts := range byKind[kind] {
			row = append(row, cmp.Or(numberOrEmpty(mts), "not supported or not documented"))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, part := range slices.Sorted(maps.Keys(ofProcessor)) {
		name := "processor " + part
		if part == "*" {
			name = "every processor of it"
		}
		t.Rows = append(t.Rows, []string{name, numberOrEmpty(ofProcessor[part])})
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

func citationText(c platform.Citation) string {
	return humanize.Joined(", ", c.Vendor, c.Title, numberOrEmpty(c.Year), c.Place, c.URL)
}
