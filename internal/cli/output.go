package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/memaudit/memaudit/internal/report"
)

// outputFlags say what is printed and where to.
type outputFlags struct {
	format, output string
	verbose        bool
}

func (f *outputFlags) register(cmd *cobra.Command, formats []string) {
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", formats[0], "output `FORMAT`: "+strings.Join(formats, ", "))
	fl.StringVar(&f.output, "output", "", "write to `FILE`, whole or not at all")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "every reading behind each finding, and what passed")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

func (f *outputFlags) check(formats []string) error { return oneOf("format", f.format, formats) }

// terminal is a stream with what is known of its width and colours.
type terminal struct {
	io.Writer
	options report.TextOptions
}

// write prints to standard output, or to a temporary file that replaces the
// named one when all is written.
func (f *outputFlags) write(p *Program, body func(*terminal) error) error {
	if f.output == "" {
		t := p.terminal(f.verbose)
		buf := bufio.NewWriter(p.Stdout)
		t.Writer = buf
		err := body(t)
		if lost := buf.Flush(); lost != nil || err == nil {
			return unwritten(lost) // also when the body met it first
		}
		return notAudited(err, "")
	}
	if err := writeAtomic(f.output, 0o644, func(w io.Writer) error {
		return body(&terminal{w, report.TextOptions{Verbose: f.verbose}})
	}); err != nil {
		return notAudited(fmt.Errorf("--output: %w", err), "")
	}
	return nil
}

// say writes a whole text to standard output.
func (p *Program) say(text string) error {
	_, err := io.WriteString(p.Stdout, text)
	return unwritten(err)
}

// unwritten turns a failure of standard output into a status of its own; a
// reader that wants no more is none.
func unwritten(err error) error {
	if err == nil || errors.Is(err, unix.EPIPE) {
		return nil
	}
	return notAudited(fmt.Errorf("standard output: %w", err), "")
}

// writeAtomic writes a file beside the target and renames it. A target that is
// a device, a pipe or a socket is written to: renaming a file over it would
// take /dev/null from the whole machine. A link is followed to its file.
func writeAtomic(name string, mode os.FileMode, body func(io.Writer) error) (err error) {
	switch st, err := os.Stat(name); {
	case err == nil && st.IsDir():
		return fmt.Errorf("%s: is a folder, expected a file", name)
	case err == nil && !st.Mode().IsRegular():
		return writeInto(name, body)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(tmp.Name())
		}
	}()
	buf := bufio.NewWriter(tmp)
	if err = body(buf); err != nil {
		return err
	}
	if err = buf.Flush(); err != nil {
		return err
	}
	if err = tmp.Chmod(mode); err != nil {
		return err
	}
	if err = tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// writeInto writes to what is there already and is no file.
func writeInto(name string, body func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}

// terminal asks the standard output for its width; colours only there and
// without NO_COLOR.
func (p *Program) terminal(verbose bool) *terminal {
	o := report.TextOptions{Verbose: verbose}
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
