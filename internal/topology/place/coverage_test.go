//go:build corpus

package place

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/memaudit/memaudit/internal/collect/collecttest"
	"github.com/memaudit/memaudit/internal/model/compiled"
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

// withoutMaps is the knowledge without one slot map.
type withoutMaps struct{ fs.FS }

func (k withoutMaps) Open(name string) (fs.File, error) {
	if name != compiled.File(MapPart) {
		return k.FS.Open(name)
	}
	empty, err := compiled.Encode(map[string]string{})
	if err != nil {
		return nil, err
	}
	return fstest.MapFS{name: {Data: empty}}.Open(name)
}

// ordinal is a pair of labels that only counts: no word in it can name a channel.
var ordinal = regexp.MustCompile(`(?i)^(?:[^a-z]|dimm|slot|bank|socket|cpu|node|ram|memory|ddr)*$`)

// TestCoverageWithoutMaps measures how many of the labels that name a channel are placed on a product for
// which no slot map is known, and lists the kinds of labels that are not.
func TestCoverageWithoutMaps(t *testing.T) {
	for _, c := range []struct {
		archive string
		least   float64
	}{{corpustest.Servers, 0.99}, {corpustest.Workstations, 0.90}} {
		rows, placed, left := 0, 0, map[string]int{}
		collecttest.Each(t, c.archive, func(name string, sys *inventory.System) {
			p := platform.Recognise(sys, rules.FS).Or(nil)
			out, _ := Slots(sys, p, withoutMaps{rules.FS})
			for i, o := range out {
				s := &sys.Slots[i]
				locator, bank := labelText(&s.Locator), labelText(&s.BankLocator)
				if s.State != inventory.SlotPopulated || s.Technology.Value != inventory.DRAM || ordinal.MatchString(locator+bank) ||
					strings.HasPrefix(o.Reason, "the label gives a number only") {
					continue
				}
				rows++
				if o.Channel >= 0 && (o.Socket >= 0 || platform.FrontSideBus(sys, p)) {
					placed++
					continue
				}
				left[fmt.Sprintf("%s | %s | %s | %s: %s", sys.Machine.Product.Or(sys.Machine.Board.Or("?")), locator, bank, o.Rule, o.Reason)]++
			}
		})
		t.Logf("%s: %d of %d rows whose labels name a channel are placed without a map (%.2f %%)", c.archive, placed, rows, 100*float64(placed)/float64(rows))
		for _, k := range slices.Sorted(maps.Keys(left)) {
			t.Logf("unknown %3d  %s", left[k], k)
		}
		require.GreaterOrEqual(t, float64(placed)/float64(rows), c.least)
	}
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
