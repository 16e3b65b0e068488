package cli

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/report/formats"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/site"
	"memaudit.example/memaudit/internal/model/datafile"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
)

func (p *Program) partNumbers() (*partnumber.Table, error) { return partnumber.Load(p.Rules) }

// join adds the data files of a site's folders to the built-in ones: platforms, slot maps, processors.
func (p *Program) join(dirs []string) error {
	if p.builtin == nil {
		p.builtin = p.Rules
	}
	for _, dir := range dirs {
		folders, files := rulePaths([]string{dir})
		if err := p.checkWriters("rules", append(folders, files...)...); err != nil {
			return err
		}
	}
	k, err := site.Join(p.builtin, dirs)
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

func withSite(packs []*rulepack.Pack, dirs []string) ([]*rulepack.Pack, error) {
	for _, dir := range dirs {
		own, faults := loadSite(dir)
		if len(faults) > 0 {
			return nil, &exitError{status: report.ExitUsage, err: faults, hint: "memaudit rules validate " + dir}
		}
		packs = append(packs, own...)
	}
	return packs, nil
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
	return p.say(out.String())
}

func writeJSON(w io.Writer, v any) error {
	text, err := printable.EncodeJSON(v)
	if err == nil {
		_, err = w.Write(text)
	}
	return unwritten(err)
}
