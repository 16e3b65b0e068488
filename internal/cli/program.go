// Package cli is memaudit's command line: commands, flags, and the wiring from
// inputs to reports. It decides nothing about memory.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/memaudit/memaudit/internal/report/formats"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/rules"
)

// Program is one run of memaudit with its streams, so that the whole of it can
// be called from a test.
type Program struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// Rules is the tree of the built-in knowledge; with a site's own data files
	// beside it once they were loaded.
	Rules fs.FS
	// builtin is the tree without those.
	builtin fs.FS
	// Version and Revision are those of the binary.
	Version, Revision string
	// Bench opens the machine to measure, given the hypervisor's name in a guest;
	// nil for the running one.
	Bench func(ctx context.Context, guest string) (*bench, error)
	// OwnsProcess says that nothing else runs in the process: the program may then
	// set how garbage is collected, and the daemon gives up rights. A test keeps both.
	OwnsProcess bool
}

// New is the program of the process.
func New(version, revision string) *Program {
	return &Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Now: time.Now, Rules: rules.FS, Version: version, Revision: revision, OwnsProcess: true}
}

// exit is an error that ends the program with a status of its own. An empty
// message prints nothing: the report has said it.
type exit struct {
	status int
	err    error
	// hint is what to type next.
	hint string
}

func (e *exit) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// usage is wrong usage or configuration.
func usage(format string, args ...any) error {
	return &exit{status: report.ExitUsage, err: fmt.Errorf(format, args...)}
}

// notAudited is an audit that could not be done.
func notAudited(err error, hint string) error {
	return &exit{status: report.ExitNotAudited, err: err, hint: hint}
}

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

// statusOf is the exit status that an error asks for.
func statusOf(err error) int {
	var e *exit
	switch {
	case err == nil:
		return report.ExitOK
	case errors.As(err, &e):
		return e.status
	default:
		return report.ExitUsage
	}
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

// noCommand refuses an unknown command and lists the known ones.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return usage("%s: unknown command %q, expected one of %s", cmd.CommandPath(), args[0], strings.Join(known, ", "))
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

// noArgs refuses arguments of a command that takes flags only.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("%s: unexpected argument %q, expected flags only", cmd.CommandPath(), args[0])
}

// oneArg asks for exactly one argument and names it.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return usage("%s: %d arguments, expected one: %s", cmd.CommandPath(), len(args), what)
	}
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

// oneOf checks a flag's word and says what would have been accepted.
func oneOf(flag, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usage("--%s: %q, expected one of %s", flag, word, strings.Join(known, ", "))
}
