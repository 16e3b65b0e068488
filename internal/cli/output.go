package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/report/text"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

type outputFlags struct {
	format, output string
	verbose        bool
}

func (f *outputFlags) register(cmd *cobra.Command, known []string) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", known[0], "output `FORMAT`: "+strings.Join(known, ", "))
	fl.StringVar(&f.output, "output", "", "write to `FILE` (atomically)")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show evidence and passed checks")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}

func (f *outputFlags) check(known []string) error { return checkFlagWord("format", f.format, known) }

type terminal struct {
	io.Writer
	options text.Options
}

// write prints to standard output, or to a temporary file that finally replaces the named one.
//
// A file with identifiers is readable by its owner only.
func (f *outputFlags) write(p *Program, identifiers bool, body func(*terminal) error) error {
	if f.output == "" {
		t := p.terminal(f.verbose)
		buf := bufio.NewWriter(p.Stdout)
		t.Writer = buf
		err := body(t)
		if lost := buf.Flush(); lost != nil || err == nil {
			return unwritten(lost) // also if the body returned it first
		}
		return notAudited(err, "")
	}
	mode := os.FileMode(0o644)
	if identifiers {
		mode = 0o600
	}
	if err := writeAtomic(f.output, mode, func(w io.Writer) error {
		return body(&terminal{w, text.Options{Verbose: f.verbose}})
	}); err != nil {
		return notAudited(fmt.Errorf("--output: %w", err), "")
	}
	return nil
}

func (p *Program) say(text string) error {
	_, err := io.WriteString(p.Stdout, text)
	return unwritten(err)
}

// unwritten converts a failure of standard output to an exit status of its own; a closed pipe is not a failure.
func unwritten(err error) error {
	if err == nil || errors.Is(err, unix.EPIPE) {
		return nil
	}
	return notAudited(fmt.Errorf("standard output: %w", err), "")
}

// terminal returns standard output with its width; colours only on a terminal and without NO_COLOR.
func (p *Program) terminal(verbose bool) *terminal {
	o := text.Options{Verbose: verbose}
	if n, err := strconv.Atoi(p.Getenv("COLUMNS")); err == nil && n >= 20 {
		o.Width = n
	}
	if file, ok := p.Stdout.(*os.File); ok {
		if ws, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ); err == nil {
			o.Color = p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
			if o.Width == 0 && ws.Col >= 20 {
				o.Width = int(ws.Col)
			}
		}
	}
	return &terminal{options: o}
}
