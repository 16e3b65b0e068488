package plan

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

func (t *Target) withConfiguration(to []Configuration, c *documentedCount, layout []int) []Configuration {
	sys, topo := t.deriveLayout(layout)
	if hasTooDeepChannel(sys, topo) {
		return to
	}
	own, sets := &t.board.units[0], t.board.population.Sets
	out := t.configuration(c, t.slotWords(own, layout, c))
	out.speed, out.Reached = t.speedRanking(topo), reachedOf(&topo.Populations[0])
	for u := range t.others {
		if names := t.slotWords(&t.others[u], layout, c); t.labelled && !slices.Contains(names, "") {
			out.OtherSlots = append(out.OtherSlots, names)
		}
	}
	if t.doubted != "" && t.labelled && (c.row == nil || sets.Analogous) && c.n < len(own.slots) {
		out.Doubt = nullable.String(t.doubted)
	}
	if c.row != nil && t.numbered == nil && (!sets.Analogous || t.labelled && t.doubted == "") {
		for _, set := range c.row.Sets[1:] {
			if other, ok := t.layoutOfSet(set, c.mix); ok {
				out.Also = append(out.Also, t.slotWords(own, other, c))
			}
		}
	}
	about := func(id string) bool { return t.pipeline.AboutLayout(id) || t.pipeline.Role(id).Feature }
	if found, err := t.pipeline.Audit(sys, topo, about); err == nil {
		out.addAuditResult(found, &t.pipeline, topo.Populations[0].Class.Or(population.Class{}))
	}
	out.Discouraged = out.Discouraged || c.row != nil && discouraged(c.row)
	return append(to, out)
}

// A document may allow fewer modules on a channel with one of them, such as no third with a quad-rank one.
func hasTooDeepChannel(sys *inventory.System, topo *population.Result) bool {
	type channel struct{ socket, number int }
	on := map[channel][]int{}
	for i := range sys.Slots {
		if at := &topo.Placements[i]; sys.Slots[i].State == inventory.SlotPopulated && at.Channel != place.Unplaced {
			c := channel{at.Socket, at.Channel}
			on[c] = append(on[c], i)
		}
	}
	pf := topo.Platform.Value
	for _, slots := range on {
		for _, i := range slots {
			kinds, _ := platform.KindsFor(pf, &sys.Slots[i])
			if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return pf.AllowsDepth(k, len(slots)) }) {
				return true
			}
		}
	}
	return false
}

func (t *Target) numberedSlots(c *documentedCount) [][]string {
	var out [][]string
	if t.numbered == nil || c.row == nil || t.board.population.Sets.Analogous {
		return nil
	}
	for _, set := range c.row.Sets {
		var names []string
		for _, n := range set {
			if name := t.numbered[n]; name != "" {
				names = append(names, name)
			}
		}
		if len(names) == c.n {
			out = append(out, names)
		}
	}
	return out
}

func (t *Target) configuration(c *documentedCount, slots []string) Configuration {
	out := Configuration{Source: t.documentOf(c), Slots: slots, DIMMs: []Modules{}, Also: [][]string{}, OtherSlots: [][]string{}, Effects: []verdict.Effect{}, Findings: []Failure{}}
	for _, n := range t.owned {
		out.Left += n
	}
	total := int64(0)
	for k, n := range c.mix {
		if n == 0 {
			continue
		}
		m := Modules{Bytes: t.sizes[k].bytes, Count: n}
		if ranks := t.sizes[k].ranks; ranks > 0 {
			m.Ranks = &ranks
		}
		m.Installed = min(n*t.Sockets, t.owned[m.Bytes])
		m.Bought = n*t.Sockets - m.Installed
		out.Left -= m.Installed
		out.DIMMs = append(out.DIMMs, m)
		total += int64(n*t.Sockets) * m.Bytes
		out.beyond = out.beyond || m.Bought > 0 && t.stated > 0 && m.Bytes > t.statedModule
		if m.Bought > 0 && t.largest > 0 {
			out.stretch = max(out.stretch, (m.Bytes-1)/(2*t.largest))
		}
	}
	if out.beyond = out.beyond || t.stated > 0 && total > t.stated; out.beyond {
		out.Note = nullable.String("firmware states at most " + humanize.Size(t.stated) + ", " + humanize.Size(t.statedModule) + " for each slot: check with the vendor that the machine takes more")
	}
	return out
}

// The classes and permitted numbers of the platform's own document take precedence.
func (c *Configuration) addAuditResult(found *verdict.Audit, p *Pipeline, class population.Class) {
	for i := range found.Findings {
		f := &found.Findings[i]
		if p.Role(f.Rule).Feature {
			c.addFeatureEffect(f)
			continue
		}
		if (f.Result == verdict.Fail || f.Explains) && f.Effect != nil && !c.statesEffect(f.Effect) && !slices.Contains(c.Effects, *f.Effect) {
			c.Effects = append(c.Effects, *f.Effect)
		}
		if f.Result != verdict.Fail {
			continue
		}
		c.Findings = append(c.Findings, Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
		severe := f.Severity.Rank() >= verdict.Warning.Rank()
		if severe && (!class.Documented || p.Role(f.Rule).Permits || f.Severity == verdict.Critical) {
			c.Discouraged = true
		}
	}
	c.Discouraged = c.Discouraged || class.Discouraged
}

// addFeatureEffect adds as an effect whether the layout meets what a feature needs of it, if all of that is known.
func (c *Configuration) addFeatureEffect(f *verdict.Finding) {
	verb, words, source := "carries ", []string{}, ""
	for _, p := range f.Prerequisites {
		switch {
		case !p.Layout || p.Result == verdict.NotApplicable || verb == "prevents " && p.Result == verdict.Pass:
			continue
		case p.Result == verdict.Pass:
			words = append(words, p.Title)
		case p.Result == verdict.Fail && verb == "prevents ":
			words = append(words, p.Title+" "+p.Met)
		case p.Result == verdict.Fail:
			verb, words = "prevents ", []string{p.Title + " " + p.Met}
		default:
			return
		}
		source = p.Source
	}
	if len(words) > 0 {
		c.Effects = append(c.Effects, verdict.Effect{Text: verb + f.Rule + ": " + strings.Join(words, "; "), Source: nullable.String(source)})
	}
}

// A configuration states the share of the best bandwidth, computed or measured, anyway.
func (c *Configuration) statesEffect(e *verdict.Effect) bool {
	return e.Source == verdict.PopulationModel || e.Source != "" && string(e.Source) == string(c.Relative.Source)
}

func (t *Target) documentOf(c *documentedCount) string {
	if c.row != nil {
		return t.board.population.Sets.Document(c.n)
	}
	if c.documented || t.lockstepKitSize() > 1 && c.n%t.lockstepKitSize() == 0 {
		names := place.NamesOf(t.pipeline.Rules, &t.board.sys.Machine)
		if len(names.Makers) == 0 { // of a platform without a machine each maker's document is about it
			names.Makers = []string{platform.VendorWord(t.Platform.Citation.Vendor)}
		}
		return cmp.Or(t.pipeline.Document(t.Platform, names), general)
	}
	return general
}

// A slot has its label, else channel and slot. If it is unknown which slot of a channel is filled first, each of them is named.
// A slot that the processor does not have is "".
func (t *Target) slotWords(u *memoryUnit, layout []int, c *documentedCount) []string {
	if names := t.numberedSlots(c); len(names) > 0 {
		return names[0]
	}
	var out []string
	for _, slot := range t.board.units[0].slots {
		if layout[slot] == none {
			continue
		}
		at, either := &t.board.population.Placements[slot], t.alternativeSlots(slot, layout)
		switch {
		case !t.labelled:
			out = append(out, documentSlot(at.Channel, at.Slot))
		case len(either) > 0 && c.row == nil:
			var names []string
			for _, other := range either {
				names = append(names, t.labelOf(u, other))
			}
			out = append(out, "one of "+strings.Join(names, ", "))
		default:
			out = append(out, t.labelOf(u, slot))
		}
	}
	return out
}

func (t *Target) labelOf(u *memoryUnit, slot int) string {
	for n, g := range t.board.units[0].groups {
		for d, layer := range g.layers {
			k := slices.Index(layer, slot)
			switch {
			case k < 0:
			case n >= len(u.groups), d >= len(u.groups[n].layers), k >= len(u.groups[n].layers[d]):
				return ""
			default:
				return slotLabel(t.board.sys, u.groups[n].layers[d][k])
			}
		}
	}
	return slotLabel(t.board.sys, slot)
}

func (t *Target) alternativeSlots(slot int, layout []int) []int {
	for n, open := range t.open {
		slots := slices.Concat(t.board.units[0].groups[n].layers...)
		if open && slices.Contains(slots, slot) && slices.ContainsFunc(slots, func(s int) bool { return layout[s] == none }) {
			return slots
		}
	}
	return nil
}

// Configuration is one way to populate every processor. Figures are of one
// processor (of the chipset on a front-side bus).
type Configuration struct {
	// DIMMs are the sizes, largest first.
	DIMMs []Modules `json:"dimms"`
	// Left is how many installed modules are not used.
	Left int `json:"left"`
	// Slots are locators, BANK/LOCATOR if locators repeat, or channel and slot if no label is known, in the order of the
	// board; Also are sets that the vendor calls equally good, OtherSlots the slots of the other processors.
	Slots      []string   `json:"slots"`
	Also       [][]string `json:"also"`
	OtherSlots [][]string `json:"other_slots"`
	// Doubt is the reason why it is not certain which slot is on which channel, Note what firmware states against the
	// capacity.
	Doubt nullable.String `json:"doubt" jsonschema:"nullable"`
	Note  nullable.String `json:"note" jsonschema:"nullable"`
	Reached
	// Effects are measured, or stated by a document for such a layout, and which features it carries or prevents.
	Effects []verdict.Effect `json:"effects"`
	// Source names the document of the layout, or general practice.
	Source string `json:"source"`
	// Discouraged is set if a document discourages the layout, or a rule about it fails at warning or above; Findings
	// lists the rules that fail.
	Discouraged bool      `json:"discouraged"`
	Findings    []Failure `json:"findings"`

	// speed is as spread orders layouts; nil for slots without a known place.
	speed []float64
	// beyond is set if more is needed than firmware states, stretch how many times a new module has twice the largest
	// installed one.
	beyond  bool
	stretch int64
}

// Modules are equal modules of a configuration. Ranks is nil when it is free. Count is for each processor; Installed
// and Bought are how many of those of all processors the machine has, and how many it does not.
type Modules struct {
	Bytes     int64 `json:"size_bytes"`
	Ranks     *int  `json:"ranks" jsonschema:"nullable"`
	Count     int   `json:"count"`
	Installed int   `json:"installed"`
	Bought    int   `json:"to_buy"`
}

// documentedCount is a number of modules of one processor and what documents state about it.
type documentedCount struct {
	n int
	// row is the vendor's, nil if there is none.
	row *place.SetRow
	// documented is set if the platform's document names the number.
	documented bool
	// mix is how many modules of each size make the number.
	mix []int
}

// Larger modules come first in the order of the table; false if slots and modules are not equally many.
func (t *Target) layoutOfSet(set, mix []int) ([]int, bool) {
	layout := slices.Clone(t.board.at)
	left, k, placed := slices.Clone(mix), 0, 0
	for _, slot := range t.board.units[0].slots {
		if !slices.Contains(set, t.board.population.Sets.SlotNumber(t.board.sys.Slots[slot].Locator.Or(""), &t.board.population.Placements[slot])) {
			continue
		}
		for k < len(left) && left[k] == 0 {
			k++
		}
		if k == len(left) {
			return nil, false
		}
		layout[slot] = k
		left[k]--
		placed++
	}
	return layout, placed == len(set) && modulesIn(left) == 0
}

// A kit is a layer on both controllers (Fujitsu: every size in fours); 1 without lockstep.
func (t *Target) lockstepKitSize() int {
	if w := t.board.units[0].layerWidth(); w > 1 {
		return 2 * w
	}
	return 1
}
