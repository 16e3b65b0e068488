package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) inventoryCommand() *cobra.Command {
	var in inputFlags
	var out outputFlags
	var configFile string
	var settings bool
	cmd := &cobra.Command{
		Use:   "inventory [FILE]",
		Short: "print the collected inventory and its sources",
		Args:  oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := in.take(args); err != nil {
				return err
			}
			if err := out.check(formats.Inventories()); err != nil {
				return err
			}
			conf, err := p.loadConfig(configFile)
			if err != nil {
				return err
			}
			in.conf = conf
			sys, failed := p.system(&in)
			if !showFailed(failed, sys, out.format) {
				return failed
			}
			doc := report.BuildInventory(sys, population.Derive(sys, p.Rules), p.reportOptions(&in))
			if err := out.write(p, in.identifiers, func(t *terminal) error {
				t.options.Settings = settings
				return formats.WriteInventory(t, out.format, &doc, t.options)
			}); err != nil {
				return err
			}
			if failed != nil {
				return failed
			}
			if nothingRead(sys) {
				return notAudited(errors.New("nothing to read: no source of this input could be read"), "")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "text: the BIOS settings alone: configured, pending, effective, who decided, and what each rests on")
	in.register(cmd)
	in.registerHostName(cmd)
	out.register(cmd, formats.Inventories())
	cmd.Flags().StringVar(&configFile, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	return cmd
}
