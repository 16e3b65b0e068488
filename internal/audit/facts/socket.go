package facts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/humanize"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/place"
	"memaudit.example/memaudit/internal/topology/population"
)

func dimmValues[T int64 | string](f func(s *inventory.Slot) Value) func(any) Value {
	return populationReader(func(s *socketFacts) Value {
		if !s.pop.DIMMs.Known() {
			return valueOf(s.pop.DIMMs)
		}
		return gatherValues[T](s.m.ofSlots(s.pop.Slots, f))
	})
}

var socketType = newObjectType("Socket", "one processor and its memory", slices.Concat(
	socketIdentity, markSlotFields(slices.Concat(socketPopulation, socketSpeeds(), socketOrder, socketModules),
		func(src any) (*Machine, string) {
			s := src.(*socketFacts)
			if s.pop == nil {
				return s.m, ""
			}
			return s.m, s.pop.MapDoubt
		}))...)

var socketIdentity = []Field{
	{"id", intType, "number in board order, from 0", socketReader(func(s *socketFacts) Value {
		if s.sock == nil {
			return MissingValue(fact.Absent, "the memory belongs to the chipset, not to a processor", "")
		}
		return PlainValue(s.sock.ID)
	})},
	{"populated", boolType, "a processor is in the socket", socketReader(func(s *socketFacts) Value {
		if s.sock == nil {
			return PlainValue(true)
		}
		return valueOf(s.sock.Populated)
	})},
	{"brand", textType, "brand string", socketReader(func(s *socketFacts) Value {
		if s.sock == nil {
			return MissingValue(fact.Absent, "the memory belongs to the chipset, not to a processor", "")
		}
		return valueOf(s.sock.Brand)
	})},
	{"kernel_bytes", intType, "memory of the kernel's nodes on this socket, in bytes", socketReader(kernelBytes)},
	{"memory_nodes", intType, "NUMA nodes with memory on this socket", socketReader(func(s *socketFacts) Value {
		return s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasMemory) })
	})},
	{"cpu_nodes", intType, "NUMA nodes with CPUs on this socket", socketReader(func(s *socketFacts) Value {
		return s.countNodes(func(n inventory.Node) Value { return valueOf(n.HasCPU) })
	})},
}

func kernelBytes(s *socketFacts) Value {
	own, ok := s.kernelNodes()
	if !ok.Known() {
		return ok
	}
	facts := []Value{ok}
	var sum int64
	for _, n := range own {
		facts = append(facts, valueOf(n.MemoryBytes))
		sum += n.MemoryBytes.Or(0)
	}
	return deriveValue(func() any { return sum }, facts...)
}

var socketPopulation = []Field{
	{"dimms", intType, "populated DRAM slots", ofPopulation(func(p *population.Population) Value { return valueOf(p.DIMMs) })},
	{"slots", intType, "slots that firmware lists, filled or empty", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.DIMMs, func(int) any { return len(p.Slots) + len(p.EmptySlots) })
	})},
	{"bytes", intType, "capacity of the DIMMs in bytes", ofPopulation(func(p *population.Population) Value { return valueOf(p.Bytes) })},
	{"channels_total", intType, "memory channels of the processor", ofPopulation(func(p *population.Population) Value { return valueOf(p.ChannelsTotal) })},
	{"channels_populated", intType, "channels with at least one DIMM", ofPopulation(func(p *population.Population) Value { return valueOf(p.ChannelsPopulated) })},
	{"channels_confirmed", boolType, "a document, a label or other machines confirm which slot is on which channel", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.ChannelsPopulated, func(int) any { return !p.ChannelsPopulated.Unverified })
	})},
	{"channel_bytes", intListType, "capacity of each channel in bytes", ofPopulation(func(p *population.Population) Value { return valueOf(p.ChannelBytes) })},
	{"channels_equal", boolType, "all populated channels have the same capacity", ofPopulation(func(p *population.Population) Value { return valueOf(p.ChannelsEqual) })},
	{"channels_slotted", intType, "channels that the board has slots for, where they are fewer than the processor has and firmware lists empty slots, too", populationReader(slottedChannels)},
	{"empty", textListType, "names of the empty channels", emptyChannels(func(channel string, _ []string) (text, missing string) { return channel, "" })},
	{"empty_channels", textListType, "empty channels by the locators of their slots", emptyChannels(func(channel string, slots []string) (text, missing string) {
		return "channel " + channel + strings.TrimSuffix(" ("+strings.Join(slots, ", ")+")", " ()"), ""
	})},
	{"empty_choices", textListType, "the slots of each empty channel, one of which takes the DIMM: A1 or A9; unknown if a channel has no slot that is listed", emptyChannels(func(channel string, slots []string) (text, missing string) {
		if len(slots) == 0 {
			return "", "no slot of channel " + channel + " is listed"
		}
		return strings.Join(slots, " or "), ""
	})},
	{"channels", textListType, "every channel with its modules, in words", populationReader(channelWords)},
	{"dpc", intListType, "DIMMs of each channel", ofPopulation(func(p *population.Population) Value { return valueOf(p.DPC) })},
	{"dpc_max", intType, "DIMMs on the fullest channel", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.DPC, func(d []int) any {
			most := 0
			for _, n := range d {
				most = max(most, n)
			}
			return most
		})
	})},
	{"controllers", types.NewListType(controllerType.cel), "memory controllers", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.Controllers, func(c []population.Controller) any { return wrapObjects(controllerType, c) })
	})},
	{"controllers_words", textListType, "every memory controller with its capacity, in words", populationReader(controllerWords)},
	{"subnuma_carried", boolType, "the population carries the sub-NUMA mode that was asked for", socketReader(subNUMACarried)},
	{"regions", types.NewListType(regionType.cel), "interleave regions of the population model", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.Regions, func(r []population.Region) any { return wrapObjects(regionType, r) })
	})},
}

func socketSpeeds() []Field {
	speed := func(f func(s population.Speed) any) func(any) Value {
		return ofPopulation(func(p *population.Population) Value { return unlessSlow(p, p.Speed, p.Likely, f) })
	}
	share := func(f func(s population.Share) any) func(any) Value {
		return ofPopulation(func(p *population.Population) Value { return computedFrom(p.Relative, f) })
	}
	return []Field{
		{"class", textType, "class of the platform's document or grade of the model", ofPopulation(func(p *population.Population) Value {
			return computedFrom(p.Class, func(c population.Class) any { return c.Name })
		})},
		{"expected_mts", intType, "the speed that DIMMs, processor and platform allow together, in MT/s", speed(func(s population.Speed) any { return s.MTs })},
		{"limiter", textType, "what limits the expected speed", speed(func(s population.Speed) any { return string(s.Limiter) })},
		{"limit", textType, "the limit in words", speed(func(s population.Speed) any { return s.Detail })},
		{"also_normal_mts", intListType, "lower speeds that a document calls normal on some boards, or that the processor was never seen above; unknown while the memory runs at one that only other boards' documents name", ofPopulation(alsoNormal)},
		{"bound_mts", intType, "speed that nothing can raise, in MT/s: the slowest module's rating or the processor's maximum", ofPopulation(func(p *population.Population) Value { return valueOf(p.BoundMTs) })},
		{"running_mts", intType, "lowest configured speed of the DIMMs in MT/s", ofPopulation(func(p *population.Population) Value {
			return unlessSlow(p, p.RunningMTs, p.LowestMTs, func(n int) any { return n })
		})},
		{"peak", intType, "theoretical peak of the populated channels in bytes per second", ofPopulation(func(p *population.Population) Value { return valueOf(p.Peak) })},
		{"share_measured", floatType, "share of the best population's bandwidth where a document measured this layout", ofPopulation(func(p *population.Population) Value {
			if p.Relative.Known() && p.Relative.Value.Value == nil {
				return MissingValue(fact.Absent, "no document measured this layout", "")
			}
			return computedFrom(p.Relative, func(s population.Share) any { return *s.Value })
		})},
		{"share_basis", textType, "what share_low and share_high rest on, in a few words: the population model, or measured levels", share(func(s population.Share) any { return s.Basis() })},
		{"share_source", textType, "the document behind share_measured or share_basis, or the population model", share(func(s population.Share) any { return cmp.Or(s.Document, s.Basis()) })},
		{"share_low", floatType, "share of the processor's best bandwidth (all channels, highest clock) that its slowest region has", share(func(s population.Share) any { return s.Low })},
		{"share_high", floatType, "share of the processor's best bandwidth (all channels, highest clock) that one can have at most", share(func(s population.Share) any { return s.High })},
	}
}

// socketOrder are the fields about the required order and likeness of DIMMs: lockstep pairs, hemispheres, the
// documented fill order.
var socketOrder = []Field{
	{"lockstep_identical", boolType, "every lockstep pair is identical", ofPopulation(func(p *population.Population) Value { return valueOf(p.Lockstep) })},
	{"lockstep_detail", textType, "the lockstep pairs that differ", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.Lockstep, func(bool) any { return p.LockstepDetail })
	})},
	{"mode_slots", boolType, "the filled slots are the vendor's for lockstep, mirroring or sparing, which may be on, and for no other mode", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.DIMMs, func(int) any { return p.ModeSlots })
	})},
	{"lockstep_order", textListType, "where lockstep pairs break the documented fill order, in words", populationReader(lockstepFaults)},
	{"hemisphere", boolType, "both controllers carry identical layouts", ofPopulation(func(p *population.Population) Value { return valueOf(p.Hemisphere) })},
	{"order_documented", boolType, "a document gives a fill order for these slots", ofPopulation(func(p *population.Population) Value {
		if p.Order.State == fact.Absent && p.DPC.Known() {
			return PlainValue(false)
		}
		return computedFrom(p.Order, func(bool) any { return true })
	})},
	{"maker_counts", intListType, "the numbers of DIMMs that the product's own manual allows, if the number in place is none of them; empty otherwise", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.DIMMs, func(int) any { return append([]int{}, p.Counts...) })
	})},
	{"maker_count_ways", textListType, "what to fill or to empty for one of maker_counts, in words", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.DIMMs, func(int) any { return append([]string{}, p.CountWays...) })
	})},
	{"order_kept", boolType, "the documented fill order is kept", ofPopulation(func(p *population.Population) Value { return valueOf(p.Order) })},
	{"order_detail", textType, "the slots that break the fill order", ofPopulation(func(p *population.Population) Value {
		return computedFrom(p.Order, func(bool) any { return p.OrderDetail })
	})},
}

var socketModules = []Field{
	{"locators", textListType, "locators of the populated slots, in table order", populationReader(slotLocators)},
	{"sizes", intListType, "distinct DIMM capacities in bytes", dimmValues[int64](func(s *inventory.Slot) Value { return valueOf(s.SizeBytes) })},
	{"ranks", intListType, "distinct rank counts", dimmValues[int64](func(s *inventory.Slot) Value { return valueOf(s.Ranks) })},
	{"types", textListType, "distinct memory types", dimmValues[string](func(s *inventory.Slot) Value { return valueOf(s.Type) })},
	{"widths", intListType, "distinct total widths in bits", dimmValues[int64](func(s *inventory.Slot) Value { return valueOf(s.TotalWidth) })},
	{"rated_mts", intListType, "distinct rated speeds in MT/s", dimmValues[int64](func(s *inventory.Slot) Value {
		return computedFrom(s.RatedMTs, func(n int) any { return int64(ddr.Nominal(n)) })
	})},
	{"registering", textListType, "distinct kinds: registered, load-reduced, unbuffered", dimmValues[string](registering)},
	{"differences", textListType, "in what the DIMMs differ, with their slots, in words", populationReader(differences)},
	{"mixture", textType, "which DIMMs differ from the others and how, in one sentence; those of all processors if each has different ones; empty if none differ", populationReader(describeMixture)},
	{"unlike_parts", textType, "the part numbers of the DIMMs with their slots, in words, if they are not all the same; empty otherwise", populationReader(differentParts)},
	{"channel_ranks", intListType, "ranks on every populated channel", populationReader(channelRanks)},
	{"ranks_total", intType, "ranks of all DIMMs together", populationReader(func(s *socketFacts) Value {
		facts := []Value{valueOf(s.pop.DIMMs)}
		var sum int64
		for _, i := range s.pop.Slots {
			facts = append(facts, valueOf(s.m.sys.Slots[i].Ranks))
			sum += int64(s.m.sys.Slots[i].Ranks.Or(0))
		}
		return deriveValue(func() any { return sum }, facts...)
	})},
}

var controllerType = newObjectType("Controller", "one memory controller of a processor",
	Field{"index", intType, "number within the processor, from 0", ofItem(func(c population.Controller) any { return c.Index })},
	Field{"dimms", intType, "DIMMs behind it", ofItem(func(c population.Controller) any { return c.DIMMs })},
	Field{"size_bytes", intType, "capacity behind it in bytes", ofItem(func(c population.Controller) any { return c.Bytes })},
	Field{"layout", textType, "what sits where; equal layouts are equal texts", ofItem(func(c population.Controller) any { return c.Layout })},
)

var regionType = newObjectType("Region", "one interleave region",
	Field{"bytes", intType, "size of the region in bytes", ofItem(func(r population.Region) any { return r.Bytes })},
	Field{"ways", intType, "channels it is interleaved over", ofItem(func(r population.Region) any { return r.Ways })},
)

func wrapObjects[T any](t *ObjectType, in []T) []*Object {
	out := make([]*Object, len(in))
	for i := range in {
		out[i] = &Object{typ: t, src: in[i]}
	}
	return out
}

// The order of the table follows their numbering better than the alphabet.
func slotLocators(s *socketFacts) Value {
	locators := s.m.ofSlots(s.pop.Slots, func(slot *inventory.Slot) Value { return valueOf(slot.Locator) })
	return deriveValue(func() any { return s.m.slotNames(s.pop.Slots) }, slices.Concat([]Value{valueOf(s.pop.DIMMs)}, locators)...)
}

func channelRanks(s *socketFacts) Value {
	facts := []Value{valueOf(s.pop.DPC)}
	out := []int{}
	for _, slots := range s.pop.ChannelSlots {
		sum := 0
		for _, at := range slots {
			facts = append(facts, valueOf(s.m.sys.Slots[at].Ranks))
			sum += s.m.sys.Slots[at].Ranks.Or(0)
		}
		if len(slots) > 0 {
			out = append(out, sum)
		}
	}
	return deriveValue(func() any { return out }, facts...)
}

// emptyChannels describes each channel without a module, and the slots of its own that are listed; missing is why it cannot.
func emptyChannels(describe func(channel string, slots []string) (text, missing string)) func(any) Value {
	return populationReader(func(s *socketFacts) Value {
		out := []string{}
		for ch, n := range s.pop.DPC.Or(nil) {
			if n > 0 {
				continue
			}
			text, missing := describe(s.pop.ChannelName(ch), s.m.slotNames(s.emptySlots(ch)))
			if missing != "" {
				return MissingValue(fact.Absent, missing, "")
			}
			out = append(out, text)
		}
		return computedFrom(s.pop.DPC, func([]int) any { return out })
	})
}

// lockstepFaults is known only on boards with known pairs.
func lockstepFaults(s *socketFacts) Value {
	p, ok := s.m.population.Platform.Get()
	if !ok {
		return valueOf(s.m.population.Platform)
	}
	if len(p.LockstepChannels) == 0 || !p.LockstepPairs {
		return MissingValue(fact.Absent, "no document gives a fill order of lockstep pairs for "+p.Name, "")
	}
	return deriveValue(s.orderFaults, valueOf(s.pop.Lockstep), valueOf(s.pop.DPC), valueOf(s.pop.Bytes), valueOf(s.pop.Order))
}

func (s *socketFacts) orderFaults() any {
	out := []string{}
	for _, f := range s.pop.OrderFaults {
		name := s.m.sys.Slots[f.Slot].Name()
		if f.Smaller == place.Unplaced {
			out = append(out, name+" is filled before an earlier position of its controller")
		} else {
			out = append(out, name+" ("+humanize.Size(s.m.sys.Slots[f.Slot].SizeBytes.Or(0))+") comes after the smaller "+s.m.sys.Slots[f.Smaller].Name())
		}
	}
	return out
}

// If the fact is unknown and memory probably runs below its speed, what firmware states counts, in doubt.
func unlessSlow[T any](p *population.Population, f, stated fact.Fact[T], compute func(T) any) Value {
	if f.Known() || !p.ProbablySlow() {
		return computedFrom(f, compute)
	}
	return withDoubt(computedFrom(stated, compute), &fact.Doubt{Reason: f.Reason, KnownBy: f.KnownBy})
}

// A speed that is normal on other boards only does not excuse a board whose document was not read.
func alsoNormal(p *population.Population) Value {
	if running, ok := fact.First(p.RunningMTs, p.LowestMTs).Get(); ok && p.Likely.Value.BoardDecides(running) {
		return MissingValue(fact.Absent, fmt.Sprintf("%d MT/s is normal on some boards of this platform, %d on others: this board's document decides",
			running, p.Likely.Value.MTs), "the speeds by DIMMs per channel in the manual of this board")
	}
	return unlessSlow(p, p.Speed, p.Likely, func(s population.Speed) any { return append([]int{}, s.AlsoNormal...) })
}
