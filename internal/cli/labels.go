package cli

import (
	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report/formats"
)

func (p *Program) labelsCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "labels",
		Short: "print Kubernetes node labels for Node Feature Discovery",
		Long: `labels audits one machine once and prints what a scheduler can use of it, in the
form of a feature file of Node Feature Discovery: the verdict (ok, warning, critical,
unknown, not_applicable), the worst failure (none, info, warning, critical, or the
verdict's word), the numbers of failures and unknowns, profile, platform and a
signature of the population.

Exit status: 0 whatever the audit finds; 2 wrong usage or configuration; 3 the
audit could not be done.`,
		Args: argumentCheck(0, 0, "flags only: a machine is --smbios FILE or --snapshot FILE"),
		RunE: func(*cobra.Command, []string) error { return p.printLabels(f) },
	}
	f.input.registerFlags(cmd)
	f.output.registerFile(cmd)
	f.registerKnowledge(cmd, "rule packs")
	f.registerProfile(p, cmd)
	return cmd
}

// printLabels does one audit and prints its labels, also if the audit failed: otherwise the previous labels would
// remain.
func (p *Program) printLabels(f *checkFlags) error {
	auditor, err := p.loadAuditor(f)
	if err != nil {
		return err
	}
	sys, failed := p.readSystem(&f.input)
	if !showFailed(failed, sys, formats.JSON) {
		return failed
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return usageError("%w", err)
	}
	failed = orNothing(failed, sys, "audit", "")
	doc := j.Report(p.reportOptions(&f.input, f.criteria(failed)))
	if err := f.output.writeOutput(p, f.input.identifiers, func(w *terminal) error { return formats.WriteLabels(w, &doc) }); err != nil {
		return err
	}
	return failed
}
