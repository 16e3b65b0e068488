package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/tools/machinetest"
)

// made makes the machine of a case.
type made func(t testing.TB) *inventory.System

// paper is one of the papers' machines, with modules in the slots with these labels; without labels as it is.
func paper(name string, labels ...string) made {
	return func(t testing.TB) *inventory.System {
		sys := machine(t, name)
		if len(labels) > 0 {
			populate(sys, labels...)
		}
		return sys
	}
}

// dimms are the slots of both processors of a Dell of the eleventh generation.
func dimms(numbers ...int) (out []string) {
	for _, n := range numbers {
		out = append(out, fmt.Sprint("DIMM_A", n), fmt.Sprint("DIMM_B", n))
	}
	return out
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

// filled is a server of machinetest's, or of boards.
func filled(name string, slots func(cpu, channel, slot int) bool) made {
	return func(t testing.TB) *inventory.System {
		if s, ok := boards[name]; ok {
			return collecttest.Read(t, name, s.Table(slots).Dump())
		}
		return server(t, name, slots)
	}
}

// with changes the modules in these slots.
func (m made) with(change func(*inventory.Slot), labels ...string) made {
	return func(t testing.TB) *inventory.System {
		sys := m(t)
		each(t, sys, change, labels...)
		return sys
	}
}

// where changes every module that a test accepts.
func (m made) where(change func(*inventory.Slot), accepts func(label string) bool) made {
	return func(t testing.TB) *inventory.System {
		sys := m(t)
		for i := range sys.Slots {
			if s := &sys.Slots[i]; s.State == inventory.SlotPopulated && accepts(label(s)) {
				change(s)
			}
		}
		return sys
	}
}

// and changes the machine.
func (m made) and(change func(sys *inventory.System)) made {
	return func(t testing.TB) *inventory.System {
		sys := m(t)
		change(sys)
		return sys
	}
}

func firstSlots(_, _, slot int) bool { return slot == 0 }

func channels(n int) func(cpu, channel, slot int) bool {
	return func(_, channel, _ int) bool { return channel < n }
}

func lettered(letters string) func(cpu, channel, slot int) bool {
	return func(_, channel, slot int) bool { return slot == 0 && strings.ContainsRune(letters, rune('A'+channel)) }
}

// boards are servers that these tests alone fill, as firmware describes them.
var boards = func() map[string]machinetest.Server {
	out := map[string]machinetest.Server{}
	board := func(name, vendor, product, brand string, id [3]int, channels, depth int, memory byte, mts int, label func(cpu, channel, slot int) (string, string)) {
		out[name] = machinetest.Server{Vendor: vendor, Product: product, Brand: brand, Maker: "Intel", ID: id, Channels: channels, Depth: depth, Type: memory, MTs: mts, Label: label,
			Shared: memory == 0x14, Single: vendor == "Intel Corporation" || product == "X9SRi-F"}
	}
	ami := func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), ""
	}
	amiBanks := func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), fmt.Sprintf("P%d_Node%d_Channel%d_Dimm%d", cpu, cpu, channel, slot)
	}
	x8dah := func(bank func(channel, slot int) int) func(cpu, channel, slot int) (string, string) {
		return func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("P%d_DIMM%d%c", cpu+1, channel+1, 'A'+slot), fmt.Sprintf("P%d_BANK%d", cpu+1, bank(channel, slot)+1)
		}
	}
	intel := func(_, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", 'A'+channel, slot+1), fmt.Sprintf("NODE 0 CHANNEL %d DIMM %d", channel, slot+1)
	}
	board("X7DB8", "Supermicro", "X7DB8", "Intel(R) Xeon(R) CPU           E5345  @ 2.33GHz", [3]int{6, 15, 7}, 4, 4, 0x14, 667, func(_, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM%d%c", channel+1, 'A'+slot), ""
	})
	board("X9DRi-LN4+", "Supermicro", "X9DRi-LN4+/X9DR3-LN4+", "Intel(R) Xeon(R) CPU E5-2643 v2 @ 3.50GHz", [3]int{6, 62, 4}, 4, 3, 0x18, 800, ami)
	board("X9DRW", "Supermicro", "X9DRW", "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", [3]int{6, 62, 4}, 4, 2, 0x18, 1866, amiBanks)
	board("X9DBX", "Supermicro", "X9DBX", "Intel(R) Xeon(R) CPU E5-2680 v2 @ 2.80GHz", [3]int{6, 62, 4}, 4, 2, 0x18, 1866, amiBanks)
	board("X8DAH", "Supermicro", "X8DAH", "Intel(R) Xeon(R) CPU           E5630  @ 2.53GHz", [3]int{6, 44, 2}, 3, 3, 0x18, 1333, x8dah(func(channel, _ int) int { return channel }))
	board("X8DAH 2.0a", "Supermicro", "X8DAH", "Intel(R) Xeon(R) CPU           E5630  @ 2.53GHz", [3]int{6, 44, 2}, 3, 3, 0x18, 1333, x8dah(func(_, slot int) int { return slot }))
	board("S2600CW", "Intel Corporation", "S2600CW", "Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz", [3]int{6, 63, 2}, 4, 2, 0x1A, 2133, intel)
	board("S1200SP", "Intel Corporation", "S1200SP", "Intel(R) Xeon(R) CPU E3-1220 v5 @ 3.00GHz", [3]int{6, 94, 3}, 2, 2, 0x1A, 2133, intel)
	board("X9SRi-F", "Supermicro", "X9SRi-F", "Intel(R) Xeon(R) CPU E5-2620 0 @ 2.00GHz", [3]int{6, 45, 7}, 4, 2, 0x18, 1333, ami)
	board("BL460c G7", "HP", "ProLiant BL460c G7", "Intel(R) Xeon(R) CPU E5645 @ 2.40GHz", [3]int{6, 44, 2}, 3, 2, 0x18, 1066, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("PROC %d DIMM %s", cpu+1, [][]string{{"2A", "1D"}, {"4B", "3E"}, {"6C", "5F"}}[channel][slot]), ""
	})
	board("DL380 Gen9", "HP", "ProLiant DL380 Gen9", "Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz", [3]int{6, 63, 2}, 4, 3, 0x1A, 2133, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("PROC %d DIMM %d", cpu+1, [4][3]int{{12, 11, 10}, {9, 8, 7}, {1, 2, 3}, {4, 5, 6}}[channel][slot]), ""
	})
	board("R420", "Dell Inc.", "PowerEdge R420", "Intel(R) Xeon(R) CPU E5-2407 0 @ 2.20GHz", [3]int{6, 45, 7}, 3, 2, 0x18, 1600, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", 'A'+cpu, slot*3+channel+1), ""
	})
	amd := func(name, product, brand string, id [3]int, channels int, memory byte, mts int, label func(cpu, channel, slot int) (string, string)) {
		out[name] = machinetest.Server{Vendor: "Dell Inc.", Product: product, Brand: brand, Maker: "Advanced Micro Devices, Inc.", ID: id, Channels: channels, Depth: 2, Type: memory, MTs: mts, Label: label}
	}
	amd("R7425", "PowerEdge R7425", "AMD EPYC 7451 24-Core Processor", [3]int{23, 1, 2}, 8, 0x1A, 2666, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("%c%d", 'A'+cpu, slot*8+channel+1), ""
	})
	amd("R815", "PowerEdge R815", "AMD Opteron(tm) Processor 6276", [3]int{0x15, 1, 2}, 4, 0x18, 1600, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", 'A'+cpu, channel+1+4*slot), "Not Specified"
	})
	for name, brand := range map[string]string{"7282": "AMD EPYC 7282 16-Core Processor", "7402": "AMD EPYC 7402 24-Core Processor", "7232P": "AMD EPYC 7232P 8-Core Processor"} {
		rome := machinetest.Servers()["supermicro-rome"]
		rome.Brand = brand
		out[name] = rome
	}
	r660 := machinetest.Servers()["dell-r660"]
	r660.Depth = 1
	out["r660 of one slot a channel"] = r660
	return out
}()

// TestAdvice checks what is advised for machines of the papers, of the SMBIOS archives and of the planner's requirements, and
// that it keeps its promises.
func TestAdvice(t *testing.T) {
	const r610, r710 = "dell-r610-good", "dell-r710-two-channels"
	for _, c := range []struct {
		name string
		sys  made
		// advice lists what every advice costs and leaves, as brief has it; more may follow what "..." ends.
		advice []string
		// steps are those of an advice, or the part that matters; without advice the reason, or why one is expensive.
		steps string
	}{
		// Where modules move.
		{"R710 0-3-3: 2-2-2 by moving two DIMMs a CPU", paper(r710, dimms(2, 3, 5, 6, 8, 9)...), []string{"move 4"}, "DIMM_A8>DIMM_A1 DIMM_A9>DIMM_A4"},
		{"R710 2-2-0: one DIMM would leave 2-2-1", paper(r710, dimms(1, 2, 4, 5)...), []string{"move 2, remove 2, less 8 GiB", "install 4"}, "+DIMM_A3 +DIMM_A6 +DIMM_B3 +DIMM_B6"},
		{"R710, six behind the first CPU: three for each", paper(r710, "A1", "A2", "A3", "A4", "A5", "A6"), []string{"move 3"}, ">DIMM_B1"},
		{"R710, three behind the first CPU: one of them, or as its neighbour", paper(r710, "A1", "A2", "A3"), []string{"move 1: memory.channel.populated memory.socket.symmetric", "move 1, install 1: memory.channel.populated", "install 3"}, "+DIMM_B1 +DIMM_B2 +DIMM_B3"},
		{"RX600 S6 2-0|2-0: class 1 by moving 2B-2D to 1A-1C", paper("fujitsu-rx600s6-class1", "1B", "1D", "2B", "2D"), []string{"move 16"}, "DIMM-2B>DIMM-1A"},
		{"RX600 S6 with one board: the second board", paper("fujitsu-rx600s6-class3"), []string{"move 8: memory.channel.populated memory.class.optimal", "install 16"}, "DIMM-1A"},
		{"e326m: all slots of the second CPU, for which no map is needed", paper("ibm-e326m-second-empty"), []string{"install 4"}, "+DIMM 5 +DIMM 6 +DIMM 7 +DIMM 8"},
		{"R610 with the second slot of a channel instead of the first: a remark alone is worth a move", paper(r610, dimms(2, 3, 4)...), []string{"move 2"}, "DIMM_A4>DIMM_A1 DIMM_B4>DIMM_B1"},
		{"e326m, three of four behind each CPU: one more for each", paper("ibm-e326m-full", "1", "2", "3", "5", "6", "7"), []string{"install 2"}, "+DIMM 4 +DIMM 8"},
		{"X7DB8+ with two channels: all four by moving", paper("supermicro-x7db8-2ch"), []string{"move 2"}, "DIMM1B>DIMM3A DIMM2B>DIMM4A"},
		{"M710: nothing fails", paper("dell-m710-full"), nil, ""},
		{"X9DRi-LN4+, three each on two of four channels: half more bandwidth by moving cures nothing, and comes first", filled("X9DRi-LN4+", channels(2)), []string{"move 4: memory.channel.populated", "move 4, install 4"}, "P1-DIMM"},
		{"X9DRi-LN4+, 3-2-2-2: moving, taking one out, buying", filled("X9DRi-LN4+", func(_, channel, slot int) bool { return channel == 0 || slot < 2 }), []string{"move 2: memory.channel.symmetric", "remove 2, less 64 GiB", "install 6"}, ""},
		{"X9DRi-LN4+, one each on two channels: nothing to move", filled("X9DRi-LN4+", func(_, channel, slot int) bool { return channel < 2 && slot == 0 }), []string{"install 4"}, ""},
		{"BL460c G7, 0-2-0 and 2-2-2: one moves within the first CPU, the second keeps all", filled("BL460c G7", func(cpu, channel, _ int) bool { return cpu == 1 || channel == 1 }).where(func(s *inventory.Slot) {
			s.Ranks.Value, s.ConfiguredMTs.Value = 4, 800
			s.Registered = fact.Unknown[bool](fact.Unstated, "the type detail is bare", "")
		}, func(string) bool { return true }), []string{"..."}, ">PROC 1 DIMM"},
		{"R740, two each on two of six channels: own modules stay behind their CPU", filled("dell-r740", channels(2)), []string{"move 4: memory.channel.populated", "..."}, ""},
		{"R740, seven behind the first CPU: the seventh moves", filled("dell-r740", func(cpu, channel, slot int) bool { return cpu == 0 && (slot == 0 || channel == 0) }), []string{"move 1: memory.channel.populated memory.socket.symmetric", "..."}, "A7>B1"},
		{"R740, two of two kinds behind the first CPU: one moves", filled("dell-r740", func(cpu, channel, slot int) bool { return cpu+channel == 0 }).with(unstated, "A1"), []string{"move 1: memory.channel.populated", "..."}, ">B1"},
		{"R740, two of two sizes behind the first CPU: one moves, with a warning that the CPUs differ", filled("dell-r740", func(cpu, channel, slot int) bool { return cpu+channel == 0 }).with(larger(2), "A1"), []string{"move 1: memory.channel.populated memory.socket.symmetric", "..."}, ">B1"},
		{"R610, 2-2-1 and 2-1-1: one goes to the other CPU", paper(r610, "A1", "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4"), []string{"move 1: memory.socket.symmetric", "..."}, "DIMM_B4>DIMM_A6"},
		{"R610, 2-2-1 and 2-2-0: complete layers, of which one CPU has two", paper(r610, "A1", "A2", "A3", "A4", "A5", "B2", "B3", "B5", "B6"), []string{"move 2: memory.socket.symmetric", "..."}, ""},
		{"R610, 2-2-0 and 2-1-1: what does not divide goes to the second CPU", paper(r610, "A1", "A2", "A4", "A5", "B1", "B2", "B3", "B4"), []string{"move 2: memory.channel.symmetric memory.socket.symmetric", "..."}, ""},
		{"R610, four of three sizes behind the first CPU: one moves", paper(r610, "A1", "A2", "A3", "A5").with(larger(4), "DIMM_A5").with(larger(2), "DIMM_A3"), []string{"move 1: memory.channel.populated memory.channel.symmetric memory.socket.symmetric", "..."}, ""},
		{"R740, two sizes behind the first CPU alone", filled("dell-r740", func(cpu, channel, _ int) bool { return cpu == 0 && channel < 3 }).with(larger(2), "A1", "A7"), []string{"..."}, ""},
		{"Altra, two sizes on two of eight channels: not both on one, which would be even", filled("altra", func(_, channel, slot int) bool { return channel < 2 && slot == 0 }).with(larger(2), "DIMM_P0_B0", "DIMM_P1_B0"), []string{"exchange 2, install 2: memory.channel.populated", "..."}, ""},
		{"X9DBX, 25 and 75 % for sure: no CPU gives up bandwidth for the other", filled("X9DBX", firstSlots).with(larger(2), "P1-DIMMA1", "P2-DIMMF1", "P2-DIMMG1", "P2-DIMMH1"), []string{"..."}, ""},
		// Where modules change places.
		{"R710, full, larger ones on two of three channels: two of each CPU swap", paper(r710, dimms(upTo(9)...)...).with(larger(2),
			"DIMM_A2", "DIMM_A5", "DIMM_A8", "DIMM_A3", "DIMM_A6", "DIMM_A9", "DIMM_B1", "DIMM_B4", "DIMM_B7", "DIMM_B3", "DIMM_B6", "DIMM_B9"), []string{"swap 4"}, "DIMM_A1<>DIMM_A8 DIMM_A4<>DIMM_A9"},
		{"R610, the two smaller ones on one channel are as much as a larger one: a swap, no purchase", paper(r610, dimms(1, 2, 3, 4)...).with(larger(2), dimms(1, 2)...), []string{"swap 2"}, "DIMM_A1<>DIMM_A3 DIMM_B1<>DIMM_B3"},
		{"R710, full, the second CPU's twice as large: three more, three swapped", paper(r710, dimms(upTo(9)...)...).where(larger(2), func(l string) bool { return strings.Contains(l, "_B") }), []string{"swap 3, exchange 3"}, ""},
		{"Rome, full, two of 32 larger: a swap, two exchanged for less capacity, thirty for all of it", filled("supermicro-rome", func(_, _, _ int) bool { return true }).and(func(sys *inventory.System) {
			sys.Slots[3].SizeBytes.Value, sys.Slots[7].SizeBytes.Value = 2*sys.Slots[3].SizeBytes.Value, 2*sys.Slots[7].SizeBytes.Value
		}), []string{"swap 1: memory.channel.symmetric memory.dimm.uniform memory.socket.symmetric", "exchange 2, less 64 GiB", "exchange 30"}, ""},
		// What is bought.
		{"R610, full, two of six larger: a third of the larger kind", paper(r610, dimms(upTo(6)...)...).with(larger(2), dimms(1, 2)...), []string{"exchange 2"}, ""},
		{"R610, full, larger ones in second slots: all stay", paper(r610, dimms(upTo(6)...)...).with(larger(2), dimms(4, 5)...), []string{"exchange 2"}, ""},
		{"R610, two larger and two smaller ones: one more of each kind", paper(r610, dimms(1, 2, 3, 4)...).with(larger(4), dimms(1, 2)...), []string{"swap 2: memory.channel.symmetric", "..."}, ""},
		{"R610, a large one above a small one: four large ones, most small ones stay", paper(r610, dimms(1, 2, 3, 5, 6)...).with(larger(4), dimms(5)...), []string{"exchange 2, install 2"}, ""},
		{"R610, five each of a kind of its own: one more of its own, none is swapped", paper(r610, dimms(1, 2, 3, 4, 5)...).where(another, func(l string) bool { return strings.Contains(l, "_B") }), []string{"install 2"}, "+DIMM_A6 of 2 ranks +DIMM_B6 of 1 rank"},
		{"RX600 S6 whose second boards are not in the table", paper("fujitsu-rx600s6-class3").and(func(sys *inventory.System) {
			sys.Slots = slices.DeleteFunc(sys.Slots, func(s inventory.Slot) bool { return strings.HasSuffix(s.BankLocator.Value, "B") })
		}), nil, "the SMBIOS table lists no slot of one memory controller"},
		{"R710, four large and a small one: one large one instead and one beside it keep the clock", paper(r710, dimms(upTo(5)...)...).with(larger(4), dimms(1, 2, 4, 5)...), []string{"exchange 2, install 2", "install 8"}, ""},
		{"R710, eight of nine: two bought, none taken out", paper(r710, dimms(upTo(8)...)...), []string{"install 2"}, "+DIMM_A9 +DIMM_B9"},
		{"R420 with modules of three kinds: each CPU more of its own", filled("R420", func(cpu, channel, slot int) bool { return channel == 0 && slot <= cpu }).with(another, "DIMM_A1").with(func(s *inventory.Slot) {
			s.SizeBytes.Value, s.PartNumber.Value = 2*s.SizeBytes.Value, "M002"
		}, "DIMM_B4"), []string{"move 2: memory.channel.populated memory.socket.symmetric", "..."}, ""},
		{"R740, six of two kinds behind the first CPU: three move and the kinds are shared, or six are bought", filled("dell-r740", func(cpu, _, slot int) bool { return cpu == 0 && slot == 0 }).with(unstated, "A1", "A2"), []string{"move 5: memory.channel.populated", "install 6"}, ""},
		{"R740, two each on four of six channels, three rated slower", filled("dell-r740", func(_, channel, _ int) bool { return channel%3 != 2 }).with(func(s *inventory.Slot) {
			s.RatedMTs.Value = 2400
			s.PartNumber.Value += "F" // of one part number unlike rates would be a contradiction
		}, "A1", "A2", "A4"), []string{"move 7, remove 4, less 128 GiB", "install 8: memory.dimm.uniform", "exchange 3, install 8"}, ""},
		{"R740, the same three of one part number: nothing dearer for a note", filled("dell-r740", func(_, channel, _ int) bool { return channel%3 != 2 }).with(func(s *inventory.Slot) {
			s.RatedMTs = fact.Unknown[int](fact.Conflicting, "modules of one part number are rated 2400 and 2933 MT/s", "the labels on the modules")
		}, "A1", "A2", "A4"), []string{"move 7, remove 4, less 128 GiB", "install 8"}, ""},
		{"R740, eight on six channels: four out, or eight more", filled("dell-r740", func(_, channel, slot int) bool { return slot == 0 || channel < 2 }), []string{"remove 4, less 128 GiB", "install 8"}, "-A7 -A8 -B7 -B8"},
		{"R740, eleven of twelve: one bought, none taken out", filled("dell-r740", func(cpu, channel, slot int) bool { return slot == 0 && cpu+channel < 6 }), []string{"install 1"}, "+B6"},
		{"R740, half rated for more than the CPUs run: either kind will do", filled("dell-r740", func(cpu, channel, slot int) bool { return slot == 0 && cpu+channel < 6 }).and(func(sys *inventory.System) {
			for i := range sys.Slots {
				if s := &sys.Slots[i]; s.RatedMTs.Known() && i%2 == 0 {
					s.RatedMTs.Value, s.PartNumber.Value = 2933, "M001"
				}
			}
		}), []string{"install 1"}, "+B6"},
		{"R740, one smaller and two slower: two exchanged before six", filled("dell-r740", firstSlots).with(func(s *inventory.Slot) {
			s.SizeBytes.Value, s.RatedMTs.Value, s.PartNumber.Value = s.SizeBytes.Value/2, 2400, "M001"
		}, "A1", "B1").with(slower, "A5", "A6", "B5", "B6"), []string{"install 2: memory.dimm.uniform", "exchange 6"}, ""},
		{"R740, one module: one for the other CPU, or eleven", filled("dell-r740", func(cpu, channel, slot int) bool { return cpu+channel+slot == 0 }), []string{"install 1: memory.channel.populated", "install 11"}, "+B1"},
		{"Genoa, one of six smaller: seven large ones each, not eleven small ones", filled("supermicro-genoa", func(_, channel, _ int) bool { return channel%2 == 0 }).with(func(s *inventory.Slot) {
			s.SizeBytes.Value, s.PartNumber.Value = s.SizeBytes.Value/2, "M001"
		}, "P1-DIMMA1", "P2-DIMMA1"), []string{"exchange 2: memory.channel.populated", "exchange 2, install 12"}, ""},
		{"four slots on three channels, full: one of each CPU out", paper(r710, dimms(upTo(9)...)...).and(func(sys *inventory.System) {
			var kept []inventory.Slot
			for i := range sys.Slots {
				if l := label(&sys.Slots[i]); l[len(l)-1] <= '4' {
					kept = append(kept, sys.Slots[i])
				}
			}
			sys.Slots = kept
			for i := range sys.Arrays {
				sys.Arrays[i].Devices.Value = len(kept) / len(sys.Arrays)
			}
		}), []string{"remove 2, less 8 GiB"}, ""},
		{"R610, one of four with check bits: firmware may not use them", paper(r610, dimms(1, 2)...).and(func(sys *inventory.System) {
			for i := range sys.Arrays {
				sys.Arrays[i].ECC.Value = "None"
			}
		}).with(func(s *inventory.Slot) { s.TotalWidth.Value = 64 }, "DIMM_B1", "DIMM_A2", "DIMM_B2").with(func(s *inventory.Slot) { s.SizeBytes.Value /= 2 }, "DIMM_A2", "DIMM_B2"), []string{"..."}, ""},
		{"RX600 S6 that sees all but 2 GiB: twice the modules are no mirror", paper("fujitsu-rx600s6-class3").and(visible(126)), []string{"move 8: memory.channel.populated memory.class.optimal", "install 16"}, ""},
		{"RX600 S6 that sees half: a mirror would take what is bought", paper("fujitsu-rx600s6-class3").and(visible(63)), nil, ""},
		{"R610 with one channel full, mirrored: the mode takes what a move would gain", paper(r610, dimms(1, 4)...).and(func(sys *inventory.System) {
			sys.Settings = map[string]inventory.Setting{"memory_ras_mode": {Configured: fact.Known("mirror_full", fact.Direct, fact.Evidence{})}}
		}), nil, "mirroring, sparing or lockstep is on"},
		{"R610 with one channel full", paper(r610, dimms(1, 4)...), []string{"move 2: memory.channel.populated", "move 2, install 2"}, "DIMM_A4>DIMM_A2 DIMM_B4>DIMM_B2"},
		{"X13, four of eight channels", filled("supermicro-x13", func(_, channel, slot int) bool { return slot == 0 && channel < 4 }).and(nodes(4, 4)), []string{"install 8"}, ""},
		{"R740, all behind the first CPU, with last boot's nodes and addresses", filled("dell-r740", func(cpu, _, _ int) bool { return cpu == 0 }).and(nodes(12, 0)).and(func(sys *inventory.System) {
			for i := range sys.Slots {
				if s := &sys.Slots[i]; s.State == inventory.SlotPopulated {
					s.Range = &inventory.Range{Start: int64(i*7%24) << 34}
				}
			}
		}), []string{"move 6"}, ""},
		// Which slots and channels, by documents.
		{"R740 with a node of each controller, one of them without modules", filled("dell-r740", func(_, channel, _ int) bool { return channel < 3 }).and(subNUMA), []string{"move 6"}, "A7>A4 A8>A5 A9>A6"},
		{"R660, whose slot map no document confirms", filled("dell-r660", func(_, channel, slot int) bool { return slot == 0 && channel < 6 }), nil, "no document confirms which slot of this product is on which channel"},
		{"R660 with one slot on each channel: all of them", filled("r660 of one slot a channel", channels(1)), []string{"install 14"}, "no document confirms which slot of this product is on which channel"},
		{"R7425, known only full: two are not to become 32", filled("R7425", func(_, channel, slot int) bool { return channel == 4 && slot == 0 }), nil, "no document confirms which slot of this product is on which channel"},
		{"X8DAH whose banks are the channels", filled("X8DAH", func(_, channel, slot int) bool { return channel == 0 && slot < 2 }), []string{"move 2: memory.channel.populated", "..."}, ""},
		{"X8DAH whose banks contradict its labels", filled("X8DAH 2.0a", func(_, channel, slot int) bool { return channel == 0 && slot < 2 }), nil, "contradicts itself"},
		{"X9DRW, whose manual fills first slots", filled("X9DRW", channels(2)), []string{"move 4"}, "P1-DIMMA2>P1-DIMMC1 P1-DIMMB2>P1-DIMMD1"},
		{"X9DBX, whose first slots no document gives: channels are named", filled("X9DBX", channels(2)), []string{"move 4"}, "0.0>0.2 0.1>0.3 1.0>1.2 1.1>1.3"},
		{"X9DBX, one channel full: no twelve modules to fill every slot", filled("X9DBX", channels(1)), []string{"move 2: memory.channel.populated", "move 2, install 4"}, "0.0>0.1 1.0>1.1 +0.2 +0.3 +1.2 +1.3"},
		{"X9DBX, three of four channels full: the fourth is filled", filled("X9DBX", channels(3)), []string{"install 4"}, ""},
		{"S2600CW: the first slot of a channel, as its document says", filled("S2600CW", channels(2)), []string{"move 2"}, "DIMM_A2>DIMM_C1 DIMM_B2>DIMM_D1"},
		{"S1200SP: the second slot of a channel, as its document says", filled("S1200SP", channels(1)), []string{"move 1"}, "DIMM_A1>DIMM_B2"},
		{"R815 with one each: the manual's four slots need no map", filled("R815", func(_, channel, slot int) bool { return slot == 0 && channel < 1 }), []string{"install 6"}, "+DIMM_A2 +DIMM_A3 +DIMM_A4 +DIMM_B2 +DIMM_B3 +DIMM_B4"},
		{"R815 with the manual's four", filled("R815", firstSlots), nil, ""},
		{"DL380 Gen9 with one behind the second CPU: the first gets one where the letters begin", filled("DL380 Gen9", func(cpu, channel, slot int) bool { return cpu == 1 && channel == 2 && slot == 0 }), []string{"install 1: memory.channel.populated", "..."}, "+PROC 1 DIMM 12"},
		{"X7DB8 with 11 on three of four channels: a third more bandwidth by one move", filled("X7DB8", func(_, channel, slot int) bool { return channel > 0 && channel+slot != 4 || channel == 3 }),
			[]string{"move 1: memory.channel.symmetric", "..."}, "-1.3>-1.0"},
		{"X7DB8 with one of 16: a second one, for two channels are no warning, or three for all", filled("X7DB8", func(_, channel, slot int) bool { return channel+slot == 0 }), []string{"install 1", "install 3"}, "+DIMM2A"},
		{"EPYC 7282, rated below its channels, with four", filled("7282", lettered("ABCD")), nil, "the CPU vendor rates it below what its channels give together, and no document says what more modules would gain"},
		{"EPYC 7282 with A and E, which do not interleave: one moves, and two more for each", filled("7282", lettered("AE")), []string{"move 2, install 4"}, ""},
		{"EPYC 7282 with one: three more for each", filled("7282", lettered("A")), []string{"install 6"}, ""},
		{"EPYC 7402 with four", filled("7402", lettered("ABCD")), []string{"install 8"}, ""},
		{"EPYC 7232P with C, G and H: of four AMD interleaves A to D, E to H, and C, D, G, H", filled("7232P", lettered("CGH")), []string{"install 2"}, ""},
		{"EPYC 7232P with A, C, E and G: four regions of one channel", filled("7232P", lettered("ACEG")), []string{"move 4"}, ""},
		{"EPYC 7232P with B, C, D and G: halves that hold the same", filled("7232P", lettered("BCDG")), []string{"move 2"}, "P1-DIMMB1>P1-DIMMH1 P2-DIMMB1>P2-DIMMH1"},
		{"EPYC 7232P with C, D, G and H", filled("7232P", lettered("CDGH")), nil, ""},
		{"e326m, full, two sizes: without ranks in SMBIOS nothing could be proven even if all were equal", paper("ibm-e326m-full").and(func(sys *inventory.System) {
			for _, i := range []int{2, 6, 7} {
				sys.Slots[i].SizeBytes.Value *= 2
			}
		}), nil, "of the best layout memory.dimm.uniform is unknown: SMBIOS 2.3 has no field for a module's rank here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pipeline(t)
			held := hold(t, c.sys(t), p)
			said := held.made.Why
			for i := range held.made.Advice {
				said += "\n" + inWords(&held.made.Advice[i])
			}
			said += "\n" + held.made.WhyExpensive
			got, want := []string{}, append([]string{}, c.advice...)
			for i := range held.made.Advice {
				got = append(got, brief(&p, &held.made.Advice[i]))
			}
			if n := len(want); n > 0 && want[n-1] == "..." {
				want = want[:n-1]
				got = got[:min(len(got), len(want))]
			}
			assert.Equal(t, want, got, said)
			assert.Contains(t, said, c.steps)
		})
	}
}

// visible is what the kernel sees, in GiB.
func visible(gib int64) func(*inventory.System) {
	return func(sys *inventory.System) {
		sys.Memory.VisibleBytes = fact.Known(gib<<30, fact.Direct, fact.Evidence{})
	}
}

// subNUMA adds a node for each of a processor's two controllers, as the kernel saw the memory at boot.
func subNUMA(sys *inventory.System) {
	at := fact.Evidence{}
	for id := range 4 {
		bytes := int64(0)
		for i := range sys.Slots {
			if s := &sys.Slots[i]; s.SizeBytes.Known() && i/12 == id/2 && i%6/3 == id%2 {
				bytes += s.SizeBytes.Value
			}
		}
		sys.Nodes = append(sys.Nodes, inventory.Node{ID: id, Socket: fact.Known(id/2, fact.Direct, at), HasCPU: fact.Known(true, fact.Direct, at), HasMemory: fact.Known(bytes > 0, fact.Direct, at),
			MemoryBytes: fact.Known(bytes-bytes/50, fact.Direct, at), Kind: fact.Known(map[bool]inventory.NodeKind{true: inventory.NodeDRAM, false: inventory.NodeMemoryless}[bytes > 0], fact.Direct, at)})
	}
}

// unstated is a module of another part number without ranks.
func unstated(s *inventory.Slot) {
	s.PartNumber.Value, s.Ranks = "M001", fact.Unknown[int](fact.Unread, "not stated", "")
}

// nodes adds the kernel's nodes of the processors: the memory of their modules less one reserved GiB.
func nodes(modules ...int) func(*inventory.System) {
	return func(sys *inventory.System) {
		for socket, n := range modules {
			node := inventory.Node{ID: socket, Socket: fact.Known(socket, fact.Direct, fact.Evidence{}),
				Kind:        fact.Known(inventory.NodeMemoryless, fact.Direct, fact.Evidence{}),
				MemoryBytes: fact.Known(int64(0), fact.Direct, fact.Evidence{})}
			if n > 0 {
				node.Kind.Value, node.MemoryBytes.Value = inventory.NodeDRAM, int64(n)*32<<30-1<<30
			}
			sys.Nodes = append(sys.Nodes, node)
		}
	}
}
