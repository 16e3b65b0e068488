package cli

import (
	"cmp"
	"errors"
	"fmt"
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
			if err := f.input.takeArgument(args); err != nil {
				return err
			}
			return p.runCheck(f)
		},
	}
	f.input.registerFlags(cmd)
	f.input.registerHostName(cmd)
	f.output.registerFlags(cmd, formats.Reports())
	f.registerRules(p, cmd)
	f.registerFailOn(cmd)
	fl := cmd.Flags()
	fl.BoolVar(&f.allProfiles, "all-profiles", false, "also compare with every documented profile")
	fl.BoolVar(&f.strict, "strict", false, "exit 3 if any check could not run")
	return cmd
}

func (p *Program) runCheck(f *checkFlags) error {
	began := p.Now()
	p.collectLess()
	auditor, err := p.loadAuditor(f)
	if err != nil {
		return err
	}
	auditor.Options.NoReadings = f.output.format == formats.Text && !f.output.verbose
	done := p.showProgress(readingMessage)
	defer done()
	sys, failed := p.readSystem(&f.input)
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
	failed = orNothing(failed, sys, "audit", "")
	doc := auditor.Advised(j, p.reportOptions(&f.input, f.criteria(failed)))
	doc.Took = p.Now().Sub(began)
	if f.allProfiles {
		doc.AddComparison(auditor.Engine.Compare(sys, j.Population))
	}
	done()
	return p.finishReport(f, &doc, failed)
}

// collectLess lets the heap grow to five times of what is in use: a few MB for a check, ten times that for a fleet.
func (p *Program) collectLess() {
	if p.OwnsProcess && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// finishReport prints a report and returns the exit status of its verdict; failed is the error of an input.
func (p *Program) finishReport(f *checkFlags, doc *report.Report, failed error) error {
	if err := f.output.writeOutput(p, f.input.identifiers, func(w *terminal) error {
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

func registerConfig(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
}

// registerKnowledge registers the configuration and a site's own folders, which hold these things.
func (f *checkFlags) registerKnowledge(cmd *cobra.Command, hold string) {
	registerConfig(cmd, &f.config)
	cmd.Flags().StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own "+hold+"; repeatable")
}

func (f *checkFlags) registerRules(p *Program, cmd *cobra.Command) {
	f.registerKnowledge(cmd, "rule packs")
	cmd.Flags().StringVar(&f.baseline, "baseline", "", "compare with the accepted hardware in `FILE` (memaudit baseline save writes it)")
	f.registerProfile(p, cmd)
}

func (f *checkFlags) registerProfile(p *Program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.profile, "profile", "", "an intent (balanced, max-performance, ...) or a profile `NAME` (default balanced, then at most info)")
	_ = cmd.RegisterFlagCompletionFunc("profile", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return p.profileTitles(), cobra.ShellCompDirectiveNoFileComp
	})
}

func (f *checkFlags) registerFailOn(cmd *cobra.Command) {
	registerWord(cmd, &f.failOn, "fail-on", string(verdict.Warning), report.FailOnWords(), "lowest `SEVERITY` that gives exit status 1: %s")
}

// packs loads the configuration, adds a site's data to the built-in data and loads the rules. Any error in rules is
// fatal, because a rule that does not load would silently not be checked.
func (p *Program) packs(f *checkFlags) ([]*rulepack.Pack, *config, error) {
	conf := &config{}
	if f.input.example == "" {
		var err error
		if conf, err = p.loadConfig(f.config); err != nil {
			return nil, nil, err
		}
	}
	dirs := slices.Concat(conf.Rules, f.rules)
	if err := p.joinKnowledge(dirs); err != nil {
		return nil, conf, err
	}
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return nil, conf, usageError("built-in rules: %w", err)
	}
	for _, dir := range dirs {
		own, faults := loadSite(dir)
		if len(faults) > 0 {
			return nil, conf, &exitError{status: report.ExitUsage, err: faults, hint: "memaudit rules validate " + dir}
		}
		packs = append(packs, own...)
	}
	return packs, conf, nil
}

func (p *Program) loadAuditor(f *checkFlags) (*assess.Auditor, error) {
	packs, conf, err := p.packs(f)
	if conf != nil {
		f.input.conf = conf
	}
	if err != nil {
		return nil, err
	}
	o := &audit.Options{Profile: cmp.Or(f.profile, conf.Profile), Waivers: conf.Waivers, Accepted: conf.Accepted, Population: populationSignature, Now: p.Now(),
		Changes: assess.Changes(func() []*collect.Export { return f.input.exports })}
	o.Asked = o.Profile != ""
	engine := audit.NewEngine(packs).WithTables(p.tables)
	if err := engine.CheckWaivers(conf.Waivers); err != nil {
		return nil, usageError("configuration %s: %w", cmp.Or(f.config, defaultConfig), err)
	}
	if o.Asked {
		if err := engine.CheckProfile(o.Profile); err != nil {
			return nil, p.addFittingProfiles(f, engine, err)
		}
	}
	return &assess.Auditor{Rules: compiled.KeepDecoded(p.Rules), Engine: engine, Options: o}, nil
}

func populationSignature(sys *inventory.System, topo *population.Result) string {
	inv := report.BuildInventory(sys, topo, report.Options{})
	return metrics.Signature(&inv)
}

func (p *Program) reportOptions(f *inputFlags, c report.Criteria) report.Options {
	return report.Options{Version: p.Version, Revision: p.Revision, Now: p.Now(), Identifiers: f.identifiers, Rules: p.Rules, Criteria: c}
}

func (f *checkFlags) criteria(failed error) report.Criteria {
	return report.Criteria{FailOn: f.failOn, Strict: f.strict, Failed: failed}
}

func (p *Program) addFittingProfiles(f *checkFlags, engine *audit.Engine, err error) error {
	var unknown *audit.UnknownProfileError
	if errors.As(err, &unknown) {
		if sys, _ := p.readSystem(&f.input); sys != nil {
			unknown.Fitting = engine.FittingIDs(sys, population.Derive(sys, p.Rules))
		}
	}
	return &exitError{status: report.ExitUsage, err: err, hint: "memaudit profiles list"}
}

// exampleServers are the servers that demo audits, the default first.
var exampleServers = []struct{ name, about string }{
	{"dell-r610", "a PowerEdge R610 of 2010 with one DIMM in the wrong slot"},
	{"dell-r7625", "a PowerEdge R7625 (two EPYC 9354) that uses 8 of 12 memory channels"},
}

func (p *Program) demoCommand() *cobra.Command {
	f := &checkFlags{failOn: string(verdict.Warning)}
	var names []string
	long := "demo audits an example server that is part of the program and exits as check does.\nThe configuration of this machine is not used.\n"
	for _, s := range exampleServers {
		names = append(names, s.name)
		long += fmt.Sprintf("\n  %-10s  %s", s.name, s.about)
	}
	cmd := &cobra.Command{
		Use:   "demo [" + strings.Join(names, " | ") + "]",
		Short: "audit an example server that is part of the program",
		Long:  long,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !slices.Contains(names, args[0]) {
				return fmt.Errorf("no example server is called %q, expected %s", args[0], strings.Join(names, " or "))
			}
			return argumentCheck(0, 1, "one of "+strings.Join(names, ", "))(cmd, args)
		},
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			f.input.example = append(args, names[0])[0]
			return p.runCheck(f)
		},
	}
	f.output.registerFlags(cmd, formats.Reports())
	f.registerProfile(p, cmd)
	return cmd
}

func (p *Program) inventoryCommand() *cobra.Command {
	f, settings := &checkFlags{}, false
	cmd := &cobra.Command{
		Use:   "inventory [FILE]",
		Short: "print the collected inventory and its sources",
		Args:  oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			err := f.input.takeArgument(args)
			if err == nil {
				f.input.conf, err = p.loadConfig(f.config)
			}
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if !showFailed(failed, sys, f.output.format) {
				return failed
			}
			doc := report.BuildInventory(sys, population.Derive(sys, p.Rules), p.reportOptions(&f.input, report.Criteria{}))
			err = f.output.writeOutput(p, f.input.identifiers, func(t *terminal) error {
				t.options.Settings = settings
				return formats.WriteInventory(t, f.output.format, &doc, t.options)
			})
			return cmp.Or(err, orNothing(failed, sys, "read", ""))
		},
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "text: the BIOS settings alone: configured, pending, effective, who decided, and what each rests on")
	f.input.registerFlags(cmd)
	f.input.registerHostName(cmd)
	f.output.registerFlags(cmd, formats.Inventories())
	registerConfig(cmd, &f.config)
	return cmd
}

func (p *Program) labelsCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "labels",
		Short: "print Kubernetes node labels for Node Feature Discovery",
		Long: `labels audits one machine once and prints what a scheduler can use of it, in the
form of a feature file of Node Feature Discovery: the verdict (ok, warning, critical,
unknown, not_applicable), the worst failure (none, info, warning, critical, or the
verdict's word), the numbers of failures and unknowns, profile, platform and a
signature of the population.

Exit status: 0 whatever the audit finds; 2 wrong usage or configuration; 3 the
audit could not be done.`,
		Args: argumentCheck(0, 0, "flags only: a machine is --smbios FILE or --snapshot FILE"),
		RunE: func(*cobra.Command, []string) error {
			auditor, err := p.loadAuditor(f)
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if !showFailed(failed, sys, formats.JSON) {
				return failed
			}
			j, err := auditor.Assess(sys)
			if err != nil {
				return usageError("%w", err)
			}
			// Also if the audit failed: otherwise the previous labels would remain.
			failed = orNothing(failed, sys, "audit", "")
			doc := j.Report(p.reportOptions(&f.input, f.criteria(failed)))
			err = f.output.writeOutput(p, f.input.identifiers, func(w *terminal) error { return formats.WriteLabels(w, &doc) })
			return cmp.Or(err, failed)
		},
	}
	f.input.registerFlags(cmd)
	f.output.registerFile(cmd)
	f.registerKnowledge(cmd, "rule packs")
	f.registerProfile(p, cmd)
	return cmd
}
