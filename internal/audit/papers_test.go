package audit_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/audit"
	"memaudit.example/memaudit/internal/audit/verdict"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/population"
	"memaudit.example/memaudit/rules"
)

// paperRow is one row of a table of the founding papers and the test or pack for it.
type paperRow struct{ section, row, held string }

func paperRows(t *testing.T) []paperRow {
	t.Helper()
	data, err := os.ReadFile("testdata/papers.tsv")
	require.NoError(t, err)
	var out []paperRow
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, c, 3, line)
		out = append(out, paperRow{c[0], c[1], c[2]})
	}
	return out
}

// TestPaperRowsAreHeld checks that the test named by a row exists, that the pack it names contains the text, and that
// a row without a rule has a reason.
func TestPaperRowsAreHeld(t *testing.T) {
	tests := map[string]bool{}
	for _, pattern := range []string{"*_test.go", "../topology/*/*_test.go", "../cli/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			for line := range strings.Lines(string(data)) {
				if name, ok := strings.CutPrefix(line, "func Test"); ok {
					name, _, _ = strings.Cut(name, "(t *testing.T)")
					tests["Test"+name] = true
				}
			}
		}
	}
	texts := map[string]string{} // in one line, once a file
	for _, r := range paperRows(t) {
		kind, what, _ := strings.Cut(r.held, " ")
		switch kind {
		case "test":
			assert.True(t, tests[what], "%s is no test: %s %s", what, r.section, r.row)
		case "text":
			file, text, _ := strings.Cut(what, ": ")
			if texts[file] == "" {
				data, err := os.ReadFile(filepath.Join("../../rules", file))
				require.NoError(t, err)
				texts[file] = strings.Join(strings.Fields(string(data)), " ")
			}
			assert.NotEmpty(t, text)
			assert.Contains(t, texts[file], text, "%s %s in %s", r.section, r.row, file)
		default:
			assert.Equal(t, "none:", kind, "%s %s", r.section, r.row)
			assert.NotEmpty(t, what, "%s %s", r.section, r.row)
		}
	}
}

// wexRow is one configuration of the Fujitsu paper, per processor.
type wexRow struct {
	boards, gb, n4, n8, n16 int
	shorthand, class        string
}

// wexRows reads the paper's 34 + 9 configurations from population's table.
func wexRows(t *testing.T) []wexRow {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "topology", "population", "testdata", "westmere-ex-configurations.csv"))
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	all, err := r.ReadAll()
	require.NoError(t, err)
	var out []wexRow
	for _, c := range all[1:] {
		num := func(i int) int { n, err := strconv.Atoi(c[i]); require.NoError(t, err); return n }
		out = append(out, wexRow{num(0), num(1), num(2), num(3), num(4), c[5], c[8]})
	}
	return out
}

// pairs lays the row's kits as the paper prescribes: larger DIMMs first, every
// kit of four over both boards, or as two pairs on the only one.
func (r wexRow) pairs() [][]int64 {
	var one []int64
	for _, k := range [][2]int{{16, r.n16}, {8, r.n8}, {4, r.n4}} {
		for range k[1] / (2 * r.boards) {
			one = append(one, int64(k[0]))
		}
	}
	if r.boards == 1 {
		return [][]int64{one}
	}
	return [][]int64{one, one}
}

// boardOrder is the paper's fill order of a memory board, by lockstep pairs.
var boardOrder = [][2]string{{"1B", "1D"}, {"1A", "1C"}, {"2B", "2D"}, {"2A", "2C"}}

// rx600S6 builds an RX600 S6 with its own slot labels. boards are the sizes in
// GB of the lockstep pairs of each board, in fill order; 0 is an empty pair.
func rx600S6(sockets int, boards ...[]int64) *inventory.System {
	sys := &inventory.System{Settings: map[string]inventory.Setting{}}
	sys.Machine.Vendor, sys.Machine.Product = direct("FUJITSU"), direct("PRIMERGY RX600 S6")
	sys.Machine.Virtual, sys.Firmware.SMBIOS = direct(false), direct(true)
	for s := range sockets {
		sys.Sockets = append(sys.Sockets, inventory.Socket{ID: s, Populated: direct(true), Vendor: direct("GenuineIntel"),
			Family: direct(6), Model: direct(47), Stepping: direct(2), Brand: direct("Intel(R) Xeon(R) CPU E7- 4870  @ 2.40GHz")})
		for board := range 2 {
			for i, pair := range boardOrder {
				size := int64(0)
				if board < len(boards) && i < len(boards[board]) {
					size = boards[board][i]
				}
				for _, name := range pair {
					sys.Slots = append(sys.Slots, wexSlot(len(sys.Slots), s, board, name, size))
				}
			}
		}
	}
	inventory.NameSlots(sys.Slots)
	return sys
}

func wexSlot(n, socket, board int, name string, gb int64) inventory.Slot {
	s := inventory.Slot{Handle: inventory.Handle(0x1100 + n), Row: n, State: inventory.SlotEmpty, Soldered: direct(false),
		Technology: direct(inventory.DRAM), Locator: direct("DIMM-" + name), BankLocator: direct(fmt.Sprintf("CPU%d-MEM-%c", socket+1, 'A'+board))}
	if gb > 0 {
		s.State, s.SizeBytes, s.Type = inventory.SlotPopulated, direct(gb<<30), direct("DDR3")
		s.Ranks, s.RatedMTs, s.Registered = direct(int(gb)/4), direct(1333), direct(true)
		s.TotalWidth, s.DataWidth = direct(72), direct(64)
	}
	return s
}

// wexFindings audits a Westmere-EX machine with the built-in rules.
func wexFindings(t *testing.T, sys *inventory.System) *verdict.Audit {
	t.Helper()
	topo := population.Derive(sys, rules.FS)
	require.True(t, topo.Platform.Known(), topo.Platform.Reason)
	return run(t, builtin(t), sys, topo, audit.Options{})
}

// TestWestmereEXClasses checks the verdicts against every printed configuration.
func TestWestmereEXClasses(t *testing.T) {
	rows := wexRows(t)
	require.Len(t, rows, 34+9)
	for i, row := range rows {
		t.Run(fmt.Sprintf("%d %s %dGB", i, row.shorthand, row.gb), func(t *testing.T) {
			a := wexFindings(t, rx600S6(4, row.pairs()...))
			f := findings(a, "memory.class.optimal")["machine"]
			if row.class == "1" {
				assert.Equal(t, verdict.Pass, f.Result, f.Reason)
			} else {
				assert.Equal(t, verdict.Fail, f.Result, f.Reason)
				assert.Equal(t, verdict.Warning, f.Severity)
				assert.Contains(t, f.Found, "class "+row.class)
				require.NotNil(t, f.Effect)
				assert.Contains(t, f.Effect.Text, map[string]string{"2": "STREAM 0.61", "3": "STREAM 0.42"}[row.class])
				assert.Contains(t, f.Effect.Text, "E7-4870")
			}
			for _, s := range []string{"socket 0", "socket 3"} {
				twoBoards := map[bool]verdict.Result{true: verdict.Pass, false: verdict.Fail}[row.boards == 2]
				assert.Equal(t, verdict.Pass, findings(a, "memory.lockstep.identical")[s].Result)
				assert.Equal(t, twoBoards, findings(a, "memory.interleave.controllers")[s].Result)
				assert.Equal(t, twoBoards, findings(a, "memory.hemisphere.possible")[s].Result)
				assert.Equal(t, verdict.Pass, findings(a, "memory.slot.order")[s].Result, findings(a, "memory.slot.order")[s].Found)
				assert.Equal(t, verdict.Pass, findings(a, "memory.count.supported")[s].Result)
				assert.Equal(t, verdict.Pass, findings(a, "memory.dimm.uniform")[s].Result)
				// SMBIOS 2.6 has no configured speed and no voltages.
				assert.Equal(t, verdict.Unknown, findings(a, "memory.speed.expected")[s].Result)
			}
			assert.Equal(t, verdict.Pass, findings(a, "memory.socket.symmetric")["machine"].Result)
			assert.Equal(t, verdict.Unknown, findings(a, "memory.voltage.uniform")["machine"].Result)
			assert.Zero(t, a.Summary.Error)
		})
	}
}

// TestWestmereEXFaults breaks one thing at a time.
func TestWestmereEXFaults(t *testing.T) {
	full := []int64{8, 8, 8, 8}
	for _, c := range []struct {
		name   string
		boards [][]int64
		change func(*inventory.System)
		rule   string
		want   verdict.Result
		level  verdict.Severity
		found  string
		caused string
	}{
		{"one pair of one board is discouraged", [][]int64{{8}}, nil, "memory.class.optimal", verdict.Fail, verdict.Critical, "class discouraged", "memory.interleave.controllers"},
		{"two DIMMs", [][]int64{{8}}, nil, "memory.count.supported", verdict.Fail, verdict.Warning, "2 DIMMs: CPU1-MEM-A DIMM-1B and CPU1-MEM-A DIMM-1D", ""},
		{"a pair of unequal modules", [][]int64{full, full}, func(s *inventory.System) { s.Slots[1].SizeBytes = direct(int64(4) << 30) },
			"memory.lockstep.identical", verdict.Fail, verdict.Critical, "differ in size", ""},
		{"no class for unequal modules", [][]int64{full, full}, func(s *inventory.System) { s.Slots[1].SizeBytes = direct(int64(4) << 30) },
			"memory.class.optimal", verdict.Unknown, "", "", "memory.lockstep.identical"},
		{"half a pair", [][]int64{full, full}, func(s *inventory.System) { s.Slots[1].State = inventory.SlotEmpty },
			"memory.lockstep.identical", verdict.Fail, verdict.Critical, "DIMM-1B and CPU1-MEM-A DIMM-2D differ in position", ""},
		{"equal capacity in other modules", [][]int64{{16}, {8, 8}}, nil, "memory.interleave.controllers", verdict.Pass, "", "", ""},
		{"hemisphere wants the same modules", [][]int64{{16}, {8, 8}}, nil, "memory.hemisphere.possible", verdict.Fail, verdict.Info, "differ", ""},
		{"unequal controllers", [][]int64{full, {8, 8}}, nil, "memory.interleave.controllers", verdict.Fail, verdict.Warning, "controller 0: 8 DIMMs, 64 GiB and controller 1: 4 DIMMs, 32 GiB", ""},
		{"slot 2 before slot 1", [][]int64{{8, 8, 0, 8}, full}, nil, "memory.slot.order", verdict.Fail, verdict.Warning, "DIMM-2A", ""},
		{"smaller modules first", [][]int64{{4, 8}, {4, 8}}, nil, "memory.slot.order", verdict.Fail, verdict.Warning, "after the smaller", ""},
		{"larger modules first", [][]int64{{8, 4}, {8, 4}}, nil, "memory.slot.order", verdict.Pass, "", "", ""},
		{"second couple before the first", [][]int64{{0, 8}, {8}}, nil, "memory.slot.order", verdict.Fail, verdict.Warning, "earlier position", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := rx600S6(2, c.boards...)
			if c.change != nil {
				c.change(sys)
			}
			got := findings(wexFindings(t, sys), c.rule)
			f, ok := got["machine"]
			if !ok {
				f = got["socket 0"]
			}
			assert.Equal(t, c.want, f.Result, f.Reason)
			if c.level != "" {
				assert.Equal(t, c.level, f.Severity)
			}
			assert.Contains(t, f.Found, c.found)
			if c.caused != "" {
				assert.EqualValues(t, c.caused, f.CausedBy)
			}
		})
	}
}

// rx900S2 builds an RX900 S2 with 8 GB modules in the given slots of every
// processor, labelled 1A to 2H.
func rx900S2(sockets int, filled string) *inventory.System {
	sys := &inventory.System{Settings: map[string]inventory.Setting{}}
	sys.Machine.Vendor, sys.Machine.Product = direct("FUJITSU"), direct("PRIMERGY RX900 S2")
	sys.Machine.Virtual, sys.Firmware.SMBIOS = direct(false), direct(true)
	for s := range sockets {
		sys.Sockets = append(sys.Sockets, inventory.Socket{ID: s, Populated: direct(true), Vendor: direct("GenuineIntel"),
			Family: direct(6), Model: direct(47), Stepping: direct(2), Brand: direct("Intel(R) Xeon(R) CPU E7- 8870  @ 2.40GHz")})
		for _, name := range strings.Fields("1A 1B 1C 1D 1E 1F 1G 1H 2A 2B 2C 2D 2E 2F 2G 2H") {
			gb := int64(0)
			if strings.Contains(" "+filled+" ", " "+name+" ") {
				gb = 8
			}
			slot := wexSlot(len(sys.Slots), s, 0, name, gb)
			slot.BankLocator = direct(fmt.Sprintf("Node %d", s))
			sys.Slots = append(sys.Slots, slot)
		}
	}
	return sys
}

// wexMeasured is the paper's table of results: STREAM and
// SPECint_rate_base2006 relative to the full configuration.
var wexMeasured = []struct {
	layout   string
	boards   [][]int64
	rx900    string
	class    string
	stream   [2]float64 // RX600 S6, RX900 S2; 0 is not permitted
	specint  [2]string
	severity verdict.Severity
}{
	{"2-2|2-2", [][]int64{{8, 8, 8, 8}, {8, 8, 8, 8}}, "1A 1B 1C 1D 1E 1F 1G 1H 2A 2B 2C 2D 2E 2F 2G 2H", "1", [2]float64{1, 1}, [2]string{"1.00", "1.00"}, ""},
	{"1-1|1-1", [][]int64{{8, 8}, {8, 8}}, "1A 1B 1C 1D 1E 1F 1G 1H", "1", [2]float64{0.93, 0.94}, [2]string{"0.98", "0.99"}, ""},
	{"1-0|1-0", [][]int64{{8}, {8}}, "1B 1D 1F 1H", "2", [2]float64{0.61, 0.70}, [2]string{"0.91", "0.94"}, verdict.Warning},
	{"2-2|0-0", [][]int64{{8, 8, 8, 8}}, "1A 1B 1C 1D 2A 2B 2C 2D", "3", [2]float64{0.42, 0}, [2]string{"0.87", ""}, verdict.Warning},
	{"1-1|0-0", [][]int64{{8, 8}}, "1A 1B 1C 1D", "3", [2]float64{0.40, 0}, [2]string{"0.85", ""}, verdict.Warning},
	{"1-0|0-0", [][]int64{{8}}, "1B 1D", "discouraged", [2]float64{0.30, 0}, [2]string{"0.73", ""}, verdict.Critical},
}

// TestWestmereEXMeasuredTable checks every row of the results, on both systems: the class, the measured share, the
// quoted figures, and what is not permitted.
func TestWestmereEXMeasuredTable(t *testing.T) {
	for _, row := range wexMeasured {
		for n, sys := range []*inventory.System{rx600S6(4, row.boards...), rx900S2(8, row.rx900)} {
			t.Run(fmt.Sprintf("%s %s", row.layout, sys.Machine.Product.Value), func(t *testing.T) {
				topo := population.Derive(sys, rules.FS)
				p := &topo.Populations[0]
				assert.Equal(t, row.class, p.Class.Value.Name, p.Class.Reason)
				if row.stream[n] > 0 {
					require.NotNil(t, p.Relative.Value.Value)
					assert.InDelta(t, row.stream[n], *p.Relative.Value.Value, 1e-9)
				}
				a := run(t, builtin(t), sys, topo, audit.Options{})
				f := findings(a, "memory.class.optimal")["machine"]
				if row.class == "1" {
					assert.Equal(t, verdict.Pass, f.Result)
				} else {
					require.Equal(t, verdict.Fail, f.Result)
					want := []string{fmt.Sprintf("STREAM %.2f", row.stream[0]), row.specint[0]}
					if n == 1 && row.stream[1] > 0 {
						want = []string{fmt.Sprintf("STREAM %.2f", row.stream[1]), row.specint[1]}
					}
					if row.layout == "1-1|0-0" {
						want[0] = "0.40 and 0.85"
					}
					for _, figure := range want {
						assert.Contains(t, f.Effect.Text, figure)
					}
				}
				if n == 0 && row.severity != "" {
					assert.Equal(t, row.severity, f.Severity)
				}
				count := findings(a, "memory.count.supported")["socket 0"]
				permitted := n == 0 && row.layout != "1-0|0-0" || n == 1 && row.stream[1] > 0
				assert.Equal(t, map[bool]verdict.Result{true: verdict.Pass, false: verdict.Fail}[permitted], count.Result, count.Found)
			})
		}
	}
}
