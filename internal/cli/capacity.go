package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

type capacityFlags struct {
	size, platform string
	sockets        int
	all            bool
}

// mostSockets is an upper limit for machines with their memory in SMBIOS.
const mostSockets = 64

func (w *capacityFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&w.size, "capacity", "", "list the ways to populate a capacity of `SIZE` (768G, 1T), of all processors together")
	fl.StringVar(&w.platform, "platform", "", "plan for the document of a platform `ID` instead of a machine")
	fl.IntVar(&w.sockets, "sockets", 0, "plan for `N` processors (default the machine's; one for --platform)")
	fl.BoolVar(&w.all, "all", false, "include discouraged layouts")
}

func (w *capacityFlags) unused(cmd *cobra.Command) error {
	for _, name := range []string{"platform", "sockets", "all"} {
		if cmd.Flags().Changed(name) {
			return usageError("--%s belongs to --capacity SIZE, which is not given", name)
		}
	}
	return nil
}

// check parses the flags; the capacity is in bytes.
func (w *capacityFlags) check(f *checkFlags, c *changeFlags) (int64, error) {
	bytes := plan.ParseSize(w.size)
	switch {
	case bytes <= 0:
		return 0, usageError("--capacity %q: expected a whole number with M, G or T, such as 768G", w.size)
	case len(c.move)+len(c.install)+len(c.remove) > 0:
		return 0, usageError("--capacity plans from empty slots: give either --capacity or --move, --install, --remove")
	case w.sockets < 0 || w.sockets > mostSockets:
		return 0, usageError("--sockets %d: expected a number from 1 to %d", w.sockets, mostSockets)
	case w.platform != "" && (f.input.names() || len(f.input.measured) > 0):
		return 0, usageError("--platform plans without a machine: give either --platform or --root, --snapshot, --smbios, --bios, --redfish")
	}
	return bytes, nil
}

func (p *Program) capacity(f *checkFlags, c *changeFlags, w *capacityFlags) error {
	if err := f.output.check(formats.ForPlans()); err != nil {
		return err
	}
	bytes, err := w.check(f, c)
	if err != nil {
		return err
	}
	auditor, err := p.auditor(f)
	if err != nil {
		return err
	}
	auditor.Options.Prerequisites = true
	var sys *inventory.System
	var topo *population.Result
	var target *plan.Target
	if w.platform != "" {
		target, err = p.platformTarget(w.platform, auditor.Pipeline())
	} else {
		sys, topo, target, err = p.machineTarget(f, auditor.Pipeline())
	}
	if err != nil {
		return err
	}
	if w.sockets > 0 {
		target.Sockets = w.sockets
	}
	ways, reached, below := target.Ways(bytes, w.all)
	if len(ways) == 0 {
		return unreachable(w, target, below)
	}
	doc := report.BuildCapacity(sys, topo, target, bytes, reached, ways, f.input.identifiers)
	return f.output.write(p, f.input.identifiers, func(t *terminal) error {
		return formats.WriteCapacity(t, f.output.format, &doc, t.options)
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
	pf, err := platform.ByID(p.Rules, id)
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
	sys, failed := p.system(&f.input)
	if failed != nil {
		return nil, nil, nil, failed
	}
	if nothingRead(sys) {
		return nil, nil, nil, notAudited(errors.New("nothing to plan for: no source of this input could be read"), "name a platform: --platform ID")
	}
	topo := population.Derive(sys, p.Rules)
	target, why := plan.ForMachine(sys, topo, pipeline)
	if why != "" {
		return nil, nil, nil, notAudited(fmt.Errorf("cannot plan for this machine: %s", why), "name its platform: --platform ID")
	}
	return sys, topo, target, nil
}

// unreachable names the highest capacity, below one that no layout reaches.
func unreachable(w *capacityFlags, t *plan.Target, below int64) error {
	says := fmt.Sprintf("--capacity %s: no documented layout of equal processors reaches it (%d of %s)", w.size, t.Sockets, t.Platform.Name)
	if below > 0 {
		says += "; the most is " + humanize.Size(below)
	}
	if condition := t.Condition(); condition != "" {
		says += "; more on a condition: " + condition
	}
	if !w.all {
		says += "; --all lists discouraged ones too"
	}
	return usageError("%s", says)
}

func (p *Program) completePlatforms(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	ids, _ := platform.IDs(p.Rules)
	return ids, cobra.ShellCompDirectiveNoFileComp
}
