package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/topology/population"
)

type patchFlags struct {
	checkFlags
	form string
}

func (p *Program) profilesPatchCommand() *cobra.Command {
	f := &patchFlags{}
	cmd := &cobra.Command{
		Use:   "patch NAME",
		Short: "print the change that brings a machine's BIOS settings to a profile",
		Long: `patch prints the change that brings the BIOS settings of one machine to a profile,
in the form of the vendor's own tool: only what differs, in the order in which it
has to be made, spelled as the export or its registry spells it. memaudit never
applies it: review it, apply it with the vendor's tool, reboot and audit again.

The change goes to standard output. What it cannot carry, and why, goes to standard
error. The present settings come from --bios or --redfish.

Exit status: 0 whatever differs; 2 wrong usage or configuration; 3 the settings could
not be read, or no document gives this profile for the machine.`,
		Args:              argumentCheck(1, 1, "one profile (memaudit profiles list)"),
		ValidArgsFunction: oneWord(p.profileTitles),
		RunE:              func(_ *cobra.Command, args []string) error { return p.runPatch(f, args[0]) },
	}
	f.input.registerFlags(cmd)
	registerWord(cmd, &f.form, "for", "", patch.Forms(), "the tool that is to apply it: `FORM` is %s (default: that of the export)")
	f.output.registerFile(cmd)
	f.registerKnowledge(cmd, "rule packs")
	return cmd
}

func (p *Program) runPatch(f *patchFlags, name string) error {
	auditor, err := p.loadAuditor(&f.checkFlags)
	if err != nil {
		return err
	}
	engine := auditor.Engine
	if err := engine.CheckProfile(name); err != nil {
		return p.addFittingProfiles(&f.checkFlags, engine, err)
	}
	g, err := p.gatherInputs(&f.input)
	if err != nil {
		return err
	}
	defer g.close()
	sys, exports := collect.WithExports(g.Input)
	if failed := joinInputErrors(p.writerHint(g.failed, sys), g.bmc.queryFailure()); failed != nil {
		return failed
	}
	topo := population.Derive(sys, p.Rules)
	if err := engine.CheckFits(name, sys, topo); err != nil {
		return usageError("profiles patch: %w", err)
	}
	chosen, why, err := engine.ChooseProfile(name, sys, topo)
	if err != nil {
		return usageError("%w", err)
	}
	if chosen == nil {
		return notAudited(errors.New(why), "memaudit profiles list with the same flags lists what fits this machine")
	}
	return p.printPatch(f, chosen, exports)
}

func (p *Program) printPatch(f *patchFlags, chosen *audit.Chosen, exports []*collect.Export) error {
	x, form, err := assess.PresentSettings(exports, f.form)
	if err != nil {
		return usageError("profiles patch: %w", err)
	}
	made := assess.MakePatch(x, form, chosen)
	for _, s := range chosen.Silent {
		made.Open = append(made.Open, patch.Note{Setting: strings.TrimPrefix(s.Rule, "setting."), Reason: string(s.Reason)})
	}
	if err := f.output.writeOutput(p, f.input.identifiers, func(w *terminal) error { return made.Write(w, form) }); err != nil {
		return err
	}
	_, _ = fmt.Fprint(p.Stderr, patchNotes(made, form, chosen, x))
	return nil
}

func patchNotes(made *patch.Patch, form patch.Form, chosen *audit.Chosen, x *collect.Export) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		fmt.Fprintln(&b, "memaudit: note: "+printable.Clean(fmt.Sprintf(format, args...)))
	}
	say("%s (%s): %d to change, %d as wanted", chosen.Profile.ID, chosen.Profile.Citation.Line(), len(made.Changes), len(made.Met))
	if chosen.Analogy != "" {
		say("by analogy: the document covers %s", chosen.Analogy)
	}
	for _, n := range made.Written {
		say("%s is written by %s = %s: %s", n.Setting, made.Preset.Attribute.Name, made.Preset.To, n.Reason)
	}
	for _, n := range made.SideEffects {
		say("%s changes beside the profile: %s", n.Setting, n.Reason)
	}
	for _, n := range made.Open {
		say("%s is left as it is: %s", n.Setting, n.Reason)
	}
	if len(made.Changes) > 0 {
		say("review it, apply it with %s, reboot and audit again; memaudit applies nothing", patch.HowToApply(form, x.Export))
	}
	return b.String()
}
