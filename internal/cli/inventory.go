package cli

import (
	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) inventoryCommand() *cobra.Command {
	f, settings := &checkFlags{}, false
	cmd := &cobra.Command{
		Use:   "inventory [FILE]",
		Short: "print the collected inventory and its sources",
		Args:  oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			err := f.input.takeArgument(args)
			if err == nil {
				f.input.conf, err = p.loadConfig(f.config)
			}
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if !showFailed(failed, sys, f.output.format) {
				return failed
			}
			doc := report.BuildInventory(sys, population.Derive(sys, p.Rules), p.reportOptions(&f.input, report.Criteria{}))
			if err := f.output.writeOutput(p, f.input.identifiers, func(t *terminal) error {
				t.options.Settings = settings
				return formats.WriteInventory(t, f.output.format, &doc, t.options)
			}); err != nil {
				return err
			}
			return orNothing(failed, sys, "read", "")
		},
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "text: the BIOS settings alone: configured, pending, effective, who decided, and what each rests on")
	f.input.registerFlags(cmd)
	f.input.registerHostName(cmd)
	f.output.registerFlags(cmd, formats.Inventories())
	registerConfig(cmd, &f.config)
	return cmd
}
