package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand prints the manual page of memaudit, or writes those of every
// command into a folder.
func (p *Program) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{Use: "man [DIR]", Short: "print the manual page, or write one for every command into a folder",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			now := p.Now()
			head := &doc.GenManHeader{Title: "MEMAUDIT", Section: "8", Source: "memaudit " + p.Version, Date: &now}
			if len(args) == 0 {
				return doc.GenMan(root, head, p.Stdout)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return doc.GenManTree(root, head, args[0])
		}}
}
