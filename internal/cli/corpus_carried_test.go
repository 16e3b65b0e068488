//go:build corpus

package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/serve/fleet"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/population"
)

// emptySlot is what dmidecode prints of a slot without a module.
var emptySlot = []string{"\tTotal Width: Unknown", "\tData Width: Unknown", "\tSize: No Module Installed", "\tForm Factor: DIMM", "\tType: Unknown"}

// ranAt are the lines whose value only the next boot writes.
var ranAt = regexp.MustCompile(`^(\tConfigured [^:]*): .*`)

// carriedOut is the machine's text after an advice, derived from its JSON alone: the steps in their order, a new
// module like the one in the named slot.
func carriedOut(t *testing.T, text []byte, slots []inventory.Slot, a *plan.Advice) []byte {
	t.Helper()
	all := blocks(withoutRanges(text))
	byHandle := devices(all)
	at := func(handle string) int {
		i, ok := byHandle[strings.ToLower(handle)]
		require.True(t, ok, handle)
		return i
	}
	before, after := map[int][]string{}, map[int][]string{}
	for _, i := range byHandle {
		before[i] = slices.Clone(module(all[i]))
		for n, line := range before[i] {
			before[i][n] = ranAt.ReplaceAllString(line, "$1: Unknown")
		}
		after[i] = before[i]
	}
	filled := map[int]bool{}
	for i := range slots {
		filled[at(slots[i].Handle.String())] = slots[i].State == "populated"
	}
	hand := map[int][]string{} // what was taken out, by the slot that it was in
	takeOut := func(slot int) {
		require.True(t, filled[slot], "nothing is there to take out")
		filled[slot], after[slot] = false, emptySlot
	}
	putIn := func(slot int, module []string) {
		require.False(t, filled[slot], "a module is in it")
		filled[slot], after[slot] = true, module
	}
	// slotOf is the first slot of a channel that is filled, or is not, from the first position or from the last.
	slotOf := func(c *plan.Channel, full bool) string {
		for i := range slots {
			s := &slots[i]
			if s.Channel != nil && *s.Channel == c.Channel && or(s.Socket) == or(c.Socket) && filled[at(s.Handle.String())] == full {
				return s.Handle.String()
			}
		}
		require.Fail(t, "the channel has no such slot")
		return ""
	}
	steps := slices.Clone(a.Steps)
	for i := range steps { // from channels into the hand, and from it into channels
		if s := &steps[i]; s.FromChannel != nil {
			s.From = slotOf(s.FromChannel, true)
			hand[at(s.From)] = after[at(s.From)]
			takeOut(at(s.From))
		}
	}
	for i := range steps {
		s := &steps[i]
		if s.ToChannel != nil {
			s.To = slotOf(s.ToChannel, false)
			putIn(at(s.To), before[at(cmp.Or(s.From, s.Like))])
			continue
		}
		switch s.Do {
		case "move":
			moved := after[at(s.From)]
			takeOut(at(s.From))
			putIn(at(s.To), moved)
		case "swap":
			from, to := after[at(s.From)], after[at(s.To)]
			takeOut(at(s.From))
			takeOut(at(s.To))
			putIn(at(s.From), to)
			putIn(at(s.To), from)
		case "remove":
			hand[at(s.From)] = after[at(s.From)]
			takeOut(at(s.From))
		case "install":
			what := before[at(s.Like)]
			if s.From != "" { // two change places: what was taken out goes in
				require.Contains(t, hand, at(s.From))
				require.Equal(t, what, hand[at(s.From)], "like is the slot that it was in before all steps")
			}
			putIn(at(s.To), what)
		case "exchange":
			takeOut(at(s.At))
			putIn(at(s.At), before[at(s.Like)])
		default:
			require.Fail(t, "unknown step", s.Do)
		}
	}
	for i, m := range after {
		all[i] = holding(all[i], m)
	}
	return joined(all)
}

// reached lists findings, processors and capacity, one per line.
func reached(findings []plan.Failure, sockets []plan.ReachedSocket, capacity int64) []string {
	var out []string
	for _, f := range findings {
		out = append(out, fmt.Sprintf("fails: %s %s %s", f.Rule, f.Subject, f.Severity))
	}
	for _, s := range sockets {
		out = append(out, fmt.Sprintf("socket %s: class %s, %s MT/s, %s bytes/s, %s to %s of best", or(s.Socket), string(s.Class), or(s.ExpectedMTs), or(s.PeakBytes), or(s.Relative.Low), or(s.Relative.High)))
	}
	slices.Sort(out)
	return append(out, fmt.Sprint(capacity, " bytes"))
}

// runsOtherwise reports a processor whose memory runs at another clock than the expected one.
func runsOtherwise(inv *report.Inventory) bool {
	for _, p := range inv.Population.Sockets {
		for i := range inv.Slots {
			s := &inv.Slots[i]
			if p.ExpectedMTs.Known() && s.ConfiguredMTs.Known() && or(s.Socket) == or(p.Socket) && ddr.Nominal(s.ConfiguredMTs.Value) != p.ExpectedMTs.Value {
				return true
			}
		}
	}
	return false
}

func or[T any](p *T) string {
	if p == nil {
		return "?"
	}
	return fmt.Sprint(*p)
}

// TestAdviceCarriedOutInTheText applies each advice about the modules of every real machine to dmidecode's text of
// that machine: the report on the new text must be what the advice promised, to the last figure.
func TestAdviceCarriedOutInTheText(t *testing.T) {
	counts, with := map[string]int{}, newTextAuditor(t)
	for _, source := range []string{corpustest.Servers, corpustest.Workstations, corpusFiles} {
		eachText(t, source, func(name string, text []byte) {
			before := with.audited(t, text)
			if before == nil {
				return
			}
			for i := range before.Advice {
				a := &before.Advice[i]
				if a.ID == plan.Settings {
					continue
				}
				counts[string(a.ID)]++
				after := with.audited(t, carriedOut(t, text, before.Inventory.Slots, a))
				require.NotNil(t, after, name)
				var findings []plan.Failure
				for j := range after.Findings {
					if f := &after.Findings[j]; f.Result == "fail" {
						findings = append(findings, plan.Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
					}
				}
				var sockets []plan.ReachedSocket
				for _, p := range after.Inventory.Population.Sockets {
					sockets = append(sockets, plan.ReachedSocket{Socket: p.Socket, Reached: plan.Reached{Class: p.Class, ExpectedMTs: p.ExpectedMTs.Pointer(), PeakBytes: p.PeakBytes.Pointer(), Relative: p.Relative}})
				}
				var capacity int64
				for j := range after.Inventory.Slots {
					if s := &after.Inventory.Slots[j]; s.SizeBytes.Known() && s.Technology.Or("") == inventory.DRAM {
						capacity += s.SizeBytes.Value
					}
				}
				promised, stays := slices.Clone(a.Reaches.Sockets), a.Reaches.Findings
				if runsOtherwise(&before.Inventory) { // the promise is at the clock that runs, which the text after the steps does not have
					stays = slices.DeleteFunc(slices.Clone(stays), func(f plan.Failure) bool { return f.Rule == "memory.speed.expected" })
					for j := range promised {
						promised[j].PeakBytes, promised[j].Relative = nil, population.Relative{}
					}
					for j := range sockets {
						sockets[j].PeakBytes, sockets[j].Relative = nil, population.Relative{}
					}
				}
				assert.Equal(t, reached(stays, promised, *a.Reaches.CapacityBytes), reached(findings, sockets, capacity), "%s: %s", name, a.ID)
			}
		})
	}
	corpustest.LogCounts(t, "advice", counts)
	assert.Greater(t, counts["move"], 30)
	assert.Greater(t, counts["install"], 200)
}

// mostTransferred is how many machines are planned for together.
const mostTransferred = 200

// TestTransfersCarriedOutInTheText plans for 200 real machines together, and carries out on both sides what modules that
// some give up do in others: the module itself is put into the other machine's text. Nothing fails at warning or above
// that the plan does not name, neither where modules come from nor where they go.
func TestTransfersCarriedOutInTheText(t *testing.T) {
	dir, texts := t.TempDir(), map[string][]byte{}
	n := 0
	eachText(t, corpustest.Servers, func(name string, text []byte) {
		if n++; n%5 == 0 && len(texts) < mostTransferred {
			file := fmt.Sprintf("m%04d.txt", n)
			texts[file] = text
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600), name)
		}
	})
	_, d := fleetOf(t, nil, "--plan", dir)
	textOf := func(machine string) []byte {
		for file, text := range texts {
			if strings.HasSuffix(machine+".txt", strings.TrimSuffix(file, ".txt")+".txt") || strings.HasSuffix(machine, file) {
				return text
			}
		}
		require.Fail(t, "no text of "+machine)
		return nil
	}
	with, counts := newTextAuditor(t), map[string]int{"machines": len(texts)}
	severe := func(findings []plan.Failure) (out []string) {
		for _, f := range findings {
			if f.Severity != verdict.Info && f.Rule != "memory.speed.expected" {
				out = append(out, f.Rule+" "+f.Subject.String())
			}
		}
		slices.Sort(out)
		return out
	}
	holds := func(c *fleet.Change, text []byte) {
		after := with.audited(t, text)
		require.NotNil(t, after, c.Machine)
		var findings []plan.Failure
		for j := range after.Findings {
			if f := &after.Findings[j]; f.Result == verdict.Fail {
				findings = append(findings, plan.Failure{Rule: f.Rule, Subject: f.Subject, Severity: f.Severity})
			}
		}
		assert.Equal(t, severe(c.Advice.Reaches.Findings), severe(findings), c.Machine)
	}
	for i := range d.Plan.Transfers {
		c := &d.Plan.Transfers[i]
		counts["cured by others' modules"]++
		counts["modules"] += c.Modules
		before := with.audited(t, textOf(c.Machine))
		after := blocks(carriedOut(t, textOf(c.Machine), before.Inventory.Slots, &c.Advice))
		nth := 0
		for _, s := range c.Advice.Steps {
			if s.Do != plan.Install {
				continue
			}
			giver := blocks(textOf(c.Origins[nth].Machine))
			for _, from := range devices(giver) {
				if strings.Contains(giver[from], "\n\tLocator: "+c.Origins[nth].Slot+"\n") && s.To != "" {
					module := module(giver[from])
					for k := range module {
						module[k] = ranAt.ReplaceAllString(module[k], "$1: Unknown")
					}
					at := devices(after)[strings.ToLower(s.To)]
					after[at] = holding(after[at], module)
					counts["put in as they are"]++
				}
			}
			nth++
		}
		holds(c, joined(after))
	}
	for i := range d.Plan.GiveUp {
		c := &d.Plan.GiveUp[i]
		counts["giving"]++
		before := with.audited(t, textOf(c.Machine))
		holds(c, carriedOut(t, textOf(c.Machine), before.Inventory.Slots, &c.Advice))
	}
	corpustest.LogCounts(t, "transfers", counts)
	assert.Greater(t, counts["cured by others' modules"], 5)
}

// blocks are the structures of a dmidecode text.
func blocks(text []byte) []string { return strings.Split(string(text), "\n\n") }

func joined(blocks []string) []byte { return []byte(strings.Join(blocks, "\n\n")) }

// withoutRanges makes the mapped address ranges and HPE's records of modules inactive, because they refer to modules
// that have changed places. Removing them would leave fewer structures than the table announces, and a truncated
// table is not checked.
func withoutRanges(text []byte) []byte {
	all := blocks(text)
	for i, b := range all {
		if strings.Contains(b, "\nMemory Device Mapped Address\n") || strings.Contains(b, "\nMemory Array Mapped Address\n") ||
			strings.Contains(b, ", DMI type 202, ") {
			handle, _, _ := strings.Cut(b, "\n")
			all[i] = typeNumber.ReplaceAllString(handle, "DMI type 126") + "\nInactive"
		}
	}
	return joined(all)
}

// devices are the positions of the memory devices by their handle, in small letters.
func devices(blocks []string) map[string]int {
	out := map[string]int{}
	for i, b := range blocks {
		if !strings.Contains(b, "\n"+memoryDevice+"\n") {
			continue
		}
		handle, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(b), "Handle "), ",")
		out[strings.ToLower(handle)] = i
	}
	return out
}

// module returns a memory device's module fields.
func module(device string) []string {
	return slices.DeleteFunc(strings.Split(device, "\n"), func(line string) bool {
		return !strings.HasPrefix(line, "\t") || identityLine.MatchString(line)
	})
}

// holding returns the memory device with another module, or none.
func holding(device string, module []string) string {
	lines := strings.Split(device, "\n")
	slot := slices.DeleteFunc(slices.Clone(lines[2:]), func(line string) bool {
		return strings.HasPrefix(line, "\t") && !identityLine.MatchString(line)
	})
	return strings.Join(slices.Concat(lines[:2], slot, module), "\n")
}

// audited returns the report on a text, nil if it cannot be read.
func (a *textAuditor) audited(t *testing.T, text []byte) *report.Report {
	t.Helper()
	doc, failed := a.document(t, text)
	if failed != nil {
		t.Log(failed)
	}
	return doc
}

const memoryDevice = "Memory Device"

var typeNumber = regexp.MustCompile(`DMI type \d+`)

var identityLine = regexp.MustCompile(`^\t(Array Handle|Error Information Handle|Locator|Bank Locator|Set): `)
