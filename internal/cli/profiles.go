package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
)

func (p *Program) profilesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "profiles", Short: "list and show the documented profiles, compare a machine with them", Args: command, RunE: showHelp}
	cmd.AddCommand(p.profilesListCommand(), p.profilesShowCommand(), p.profilesCompareCommand(), p.profilesPatchCommand())
	return cmd
}

func (p *Program) profilesListCommand() *cobra.Command {
	var f knowledgeFlags
	var input inputFlags
	var document string
	cmd := &cobra.Command{Use: "list", Short: "list the documented profiles with their sources", Args: nothing,
		Long: `list prints every documented profile: its id and intents, the machines that it is for,
and the document that it is from. With a flag that names a machine it prints those
that fit that machine, each with the intents that select it there; with --document
those from documents of that vendor, title, year or address.`,
		RunE: func(*cobra.Command, []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			switch {
			case input.names() && document != "":
				return usageError("--document looks at all profiles: give it without a flag that names a machine")
			case input.names():
				return p.fitting(&input, packs, f.format)
			}
			describe := rulepack.DescribeProfiles
			if f.format != "json" {
				describe = rulepack.ListProfiles // without settings
			}
			infos := ofDocument(describe(packs), document)
			if len(infos) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("profiles list: no profile cites a document matching %q", document), hint: "memaudit profiles list"}
			}
			if f.format == "json" {
				return writeJSON(p.Stdout, infos)
			}
			lines := make([]profileLine, len(infos))
			for i := range infos {
				lines[i] = profileLine{ProfileInfo: infos[i], intents: infos[i].Intents}
			}
			list, err := p.listProfiles(lines)
			if err != nil {
				return err
			}
			return p.say(list)
		}}
	f.register(cmd)
	input.register(cmd)
	cmd.Flags().StringVar(&document, "document", "", "only profiles of documents whose vendor, title, year or address holds every word of `TEXT`")
	return cmd
}

func ofDocument(infos []rulepack.ProfileInfo, words string) []rulepack.ProfileInfo {
	return slices.DeleteFunc(infos, func(i rulepack.ProfileInfo) bool {
		line := strings.ToLower(i.Citation.Line() + " " + string(i.Citation.URL))
		return slices.ContainsFunc(strings.Fields(strings.ToLower(words)), func(w string) bool { return !strings.Contains(line, w) })
	})
}

type profileLine struct {
	rulepack.ProfileInfo
	intents []string
	note    string
}

// listProfiles prints ids and intents grouped by machines and document, which neighbours mostly share.
func (p *Program) listProfiles(lines []profileLine) (string, error) {
	heading := func(l *profileLine) [2]string {
		document := l.Citation
		document.Place = ""
		return [2]string{l.Match.String(), document.Line() + l.note}
	}
	options := p.terminal(false).options
	var out strings.Builder
	for len(lines) > 0 {
		head, width, n := heading(&lines[0]), 0, 0
		for n < len(lines) && heading(&lines[n]) == head {
			width = max(width, len(lines[n].ID))
			n++
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		page := text.NewPage(options)
		page.Field(0, "for", head[0], false)
		page.Field(0, "document", head[1], false)
		if err := page.Write(&out); err != nil {
			return "", err
		}
		for i := range lines[:n] {
			line := fmt.Sprintf("  %-*s  %s\n", width, lines[i].ID, cmp.Or(strings.Join(lines[i].intents, ", "), "-"))
			if len(line) > cmp.Or(options.Width, 80) {
				line = fmt.Sprintf("  %s\n      %s\n", lines[i].ID, strings.Join(lines[i].intents, ", "))
			}
			out.WriteString(line)
		}
		lines = lines[n:]
	}
	return out.String(), nil
}

func (p *Program) profilesShowCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "show ID", Short: "show the whole setting table of a profile, or of every profile of an intent", Args: arguments(1, 1, "one profile or intent (memaudit profiles list)"),
		ValidArgsFunction: p.oneProfile,
		RunE: func(_ *cobra.Command, args []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			found := rulepack.DescribeChosen(packs, func(i *rulepack.ProfileInfo) bool {
				return i.ID == args[0] || slices.Contains(i.Intents, args[0])
			})
			if len(found) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("profiles show: no profile has the id or intent %q; the nearest are %s", args[0], strings.Join(humanize.Nearest(profileWords(packs), args[0], 3), ", ")), hint: "memaudit profiles list"}
			}
			tables, err := p.tables()
			if err != nil {
				return usageError("built-in settings: %w", err)
			}
			reference.AddWays(found, tables)
			return showAll(p, f.format, found, reference.Profile)
		}}
	f.register(cmd)
	return cmd
}

func profileWords(packs []*rulepack.Pack) []string {
	out := slices.Clone(rulepack.Intents[:])
	for _, i := range rulepack.ListProfiles(packs) {
		out = append(out, i.ID)
	}
	return out
}
