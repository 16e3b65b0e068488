package plan

import (
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// The advice about BIOS settings, and what its step does.
const (
	Settings = "settings"
	Set      = "set"
)

// fewestRows is the number of findings that one step must cure to be advised: a single one has its own remedy.
const fewestRows = 2

// onLayout are settings that decide how the memory appears to the system. If one of them changes, only the next boot
// shows the result of rules about nodes and visible memory.
var onLayout = []string{
	"sub_numa", "l3_as_numa", "virtual_numa", "node_interleave", "controller_interleave", "channel_interleave",
	"hemisphere_mode", "memory_ras_mode", "memory_speed",
}

// ProvePreset proves the step that sets the vendor's preset: what the preset writes is put into a copy of the model and
// audited there against the same profile. ok is false if that cures less than two findings, makes a failure unknown,
// or causes a new one.
func ProvePreset(sys *inventory.System, found *verdict.Audit, step *verdict.PresetStep, p Pipeline) (Advice, bool) {
	if step == nil {
		return Advice{}, false
	}
	after := ApplyPreset(sys, step)
	topo := p.Derive(after)
	audited, err := p.Audit(after, topo, nil)
	if err != nil {
		return Advice{}, false
	}
	rules := decidableRules(sys, after, &p)
	before, then := collectFailures(found.Findings, rules), collectFailures(audited.Findings, rules)
	cured := goneFailures(before, then)
	a := Advice{ID: Settings, Cures: failureReferences(cured), Reaches: reachesOf(topo), Source: step.Source,
		Steps: []Step{{Do: Set, Setting: step.Setting, Value: step.Value, Tool: step.Tool, Command: step.Command, Menu: step.Menu, FromSlot: none, ToSlot: none, LikeSlot: none}}}
	a.Reaches.Findings = append(a.Reaches.Findings, then...)
	if len(cured) < fewestRows || slices.ContainsFunc(cured, func(f Failure) bool { return !hasResult(audited, f, verdict.Pass) }) {
		return Advice{}, false
	}
	news := goneFailures(then, before)
	return a, !slices.ContainsFunc(news, func(f Failure) bool { return !hasResult(found, f, verdict.Waived) })
}

func hasResult(found *verdict.Audit, f Failure, result verdict.Result) bool {
	return slices.ContainsFunc(found.Findings, func(g verdict.Finding) bool {
		return g.Rule == f.Rule && g.Subject == f.Subject && g.Result == result
	})
}

// Those that compare firmware's settings with the running system are not, nor what the system sees of a new layout.
func decidableRules(now, after *inventory.System, p *Pipeline) func(rule string) bool {
	changes := slices.ContainsFunc(onLayout, func(id string) bool {
		return now.Settings[id].Configured.Or("") != after.Settings[id].Configured.Or("")
	})
	return func(rule string) bool {
		switch {
		case strings.HasPrefix(rule, "settings."):
			return false
		case changes && strings.HasPrefix(rule, "numa."):
			return false
		default:
			return p.AboutLayout(rule) || p.aboutOthers(rule)
		}
	}
}

// ApplyPreset is a copy of the machine after the next boot with the preset: the
// export states what the preset writes, as it stated the values before. What
// the preset governs without a word of its document, and what the running
// system then shows, is not known.
func ApplyPreset(sys *inventory.System, step *verdict.PresetStep) *inventory.System {
	out := *sys
	out.Measurements, out.Accepted = nil, nil // a machine that does not exist yet was not measured
	out.Settings = maps.Clone(sys.Settings)
	stateSetting(&out, step.Setting, step.Preset)
	for id, value := range step.Writes {
		stateSetting(&out, id, value)
	}
	for _, id := range step.Silent {
		s, ok := out.Settings[id]
		if !ok {
			continue
		}
		if s.Configured.Known() {
			s.Configured = fact.Unknown[string](fact.Unstated, "what the preset "+step.Preset+" makes of it is not on record", "an export made after the next boot")
		}
		out.Settings[id] = settingAfterBoot(s)
	}
	return &out
}

func stateSetting(sys *inventory.System, id, value string) {
	s, ok := sys.Settings[id]
	if !ok {
		return
	}
	switch c := &s.Configured; {
	case c.Known() && c.Certainty == fact.Direct && !c.Unverified:
		c.Value = value
	case c.Known():
		*c = fact.Unknown[string](fact.Unstated, "the present value is in doubt, and so is the next", "an export made after the next boot")
	}
	sys.Settings[id] = settingAfterBoot(s)
}

func settingAfterBoot(s inventory.Setting) inventory.Setting {
	s.Pending = fact.Unknown[string](fact.Unread, "nothing waits after the boot", "")
	s.Effective = fact.Unknown[string](fact.Unread, "only the next boot shows it", "an audit after the next boot")
	s.DecidedBy = fact.Unknown[string](fact.Unread, "only the next boot shows it", "an audit after the next boot")
	return s
}
