package cli

import (
	"cmp"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/model/compiled"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/topology/population"
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

type checkFlags struct {
	input   inputFlags
	output  outputFlags
	config  string
	rules   []string
	profile string
	failOn  string
	strict  bool
	// baseline is the file with the accepted hardware.
	baseline string
	// allProfiles adds a comparison with every profile documented for the machine.
	allProfiles bool
}

func (f *checkFlags) registerRules(p *Program, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs; repeatable")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the accepted hardware in `FILE` (memaudit baseline save writes it)")
	f.registerProfile(p, cmd)
}

func (f *checkFlags) registerProfile(p *Program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "profile", "", "an intent (balanced, max-performance, ...) or a profile `NAME` (default balanced, then at most info)")
	_ = cmd.RegisterFlagCompletionFunc("profile", p.completeProfiles)
}

func registerFailOn(cmd *cobra.Command, word *string) {
	cmd.Flags().StringVar(word, "fail-on", string(verdict.Warning), "lowest `SEVERITY` that gives exit status 1: "+strings.Join(report.FailOn(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(report.FailOn(), cobra.ShellCompDirectiveNoFileComp))
}

// auditor loads the configuration, adds a site's data to the built-in data, loads the rules and sets the options
// of an audit. Any error in rules is fatal, because a rule that does not load would silently not be checked.
func (p *Program) auditor(f *checkFlags) (*assess.Auditor, error) {
	conf := &config{}
	if f.input.example == "" {
		var err error
		if conf, err = p.loadConfig(f.config); err != nil {
			return nil, err
		}
	}
	f.input.conf = conf
	if err := p.join(f.ownRules()); err != nil {
		return nil, err
	}
	o := &audit.Options{Profile: conf.Profile, Waivers: conf.Waivers, Accepted: conf.Accepted, Population: signature, Now: p.Now(), Changes: assess.Changes(func() []*collect.Export { return f.input.exports })}
	if f.profile != "" {
		o.Profile = f.profile
	}
	o.Asked = o.Profile != ""
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return nil, usageError("built-in rules: %w", err)
	}
	if packs, err = withSite(packs, f.ownRules()); err != nil {
		return nil, err
	}
	engine := audit.NewEngine(packs).WithTables(p.tables)
	if err := engine.CheckWaivers(conf.Waivers); err != nil {
		return nil, usageError("configuration %s: %w", cmp.Or(f.config, defaultConfig), err)
	}
	if o.Asked {
		if err := engine.CheckProfile(o.Profile); err != nil {
			return nil, p.misnamed(f, engine, err)
		}
	}
	return &assess.Auditor{Rules: compiled.Keep(p.Rules), Engine: engine, Options: o}, nil
}

func signature(sys *inventory.System, topo *population.Result) string {
	inv := report.BuildInventory(sys, topo, report.Options{})
	return metrics.Signature(&inv)
}

func (f *checkFlags) ownRules() []string { return slices.Concat(f.input.conf.Rules, f.rules) }

func (p *Program) reportOptions(f *inputFlags) report.Options {
	return report.Options{Version: p.Version, Revision: p.Revision, Now: p.Now(), Identifiers: f.identifiers, Rules: p.Rules}
}

func (f *checkFlags) criteria(failed error) report.Criteria {
	return report.Criteria{FailOn: f.failOn, Strict: f.strict, Failed: failed}
}

func (p *Program) misnamed(f *checkFlags, engine *audit.Engine, err error) error {
	var unknown *audit.UnknownProfileError
	if errors.As(err, &unknown) {
		if sys, _ := p.system(&f.input); sys != nil {
			unknown.Fitting = engine.FittingIDs(sys, population.Derive(sys, p.Rules))
		}
	}
	return &exitError{status: report.ExitUsage, err: err, hint: "memaudit profiles list"}
}
