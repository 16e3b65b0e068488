package cli

import (
	"fmt"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/report/text"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

func (p *Program) planCommand() *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use:   "plan [FILE]",
		Short: "list the ways to reach a capacity, or audit a change of modules",
		Long: `plan --capacity lists the documented ways to populate a capacity, of this machine
or of a platform, best first, with what each of them gives.

plan --move, --install, --remove audits the machine as it would be after modules
are removed, moved and installed, and prints before beside after. Two modules
change places by --move A=B --move B=A. Nothing is changed. What to do about
findings is in the advice of check.

A slot is named by its locator or the end of it that no other slot has (A1 for
DIMM_A1), by BANK/LOCATOR if locators repeat, or by its handle (0x1100); case,
spaces and dashes do not matter. A size is a number with M,
G or T; a capacity is that of all processors together. A new module is like those
of its size that are there: of its channel first, then of its processor.

Exit status: 0 whatever the audit says; 2 wrong usage: a slot that is not there,
empty or full, a platform that is not known, a capacity that cannot be reached;
3 the machine could not be read.`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.input.takeArgument(args); err != nil {
				return err
			}
			if cmd.Flags().Changed("sockets") && f.sockets == 0 {
				f.sockets = -1 // not the default
			}
			if cmd.Flags().Changed("capacity") {
				return p.planCapacity(f)
			}
			if err := unused(cmd, "--capacity SIZE", "platform", "sockets", "all"); err != nil {
				return err
			}
			changes, err := f.parseChanges()
			if err != nil {
				return err
			}
			auditor, err := p.loadAuditor(&f.checkFlags)
			if err != nil {
				return err
			}
			sys, failed := p.readSystem(&f.input)
			if err := orNothing(failed, sys, "plan for", ""); err != nil {
				return err
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
				p.printWarning(a)
			}
			return f.output.writeOutput(p, f.input.identifiers, func(t *terminal) error {
				return formats.WriteOther(t, f.output.format, &doc, text.WriteWhatIf, t.options)
			})
		},
	}
	f.input.registerFlags(cmd)
	f.output.registerFlags(cmd, formats.Others())
	f.registerKnowledge(cmd, "rule packs")
	fl := cmd.Flags()
	fl.StringVar(&f.size, "capacity", "", "list the ways to populate a capacity of `SIZE` (768G, 1T), of all processors together")
	fl.StringVar(&f.platform, "platform", "", "plan for the document of a platform `ID` instead of a machine")
	fl.IntVar(&f.sockets, "sockets", 0, "plan for `N` processors (default the machine's; one for --platform)")
	fl.BoolVar(&f.all, "all", false, "include discouraged layouts")
	_ = cmd.RegisterFlagCompletionFunc("platform", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		ids, _ := platform.IDs(p.Rules)
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
	fl.StringArrayVar(&f.move, "move", nil, "move the module of a slot to another, `A=B`; repeatable")
	fl.StringArrayVar(&f.install, "install", nil, "install a module, `SLOT=SIZE`; repeatable")
	fl.StringArrayVar(&f.remove, "remove", nil, "remove the module of a `SLOT`; repeatable")
	return cmd
}

type planFlags struct {
	checkFlags
	remove, move, install []string
	size, platform        string
	sockets               int
	all                   bool
}

func (f *planFlags) parseChanges() ([]plan.Change, error) {
	var out []plan.Change
	for _, slot := range f.remove {
		if strings.TrimSpace(slot) == "" {
			return nil, usageError("--remove %q: expected SLOT, the slot that holds the module", slot)
		}
		out = append(out, plan.Change{Do: plan.Remove, From: slot})
	}
	for _, s := range f.move {
		from, to, ok := strings.Cut(s, "=")
		if from, to = strings.TrimSpace(from), strings.TrimSpace(to); !ok || from == "" || to == "" {
			return nil, usageError("--move %q: expected A=B, the slot that holds the module and the one to move it to", s)
		}
		out = append(out, plan.Change{Do: plan.Move, From: from, To: to})
	}
	for _, s := range f.install {
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

// mostSockets is an upper limit for machines with their memory in SMBIOS.
const mostSockets = 64

// unused refuses flags that belong to another one, which is not given.
func unused(cmd *cobra.Command, other string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return usageError("--%s belongs to %s, which is not given", name, other)
		}
	}
	return nil
}

// parseCapacity checks the flags and returns the capacity in bytes.
func (f *planFlags) parseCapacity() (int64, error) {
	bytes := plan.ParseSize(f.size)
	switch {
	case bytes <= 0:
		return 0, usageError("--capacity %q: expected a whole number with M, G or T, such as 768G", f.size)
	case len(f.move)+len(f.install)+len(f.remove) > 0:
		return 0, usageError("--capacity plans from empty slots: give either --capacity or --move, --install, --remove")
	case f.sockets < 0 || f.sockets > mostSockets:
		return 0, usageError("--sockets %d: expected a number from 1 to %d", f.sockets, mostSockets)
	case f.platform != "" && (f.input.namesMachine() || len(f.input.measured) > 0):
		return 0, usageError("--platform plans without a machine: give either --platform or --root, --snapshot, --smbios, --bios, --redfish")
	}
	return bytes, nil
}

func (p *Program) planCapacity(f *planFlags) error {
	bytes, err := f.parseCapacity()
	if err != nil {
		return err
	}
	auditor, err := p.loadAuditor(&f.checkFlags)
	if err != nil {
		return err
	}
	auditor.Options.Prerequisites = true
	var sys *inventory.System
	var topo *population.Result
	var target *plan.Target
	if f.platform != "" {
		target, err = p.platformTarget(f.platform, auditor.Pipeline())
	} else {
		sys, topo, target, err = p.machineTarget(&f.checkFlags, auditor.Pipeline())
	}
	if err != nil {
		return err
	}
	if f.sockets > 0 {
		target.Sockets = f.sockets
	}
	ways, reached, below := target.ListConfigurations(bytes, f.all)
	if len(ways) == 0 {
		return unreachable(f, target, below)
	}
	doc := report.BuildCapacity(sys, topo, target, bytes, reached, ways, f.input.identifiers)
	return f.output.writeOutput(p, f.input.identifiers, func(t *terminal) error {
		return formats.WriteOther(t, f.output.format, &doc, text.WriteCapacity, t.options)
	})
}

func (p *Program) platformTarget(id string, pipeline plan.Pipeline) (*plan.Target, error) {
	ids, err := platform.IDs(p.Rules)
	if err != nil {
		return nil, usageError("%w", err)
	}
	if !slices.Contains(ids, id) {
		return nil, usageError("--platform %q: no such platform; the nearest are %s", id, strings.Join(humanize.Nearest(ids, id, 3), ", "))
	}
	pf, err := platform.LoadByID(p.Rules, id)
	if err != nil {
		return nil, usageError("%w", err)
	}
	target, why := plan.ForPlatform(pf, pipeline)
	if why != "" {
		return nil, usageError("--platform %s: %s", id, why)
	}
	return target, nil
}

func (p *Program) machineTarget(f *checkFlags, pipeline plan.Pipeline) (*inventory.System, *population.Result, *plan.Target, error) {
	sys, failed := p.readSystem(&f.input)
	if err := orNothing(failed, sys, "plan for", "name a platform: --platform ID"); err != nil {
		return nil, nil, nil, err
	}
	topo := population.Derive(sys, p.Rules)
	target, why := plan.ForMachine(sys, topo, pipeline)
	if why != "" {
		return nil, nil, nil, notAudited(fmt.Errorf("cannot plan for this machine: %s", why), "name its platform: --platform ID")
	}
	return sys, topo, target, nil
}

// unreachable names the highest capacity, below one that no layout reaches.
func unreachable(f *planFlags, t *plan.Target, below int64) error {
	says := fmt.Sprintf("--capacity %s: no documented layout of equal processors reaches it (%d of %s)", f.size, t.Sockets, t.Platform.Name)
	if below > 0 {
		says += "; the most is " + humanize.Size(below)
	}
	if condition := t.Condition(); condition != "" {
		says += "; more on a condition: " + condition
	}
	if !f.all {
		says += "; --all lists discouraged ones too"
	}
	return usageError("%s", says)
}
