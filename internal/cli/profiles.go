package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/advice/patch"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) profilesListCommand() *cobra.Command {
	f, input := &checkFlags{}, &inputFlags{}
	var document string
	cmd := &cobra.Command{Use: "list", Short: "list the documented profiles with their sources", Args: nothing,
		Long: `list prints every documented profile: its id and intents, the machines that it is for,
and the document that it is from. With a flag that names a machine it prints those
that fit that machine, each with the intents that select it there; with --document
those from documents of that vendor, title, year or address.`,
		RunE: func(*cobra.Command, []string) error {
			packs, _, err := p.packs(f)
			if err != nil {
				return err
			}
			switch {
			case input.namesMachine() && document != "":
				return usageError("--document looks at all profiles: give it without a flag that names a machine")
			case input.namesMachine():
				return p.printFitting(input, packs, f.output.format)
			}
			describe := rulepack.DescribeProfiles
			if f.output.format != formats.JSON {
				describe = rulepack.ProfilesApart
			}
			infos := filterByDocument(describe(packs), document)
			if len(infos) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("profiles list: no profile cites a document matching %q", document), hint: "memaudit profiles list"}
			}
			if f.output.format == formats.JSON {
				return writeJSON(p.Stdout, infos)
			}
			all := make([]fittingProfile, len(infos))
			for i := range infos {
				all[i].ProfileInfo = infos[i]
			}
			list, err := p.listProfiles(all)
			if err != nil {
				return err
			}
			return p.printText(list)
		}}
	f.registerList(cmd)
	input.registerFlags(cmd)
	cmd.Flags().StringVar(&document, "document", "", "only profiles of documents whose vendor, title, year or address holds every word of `TEXT`")
	return cmd
}

func filterByDocument(infos []rulepack.ProfileInfo, words string) []rulepack.ProfileInfo {
	return slices.DeleteFunc(infos, func(i rulepack.ProfileInfo) bool {
		line := strings.ToLower(i.Citation.Line() + " " + string(i.Citation.URL))
		return slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(line, w) })
	})
}

// listProfiles prints ids and intents grouped by machines and document, which neighbours mostly share.
func (p *Program) listProfiles(lines []fittingProfile) (string, error) {
	heading := func(f *fittingProfile) [2]string {
		document := f.Citation
		document.Place = ""
		if len(f.Missing) > 0 && f.Standing == ownMaker { // it may be for other machines
			return [2]string{f.Match.String(), document.Line()}
		}
		return [2]string{f.Match.String(), document.Line() + standingNotes[f.Standing]}
	}
	options := p.terminal(false).options
	var out strings.Builder
	for len(lines) > 0 {
		head, width, n := heading(&lines[0]), 0, 0
		for n < len(lines) && heading(&lines[n]) == head {
			width = max(width, len(lines[n].ID))
			n++
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		page := text.NewPage(options)
		page.Field(0, "for", head[0], false)
		page.Field(0, "document", head[1], false)
		if err := page.Write(&out); err != nil {
			return "", err
		}
		for _, f := range lines[:n] {
			intents := strings.Join(f.Answers, ", ")
			if f.Answers == nil || len(f.Missing) > 0 {
				intents = strings.Join(f.Intents, ", ")
			}
			line := fmt.Sprintf("  %-*s  %s\n", width, f.ID, cmp.Or(intents, "-"))
			if len(line) > cmp.Or(options.Width, 80) {
				line = fmt.Sprintf("  %s\n      %s\n", f.ID, intents)
			}
			out.WriteString(line)
		}
		lines = lines[n:]
	}
	return out.String(), nil
}

func (p *Program) profilesShowCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{Use: "show ID", Short: "show the whole setting table of a profile, or of every profile of an intent", Args: argumentCheck(1, 1, "one profile or intent (memaudit profiles list)"),
		ValidArgsFunction: oneWord(p.profileTitles),
		RunE: func(_ *cobra.Command, args []string) error {
			packs, _, err := p.packs(f)
			if err != nil {
				return err
			}
			found := rulepack.DescribeChosen(packs, func(i *rulepack.ProfileInfo) bool {
				return i.ID == args[0] || slices.Contains(i.Intents, args[0])
			})
			if len(found) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("profiles show: no profile has the id or intent %q; the nearest are %s", args[0], strings.Join(humanize.Nearest(profileWords(packs), args[0], 3), ", ")), hint: "memaudit profiles list"}
			}
			tables, err := p.tables()
			if err != nil {
				return usageError("built-in settings: %w", err)
			}
			reference.AddWays(found, tables)
			return showAll(p, f.output.format, found, reference.Profile)
		}}
	f.registerList(cmd)
	return cmd
}

func profileWords(packs []*rulepack.Pack) []string {
	out := slices.Clone(rulepack.Intents[:])
	for _, i := range rulepack.ProfilesApart(packs) {
		out = append(out, i.ID)
	}
	return out
}

func (p *Program) printFitting(input *inputFlags, packs []*rulepack.Pack, format string) error {
	sys, failed := p.readSystem(input)
	if sys == nil {
		return failed
	}
	engine, topo := audit.NewEngine(packs), population.Derive(sys, p.Rules)
	fits := engine.FittingProfiles(sys, topo)
	possible, missing := engine.PossibleProfiles(sys, topo)
	all := rulepack.DescribeChosen(packs, func(i *rulepack.ProfileInfo) bool {
		return slices.ContainsFunc(slices.Concat(fits, possible), func(f audit.Applicable) bool { return f.ID == i.ID })
	})
	describe := func(list []audit.Applicable, missing []string) []fittingProfile {
		out := make([]fittingProfile, 0, len(list))
		for _, f := range list {
			standing := f.Standing
			if standing == "" && sys.Machine.Vendor.Known() {
				standing = ownMaker
			}
			info := all[slices.IndexFunc(all, func(i rulepack.ProfileInfo) bool { return i.ID == f.ID })]
			out = append(out, fittingProfile{info, append([]string{}, f.Answers...), nullable.String(standing), append([]string{}, missing...)})
		}
		return out
	}
	fitting, maybe := describe(fits, nil), describe(possible, missing)
	if format == formats.JSON {
		return cmp.Or(writeJSON(p.Stdout, append(fitting, maybe...)), failed)
	}
	out, err := p.listFitting(fitting)
	compared := engine.Compare(sys, topo)
	if compared.Why != "" {
		out += string(compared.Why) + "\n"
	}
	for _, u := range compared.Undecided {
		out += u.ID + ": " + u.Reason + "\n"
	}
	if err == nil && len(maybe) > 0 {
		var list string
		list, err = p.listProfiles(maybe)
		out += "profiles of this vendor that may apply; unknown so far: " + strings.Join(missing, " and ") + " (add --smbios FILE or --root DIR):\n\n" + list
	}
	if err != nil {
		return err
	}
	return cmp.Or(p.printText(out), failed)
}

type fittingProfile struct {
	rulepack.ProfileInfo
	// Answers are the intents that resolve to it on this machine; nil without one.
	Answers []string `json:"answers"`
	// Standing is ownMaker, or that of a document about other machines; null if the machine's vendor is
	// unknown.
	Standing nullable.String `json:"standing"`
	// Missing are the unknown facts of the machine that decide whether the profile applies; empty if it does.
	Missing []string `json:"missing"`
}

// ownMaker is the standing of a document by the machine's vendor about such machines.
const ownMaker = "own maker"

// listFitting prints the profiles that apply with their intents on this machine, and whether the document is
// the vendor's and names it; then the intents without a document.
func (p *Program) listFitting(fits []fittingProfile) (string, error) {
	out, err := p.listProfiles(fits)
	none := slices.DeleteFunc(slices.Clone(rulepack.Intents[:]), func(intent string) bool {
		return slices.ContainsFunc(fits, func(f fittingProfile) bool { return slices.Contains(f.Answers, intent) })
	})
	if len(fits) > 0 && len(none) > 0 {
		out += fmt.Sprintf("\nno document for this machine: %s\n", strings.Join(none, ", "))
	}
	return out, err
}

// standingNotes are behind the documents of profiles that fit, ownMaker's only if the profile applies for sure.
var standingNotes = map[nullable.String]string{ownMaker: "; by the machine's own vendor", nullable.String(verdict.Analogous): "; by analogy, the document names other machines",
	nullable.String(verdict.Practice): "; general practice, no document of the machine's vendor"}

func (p *Program) profilesCompareCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "compare one machine with every profile documented for it",
		Long: `compare sets one machine beside every profile that a document gives for it, and
shows what each wants, what the machine has, and what is missing.
A setting that is not known is counted apart and never as agreement.

Exit status: 0 whatever differs; 2 wrong usage or configuration; 3 the machine
could not be read.`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			auditor, err := p.loadAuditor(f)
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if !showFailed(failed, sys, f.output.format) {
				return failed
			}
			topo := population.Derive(sys, p.Rules)
			doc := report.BuildComparison(sys, topo, auditor.Engine.Compare(sys, topo), p.reportOptions(&f.input, report.Criteria{}))
			err = f.output.writeOutput(p, f.input.identifiers, func(t *terminal) error {
				return formats.WriteOther(t, f.output.format, &doc, text.WriteComparison, t.options)
			})
			return cmp.Or(err, orNothing(failed, sys, "compare", ""))
		},
	}
	f.input.registerFlags(cmd)
	f.output.registerFlags(cmd, formats.Others())
	f.registerKnowledge(cmd, "rule packs")
	return cmd
}

func (p *Program) profilesPatchCommand() *cobra.Command {
	f, form := &checkFlags{}, ""
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
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			auditor, err := p.loadAuditor(f)
			if err != nil {
				return err
			}
			engine := auditor.Engine
			if err := engine.CheckProfile(name); err != nil {
				return p.addFittingProfiles(f, engine, err)
			}
			sys, failed := p.readSystem(&f.input)
			if failed != nil {
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
			x, tool, err := assess.PresentSettings(f.input.exports, form)
			if err != nil {
				return usageError("profiles patch: %w", err)
			}
			made := assess.MakePatch(x, tool, chosen)
			for _, s := range chosen.Silent {
				made.Open = append(made.Open, patch.Note{Setting: strings.TrimPrefix(s.Rule, "setting."), Reason: string(s.Reason)})
			}
			if err := f.output.writeOutput(p, f.input.identifiers, func(w *terminal) error { return made.Write(w, tool) }); err != nil {
				return err
			}
			_, _ = fmt.Fprint(p.Stderr, patchNotes(made, tool, chosen, x))
			return nil
		},
	}
	f.input.registerFlags(cmd)
	registerWord(cmd, &form, "for", "", patch.Forms(), "the tool that is to apply it: `FORM` is %s (default: that of the export)")
	f.output.registerFile(cmd)
	f.registerKnowledge(cmd, "rule packs")
	return cmd
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
