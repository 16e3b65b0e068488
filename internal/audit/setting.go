package audit

import (
	"cmp"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/topology/population"
)

func (r *auditRun) evaluateSetting(p *rulepack.ProfileSpec, w *rulepack.WantedSetting) {
	f := startSetting(p, w)
	f.Citation.Standing = r.documentStanding(p)
	switch {
	case f.Citation.Standing == verdict.Practice:
		f.Why += nullable.String("; no document of the machine's vendor, general practice of " + p.Citation.Vendor)
	case f.Citation.Standing == "" && r.vendors().machine == "":
		f.Citation.Standing = verdict.Practice
		f.Why += nullable.String("; the machine's vendor is not known, general practice of " + p.Citation.Vendor)
	}
	if !r.settingApplies(w, &f) {
		r.add(f)
		return
	}
	if without := r.missingCapability(w); without != "" {
		f.Result, f.Reason = verdict.NotApplicable, nullable.String(without)
		r.add(f)
		return
	}
	s := r.facts.Setting(w.ID)
	about := cmp.Or(w.About, p.Face)
	if settings.OfSystem(w.ID) {
		about = facts.BasisAny
	}
	value, face := facts.ValueToCompare(s, w.ID, w.Want, about)
	f.Certainty, f.Evidence = value.Certainty, value.Evidence()
	f.Expected = nullable.String(w.Want.String())
	switch {
	case value.Known() && settings.Satisfies(w.ID, w.Want, value.Text()):
		f.Result, f.Found = verdict.Pass, nullable.String(statedSetting(s, value, face))
	case !value.Known() && s.Configured.State == fact.Absent:
		f.Result, f.Reason, f.Evidence = verdict.NotApplicable, nullable.String(s.Configured.Reason), s.Configured.Evidence()
	case !value.Known():
		f.Result, f.Reason, f.KnownBy, f.Certainty = verdict.Unknown, nullable.String(value.Reason), nullable.String(value.KnownBy), fact.None
	case levelInDoubt(w, value.Text()):
		f.Result, f.Found, f.Certainty = verdict.Unknown, nullable.String(statedSetting(s, value, face)), fact.None
		f.Reason = "not every processor has TDP levels besides its nominal one, and nothing shows which this one has"
		f.KnownBy = "intel-speed-select --info, or the values that BIOS setup offers"
	default:
		f.Result, f.Value, f.Found = verdict.Fail, value.Text(), nullable.String(statedSetting(s, value, face))
		f.Remedy = nullable.String(r.settingRemedy(p, w, s, face != "configured"))
		if w.Effect != nil {
			f.Effect = w.Effect.MeasuredEffect(w.Effect.Text, w.Effect.Source, p.Citation)
		}
	}
	r.settingSeverity(p, &f, value)
	r.add(f)
}

// By the vendors' tables no CPU has what the row wants enabled, and the running system does not show otherwise.
func (r *auditRun) missingCapability(w *rulepack.WantedSetting) string {
	if !slices.Contains(w.Want, settings.Enabled) || r.sys.Settings[w.ID].Effective.Or("") == settings.Enabled {
		return ""
	}
	has, name := r.facts.ProcessorsHave(w.ID)
	switch {
	case has != "no":
		return ""
	case w.ID == "smt":
		return "the processor has no simultaneous multithreading (" + name + ", by its vendor's table)"
	default:
		return "the processor has no Turbo (" + name + ", by its vendor's table)"
	}
}

// tdpLevels are Intel's levels of configurable TDP, in order.
var tdpLevels = []string{"nominal", "level1", "level2"}

// levelInDoubt reports whether a row wants a TDP level above the present one in BIOS setup: many CPUs have only
// the base level ("Only performance level 0 (base level) is present", as the kernel's intel-speed-select
// prints), others fewer than two more, and neither CPU tables nor exports show it.
func levelInDoubt(w *rulepack.WantedSetting, now string) bool {
	has := slices.Index(tdpLevels, now)
	return w.ID == "tdp_level" && has >= 0 && !slices.ContainsFunc(w.Want, func(want string) bool { return slices.Index(tdpLevels, want) <= has })
}

// settingSeverity lowers a row's level to what the facts and the document allow.
func (r *auditRun) settingSeverity(p *rulepack.ProfileSpec, f *verdict.Finding, value facts.Value) {
	if !r.namesMachine(&p.ListedProfile) {
		f.Severity = verdict.Info
		f.Why += nullable.String("; by analogy: the document covers " + strings.Join(p.Named, ", "))
	}
	if !r.options.Asked {
		f.Severity = verdict.Info // the default profile, not selected by the user
	}
	doubt := ""
	if value.Unverified {
		doubt = exportDoubt
	}
	capSeverity(f, doubt)
}

func statedSetting(s inventory.Setting, value facts.Value, face string) string {
	out := value.Text() + " (" + face
	if by, ok := s.DecidedBy.Get(); ok && strings.HasPrefix(face, "effective") {
		out += "; decided by " + facts.DeciderName(by)
		if read := s.DecidedBy.From; (by != inventory.DecidedFirmware || inventory.ClockLimit(read)) && read.Path != "" {
			out += " (" + strings.TrimSpace(read.Path+" "+strings.TrimSpace(read.Raw)) + ")"
		}
	}
	if next, ok := s.Pending.Get(); ok && next != value.Text() {
		out += "; " + next + " after the next boot"
	}
	return out + ")"
}

// settingRemedy describes how to satisfy a row of a profile: reboot if the pending value does, undo what
// overrides firmware, or change BIOS setup as the document or the vendor's table describes. running is set if the
// row is about the effective value. Only steps that change it are given.
func (r *auditRun) settingRemedy(p *rulepack.ProfileSpec, w *rulepack.WantedSetting, s inventory.Setting, running bool) string {
	if next, ok := s.Pending.Get(); ok && settings.Satisfies(w.ID, w.Want, next) {
		return "reboot: " + next + " is set and waits for the next boot"
	}
	if s.Configured.State == fact.Absent {
		return "the export lists no such setting, and the running system shows it: look in BIOS setup for what decides it, or for an export that lists it"
	}
	var lines []string
	if running {
		lines = undoLines(w, &s)
	}
	bySystem := slices.ContainsFunc(s.Overrides, func(o inventory.Override) bool { return slices.Contains(lines, o.Undo) }) ||
		len(lines) > 0 && (setupHas(w, &s) || s.DecidedBy.Or("") == inventory.DecidedKernel || kernelBias(w, &s)) // BIOS setup has no say
	steps := r.settingSteps(p, w, s)
	if ways, known := r.patchChanges(p)[w.ID]; known && s.Configured.Known() {
		steps = slices.Clone(ways.Before)
		for _, way := range ways.Ways {
			steps = append(steps, way.String())
		}
	}
	switch {
	case w.About == facts.BasisSystem:
		lines = append(lines, w.Remedy)
	case bySystem:
	case w.Remedy != "":
		lines = append(lines, w.Remedy)
	case len(steps) > 0:
		lines = append(lines, steps...)
	default:
		lines = append(lines, r.describeUnspelled(w, s.Configured, r.patchChanges(p)[w.ID].Reason))
	}
	if runs := s.Effective.Or(""); !running && s.DecidedBy.Or("") == inventory.DecidedKernel && !settings.Satisfies(w.ID, w.Want, runs) {
		if undo := describeUndo(w.ID, &s); undo != "" { // BIOS setup alone does not lead there
			lines = append(lines, "then: "+undo)
		}
	}
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], "\n", " ") // one way per line
	}
	return strings.Join(lines, "\n")
}

// The export must certainly be this machine's.
func setupHas(w *rulepack.WantedSetting, s *inventory.Setting) bool {
	return !s.Configured.Unverified && settings.Satisfies(w.ID, w.Want, s.Configured.Or(""))
}

// A limit of the clock explains nothing where firmware has Turbo off.
func overrideExplains(o *inventory.Override, s *inventory.Setting) bool {
	return o.Value == s.Effective.Or("") || o.At[0].Path == s.DecidedBy.From.Path
}

// Overrides lead to the effective value, which the row does not want, or else what decided it.
func undoLines(w *rulepack.WantedSetting, s *inventory.Setting) []string {
	var lines []string
	for i := range s.Overrides {
		if o := &s.Overrides[i]; facts.IsUnwantedOverride(w.ID, w.Want, o) && overrideExplains(o, s) {
			lines = append(lines, o.Undo)
		}
	}
	undo := describeUndo(w.ID, s)
	if undo == "" && setupHas(w, s) {
		undo = "BIOS setup has it: reboot if that was changed since the last boot, otherwise export the settings again, or find out what the running system does otherwise"
	}
	if undo == "" && kernelBias(w, s) {
		undo = "set the bias at run time (cpupower set -b 0, or tuned's throughput-performance): Linux turns firmware's 0, maximum performance, into 6 at boot"
	}
	if undo != "" && len(lines) == 0 {
		lines = append(lines, undo)
	}
	return lines
}

// kernelBias reports whether a row wants the energy bias of which every kernel makes another at boot, as it did here.
func kernelBias(w *rulepack.WantedSetting, s *inventory.Setting) bool {
	return w.ID == "energy_perf_bias" && w.Want[0] == "max_performance" && slices.ContainsFunc(s.Effective.Evidence(), inventory.KernelBias)
}

func (r *auditRun) patchChanges(p *rulepack.ProfileSpec) map[string]SettingWays {
	if r.changesOf != p && r.options.Changes != nil {
		r.changesOf, r.changes = p, r.options.Changes(r.chosenProfile(p))
	}
	return r.changes
}

// reason is why profiles patch leaves the option as it is.
func (r *auditRun) describeUnspelled(w *rulepack.WantedSetting, now fact.Fact[string], reason string) string {
	inOurs := "in memaudit's words " + w.ID + " must be " + w.Want.String()
	switch {
	case reason != "":
		return inOurs + "; " + reason
	case now.Known() && now.From.Field != "":
		return "no known document or export shows how " + now.From.Field + ", which is " + now.From.Raw + ", spells it: " + inOurs +
			"; the option's values in BIOS setup or the machine's attribute registry, given with a further --bios, say it"
	default:
		return "no known document or export shows how this machine names the option: " + inOurs + "; an export of its BIOS settings, given with --bios, names it"
	}
}

func describeUndo(id string, s *inventory.Setting) string {
	by := &s.DecidedBy
	raw := strings.TrimSpace(by.From.Path + " " + strings.TrimSpace(by.From.Raw))
	switch by.Or("") {
	case inventory.DecidedCommandLine:
		return "take the option off the kernel's command line (" + raw + ")"
	case inventory.DecidedAdministrator:
		return "find out what writes the value at run time (a tuned profile, cpupower, a boot script) and take it back (" + raw + ")"
	case inventory.DecidedKernel:
		if id == "c1e" && s.Effective.Or("") == settings.Enabled {
			return "Linux's driver intel_idle uses C1E whatever BIOS setup says: switch the state off (cpupower idle-set --disable with its number), or boot with intel_idle.max_cstate=1"
		}
	case "":
		for _, e := range s.Effective.Evidence() {
			if id == "turbo" && strings.HasSuffix(e.Path, "/cpufreq/boost") && e.Raw == "0" {
				return "write 1 to " + e.Path + ", as it may have been switched off at run time"
			}
		}
	default:
		return ""
	}
	if id != "c_states" || s.Effective.Or("") != settings.Enabled || !slices.ContainsFunc(s.Effective.Evidence(), func(e fact.Evidence) bool { return e.Raw == "intel_idle" }) {
		return ""
	}
	return "Linux's driver intel_idle uses its own table of idle states if BIOS setup offers none: boot with intel_idle.max_cstate=1"
}

// The preset that writes the profile's rows at once comes first, if a document names one and the machine does not have it.
func (r *auditRun) settingSteps(p *rulepack.ProfileSpec, w *rulepack.WantedSetting, s inventory.Setting) []string {
	t := r.engine.vendorTable(r.sys.Machine.Vendor)
	if t == nil {
		return r.referenceSteps(w)
	}
	if lines := r.presetSteps(t, p, w); len(lines) > 0 {
		return lines
	}
	change := r.changeFor(s)
	if governing := t.Governing(w.ID); governing != "" {
		preset, listed := r.sys.Settings[governing]
		change.Preset = presetWord(preset.Configured)
		// Every machine of a generation with the vendor's own preset has it; a second one is used only if the
		// machine shows it.
		change.NoPreset = !listed && governing != "workload_profile"
	}
	for _, want := range w.Want {
		change.ID, change.Want = w.ID, want
		if lines := t.StepLines(change); len(lines) > 0 {
			return lines
		}
	}
	if slices.ContainsFunc(t.Settings[w.ID], func(a settings.Attribute) bool { return a.Menu != "" }) {
		return nil
	}
	return r.referenceSteps(w)
}

// referenceSteps are for boards of vendors whose own name of an option is not known.
func (r *auditRun) referenceSteps(w *rulepack.WantedSetting) []string {
	t := r.engine.vendorTable(fact.Known("AMD CBS", fact.Direct, fact.Evidence{}))
	if t == nil || r.facts.ProcessorVendor().Text() != "AuthenticAMD" {
		return nil
	}
	change := r.changeFor(inventory.Setting{})
	change.ID = w.ID
	for _, change.Want = range w.Want {
		_, ways := t.Instructions(change)
		for _, way := range ways {
			if way.Menu != "" {
				return []string{way.String() + " (AMD's reference menu, which boards with AMI's BIOS keep; this board may have other names)"}
			}
		}
	}
	return nil
}

// Some presets are settings with canonical words, which no menu prints.
func presetWord(f fact.Fact[string]) string {
	if f.Known() && (f.From.Source == inventory.SourceBIOS || f.From.Source == inventory.SourceRedfish) {
		return cmp.Or(f.From.Raw, f.Value)
	}
	return f.Or("")
}

// presetSteps returns the ways to the preset that writes this row and others.
func (r *auditRun) presetSteps(t *settings.Table, p *rulepack.ProfileSpec, w *rulepack.WantedSetting) []string {
	governing := t.Governing(w.ID)
	if governing == "" || governing == w.ID {
		return nil
	}
	preset, says := p.Preset, "writes this and its sibling rows in one step"
	for _, row := range p.Settings {
		if known, _ := settings.Lookup(governing); row.ID == governing && preset == "" && known.Kind == settings.VendorName {
			preset, says = row.Want[0], "governs this setting"
		}
	}
	now := r.sys.Settings[governing].Configured
	if preset == "" || t.Unlocks(governing, preset) || settings.SamePreset(now.Or(""), preset) {
		return nil
	}
	change := r.changeFor(r.sys.Settings[governing])
	change.ID, change.Want = governing, preset
	var lines []string
	for _, step := range t.StepLines(change) {
		lines = append(lines, "the preset "+preset+" "+says+": "+step)
	}
	return lines
}

func (r *auditRun) changeFor(s inventory.Setting) settings.Change {
	change := settings.Change{Product: r.sys.Machine.Product.Or(""), Maker: r.facts.ProcessorVendor().Text(), Firmware: cmp.Or(r.firmwareFamily(), r.sys.Machine.BIOS.Version.Or(""))}
	if s.Configured.Known() && (s.Configured.From.Source == inventory.SourceBIOS || s.Configured.From.Source == inventory.SourceRedfish) {
		change.Seen, change.SeenRaw = s.Configured.From.Field, s.Configured.From.Raw
	}
	if p, ok := r.population.Platform.Get(); ok {
		change.Platform = p.ID
	}
	return change
}

// A remedy has no command lines without a valid table of a known vendor.
func (e *Engine) vendorTable(vendor fact.Fact[string]) *settings.Table {
	if e.tables == nil || !vendor.Known() {
		return nil
	}
	tables, err := e.tables()
	if err != nil {
		return nil
	}
	return tables.FindTable(cmp.Or(vendor.Value, " "))
}

// WithTables sets the function that reads the vendors' tables when a remedy first needs them.
func (e *Engine) WithTables(tables func() (settings.Tables, error)) *Engine {
	e.tables = tables
	return e
}

// FindPresetStep finds the step that sets the vendor's preset for the selected profile. It is nil if the profile's
// document names no preset or covers other machines, if the machine's present preset is uncertain or already
// right, and if the machine's spelling of it is unknown.
func (e *Engine) FindPresetStep(sys *inventory.System, topo *population.Result, o Options) *verdict.PresetStep {
	if !o.Asked {
		return nil
	}
	r := newRun(e, sys, topo, o)
	found, _ := r.resolveProfile(o.Profile)
	t := e.vendorTable(sys.Machine.Vendor)
	if found == nil || t == nil || !r.namesMachine(found) {
		return nil
	}
	p := found.Whole()
	if p.Preset == "" {
		return nil
	}
	m, now := r.activePreset(t)
	if m == nil || settings.SamePreset(now, p.Preset) || settings.SamePreset(r.sys.Settings[m.Setting].Pending.Or(""), p.Preset) {
		return nil
	}
	change := r.changeFor(r.sys.Settings[m.Setting])
	change.ID, change.Want = m.Setting, p.Preset
	before, ways := t.Instructions(change)
	if made := r.patchChanges(p); made != nil {
		before, ways = made[m.Setting].Before, made[m.Setting].Ways
	}
	if len(before) > 0 || len(ways) == 0 {
		return nil
	}
	step := &verdict.PresetStep{Setting: m.Setting, Preset: p.Preset, Value: ways[0].Value, From: now, Source: p.Citation.Line()}
	step.Writes, step.Silent = r.splitPresetSettings(p, m)
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

// Presets under which single options have no effect are skipped: their result is not documented.
func (r *auditRun) activePreset(t *settings.Table) (*settings.Preset, string) {
	for i := range t.Presets {
		m := &t.Presets[i]
		now := r.sys.Settings[m.Setting].Configured
		if (!m.Inert || len(m.Implies) > 0) && now.Known() && now.Certainty == fact.Direct && !now.Unverified && settings.PlainName(now.From.Field) == settings.PlainName(m.Attribute) {
			return m, now.Value
		}
	}
	return nil, ""
}

// The first are those that the profile's document says the preset writes on this machine.
func (r *auditRun) splitPresetSettings(p *rulepack.ProfileSpec, m *settings.Preset) (written map[string]string, silent []string) {
	written = map[string]string{}
	rows := p.Settings
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
