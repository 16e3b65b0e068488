package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/place"
	"github.com/memaudit/memaudit/internal/population"
)

// TestExchangesWait: what leaves a slot and what comes into it are one step, but not where
// another module is in it in between: the new one would be put on top of it.
func TestExchangesWait(t *testing.T) {
	remove := Step{Do: Remove, From: 1, To: none, Like: none}
	install := Step{Do: Install, From: none, To: 1, Like: 4}
	require.Equal(t, []Step{{Do: Exchange, From: 1, To: 1, Like: 4}}, exchanges([]Step{remove, install}))
	waiting := []Step{remove, {Do: Move, From: 2, To: 1, Like: none}, {Do: Move, From: 3, To: 2, Like: none}, {Do: Move, From: 1, To: 3, Like: none}, install}
	require.Equal(t, waiting, exchanges(waiting))
}

// TestChangePlaces: on a full board two modules that change places are swapped, and of
// three, two and then the third; where a slot is free, three take it for the time. What
// a slot holds at the end is what was wanted.
func TestChangePlaces(t *testing.T) {
	swap := func(from, to int) Step { return Step{Do: Swap, From: from, To: to, Like: none} }
	move := func(from, to int) Step { return Step{Do: Move, From: from, To: to, Like: none} }
	for name, c := range map[string]struct {
		at, layout []int
		want       []Step
	}{
		"two":                      {[]int{0, 1}, []int{1, 0}, []Step{swap(0, 1)}},
		"two, and one stays":       {[]int{0, 1, 2}, []int{1, 0, 2}, []Step{swap(0, 1)}},
		"two with a free slot":     {[]int{0, 1, none}, []int{1, 0, none}, []Step{swap(0, 1)}},
		"two pairs":                {[]int{0, 1, 0, 1}, []int{1, 0, 1, 0}, []Step{swap(0, 1), swap(2, 3)}},
		"three":                    {[]int{0, 1, 2}, []int{1, 2, 0}, []Step{swap(0, 1), swap(1, 2)}},
		"three with a free slot":   {[]int{0, 1, 2, none}, []int{1, 2, 0, none}, []Step{move(1, 3), move(2, 1), move(0, 2), move(3, 0)}},
		"pairs before circles":     {[]int{0, 0, 1, 2}, []int{2, 1, 0, 0}, []Step{swap(0, 3), swap(1, 2)}},
		"a pair beside a free one": {[]int{0, 1, 2, none}, []int{1, 0, none, 2}, []Step{move(2, 3), swap(0, 1)}},
	} {
		b := &board{at: c.at, kinds: make([]kind, 3)}
		u := unit{}
		sys := &inventory.System{}
		for i, k := range c.at {
			u.slots = append(u.slots, i)
			u.groups = append(u.groups, group{layers: [][]int{{i}}})
			s := inventory.Slot{Handle: uint16(i), State: inventory.SlotEmpty}
			if k != none {
				s.State, s.SizeBytes = inventory.SlotPopulated, assumed(int64(k+1)<<30)
			}
			sys.Slots = append(sys.Slots, s)
		}
		b.units = []unit{u}
		steps := b.steps(c.layout)
		require.Equal(t, c.want, steps, name)
		var tried trial
		for _, after := range []*inventory.System{Apply(sys, steps), tried.after(sys, steps), tried.after(sys, steps)} {
			for i, k := range c.layout {
				require.Equal(t, uint16(i), after.Slots[i].Handle, name)
				if k == none {
					require.Equal(t, inventory.SlotEmpty, after.Slots[i].State, name)
				} else {
					require.Equal(t, int64(k+1)<<30, after.Slots[i].SizeBytes.Value, name)
				}
			}
		}
	}
	a := &Advice{Steps: []Step{move(0, 1), swap(2, 3), swap(3, 4)}}
	require.Equal(t, []int{5, 5}, []int{a.Moves(), handled(a.Steps)})
	require.Equal(t, Move, a.costliest())
}

// TestStepsByChannels: where it is not known which slot of a channel is first, moves and
// purchases are said by channels, each of the right processor.
func TestStepsByChannels(t *testing.T) {
	// Two slots a channel, two channels a processor: slot 4 is the first of processor 1.
	two := &board{units: []unit{{socket: 0, slots: []int{0, 1, 2, 3}}, {socket: 1, slots: []int{4, 5, 6, 7}}}, topo: &population.Result{}}
	for i := range 8 {
		two.topo.Placements = append(two.topo.Placements, place.Placement{Socket: i / 4, Channel: i / 2 % 2})
	}
	one := &board{units: two.units[:1], topo: two.topo}
	move := func(from, to int) Step { return Step{Do: Move, From: from, To: to, Like: none} }
	install := func(to int) Step { return Step{Do: Install, From: none, To: to, Like: 0} }
	for says, c := range map[string]struct {
		b     *board
		steps []Step
	}{
		"moving 1 module from channel 0 to channel 1":                                                                              {one, []Step{move(1, 2)}},
		"moving 2 modules from socket 0 channel 0 to socket 1 channel 1":                                                           {two, []Step{move(0, 6), move(1, 7)}},
		"moving 1 module from socket 0 channel 1 to socket 0 channel 0 and 1 module from socket 1 channel 0 to socket 0 channel 1": {two, []Step{move(4, 3), move(2, 0)}},
		"moving 1 module from channel 0 to channel 1 and 1 module from channel 1 to channel 0":                                     {one, []Step{{Do: Swap, From: 1, To: 2, Like: none}}},
		"installing 1 module on channel 1":                                                                                         {one, []Step{install(3)}},
		"installing 1 module on each of channels 0 and 1":                                                                          {one, []Step{install(3), install(0)}},
		"installing 2 modules on channel 1 of socket 1":                                                                            {two, []Step{install(6), install(7)}},
		"installing 1 module on channel 0 of socket 0, 1 module on channel 0 of socket 1 and 2 modules on channel 1 of socket 1":   {two, []Step{install(7), install(6), install(4), install(0)}},
		"moving 1 module from channel 0 to channel 1 and installing 1 module on channel 0":                                         {one, []Step{install(0), move(1, 2)}},
		"": {two, []Step{move(0, 1), {Do: Remove, From: 2, To: none, Like: none}}},
	} {
		require.Equal(t, says, c.b.comeAndGo(c.steps))
	}
	require.Equal(t, 1, two.socketOf(4))
	require.Equal(t, none, two.socketOf(8))
}

// TestKindToBuy: the kind of a module to buy is one that can be had: what firmware
// says, what the platform's document says and the speed must agree. The platforms'
// kinds are those of modules.tsv, the rates JEDEC's.
func TestKindToBuy(t *testing.T) {
	for _, c := range []struct {
		why, stated, documented string
		mts                     int
		want                    string
	}{
		{"firmware and document agree", "DDR4", "DDR4", 2400, "DDR4"},
		{"and a speed that is none of the kind's changes nothing", "DDR4", "DDR4", 2600, "DDR4"},
		{"a CELSIUS R670 calls DDR3 modules DDR2", "DDR2", "DDR3", 1333, "DDR3"},
		{"a speed of both kinds decides nothing", "DDR2", "DDR3", 800, ""},
		{"boards for Haswell-EP with DDR3 exist", "DDR3", "DDR4", 1333, "DDR3"},
		{"an RH1288 V3 says DRAM", "DRAM", "DDR4", 2400, "DDR4"},
		{"firmware says nothing", "", "DDR3", 1066, "DDR3"},
		{"nor the speed", "", "DDR3", 0, "DDR3"},
		{"a speed that the document's kind has not", "", "DDR3", 2400, ""},
		{"fully buffered modules are not DDR2 that another board takes", "DDR2", "DDR2 FB-DIMM", 667, "DDR2 FB-DIMM"},
		{"no document", "DDR5", "", 4800, "DDR5"},
		{"no document, no kind", "RAM", "", 1333, ""},
	} {
		assert.Equal(t, c.want, kindToBuy(c.stated, c.documented, c.mts), c.why)
	}
}

// TestSentenceNamesEachKind: modules of two kinds that are bought are said apart.
func TestSentenceNamesEachKind(t *testing.T) {
	sys := &inventory.System{}
	for i, name := range []string{"A1", "A2", "B1", "B2"} {
		sys.Slots = append(sys.Slots, inventory.Slot{Locator: assumed(name), SizeBytes: assumed(int64(4<<30) << (i % 2)), Type: assumed("DDR2"), RatedMTs: assumed(1333)})
	}
	a := &Advice{Memory: "DDR3", Steps: []Step{
		{Do: Install, From: none, To: 2, Like: 0}, {Do: Install, From: none, To: 3, Like: 1},
	}}
	assert.Equal(t, "install 1 x 4 GiB DDR3 as in A1 in B1; install 1 x 8 GiB DDR3 as in A2 in B2", a.Sentence(sys))
}
