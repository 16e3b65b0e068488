package cli

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
	"github.com/memaudit/memaudit/internal/settings"
)

// Main runs the program and returns its exit status.
func (p *Program) Main(args []string) int {
	if p.OwnsProcess {
		// One audit allocates a few megabytes: let it end before the first
		// collection of garbage.
		debug.SetGCPercent(400)
	}
	if p.tables == nil {
		p.tables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(p.Rules) })
	}
	root := p.commandFor(args)
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
	var e *exitError
	if !errors.As(err, &e) {
		// Whatever cobra itself refuses is wrong usage.
		e = &exitError{status: report.ExitUsage, err: err, hint: "memaudit --help lists commands and flags"}
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

// commands are the program's, by name, in the order of its help.
var commands = []struct {
	name  string
	build func(*Program, *cobra.Command) *cobra.Command
}{
	{"check", standaloneCommand((*Program).checkCommand)}, {"inventory", standaloneCommand((*Program).inventoryCommand)}, {"rules", standaloneCommand((*Program).rulesCommand)},
	{"profiles", standaloneCommand((*Program).profilesCommand)}, {"snapshot", standaloneCommand((*Program).snapshotCommand)}, {"fleet", standaloneCommand((*Program).fleetCommand)},
	{"plan", standaloneCommand((*Program).planCommand)}, {"labels", standaloneCommand((*Program).labelsCommand)}, {"baseline", standaloneCommand((*Program).baselineCommand)},
	{"measure", standaloneCommand((*Program).measureCommand)}, {"explain", standaloneCommand((*Program).explainCommand)}, {"serve", standaloneCommand((*Program).serveCommand)},
	{"version", standaloneCommand((*Program).versionCommand)}, {"man", (*Program).manCommand},
}

// standaloneCommand is a command that knows nothing of the others.
func standaloneCommand(build func(*Program) *cobra.Command) func(*Program, *cobra.Command) *cobra.Command {
	return func(p *Program, _ *cobra.Command) *cobra.Command { return build(p) }
}

// commandFor builds the tree of commands for a command line: the one command that it
// begins with, for the flags of all of them take a tenth of an audit's memory; all
// of them where help, completion or a manual page may need them.
func (p *Program) commandFor(args []string) *cobra.Command {
	if len(args) == 0 || args[0] == "man" {
		return p.command()
	}
	root := p.root()
	for _, c := range commands {
		if c.name == args[0] {
			root.AddCommand(c.build(p, root))
			return root
		}
	}
	root = p.command()
	if args[0] == "help" {
		helpKnows(root)
	}
	return root
}

// command builds the tree of all commands.
func (p *Program) command() *cobra.Command {
	root := p.root()
	for _, c := range commands {
		root.AddCommand(c.build(p, root))
	}
	return root
}

// root is the program without its commands.
func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "memaudit",
		Short: "audit memory population and BIOS settings against the vendor's documents",
		Long: `memaudit reads SMBIOS and the kernel's view of processors and memory, maps DIMMs
to channels, and compares population and settings with what the vendors' documents
ask for. It only reads: nothing on the machine is changed.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	return root
}

// helpKnows makes help refuse what is not a command, as every other command does.
func helpKnows(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) == 0 {
					return nil
				}
				if found == nil {
					found, rest = root, args
				}
				return noCommand(found, rest)
			}
		}
	}
}

// flagWords are what a value of a flag is, by its type.
var flagWords = map[string]string{"duration": "a duration such as 5m", "bool": "true or false", "int": "a whole number", "float64": "a number"}

// flagError says what a flag's value has to be, or which flags a command takes.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if expected := flagWords[e.GetFlag().Value.Type()]; expected != "" {
			return usageError("%s: --%s %q: invalid argument, expected %s", cmd.CommandPath(), e.GetFlag().Name, e.GetValue(), expected)
		}
		return usageError("%s: %w", cmd.CommandPath(), err)
	}
	if _, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return usageError("%s: %w", cmd.CommandPath(), err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	})
	return usageError("%s: %w, expected one of %s", cmd.CommandPath(), err, strings.Join(known, ", "))
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
