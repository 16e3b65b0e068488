package cli

import (
	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report/formats"
)

func (p *Program) planCommand() *cobra.Command {
	f := &checkFlags{}
	c := &changeFlags{}
	w := &capacityFlags{}
	cmd := &cobra.Command{
		Use:   "plan [FILE]",
		Short: "list the ways to reach a capacity, or audit a change of modules",
		Long: `plan --capacity lists the documented ways to populate a capacity, of this machine
or of a platform, best first, with what each of them gives.

plan --move, --install, --remove audits the machine as it would be after modules
are removed, moved and installed, and prints before beside after. Two modules
change places by --move A=B --move B=A. Nothing is changed. What to do about
findings is in the advice of check.

A slot is named by its locator or the end of it that no other slot has (A1 for
DIMM_A1), by BANK/LOCATOR if locators repeat, or by its handle (0x1100); case,
spaces and dashes do not matter. A size is a number with M,
G or T; a capacity is that of all processors together. A new module is like those
of its size that are there: of its channel first, then of its processor.

Exit status: 0 whatever the audit says; 2 wrong usage: a slot that is not there,
empty or full, a platform that is not known, a capacity that cannot be reached;
3 the machine could not be read.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.input.take(args); err != nil {
				return err
			}
			if cmd.Flags().Changed("sockets") && w.sockets == 0 {
				w.sockets = -1 // not the default
			}
			if cmd.Flags().Changed("capacity") {
				return p.capacity(f, c, w)
			}
			if err := w.unused(cmd); err != nil {
				return err
			}
			return p.whatIf(f, c)
		},
	}
	f.input.register(cmd)
	f.output.register(cmd, formats.ForPlans())
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs; repeatable")
	w.register(fl)
	_ = cmd.RegisterFlagCompletionFunc("platform", p.completePlatforms)
	fl.StringArrayVar(&c.move, "move", nil, "move the module of a slot to another, `A=B`; repeatable")
	fl.StringArrayVar(&c.install, "install", nil, "install a module, `SLOT=SIZE`; repeatable")
	fl.StringArrayVar(&c.remove, "remove", nil, "remove the module of a `SLOT`; repeatable")
	return cmd
}
