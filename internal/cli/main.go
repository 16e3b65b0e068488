package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
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
		err = &exitError{status: report.ExitUsage, err: err, hint: wayOut(cmd, err)}
	}
	return p.end(err, args)
}

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

func (p *Program) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memaudit",
		Short: "audit memory population and BIOS settings against the vendor's documents",
		Long: `memaudit reads SMBIOS and the kernel's view of processors and memory, maps DIMMs
to channels, and compares population and settings with what the vendors' documents
ask for. It only reads: nothing on the machine is changed.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: command, RunE: showHelp, Version: p.versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(p.checkCommand(), p.demoCommand(), p.inventoryCommand(), p.rulesCommand(), p.profilesCommand(), p.snapshotCommand(), p.fleetCommand(),
		p.planCommand(), p.labelsCommand(), p.baselineCommand(), p.measureCommand(), p.explainCommand(), p.serveCommand(),
		p.versionCommand(), p.manCommand())
	root.InitDefaultVersionFlag()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() { // cobra's own answer a misspelt command or shell with another page
		case "help":
			c.Args = knownCommand
		case "completion":
			c.Args, c.RunE = command, showHelp
		}
	}
	return root
}

var flagWords = map[string]string{"duration": "a duration such as 5m", "bool": "true or false", "int": "a whole number", "float64": "a number"}

// otherNames are flags of other programs, by the flag that does the same here.
var otherNames = map[string]string{"quiet": "format nagios", "silent": "format nagios", "brief": "format nagios", "summary": "format nagios", "q": "format nagios",
	"time": "quick", "duration": "quick", "seconds": "quick", "fast": "quick", "debug": "verbose", "all": "verbose"}

// wayOut is the hint for wrong usage: the flag or command that was meant, or where they are listed.
func wayOut(cmd *cobra.Command, err error) string {
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return help
	}
	name := strings.ToLower(unknown.GetSpecifiedName())
	var similar, related []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		words := strings.FieldsFunc(strings.ToLower(f.Name+" "+f.Usage), func(r rune) bool { return !unicode.IsLetter(r) })
		switch {
		case len(name) == 1 && strings.HasPrefix(f.Name, name), name == "o" && f.Name == "format", // -o json is kubectl's
			len(name) > 1 && humanize.Distance(f.Name, name) <= max(1, len(name)/3):
			similar = append(similar, f.Name)
		case len(name) > 1 && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, name) }):
			related = append(related, f.Name)
		}
	})
	meant := func(flags []string) string {
		nearest := humanize.Nearest(flags, name, 2)
		for i, flag := range nearest {
			value, _ := pflag.UnquoteUsage(cmd.Flags().Lookup(flag))
			nearest[i] = strings.TrimSpace("--" + flag + " " + value)
		}
		return fmt.Sprintf("did you mean %s? %s", strings.Join(nearest, " or "), help)
	}
	if len(similar) > 0 {
		return meant(similar)
	}
	other := otherNames[name]
	if slices.Contains(formats.Reports(), name) {
		other = "format " + name
	}
	if flag, _, _ := strings.Cut(other, " "); cmd.Flags().Lookup(flag) != nil {
		return fmt.Sprintf("did you mean --%s? %s", other, help)
	}
	for _, other := range append(cmd.Root().Commands(), cmd.Root()) {
		if other.Flags().Lookup(name) != nil {
			return fmt.Sprintf("--%s is a flag of '%s'; %s", name, other.CommandPath(), help)
		}
	}
	if len(related) > 0 {
		return meant(related)
	}
	return help
}

// command refuses an argument of a command that only has commands below it, and names the nearest; a file is what
// check takes.
func command(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil {
		return fmt.Errorf("%q is a file, expected a command: memaudit check %s", args[0], args[0])
	}
	cmd.SuggestionsMinimumDistance = 2
	says := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		says += ", did you mean " + strings.Join(near, " or ") + "?"
	}
	return errors.New(says)
}

func knownCommand(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err != nil {
		return err
	}
	if err := command(found, rest); err != nil {
		return &exitError{status: report.ExitUsage, err: err, hint: fmt.Sprintf("see '%s --help'", found.CommandPath())}
	}
	return nil
}

// arguments returns a check of how many arguments a command has, from least to most; what names them.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s: no argument, expected %s", cmd.CommandPath(), what)
		case len(args) > most:
			return fmt.Errorf("%s: unexpected argument %q, expected %s", cmd.CommandPath(), args[most], what)
		}
		return nil
	}
}

// The arguments of commands that take flags only, and of those that take a machine.
var (
	nothing = arguments(0, 0, "flags only")
	oneFile = arguments(0, 1, "one FILE (memaudit fleet takes many)")
)

// flagError describes the expected value of a flag instead of the parser's error.
func flagError(_ *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok && flagWords[e.GetFlag().Value.Type()] != "" {
		return fmt.Errorf("invalid argument %q for --%s, expected %s", e.GetValue(), e.GetFlag().Name, flagWords[e.GetFlag().Value.Type()])
	}
	return err
}

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "print version and revision", Args: nothing,
		RunE: func(*cobra.Command, []string) error { return p.say(p.versionLine() + "\n") }}
}

func (p *Program) versionLine() string {
	return fmt.Sprintf("memaudit %s (revision %s, %s %s/%s)", p.Version, cmp.Or(p.Revision, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
