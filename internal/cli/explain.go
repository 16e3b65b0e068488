package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
)

func (p *Program) explainCommand() *cobra.Command {
	f := &checkFlags{failOn: report.FailNever}
	verbose := false
	cmd := &cobra.Command{
		Use:   "explain WORD",
		Short: "explain a rule, setting, platform or term",
		Long: `explain prints what a rule, setting or platform is about, why it matters, what was
measured, how to fix or change it, and the documents; for a term of the glossary
("numa", "class", "channel") its meaning. If a flag names a machine, explain prints
what that machine shows; it never reads the live one unless --root / is given. The
expressions of a rule are printed by memaudit rules show.`,
		Args: argumentCheck(1, 1, "a rule, setting, platform or term (memaudit rules list)"),
		ValidArgsFunction: oneWord(func() []string {
			e, err := p.explainer(&checkFlags{})
			if err != nil {
				return nil
			}
			return e.KnownWords()
		}),
		RunE: func(_ *cobra.Command, args []string) error { return p.runExplain(f, args[0], verbose) },
	}
	f.input.registerFlags(cmd)
	f.registerRules(p, cmd)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also the rules of this id for other machines, each with an example")
	return cmd
}

func (p *Program) runExplain(f *checkFlags, word string, verbose bool) error {
	e, err := p.explainer(f)
	if err != nil {
		return err
	}
	if !e.Knows(word) {
		return &exitError{status: report.ExitUsage, err: fmt.Errorf("explain: %q is not a rule, setting, platform or word of the glossary; the nearest are %s",
			word, strings.Join(e.Nearest(word, 3), ", ")), hint: "memaudit rules list, or memaudit inventory --settings"}
	}
	var doc *report.Report
	var failed error
	if f.input.namesMachine() {
		if doc, failed = p.auditedMachine(f); doc == nil {
			return failed
		}
	}
	page := text.NewPage(p.terminal(false).options)
	if err := e.Explain(page, word, doc, verbose); err != nil {
		return usageError("explain: %w", err)
	}
	if err := p.printPage(page); err != nil {
		return err
	}
	return failed
}

func (p *Program) explainer(f *checkFlags) (*reference.Explainer, error) {
	packs, _, err := p.packs(f)
	if err != nil {
		return nil, err
	}
	return reference.NewExplainer(p.Rules, packs)
}

// auditedMachine audits the machine that the flags select; nil with the error if it could not be read.
func (p *Program) auditedMachine(f *checkFlags) (*report.Report, error) {
	auditor, err := p.loadAuditor(f)
	if err != nil {
		return nil, err
	}
	auditor.Options.Prerequisites = true
	done := p.showProgress(readingMessage)
	defer done()
	sys, failed := p.readSystem(&f.input)
	failed = joinInputErrors(failed, p.joinBaseline(f, sys))
	if sys == nil || nothingRead(sys) && failed != nil {
		return nil, failed
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return nil, usageError("%w", err)
	}
	doc := auditor.Advised(j, p.reportOptions(&f.input, report.Criteria{}))
	return &doc, failed
}
