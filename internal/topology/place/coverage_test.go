//go:build corpus

package place

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/tools/corpustest"
	"github.com/memaudit/memaudit/internal/topology/platform"
	"github.com/memaudit/memaudit/rules"
)

// tally counts the populated DRAM rows of many machines.
type tally struct {
	machines, rows, placed, bySocket int
	unknown                          map[string]int
	impossible                       []string
	source                           map[string]int
	certainty                        map[string]int
}

func (c *tally) add(name string, sys *inventory.System, p *platform.Platform, out []Placement) {
	c.machines++
	seats := map[[4]int]bool{}
	for i, o := range out {
		s := &sys.Slots[i]
		if s.State != inventory.SlotPopulated || s.Technology.Value != inventory.DRAM {
			continue
		}
		c.rows++
		fsb := platform.FrontSideBus(sys, p)
		if o.Socket >= 0 {
			c.bySocket++
		}
		if o.Channel < 0 || (o.Socket < 0 && !fsb) {
			product := sys.Machine.Product.Or(sys.Machine.Board.Or("?"))
			c.unknown[fmt.Sprintf("%s %s, %s: %s", sys.Machine.Vendor.Or("?"), product, o.Rule, o.Reason)]++
			continue
		}
		c.placed++
		c.source[o.Source]++
		c.certainty[o.Certainty.String()]++
		if o.Socket >= max(len(sys.Sockets), 1) {
			c.impossible = append(c.impossible, name+": more processors than the table has")
		}
		at := [4]int{o.Socket, o.Channel, o.Slot, 0}
		if o.Slot >= 0 && seats[at] {
			c.impossible = append(c.impossible, fmt.Sprintf("%s: two modules at %v", name, at))
		}
		seats[at] = true
		if o.Reason != "" || o.Source == "" || o.Rule == "" || o.Certainty == fact.None {
			c.impossible = append(c.impossible, fmt.Sprintf("%s: incomplete %+v", name, o))
		}
	}
}

// placeArchive places every machine of an archive.
func placeArchive(t *testing.T, archive string) *tally {
	c := &tally{unknown: map[string]int{}, source: map[string]int{}, certainty: map[string]int{}}
	collecttest.Each(t, archive, func(name string, sys *inventory.System) {
		p := platform.Recognise(sys, rules.FS).Or(nil)
		out, _ := Slots(sys, p, rules.FS)
		require.Len(t, out, len(sys.Slots), name)
		c.add(name, sys, p, out)
	})
	c.report(t)
	return c
}

// TestCoverageServers measures placing on the machines of linuxhw/DMI filed
// under Server.
func TestCoverageServers(t *testing.T) {
	c := placeArchive(t, corpustest.Servers)
	require.Empty(t, c.impossible)
	require.GreaterOrEqual(t, float64(c.placed)/float64(c.rows), 0.98)
}

// TestCoverageOthers checks that machines that are not servers have no impossible placements either.
func TestCoverageOthers(t *testing.T) {
	c := placeArchive(t, corpustest.Workstations)
	require.Empty(t, c.impossible)
	require.GreaterOrEqual(t, float64(c.placed)/float64(c.rows), 0.80)
	require.Empty(t, placeArchive(t, corpustest.Others).impossible)
}

// report logs the figures and what stays unknown, by product.
func (c *tally) report(t *testing.T) {
	t.Logf("%d machines, %d populated rows, %d to a channel (%.2f %%), %d to a processor", c.machines, c.rows, c.placed,
		100*float64(c.placed)/float64(c.rows), c.bySocket)
	t.Logf("source %v certainty %v", c.source, c.certainty)
	keys := make([]string, 0, len(c.unknown))
	for k := range c.unknown {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		t.Logf("unknown %3d  %s", c.unknown[k], k)
	}
}
