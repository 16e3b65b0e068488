package text

import (
	"strconv"
	"strings"
	"testing"

	"github.com/memaudit/memaudit/internal/report"

	"github.com/stretchr/testify/require"
)

// channelsOf is a processor with a module of 8 GiB on each channel, named so.
func channelsOf(names ...string) *report.Inventory {
	inv := &report.Inventory{}
	for i, name := range names {
		inv.Slots = append(inv.Slots, slotOf(name, 0, i, 0, 8))
	}
	return inv
}

// TestGridByRoom: slots have their names where all of them have room, then there is less
// between the columns, and where that is not enough the channels stand in several rows.
func TestGridByRoom(t *testing.T) {
	inv := channelsOf("DIMM_A1", "DIMM_B1", "DIMM_C1", "DIMM_D1", "DIMM_E1", "DIMM_F1", "DIMM_G1", "DIMM_H1", "DIMM_I1", "DIMM_J1", "DIMM_K1", "DIMM_L1")
	require.Contains(t, pictureOf(83, 2, inv), `
  channel     0     1     2     3     4     5     6     7     8     9    10    11
  slot 0   A1:8  B1:8  C1:8  D1:8  E1:8  F1:8  G1:8  H1:8  I1:8  J1:8  K1:8  L1:8
`)
	bare := `
  channel   0  1  2  3  4  5  6  7  8  9 10 11
  slot 0    8  8  8  8  8  8  8  8  8  8  8  8
`
	wide := `
  channel   0   1   2   3   4   5   6   7   8   9  10  11
  slot 0    8   8   8   8   8   8   8   8   8   8   8   8
`
	require.Contains(t, pictureOf(82, 2, inv), wide)
	require.Contains(t, pictureOf(59, 2, inv), wide)
	require.Contains(t, pictureOf(58, 2, inv), bare)
	require.Contains(t, pictureOf(47, 2, inv), bare)
	require.Contains(t, pictureOf(46, 2, inv), `
  channel   0  1  2  3  4  5
  slot 0    8  8  8  8  8  8
  channel   6  7  8  9 10 11
  slot 0    8  8  8  8  8  8
`)
	for i := range inv.Slots {
		inv.Slots[i].SizeBytes = new(int64(1024) << 30)
	}
	require.Contains(t, pictureOf(71, 2, inv), "\n  slot 0   1024 1024 1024 1024 1024 1024 1024 1024 1024 1024 1024 1024\n")
	half := `
  channel     0    1    2    3    4    5
  slot 0   1024 1024 1024 1024 1024 1024
  channel     6    7    8    9   10   11
  slot 0   1024 1024 1024 1024 1024 1024
`
	require.Contains(t, pictureOf(70, 2, inv), half)
	require.Contains(t, pictureOf(41, 2, inv), half)
	require.Contains(t, pictureOf(40, 2, inv), `
  channel     0    1    2
  slot 0   1024 1024 1024
  channel     3    4    5
`)
}

// TestGridOfControllers: where another controller's channels begin there is more room
// between, and none where it is not known whether another one has them.
func TestGridOfControllers(t *testing.T) {
	inv := channelsOf("A1", "B1", "C1", "D1")
	for i, controller := range []int{1, 2, 2} {
		inv.Slots[i].Controller = &controller
	}
	require.Contains(t, pictureOf(80, 2, inv), `
  channel     0       1     2     3
  slot 0   A1:8    B1:8  C1:8  D1:8
`)
	var names []string
	for i := range 30 {
		names = append(names, "A"+strconv.Itoa(i))
	}
	inv = channelsOf(names...)
	for i := range inv.Slots {
		inv.Slots[i].Controller = &i
	}
	text := pictureOf(40, 2, inv)
	require.Equal(t, 30, strings.Count(text, "\n  slot 0    8\n"), "each of the controllers has a row of its own")
}

// TestGridNamesBoards: where the slots' names repeat on two boards, these are named over
// their channels, but where a name has no room there.
func TestGridNamesBoards(t *testing.T) {
	inv := channelsOf("1A", "2A", "1A", "2A")
	for i, board := range []string{"CPU1-MEM-A", "CPU1-MEM-A", "CPU1-MEM-B", "CPU1-MEM-B"} {
		inv.Slots[i].Controller, inv.Slots[i].BankLocator = new(i/2), &board
	}
	inv.Sockets = []report.Socket{socketOf(0, "CPU1", nil)}
	grid := `
  channel     0     1       2     3
  slot 0   1A:8  2A:8    1A:8  2A:8
`
	require.Contains(t, pictureOf(80, 2, inv), "\n  board    MEM-A         MEM-B"+grid)
	for bank, shown := range map[string]bool{"CPU1-MEM-A0123456": true, "CPU1-MEM-A01234567": true, "CPU1-MEM-A012345678": true, "CPU1-MEM-A0123456789": false} {
		inv.Slots[0].BankLocator, inv.Slots[1].BankLocator = &bank, &bank
		text := pictureOf(80, 2, inv)
		require.Contains(t, text, grid)
		require.Equal(t, shown, strings.Contains(text, "MEM-B"), bank)
	}
	for i := range inv.Slots {
		inv.Slots[i].Locator, inv.Slots[i].BankLocator = new(strconv.Itoa(i%2)), new("CPU1-"+string(rune('X'+i/2)))
	}
	require.Contains(t, pictureOf(80, 2, inv), "\n  board    X           Y\n  channel    0    1      2    3\n  slot 0   0:8  1:8    0:8  1:8\n")
	// Without the names of slots there is nothing to tell apart.
	for i := range inv.Slots {
		inv.Slots[i].Locator = new("LONGER_" + strconv.Itoa(i%2) + "ABCDEFG")
	}
	require.NotContains(t, pictureOf(80, 2, inv), "MEM-B")
}

// TestShortNames: names lose what all of a processor's begin with, and are shown where
// they are no longer than six columns then.
func TestShortNames(t *testing.T) {
	for want, names := range map[string][]string{
		"1:8    2:8":           {"DIMM1", "DIMM2"},
		"1:8    2:8 ":          {"DIMM_1", "DIMM_2"},
		"A1:8  A2:8":           {"CPU1 DIMM A1", "CPU1 DIMM A2"},
		"A12345:8  B12345:8":   {"A12345", "B12345"},
		"8     8":              {"A123456", "B12345"},
		"DIMM 1:8  Slot 2:8":   {"DIMM 1", "Slot 2"},
		"DIMM1:8             ": {"DIMM1"},
		"3:8  4:8":             {"#3", "#4"},
	} {
		text := pictureOf(80, 2, channelsOf(names...))
		_, row, _ := strings.Cut(text, "\n  slot 0  ")
		row, _, _ = strings.Cut(row, "\n")
		require.Equal(t, flat(want), flat(row), "%q", names)
	}
	require.Contains(t, pictureOf(80, 2, channelsOf("DIMM1", "DIMM2")), "\n  channel    0    1\n  slot 0   1:8  2:8\n")
}

// TestSlotsThatNoPictureShows: they stand in one line where it has room, else sixteen to a line.
func TestSlotsThatNoPictureShows(t *testing.T) {
	inv := &report.Inventory{}
	for range 20 {
		inv.Slots = append(inv.Slots, report.Slot{State: "empty"})
	}
	row := func(n int) string { return strings.TrimSpace(strings.Repeat(". ", n)) }
	require.Contains(t, pictureOf(58, 2, inv), "\n  no socket known  "+row(20)+"\n")
	require.Contains(t, pictureOf(57, 2, inv), "\n  no socket known  "+row(16)+"\n                   "+row(4)+"\n")
}

// TestClassesByRoom: what the classes mean takes two lines at most, one where room is
// shortest and no cost of the class stands with it.
func TestClassesByRoom(t *testing.T) {
	inv := channelsOf("A1")
	for i, class := range []string{"B", "C", "D", "E"} {
		inv.Population.Sockets = append(inv.Population.Sockets, report.PopulationSocket{Socket: &i, Class: &class})
	}
	two := "\n  class B: one region, slowed or mixed; C: one region, half the channels or\n  more; D: several regions, or one over fewer than half; E ... (-v)\n"
	for tight := range tightest {
		require.Contains(t, pictureOf(80, tight, inv), two)
	}
	one := "\n  class B: one region, slowed or mixed; C: one region ... (-v)\n"
	require.Contains(t, pictureOf(80, tightest, inv), one)
	cause := "memory.x"
	f := report.Finding{Result: "fail", CausedBy: &cause, Effect: &report.Effect{Text: "a third is lost", Beside: "class"}}
	require.Contains(t, pictureOf(80, tightest, inv, f), two)
}

// TestWaysToKnow: three ways are named, further ones counted; where nothing would tell, the
// next step is to ask which.
func TestWaysToKnow(t *testing.T) {
	open := func(ways ...string) *report.Report {
		r := &report.Report{Summary: report.Summary{Unknown: len(ways)}}
		for i, way := range ways {
			r.Findings = append(r.Findings, report.Finding{Rule: "memory." + strconv.Itoa(i), Result: "unknown", KnownBy: &way})
		}
		return r
	}
	printed := func(r *report.Report) string {
		return partOf(Options{}, 1, func(p *printer) { p.unknowns(r.Findings) })
	}
	head := " could not be judged; -v says which and why\n"
	require.Equal(t, "UNKNOWN   2 findings"+head+"  one: 1 rule\n  two: 1 rule\n", printed(open("one", "two")))
	require.Equal(t, "UNKNOWN   3 findings"+head+"  one: 1 rule\n  two: 1 rule; 1 other way\n", printed(open("one", "two", "three")))
	require.Equal(t, "UNKNOWN   4 findings"+head+"  one: 1 rule\n  two: 1 rule; 2 other ways\n", printed(open("one", "two", "three", "four")))
	require.Equal(t, "-v says what could not be told", NextStep(open(""), wordAdvice))
	require.Equal(t, "one", NextStep(open("", "one"), wordAdvice))
}

// TestLeastWidth: a width that nobody has is the narrowest page, none the usual one.
func TestLeastWidth(t *testing.T) {
	for width, want := range map[int]int{-1: 80, 0: 80, 1: 40, 39: 40, 41: 41} {
		text := partOf(Options{Width: width}, 0, func(p *printer) { p.wrap(0, strings.Repeat("x", 100)) })
		first, _, _ := strings.Cut(text, "\n")
		require.Len(t, first, want)
	}
}
