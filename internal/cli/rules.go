package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/reference"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/page"
	"github.com/memaudit/memaudit/internal/report/text"
	"github.com/memaudit/memaudit/internal/rulepack"
)

// listFormats are those of the rules and profiles commands.
var listFormats = [...]string{"text", "json"}

// knowledgeFlags say which rules are loaded and how they are printed.
type knowledgeFlags struct {
	rules  []string
	config string
	format string
}

func (f *knowledgeFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs, platforms, slot maps and processors; repeatable")
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringVar(&f.format, "format", listFormats[0], "output `FORMAT`: text, json")
}

// load reads the packs that the flags and the configuration name.
func (f *knowledgeFlags) load(p *Program) ([]*rulepack.Pack, error) {
	if err := oneOf("format", f.format, listFormats[:]); err != nil {
		return nil, err
	}
	conf, err := loadConfig(f.config)
	if err != nil {
		return nil, err
	}
	dirs := slices.Concat(conf.Rules, f.rules)
	if err := p.join(dirs); err != nil {
		return nil, err
	}
	packs, err := rulepack.LoadBuiltin(p.Rules)
	if err != nil {
		return nil, usage("built-in rules: %w", err)
	}
	return withSite(packs, dirs)
}

func (p *Program) rulesCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "rules", Short: "list, show, validate and draft rules", Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.rulesListCommand(), p.rulesShowCommand(), p.rulesValidateCommand(), p.rulesDraftCommand())
	return cmd
}

func (p *Program) rulesListCommand() *cobra.Command {
	var f knowledgeFlags
	cmd := &cobra.Command{Use: "list", Short: "list the loaded rules", Args: noArgs,
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

// listRules prints one rule a line.
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
	cmd := &cobra.Command{Use: "show ID", Short: "one rule in full: why, effect, remedy, source", Args: oneArg("a rule id of memaudit rules list"),
		ValidArgsFunction: p.completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			packs, err := f.load(p)
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(rulepack.Describe(packs), func(r rulepack.RuleInfo) bool { return r.ID != args[0] })
			if len(found) == 0 {
				return &exit{status: report.ExitUsage, err: fmt.Errorf("rules show: no rule has the id %q", args[0]), hint: "memaudit rules list"}
			}
			return showAll(p, f.format, found, reference.Rule)
		}}
	f.register(cmd)
	return cmd
}

// showAll prints rules or profiles, in text with an empty line between two.
func showAll[T any](p *Program, format string, found []T, describe func(*T) []page.Block) error {
	if format == "json" {
		return writeJSON(p.Stdout, found)
	}
	var blocks []page.Block
	for i := range found {
		blocks = append(blocks, describe(&found[i])...)
	}
	var out strings.Builder
	if err := text.WriteBlocks(&out, blocks, p.terminal(false).options); err != nil {
		return err
	}
	return p.say(out.String())
}

func (p *Program) rulesValidateCommand() *cobra.Command {
	return &cobra.Command{Use: "validate PATH...", Short: "check rules with their cases, profiles, platforms, slot maps, locator patterns, settings, processors; complaints carry file:line:column",
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return p.validate(args) }}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return unwritten(enc.Encode(v))
}
