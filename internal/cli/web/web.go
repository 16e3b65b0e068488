// Package web audits files of a machine without reading the machine it runs on. It is the program of the page
// that `make web` builds for browsers.
package web

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/collect"
	"memaudit.example/memaudit/internal/collect/measured"
	"memaudit.example/memaudit/internal/collect/snapshot"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/model/settings"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/html"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/source/bios"
	"memaudit.example/memaudit/internal/source/host"
	"memaudit.example/memaudit/internal/source/smbios"
	"memaudit.example/memaudit/rules"
)

const maxFile = 64 << 20

// File is an input: a capture, an SMBIOS table or dmidecode's text, an export of BIOS settings, or
// a measurement. Its format is detected from its content.
type File struct {
	Name string
	Data []byte
}

// Output is a document for people and for programs.
type Output struct {
	Text, JSON string
	// After is of a what-if: sentence and picture of the report as it would be.
	After string
}

// Checker audits machines and keeps the last one for what-if questions.
type Checker struct {
	Version, Revision string
	now               func() time.Time
	packs             []*rulepack.Pack
	tables            func() (settings.Tables, error)
	auditor           *assess.Auditor
	last              *assess.Assessment
}

// New loads the built-in rules.
func New(version, revision string) (*Checker, error) {
	packs, err := rulepack.LoadCompiled(rules.FS)
	if err != nil {
		return nil, fmt.Errorf("built-in rules: %w", err)
	}
	tables := sync.OnceValues(func() (settings.Tables, error) { return settings.LoadCompiled(rules.FS) })
	return &Checker{Version: version, Revision: revision, now: time.Now, packs: packs, tables: tables}, nil
}

// Profiles lists the intents that Check accepts besides profile ids.
func Profiles() []string { return rulepack.Intents[:] }

// Check audits the machine that the files describe and returns its report as a page.
func (c *Checker) Check(files []File, profile string) (Output, error) {
	c.last = nil
	sys, err := c.readFiles(files)
	if err != nil {
		return Output{}, err
	}
	engine := audit.NewEngine(c.packs).WithTables(c.tables)
	if profile != "" {
		if err := engine.CheckProfile(profile); err != nil {
			return Output{}, err
		}
	}
	c.auditor = &assess.Auditor{Rules: rules.FS, Engine: engine, Options: &audit.Options{Profile: profile, Asked: profile != "", Now: c.now()}}
	j, err := c.auditor.Assess(sys)
	if err != nil {
		return Output{}, err
	}
	if profile != "" {
		if err := engine.CheckFits(profile, sys, j.Population); err != nil {
			return Output{}, err
		}
	}
	doc := c.auditor.Advised(j, c.reportOptions())
	c.last = j
	var page, document strings.Builder
	if err := errors.Join(html.Write(&page, &doc), report.WriteJSON(&document, &doc)); err != nil {
		return Output{}, err
	}
	return Output{Text: page.String(), JSON: document.String()}, nil
}

func (c *Checker) reportOptions() report.Options {
	return report.Options{Version: c.Version, Revision: c.Revision, Now: c.now(), Rules: rules.FS, Criteria: report.Criteria{FailOn: string(verdict.Warning)}}
}

func (c *Checker) readFiles(files []File) (*inventory.System, error) {
	in := collect.Input{Tables: c.tables, PartNumbers: func() (*partnumber.Table, error) { return partnumber.Load(rules.FS) }}
	for _, f := range files {
		if err := addInput(&in, f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if in.Root != nil {
		defer func() { _ = in.Root.Close() }()
		if err := snapshot.AddInputs(in.Root, &in); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Root.Name(), err)
		}
	}
	if in.Root == nil && in.SMBIOS == nil && len(in.Exports) == 0 {
		return nil, errors.New("nothing to audit: expected a capture (memaudit snapshot) or the output of dmidecode")
	}
	return collect.Collect(in), nil
}

func addInput(in *collect.Input, f File) error {
	if len(f.Data) > maxFile {
		return fmt.Errorf("longer than %d bytes", maxFile)
	}
	if isArchive(f.Data) {
		if in.Root != nil {
			return errors.New("a second capture, expected one machine")
		}
		root, err := host.OpenCapture(f.Name, bytes.NewReader(f.Data))
		if err == nil {
			err = host.CheckSize(root)
		}
		in.Root = root
		return err
	}
	table, notTable := smbios.Parse(f.Data)
	if notTable == nil {
		if in.SMBIOS != nil {
			return errors.New("a second SMBIOS table, expected one machine")
		}
		in.SMBIOS = table
		return nil
	}
	if export, err := bios.Decode(f.Name, f.Data); err == nil {
		in.Exports = append(in.Exports, collect.Export{Source: inventory.SourceBIOS, Path: f.Name, Export: export})
		return nil
	}
	if m, err := measured.Decode(f.Name, f.Data); err == nil {
		in.Measurements = append(in.Measurements, *m)
		return nil
	}
	return fmt.Errorf("not recognised as a capture, an SMBIOS table, dmidecode's text, BIOS settings or a measurement (%w)", notTable)
}

func isArchive(data []byte) bool {
	const magic = 257 // offset in a tar header
	return bytes.HasPrefix(data, []byte("\x1f\x8b")) || bytes.HasPrefix(data, []byte("BZh")) ||
		len(data) > magic && bytes.HasPrefix(data[magic:], []byte("ustar"))
}

// Move is a DIMM that changes its slot. Slots are named by their handles.
type Move struct{ From, To string }

// WhatIf audits the last machine with DIMMs moved, as `plan --move` does.
func (c *Checker) WhatIf(moves []Move, columns int) (Output, error) {
	if c.last == nil {
		return Output{}, errors.New("check a machine first")
	}
	var changes []plan.Change
	for _, m := range moves {
		changes = append(changes, plan.Change{Do: plan.Move, From: m.From, To: m.To})
	}
	doc, _, err := c.auditor.WhatIf(c.last, changes, false)
	if err != nil {
		return Output{}, err
	}
	moved, _, err := plan.WhatIf(c.last.System, c.last.Population, changes)
	if err != nil {
		return Output{}, err
	}
	j, err := c.auditor.Assess(moved)
	if err != nil {
		return Output{}, err
	}
	then := j.Report(c.reportOptions())
	var after, words, document strings.Builder
	if err := errors.Join(text.Write(&after, &then, text.Options{Width: columns}), text.WriteWhatIf(&words, &doc, text.Options{Width: columns}), report.WriteJSON(&document, &doc)); err != nil {
		return Output{}, err
	}
	head, _, _ := strings.Cut(after.String(), "\n1. ") // the problems
	return Output{After: head, Text: words.String(), JSON: document.String()}, nil
}
