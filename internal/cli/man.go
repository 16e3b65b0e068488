package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand prints the manual page of memaudit or of one command, or writes the pages of all commands to a
// folder. A word that names a command is that command.
func (p *Program) manCommand() *cobra.Command {
	return &cobra.Command{Use: "man [COMMAND | DIR]", Short: "print the manual page of memaudit or of a command, or write one for every command into a folder",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // no date of generation, for reproducible packages
			if len(args) == 0 {
				return unwritten(p.manPage(p.Stdout, root))
			}
			if found, _, err := root.Find(args); err == nil && found != root {
				return unwritten(p.manPage(p.Stdout, found))
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

// manPage writes one page. Its date is SOURCE_DATE_EPOCH, or today.
func (p *Program) manPage(w io.Writer, cmd *cobra.Command) error {
	return doc.GenMan(cmd, &doc.GenManHeader{Section: "8", Source: "memaudit " + p.Version}, w)
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
