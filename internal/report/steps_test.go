package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
)

// is is a known value.
func is[T any](v T) fact.Fact[T] { return fact.Known(v, fact.Direct, fact.Evidence{}) }

// TestSteps checks that processors with equally populated slots share a line if their names show which part is the
// processor's, and that steps keep their order.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name string
		// steps are "from>to", "+to", "-from" or, for a swap, "one=other"; a slot is SOCKET/NAME, of which
		// BOARD|LOCATOR has a board.
		steps string
		want  []string
	}{
		{"boards", "+0/CPU1-B|1A +0/CPU1-B|1C +1/CPU2-B|1A +1/CPU2-B|1C +2/CPU3-B|1A +2/CPU3-B|1C",
			[]string{"install 6 x 8 GiB DDR3 in B 1A and 1C on each of CPU1 to CPU3"}},
		{"moves between boards", "0/CPU1-A|1A>0/CPU1-B|1A 1/CPU2-A|1A>1/CPU2-B|1A",
			[]string{"on each of CPU1 and CPU2: move A 1A to B 1A"}},
		{"one processor differs", "+0/CPU1-B|1A +1/CPU2-B|1A +2/CPU3-B|2A",
			[]string{"install 3 x 8 GiB DDR3 in B 1A on each of CPU1 and CPU2; CPU3-B 2A"}},
		{"letters that are not words of their own", "0/DIMM_A8>0/DIMM_A1 0/DIMM_A9>0/DIMM_A4 1/DIMM_B8>1/DIMM_B1 1/DIMM_B9>1/DIMM_B4",
			[]string{"move DIMM_A8 to DIMM_A1 and DIMM_A9 to DIMM_A4", "move DIMM_B8 to DIMM_B1 and DIMM_B9 to DIMM_B4"}},
		{"HP", "+0/PROC_1_DIMM_3 +1/PROC_2_DIMM_3", []string{"install 2 x 8 GiB DDR3 in DIMM 3 on each of PROC 1 and PROC 2"}},
		{"between processors, in order", "0/P1-A1>1/P2-A1 0/P1-B1>1/P2-B1", []string{"move P1-A1 to P2-A1", "move P1-B1 to P2-B1"}},
		{"what a processor gives and keeps", "0/P1-A1>1/P2-A1 0/P1-B1>0/P1-A1", []string{"move P1-A1 to P2-A1", "move P1-B1 to P1-A1"}},
		{"kinds", "-0/A1 -1/B1 +0/A2 +1/B2", []string{"take out A1", "take out B1", "install 2 x 8 GiB DDR3 in A2 and B2"}},
		{"equal modules once, and last", "+0/A1 0/A3>0/A4 +0/A2 1/B3>1/B4 +1/B1", []string{"move A3 to A4", "move B3 to B4", "install 3 x 8 GiB DDR3 in A1, A2 and B1"}},
		{"two change places", "0/A1=0/C1", []string{"swap the modules of A1 and C1"}},
		{"pairs that change places", "0/A1=0/C1 0/B1=0/D1 1/E1=1/F1", []string{"swap the modules of A1 and C1, of B1 and D1", "swap the modules of E1 and F1"}},
		{"pairs behind like processors", "0/CPU1-B|1A=0/CPU1-B|1C 1/CPU2-B|1A=1/CPU2-B|1C", []string{"on each of CPU1 and CPU2: swap the modules of B 1A and B 1C"}},
		{"between processors, one after the other", "0/P1-A1=1/P2-A1 0/P1-B1=1/P2-B1", []string{"swap the modules of P1-A1 and P2-A1", "swap the modules of P1-B1 and P2-B1"}},
		{"three change round", "0/A1=0/B1=0/C1 0/D1=0/E1=1/F1=1/G1", []string{"take the module out of A1, move B1 to A1 and C1 to B1, and put it into C1",
			"take the module out of D1, move E1 to D1, F1 to E1 and G1 to F1, and put it into G1"}},
		{"among others", "-0/B1 0/A1=0/C1 0/D1>0/B1 +0/D1", []string{"take out B1", "swap the modules of A1 and C1", "move D1 to B1", "install 8 GiB DDR3 in D1"}},
		{"no change of places", "-0/A1 0/C1>0/A1 +0/C1", []string{"take out A1", "move C1 to A1", "install 8 GiB DDR3 in C1"}},
		{"no processor", "+-/DIMM3A +-/DIMM4A", []string{"install 2 x 8 GiB DDR3 in DIMM3A and DIMM4A"}},
	} {
		steps, slots := parseSteps(c.steps)
		var got []string
		seen := 0
		for _, l := range StepLines(steps, &Inventory{Slots: slots}) {
			got = append(got, l.Text)
			seen += len(l.Steps)
		}
		assert.Equal(t, c.want, got, c.name)
		assert.Equal(t, len(steps), seen, c.name)
	}
}

// TestFixNamesEachThingOnce checks that the sentence of a fix repeats neither the processors nor the verb of its steps.
func TestFixNamesEachThingOnce(t *testing.T) {
	for steps, want := range map[string]string{
		"-0/CPU1-B|1A -1/CPU2-B|1A 0/CPU1-A|1A>0/CPU1-B|1A 1/CPU2-A|1A>1/CPU2-B|1A +0/CPU1-A|1A +1/CPU2-A|1A": "on each of CPU1 and CPU2: take out B 1A, then move A 1A to B 1A; buy 2 x 8 GiB DDR3; fill A 1A on each of CPU1 and CPU2",
		"0/A1=0/C1 1/B1=1/D1 0/A4>0/A5 1/B4>1/B5 -0/A8 -1/B8":                                                 "swap the modules of A1 and C1, of B1 and D1; move A4 to A5 and B4 to B5; take out A8 and B8",
	} {
		steps, slots := parseSteps(steps)
		assert.Equal(t, want, stepsText(StepLines(steps, &Inventory{Slots: slots})))
	}
}

// TestStepsByChannel checks what goes to each channel, with the CPU's name if there are several; equal CPUs have one
// line.
func TestStepsByChannel(t *testing.T) {
	size, sockets := int64(8<<30), [2]int{0, 1}
	step := func(do plan.StepKind, socket, from, to int) plan.Step {
		s := plan.Step{Do: do, Module: &plan.Module{SizeBytes: &size, Type: "DDR4"}, ToChannel: &plan.Channel{Socket: &sockets[socket], Channel: to}}
		if do == "move" {
			s.FromChannel = &plan.Channel{Socket: &sockets[socket], Channel: from}
		}
		return s
	}
	across := step("move", 1, 0, 2)
	across.FromChannel = &plan.Channel{Socket: &sockets[0], Channel: 1}
	both := &Inventory{Sockets: []inventory.Socket{{ID: 0}, {ID: 1}}}
	const manual = "; the manual says which slot of a channel is filled first"
	for name, c := range map[string]struct {
		inv   *Inventory
		steps []plan.Step
		want  []string
	}{
		"one CPU": {&Inventory{Sockets: []inventory.Socket{{ID: 0}}}, []plan.Step{step("move", 0, 0, 1), step("move", 0, 0, 1), step("move", 0, 2, 3), step("install", 0, 0, 4)},
			[]string{"move 2 modules (8 GiB DDR4) from channel 0 to channel 1 and 1 from channel 2 to channel 3", "install 8 GiB DDR4 on channel 4" + manual}},
		"like CPUs": {both, []plan.Step{step("move", 0, 0, 1), step("move", 1, 0, 1)},
			[]string{"on each of socket 0 and socket 1: move 1 module (8 GiB DDR4) from channel 0 to channel 1" + manual}},
		"across": {both, []plan.Step{across}, []string{"move 1 module (8 GiB DDR4) from socket 0 channel 1 to socket 1 channel 2" + manual}},
		"some twice": {both, []plan.Step{step("install", 0, 0, 1), step("install", 0, 0, 2), step("install", 0, 0, 3), step("install", 0, 0, 3)},
			[]string{"install 8 GiB DDR4 on each of socket 0 channels 1 and 2 and 2 x 8 GiB DDR4 on socket 0 channel 3" + manual}},
	} {
		var got []string
		for _, line := range StepLines(c.steps, c.inv) {
			got = append(got, line.Text)
		}
		assert.Equal(t, c.want, got, name)
	}
}

func parseSteps(text string) (steps []plan.Step, slots []inventory.Slot) {
	handles := map[string]inventory.Handle{}
	slot := func(word string) string {
		socket, name, _ := strings.Cut(word, "/")
		name = strings.ReplaceAll(name, "DIMM_A", "DIMM~A")
		name = strings.ReplaceAll(strings.ReplaceAll(name, "DIMM_B", "DIMM~B"), "_", " ")
		name = strings.ReplaceAll(name, "~", "_")
		if _, ok := handles[word]; !ok {
			handles[word] = inventory.Handle(len(handles))
		}
		s := inventory.Slot{Handle: handles[word], Locator: is(name)}
		var n int
		if _, err := fmt.Sscanf(socket, "%d", &n); err == nil {
			s.Socket = &n
		}
		if b, l, ok := strings.Cut(name, "|"); ok {
			s.Unique = b + " " + l
		}
		slots = append(slots, s)
		return s.Handle.String()
	}
	size := int64(8 << 30)
	for word := range strings.FieldsSeq(text) {
		var s plan.Step
		from, to, moves := strings.Cut(word, ">")
		ring := strings.Split(word, "=")
		switch {
		case len(ring) > 1: // each gets the module of the next
			for n := range ring[2:] {
				s.Do = "swap"
				s.From = slot(ring[n])
				s.To = slot(ring[n+1])
				steps = append(steps, s)
			}
			s.Do = "swap"
			s.From = slot(ring[len(ring)-2])
			s.To = slot(ring[len(ring)-1])
		case moves:
			s.Do = "move"
			s.From = slot(from)
			s.To = slot(to)
		case word[0] == '+':
			s.Do, s.Module = "install", &plan.Module{SizeBytes: &size, Type: "DDR3"}
			s.To = slot(word[1:])
		default:
			s.Do = "remove"
			s.From = slot(word[1:])
		}
		steps = append(steps, s)
	}
	return steps, slots
}

// TestWordsOfSettings checks that a setting is set by a tool, by a menu, or by either.
func TestWordsOfSettings(t *testing.T) {
	for want, s := range map[string]plan.Step{
		"set p to v (racadm set X)":                       {Setting: "p", Value: "v", Tool: "racadm", Command: "racadm set X"},
		"set p to v (onecli: set X)":                      {Setting: "p", Value: "v", Tool: "onecli", Command: "set X"},
		"set p to v (BIOS setup: A > B)":                  {Setting: "p", Value: "v", Menu: "A > B"},
		"set p to v (racadm set X; or BIOS setup: A > B)": {Setting: "p", Value: "v", Tool: "racadm", Command: "racadm set X", Menu: "A > B"},
		"set p to v (racadm: racadmset X)":                {Setting: "p", Value: "v", Tool: "racadm", Command: "racadmset X"},
	} {
		assert.Equal(t, want, describeSetting(&s))
	}
}

// TestStepsKeepLabelsWhole checks that if a slot's label begins with another processor's name, "on each of CPU1 and
// CPU2" is not printed, which would mean CPU1 of two processors.
func TestStepsKeepLabelsWhole(t *testing.T) {
	steps, slots := parseSteps("+0/CPU1_DIMM_3 +1/CPU2_DIMM_3")
	names := []string{"CPU0", "CPU1", "CPU 2"}
	inv := &Inventory{Slots: slots, Sockets: []inventory.Socket{{ID: 0, Designation: is(names[0])}, {ID: 1, Designation: is(names[1])}}}
	lines := StepLines(steps, inv)
	require.Len(t, lines, 1)
	assert.Equal(t, "install 2 x 8 GiB DDR3 in CPU1 DIMM 3 and CPU2 DIMM 3", lines[0].Text)
	inv.Sockets[0].Designation, inv.Sockets[1].Designation = is(names[1]), is(names[2])
	lines = StepLines(steps, inv)
	require.Len(t, lines, 1)
	assert.Equal(t, "install 2 x 8 GiB DDR3 in DIMM 3 on each of CPU1 and CPU2", lines[0].Text)
}
