package cli

import (
	"errors"
	"strings"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/report/formats"
)

type changeFlags struct{ remove, move, install []string }

func (c *changeFlags) changes() ([]plan.Change, error) {
	var out []plan.Change
	for _, slot := range c.remove {
		if strings.TrimSpace(slot) == "" {
			return nil, usageError("--remove %q: expected SLOT, the slot that holds the module", slot)
		}
		out = append(out, plan.Change{Do: plan.Remove, From: slot})
	}
	for _, s := range c.move {
		from, to, ok := strings.Cut(s, "=")
		if from, to = strings.TrimSpace(from), strings.TrimSpace(to); !ok || from == "" || to == "" {
			return nil, usageError("--move %q: expected A=B, the slot that holds the module and the one to move it to", s)
		}
		out = append(out, plan.Change{Do: plan.Move, From: from, To: to})
	}
	for _, s := range c.install {
		slot, size, ok := strings.Cut(s, "=")
		bytes := plan.ParseSize(size)
		if !ok || slot == "" || bytes <= 0 {
			return nil, usageError("--install %q: expected SLOT=SIZE, such as DIMM_A1=16G; a size is a whole number with M, G or T", s)
		}
		if !plan.SizeOfModule(bytes) {
			return nil, usageError("--install %q: no module has %s; expected a power of two up to 1T, or 12G, 24G, 48G, 96G, 192G", s, size)
		}
		out = append(out, plan.Change{Do: plan.Install, To: slot, Bytes: bytes})
	}
	if len(out) == 0 {
		return nil, usageError("plan needs --capacity SIZE, --move A=B, --install SLOT=SIZE or --remove SLOT")
	}
	return out, nil
}

func (p *Program) whatIf(f *checkFlags, c *changeFlags) error {
	if err := f.output.check(formats.ForPlans()); err != nil {
		return err
	}
	changes, err := c.changes()
	if err != nil {
		return err
	}
	auditor, err := p.auditor(f)
	if err != nil {
		return err
	}
	sys, failed := p.system(&f.input)
	if failed != nil {
		return failed
	}
	if nothingRead(sys) {
		return notAudited(errors.New("nothing to plan for: no source of this input could be read"), "")
	}
	j, err := auditor.Assess(sys)
	if err != nil {
		return usageError("%w", err)
	}
	doc, assumed, err := auditor.WhatIf(j, changes, f.input.identifiers)
	if err != nil {
		return usageError("%w", err)
	}
	for _, a := range assumed {
		p.warn(a)
	}
	return f.output.write(p, f.input.identifiers, func(t *terminal) error {
		return formats.WriteWhatIf(t, f.output.format, &doc, t.options)
	})
}
