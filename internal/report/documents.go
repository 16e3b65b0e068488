package report

import (
	"cmp"
	"strings"
	"time"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/topology/population"
)

// Capacity lists the ways to populate a capacity, best first. Figures of a
// configuration are of one processor (of the chipset on a front-side bus); the
// others are populated alike.
type Capacity struct {
	Schema string `json:"schema"`
	// Machine is null for a platform's document alone.
	Machine  *inventory.Machine `json:"machine" jsonschema:"nullable"`
	Platform nullable.String    `json:"platform" jsonschema:"nullable"`
	Sockets  int                `json:"sockets"`
	// CapacityBytes is that of all processors, the nearest one at or above the requested one.
	CapacityBytes  int64 `json:"capacity_bytes"`
	RequestedBytes int64 `json:"requested_bytes"`
	// Assumed lists what is assumed and not read of a machine.
	Assumed        nullable.String      `json:"assumed" jsonschema:"nullable"`
	Configurations []plan.Configuration `json:"configurations"`
}

// BuildCapacity makes the document of a planned capacity; sys is nil for a
// platform's document alone.
func BuildCapacity(sys *inventory.System, topo *population.Result, t *plan.Target, requested, bytes int64, ways []plan.Configuration, identifiers bool) Capacity {
	out := Capacity{Schema: SchemaPlan, Platform: nullable.String(t.Platform.ID), Sockets: t.Sockets, CapacityBytes: bytes, RequestedBytes: requested,
		Assumed: nullable.String(t.Assumed), Configurations: ways}
	if sys != nil {
		m := buildMachine(&sys.Machine, topo, identifiers)
		out.Machine = &m
	}
	return out
}

// SchemaPlan is the schema of a WhatIf, as its "schema" key states it.
const SchemaPlan = "memaudit.plan/v1"

// WhatIf compares a machine with what it would be after some changes of its modules.
type WhatIf struct {
	Schema  string            `json:"schema"`
	Machine inventory.Machine `json:"machine"`
	// Platform is the id of the recognised platform.
	Platform nullable.String `json:"platform" jsonschema:"nullable"`
	plan.Outcome
	// Sockets are the machine's, for their names in the text.
	Sockets []inventory.Socket `json:"-"`
}

// BuildWhatIf makes the document of a what-if.
func BuildWhatIf(sys *inventory.System, topo *population.Result, o *plan.Outcome, identifiers bool) WhatIf {
	out := WhatIf{Schema: SchemaPlan, Machine: buildMachine(&sys.Machine, topo, identifiers), Outcome: *o, Sockets: sys.Sockets}
	if p, ok := topo.Platform.Get(); ok {
		out.Platform = nullable.String(p.ID)
	}
	return out
}

// BandwidthChanges describes the CPUs with another share of their best bandwidth after some steps, each with the share
// before and after: "CPU1 falls from 67 to 50 %, CPU2 rises from 33 to 50 %"; "" for none.
func (inv *Inventory) BandwidthChanges(after *plan.Reaches) string {
	return inv.describeChanges(after, func(id *int) *population.Relative {
		p := inv.PopulationOf(SocketID(id))
		if p == nil {
			return nil
		}
		if p.DIMMs.Or(1) == 0 {
			var nothing float64
			return &population.Relative{Low: &nothing, High: &nothing}
		}
		return &p.Relative
	})
}

// BandwidthChanges describes the CPUs with another share of their best bandwidth after the changes; "" for none.
func (w *WhatIf) BandwidthChanges() string {
	return (&Inventory{Sockets: w.Sockets}).describeChanges(&w.After, func(id *int) *population.Relative {
		for i := range w.Before.Sockets {
			if s := &w.Before.Sockets[i]; ofSocket(s.Socket) == ofSocket(id) {
				return &s.Relative
			}
		}
		return nil
	})
}

// fullAtSpeed reports whether the steps leave the CPUs short of their best bandwidth by nothing but their present clock.
func (inv *Inventory) fullAtSpeed(after *plan.Reaches) bool {
	short := false
	for i := range after.Sockets {
		s, now := &after.Sockets[i], inv.PopulationOf(SocketID(after.Sockets[i].Socket))
		if s.Relative.Low == nil || s.ExpectedMTs == nil || now == nil || !now.RunningMTs.Known() {
			return false
		}
		const tolerance = 1.005
		low := *s.Relative.Low * tolerance
		if low*float64(*s.ExpectedMTs) < float64(now.RunningMTs.Value) {
			return false
		}
		short = short || low < 1
	}
	return short
}

// newWarnings describes the warnings that steps bring: "new warnings: CPU2: 2 of 3 memory channels are empty"; "" for none.
func (inv *Inventory) newWarnings(a *plan.Advice) string {
	members := make([]*verdict.Finding, len(a.New))
	for i := range a.New {
		members[i] = &a.New[i]
	}
	groups := groupByText(members, func(f *verdict.Finding) string { return f.Short })
	switch texts := inv.placed(&groups); len(texts) {
	case 0:
		return ""
	case 1:
		return "new warning: " + texts[0]
	default:
		return "new warnings: " + strings.Join(texts, ", ")
	}
}

func (inv *Inventory) describeChanges(after *plan.Reaches, before func(id *int) *population.Relative) string {
	type change struct{ was, is *population.Relative }
	var sockets humanize.Groups[inventory.Subject]
	examples := map[string]change{}
	for i := range after.Sockets {
		s := &after.Sockets[i]
		was := before(s.Socket)
		if was == nil || s.Relative.Low == nil || was.Percent() == s.Relative.Percent() {
			continue
		}
		text := was.Percent() + ">" + s.Relative.Percent()
		if sockets.Of[text] == nil {
			examples[text] = change{was, &s.Relative}
		}
		sockets.Add(text, ofSocket(s.Socket))
	}
	return strings.Join(humanize.Each(sockets.Names, func(text string) string {
		all := sockets.Of[text]
		return describeChange(cmp.Or(inv.placePhrase(all), "the memory"), len(all) > 1, examples[text].was, examples[text].is)
	}), ", ")
}

func describeChange(who string, several bool, was, is *population.Relative) string {
	verbs, its := [...]string{" falls", " rises", " then has "}, "its"
	if several {
		verbs, its = [...]string{" fall", " rise", " then have "}, "their"
	}
	compact := func(r *population.Relative) string { return strings.Replace(r.Percent(), " to ", "-", 1) }
	to := compact(is) + " of " + its + " best bandwidth"
	switch {
	case is.ByChannels && is.Percent() == "100 %":
		to = "up to full bandwidth (the clock is not known)"
	case is.ByChannels:
		to = "at most " + compact(is) + " of " + its + " best bandwidth (the clock is not known)"
	case is.Percent() == "100 %":
		to = "full bandwidth"
	}
	verb, from := verbs[1], compact(was)
	switch {
	case from == "":
		return who + verbs[2] + to
	case population.CompareShares(is, was) < 0:
		verb = verbs[0]
	}
	switch {
	case strings.HasPrefix(to, "up to "):
		return who + verb + " from " + from + " " + to
	case to != "full bandwidth":
		from = strings.TrimSuffix(from, " %")
	}
	return who + verb + " from " + from + " to " + to
}

// BuildComparison makes the document of one comparison.
func BuildComparison(sys *inventory.System, topo *population.Result, c *verdict.Comparison, o Options) Comparison {
	inv := BuildInventory(sys, topo, o)
	return Comparison{
		Schema:      SchemaComparison,
		GeneratedAt: o.Now.UTC().Format(time.RFC3339),
		Memaudit:    Program{Version: o.Version, Revision: nullable.String(o.Revision)},
		Machine:     inv.Machine,
		Comparison:  *c,
		Settings:    inv.Settings,
		Inventory:   inv,
	}
}

// AddComparison adds the comparison with every profile documented for the machine.
func (r *Report) AddComparison(c *verdict.Comparison) {
	r.Profiles, r.Compared = c.Profiles, c
}

// SchemaComparison is the schema of a Comparison, as its "schema" key states it.
const SchemaComparison = "memaudit.comparison/v1"

// Comparison compares one machine with every profile that is documented for it. Keys are always present; what is
// unknown is null.
type Comparison struct {
	Schema string `json:"schema"`
	// GeneratedAt is RFC 3339 in UTC.
	GeneratedAt string            `json:"generated_at" jsonschema:"format=date-time"`
	Memaudit    Program           `json:"memaudit"`
	Machine     inventory.Machine `json:"machine"`
	verdict.Comparison
	// Settings are the machine's own, as in the inventory.
	Settings map[string]Setting `json:"settings"`
	// Inventory is what the head of the text names.
	Inventory Inventory `json:"-"`
}

// buildBaseline makes the document of a comparison, and the metrics of each kind: a kind without differences is 0
// only if everything was compared.
func buildBaseline(b *inventory.Baseline) (*Baseline, map[string]bool) {
	if b == nil {
		return nil, nil
	}
	out := &Baseline{Path: b.Path, SavedAt: nullable.String(b.SavedAt), Changes: []Change{}}
	known := 0
	for _, c := range b.Compared {
		if c.Same.Known() {
			known++
		}
		for _, change := range c.Changes {
			out.Changes = append(out.Changes, Change{c.Subject, string(change.Kind), change.Then, change.Now})
		}
	}
	whole, none := known == len(b.Compared), false
	switch {
	case whole:
		out.Comparable = &whole
	case known == 0:
		out.Comparable = &none
	}
	changed := map[string]bool{}
	if whole {
		for _, kind := range inventory.ChangeKinds() {
			changed[string(kind)] = false
		}
	}
	for _, c := range out.Changes {
		changed[c.Kind] = true
	}
	return out, changed
}

// Baseline is the comparison with the accepted hardware. Comparable is false
// when nothing could be compared, null when some of it could not. Changes lists
// what differs, by slot.
type Baseline struct {
	Path       string          `json:"path"`
	SavedAt    nullable.String `json:"saved_at" jsonschema:"nullable"`
	Comparable *bool           `json:"comparable" jsonschema:"nullable"`
	Changes    []Change        `json:"changes"`
}

// Change is one difference. Kind is one of dimm_lost, dimm_added, dimm_moved,
// dimm_replaced, dimm_slower, dimm_faster, memory_lost, memory_gained,
// processor, numa, bios, setting.
type Change struct {
	Subject  inventory.Subject `json:"subject"`
	Kind     string            `json:"kind"`
	Accepted string            `json:"accepted"`
	Present  string            `json:"present"`
}
