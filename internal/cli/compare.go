package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/topology/population"
)

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
		RunE: func(*cobra.Command, []string) error { return p.compare(f) },
	}
	f.input.register(cmd)
	f.output.register(cmd, formats.Comparisons())
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs; repeatable")
	return cmd
}

func (p *Program) compare(f *checkFlags) error {
	if err := f.output.check(formats.Comparisons()); err != nil {
		return err
	}
	auditor, err := p.auditor(f)
	if err != nil {
		return err
	}
	sys, failed := p.system(&f.input)
	if !showFailed(failed, sys, f.output.format) {
		return failed
	}
	topo := population.Derive(sys, p.Rules)
	doc := report.BuildComparison(sys, topo, auditor.Engine.Compare(sys, topo), p.reportOptions(&f.input))
	if err := f.output.write(p, f.input.identifiers, func(t *terminal) error {
		return formats.WriteComparison(t, f.output.format, &doc, t.options)
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if nothingRead(sys) {
		return notAudited(errors.New("nothing to compare: no source of this input could be read"), "")
	}
	return nil
}
