package cli

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
)

// Main runs the program and returns its exit status.
func (p *Program) Main(args []string) int {
	if p.OwnsProcess {
		// One audit allocates a few megabytes: let it end before the first
		// collection of garbage.
		debug.SetGCPercent(400)
	}
	root := p.command()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.stderr())
	return p.end(root.Execute(), args)
}

// end says what ended the program and gives its status.
func (p *Program) end(err error, args []string) int {
	if err == nil {
		return report.ExitOK
	}
	var e *exit
	if !errors.As(err, &e) {
		// Whatever cobra itself refuses is wrong usage.
		e = &exit{status: report.ExitUsage, err: err, hint: "memaudit --help lists commands and flags"}
	}
	if e.err != nil && asksPlugin(args) {
		// A monitor reads standard output, and takes 1 and 2 for findings.
		_ = formats.WritePluginProblem(p.Stdout, strings.TrimSpace(e.err.Error()))
		e.status = report.PluginUnknown
	}
	if e.err != nil {
		_, _ = fmt.Fprintf(p.stderr(), "memaudit: error: %s\n", strings.TrimSpace(e.err.Error()))
	}
	if e.hint != "" {
		_, _ = fmt.Fprintf(p.stderr(), "memaudit: hint: %s\n", e.hint)
	}
	return e.status
}

// asksPlugin reports whether a command line asks for a monitoring plugin's
// output, whatever else is wrong with it.
func asksPlugin(args []string) bool {
	i := slices.Index(args, "--format")
	return slices.Contains(args, "--format="+formats.Nagios) || i >= 0 && i+1 < len(args) && args[i+1] == formats.Nagios
}

// command builds the tree of commands.
func (p *Program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memaudit",
		Short: "audit memory population and BIOS settings against the vendor's documents",
		Long: `memaudit reads SMBIOS and the kernel's view of processors and memory, maps DIMMs
to channels, and holds population and settings against what the vendor's papers
say. It only ever reads the machine.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(p.checkCommand(), p.inventoryCommand(), p.rulesCommand(), p.profilesCommand(), p.snapshotCommand(), p.fleetCommand(), p.planCommand(), p.labelsCommand(), p.baselineCommand(),
		p.measureCommand(), p.explainCommand(),
		p.serveCommand(), p.versionCommand(), p.manCommand(root))
	return root
}

// flagError says which flags a command takes.
func flagError(cmd *cobra.Command, err error) error {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return usage("%s: %w, expected one of %s", cmd.CommandPath(), err, strings.Join(known, ", "))
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print version and revision", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			revision := p.Revision
			if revision == "" {
				revision = "unknown"
			}
			return p.say(fmt.Sprintf("memaudit %s (revision %s, %s %s/%s)\n", p.Version, revision,
				runtime.Version(), runtime.GOOS, runtime.GOARCH))
		}}
}
