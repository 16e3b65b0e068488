package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reference"
)

func (p *Program) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "rules", Short: "list, show, validate and draft rules", Args: command, RunE: showHelp}
	cmd.AddCommand(p.rulesListCommand(), p.rulesShowCommand(), p.rulesValidateCommand(), p.rulesDraftCommand())
	return cmd
}

func (p *Program) rulesListCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "list", Short: "list the loaded rules", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			infos := rulepack.Describe(packs)
			if f.format == "json" {
				return writeJSON(p.Stdout, infos)
			}
			return p.say(listRules(infos))
		}}
	f.register(cmd)
	return cmd
}

func listRules(infos []rulepack.RuleInfo) string {
	var out strings.Builder
	width := 0
	for _, r := range infos {
		width = max(width, len(r.ID))
	}
	for _, r := range infos {
		scope := ""
		if r.Scope != "" {
			scope = "  [" + r.Scope + "]"
		}
		fmt.Fprintf(&out, "%-*s  %-8s  %s%s\n", width, r.ID, r.Severity, r.Title, scope)
	}
	return out.String()
}

func (p *Program) rulesShowCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "show ID", Short: "show one rule: problem, why it matters, fix, source, expressions", Args: arguments(1, 1, "one rule id (memaudit rules list)"),
		ValidArgsFunction: p.completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(rulepack.Describe(packs), func(r rulepack.RuleInfo) bool { return r.ID != args[0] })
			if len(found) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("rules show: no rule has the id %q; the nearest are %s", args[0], strings.Join(humanize.Nearest(ruleIDs(packs), args[0], 3), ", ")), hint: "memaudit rules list"}
			}
			return showAll(p, f.format, found, reference.Rule)
		}}
	f.register(cmd)
	return cmd
}

func (p *Program) rulesValidateCommand() *cobra.Command {
	return &cobra.Command{Use: "validate PATH...", Short: "check rules with their cases, profiles, platforms, slot maps, locator patterns, settings, processors; complaints carry file:line:column",
		Args: arguments(1, math.MaxInt, "files or folders of rules"),
		RunE: func(_ *cobra.Command, args []string) error { return p.validate(args) }}
}

func ruleIDs(packs []*rulepack.Pack) []string {
	var out []string
	for _, p := range packs {
		for _, r := range p.Rules {
			out = append(out, r.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
