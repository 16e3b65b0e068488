package cli

import (
	"errors"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
)

func (p *Program) checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:        "check [FILE]",
		SuggestFor: []string{"audit", "scan", "run", "test", "verify", "report"},
		Short:      "audit one machine once, print the report, set the exit status",
		Long: `check audits one machine once and prints the report: the running one, or that of
FILE, which is a folder with sys and proc (--root), a capture (--snapshot), or
SMBIOS as a dump, a table or dmidecode's text (--smbios). - is standard input.

The verdict is OK, WARNING, CRITICAL, UNKNOWN (what was asked for could not be
checked) or NOT APPLICABLE (a virtual machine), the same in every format.

Exit status: 0 no failure at or above --fail-on; 1 at least one; 2 wrong usage or
configuration; 3 the verdict is unknown, or an input could not be read.
With --format nagios the plugin's own: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.input.take(args); err != nil {
				return err
			}
			return p.check(f)
		},
	}
	f.input.register(cmd)
	f.input.registerHostName(cmd)
	f.output.register(cmd, formats.Reports())
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	registerFailOn(cmd, &f.failOn)
	fl.BoolVar(&f.allProfiles, "all-profiles", false, "also compare with every documented profile")
	fl.BoolVar(&f.strict, "strict", false, "exit 3 if any check could not run")
	return cmd
}

func (p *Program) check(f *checkFlags) error {
	if err := f.words(); err != nil {
		return err
	}
	began := p.Now()
	p.collectLess()
	auditor, err := p.auditor(f)
	if err != nil {
		return err
	}
	auditor.Options.NoReadings = f.output.format == formats.Text && !f.output.verbose
	done := p.progress(reading)
	defer done()
	sys, failed := p.system(&f.input)
	failed = joinInputErrors(failed, p.joinBaseline(f, sys))
	if !showFailed(failed, sys, f.output.format) {
		return failed
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return usageError("%w", err)
	}
	if f.profile != "" {
		if err := auditor.Engine.CheckFits(f.profile, sys, j.Population); err != nil {
			return usageError("--profile: %w", err)
		}
	}
	if failed == nil && nothingRead(sys) {
		failed = notAudited(errors.New("nothing to audit: no source of this input could be read"), "")
	}
	doc := auditor.Advised(j, p.reportOptions(&f.input).By(f.criteria(failed)))
	doc.Took = p.Now().Sub(began)
	if f.allProfiles {
		doc.AddComparison(auditor.Engine.Compare(sys, j.Population))
	}
	done()
	return p.finish(f, &doc, failed)
}

// collectLess lets the heap grow to five times of what is in use: a few MB for a check, ten times that for a fleet.
func (p *Program) collectLess() {
	if p.OwnsProcess && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// finish prints a report and returns the exit status of its verdict; failed is the error of an input.
func (p *Program) finish(f *checkFlags, doc *report.Report, failed error) error {
	if err := f.output.write(p, f.input.identifiers, func(w *terminal) error {
		w.options.ExitStatus = true
		return formats.Write(w, f.output.format, doc, w.options)
	}); err != nil {
		return err
	}
	status := doc.Verdict.ExitStatus
	switch {
	case f.output.format == formats.Nagios:
		status = doc.Verdict.PluginStatus()
	case failed != nil:
		return failed
	}
	if status == report.ExitOK {
		return nil
	}
	return &exitError{status: status}
}
