package cli

import (
	"cmp"
	"errors"
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
	"memaudit.example/memaudit/internal/report/metrics"
	"memaudit.example/memaudit/internal/topology/population"
)

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
