package cli

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/knowledge"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/site"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) rulesListCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{Use: "list", Short: "list the loaded rules", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			packs, _, err := p.packs(f)
			if err != nil {
				return err
			}
			infos := rulepack.Describe(packs)
			if f.output.format == formats.JSON {
				return writeJSON(p.Stdout, infos)
			}
			return p.printText(listRules(infos))
		}}
	f.registerList(cmd)
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
	f := &checkFlags{}
	cmd := &cobra.Command{Use: "show ID", Short: "show one rule: problem, why it matters, fix, source, expressions", Args: argumentCheck(1, 1, "one rule id (memaudit rules list)"),
		ValidArgsFunction: oneWord(p.ruleTitles),
		RunE: func(_ *cobra.Command, args []string) error {
			packs, _, err := p.packs(f)
			if err != nil {
				return err
			}
			found := slices.DeleteFunc(rulepack.Describe(packs), func(r rulepack.RuleInfo) bool { return r.ID != args[0] })
			if len(found) == 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("rules show: no rule has the id %q; the nearest are %s", args[0], strings.Join(humanize.Nearest(ruleIDs(packs), args[0], 3), ", ")), hint: "memaudit rules list"}
			}
			return showAll(p, f.output.format, found, reference.LayOutRule)
		}}
	f.registerList(cmd)
	return cmd
}

func (p *Program) rulesValidateCommand() *cobra.Command {
	return &cobra.Command{Use: "validate PATH...", Short: "check rules with their cases, profiles, platforms, slot maps, locator patterns, settings, processors; complaints carry file:line:column",
		Args: argumentCheck(1, math.MaxInt, "files or folders of rules"),
		RunE: func(_ *cobra.Command, args []string) error {
			builtin, err := rulepack.LoadCompiled(p.Rules)
			if err != nil {
				return err
			}
			var v validated // each file or folder by itself, and then all together with the built-in ones
			for _, path := range args {
				v.checkPath(knowledge.NewBase(site.Overlay(p.Rules, site.RulesFolder(path))), path)
			}
			if len(v.faults) == 0 {
				v.checkPlatforms(p.Rules, builtin, args)
			}
			if len(v.faults) == 0 {
				v.addComplaints(rulepack.ValidateSet(slices.Concat(builtin, v.packs))...)
			}
			for _, f := range v.faults {
				_, _ = fmt.Fprintln(p.stderr(), f)
			}
			if len(v.faults) > 0 {
				return &exitError{status: report.ExitUsage, err: fmt.Errorf("rules validate: %s", humanize.Plural(len(v.faults), "complaint"))}
			}
			return p.printText(v.summaryText())
		}}
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
		RunE: func(*cobra.Command, []string) error {
			if _, err := p.loadAuditor(f); err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if err := orNothing(failed, sys, "draft from", ""); err != nil {
				return err
			}
			draft, err := site.DraftFiles(sys, population.Derive(sys, p.Rules))
			if err == nil {
				_, err = io.WriteString(printableWriter{p.Stdout}, draft)
			}
			return outputError(err)
		},
	}
	f.input.registerFlags(cmd)
	f.registerKnowledge(cmd, "rule packs and data files")
	return cmd
}

const maxDataBytes = 4 << 20

type validated struct {
	packs  []*rulepack.Pack
	others int
	faults []string
}

func (v *validated) checkPlatforms(k fs.FS, builtin []*rulepack.Pack, paths []string) {
	engine := audit.NewEngine(builtin)
	for _, path := range paths {
		files, _ := filepath.Glob(filepath.Join(path, "platforms", "*.yaml"))
		dir := path
		switch folder := site.RulesFolder(path); {
		case filepath.Ext(path) == ".yaml" && filepath.Base(filepath.Dir(path)) == "platforms":
			files, dir = []string{path}, folder
		case filepath.Base(path) == "platforms":
			files, _ = filepath.Glob(filepath.Join(path, "*.yaml"))
			dir = folder
		}
		joined, err := site.KnowledgeFiles(k, dir)
		if err != nil {
			v.faults = append(v.faults, err.Error())
			continue
		}
		for _, file := range files {
			differences, err := engine.CheckPlatform(joined, strings.TrimSuffix(filepath.Base(file), ".yaml"))
			if err != nil {
				v.faults = append(v.faults, err.Error())
			}
			for _, text := range differences {
				v.addComplaints(datafile.OfFile(file, text))
			}
		}
	}
}

func (v *validated) addComplaints(faults ...datafile.Complaint) {
	for _, f := range faults {
		v.faults = append(v.faults, f.String())
	}
}

// checkPath checks a file, or every file of a folder by its content, concurrently; errors are in the order of file
// names.
func (v *validated) checkPath(schemas *knowledge.Base, path string) {
	files, err := dataFiles(path)
	switch {
	case err != nil:
		v.addComplaints(datafile.OfFile(path, withoutName(err).Error()))
	case len(files) == 0:
		v.addComplaints(datafile.OfFile(path, "no rule file (.yaml) here"))
	}
	each := make([]validated, len(files))
	var next atomic.Int64
	var checking sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		checking.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				each[i].checkFile(schemas, files[i])
			}
		})
	}
	checking.Wait()
	for _, e := range each {
		v.packs, v.faults, v.others = append(v.packs, e.packs...), append(v.faults, e.faults...), v.others+e.others
	}
}

func (v *validated) checkFile(schemas *knowledge.Base, file string) {
	data, err := readBounded(file, maxDataBytes)
	if err != nil {
		v.addComplaints(datafile.OfFile(file, err.Error()))
		return
	}
	parsed := knowledge.Parse(file, data)
	if parsed.Kind == knowledge.Pack {
		packs, faults := loadSite(file)
		v.packs = append(v.packs, packs...)
		if v.addComplaints(faults...); len(faults) > 0 {
			return
		}
	} else {
		v.others++
	}
	v.addComplaints(parsed.Check(schemas, site.InRulesFolder(file))...)
}

func dataFiles(path string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if name == path || slices.Contains([]string{".yaml", ".yml", ".csv"}, filepath.Ext(name)) || knowledge.IsTable(name) {
			out = append(out, name)
		}
		return nil
	})
	return out, err
}

func (v *validated) summaryText() string {
	var parts []string
	if rules, cases := rulepack.CountRules(v.packs); len(v.packs) > 0 || v.others == 0 {
		parts = append(parts, humanize.Plural(rules, "rule")+", "+humanize.Plural(cases, "case"))
	}
	if v.others > 0 {
		parts = append(parts, humanize.Plural(v.others, "other file"))
	}
	return strings.Join(parts, ", ") + ", no complaint\n"
}

func (p *Program) partNumbers() (*partnumber.Table, error) { return partnumber.Load(p.Rules) }

// joinKnowledge adds the data files of a site's folders to the built-in ones: platforms, slot maps, processors.
func (p *Program) joinKnowledge(dirs []string) error {
	if p.builtin == nil {
		p.builtin = p.Rules
	}
	for _, dir := range dirs {
		folders, files := rulePaths([]string{dir})
		if err := p.checkWriters("rules", append(folders, files...)...); err != nil {
			return err
		}
	}
	k, err := site.JoinFolders(p.builtin, dirs)
	if err != nil {
		return &exitError{status: report.ExitUsage, err: err, hint: "memaudit rules validate " + strings.Join(dirs, " ")}
	}
	p.Rules = k
	return nil
}

func rulePaths(from []string) (dirs, files []string) {
	for _, dir := range from {
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil: // it loaded before
			case d.IsDir():
				dirs = append(dirs, name)
			case name == dir:
				dirs, files = append(dirs, filepath.Dir(name)), append(files, name)
			case slices.Contains([]string{".yaml", ".yml", ".csv", ".tsv"}, filepath.Ext(name)): // packs and data files
				files = append(files, name)
			}
			return nil
		})
	}
	return dirs, files
}

func loadSite(name string) ([]*rulepack.Pack, datafile.Complaints) {
	packs, faults := rulepack.LoadPath(name)
	for _, pack := range packs {
		faults = append(faults, pack.Validate()...)
	}
	if len(packs) == 0 && len(faults) == 0 && !site.HasData(name) {
		text := "no rule file (.yaml) here"
		if st, err := os.Stat(name); err == nil && !st.IsDir() {
			text = "neither rules nor other knowledge, expected a .yaml or .csv file, or a folder with such"
		}
		faults = append(faults, datafile.OfFile(name, text))
	}
	return packs, faults
}

func (f *checkFlags) registerList(cmd *cobra.Command) {
	f.registerKnowledge(cmd, "rule packs, platforms, slot maps and processors")
	registerWord(cmd, &f.output.format, "format", formats.Text, formats.Others(), "output `FORMAT`: %s")
}

func showAll[T any](p *Program, format string, found []T, layOut func(reference.Layout, *T) error) error {
	if format == formats.JSON {
		return writeJSON(p.Stdout, found)
	}
	page := text.NewPage(p.terminal(false).options)
	for i := range found {
		if err := layOut(page, &found[i]); err != nil {
			return err
		}
	}
	return p.printPage(page)
}

func (p *Program) printPage(page *text.Page) error {
	var out strings.Builder
	if err := page.Write(&out); err != nil {
		return err
	}
	return p.printText(out.String())
}

func writeJSON(w io.Writer, v any) error {
	text, err := printable.EncodeJSON(v)
	if err == nil {
		_, err = w.Write(text)
	}
	return outputError(err)
}

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
		RunE: func(_ *cobra.Command, args []string) error {
			word := args[0]
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
			return cmp.Or(p.printPage(page), failed)
		},
	}
	f.input.registerFlags(cmd)
	f.registerRules(p, cmd)
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also the rules of this id for other machines, each with an example")
	return cmd
}

func (p *Program) explainer(f *checkFlags) (*reference.Explainer, error) {
	packs, _, err := p.packs(f)
	if err != nil {
		return nil, err
	}
	return reference.NewExplainer(p.Rules, packs)
}

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
	if sys == nil || report.NothingRead(sys.Sources) && failed != nil {
		return nil, failed
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return nil, usageError("%w", err)
	}
	doc := auditor.Advised(j, p.reportOptions(&f.input, report.Criteria{}))
	return &doc, failed
}
