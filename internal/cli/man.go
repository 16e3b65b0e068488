package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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

// manualPage is a page in roff, of a manualData.
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

// manualData is what a page prints. Flags are by the heading of their section.
type manualData struct {
	Command                   *cobra.Command
	Name, Source, Description string
	Date                      time.Time
	Flags                     map[string][]*pflag.Flag
	Others                    []string
}

// manPage writes one page. Its date is SOURCE_DATE_EPOCH, or today. cobra's own generator goes by Markdown, whose
// renderer prepares itself at every start of the program.
func (p *Program) manPage(w io.Writer, cmd *cobra.Command) error {
	nameOf := func(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }
	data := manualData{Command: cmd, Name: nameOf(cmd), Source: "memaudit " + p.Version, Description: cmp.Or(cmd.Long, cmd.Short), Date: p.Now(), Flags: map[string][]*pflag.Flag{}}
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		data.Date = time.Unix(seconds, 0).UTC()
	}
	cmd.InitDefaultHelpFlag()
	for title, flags := range map[string]*pflag.FlagSet{"OPTIONS": cmd.NonInheritedFlags(), "OPTIONS INHERITED FROM PARENT COMMANDS": cmd.InheritedFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				data.Flags[title] = append(data.Flags[title], f)
			}
		})
	}
	if cmd.HasParent() {
		data.Others = append(data.Others, nameOf(cmd.Parent()))
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			data.Others = append(data.Others, nameOf(c))
		}
	}
	page, err := template.New("").Funcs(template.FuncMap{"roff": escapeRoff, "upper": strings.ToUpper}).Parse(manualPage)
	if err != nil {
		return err
	}
	return page.Execute(w, data)
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
