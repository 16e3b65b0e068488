package population

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/corpustest"
	"github.com/memaudit/memaudit/internal/inventory"
	"github.com/memaudit/memaudit/internal/platform"
)

// TestShareOfTheBest: what is left is channels and clock together, of what the
// processor has at its best; what a document measured goes before the model,
// under the document's conditions (IBM, BladeCenter HS22V product guide, page 7:
// 35, 32 and 25 GB/s for two Xeon 5600 with all channels filled).
func TestShareOfTheBest(t *testing.T) {
	for _, c := range []struct {
		name       string
		sockets    int
		brand      string
		dpc        []int
		rated, run int
		low, high  float64
		measured   float64 // 0: none
		source     string
	}{
		{"0-3-3 at 800 of 1333", 2, "X5670  @ 2.93GHz", []int{0, 3, 3}, 1333, 0, 0.4, 0.4, 0, shareByModel},
		{"3-3-3 at 800", 2, "X5670  @ 2.93GHz", []int{3, 3, 3}, 1333, 0, 0.6, 0.6, 0.714, "IBM, BladeCenter HS22V product guide"},
		{"2-2-2 run at 1066", 2, "X5670  @ 2.93GHz", []int{2, 2, 2}, 1333, 1066, 0.8, 0.8, 0.914, "IBM, BladeCenter HS22V product guide"},
		{"1-1-1", 2, "X5670  @ 2.93GHz", []int{1, 1, 1}, 1333, 0, 1, 1, 1, "IBM, BladeCenter HS22V product guide"},
		{"one processor was not measured", 1, "X5670  @ 2.93GHz", []int{3, 3, 3}, 1333, 0, 0.6, 0.6, 0, shareByModel},
		{"a processor of 1066 was not measured", 2, "E5620  @ 2.40GHz", []int{3, 3, 3}, 1333, 0, 0.75, 0.75, 0, shareByModel},
		{"slow modules in a fast machine", 2, "X5670  @ 2.93GHz", []int{1, 1, 1}, 1066, 0, 0.8, 0.8, 0, shareByModel},
		{"2-1-1: one region spans all channels", 2, "X5670  @ 2.93GHz", []int{2, 1, 1}, 1333, 0, 1. / 3, 1, 0, shareByModel},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newTestMachine(c.sockets, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           "+c.brand)
			for s := range c.sockets {
				m.fill(s, c.dpc, testDIMM{gb: 8, rated: c.rated, ranks: 2, memType: "DDR3"})
			}
			for i := range m.sys.Slots {
				if c.run > 0 {
					m.sys.Slots[i].ConfiguredMTs = collecttest.Known(c.run)
				}
			}
			r := m.derive(t).Populations[0].Relative
			require.True(t, r.Known(), r.Reason)
			assert.InDelta(t, c.low, r.Value.Low, 0.001)
			assert.InDelta(t, c.high, r.Value.High, 0.001)
			assert.Equal(t, c.source, r.Value.Source)
			if c.measured == 0 {
				assert.Nil(t, r.Value.Value)
				return
			}
			require.NotNil(t, r.Value.Value)
			assert.InDelta(t, c.measured, *r.Value.Value, 1e-9)
		})
	}
}

// TestShareWithoutClock: where the speed is not known, the channels alone are
// said, and that they are alone.
func TestShareWithoutClock(t *testing.T) {
	m := newTestMachine(1, platform.Intel, 6, 44, 2, "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz").
		fill(0, []int{0, 1, 1}, testDIMM{gb: 8, memType: "DDR3"})
	r := m.derive(t).Populations[0].Relative
	assert.InDelta(t, 2./3, r.Value.Low, 0.001)
	assert.Equal(t, shareByChannels, r.Value.Source)
}

// TestMeasuredDepth: six modules of Cascade Lake gave 3 % less than twelve at the
// same speed, on boards of twelve slots a processor (DELL-CLX-BAL, page 9).
func TestMeasuredDepth(t *testing.T) {
	build := func(empty bool) *float64 {
		m := cascadeLake(1).fill(0, []int{1, 1, 1, 1, 1, 1}, testDIMM{gb: 32, rated: 2933, ranks: 2})
		for c := range 6 {
			if empty {
				m.add(0, c, 1, testDIMM{})
			}
		}
		return m.derive(t).Populations[0].Relative.Value.Value
	}
	require.NotNil(t, build(true))
	assert.InDelta(t, 0.97, *build(true), 1e-9)
	assert.Nil(t, build(false), "a board of six slots is another one")
}

// TestWestmereEXLevels: a layout that the paper did not measure as a whole has
// the levels of its regions, so that more modules never show less than fewer.
func TestWestmereEXLevels(t *testing.T) {
	for _, c := range []struct {
		product   string
		layout    string
		low, high float64
	}{
		{"PRIMERGY RX600 S6", "2-1|2-1", 0.61, 0.93},
		{"PRIMERGY RX600 S6", "2-0|2-0", 0.61, 0.61},
		{"PRIMERGY RX600 S6", "2-2|1-1", 0.40, 0.93},
		{"PRIMERGY RX600 S6", "2-1|0-0", 0.30, 0.40},
		{"PRIMERGY RX900 S2", "2-1|2-1", 0.70, 0.94},
	} {
		s := exShare(t, c.product, c.layout)
		assert.Nil(t, s.Value, c.layout)
		assert.InDelta(t, c.low, s.Low, 1e-9, c.layout)
		assert.InDelta(t, c.high, s.High, 1e-9, c.layout)
		assert.Equal(t, wexDocument+": measured level of each region", s.Source)
	}
	s := exShare(t, "PRIMERGY RX900 S2", "2-1|0-0")
	assert.InDelta(t, 0.25, s.Low, 1e-9, "one controller alone was not measured on this machine")
	assert.Equal(t, shareByModel, s.Source)
}

// TestSpared: what sparing leaves of a layout has the class and the cost of the
// layout that is left (FTS-WEX, Memory performance under redundancy).
func TestSpared(t *testing.T) {
	for _, c := range []struct {
		units    [][]int64
		class    string
		measured float64
		why      string
	}{
		{[][]int64{{8, 8}, {8, 8}}, "2", 0.61, ""},
		{[][]int64{{8, 8, 8}, {8, 8, 8}}, "1", 0.93, ""},
		{[][]int64{{8, 8, 8, 8}, {8, 8, 8, 8}}, "", 0, "BIOS setup keeps spare memory, and the document does not say what that leaves of this layout"},
		{[][]int64{{8, 8}, {4, 4}}, "", 0, "BIOS setup keeps spare memory, and the document does not say what that leaves of this layout"},
	} {
		sys := rx600(4, c.units...)
		sys.Settings = map[string]inventory.Setting{"memory_ras_mode": {Configured: collecttest.Known("spare")}}
		r := Derive(sys, corpustest.Rules(t))
		assert.Equal(t, c.class, r.Class.Or(Class{}).Name)
		assert.Equal(t, c.why, r.Class.Reason)
		if v := r.Populations[0].Relative.Value.Value; c.measured == 0 {
			assert.Nil(t, v)
		} else if assert.NotNil(t, v) {
			assert.InDelta(t, c.measured, *v, 1e-9)
		}
	}
}
