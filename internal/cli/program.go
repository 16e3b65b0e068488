// Package cli is memaudit's command line: commands, flags, and the wiring from
// inputs to reports. It decides nothing about memory.
package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
	"github.com/memaudit/memaudit/internal/measure"
	"github.com/memaudit/memaudit/internal/model/settings"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
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
	Bench func(ctx context.Context, guest string) (*measureBench, error)
	// OwnsProcess says that nothing else runs in the process: the program may then
	// set how garbage is collected, and the daemon gives up rights. A test keeps both.
	OwnsProcess bool
	// log is the daemon's, nil elsewhere.
	log *slog.Logger
	// tables are the vendors' attribute names and commands, read when they are first
	// needed; many programs of one process may share them.
	tables func() (settings.Tables, error)
}

// New is the program of the process.
func New(version, revision string) *Program {
	return &Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Now: time.Now, Rules: rules.FS, Version: version, Revision: revision, OwnsProcess: true}
}

// exitError is an error that ends the program with a status of its own. An empty
// message prints nothing: the report has said it.
type exitError struct {
	status int
	err    error
	// hint is what to type next.
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is wrong usage or configuration.
func usageError(format string, args ...any) error {
	return &exitError{status: report.ExitUsage, err: fmt.Errorf(format, args...)}
}

// notAudited is an audit that could not be done.
func notAudited(err error, hint string) error {
	return &exitError{status: report.ExitNotAudited, err: err, hint: hint}
}

// showHelp is what a command with subcommands does without one.
func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// checkFlagWord checks a flag's word and says what would have been accepted.
func checkFlagWord(flag, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usageError("--%s: %q, expected one of %s", flag, word, strings.Join(known, ", "))
}

// measureBench is what measures: the running machine, or a simulated one in tests.
type measureBench struct {
	site  *measure.Machine
	bench measure.Bench
	close func()
}

// statusOf is the exit status that an error asks for.
func statusOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return report.ExitOK
	case errors.As(err, &e):
		return e.status
	default:
		return report.ExitUsage
	}
}

// printableWriter is standard error: names of files and folders, rule ids and keys come
// from whoever made the input, and a terminal must not obey them. Lines stay
// lines.
type printableWriter struct{ io.Writer }

// Write prints what is printable.
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

// stderr is the one way to standard error.
func (p *Program) stderr() io.Writer { return printableWriter{p.Stderr} }

// completeProfiles offers intents and profile ids to the shell.
func (p *Program) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := slices.Clone(rulepack.Intents[:])
	packs, err := p.packs(nil)
	if err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	for _, profile := range audit.NewEngine(packs).Profiles() {
		words = append(words, profile.ID+"\t"+profile.Title)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// oneProfile offers the same for the only argument of a command.
func (p *Program) oneProfile(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeProfiles(cmd, args, word)
}

// completeRules offers the rules' ids for the only argument of a command.
func (p *Program) completeRules(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	packs, err := p.packs(nil)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, rules := range rulepack.RulesByID(packs) {
		ids = append(ids, rules[0].ID+"\t"+rules[0].Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
