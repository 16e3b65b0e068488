//go:build corpus

package place

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

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
		s := inventory.Slot{Handle: inventory.Handle(0x1100 + len(sys.Slots)), State: inventory.SlotEmpty, Technology: known(inventory.DRAM), Locator: label(locator), BankLocator: label("")}
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

// TestControllersOfRealMachines compares the maps with the machines' own controllers: they agree on which slots share
// a channel, or the controller places slots that no map does. Not placed are machines whose controller reports no
// channels (Cray, Dell) and DMTF's invented example, which has all modules on one.
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

// labelFiles are the boards of label files (rasdaemon, edac-utils) by product, every slot populated: what ras-mc-ctl
// would write to the drivers of such a machine.
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
