package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/audit/rulepack"
)

// completeProfiles offers intents and profile ids to the shell.
func (p *Program) completeProfiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := slices.Clone(rulepack.Intents[:])
	packs, err := p.packs(nil)
	if err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	for _, profile := range audit.NewEngine(packs).Profiles() {
		words = append(words, profile.ID+"\t"+profile.Title)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// oneProfile offers the same for the only argument of a command.
func (p *Program) oneProfile(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return p.completeProfiles(cmd, args, word)
}

// completeRules offers the rules' ids for the only argument of a command.
func (p *Program) completeRules(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	packs, err := p.packs(nil)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, rules := range rulepack.RulesByID(packs) {
		ids = append(ids, rules[0].ID+"\t"+rules[0].Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
