// Package cli is memaudit's command line: commands, flags, and the wiring from inputs to reports. It contains
// no knowledge about memory.
package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/measure"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
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

func checkFlagWord(flag, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return usageError("--%s: %q, expected one of %s", flag, word, strings.Join(known, ", "))
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

func (p *Program) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := slices.Clone(rulepack.Intents[:])
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	for _, profile := range audit.NewEngine(packs).Profiles() {
		words = append(words, profile.ID+"\t"+profile.Title)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func (p *Program) oneProfile(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeProfiles(cmd, args, word)
}

func (p *Program) completeRules(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, rules := range rulepack.RulesByID(packs) {
		ids = append(ids, rules[0].ID+"\t"+rules[0].Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
