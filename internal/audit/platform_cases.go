package audit

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"memaudit.example/memaudit/internal/audit/facts"
	"memaudit.example/memaudit/internal/audit/rulepack"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
	"memaudit.example/memaudit/internal/topology/population"
)

// CheckPlatform runs the cases of a platform's file: each brand string must be recognised as the platform, and
// each population must get the results of its case. It returns the differences.
func (e *Engine) CheckPlatform(k fs.FS, id string) ([]string, error) {
	info, err := platform.Describer(k)(id)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, brand := range info.Brands {
		sys := caseMachine(info, &platform.Case{Brand: brand, DIMMs: []int{0}})
		if found := platform.Recognise(sys, k); found.Value == nil || found.Value.ID != id {
			out = append(out, fmt.Sprintf("brand %q: %s, expected %s", brand, recognisedAs(found), id))
		}
	}
	for i := range info.Cases {
		differences, err := e.platformCase(k, info, &info.Cases[i])
		if err != nil {
			return nil, err
		}
		out = append(out, differences...)
	}
	return out, nil
}

func recognisedAs(found fact.Fact[*platform.Platform]) string {
	if p, ok := found.Get(); ok {
		return "recognised as " + p.ID
	}
	return found.Reason
}

func (e *Engine) platformCase(k fs.FS, info *platform.Info, c *platform.Case) ([]string, error) {
	sys := caseMachine(info, c)
	topo := population.Derive(sys, k)
	if found := topo.Platform; found.Value == nil || found.Value.ID != info.ID {
		return []string{fmt.Sprintf("case %q: %s, expected %s", c.Name, recognisedAs(found), info.ID)}, nil
	}
	a, err := e.Run(sys, topo, Options{})
	if err != nil {
		return nil, fmt.Errorf("case %q: %w", c.Name, err)
	}
	have := map[string]string{}
	for i := range a.Findings {
		f, word := &a.Findings[i], string(a.Findings[i].Result)
		if f.Result == verdict.Fail {
			word = string(f.Severity)
		}
		if slices.Index(fromGood, word) > slices.Index(fromGood, have[f.Rule]) {
			have[f.Rule] = word
		}
	}
	var out []string
	for _, rule := range slices.Sorted(maps.Keys(c.Finds)) {
		if have[rule] != c.Finds[rule] {
			out = append(out, fmt.Sprintf("case %q: %s is %q, expected %q", c.Name, rule, have[rule], c.Finds[rule]))
		}
	}
	return out, nil
}

// fromGood are the words for the results of a case, the best first.
var fromGood = []string{"", "not_applicable", "pass", "unknown", "info", "warning", "critical"}

// The labels name the channels in order.
func caseMachine(info *platform.Info, c *platform.Case) *inventory.System {
	from := fact.At(inventory.SourceSMBIOS, inventory.TablePath, "a case of "+info.ID)
	sys := &inventory.System{Settings: map[string]inventory.Setting{}}
	sys.Machine.Virtual, sys.Firmware.SMBIOS = fact.Known(false, fact.Direct, from), fact.Known(true, fact.Direct, from)
	for i, dimms := range c.DIMMs {
		sys.Sockets = append(sys.Sockets, caseSocket(info, c, i, from))
		for n := range c.Slots {
			sys.Slots = append(sys.Slots, caseSlot(info, c, i, n, n < dimms, len(sys.Slots), from))
		}
	}
	return sys
}

func caseSocket(info *platform.Info, c *platform.Case, id int, from fact.Evidence) inventory.Socket {
	row := info.Recognise[0]
	s := inventory.Socket{ID: id, Populated: fact.Known(true, fact.Direct, from), Enabled: fact.Known(true, fact.Direct, from),
		Vendor: fact.Known(row.Vendor, fact.Direct, from), Brand: fact.Known(c.Brand, fact.Direct, from)}
	if c.Brand == "" && len(info.Brands) > 0 {
		s.Brand = fact.Known(info.Brands[0], fact.Direct, from)
	}
	if row.Family >= 0 {
		s.Family, s.Model, s.Stepping = fact.Known(row.Family, fact.Direct, from), fact.Known(row.Model, fact.Direct, from), fact.Known(0, fact.Direct, from)
		if len(row.Steppings) > 0 {
			s.Stepping = fact.Known(row.Steppings[0], fact.Direct, from)
		}
	}
	return s
}

func caseSlot(info *platform.Info, c *platform.Case, socket, n int, filled bool, row int, from fact.Evidence) inventory.Slot {
	channels := c.Slots
	if info.MaxDPC > 1 && c.Slots > info.ChannelsPerSocket && info.ChannelsPerSocket > 0 {
		channels = info.ChannelsPerSocket
	}
	s := inventory.Slot{Handle: inventory.Handle(0x1100 + row), Row: row, State: inventory.SlotEmpty, Soldered: fact.Known(info.NoDIMMs, fact.Direct, from),
		Technology:  fact.Known(inventory.DRAM, fact.Direct, from),
		Locator:     fact.Known(fmt.Sprintf("P%d_DIMM_%c%d", socket, 'A'+n%channels, n/channels), fact.Direct, from),
		BankLocator: fact.Known(fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", socket, socket, n%channels, n/channels), fact.Direct, from)}
	if info.NoDIMMs {
		s.FormFactor = fact.Known("Row Of Chips", fact.Direct, from)
	}
	if filled {
		s.State, s.SizeBytes, s.Type = inventory.SlotPopulated, fact.Known(int64(32)<<30, fact.Direct, from), fact.Known(c.Memory, fact.Direct, from)
		s.RatedMTs, s.ConfiguredMTs, s.Ranks = fact.Known(c.MTs, fact.Direct, from), fact.Known(c.MTs, fact.Direct, from), fact.Known(2, fact.Direct, from)
		s.TotalWidth, s.DataWidth = fact.Known(72, fact.Direct, from), fact.Known(64, fact.Direct, from)
		s.Registered = fact.Known(true, fact.Direct, from)
	}
	return s
}

// Example returns the rule's finding in its example, and the name of that case; nil if it has none.
func Example(i rulepack.RuleInfo) (f *verdict.Finding, name string) {
	if i.Rule == nil {
		return nil, ""
	}
	r := i.Rule
	c, err := r.Example()
	if c == nil || err != nil {
		return nil, ""
	}
	s, err := c.Scope()
	if err != nil {
		return nil, ""
	}
	var programs facts.Programs
	found := startRule(r, exampleSubject(r.Subject, s))
	found.Result, found.Explains = verdict.Result(c.Expect), r.Explains
	describeFinding(&programs, s, r, s.PlainFact("machine", "vendor"), &found)
	if verdict.Severity(r.Severity).Rank() == 0 {
		if word, _ := programs.Word(s, r.Severity); verdict.Severity(word).Rank() > 0 {
			found.Severity = verdict.Severity(word)
		}
	}
	return &found, c.Name
}

func exampleSubject(kind string, s *facts.Scope) inventory.Subject {
	id, _ := strconv.Atoi(s.PlainFact(kind, "id"))
	switch kind {
	case "socket":
		return inventory.SocketSubject(id)
	case "node":
		return inventory.NodeSubject(id)
	case "slot":
		return inventory.SlotSubject(0x1100, cmp.Or(s.PlainFact(kind, "locator"), "DIMM_A1"))
	default:
		return inventory.Subject{}
	}
}
