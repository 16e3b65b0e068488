// Package assess derives a report from a machine's inventory: topology, rules, advice. The command line and the
// web page share it.
package assess

import (
	"errors"
	"fmt"
	"io/fs"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/topology/population"
)

// Auditor audits machines against the rules of an engine.
type Auditor struct {
	Rules   fs.FS
	Engine  *audit.Engine
	Options *audit.Options
}

// Assessment is a machine, its population, and the results of the rules.
type Assessment struct {
	System     *inventory.System
	Population *population.Result
	Found      *verdict.Audit
}

// Assess evaluates the rules for a machine. An error is about the options.
func (a *Auditor) Assess(sys *inventory.System) (*Assessment, error) {
	topo := population.Derive(sys, a.Rules)
	found, err := a.Engine.Run(sys, topo, *a.Options)
	if err != nil {
		return nil, err
	}
	return &Assessment{sys, topo, found}, nil
}

// Report returns the document about a machine, without advice.
func (j *Assessment) Report(o report.Options) report.Report {
	return report.Build(j.System, j.Population, j.Found, o)
}

// Advised returns the document with advice about the memory population and the BIOS settings.
func (a *Auditor) Advised(j *Assessment, o report.Options) report.Report {
	o.Plan = a.planChanges(j)
	return j.Report(o)
}

// AdvisedForFleet is Advised with the machine's part in the plan of a fleet: modules in stock, and the machine's minimum
// capacity in bytes.
func (a *Auditor) AdvisedForFleet(j *Assessment, o report.Options, spares []plan.Spare, floor int64) (report.Report, *plan.Stake) {
	o.Plan = a.planChanges(j)
	return j.Report(o), plan.ForFleet(j.System, j.Population, j.Found, o.Plan, a.Pipeline(), spares, floor)
}

// planChanges plans changes. Each proposal is derived and audited like the machine itself.
func (a *Auditor) planChanges(j *Assessment) *plan.Plan {
	pipeline := a.Pipeline()
	made := plan.Make(j.System, j.Population, j.Found, pipeline)
	if preset, ok := plan.ProvePreset(j.System, j.Found, a.Engine.FindPresetStep(j.System, j.Population, *a.Options), pipeline); ok {
		made.Advice = append(made.Advice, preset)
	}
	return made
}

// WhatIf audits a machine with its DIMMs changed, and lists what was assumed about new ones.
func (a *Auditor) WhatIf(j *Assessment, changes []plan.Change, identifiers bool) (report.WhatIf, []string, error) {
	after, assumed, err := plan.WhatIf(j.System, j.Population, changes)
	if err != nil {
		return report.WhatIf{}, nil, err
	}
	outcome, err := plan.Compare(j.System, j.Population, j.Found, after, a.Pipeline())
	if err != nil {
		return report.WhatIf{}, nil, err
	}
	return report.BuildWhatIf(j.System, j.Population, &outcome, identifiers), assumed, nil
}

// Pipeline returns the functions that the planner audits its proposals with.
func (a *Auditor) Pipeline() plan.Pipeline {
	run := func(bare bool) func(*inventory.System, *population.Result, func(string) bool) (*verdict.Audit, error) {
		return func(sys *inventory.System, topo *population.Result, rules func(string) bool) (*verdict.Audit, error) {
			narrow := *a.Options
			narrow.Rules, narrow.Waivers, narrow.Accepted, narrow.Bare = rules, nil, nil, bare
			return a.Engine.Run(sys, topo, narrow)
		}
	}
	return plan.Pipeline{
		Rules:    a.Rules,
		Role:     a.Engine.RoleOfRule,
		Document: audit.RowDocument,
		Derive:   func(sys *inventory.System) *population.Result { return population.Derive(sys, a.Rules) },
		Audit:    run(false),
		Verdicts: run(true),
	}
}

// Changes returns the changes for a report from the exports of BIOS settings: the same as profiles patch
// prints.
func Changes(exports func() []*collect.Export) func(*audit.Chosen) map[string]audit.SettingWays {
	return func(chosen *audit.Chosen) map[string]audit.SettingWays {
		x, form, err := PresentSettings(exports(), "")
		if err != nil {
			return nil
		}
		made := MakePatch(x, form, chosen)
		out := map[string]audit.SettingWays{}
		ids := make([]string, 0, len(chosen.Rows)+len(x.Export.Table.Presets))
		for i := range chosen.Rows {
			ids = append(ids, chosen.Rows[i].ID)
		}
		for i := range x.Export.Table.Presets {
			ids = append(ids, x.Export.Table.Presets[i].Setting)
		}
		for _, id := range ids {
			before, ways, reason := made.Instructions(id, chosen.Wish(id))
			out[id] = audit.SettingWays{Before: before, Ways: ways, Reason: reason}
		}
		return out
	}
}

// MakePatch returns the change that brings an export to a profile, in a form.
func MakePatch(x *collect.Export, form patch.Form, chosen *audit.Chosen) *patch.Patch {
	goal := patch.Goal{Preset: chosen.Profile.Preset}
	var inLinux []patch.Note
	for _, w := range chosen.Rows {
		if w.About == facts.BasisSystem {
			inLinux = append(inLinux, patch.Note{Setting: w.ID, Reason: "the document sets it in Linux: " + w.Remedy})
			continue
		}
		goal.Wants = append(goal.Wants, patch.Want{ID: w.ID, Words: w.Want})
	}
	made := patch.Make(x.Export, goal)
	made.DropUnsupported(form)
	made.Open = append(made.Open, inLinux...)
	return made
}

// PresentSettings selects the export to change. It rejects one that may be another machine's, because a change
// must not rest on a doubt.
func PresentSettings(exports []*collect.Export, asked string) (*collect.Export, patch.Form, error) {
	problem := errors.New("no present settings to change, expected an export of them with --bios FILE or --redfish URL")
	for _, x := range exports {
		if x.Export.Format == bios.Registry || x.Export.Format == bios.FirmwareAttributes {
			continue
		}
		form, err := patch.ChooseForm(x.Export, asked)
		switch {
		case x.Export.Table == nil:
			err = errors.New("memaudit has no table of this vendor's BIOS attributes")
		case x.Doubt != "":
			err = errors.New(x.Doubt)
		case err == nil:
			return x, form, nil
		}
		problem = fmt.Errorf("%s: %w", x.Path, err)
	}
	return nil, "", problem
}
