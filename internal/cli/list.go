package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/report/printable"
	"memaudit.example/memaudit/internal/report/reference"
	"memaudit.example/memaudit/internal/report/text"
)

var listFormats = [...]string{"text", "json"}

type knowledgeFlags struct {
	rules  []string
	config string
	format string
}

func (f *knowledgeFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.rules, "rules", nil, "a `DIR` of the site's own rule packs, platforms, slot maps and processors; repeatable")
	fl.StringVar(&f.config, "config", "", "configuration `FILE` (default "+defaultConfig+" when it exists)")
	fl.StringVar(&f.format, "format", listFormats[0], "output `FORMAT`: text, json")
}

func (f *knowledgeFlags) load(p *Program) ([]*rulepack.Pack, error) {
	if err := checkFlagWord("format", f.format, listFormats[:]); err != nil {
		return nil, err
	}
	conf, err := p.loadConfig(f.config)
	if err != nil {
		return nil, err
	}
	dirs := slices.Concat(conf.Rules, f.rules)
	if err := p.join(dirs); err != nil {
		return nil, err
	}
	packs, err := rulepack.LoadCompiled(p.Rules)
	if err != nil {
		return nil, usageError("built-in rules: %w", err)
	}
	return withSite(packs, dirs)
}

func showAll[T any](p *Program, format string, found []T, layOut func(reference.Layout, *T) error) error {
	if format == "json" {
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
