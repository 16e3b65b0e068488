package text

import (
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// slotOf is a slot with a place: with a module of so many GiB, empty for 0.
func slotOf(locator string, socket, channel, row int, gib int64) report.Slot {
	bytes, technology := gib<<30, string(inventory.DRAM)
	s := report.Slot{Handle: "0x" + locator, Locator: &locator, State: string(inventory.SlotEmpty), Socket: &socket, Channel: &channel, Slot: &row, Technology: &technology}
	if gib > 0 {
		s.State, s.SizeBytes = string(inventory.SlotPopulated), &bytes
	}
	return s
}

func socketOf(id int, name string, populated *bool) report.Socket {
	return report.Socket{ID: id, Designation: &name, Populated: populated}
}

// pictureOf is the picture of the slots where so much is left out.
func pictureOf(width, tight int, inv *report.Inventory, findings ...report.Finding) string {
	return partOf(Options{Width: width}, tight, func(p *printer) { p.slotMap(inv, findings) })
}

// TestSocketsNotInUse: where room is shortest, sockets that have neither a processor nor a
// module are a title, and no others: not one of which it is not known whether it has one.
func TestSocketsNotInUse(t *testing.T) {
	yes, no := true, false
	inv := &report.Inventory{
		Sockets: []report.Socket{socketOf(0, "CPU0", &yes), socketOf(1, "CPU1", &no), socketOf(2, "CPU2", &no), socketOf(3, "CPU3", nil), socketOf(4, "CPU4", &no), socketOf(5, "CPU5", &yes)},
		Slots: []report.Slot{slotOf("A1", 0, 0, 0, 8), slotOf("B1", 1, 0, 0, 0), slotOf("C1", 2, 0, 0, 16), slotOf("D1", 3, 0, 0, 0), slotOf("D2", 3, 1, 0, 0),
			slotOf("E1", 4, 0, 0, 0), slotOf("F1", 5, 0, 0, 0), slotOf("F2", 5, 1, 0, 0), slotOf("F3", 5, 2, 0, 0)},
	}
	require.Equal(t, `slots in GiB: . empty, ? unknown; MT/s: million transfers per second
  socket 0  CPU0
  channel     0
  slot 0   A1:8
  sockets 1,4  (no processors), their slots are empty
  socket 2  CPU2 (no processor)    socket 3  CPU3
  channel      0                   channel     0     1
  slot 0   C1:16                   slot 0   D1:.  D2:.
  socket 5  CPU5
  channel     0     1     2
  slot 0   F1:.  F2:.  F3:.

`, pictureOf(80, tightest, inv))
	require.Contains(t, pictureOf(40, tightest, inv), "\n  sockets 1,4  slots empty\n  socket 2  ")
	require.Contains(t, pictureOf(80, tightest-1, inv), `
  sockets 1,4  names of socket 1 CPU1 (no processor)
  channel     0
  slot 0   B1:.

  socket 2  CPU2 (no processor)    socket 3  CPU3
`)
	inv.Slots[5].SizeBytes, inv.Slots[5].State = inv.Slots[0].SizeBytes, string(inventory.SlotUnknown)
	require.Contains(t, pictureOf(80, tightest, inv), "\n  socket 1  CPU1 (no processor), its slots are empty\n")
	require.Contains(t, pictureOf(52, tightest, inv), "\n  socket 1  CPU1 (no processor), its slots are empty\n")
	require.Contains(t, pictureOf(51, tightest, inv), "\n  socket 1  slots empty")
	name := "a processor's place that no board has room to print beside its number"
	inv.Sockets[1].Designation = &name
	require.Contains(t, pictureOf(80, tightest, inv), "socket 1  its slots are empty\n")
	for i := range inv.Slots {
		inv.Slots[i].Socket = nil
	}
	require.Contains(t, pictureOf(80, tightest, inv), "\n  memory of all processors\n  channel  ", "it is no socket's")
}

// TestTwoSocketsAlike: two processors stand side by side with the names of their slots
// where both have room, else they are one picture with the names of the first.
func TestTwoSocketsAlike(t *testing.T) {
	inv := &report.Inventory{Sockets: []report.Socket{socketOf(0, "CPU1", nil), socketOf(1, "CPU2", nil)}}
	for s := range 2 {
		for c := range 4 {
			inv.Slots = append(inv.Slots, slotOf(string(rune('A'+s))+string(rune('1'+c)), s, c, 0, 8))
		}
	}
	require.Contains(t, pictureOf(72, 2, inv), `
  socket 0  CPU1                     socket 1  CPU2
  channel     0     1     2     3    channel     0     1     2     3
  slot 0   A1:8  A2:8  A3:8  A4:8    slot 0   B1:8  B2:8  B3:8  B4:8
`)
	alike := `
  sockets 0-1  names of socket 0 CPU1
  channel     0     1     2     3
  slot 0   A1:8  A2:8  A3:8  A4:8

`
	require.Contains(t, pictureOf(50, 2, inv), alike)
	// The title is left out where it has no room, and not before.
	for width, want := range map[int]string{40: "  sockets 0-1  names of socket 0 CPU1 xx\n", 41: "  sockets 0-1  names of socket 0 CPU1 xxx\n"} {
		name := "CPU1 " + strings.Repeat("x", width-38)
		inv.Sockets[0].Designation = &name
		require.Contains(t, pictureOf(width, 2, inv), want)
		name += "x"
		require.Contains(t, pictureOf(width, 2, inv), "\n  sockets 0-1\n")
	}
}

// TestStatusOfManySockets: from three pictures on the lines below them are narrow, so that
// more of them stand side by side.
func TestStatusOfManySockets(t *testing.T) {
	inv := &report.Inventory{}
	for s := range 3 {
		inv.Slots = append(inv.Slots, slotOf(string(rune('A'+s))+"1", s, 0, 0, int64(8<<s)))
		inv.Population.Sockets = append(inv.Population.Sockets, report.PopulationSocket{Socket: &s, ChannelsPopulated: new(1), ChannelsTotal: new(1), ExpectedMTs: new(1333), Limiter: new("ranks")})
	}
	status := "1 of 1 channels, 1333 MT/s expected"
	require.Contains(t, pictureOf(120, 2, inv), "\n  "+status+"    "+status+"    "+status+"\n  limited by ranks   ")
	inv.Slots = inv.Slots[:2]
	status += ", limited by ranks"
	require.Contains(t, pictureOf(120, 2, inv), "\n  "+status+"    "+status+"\n")
}
