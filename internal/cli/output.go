package cli

import (
	"bufio"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"memaudit.example/memaudit/internal/report/text"
)

type outputFlags struct {
	format, output string
	verbose        bool
}

func (f *outputFlags) registerFlags(cmd *cobra.Command, known []string) {
	registerWord(cmd, &f.format, "format", known[0], known, "output `FORMAT`: %s")
	f.registerFile(cmd)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show evidence and passed checks")
}

func (f *outputFlags) registerFile(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.output, "output", "", "write to `FILE` (atomically)")
}

type terminal struct {
	io.Writer
	options text.Options
}

// writeOutput prints to standard output, or to a temporary file that finally replaces the named one.
//
// A file with identifiers is readable by its owner only.
func (f *outputFlags) writeOutput(p *Program, identifiers bool, body func(*terminal) error) error {
	if f.output == "" {
		t := p.terminal(f.verbose)
		buf := bufio.NewWriter(p.Stdout)
		t.Writer = buf
		err := body(t)
		if lost := buf.Flush(); lost != nil || err == nil {
			return outputError(lost) // also if the body returned it first
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

func (p *Program) printText(text string) error {
	_, err := io.WriteString(p.Stdout, text)
	return outputError(err)
}

// outputError converts a failure of standard output to an exit status of its own; a closed pipe is not a failure.
func outputError(err error) error {
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
	if size := windowSize(p.Stdout); size != nil {
		o.Color = p.Getenv("NO_COLOR") == "" && p.Getenv("TERM") != "dumb"
		if o.Width == 0 && size.Col >= 20 {
			o.Width = int(size.Col)
		}
	}
	return &terminal{options: o}
}

// windowSize returns the size of a terminal, nil for any other writer.
func windowSize(w io.Writer) *unix.Winsize {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return nil
	}
	return size
}

// writeAtomic writes a temporary file next to the target, syncs it and renames it; a link is replaced, not followed. A device
// or a pipe is written to directly: replacing it would remove /dev/null for the whole machine. The umask applies to mode, and
// a replaced file never becomes readable by more users than before.
func writeAtomic(name string, mode fs.FileMode, body func(io.Writer) error) error {
	if fd, ok := standardDescriptor(name); ok {
		// At its present offset: opening it by name would start at its beginning.
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return fmt.Errorf("descriptor %d: %w", fd, err)
		}
		file := os.NewFile(uintptr(own), fmt.Sprintf("descriptor %d", fd))
		buf := bufio.NewWriter(file)
		return errors.Join(body(buf), buf.Flush(), file.Close())
	}
	old, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && old.Mode().Type() == fs.ModeSymlink: // another user may have made the link
		old = nil
	case err != nil:
		return err
	case old.IsDir():
		return fmt.Errorf("%s: is a folder, expected a file", name)
	case !old.Mode().IsRegular():
		return writeInto(name, old, body)
	}
	return replaceFile(name, old, mode, body)
}

// replaceFile writes the complete file under another name first. The new file gets no permission that the old one did not
// have, and if the old one is ours its group, which may have been chosen for reading it.
func replaceFile(name string, old fs.FileInfo, mode fs.FileMode, body func(io.Writer) error) (err error) {
	other := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+rand.Text()[:10])
	tmp, err := os.OpenFile(other, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, mode.Perm())
	if err != nil {
		return &fs.PathError{Op: "create", Path: name, Err: withoutName(err)}
	}
	defer func() {
		if err != nil {
			_ = tmp.Close()
			_ = os.Remove(other)
		}
	}()
	if old != nil {
		st, err := tmp.Stat()
		if err != nil {
			return err
		}
		keep := st.Mode().Perm() & old.Mode().Perm()
		if owner, group := ownerOf(old); owner == os.Geteuid() && tmp.Chown(-1, group) == nil {
			keep = mode & old.Mode().Perm() // as it was, whatever the present umask
		}
		if err := tmp.Chmod(keep); err != nil {
			return err
		}
	}
	buf := bufio.NewWriter(tmp)
	for _, step := range []func() error{func() error { return body(buf) }, buf.Flush, tmp.Sync, tmp.Close, func() error { return os.Rename(other, name) }} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeInto writes to an existing target that is not a regular file. It opens it without blocking, because a named pipe
// without a reader would block forever. Another user's in a folder writable by all is refused: that user could read the
// report, or block the program.
func writeInto(name string, old fs.FileInfo, body func(io.Writer) error) error {
	folder, err := os.Stat(filepath.Dir(name))
	if err != nil {
		return err
	}
	if owner, _ := ownerOf(old); folder.Mode().Perm()&0o002 != 0 && owner != os.Geteuid() {
		return fmt.Errorf("%s: is a device, socket or named pipe that another user made in a folder where all may write, expected a file", name)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_NOCTTY, 0)
	switch {
	case errors.Is(err, unix.ENXIO):
		return fmt.Errorf("%s: no process reads this pipe or socket", name)
	case err != nil:
		return err
	}
	if st, err := file.Stat(); err != nil || !os.SameFile(st, old) {
		return errors.Join(fmt.Errorf("%s: was replaced while it was opened", name), file.Close())
	}
	buf := bufio.NewWriter(file)
	return errors.Join(body(buf), buf.Flush(), file.Close())
}

func standardDescriptor(name string) (int, bool) {
	switch name {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if digits, ok := strings.CutPrefix(name, dir); ok {
			fd, err := strconv.ParseUint(digits, 10, 16)
			return int(fd), err == nil
		}
	}
	return 0, false
}

func ownerOf(is fs.FileInfo) (owner, group int) {
	if st, ok := is.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return -1, -1
}

// quietFor is how long an audit may take before progress is shown.
const quietFor = 500 * time.Millisecond

// showProgress shows on a terminal's standard error what takes long (a BMC, a large capture, a fleet), and every second how
// far it is. The returned function removes the line; nothing is written if it is called in time.
func (p *Program) showProgress(what func() string) (done func()) {
	if windowSize(p.Stderr) == nil {
		return func() {}
	}
	return progressLine(p.Stderr, what, quietFor, time.Second)
}

func readingMessage() string { return "auditing the machine" }

func progressLine(w io.Writer, what func() string, after, interval time.Duration) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		shown := ""
		for wait := after; ; wait = interval {
			select {
			case <-stop:
				_, _ = io.WriteString(w, shown)
				return
			case <-time.After(wait):
				_, _ = io.WriteString(w, shown+"memaudit: "+what()+" ...")
				shown = "\r\x1b[K"
			}
		}
	}()
	return sync.OnceFunc(func() { close(stop); <-stopped })
}

// manCommand prints the manual page of memaudit or of one command, or writes the pages of all commands to a
// folder. A word that names a command is that command.
func (p *Program) manCommand() *cobra.Command {
	return &cobra.Command{Use: "man [COMMAND | DIR]", Short: "print the manual page of memaudit or of a command, or write one for every command into a folder",
		Args: argumentCheck(0, 1, "one command or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return outputError(p.manPage(p.Stdout, root))
			}
			if found, _, err := root.Find(args); err == nil && found != root {
				return outputError(p.manPage(p.Stdout, found))
			}
			if _, err := os.Stat(args[0]); err != nil && filepath.Base(args[0]) == args[0] {
				return usageError("%w; a new folder is ./%s", rejectArgument(root, args), args[0])
			}
			err := os.MkdirAll(args[0], 0o755)
			if err == nil {
				err = p.manTree(root, args[0])
			}
			if err != nil {
				return notAudited(fmt.Errorf("man: %w", err), "")
			}
			return nil
		}}
}

// manualPage is a page in roff. Flags are by the heading of their section.
const manualPage = `.nh
.TH "{{upper .Name}}" "8" "{{.Date.Format "Jan 2006"}}" "{{roff .Source}}" ""
.SH NAME
{{roff .Name}} \- {{roff .Command.Short}}
.SH SYNOPSIS
\fB{{roff .Command.UseLine}}\fP
.SH DESCRIPTION
{{roff .Description}}
{{- range $title, $flags := .Flags}}
.SH {{$title}}{{range $flags}}
.TP
{{with .Shorthand}}\fB\-{{.}}\fP, {{end}}\fB\-\-{{roff .Name}}\fP{{if not (eq .DefValue "" "false" "[]")}}={{roff .DefValue}}{{end}}
{{roff .Usage}}{{end}}{{end}}
.SH SEE ALSO
{{range $i, $name := .Others}}{{if $i}}, {{end}}\fB{{roff $name}}(8)\fP{{end}}
`

// manPage writes one page. Its date is SOURCE_DATE_EPOCH, or today. cobra's own generator goes by Markdown, whose
// renderer prepares itself at every start of the program.
func (p *Program) manPage(w io.Writer, cmd *cobra.Command) error {
	nameOf := func(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }
	date, shown, others := p.Now(), map[string][]*pflag.Flag{}, []string{}
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		date = time.Unix(seconds, 0).UTC()
	}
	cmd.InitDefaultHelpFlag()
	for title, flags := range map[string]*pflag.FlagSet{"OPTIONS": cmd.NonInheritedFlags(), "OPTIONS INHERITED FROM PARENT COMMANDS": cmd.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				shown[title] = append(shown[title], f)
			}
		})
	}
	if cmd.HasParent() {
		others = append(others, nameOf(cmd.Parent()))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			others = append(others, nameOf(c))
		}
	}
	page, err := template.New("").Funcs(template.FuncMap{"roff": escapeRoff, "upper": strings.ToUpper}).Parse(manualPage)
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{"Command": cmd, "Name": nameOf(cmd), "Source": "memaudit " + p.Version, "Description": cmp.Or(cmd.Long, cmd.Short),
		"Date": date, "Flags": shown, "Others": others})
}

// escapeRoff escapes a text, in which an empty line ends a paragraph and `X` names a value.
func escapeRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n\n", "\n.PP\n", "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	for strings.Count(text, "`") > 1 {
		text = strings.Replace(strings.Replace(text, "`", `\fI`, 1), "`", `\fP`, 1)
	}
	return text
}

// manTree writes the pages of a command and its subcommands to a folder. The generator's own function for it
// would follow links of other users.
func (p *Program) manTree(cmd *cobra.Command, dir string) error {
	name := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".8")
	if err := writeAtomic(name, 0o644, func(w io.Writer) error { return p.manPage(w, cmd) }); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		if err := p.manTree(sub, dir); err != nil {
			return err
		}
	}
	return nil
}
