package place

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/model/fact"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/model/prose"
	"github.com/memaudit/memaudit/internal/topology/platform"
)

// mostRanks a channel carries without load-reduced modules (Supermicro, X9
// memory configuration guide; IBM System x3650 M4 HD product guide).
const mostRanks = 8

// examine checks the mapping against everything else that bears on it: each
// thing by itself may be firmware's slip, but both cannot be true.
func (pl *placer) examine(p *platform.Platform) {
	machine := pl.nodesKnown()
	for _, c := range pl.processors() {
		bank, named := pl.bankAgainst(&c)
		for _, says := range []string{bank, pl.rowsAgainst(&c), pl.speedAgainst(&c, p), pl.ranksAgainst(&c), pl.positionsAgainst(&c)} {
			pl.doubt(&c, says)
		}
		for _, i := range c.slots {
			s, o := &pl.sys.Slots[i], &pl.out[i]
			o.Witnessed = machine && (named || o.Witnessed || o.Certainty == fact.Direct) && s.ConfiguredMTs.Known() && s.Ranks.Known()
		}
	}
	pl.doubtAll(pl.arraysAgainst())
	pl.doubtAll(pl.addressesAgainst())
	pl.doubtAll(pl.nodesAgainst())
	if !pl.fsb && (p == nil || !p.ZeroDIMMsLegal) {
		pl.doubtAll(MoreNodes(pl.sys, pl.out))
	}
}

// doubt notes a contradiction on all slots of the processor: which of them are
// misplaced nobody can tell. A doubted mapping is one source with known lies.
func (pl *placer) doubt(c *processor, says string) {
	if says == "" {
		return
	}
	for _, i := range c.slots {
		o := &pl.out[i]
		if o.Doubt == "" {
			o.Doubt = says
		}
		o.Certainty = min(o.Certainty, fact.Indirect)
	}
}

func (pl *placer) doubtAll(says string) {
	if says == "" {
		return
	}
	for _, c := range pl.processors() {
		pl.doubt(&c, says)
	}
}

// bankAgainst compares the channels that the locators' letters name with those
// that the banks number, where a pattern reads both. named is true when every
// bank says a channel and the same slots share one.
func (pl *placer) bankAgainst(c *processor) (says string, named bool) {
	owner, numbered := map[int]int{}, map[int]int{}
	for _, i := range c.slots {
		letter, bank, ok := pl.letterAndBank(i)
		if !ok {
			return "", false
		}
		other, seen := owner[letter]
		if first, taken := numbered[bank]; seen && other != bank || taken && first != letter {
			return fmt.Sprintf("the label of %s is of channel %d, and its bank %q of another", pl.name(i), pl.out[i].Channel, labelText(&pl.sys.Slots[i].BankLocator)), false
		}
		owner[letter], numbered[bank] = bank, letter
	}
	return "", true
}

// letterAndBank is the channel by letter and by the bank's node and number. A
// number that no channel has is the bank's slip (a Lenovo HR630X prints Channel6
// beside letter F of six).
func (pl *placer) letterAndBank(i int) (letter, bank int, ok bool) {
	l := &pl.labels[i]
	if l.rule == nil || !l.rule.bankGives("{chan}") || pl.out[i].Source != SourceLocator {
		return 0, 0, false
	}
	letter, lettered := l.get(fieldLetter)
	channel, numbered := l.get(fieldChannel)
	node, _ := l.get(fieldNode)
	return letter, node<<8 | channel, lettered && numbered && channel < pl.channels
}

// rowsAgainst compares with banks that no pattern reads, where they are as many
// as the processor's channels and as large, so that they may be channels, too:
// a Supermicro X8DAH up to BIOS 2.0a has P1_DIMM1A, P1_DIMM2A and P1_DIMM3A on
// P1_BANK1. Other boards number slots by them, and two banks of two are how
// boards of two channels call their rows.
func (pl *placer) rowsAgainst(c *processor) string {
	banks, channels := map[string][]int{}, map[int]int{}
	for _, i := range c.slots {
		bank := labelText(&pl.sys.Slots[i].BankLocator)
		if r := pl.labels[i].rule; r == nil || len(r.Banks) > 0 || pl.out[i].Source != SourceLocator {
			return ""
		}
		if bank != "" {
			banks[bank] = append(banks[bank], i)
		}
		channels[pl.out[i].Channel]++
	}
	if len(banks) != len(channels) || len(banks) < 3 {
		return ""
	}
	per := len(c.slots) / len(banks)
	for _, n := range channels {
		if n != per {
			return ""
		}
	}
	differs := ""
	for _, bank := range slices.Sorted(maps.Keys(banks)) {
		slots := banks[bank]
		if len(slots) > per {
			return ""
		}
		for _, i := range slots {
			if first := slots[0]; differs == "" && pl.out[i].Channel != pl.out[first].Channel {
				differs = fmt.Sprintf("the labels put %s on channel %d and %s on channel %d, and firmware lists both in bank %q, of which the processor has as many as channels",
					pl.name(first), pl.out[first].Channel, pl.name(i), pl.out[i].Channel, bank)
			}
		}
	}
	return differs
}

// flatter is how many modules the fullest channel would have if the processor's modules were spread
// evenly; 0 if the number of channels is not known.
func (pl *placer) flatter(c *processor) int {
	n := 0
	for _, slots := range c.channels {
		n += len(slots)
	}
	if pl.channels == 0 {
		return 0
	}
	return (n + pl.channels - 1) / pl.channels
}

// speedAgainst finds modules that run faster than the platform allows at the
// depth that they are placed at, and could be where they run only if they were
// spread flatter. Where no spread allows the speed it is the speed that is not
// true. Desktop platforms are overclocked and say nothing.
func (pl *placer) speedAgainst(c *processor, p *platform.Platform) string {
	flat := pl.flatter(c)
	if p == nil || !p.TakesRegistered() || !p.SpeedDependsOnDPC || p.LockstepPairs || flat == 0 {
		return ""
	}
	for _, channel := range slices.Sorted(maps.Keys(c.channels)) {
		slots := c.channels[channel]
		for _, i := range slots {
			s := &pl.sys.Slots[i]
			running := s.ConfiguredMTs.Or(0)
			deep, flatMTs := fastest(p, s, len(slots)), fastest(p, s, flat)
			if deep != 0 && running > deep+ddr.Tolerance && running <= flatMTs+ddr.Tolerance {
				return fmt.Sprintf("the mapping puts %d modules on channel %d, where the platform allows %d MT/s, and firmware states that %s runs at %d MT/s, which it can only with fewer on its channel",
					len(slots), channel, deep, pl.name(i), ddr.Nominal(running))
			}
		}
	}
	return ""
}

// fastest is the platform's highest speed in MT/s for the kinds that a module
// may be at the depth; 0 when a document leaves it open.
func fastest(p *platform.Platform, s *inventory.Slot, depth int) int {
	kinds, _ := platform.KindsFor(p, s)
	most := 0
	for _, kind := range kinds {
		if !p.Takes(kind, depth) {
			continue
		}
		v := platform.SpeedAt(p.Speeds[kind], depth)
		if v == 0 {
			return 0
		}
		most = max(most, v)
	}
	return most
}

// ranksAgainst finds more ranks on a channel than it can select, where spread
// flatter they could be.
func (pl *placer) ranksAgainst(c *processor) string {
	flat := pl.flatter(c)
	for _, channel := range slices.Sorted(maps.Keys(c.channels)) {
		slots, ranks, most := c.channels[channel], 0, 0
		for _, i := range slots {
			s := &pl.sys.Slots[i]
			if s.LoadReduced.Or(false) || s.Ranks.Or(0) > mostRanks/2 {
				ranks = 0 // counts as fewer, or is no rank count of a plain module
				break
			}
			ranks += s.Ranks.Or(0)
			most = max(most, s.Ranks.Or(0))
		}
		if flat != 0 && ranks > mostRanks && flat*most <= mostRanks {
			return fmt.Sprintf("the mapping puts %d ranks on channel %d, and a channel takes %d", ranks, channel, mostRanks)
		}
	}
	return ""
}

// arraysAgainst compares processors with firmware's memory arrays (type 16): an
// array is the memory of a processor, part of it or the memory of several, but
// not parts of two.
func (pl *placer) arraysAgainst() string {
	if len(pl.sys.Arrays) < 2 || pl.fsb {
		return ""
	}
	type pair struct {
		socket int
		array  uint16
	}
	first, arrays, sockets := map[pair]int{}, map[int]int{}, map[uint16]int{}
	for i := range pl.out {
		at := pair{pl.out[i].Socket, pl.sys.Slots[i].Array}
		if _, seen := first[at]; at.socket == Unplaced || seen {
			continue
		}
		first[at] = i
		arrays[at.socket]++
		sockets[at.array]++
	}
	for i := range pl.out {
		at := pair{pl.out[i].Socket, pl.sys.Slots[i].Array}
		if at.socket != Unplaced && arrays[at.socket] > 1 && sockets[at.array] > 1 {
			return fmt.Sprintf("the mapping puts %s on processor %d, whose slots firmware lists in %d memory arrays, of which array 0x%04X has slots of %d processors",
				pl.name(i), at.socket, arrays[at.socket], at.array, sockets[at.array])
		}
	}
	return ""
}

// Parts of a node's memory that the kernel keeps for itself before it counts.
const (
	reservedShare = 16
	reservedBytes = 2 << 30
)

// nodesKnown reports whether nodes could contradict the mapping: with one
// processor they cannot.
func (pl *placer) nodesKnown() bool {
	if len(pl.present) == 1 {
		return true
	}
	for i := range pl.sys.Nodes {
		if n := &pl.sys.Nodes[i]; !n.MemoryBytes.Known() || !n.Socket.Known() {
			return false
		}
	}
	return len(pl.sys.Nodes) > 0
}

// nodesAgainst compares what each processor has by the mapping with what firmware
// told the kernel of its nodes (ACPI SRAT). Nodes are compared by size, in no
// order: kernel and labels may count processors differently. Memory that is
// hidden as a whole is another matter.
func (pl *placer) nodesAgainst() string {
	placed, total := map[int]int64{}, int64(0)
	for _, i := range pl.populatedDRAM() {
		size, ok := pl.sys.Slots[i].SizeBytes.Get()
		if pl.out[i].Socket == Unplaced || !ok {
			return ""
		}
		placed[pl.out[i].Socket] += size
		total += size
	}
	seen, sum := map[int]int64{}, int64(0)
	for i := range pl.sys.Nodes {
		n := &pl.sys.Nodes[i]
		bytes, known := n.MemoryBytes.Get()
		kind, _ := n.Kind.Get()
		if !known || kind != inventory.NodeDRAM && kind != inventory.NodeMemoryless {
			return ""
		}
		socket, ok := n.Socket.Get()
		if !ok {
			return ""
		}
		seen[socket] += bytes
		sum += bytes
	}
	if len(placed) < 2 || len(seen) != len(placed) || !holdsAlmost(sum, total) {
		return ""
	}
	ours, kernel := sortedSizes(placed), sortedSizes(seen)
	for i := range ours {
		if !holdsAlmost(kernel[i], ours[i]) {
			return fmt.Sprintf("the mapping gives the processors %s, and firmware gave the kernel nodes of %s", sizesOf(ours), sizesOf(kernel))
		}
	}
	return ""
}

// MoreNodes says that the kernel's nodes of more processors have memory than the slots' places give
// modules; "" where they do not, or where that cannot be told. Processors are counted, not compared by
// number: kernel and labels may count them differently.
func MoreNodes(sys *inventory.System, places []Placement) string {
	if o, _ := sys.NUMA.Options.Get(); slices.ContainsFunc(o, func(o string) bool { return strings.HasPrefix(o, "numa=fake") }) {
		return ""
	}
	filled := map[int]bool{}
	for i := range sys.Slots {
		if sys.Slots[i].State == inventory.SlotEmpty || sys.Slots[i].Technology.Or(inventory.DRAM) == inventory.Flash {
			continue
		}
		if places[i].Socket == Unplaced {
			return ""
		}
		filled[places[i].Socket] = true
	}
	seen := map[int]int64{}
	for i := range sys.Nodes {
		n := &sys.Nodes[i]
		if kind, _ := n.Kind.Get(); kind != inventory.NodeDRAM {
			continue
		}
		socket, ok := n.Socket.Get()
		bytes, known := n.MemoryBytes.Get()
		if !ok || !known {
			return ""
		}
		if bytes > 0 {
			seen[socket] += bytes
		}
	}
	if len(filled) == 0 || len(seen) <= len(filled) {
		return ""
	}
	return fmt.Sprintf("the slots' places give modules to %s, and the kernel's nodes of %s have memory (%s)",
		prose.Count(len(filled), "processor"), prose.Count(len(seen), "processor"), sizesOf(sortedSizes(seen)))
}

// holdsAlmost tells whether a node's memory is this size less what the kernel may have reserved.
func holdsAlmost(node, size int64) bool {
	return node <= size && size-node <= max(size/reservedShare, reservedBytes)
}

func sortedSizes(by map[int]int64) []int64 {
	var out []int64
	for _, bytes := range by {
		out = append(out, bytes)
	}
	slices.Sort(out)
	return out
}

func sizesOf(list []int64) string {
	words := make([]string, len(list))
	for i, bytes := range list {
		words[i] = prose.Rounded(bytes)
	}
	return prose.And(words)
}
