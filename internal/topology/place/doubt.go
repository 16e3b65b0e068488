package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

// mostRanks is the limit of ranks per channel without load-reduced DIMMs (Supermicro, X9 memory configuration
// guide; IBM System x3650 M4 HD product guide).
const mostRanks = 8

// A single disagreement may be a firmware error, but the two readings cannot both be true.
func (pl *placer) checkMapping(p *platform.Platform) {
	machine := pl.nodesKnown()
	for _, c := range pl.listProcessors() {
		bank, named := pl.bankAgainst(&c)
		for _, conflict := range []string{bank, pl.rowsAgainst(&c), pl.speedAgainst(&c, p), pl.ranksAgainst(&c), pl.positionsAgainst(&c)} {
			pl.recordDoubt(&c, conflict)
		}
		for _, i := range c.slots {
			s, o := &pl.sys.Slots[i], &pl.out[i]
			o.Witnessed = machine && (named || o.Witnessed || o.Certainty == fact.Direct) && s.ConfiguredMTs.Known() && s.Ranks.Known()
		}
	}
	pl.doubtEverySlot(pl.arraysAgainst())
	pl.doubtEverySlot(pl.addressesAgainst())
	pl.doubtEverySlot(pl.nodesAgainst())
	if !pl.fsb && (p == nil || !p.ZeroDIMMsLegal) {
		pl.doubtEverySlot(describeExtraNodes(pl.sys, pl.out))
	}
}

// All slots of the CPU get it, because it does not show which are misplaced. A doubted mapping counts as one unconfirmed source.
func (pl *placer) recordDoubt(c *processor, conflict string) {
	if conflict == "" {
		return
	}
	for _, i := range c.slots {
		o := &pl.out[i]
		if o.Doubt == "" {
			o.Doubt = conflict
		}
		o.Certainty = min(o.Certainty, fact.Indirect)
	}
}

func (pl *placer) doubtEverySlot(conflict string) {
	if conflict == "" {
		return
	}
	for _, c := range pl.listProcessors() {
		pl.recordDoubt(&c, conflict)
	}
	pl.doubtSockets(conflict)
}

func (pl *placer) doubtSockets(conflict string) {
	for i := range pl.out {
		pl.out[i].SocketDoubt = cmp.Or(pl.out[i].SocketDoubt, conflict)
	}
}

// A pattern must read both the letter and the bank's number. named is true if every bank locator names a channel and the same
// slots share one.
func (pl *placer) bankAgainst(c *processor) (conflict string, named bool) {
	owner, numbered := map[int]int{}, map[int]int{}
	for _, i := range c.slots {
		letter, bank, ok := pl.letterAndBank(i)
		if !ok {
			return "", false
		}
		other, seen := owner[letter]
		if first, taken := numbered[bank]; seen && other != bank || taken && first != letter {
			return fmt.Sprintf("the label of %s is of channel %d, and its bank %q of another", pl.quotedName(i), pl.out[i].Channel, labelText(&pl.sys.Slots[i].BankLocator)), false
		}
		owner[letter], numbered[bank] = bank, letter
	}
	return "", true
}

// A number beyond the CPU's channels is a firmware error (a Lenovo HR630X reports Channel6 for letter F of six).
func (pl *placer) letterAndBank(i int) (letter, bank int, ok bool) {
	l := &pl.labels[i]
	if l.rule == nil || !l.rule.bankGives("{chan}") || pl.out[i].Source != SourceLocator {
		return 0, 0, false
	}
	letter, lettered := l.fieldValue(fieldLetter)
	channel, numbered := l.fieldValue(fieldChannel)
	node, _ := l.fieldValue(fieldNode)
	return letter, node<<8 | channel, lettered && numbered && channel < pl.channels
}

// Banks that no pattern reads may be channels if there are as many and all have the same size. A Supermicro X8DAH up to BIOS
// 2.0a has P1_DIMM1A, P1_DIMM2A and P1_DIMM3A on P1_BANK1. Other boards number slots this way; and two banks of two slots
// are usually the rows of a two-channel board.
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
				differs = fmt.Sprintf("labels and bank locators disagree about the channels: the labels put %s on channel %d and %s on channel %d, and both are in bank %q",
					pl.quotedName(first), pl.out[first].Channel, pl.quotedName(i), pl.out[i].Channel, bank)
			}
		}
	}
	return differs
}

// evenlySpreadDepth is the depth of the fullest channel if the DIMMs were spread evenly, 0 if the number of channels is unknown.
func (pl *placer) evenlySpreadDepth(c *processor) int {
	if pl.channels == 0 {
		return 0
	}
	n := pl.channels - 1
	for _, slots := range c.channels {
		n += len(slots)
	}
	return n / pl.channels
}

// If no layout allows the speed, the reported speed is wrong. Desktop platforms are skipped, because they are overclocked.
func (pl *placer) speedAgainst(c *processor, p *platform.Platform) string {
	flat := pl.evenlySpreadDepth(c)
	if p == nil || !p.TakesRegistered() || !p.SpeedDependsOnDPC || p.LockstepPairs || flat == 0 {
		return ""
	}
	for _, channel := range slices.Sorted(maps.Keys(c.channels)) {
		slots := c.channels[channel]
		for _, i := range slots {
			s := &pl.sys.Slots[i]
			running := s.ConfiguredMTs.Or(0)
			deep, flatMTs := fastestSpeed(p, s, len(slots)), fastestSpeed(p, s, flat)
			if deep != 0 && running > deep+ddr.Tolerance && running <= flatMTs+ddr.Tolerance {
				return fmt.Sprintf("the mapping puts %d modules on channel %d, where the platform allows %d MT/s, and firmware states that %s runs at %d MT/s, which it can only with fewer on its channel",
					len(slots), channel, deep, pl.quotedName(i), ddr.Nominal(running))
			}
		}
	}
	return ""
}

// fastestSpeed is in MT/s, 0 if no document gives it.
func fastestSpeed(p *platform.Platform, s *inventory.Slot, depth int) int {
	kinds, _ := platform.KindsFor(p, s)
	most := 0
	for _, kind := range kinds {
		if !p.AllowsDepth(kind, depth) {
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

// ranksAgainst finds channels with more ranks than they can select, if an even spread would avoid it.
func (pl *placer) ranksAgainst(c *processor) string {
	flat := pl.evenlySpreadDepth(c)
	for _, channel := range slices.Sorted(maps.Keys(c.channels)) {
		slots, ranks, most := c.channels[channel], 0, 0
		for _, i := range slots {
			s := &pl.sys.Slots[i]
			if s.LoadReduced.Or(false) || s.Ranks.Or(0) > mostRanks/2 {
				ranks = 0 // counts as fewer, or is not the rank count of a plain DIMM
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

// An array is the memory of one CPU, a part of it, or the memory of several CPUs, but never parts of two.
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
				pl.quotedName(i), at.socket, arrays[at.socket], at.array, sockets[at.array])
		}
	}
	return ""
}

// Memory of a node that the kernel reserves before it counts MemTotal.
const (
	reservedShare = 16
	reservedBytes = 2 << 30
)

// nodesKnown reports whether the NUMA nodes could contradict the mapping. With one CPU they cannot.
func (pl *placer) nodesKnown() bool {
	unknown := func(n inventory.Node) bool { return !n.MemoryBytes.Known() || !n.Socket.Known() }
	return len(pl.present) == 1 || len(pl.sys.Nodes) > 0 && !slices.ContainsFunc(pl.sys.Nodes, unknown)
}

// The nodes are of ACPI SRAT. Sizes are compared in no order, because the kernel and the labels may number CPUs differently.
// Memory hidden completely is reported elsewhere.
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
	for _, n := range pl.sys.Nodes {
		bytes, known := n.MemoryBytes.Get()
		socket, ok := n.Socket.Get()
		kind, _ := n.Kind.Get()
		if !known || !ok || kind != inventory.NodeDRAM && kind != inventory.NodeMemoryless {
			return ""
		}
		seen[socket] += bytes
		sum += bytes
	}
	if len(placed) < 2 || len(seen) != len(placed) || !matchesNode(sum, total) {
		return ""
	}
	ours, kernel := slices.Sorted(maps.Values(placed)), slices.Sorted(maps.Values(seen))
	for i := range ours {
		if !matchesNode(kernel[i], ours[i]) {
			return fmt.Sprintf("the mapping gives the processors %s, and firmware gave the kernel nodes of %s", formatSizes(ours), formatSizes(kernel))
		}
	}
	return ""
}

// It is "" unless the kernel's nodes of more CPUs have memory than the placements put DIMMs on. CPUs are counted, not compared
// by number: the kernel and the labels may number them differently.
func describeExtraNodes(sys *inventory.System, places []Placement) string {
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
	for _, n := range sys.Nodes {
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
		humanize.Plural(len(filled), "processor"), humanize.Plural(len(seen), "processor"), formatSizes(slices.Sorted(maps.Values(seen))))
}

func matchesNode(node, size int64) bool {
	return node <= size && size-node <= max(size/reservedShare, reservedBytes)
}

func formatSizes(list []int64) string {
	words := make([]string, len(list))
	for i, bytes := range list {
		words[i] = humanize.Rounded(bytes)
	}
	return humanize.List(words)
}

// Address ranges of memory devices (SMBIOS type 20, DSP0134 7.21) are used to check the mapping. Many are
// boilerplate; what is used here contradicts none of the machines of linuxhw/DMI that report it (140 with
// interleave positions, 367 with several CPUs and one range per DIMM). A range shared by
// several DIMMs does not show their CPU: Supermicro's X11 boards report one for DIMMs of both. Ranges of memory
// arrays (type 19) are not used either: most firmware splits them at the hole below 4 GiB, not between CPUs.

// Two DIMMs on one channel cannot have two positions; and if every position of a controller's interleave is used, two DIMMs
// on different channels cannot share one.
func (pl *placer) positionsAgainst(c *processor) string {
	var slots []int
	for _, i := range c.slots {
		r := pl.sys.Slots[i].Range
		if !pl.sys.Slots[i].HoldsDRAM() {
			continue
		}
		if r == nil || r.Position == 0 {
			return ""
		}
		slots = append(slots, i)
	}
	for n, i := range slots {
		for _, j := range slots[:n] {
			a, b := pl.sys.Slots[i].Range, pl.sys.Slots[j].Range
			if pl.out[i].Controller != pl.out[j].Controller || a.Depth != b.Depth {
				continue
			}
			if one := pl.out[i].Channel == pl.out[j].Channel; one != (a.Position == b.Position) && (one || pl.allPositions(slots, i)) {
				return fmt.Sprintf("the mapping puts %s on channel %d and %s on channel %d, and firmware gives them positions %d and %d of an interleave of %d",
					pl.quotedName(j), pl.out[j].Channel, pl.quotedName(i), pl.out[i].Channel, b.Position, a.Position, a.Depth)
			}
		}
	}
	return ""
}

func (pl *placer) allPositions(slots []int, i int) bool {
	own, taken := pl.sys.Slots[i].Range, map[int]bool{}
	for _, j := range slots {
		if r := pl.sys.Slots[j].Range; pl.out[j].Controller == pl.out[i].Controller && r.Depth == own.Depth {
			taken[r.Position] = true
		}
	}
	return len(taken) == own.Depth
}

// Memory with a range for each DIMM is not interleaved across CPUs, so the addresses of each CPU are contiguous.
func (pl *placer) addressesAgainst() string {
	if pl.fsb {
		return ""
	}
	slots := pl.populatedDRAM()
	for _, i := range slots {
		if pl.sys.Slots[i].Range == nil || pl.out[i].Socket == Unplaced {
			return ""
		}
	}
	start := func(i int) int64 { return pl.sys.Slots[i].Range.Start }
	slices.SortFunc(slots, func(a, b int) int { return cmp.Compare(start(a), start(b)) })
	left := map[int]bool{}
	conflict := ""
	for n, i := range slots[min(1, len(slots)):] {
		before := slots[n]
		if start(i) == start(before) {
			return ""
		}
		if pl.out[i].Socket == pl.out[before].Socket {
			continue
		}
		left[pl.out[before].Socket] = true
		if left[pl.out[i].Socket] && conflict == "" {
			conflict = fmt.Sprintf("the mapping puts %s on processor %d, and firmware gives it addresses after those of %s, of processor %d, which follow others of processor %d",
				pl.quotedName(i), pl.out[i].Socket, pl.quotedName(before), pl.out[before].Socket, pl.out[i].Socket)
		}
	}
	return conflict
}
