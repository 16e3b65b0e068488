package place

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/fact"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
)

// stated makes what a controller says: socket, controller, channel and slot.
func stated(socket, controller, channel, slot int) *inventory.Location {
	return &inventory.Location{Processor: socket, Controller: controller, Channel: channel, Index: slot}
}

// TestController: what the management controller says of a slot bears the map
// out, settles it or brings it into doubt.
func TestController(t *testing.T) {
	ami := func() *inventory.System {
		return running(board("Supermicro", "Super Server", "P", "P1-DIMM{A..C}1@NO~DIMM* P1-DIMM{A..C}2@NO~DIMM"), 2666, 1)
	}
	t.Run("bears out", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, i%3+1, i+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out))
		assert.True(t, out[0].Witnessed)
		assert.Equal(t, "0.0.0.0 0.0.1.0 0.0.2.0", seats(sys, out))
	})
	t.Run("doubts", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, i/2+1, i+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		require.Len(t, doubts(sys, out), 1)
		assert.Contains(t, out[0].Doubt, `puts "P1-DIMMA1" on channel 0 and "P1-DIMMB1" on channel 1, and the management controller says that they share a channel`)
		assert.Equal(t, fact.Indirect, out[0].Certainty)
	})
	t.Run("all on one channel is no witness", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, 1, i+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out))
		assert.False(t, out[0].Witnessed)
	})
	t.Run("a module that it leaves out", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots[1:] {
			sys.Slots[i+1].BMC = stated(1, 1, 1, i+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out))
		assert.False(t, out[0].Witnessed)
	})
	unmapped := func() *inventory.System {
		return board("HPE", "ProLiant DL9999 Gen12", "PP", "PROC~{1,2}~DIMM~{1..4}*")
	}
	t.Run("settles", func(t *testing.T) {
		sys := unmapped()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(i/4+1, 0, []int{6, 6, 2, 2}[i%4], i%4+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, "0.1.5.- 0.1.5.- 0.0.1.- 0.0.1.- 1.1.5.- 1.1.5.- 1.0.1.- 1.0.1.-", seats(sys, out))
		assert.Equal(t, sourceBMC, out[0].Source)
		assert.Equal(t, fact.Indirect, out[0].Certainty)
	})
	t.Run("settles slots of a channel", func(t *testing.T) {
		for first, want := range map[int]string{ // a number below 0 is none, and then no slot's number is taken
			0:  "0.1.5.0 0.1.5.1 0.0.1.0 0.0.1.1 1.1.5.0 1.1.5.1 1.0.1.0 1.0.1.1",
			1:  "0.1.5.- 0.1.5.- 0.0.1.- 0.0.1.- 1.1.5.- 1.1.5.- 1.0.1.- 1.0.1.-",
			-1: "0.1.5.- 0.1.5.- 0.0.1.- 0.0.1.- 1.1.5.- 1.1.5.- 1.0.1.- 1.0.1.-",
		} {
			sys := unmapped()
			for i := range sys.Slots {
				sys.Slots[i].BMC = stated(i/4+1, 0, []int{6, 6, 2, 2}[i%4], i%2+first)
			}
			out, _ := Slots(sys, plat6, corpustest.Rules(t))
			assert.Equal(t, want, seats(sys, out), first)
		}
	})
	t.Run("settles nothing without all modules", func(t *testing.T) {
		sys := unmapped()
		for i := range sys.Slots[1:] {
			sys.Slots[i].BMC = stated(i/4+1, 0, i%4+1, i%4+1)
		}
		out, _ := Slots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, strings.Repeat("0.-.-.- ", 4)+strings.TrimSpace(strings.Repeat("1.-.-.- ", 4)), seats(sys, out))
	})
	t.Run("unverified map", func(t *testing.T) {
		for _, whole := range []bool{true, false} {
			sys := board("Dell Inc.", "PowerEdge R760", "P", "A{1..8}* A{9..16}")
			for i := range sys.Slots {
				if whole || i < 8 {
					sys.Slots[i].BMC = stated(0, -1, i%8, i/8)
				}
			}
			out, _ := Slots(sys, plat8, corpustest.Rules(t))
			assert.Equal(t, !whole, out[0].Unverified)
			assert.Equal(t, map[bool]fact.Certainty{true: fact.Corroborated, false: fact.Indirect}[whole], out[0].Certainty)
		}
	})
}

// TestLabelledEDAC: somebody gave the board's labels to the drivers' modules, so
// that each is known to be on a channel, whatever its size.
func TestLabelledEDAC(t *testing.T) {
	machine := func(labels ...string) *inventory.System {
		sys := board("Example", "E1", "P", "SLOT~{1..4}*")
		sys.Slots[1].SizeBytes = known(int64(16 << 30))
		for mc := range 2 {
			c := inventory.Controller{Index: mc}
			for n := range 2 {
				c.DIMMs = append(c.DIMMs, inventory.ControllerDIMM{Label: known(labels[2*mc+n]), Location: known(fmt.Sprintf("channel %d slot 0", n)), SizeBytes: known(int64(8 << 30))})
			}
			sys.EDAC = append(sys.EDAC, c)
		}
		return sys
	}
	sys := machine("SLOT_3", "SLOT_1", "SLOT_2", "SLOT_4")
	out, _ := Slots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 4, Controllers: 2, MaxDPC: 2}, corpustest.Rules(t))
	assert.Equal(t, "0.0.1.0 0.1.2.0 0.0.0.0 0.1.3.0", seats(sys, out))
	assert.Equal(t, sourceEDAC, out[0].Source)
	assert.Equal(t, fact.Indirect, out[0].Certainty)
	out, _ = Slots(machine("SLOT_3", "SLOT_1", "SLOT_2", "other"), plat4, corpustest.Rules(t))
	assert.Equal(t, Unplaced, out[0].Channel, "a label that names no slot")

	lettered := func(first string) []string {
		sys := running(board("Supermicro", "Super Server", "P", "P1-DIMM{A,B}1@NO~DIMM*"), 2666, 1)
		c := inventory.Controller{}
		for n, label := range []string{first, "P1_DIMMB1"} {
			c.DIMMs = append(c.DIMMs, inventory.ControllerDIMM{Label: known(label), Location: known(fmt.Sprintf("channel 0 slot %d", n)), SizeBytes: known(int64(8 << 30))})
		}
		sys.EDAC = []inventory.Controller{c}
		out, _ := Slots(sys, plat2, corpustest.Rules(t))
		return doubts(sys, out)
	}
	require.Len(t, lettered("P1_DIMMA1"), 1)
	assert.Contains(t, lettered("P1_DIMMA1")[0], "the driver of the memory controller says that they share a channel")
}

// bmcRows reads the slots that controllers of real machines describe.
func bmcRows(t *testing.T) map[string]*inventory.System {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/memory-location.tsv"))
	require.NoError(t, err)
	defer f.Close()
	out := map[string]*inventory.System{}
	number := func(s string) int {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
		return -1
	}
	for in := bufio.NewScanner(f); in.Scan(); {
		c := strings.Split(in.Text(), "\t")
		if strings.HasPrefix(c[0], "#") || c[0] == "vendor" {
			continue
		}
		require.Len(t, c, 13)
		sys := out[c[1]]
		if sys == nil {
			sys = &inventory.System{}
			sys.Machine.Vendor, sys.Machine.Product = known(c[0]), known(c[1])
			out[c[1]] = sys
		}
		locator := c[3]
		if locator == "" {
			locator = c[4]
		}
		s := inventory.Slot{Handle: uint16(0x1100 + len(sys.Slots)), State: inventory.SlotEmpty, Technology: known(inventory.DRAM), Locator: said(locator), BankLocator: said("")}
		if number(c[10]) > 0 {
			s.State, s.SizeBytes = inventory.SlotPopulated, known(int64(number(c[10]))<<20)
		}
		if number(c[6]) >= 0 && number(c[8]) >= 0 {
			s.BMC = stated(number(c[6]), number(c[7]), number(c[8]), number(c[9]))
		}
		sys.Slots = append(sys.Slots, s)
	}
	return out
}

// TestControllersOfRealMachines checks the maps against what the machines' own
// controllers say: they agree on which slots share a channel, or the controller
// places what no map does. Not placed are machines whose controller gives no
// channels (Cray, Dell) and DMTF's invented example, which gives all modules one.
func TestControllersOfRealMachines(t *testing.T) {
	kinds := map[string]*platform.Platform{
		"ProLiant DL325 Gen10 Plus": plat8, "HPE Alletra Storage Server 4220 Gen12": plat8, "ProLiant DL360 Gen10 Plus": plat8,
		"HPE ProLiant Compute DL360 Gen12": plat8, "ProLiant DL380a Gen11": plat8, "ProLiant DL380 Gen11": plat8, "ThinkSystem SR650 V2": plat8,
		"TA-UNODE-G1": plat4, "UCSC-C220-M4S": plat4, "UCS S3260": plat4, "UCSC-C220-M5SX": plat6, "UCSC-C225-M6S": plat8, "Super Server": plat2,
	}
	machines := bmcRows(t)
	for model, p := range kinds {
		sys := machines[model]
		require.NotNil(t, sys, model)
		sockets := map[int]bool{}
		for i := range sys.Slots {
			if at := sys.Slots[i].BMC; at != nil {
				sockets[at.Processor] = true
			}
		}
		for id := range len(sockets) {
			sys.Sockets = append(sys.Sockets, inventory.Socket{ID: id, Populated: known(true)})
		}
		out, _ := Slots(sys, p, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out), model)
		for i, o := range out {
			if sys.Slots[i].State == inventory.SlotPopulated {
				assert.NotEqual(t, Unplaced, o.Channel, "%s %s: %s", model, sys.Slots[i].Locator.Value, o.Reason)
				assert.False(t, o.Unverified, model)
				assert.Equal(t, o.Source == sourceBMC, o.Certainty == fact.Indirect, model)
			}
		}
	}
}

// labelFiles are the boards of label files (rasdaemon, edac-utils) by product,
// every slot filled: what ras-mc-ctl would tell the drivers of such a machine.
func labelFiles(t *testing.T) map[string]*inventory.System {
	f, err := os.Open(corpustest.Shared(t, "knowledge/memory-population/edac-labels.tsv"))
	require.NoError(t, err)
	defer f.Close()
	out := map[string]*inventory.System{}
	for in := bufio.NewScanner(f); in.Scan(); {
		c := strings.Split(in.Text(), "\t")
		if len(c) != 12 || c[9] != "mc.channel.slot" || c[11] != "" {
			continue // other forms give a module several rows; a note marks a slip of the file
		}
		for product := range strings.SplitSeq(c[2], ", ") {
			file, _, _ := strings.Cut(c[10], "#")
			key := product + " in " + file
			sys := out[key]
			if sys == nil {
				sys = board(c[0], product, "PPPP")
				sys.Sockets = nil
				out[key] = sys
			}
			sys.Slots = append(sys.Slots, slotOf(strings.ReplaceAll(c[3], " ", "~")+"*", len(sys.Slots)))
			mc, err := strconv.Atoi(c[4])
			require.NoError(t, err)
			for len(sys.EDAC) <= mc {
				sys.EDAC = append(sys.EDAC, inventory.Controller{Index: len(sys.EDAC)})
			}
			sys.EDAC[mc].DIMMs = append(sys.EDAC[mc].DIMMs, inventory.ControllerDIMM{Label: known(c[3]), Location: known("channel " + c[7] + " slot " + c[8]), SizeBytes: known(int64(8 << 30))})
		}
	}
	return out
}

// TestMapsAgainstLabelFiles checks slot maps and patterns against label files:
// the same slots share a channel.
func TestMapsAgainstLabelFiles(t *testing.T) {
	compared := 0
	for name, sys := range labelFiles(t) {
		out, _ := Slots(sys, &platform.Platform{NUMA: true, MaxDPC: 3}, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out), name)
		if out[0].Channel != Unplaced && out[0].Source != sourceEDAC {
			assert.False(t, out[0].Unverified, "%s: a label file bears the map out", name)
			compared++
		}
	}
	assert.GreaterOrEqual(t, compared, 55, "products whose maps a label file bears out")
}

// TestLabelFileContradicts: a label file that has two slots of a map's channel on
// two brings the map into doubt.
func TestLabelFileContradicts(t *testing.T) {
	sys := labelFiles(t)["PowerEdge R710 in mchehab/rasdaemon@769593be91:labels/dell"]
	require.NotNil(t, sys)
	first, last := &sys.EDAC[0].DIMMs[0], &sys.EDAC[0].DIMMs[len(sys.EDAC[0].DIMMs)-1]
	first.Location, last.Location = last.Location, first.Location
	out, _ := Slots(sys, plat3, corpustest.Rules(t))
	require.NotEmpty(t, doubts(sys, out))
	assert.Contains(t, doubts(sys, out)[0], "the driver of the memory controller says that they")
}
