package cli

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/partnumber"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/formats"
	"github.com/memaudit/memaudit/internal/rulepack"
	"github.com/memaudit/memaudit/internal/settings"
	"github.com/memaudit/memaudit/internal/site"
)

// checkFlags are those of an audit.
type checkFlags struct {
	input   inputFlags
	output  outputFlags
	config  string
	rules   []string
	profile string
	failOn  string
	strict  bool
	// baseline names the file of the accepted hardware.
	baseline string
	// allProfiles adds every profile documented for the machine, side by side.
	allProfiles bool
}

func (p *Program) checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "audit one machine once, print the report, exit by the result",
		Long: `check audits one machine once and prints the report.

Exit status: 0 no failure at or above --fail-on; 1 at least one; 2 wrong usage or
configuration; 3 the audit could not be done, or --strict and a rule is unknown.
With --format nagios the plugin's own: 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.check(f) },
	}
	f.input.register(cmd)
	f.input.registerHostName(cmd)
	f.output.register(cmd, formats.Reports())
	f.registerRules(p, cmd)
	fl := cmd.Flags()
	registerFailOn(cmd, &f.failOn)
	fl.BoolVar(&f.allProfiles, "all-profiles", false, "add the machine beside every profile documented for it, as profiles compare prints it")
	fl.BoolVar(&f.strict, "strict", false, "exit 3 when a rule is unknown or broke")
	return cmd
}

// registerRules adds the flags that say what a machine is held against.
func (f *checkFlags) registerRules(p *Program, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs; repeatable")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the accepted hardware in `FILE` (memaudit baseline save writes it)")
	fl.StringVar(&f.profile, "profile", "", "an intent (balanced, max-performance, ...) or a profile `NAME` (default balanced, then at most info)")
	_ = cmd.RegisterFlagCompletionFunc("profile", p.completeProfiles)
}

// check does one audit and prints it.
func (p *Program) check(f *checkFlags) error {
	if err := f.words(); err != nil {
		return err
	}
	engine, options, err := p.engine(f)
	if err != nil {
		return err
	}
	began := p.Now()
	done := p.progress("reading and judging the machine")
	defer done()
	sys, failed := p.system(&f.input)
	failed = both(failed, p.joinBaseline(f, sys))
	if !showFailed(failed, sys, f.output.format) {
		return failed
	}
	j, err := p.judge(engine, options, sys)
	if err != nil {
		return usage("%w", err)
	}
	if f.profile != "" {
		if err := engine.CheckVendor(f.profile, sys, j.topo); err != nil {
			return usage("--profile: %w", err)
		}
	}
	doc := p.advised(engine, options, j, p.reportOptions(&f.input))
	doc.Took = p.Now().Sub(began)
	if f.allProfiles {
		doc.HoldAgainst(engine.Compare(sys, j.topo))
	}
	if failed == nil && nothingRead(sys) {
		failed = notAudited(errors.New("nothing to audit: no source of this input could be read"), "")
	}
	done()
	return p.finish(f, &doc, failed)
}

// finish prints a report and gives the exit status.
func (p *Program) finish(f *checkFlags, doc *report.Report, failed error) error {
	doc.Failed = failed != nil
	plugin := f.plugin(doc, failed)
	ends := f.status(doc, plugin, failed)
	status := statusOf(ends)
	if err := f.output.write(p, f.input.identifiers, func(w *terminal) error {
		w.options.Exit = &status
		return formats.Write(w, f.output.format, doc, &formats.Options{Options: w.options, Plugin: plugin})
	}); err != nil {
		return err
	}
	return ends
}

// plugin is what the audit says of itself as a monitoring plugin.
func (f *checkFlags) plugin(doc *report.Report, failed error) formats.Plugin {
	if failed != nil {
		return formats.Plugin{Status: report.PluginUnknown, Problem: failed.Error()}
	}
	return formats.Plugin{Status: report.PluginStatus(doc, f.failOn, f.strict)}
}

// status is the exit status of an audit that was printed, nil for 0.
func (f *checkFlags) status(doc *report.Report, plugin formats.Plugin, failed error) error {
	status := report.ExitStatus(doc, f.failOn, f.strict)
	switch {
	case f.output.format == formats.Nagios:
		status = plugin.Status
	case failed != nil:
		return failed
	}
	if status == report.ExitOK {
		return nil
	}
	return &exit{status: status}
}

func (p *Program) reportOptions(f *inputFlags) report.Options {
	return report.Options{Version: p.Version, Revision: p.Revision, Now: p.Now(), Identifiers: f.identifiers}
}

// nothingRead reports whether every source of the machine itself failed.
func nothingRead(sys *inventory.System) bool {
	return !slices.ContainsFunc(sys.Sources, func(s inventory.Source) bool {
		return s.State == fact.SourceOK || s.State == fact.SourcePartial
	})
}

// engine loads configuration and rules.
func (p *Program) engine(f *checkFlags) (*audit.Engine, *audit.Options, error) {
	conf, err := loadConfig(f.config)
	if err != nil {
		return nil, nil, err
	}
	f.input.conf = conf
	packs, err := p.packs(slices.Concat(conf.Rules, f.rules))
	if err != nil {
		return nil, nil, err
	}
	o := &audit.Options{Profile: conf.Profile, Waivers: conf.Waivers, Now: p.Now()}
	if f.profile != "" {
		o.Profile = f.profile
	}
	o.Asked = o.Profile != ""
	engine := audit.NewEngine(packs).WithTables(sync.OnceValues(p.settingTables))
	if o.Asked {
		if err := engine.CheckProfile(o.Profile); err != nil {
			return nil, nil, p.misnamed(f, engine, err)
		}
	}
	return engine, o, nil
}

// settingTables reads the vendors' attribute names and commands.
func (p *Program) settingTables() (settings.Tables, error) {
	return settings.LoadCompiled(p.Rules, "settings")
}

// partNumbers reads the patterns of modules' part numbers.
func (p *Program) partNumbers() (*partnumber.Table, error) { return partnumber.Load(p.Rules) }

// packs loads the compiled built-in rules and the site's own folders, which must
// be without fault: a rule that does not load would be a check that is not made.
func (p *Program) packs(dirs []string) ([]*rulepack.Pack, error) {
	if err := p.join(dirs); err != nil {
		return nil, err
	}
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return nil, usage("built-in rules: %w", err)
	}
	return withSite(packs, dirs)
}

// join puts the data files of a site's own folders beside the built-in ones:
// platforms, slot maps, processors.
func (p *Program) join(dirs []string) error {
	if p.builtin == nil {
		p.builtin = p.Rules
	}
	k, err := site.Join(p.builtin, dirs)
	if err != nil {
		return &exit{status: report.ExitUsage, err: err, hint: "memaudit rules validate " + strings.Join(dirs, " ")}
	}
	p.Rules = k
	return nil
}

// withSite adds the packs of a site's own folders.
func withSite(packs []*rulepack.Pack, dirs []string) ([]*rulepack.Pack, error) {
	for _, dir := range dirs {
		own, faults := loadSite(dir)
		if len(faults) > 0 {
			return nil, &exit{status: report.ExitUsage, err: faults, hint: "memaudit rules validate " + dir}
		}
		packs = append(packs, own...)
	}
	return packs, nil
}

// loadSite reads and validates a folder or a file of a site's own rules.
func loadSite(name string) ([]*rulepack.Pack, rulepack.Complaints) {
	packs, faults := rulepack.LoadPath(name)
	for _, pack := range packs {
		faults = append(faults, pack.Validate()...)
	}
	if len(packs) == 0 && len(faults) == 0 && !site.HasData(name) {
		faults = append(faults, rulepack.Complaint{File: name, Line: 1, Column: 1, Text: "no rule file (.yaml) here"})
	}
	return packs, faults
}
