package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/report"
)

func (p *Program) profilesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "profiles", Short: "list and show the documented profiles, compare a machine with them", Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.profilesListCommand(), p.profilesShowCommand(), p.profilesCompareCommand())
	return cmd
}

func (p *Program) profilesListCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "list", Short: "list the documented profiles with their sources", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			infos := audit.DescribeProfiles(packs)
			if f.format == "json" {
				return writeJSON(p.Stdout, infos)
			}
			var out strings.Builder
			for _, i := range infos {
				fmt.Fprintf(&out, "%-32s  %-17s  %s\n", i.ID, strings.Join(i.Intents, ", "), i.Citation.Line())
			}
			return p.say(out.String())
		}}
	f.register(cmd)
	return cmd
}

func (p *Program) profilesShowCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "show ID", Short: "the whole setting table of a profile, or of every profile of an intent", Args: oneArg("a profile id of memaudit profiles list, or an intent"),
		RunE: func(_ *cobra.Command, args []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(audit.DescribeProfiles(packs), func(i audit.ProfileInfo) bool {
				return i.ID != args[0] && !slices.Contains(i.Intents, args[0])
			})
			if len(found) == 0 {
				return &exit{status: report.ExitUsage, err: fmt.Errorf("profiles show: no profile has the id or intent %q", args[0]), hint: "memaudit profiles list"}
			}
			return showAll(p, f.format, found, showProfile)
		}}
	f.register(cmd)
	return cmd
}

// showProfile prints a profile's head and its table, row by row.
func showProfile(w *strings.Builder, i audit.ProfileInfo) {
	for _, row := range [][2]string{{"profile", i.ID}, {"title", i.Title}, {"intent", strings.Join(i.Intents, ", ")},
		{"for", strings.Join(slices.Concat(i.Vendors, i.Platforms), ", ")}, {"applies", i.Applies},
		{"named", strings.Join(i.Named, ", ")}, {"scope", i.Scope}, {"source", i.Citation.Line()}} {
		if row[1] != "" {
			fmt.Fprintf(w, "%-9s %s\n", row[0], row[1])
		}
	}
	for _, id := range i.Order {
		s := i.Settings[id]
		fmt.Fprintf(w, "\n  %-24s %s (%s)\n", id, s.Value, s.Level)
		for _, row := range [][2]string{{"applies", s.Applies}, {"note", s.Note}, {"except", strings.Join(s.Exception, "; ")},
			{"effect", s.Effect}, {"set by", s.Remedy}, {"place", s.Place}} {
			if row[1] != "" {
				fmt.Fprintf(w, "    %-8s %s\n", row[0], row[1])
			}
		}
	}
}
