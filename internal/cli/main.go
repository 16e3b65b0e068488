package cli

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
)

// Main runs the program and returns its exit status.
func (p *Program) Main(args []string) int {
	if p.tables == nil {
		p.tables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(p.Rules) })
	}
	root := p.command()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.stderr())
	cmd, err := root.ExecuteC()
	var e *exitError
	if err != nil && !errors.As(err, &e) {
		// Errors of cobra itself are wrong usage.
		err = &exitError{status: report.ExitUsage, err: err, hint: fmt.Sprintf("see '%s --help'", cmd.CommandPath())}
	}
	return p.end(err, args)
}

// end prints the error that ended a command and returns the exit status.
func (p *Program) end(err error, args []string) int {
	if err == nil {
		return report.ExitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		e = &exitError{status: report.ExitUsage, err: err}
	}
	if e.err != nil {
		message := strings.ReplaceAll(strings.TrimSpace(e.err.Error()), "\t", "  ") // cobra indents its suggestions by tabs
		if asksPlugin(args) {
			// Monitoring systems read standard output, and interpret 1 and 2 as findings.
			_ = formats.WritePluginProblem(p.Stdout, message)
			e.status = report.PluginUnknown
		}
		_, _ = fmt.Fprintf(p.stderr(), "memaudit: error: %s\n", message)
	}
	if e.hint != "" {
		_, _ = fmt.Fprintf(p.stderr(), "memaudit: hint: %s\n", e.hint)
	}
	return e.status
}

// asksPlugin reports whether a command line selects a monitoring plugin's format, whatever else is wrong with
// it.
func asksPlugin(args []string) bool {
	i := slices.Index(args, "--format")
	return slices.Contains(args, "--format="+formats.Nagios) || i >= 0 && i+1 < len(args) && args[i+1] == formats.Nagios
}

// command builds the tree of all commands.
func (p *Program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memaudit",
		Short: "audit memory population and BIOS settings against the vendor's documents",
		Long: `memaudit reads SMBIOS and the kernel's view of processors and memory, maps DIMMs
to channels, and compares population and settings with what the vendors' documents
ask for. It only reads: nothing on the machine is changed.`,
		SilenceUsage: true, SilenceErrors: true,
		RunE: showHelp, Version: p.versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(p.checkCommand(), p.demoCommand(), p.inventoryCommand(), p.rulesCommand(), p.profilesCommand(), p.snapshotCommand(), p.fleetCommand(),
		p.planCommand(), p.labelsCommand(), p.baselineCommand(), p.measureCommand(), p.explainCommand(), p.serveCommand(),
		p.versionCommand(), p.manCommand())
	return root
}

// flagWords describes the value of a flag by its type.
var flagWords = map[string]string{"duration": "a duration such as 5m", "bool": "true or false", "int": "a whole number", "float64": "a number"}

// flagError describes the expected value of a flag instead of the parser's error.
func flagError(_ *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok && flagWords[e.GetFlag().Value.Type()] != "" {
		return fmt.Errorf("invalid argument %q for --%s, expected %s", e.GetValue(), e.GetFlag().Name, flagWords[e.GetFlag().Value.Type()])
	}
	return err
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print version and revision", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.say(p.versionLine() + "\n") }}
}

// versionLine names version and revision.
func (p *Program) versionLine() string {
	return fmt.Sprintf("memaudit %s (revision %s, %s %s/%s)", p.Version, cmp.Or(p.Revision, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
