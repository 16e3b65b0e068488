package audit

import (
	"slices"

	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/audit/verdict"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/topology/population"
)

// Preset finds the step that sets the vendor's preset for the selected profile. It is nil if the profile's
// document names no preset or covers other machines, if the machine's present preset is uncertain or already
// right, and if the machine's spelling of it is unknown.
func (e *Engine) Preset(sys *inventory.System, topo *population.Result, o Options) *verdict.PresetStep {
	if !o.Asked {
		return nil
	}
	r := newRun(e, sys, topo, o)
	p, _ := r.resolve(o.Profile)
	t := e.table(sys.Machine.Vendor)
	if p == nil || t == nil || p.Preset == "" || !r.named(p) {
		return nil
	}
	m, now := r.master(t)
	if m == nil || settings.SamePreset(now, p.Preset) || settings.SamePreset(r.sys.Settings[m.Setting].Pending.Or(""), p.Preset) {
		return nil
	}
	wish := r.wish(r.sys.Settings[m.Setting])
	wish.ID, wish.Want = m.Setting, p.Preset
	before, ways := t.Ways(wish)
	if made := r.patched(p); made != nil {
		before, ways = made[m.Setting].Before, made[m.Setting].Ways
	}
	if len(before) > 0 || len(ways) == 0 {
		return nil
	}
	step := &verdict.PresetStep{Setting: m.Setting, Preset: p.Preset, Value: ways[0].Value, From: now, Source: p.Citation.Line()}
	step.Writes, step.Silent = r.writes(p, m)
	for _, w := range ways {
		switch {
		case w.Tool != "" && step.Tool == "":
			step.Tool, step.Command, step.Value = w.Tool, w.Command, w.Value
		case w.Menu != "": // at most one
			step.Menu = w.Menu
		}
	}
	if step.Tool == "" && step.Menu == "" {
		return nil
	}
	return step
}

// master returns the vendor's preset in this machine's export, and its value. It skips presets under which
// single options have no effect: their result is not documented.
func (r *auditRun) master(t *settings.Table) (*settings.Preset, string) {
	for i := range t.Presets {
		m := &t.Presets[i]
		now := r.sys.Settings[m.Setting].Configured
		if (!m.Inert || len(m.Implies) > 0) && now.Known() && now.Certainty == fact.Direct && !now.Unverified && settings.PlainName(now.From.Field) == settings.PlainName(m.Attribute) {
			return m, now.Value
		}
	}
	return nil, ""
}

// writes splits the settings of a preset into those that the profile's document says it writes on this machine,
// and the rest.
func (r *auditRun) writes(p *rulepack.ProfileSpec, m *settings.Preset) (written map[string]string, silent []string) {
	written = map[string]string{}
	rows := p.Table()
	for i := range rows {
		w := &rows[i]
		if slices.Contains(m.Controls, w.ID) && r.settingApplies(w, &verdict.Finding{}) {
			written[w.ID] = w.Want[0]
		}
	}
	for _, id := range m.Controls {
		if _, ok := written[id]; !ok {
			silent = append(silent, id)
		}
	}
	return written, silent
}
