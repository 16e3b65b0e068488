package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit/site"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) rulesDraftCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "draft",
		Short: "print a commented skeleton of what is not known of the machine: platform, label patterns, slot map",
		Long: `draft reads one machine and prints, as commented skeletons of data files, what
memaudit would have to know of it: a platform that is not recognised, labels that
no pattern reads, numbers that no slot map explains. Filled in from the vendor's
documents and put below a folder, "rules validate DIR" checks them and
"check --rules DIR" uses them.`,
		Args: nothing,
		RunE: func(*cobra.Command, []string) error { return p.draft(f) },
	}
	f.input.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs and data files; repeatable")
	return cmd
}

func (p *Program) draft(f *checkFlags) error {
	if _, err := p.auditor(f); err != nil {
		return err
	}
	sys, failed := p.system(&f.input)
	switch {
	case failed != nil:
		return failed
	case nothingRead(sys):
		return notAudited(errors.New("nothing to draft from: no source of this input could be read"), "")
	}
	var out strings.Builder
	for line := range strings.Lines(site.Draft(sys, population.Derive(sys, p.Rules))) {
		out.WriteString(printable.Clean(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return p.say(out.String())
}
