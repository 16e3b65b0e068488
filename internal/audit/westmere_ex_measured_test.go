package audit_test

import (
	"fmt"
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

// TestWestmereEXPositions checks the positions: two processors of an RX600 S6 are in CPU 1 and 3; the tables list 2,
// 3 and 4 processors there, 4, 6 and 8 in an RX900 S2.
func TestWestmereEXPositions(t *testing.T) {
	for n, want := range map[int]verdict.Result{1: verdict.Fail, 2: verdict.Fail, 3: verdict.Pass, 4: verdict.Pass} {
		a := wexFindings(t, rx600S6(n, []int64{8, 8}, []int64{8, 8}))
		assert.Equal(t, want, findings(a, "memory.socket.positions")["machine"].Result, n)
	}
	for n, want := range map[int]verdict.Result{3: verdict.Fail, 4: verdict.Pass, 5: verdict.Fail, 6: verdict.Pass, 7: verdict.Fail, 8: verdict.Pass} {
		a := wexFindings(t, rx900S2(n, "1A 1B 1C 1D 1E 1F 1G 1H"))
		assert.Equal(t, want, findings(a, "memory.socket.positions")["machine"].Result, n)
		f := findings(a, "memory.asymmetry.expected")["machine"]
		assert.Equal(t, map[bool]verdict.Result{true: verdict.Pass, false: verdict.NotApplicable}[n > 4], f.Result, n)
	}
}

// TestWestmereEXVoltage checks one 1.5 V module among low-voltage ones, which SMBIOS 2.8 reports.
func TestWestmereEXVoltage(t *testing.T) {
	sys := rx600S6(2, []int64{8, 8}, []int64{8, 8})
	for i := range sys.Slots {
		sys.Slots[i].MinMV = direct(1350)
	}
	assert.Equal(t, verdict.Pass, findings(wexFindings(t, sys), "memory.voltage.uniform")["machine"].Result)
	sys.Slots[1].MinMV = direct(1500)
	f := findings(wexFindings(t, sys), "memory.voltage.uniform")["machine"]
	assert.Equal(t, verdict.Fail, f.Result)
	assert.Equal(t, verdict.Info, f.Severity)
	assert.Contains(t, f.Why, "saving")
}
