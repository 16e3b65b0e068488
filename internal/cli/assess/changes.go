package assess

import (
	"errors"
	"fmt"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/source/bios"
)

// Changes returns the changes for a report from the exports of BIOS settings: the same as profiles patch
// prints.
func Changes(exports func() []*collect.Export) func(*audit.Chosen) map[string]audit.SettingWays {
	return func(chosen *audit.Chosen) map[string]audit.SettingWays {
		x, form, err := PresentSettings(exports(), "")
		if err != nil {
			return nil
		}
		made := Patch(x, form, chosen)
		out := map[string]audit.SettingWays{}
		ids := make([]string, 0, len(chosen.Rows)+len(x.Export.Table.Presets))
		for i := range chosen.Rows {
			ids = append(ids, chosen.Rows[i].ID)
		}
		for i := range x.Export.Table.Presets {
			ids = append(ids, x.Export.Table.Presets[i].Setting)
		}
		for _, id := range ids {
			before, ways, reason := made.Ways(id, chosen.Wish(id))
			out[id] = audit.SettingWays{Before: before, Ways: ways, Reason: reason}
		}
		return out
	}
}

// Patch returns the change that brings an export to a profile, in a form.
func Patch(x *collect.Export, form patch.Form, chosen *audit.Chosen) *patch.Patch {
	made := patch.Make(x.Export, goal(chosen))
	made.Fit(form)
	for _, w := range chosen.Rows {
		if w.About == facts.BasisSystem {
			made.Open = append(made.Open, patch.Note{Setting: w.ID, Reason: "the document sets it in Linux: " + w.Remedy})
		}
	}
	return made
}

func goal(c *audit.Chosen) patch.Goal {
	g := patch.Goal{Preset: c.Profile.Preset}
	for _, w := range c.Rows {
		if w.About == facts.BasisSystem {
			continue
		}
		g.Wants = append(g.Wants, patch.Want{ID: w.ID, Words: w.Want})
	}
	return g
}

// PresentSettings selects the export to change. It rejects one that may be another machine's, because a change
// must not rest on a doubt.
func PresentSettings(exports []*collect.Export, asked string) (*collect.Export, patch.Form, error) {
	problem := errors.New("no present settings to change, expected an export of them with --bios FILE or --redfish URL")
	for _, x := range exports {
		if x.Export.Format == bios.Registry || x.Export.Format == bios.FirmwareAttributes {
			continue
		}
		form, err := patch.Choose(x.Export, asked)
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
