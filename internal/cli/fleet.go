package cli

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/serve/fleet"
)

func (p *Program) fleetCommand() *cobra.Command {
	f, planned := &checkFlags{}, &planFlags{}
	by, section := "", ""
	cmd := &cobra.Command{
		Use:   "fleet PATH...",
		Short: "summarize the reports of many machines: problems, worst machines, outliers",
		Long: `fleet reads reports, inventories, snapshots, machines' trees, SMBIOS dumps and dmidecode
texts of many machines: a folder, a file, a list of paths, a tar of such files, or
- for any of these but a folder on standard input. The format is detected
automatically. It prints the machines by verdict, each problem with the number of
machines that have it, their lowest bandwidth and the fix, the worst machines, those
that differ from most of their kind, and what was not checked. --section prints one
part in full.

--plan prints which machines gain most by moving modules, which can give modules up
without losing class, bandwidth or a passed check, and in which the modules of --spare
do most good, as steps by machine. Each step is proven by an audit of that machine.
Reports and inventories do not hold the machine: no plan is made for them.

Only an argument and standard input can be a list of paths; a file that a list names
or that is in a folder or a tar cannot. Links that lead out of a folder are not
followed.

Exit status: that of the worst machine by --fail-on; 3 when an input could not be
read, or no machine fails and the verdict of one is unknown. With --plan 0 whatever
the audits say; 3 when an input could not be read or nothing can be planned for any.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError("%s: no argument, expected at least one folder, file, list, tar, or -", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := p.planning(cmd, planned, f.output.format, section)
			if err != nil {
				return err
			}
			return p.fleet(f, plan, by, section, args)
		},
	}
	f.output.register(cmd, fleet.Formats())
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	fl.StringVar(&by, "by", fleet.GroupKinds()[0], "compare machines of one `KIND`: "+strings.Join(fleet.GroupKinds(), ", "))
	fl.StringVar(&section, "section", "", "print one `SECTION` of the text in full: "+strings.Join(fleet.Sections(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("section", cobra.FixedCompletions(fleet.Sections(), cobra.ShellCompDirectiveNoFileComp))
	planned.register(cmd)
	registerFailOn(cmd, &f.failOn)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(fleet.GroupKinds(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *Program) fleet(f *checkFlags, plan *planning, by, section string, paths []string) error {
	if err := errors.Join(f.output.check(fleet.Formats()), checkFlagWord("by", by, fleet.GroupKinds()), report.CheckFailOn(f.failOn)); err != nil {
		return usageError("%w", err)
	}
	if section != "" {
		if err := checkFlagWord("section", section, fleet.Sections()); err != nil {
			return usageError("%w", err)
		}
		if f.output.format != formats.Text {
			return usageError("--section is part of --format text, not of %s", f.output.format)
		}
	}
	p.collectLess()
	auditors, err := p.auditors(f)
	if err != nil {
		return err
	}
	doc := p.gatherFleet(auditors, plan, by, paths)
	if err := f.output.write(p, false, func(t *terminal) error {
		return doc.Write(t, f.output.format, fleet.Options{Width: t.options.Width, Section: section})
	}); err != nil {
		return err
	}
	switch {
	case doc.NotRead() > 0:
		return &exitError{status: report.ExitNotAudited, err: fmt.Errorf("%s could not be read", humanize.Plural(doc.NotRead(), "input"))}
	case plan != nil && doc.Planless():
		return &exitError{status: report.ExitNotAudited}
	case plan != nil:
		return nil
	case f.failOn != report.FailNever && doc.Fails(report.SeverityRank(f.failOn)):
		return &exitError{status: report.ExitFailed}
	case doc.Unknown():
		return &exitError{status: report.ExitNotAudited}
	default:
		return nil
	}
}

func (p *Program) gatherFleet(auditors []*fleetAuditor, plan *planning, by string, paths []string) *fleet.Document {
	all := fleet.New(by, auditors[0].auditor.Engine.Headline)
	if plan != nil {
		all.Plan(plan.stock, &plan.floors)
		for _, a := range auditors {
			a.planning = plan
		}
	}
	var count atomic.Int64
	done := p.progress(func() string { return humanize.Plural(int(count.Load()), "machine") + " read" })
	defer done()
	g := &gatherer{p: p, pool: startPool(auditors, func(o fleetInput) { o.join(all); count.Add(1) })}
	for _, path := range paths {
		g.argument(path)
	}
	g.pool.finish()
	return all.Document()
}
