package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/knowledge"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/site"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/report"
)

const maxDataBytes = 4 << 20

type validated struct {
	packs  []*rulepack.Pack
	others int
	faults []fmt.Stringer
}

// validate checks every named file or folder, rules by themselves and together with the built-in ones, and
// prints one error per line.
func (p *Program) validate(paths []string) error {
	builtin, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return err
	}
	var v validated
	for _, path := range paths {
		v.path(knowledge.NewBase(site.Overlay(p.Rules, site.Folder(path))), path)
	}
	if len(v.faults) == 0 {
		v.platforms(p.Rules, builtin, paths)
	}
	if len(v.faults) == 0 {
		v.complain(rulepack.ValidateSet(slices.Concat(builtin, v.packs)))
	}
	for _, f := range v.faults {
		_, _ = fmt.Fprintln(p.stderr(), f)
	}
	if len(v.faults) > 0 {
		return &exitError{status: report.ExitUsage, err: fmt.Errorf("rules validate: %s", humanize.Plural(len(v.faults), "complaint"))}
	}
	return p.say(v.summary())
}

func (v *validated) platforms(k fs.FS, builtin []*rulepack.Pack, paths []string) {
	engine := audit.NewEngine(builtin)
	for _, path := range paths {
		files, _ := filepath.Glob(filepath.Join(path, "platforms", "*.yaml"))
		dir := path
		switch folder := site.Folder(path); {
		case filepath.Ext(path) == ".yaml" && filepath.Base(filepath.Dir(path)) == "platforms":
			files, dir = []string{path}, folder
		case filepath.Base(path) == "platforms":
			files, _ = filepath.Glob(filepath.Join(path, "*.yaml"))
			dir = folder
		}
		joined, err := site.Files(k, dir)
		if err != nil {
			v.faults = append(v.faults, errorFault{err})
			continue
		}
		for _, file := range files {
			differences, err := engine.CheckPlatform(joined, strings.TrimSuffix(filepath.Base(file), ".yaml"))
			if err != nil {
				v.faults = append(v.faults, errorFault{err})
			}
			for _, text := range differences {
				v.faults = append(v.faults, datafile.OfFile(file, text))
			}
		}
	}
}

type errorFault struct{ error }

func (t errorFault) String() string { return t.Error() }

func (v *validated) complain(faults datafile.Complaints) {
	for _, f := range faults {
		v.faults = append(v.faults, f)
	}
}

// path checks a file, or every file of a folder by its content, concurrently; errors are in the order of file
// names.
func (v *validated) path(schemas *knowledge.Base, path string) {
	files, err := dataFiles(path)
	switch {
	case err != nil:
		v.faults = append(v.faults, datafile.OfFile(path, withoutName(err).Error()))
	case len(files) == 0:
		v.faults = append(v.faults, datafile.OfFile(path, "no rule file (.yaml) here"))
	}
	each := make([]validated, len(files))
	var next atomic.Int64
	var checking sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		checking.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(files)); i = next.Add(1) - 1 {
				each[i].file(schemas, files[i])
			}
		})
	}
	checking.Wait()
	for _, e := range each {
		v.packs, v.faults, v.others = append(v.packs, e.packs...), append(v.faults, e.faults...), v.others+e.others
	}
}

func (v *validated) file(schemas *knowledge.Base, file string) {
	data, err := readBounded(file, maxDataBytes)
	if err != nil {
		v.faults = append(v.faults, datafile.OfFile(file, err.Error()))
		return
	}
	parsed := knowledge.Parse(file, data)
	switch parsed.Kind {
	case knowledge.Pack:
		packs, faults := loadSite(file)
		v.packs = append(v.packs, packs...)
		v.complain(faults)
		if len(faults) > 0 {
			return
		}
	default:
		v.others++
	}
	for _, f := range parsed.Check(schemas, site.InRulesFolder(file)) {
		v.faults = append(v.faults, f)
	}
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

func (v *validated) summary() string {
	var parts []string
	if rules, cases := rulepack.CountRules(v.packs); len(v.packs) > 0 || v.others == 0 {
		parts = append(parts, humanize.Plural(rules, "rule")+", "+humanize.Plural(cases, "case"))
	}
	if v.others > 0 {
		parts = append(parts, humanize.Plural(v.others, "other file"))
	}
	return strings.Join(parts, ", ") + ", no complaint\n"
}
