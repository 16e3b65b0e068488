package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand prints the manual page of memaudit or of one command, or writes those of
// every command into a folder. A word that names a command is that command: who asks
// for its page gets no folder of that name. The pages are made here: cobra's own generator links
// a Markdown compiler that would cost every start half a millisecond.
func (p *Program) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "man [COMMAND | DIR]", Short: "print the manual page of memaudit or of a command, or write one for every command into a folder",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return unwritten(p.manPage(p.Stdout, root))
			}
			if asked, _, err := root.Find(args); err == nil && asked != root {
				return unwritten(p.manPage(p.Stdout, asked))
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return notAudited(fmt.Errorf("man: %w", err), "")
			}
			return p.manTree(root, args[0])
		}}
}

func (p *Program) manTree(cmd *cobra.Command, dir string) error {
	var page bytes.Buffer
	if err := p.manPage(&page, cmd); err != nil {
		return err
	}
	name := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".8")
	if err := writeAtomic(name, 0o644, func(w io.Writer) error { _, err := page.WriteTo(w); return err }); err != nil {
		return notAudited(fmt.Errorf("man: %w", err), "")
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

// manPage writes one page in man(7) macros.
func (p *Program) manPage(w io.Writer, cmd *cobra.Command) error {
	cmd.InitDefaultHelpFlag()
	title := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 8 %q %q\n", escapeRoff(strings.ToUpper(title)), p.buildDay(), "memaudit "+p.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(title), escapeRoff(cmd.Short))
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use = cmd.CommandPath() + " COMMAND [flags]"
	}
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escapeRoff(use))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", escapeRoff(long))
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", escapeRoff(sub.Name()), escapeRoff(sub.Short))
			}
		}
	}
	b.WriteString(".SH OPTIONS\n")
	cmd.Flags().VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
	if pages := seeAlso(cmd); len(pages) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", escapeRoff(strings.Join(pages, ", ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// seeAlso names the pages of the command above and of those below.
func seeAlso(cmd *cobra.Command) []string {
	var pages []string
	page := func(c *cobra.Command) {
		pages = append(pages, strings.ReplaceAll(c.CommandPath(), " ", "-")+"(8)")
	}
	if cmd.HasParent() {
		page(cmd.Parent())
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			page(sub)
		}
	}
	return pages
}

// buildDay is the day that pages carry: that of SOURCE_DATE_EPOCH, so that
// packages of one commit are equal byte for byte, else today. See
// reproducible-builds.org/specs/source-date-epoch.
func (p *Program) buildDay() string {
	day := p.Now()
	if seconds, err := strconv.ParseInt(p.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		day = time.Unix(seconds, 0)
	}
	return day.UTC().Format(time.DateOnly)
}

func manFlag(b *strings.Builder, f *pflag.Flag) {
	name, text := pflag.UnquoteUsage(f)
	short := ""
	if f.Shorthand != "" {
		short = "-" + f.Shorthand + ", "
	}
	// A default as --help prints it, unless it is none or the text says it.
	if d := f.DefValue; !slices.Contains([]string{"", "false", "0", "0s", "[]"}, d) && !strings.Contains(text, "(default") {
		text += " (default " + d + ")"
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", escapeRoff(strings.TrimSpace(short+"--"+f.Name+" "+name)), escapeRoff(text))
}

// escapeRoff escapes what man(7) would take for a request.
func escapeRoff(s string) string {
	s = strings.ReplaceAll(s, `\`, `\e`)
	s = strings.ReplaceAll(s, "-", `\-`)
	s = strings.ReplaceAll(s, "\n.", "\n\\&.")
	return strings.TrimSpace(strings.ReplaceAll(s, "\n\n", "\n.PP\n"))
}
