package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/cli/assess"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/report/text"
	"memaudit.example/memaudit/internal/serve/fleet"
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

type spareFlags struct {
	asked        bool
	spare, floor string
	limit        time.Duration
}

func (f *spareFlags) registerFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.BoolVar(&f.asked, "plan", false, "print which machines gain by moving modules, which can give some up, where spare ones do most good")
	fl.StringVar(&f.spare, "spare", "", "modules in stock, a YAML `FILE` (--plan)")
	fl.StringVar(&f.floor, "floor", "", "minimum capacity per machine, a YAML `FILE` (--plan)")
	fl.DurationVar(&f.limit, "limit", 10*time.Minute, "stop planning after this `TIME`; remaining machines are not planned (--plan)")
}

// planning is the input for planning the machines. It is read-only and safe for concurrent use.
type planning struct {
	spares []plan.Spare
	stock  []fleet.Stock
	floors fleet.Floors
	end    time.Time
	limit  time.Duration
}

// readPlanning reads the files; nil if no plan is requested.
func (p *Program) readPlanning(cmd *cobra.Command, f *spareFlags, format, section string) (*planning, error) {
	if !f.asked {
		return nil, unused(cmd, "--plan", "spare", "floor", "limit")
	}
	switch {
	case format != formats.Text && format != formats.JSON:
		return nil, usageError("--plan is printed as text or json, not as %s", format)
	case section != "":
		return nil, usageError("--section %s is not part of a plan: leave out one of --section and --plan", section)
	case f.limit <= 0:
		return nil, usageError("--limit %s: expected more than no time", f.limit)
	}
	out := &planning{limit: f.limit, end: p.Now().Add(f.limit)}
	if f.spare != "" {
		if err := p.readSpares(f.spare, out); err != nil {
			return nil, usageError("--spare %s: %w", f.spare, err)
		}
	}
	if f.floor != "" {
		if err := readFloors(f.floor, &out.floors); err != nil {
			return nil, usageError("--floor %s: %w", f.floor, err)
		}
	}
	return out, nil
}

// maxStockFile limits the size of files of spares and floors, mostSpares the entries of one, mostInStock the
// modules of one entry.
const (
	maxStockFile = 1 << 20
	mostSpares   = 1024
	mostInStock  = 1 << 20
)

// spareEntry are equal modules in stock: by part number, or by size, type and ranks.
type spareEntry struct {
	Part  string `yaml:"part"`
	Size  string `yaml:"size"`
	Type  string `yaml:"type"`
	Ranks int    `yaml:"ranks"`
	// Speed is the rated one in MT/s, Kind one of moduleKinds.
	Speed int    `yaml:"speed"`
	Kind  string `yaml:"kind"`
	Count int    `yaml:"count"`
}

var moduleKinds = []string{"RDIMM", "LRDIMM", "UDIMM"}

func (p *Program) readSpares(name string, into *planning) error {
	var entries []spareEntry
	if err := readYAML(name, &entries); err != nil {
		return err
	}
	if len(entries) == 0 || len(entries) > mostSpares {
		return fmt.Errorf("%d entries, expected from 1 to %d", len(entries), mostSpares)
	}
	parts, err := p.partNumbers()
	if err != nil {
		return err
	}
	for i := range entries {
		s, err := entries[i].checkModule(parts)
		if err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
		into.spares = append(into.spares, s)
		into.stock = append(into.stock, fleet.Stock{Spare: entries[i].describeModule(&s), Assumed: assumedTraits(&s), Count: s.Count,
			Module: plan.Module{SizeBytes: nullable.Positive(s.Bytes), Type: nullable.String(s.Type), Ranks: nullable.Positive(s.Ranks),
				RatedMTs: nullable.Positive(ddr.Nominal(s.RatedMTs)), Kind: entries[i].Kind}})
	}
	return nil
}

func readYAML(name string, to any) error {
	data, err := readBounded(name, maxStockFile)
	if err != nil {
		return err
	}
	return decodeYAML(data, to)
}

// checkModule checks an entry, and derives what it leaves out from the part number.
func (e *spareEntry) checkModule(parts *partnumber.Table) (plan.Spare, error) {
	s := plan.Spare{Part: strings.TrimSpace(e.Part), Count: e.Count, Traits: plan.Traits{Type: e.Type, Ranks: e.Ranks, RatedMTs: e.Speed}}
	switch s.Bytes = plan.ParseSize(e.Size); {
	case e.Count < 1 || e.Count > mostInStock:
		return s, fmt.Errorf("count is %d, expected a number from 1 to %d", e.Count, mostInStock)
	case s.Part == "" && (e.Size == "" || e.Type == "" || e.Ranks == 0):
		return s, fmt.Errorf("expected part, or size, type and ranks")
	case e.Size != "" && (s.Bytes == 0 || !plan.SizeOfModule(s.Bytes)):
		return s, fmt.Errorf("size %q: no module has it; expected a power of two up to 1T, or 12G, 24G, 48G, 96G, 192G", e.Size)
	case e.Type != "" && !ddr.Listed(e.Type):
		return s, fmt.Errorf("type %q: expected SMBIOS's word, such as DDR4 or DDR5", e.Type)
	case e.Ranks < 0 || e.Ranks > 16:
		return s, fmt.Errorf("ranks is %d, expected a number from 1 to 16", e.Ranks)
	case e.Speed != 0 && e.Type != "" && !ddr.HasRate(e.Type, e.Speed):
		return s, fmt.Errorf("speed %d: no data rate of %s in MT/s", e.Speed, e.Type)
	case e.Kind != "" && !slices.Contains(moduleKinds, e.Kind):
		return s, fmt.Errorf("kind %q: expected one of %s", e.Kind, strings.Join(moduleKinds, ", "))
	}
	if e.Kind != "" {
		s.Registered, s.LoadReduced = knownAnswer(e.Kind != "UDIMM"), knownAnswer(e.Kind == "LRDIMM")
	}
	m, ok := parts.Decode(s.Part)
	if s.Part == "" || !ok {
		return s, nil
	}
	for _, f := range []struct {
		what            string
		stated, decoded int64
	}{{"size", s.Bytes, m.SizeBytes}, {"ranks", int64(s.Ranks), int64(m.Ranks)}, {"speed", int64(s.RatedMTs), int64(m.RatedMTs)}} {
		if f.stated != 0 && f.decoded != 0 && f.stated != f.decoded {
			return s, fmt.Errorf("%s contradicts the part number %s", f.what, s.Part)
		}
	}
	if s.Type != "" && m.Type != "" && s.Type != m.Type {
		return s, fmt.Errorf("type contradicts the part number %s, which is of %s", s.Part, m.Type)
	}
	s.Bytes, s.Type, s.Ranks, s.RatedMTs = cmp.Or(s.Bytes, m.SizeBytes), cmp.Or(s.Type, m.Type), cmp.Or(s.Ranks, m.Ranks), cmp.Or(s.RatedMTs, m.RatedMTs)
	s.DataWidth, s.TotalWidth, _ = m.Widths()
	if registered, ok := m.Registered(); ok && e.Kind == "" {
		reduced, _ := m.LoadReduced()
		s.Registered, s.LoadReduced = knownAnswer(registered), knownAnswer(reduced)
	}
	return s, nil
}

func knownAnswer(v bool) plan.Answer {
	return plan.AnswerOf(fact.Known(v, fact.Direct, fact.Evidence{}))
}

// describeModule describes an entry: "M393A2K43DB3-CWE, 16 GiB dual-rank DDR4-3200".
func (e *spareEntry) describeModule(s *plan.Spare) string {
	var size, ranks string
	if s.Bytes > 0 {
		size = humanize.Size(s.Bytes)
	}
	if s.Ranks > 0 {
		ranks = humanize.Ranked(s.Ranks)
	}
	kind := s.Type
	if kind != "" && s.RatedMTs > 0 {
		kind += "-" + strconv.Itoa(ddr.Nominal(s.RatedMTs))
	}
	return humanize.Joined(", ", s.Part, humanize.Joined(" ", size, ranks, kind, e.Kind))
}

func assumedTraits(s *plan.Spare) string {
	var open []string
	if s.RatedMTs == 0 {
		open = append(open, "speed")
	}
	if s.Registered == 0 {
		open = append(open, "kind (RDIMM, LRDIMM, UDIMM)")
	}
	if len(open) == 0 {
		return ""
	}
	return humanize.List(open) + " not given, taken to be as installed"
}

func readFloors(name string, into *fleet.Floors) error {
	var file struct {
		Machines map[string]string `yaml:"machines"`
		Products map[string]string `yaml:"products"`
	}
	if err := readYAML(name, &file); err != nil {
		return err
	}
	for _, part := range []struct {
		what string
		from map[string]string
		to   *map[string]int64
	}{{"machines", file.Machines, &into.Machines}, {"products", file.Products, &into.Products}} {
		*part.to = map[string]int64{}
		for name, size := range part.from {
			bytes := plan.ParseSize(size)
			if bytes == 0 {
				return fmt.Errorf("%s: %s: %q, expected a capacity such as 256G or 1T", part.what, name, size)
			}
			(*part.to)[name] = bytes
		}
	}
	if len(into.Machines)+len(into.Products) == 0 {
		return fmt.Errorf("names no machine and no product, expected machines or products with a capacity each")
	}
	return nil
}

var withoutMachine = fleet.NoStake("a report or an inventory does not hold the machine that a plan is proven on; give its capture (memaudit snapshot) or SMBIOS table")

// reportWithStake builds the report and, if a plan is requested, the machine's part in it.
func (a *fleetAuditor) reportWithStake(out *fleetInput, j *assess.Assessment, o report.Options) report.Report {
	if a.planning == nil {
		return a.auditor.Advised(j, o)
	}
	if a.p.Now().After(a.planning.end) {
		out.stake = fleet.NoStake("the time for the plan is over; --limit gives more than " + a.planning.limit.String())
		return a.auditor.Advised(j, o)
	}
	floor := a.planning.floors.MinimumOf(out.name, j.System.Machine.Product.Or(""))
	doc, stake := a.auditor.AdvisedForFleet(j, o, a.planning.spares, floor)
	out.stake = fleet.NewStake(j.System, &doc.Inventory, stake, floor)
	return doc
}
