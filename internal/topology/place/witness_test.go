package place

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/topology/platform"
)

// stated is a location reported by a controller: socket, controller, channel and slot.
func stated(socket, controller, channel, slot int) *inventory.Location {
	return &inventory.Location{Processor: socket, Controller: controller, Channel: channel, Index: slot}
}

// TestController checks that the BMC's location of a slot confirms the map, decides it or makes it doubtful.
func TestController(t *testing.T) {
	ami := func() *inventory.System {
		return running(board("Supermicro", "Super Server", "P", "P1-DIMM{A..C}1@NO~DIMM* P1-DIMM{A..C}2@NO~DIMM"), 2666, 1)
	}
	t.Run("bears out", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, i%3+1, i+1)
		}
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out))
		assert.True(t, out[0].Witnessed)
		assert.Equal(t, "0.0.0.0 0.0.1.0 0.0.2.0", seats(sys, out))
	})
	t.Run("doubts", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, i/2+1, i+1)
		}
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		require.Len(t, doubts(sys, out), 1)
		assert.Contains(t, out[0].Doubt, `puts "P1-DIMMA1" on channel 0 and "P1-DIMMB1" on channel 1, and the BMC says that they share a channel`)
		assert.Equal(t, fact.Indirect, out[0].Certainty)
	})
	t.Run("all on one channel is no witness", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots {
			sys.Slots[i].BMC = stated(1, 1, 1, i+1)
		}
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Empty(t, doubts(sys, out))
		assert.False(t, out[0].Witnessed)
	})
	t.Run("a module that it leaves out", func(t *testing.T) {
		sys := ami()
		for i := range sys.Slots[1:] {
			sys.Slots[i+1].BMC = stated(1, 1, 1, i+1)
		}
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
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
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
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
			out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
			assert.Equal(t, want, seats(sys, out), first)
		}
	})
	t.Run("settles nothing without all modules", func(t *testing.T) {
		sys := unmapped()
		for i := range sys.Slots[1:] {
			sys.Slots[i].BMC = stated(i/4+1, 0, i%4+1, i%4+1)
		}
		out, _ := LocateSlots(sys, plat6, corpustest.Rules(t))
		assert.Equal(t, strings.Repeat("0.-.-.- ", 4)+strings.TrimSpace(strings.Repeat("1.-.-.- ", 4)), seats(sys, out))
	})
	t.Run("unverified map", func(t *testing.T) {
		for _, complete := range []bool{true, false} {
			sys := board("Dell Inc.", "PowerEdge R660", "P", "A{1..8}* A{9..16}")
			for i := range sys.Slots {
				if complete || i < 8 {
					sys.Slots[i].BMC = stated(0, -1, i%8, i/8)
				}
			}
			out, _ := LocateSlots(sys, plat8, corpustest.Rules(t))
			assert.Equal(t, !complete, out[0].Unverified)
			assert.Equal(t, map[bool]fact.Certainty{true: fact.Corroborated, false: fact.Indirect}[complete], out[0].Certainty)
		}
	})
	t.Run("a map whose first slots alone are documented", func(t *testing.T) {
		sys := board("Dell Inc.", "PowerEdge R7515", "P", "A{1..8}* A{9..16}")
		out, _ := LocateSlots(sys, plat8, corpustest.Rules(t))
		assert.False(t, out[3].Unverified)
		assert.True(t, out[8].Unverified, "whether A9 shares a channel with A1 is inferred")
	})
}

// TestLabelledEDAC checks that labels that an administrator registered for the drivers' DIMMs give each a known
// channel, whatever its size.
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
	out, _ := LocateSlots(sys, &platform.Platform{NUMA: true, ChannelsPerSocket: 4, Controllers: 2, MaxDPC: 2}, corpustest.Rules(t))
	assert.Equal(t, "0.0.1.0 0.1.2.0 0.0.0.0 0.1.3.0", seats(sys, out))
	assert.Equal(t, sourceEDAC, out[0].Source)
	assert.Equal(t, fact.Indirect, out[0].Certainty)
	out, _ = LocateSlots(machine("SLOT_3", "SLOT_1", "SLOT_2", "other"), plat4, corpustest.Rules(t))
	assert.Equal(t, Unplaced, out[0].Channel, "a label that names no slot")

	lettered := func(first string) []string {
		sys := running(board("Supermicro", "Super Server", "P", "P1-DIMM{A,B}1@NO~DIMM*"), 2666, 1)
		c := inventory.Controller{}
		for n, label := range []string{first, "P1_DIMMB1"} {
			c.DIMMs = append(c.DIMMs, inventory.ControllerDIMM{Label: known(label), Location: known(fmt.Sprintf("channel 0 slot %d", n)), SizeBytes: known(int64(8 << 30))})
		}
		sys.EDAC = []inventory.Controller{c}
		out, _ := LocateSlots(sys, plat2, corpustest.Rules(t))
		return doubts(sys, out)
	}
	require.Len(t, lettered("P1_DIMMA1"), 1)
	assert.Contains(t, lettered("P1_DIMMA1")[0], "the driver of the memory controller says that they share a channel")
}
