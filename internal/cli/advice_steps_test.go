package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/source/smbios/smbiostest"
	"github.com/memaudit/memaudit/internal/tools/machinetest"
)

// westmereBoard is the SMBIOS table of a board with two Westmere-EP and three slots on
// each of three channels, and the modules by the slots' handles.
func westmereBoard(modules map[string]int64) []byte {
	b := smbiostest.New(2, 6)
	b.BIOS(smbiostest.BIOS{Vendor: "AMI", Version: "1.0", Date: "01/31/2011"})
	b.System(smbiostest.System{Manufacturer: "Supermicro", Product: "X8DT3"})
	b.Board(smbiostest.Board{Manufacturer: "Supermicro", Product: "X8DT3"})
	for cpu := range 2 {
		b.CPU(smbiostest.CPU{Socket: fmt.Sprintf("CPU%d", cpu+1), Manufacturer: "Intel", Version: "Intel(R) Xeon(R) CPU           X5650  @ 2.67GHz",
			ID: machinetest.Signature(6, 44, 2), Family: 0xB3, Cores: 6, Enabled: 6, Threads: 12})
	}
	array := b.Array(smbiostest.Array{Devices: 18, MaxBytes: 288 << 30})
	b.NextHandle(0x1100)
	for n := range 18 {
		d := smbiostest.DIMM{Array: array, Type: 0x18, Locator: fmt.Sprintf("P%d-DIMM%d%c", n/9+1, n/3%3+1, 'A'+n%3), Bank: fmt.Sprintf("BANK%d", n)}
		if size := modules[handleOf(n)]; size > 0 {
			d.Bytes, d.Speed, d.Rank, d.Manufacturer, d.Part = size, 1333, 2, "Samsung", fmt.Sprintf("M%d", size>>30)
		}
		b.MemoryDevice(d)
	}
	return b.Dump()
}

func handleOf(slot int) string { return fmt.Sprintf("0x%04X", 0x1100+slot) }

// carriedDoc is what the test reads of a report.
type carriedDoc struct {
	Findings []struct{ Rule, Subject, Result, Severity string }
	Advice   []struct {
		ID                       string
		Moves, Installs, Removes int
		Steps                    []struct {
			Do, From, To, At, Like string
			Module                 struct {
				Bytes int64 `json:"size_bytes"`
			}
		}
		Reaches struct {
			Findings []struct{ Rule, Subject, Severity string }
			Capacity int64 `json:"capacity_bytes"`
		}
	}
}

// carryOut applies the steps of an advice in their order, as the interface defines them, and checks that each is
// possible at that point.
func (d *carriedDoc) carryOut(t *testing.T, nth int, modules map[string]int64) map[string]int64 {
	t.Helper()
	now := map[string]int64{}
	for slot, size := range modules {
		now[slot] = size
	}
	take := func(slot string) int64 {
		require.Positive(t, now[slot], "%s holds a module", slot)
		size := now[slot]
		delete(now, slot)
		return size
	}
	for _, s := range d.Advice[nth].Steps {
		put := int64(0)
		switch s.Do {
		case "remove":
			take(s.From)
			continue
		case "swap":
			one, other := take(s.From), take(s.To)
			now[s.From], put = other, one
		case "move":
			put = take(s.From)
		case "install":
			put = s.Module.Bytes
			assert.Equal(t, modules[s.Like], put, "like is a slot of the machine as it was")
		default:
			require.Fail(t, "unexpected step", s.Do)
		}
		require.Zero(t, now[s.To], "%s is empty by then", s.To)
		now[s.To] = put
	}
	return now
}

// TestSwapsCarriedOut checks that the JSON's steps swap modules on a full board, and that applying them gives the
// machine that the advice promises, with the same modules.
func TestSwapsCarriedOut(t *testing.T) {
	modules := map[string]int64{}
	for n := range 18 {
		modules[handleOf(n)] = 4 << 30
		if n/3 == 0 || n/3 == 5 { // P1-DIMM1A to 1C and P2-DIMM3A to 3C
			modules[handleOf(n)] = 2 << 30
		}
	}
	audit := func(modules map[string]int64) (doc carriedDoc) {
		_, out, errs := run(westmereBoard(modules), "check", "--smbios", "-", "--format", "json")
		require.NoError(t, json.Unmarshal([]byte(out), &doc), errs)
		return doc
	}
	before := audit(modules)
	require.Len(t, before.Advice, 1)
	a := &before.Advice[0]
	assert.Equal(t, "move", a.ID)
	assert.Equal(t, []int{8, 0, 0}, []int{a.Moves, a.Installs, a.Removes}, "modules that change places are neither bought nor taken out")
	carried := before.carryOut(t, 0, modules)
	changed := 0
	for slot, size := range modules {
		if carried[slot] != size {
			changed++
		}
	}
	assert.Equal(t, 8, changed)
	after := audit(carried)
	var fails, promised []string
	for _, f := range after.Findings {
		if f.Result == "fail" {
			fails = append(fails, f.Rule+" "+f.Subject+" "+f.Severity)
		}
	}
	for _, f := range a.Reaches.Findings {
		promised = append(promised, f.Rule+" "+f.Subject+" "+f.Severity)
	}
	slices.Sort(fails)
	slices.Sort(promised)
	assert.Equal(t, promised, fails)
	assert.NotContains(t, promised, "memory.channel.symmetric socket 0 warning")
	assert.Equal(t, int64(60<<30), a.Reaches.Capacity)
	_, out, _ := run(westmereBoard(modules), "check", "--smbios", "-")
	assert.Contains(t, out, "Nothing to buy")
	assert.Contains(t, out, "swap the modules of P1-DIMM")
}
