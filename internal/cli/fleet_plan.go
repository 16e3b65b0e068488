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
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/model/partnumber"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/formats"
	"memaudit.example/memaudit/internal/serve/fleet"
)

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
