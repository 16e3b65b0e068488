// Package cli is memaudit's command line: commands, flags, and the wiring from inputs to reports. It contains
// no knowledge about memory.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/rules"
)

// Program is one run of memaudit with its streams, so that tests can call it.
type Program struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads the environment.
	Getenv func(string) string
	// Now returns the time.
	Now func() time.Time
	// Rules contains the built-in knowledge, and a site's own data files once they were loaded.
	Rules fs.FS
	// builtin is the knowledge without those.
	builtin fs.FS
	// Version and Revision are those of the binary.
	Version, Revision string
	// Bench opens the machine to measure, given the hypervisor's name in a guest; nil for the running one.
	Bench func(ctx context.Context, guest string) (*measureBench, error)
	// OwnsProcess is set if nothing else runs in the process: the program may then configure garbage
	// collection, and the daemon drops privileges. It is not set in tests.
	OwnsProcess bool
	// log is the daemon's, nil otherwise.
	log *slog.Logger
	// tables returns the vendors' attribute names and commands, loaded when first used; several programs in one
	// process may share them.
	tables func() (settings.Tables, error)
}

// New returns the program of the process.
func New(version, revision string) *Program {
	return &Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Now: time.Now, Rules: rules.FS, Version: version, Revision: revision, OwnsProcess: true}
}

// exitError ends the program with an exit status. An empty message prints nothing, because the report has it.
type exitError struct {
	status int
	err    error
	// hint is the command to run next.
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usageError(format string, args ...any) error {
	return &exitError{status: report.ExitUsage, err: fmt.Errorf(format, args...)}
}

func notAudited(err error, hint string) error {
	return &exitError{status: report.ExitNotAudited, err: err, hint: hint}
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// wordFlag is a flag of known words; its standard may be none of them.
type wordFlag struct {
	word           *string
	name, standard string
	known          []string
}

// registerWord registers a flag of known words, which the %s of the usage lists.
func registerWord(cmd *cobra.Command, word *string, name, standard string, known []string, usage string) {
	*word = standard
	cmd.Flags().Var(&wordFlag{word, name, standard, known}, name, fmt.Sprintf(usage, strings.Join(known, ", ")))
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

func (f *wordFlag) String() string { return *f.word }
func (f *wordFlag) Type() string   { return "string" }

// Set accepts the known words.
func (f *wordFlag) Set(word string) error {
	if *f.word = word; word == f.standard || slices.Contains(f.known, word) {
		return nil
	}
	return usageError("--%s: %q, expected one of %s", f.name, word, strings.Join(f.known, ", "))
}

// measureBench is the machine to measure: the running one, or a simulated one in tests.
type measureBench struct {
	site  *measure.Machine
	bench measure.Bench
	close func()
}

// printableWriter filters standard error: file names, rule ids and keys come from untrusted inputs and must not
// control the terminal. Line breaks are kept.
type printableWriter struct{ io.Writer }

// Write writes the printable characters.
func (t printableWriter) Write(b []byte) (int, error) {
	lines := bytes.Split(b, []byte{'\n'})
	for i, line := range lines {
		lines[i] = []byte(printable.Clean(string(line)))
	}
	if _, err := t.Writer.Write(bytes.Join(lines, []byte{'\n'})); err != nil {
		return 0, err
	}
	return len(b), nil
}

// stderr returns the only writer to standard error.
func (p *Program) stderr() io.Writer { return printableWriter{p.Stderr} }

func oneWord(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words(), cobra.ShellCompDirectiveNoFileComp
	}
}

func (p *Program) profileTitles() []string {
	words := slices.Clone(rulepack.Intents[:])
	packs, _ := rulepack.LoadCompiled(p.Rules)
	for _, profile := range audit.NewEngine(packs).Profiles() {
		words = append(words, profile.ID+"\t"+profile.Whole().Title)
	}
	return words
}

func (p *Program) ruleTitles() (out []string) {
	packs, _ := rulepack.LoadCompiled(p.Rules)
	for _, rules := range rulepack.RulesByID(packs) {
		out = append(out, rules[0].ID+"\t"+rules[0].Title)
	}
	return out
}

// Main runs the program and returns its exit status.
func (p *Program) Main(args []string) int {
	if p.tables == nil {
		p.tables = sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(p.Rules) })
	}
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.stderr())
	cmd, err := root.ExecuteC()
	var e *exitError
	if err != nil && !errors.As(err, &e) {
		// Errors of cobra itself are wrong usage.
		err = &exitError{status: report.ExitUsage, err: err, hint: usageHint(cmd, err)}
	}
	return p.endWithStatus(err, args)
}

func (p *Program) endWithStatus(err error, args []string) int {
	if err == nil {
		return report.ExitOK
	}
	var e *exitError
	errors.As(err, &e)
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

func (p *Program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "memaudit",
		Short: "audit memory population and BIOS settings against the vendor's documents",
		Long: `memaudit reads SMBIOS and the kernel's view of processors and memory, maps DIMMs
to channels, and compares population and settings with what the vendors' documents
ask for. It only reads: nothing on the machine is changed.`,
		SilenceUsage: true, SilenceErrors: true,
		Args: rejectArgument, RunE: showHelp, Version: p.versionLine(),
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	group := func(name, short string, commands ...*cobra.Command) *cobra.Command {
		cmd := &cobra.Command{Use: name, Short: short, Args: rejectArgument, RunE: showHelp}
		cmd.AddCommand(commands...)
		return cmd
	}
	root.AddCommand(p.checkCommand(), p.demoCommand(), p.inventoryCommand(),
		group("rules", "list, show, validate and draft rules",
			p.rulesListCommand(), p.rulesShowCommand(), p.rulesValidateCommand(), p.rulesDraftCommand()),
		group("profiles", "list and show the documented profiles, compare a machine with them",
			p.profilesListCommand(), p.profilesShowCommand(), p.profilesCompareCommand(), p.profilesPatchCommand()),
		p.snapshotCommand(), p.fleetCommand(), p.planCommand(), p.labelsCommand(),
		group("baseline", "save a hardware baseline and report changes", p.baselineSaveCommand(), p.baselineCompareCommand()),
		p.measureCommand(), p.explainCommand(), p.serveCommand(), p.manCommand(),
		&cobra.Command{Use: "version", Short: "print version and revision", Args: nothing,
			RunE: func(*cobra.Command, []string) error { return p.printText(p.versionLine() + "\n") }})
	root.InitDefaultVersionFlag()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() { // cobra's own answer a misspelt command or shell with another page
		case "help":
			c.Args = knownCommand
		case "completion":
			c.Args, c.RunE = rejectArgument, showHelp
		}
	}
	return root
}

var flagWords = map[string]string{"duration": "a duration such as 5m", "bool": "true or false", "int": "a whole number", "float64": "a number"}

// otherNames are flags of other programs, by the flag that does the same here.
var otherNames = map[string]string{"quiet": "format nagios", "silent": "format nagios", "brief": "format nagios", "summary": "format nagios", "q": "format nagios",
	"time": "quick", "duration": "quick", "seconds": "quick", "fast": "quick", "debug": "verbose", "all": "verbose"}

// usageHint is the hint for wrong usage: the flag or command that was meant, or where they are listed.
func usageHint(cmd *cobra.Command, err error) string {
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

// rejectArgument refuses an argument of a command that only has commands below it, and names the nearest; a file is what
// check takes.
func rejectArgument(cmd *cobra.Command, args []string) error {
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
	if err := rejectArgument(found, rest); err != nil {
		return &exitError{status: report.ExitUsage, err: err, hint: fmt.Sprintf("see '%s --help'", found.CommandPath())}
	}
	return nil
}

// argumentCheck returns a check of how many arguments a command has, from least to most; what names them.
func argumentCheck(least, most int, what string) cobra.PositionalArgs {
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
	nothing = argumentCheck(0, 0, "flags only")
	oneFile = argumentCheck(0, 1, "one FILE (memaudit fleet takes many)")
)

// flagError describes the expected value of a flag instead of the parser's error.
func flagError(_ *cobra.Command, err error) error {
	if own, ok := errors.AsType[*exitError](err); ok {
		return own
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok && flagWords[e.GetFlag().Value.Type()] != "" {
		return fmt.Errorf("invalid argument %q for --%s, expected %s", e.GetValue(), e.GetFlag().Name, flagWords[e.GetFlag().Value.Type()])
	}
	return err
}

func (p *Program) versionLine() string {
	return fmt.Sprintf("memaudit %s (revision %s, %s %s/%s)", p.Version, cmp.Or(p.Revision, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
