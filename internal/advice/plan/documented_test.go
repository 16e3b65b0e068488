package plan_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"memaudit.example/memaudit/internal/advice/plan"
	"memaudit.example/memaudit/internal/collect/collecttest"
	"memaudit.example/memaudit/internal/tools/corpustest"
	"memaudit.example/memaudit/internal/tools/machinetest"
	"memaudit.example/memaudit/internal/topology/place"
)

// documentedServers are the products of testdata/slot-sets.tsv as their firmware describes them: processor, labels
// and number of the slots.
func documentedServers() map[string]machinetest.Server {
	numbered := func(format string, letters bool) func(cpu, channel, slot int) (string, string) {
		return func(cpu, channel, _ int) (string, string) {
			switch {
			case letters:
				return fmt.Sprintf(format, 'A'+cpu, channel+1), ""
			case strings.Count(format, "%") == 2:
				return fmt.Sprintf(format, cpu+1, channel+1), ""
			default:
				return fmt.Sprintf(format, channel+1), ""
			}
		}
	}
	dell, hp := numbered("DIMM_%c%d", true), numbered("PROC %d DIMM %d", false)
	out := map[string]machinetest.Server{}
	add := func(vendor, product, maker, brand string, id [3]int, slots int, memory byte, label func(cpu, channel, slot int) (string, string)) {
		out[product] = machinetest.Server{Vendor: vendor, Product: product, Maker: maker, Brand: brand, ID: id, Channels: slots, Depth: 1,
			Type: memory, MTs: map[byte]int{0x14: 667, 0x18: 1333, 0x1A: 2133, 0x22: 4800}[memory], Label: label, Shared: memory == 0x14}
	}
	const ddr3, ddr4, ddr5, fbd = 0x18, 0x1A, 0x22, 0x14
	const amd = "Advanced Micro Devices, Inc."
	x5570, e52430 := "Intel(R) Xeon(R) CPU           X5570  @ 2.93GHz", "Intel(R) Xeon(R) CPU E5-2430 0 @ 2.20GHz"
	add("Dell Inc.", "PowerEdge R710", "Intel", x5570, [3]int{6, 26, 5}, 9, ddr3, dell)
	add("Dell Inc.", "PowerEdge R610", "Intel", x5570, [3]int{6, 26, 5}, 6, ddr3, dell)
	add("Dell Inc.", "PowerEdge T410", "Intel", x5570, [3]int{6, 26, 5}, 4, ddr3, dell)
	add("Dell Inc.", "PowerEdge T420", "Intel", e52430, [3]int{6, 45, 7}, 6, ddr3, dell)
	add("Dell Inc.", "PowerEdge M620", "Intel", "Intel(R) Xeon(R) CPU E5-2640 0 @ 2.50GHz", [3]int{6, 45, 7}, 12, ddr3, dell)
	add("Dell Inc.", "PowerEdge R720", "Intel", "Intel(R) Xeon(R) CPU E5-2640 0 @ 2.50GHz", [3]int{6, 45, 7}, 12, ddr3, dell)
	add("Dell Inc.", "PowerEdge FC430", "Intel", "Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz", [3]int{6, 63, 2}, 4, ddr4, dell)
	add("Dell Inc.", "PowerEdge T640", "Intel", "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", [3]int{6, 85, 4}, 12, ddr4, dell)
	add("Dell Inc.", "PowerEdge C6520", "Intel", "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", [3]int{6, 106, 6}, 8, ddr4, dell)
	add("Dell Inc.", "XC760", "Intel", "Intel(R) Xeon(R) Gold 6430", [3]int{6, 143, 8}, 16, ddr5, dell)
	add("Dell Inc.", "PowerEdge T560", "Intel", "Intel(R) Xeon(R) Gold 6430", [3]int{6, 143, 8}, 8, ddr5, dell)
	add("Dell Inc.", "PowerEdge R7425", amd, "AMD EPYC 7401 24-Core Processor", [3]int{23, 1, 2}, 16, ddr4, dell)
	add("Dell Inc.", "XC6515", amd, "AMD EPYC 7402 24-Core Processor", [3]int{23, 49, 0}, 16, ddr4, dell)
	add("Dell Inc.", "PowerEdge C6525", amd, "AMD EPYC 7402 24-Core Processor", [3]int{23, 49, 0}, 8, ddr4, dell)
	add("Dell Inc.", "PowerEdge R6615", amd, "AMD EPYC 9354 32-Core Processor", [3]int{25, 17, 1}, 12, ddr5, dell)
	add("Dell Inc.", "PowerEdge 2950", "Intel", "Intel(R) Xeon(R) CPU            5150  @ 2.66GHz", [3]int{6, 15, 6}, 8, fbd, numbered("DIMM%d", false))
	add("Dell Inc.", "PowerEdge 2900", "Intel", "Intel(R) Xeon(R) CPU            5150  @ 2.66GHz", [3]int{6, 15, 6}, 12, fbd, numbered("DIMM%d", false))
	add("HP", "ProLiant DL320 G6", "Intel", x5570, [3]int{6, 26, 5}, 9, ddr3, hp)
	add("HP", "ProLiant SL210t Gen8", "Intel", "Intel(R) Xeon(R) CPU E5-2640 0 @ 2.50GHz", [3]int{6, 45, 7}, 8, ddr3, hp)
	add("HP", "ProLiant DL360e Gen8", "Intel", e52430, [3]int{6, 45, 7}, 6, ddr3, hp)
	// IBM and Lenovo count over the processors; on the ST650 V2 from both ends.
	over := func(per int) func(cpu, channel, slot int) (string, string) {
		return func(cpu, channel, _ int) (string, string) {
			return fmt.Sprintf("DIMM %d", cpu*per+channel+1), fmt.Sprintf("CPU %d", cpu+1)
		}
	}
	mirrored := func(cpu, channel, _ int) (string, string) {
		return fmt.Sprintf("DIMM %d", []int{channel + 1, 32 - channel}[cpu]), fmt.Sprintf("CPU %d", cpu+1)
	}
	oracle := func(cpu, channel, _ int) (string, string) {
		return fmt.Sprintf("D%d", channel), fmt.Sprintf("/SYS/MB/P%d", cpu)
	}
	// The letters go on over the processors, without an I.
	cisco := func(channels int) func(cpu, channel, slot int) (string, string) {
		return func(cpu, channel, slot int) (string, string) {
			return fmt.Sprintf("DIMM_%c%d", "ABCDEFGHJKLMNOPQ"[cpu*channels+channel], slot+1), fmt.Sprintf("NODE %d CHANNEL %d DIMM %d", cpu, channel, slot)
		}
	}
	e52640v3, gold6130, gold6330, gold6430 := "Intel(R) Xeon(R) CPU E5-2640 v3 @ 2.60GHz", "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz",
		"Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", "Intel(R) Xeon(R) Gold 6430"
	add("Dell Inc.", "PowerEdge R430", "Intel", e52640v3, [3]int{6, 63, 2}, 8, ddr4, dell)
	add("Dell Inc.", "PowerEdge T440", "Intel", gold6130, [3]int{6, 85, 4}, 10, ddr4, dell)
	add("Oracle Corporation", "Netra X6270 M2", "Intel", "Intel(R) Xeon(R) CPU           X5670  @ 2.93GHz", [3]int{6, 44, 2}, 9, ddr3, oracle)
	add("Oracle Corporation", "ORACLE SERVER X9-2L", "Intel", gold6330, [3]int{6, 106, 6}, 16, ddr4, oracle)
	add("LENOVO", "System x3500 M5", "Intel", e52640v3, [3]int{6, 63, 2}, 12, ddr4, over(12))
	add("IBM", "System x3550 M3", "Intel", x5570, [3]int{6, 26, 5}, 9, ddr3, func(cpu, channel, _ int) (string, string) {
		return fmt.Sprintf("DIMM %d", cpu*9+channel+1), fmt.Sprintf("Bank %d", channel)
	})
	add("LENOVO", "System x3650 M4 BD", "Intel", "Intel(R) Xeon(R) CPU E5-2640 v2 @ 2.00GHz", [3]int{6, 62, 4}, 8, ddr3, over(8))
	add("Lenovo", "ThinkSystem SR860 V2", "Intel", "Intel(R) Xeon(R) Gold 6330H CPU @ 2.00GHz", [3]int{6, 85, 11}, 12, ddr4, over(12))
	add("Lenovo", "ThinkSystem SR630 V2", "Intel", gold6330, [3]int{6, 106, 6}, 16, ddr4, over(16))
	add("Lenovo", "ThinkSystem ST650 V2", "Intel", gold6330, [3]int{6, 106, 6}, 16, ddr4, mirrored)
	add("Lenovo", "ThinkSystem SD650 V3", "Intel", gold6430, [3]int{6, 143, 8}, 8, ddr5, over(8))
	for product, s := range map[string]struct {
		brand           string
		id              [3]int
		channels, depth int
	}{
		"UCSC-C220-M4S":  {e52640v3, [3]int{6, 63, 2}, 4, 3},
		"UCSC-C240-M5SX": {gold6130, [3]int{6, 85, 4}, 6, 2},
		"UCSX-210C-M6":   {gold6330, [3]int{6, 106, 6}, 8, 2},
	} {
		add("Cisco Systems Inc", product, "Intel", s.brand, s.id, s.channels, ddr4, cisco(s.channels))
		deep := out[product]
		deep.Depth = s.depth
		out[product] = deep
	}
	add("IBM", "System x3550 (7978)", "Intel", "Intel(R) Xeon(R) CPU            5150  @ 2.66GHz", [3]int{6, 15, 6}, 8, fbd, numbered("DIMM %d", false))
	add("LENOVO", "ThinkServer RD220", "Intel", x5570, [3]int{6, 26, 5}, 8, ddr3, func(cpu, channel, _ int) (string, string) {
		return fmt.Sprintf("DIMM %d", cpu*8+channel+1), fmt.Sprintf("Bank %d", channel)
	})
	add("LENOVO", "ThinkServer TD200", "Intel", x5570, [3]int{6, 26, 5}, 8, ddr3, over(8))
	add("Lenovo", "ThinkSystem SR630", "Intel", gold6130, [3]int{6, 85, 4}, 12, ddr4, over(12))
	add("Lenovo", "ThinkSystem SR550", "Intel", gold6130, [3]int{6, 85, 4}, 6, ddr4, over(6))
	add("Lenovo", "ThinkSystem SD630 V2", "Intel", gold6330, [3]int{6, 106, 6}, 8, ddr4, over(8))
	add("Lenovo", "ThinkSystem ST650 V3", "Intel", gold6430, [3]int{6, 143, 8}, 16, ddr5, mirrored)
	for _, product := range []string{"ThinkSystem SR630 V4", "ThinkSystem SR860 V4"} {
		add("Lenovo", product, "Intel", "Intel(R) Xeon(R) 6740P", [3]int{6, 173, 1}, 16, ddr5, over(16))
	}
	add("Lenovo", "ThinkSystem SC750 V4", "Intel", "Intel(R) Xeon(R) 6972P", [3]int{6, 173, 1}, 12, ddr5, over(12))
	add("Lenovo", "ThinkSystem SR950 V3", "Intel", "Intel(R) Xeon(R) Platinum 8490H", [3]int{6, 143, 8}, 8, ddr5, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM %c%d", 'A'+channel, slot+1), fmt.Sprintf("Board/CPU %d", cpu)
	})
	add("Lenovo", "ThinkSystem SR665", amd, "AMD EPYC 7402 24-Core Processor", [3]int{23, 49, 0}, 16, ddr4, over(16))
	add("Lenovo", "ThinkSystem SR655 V3", amd, "AMD EPYC 9354 32-Core Processor", [3]int{25, 17, 1}, 12, ddr5, over(12))
	add("Lenovo", "ThinkSystem SD535 V3", amd, "AMD EPYC 9354 32-Core Processor", [3]int{25, 17, 1}, 12, ddr5, over(12))
	add("Lenovo", "ThinkEdge SE455 V3", amd, "AMD EPYC 8324P 32-Core Processor", [3]int{25, 160, 2}, 6, ddr5, over(6))
	add("Dell Inc.", "NX440", "Intel", "Intel(R) Xeon(R) E-2224 CPU @ 3.40GHz", [3]int{6, 158, 10}, 4, ddr4, func(_, channel, _ int) (string, string) {
		return fmt.Sprintf("A%d", channel+1), ""
	})
	add("Dell Inc.", "PowerEdge R815", amd, "AMD Opteron(TM) Processor 6276", [3]int{21, 1, 2}, 8, ddr3, dell)
	add("HP", "ProLiant XL220a Gen8 v2", "Intel", "Intel(R) Xeon(R) CPU E3-1231 v3 @ 3.40GHz", [3]int{6, 60, 3}, 4, ddr3, hp)
	// The letter after the number is the pair's; numbers start again on each of a processor's two cartridges.
	add("HP", "ProLiant DL580 G7", "Intel", "Intel(R) Xeon(R) CPU           X7560  @ 2.27GHz", [3]int{6, 46, 6}, 16, ddr3, func(cpu, channel, _ int) (string, string) {
		return fmt.Sprintf("Board %d, DIMM %d%c", 2*cpu+channel/8+1, channel%8+1, "ACBDDBCA"[channel%8]), ""
	})
	add("Oracle Corporation", "ORACLE SERVER X7-8", "Intel", gold6130, [3]int{6, 85, 4}, 12, ddr4, oracle)
	add("Fujitsu", "PRIMERGY TX1310 M5", "Intel", "Intel(R) Xeon(R) E-2324G CPU @ 3.10GHz", [3]int{6, 167, 1}, 2, ddr4, fujitsu("AB", 2))
	add("FUJITSU", "PRIMERGY TX1310 M3", "Intel", "Intel(R) Xeon(R) CPU E3-1225 v6 @ 3.30GHz", [3]int{6, 158, 9}, 2, ddr4, func(_, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM CH%c%d", 'A'+channel, 2*slot+channel+1), fmt.Sprintf("BANK %d", 2*channel+1-slot)
	})
	add("Fujitsu", "PRIMERGY RX2540 M4", "Intel", gold6130, [3]int{6, 85, 4}, 6, ddr4, fujitsu("ABCDEFGHJKLM", 6))
	add("Fujitsu", "PRIMERGY RX200 S8", "Intel", "Intel(R) Xeon(R) CPU E5-2640 v2 @ 2.00GHz", [3]int{6, 62, 4}, 4, ddr3, fujitsu("ABCDEFGH", 4))
	add("Supermicro", "X9DRi-LN4+", "Intel", "Intel(R) Xeon(R) CPU E5-2640 0 @ 2.50GHz", [3]int{6, 45, 7}, 4, ddr3, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("P%d-DIMM%c%d", cpu+1, 'A'+4*cpu+channel, slot+1), fmt.Sprintf("P%d_Node0_Channel%d_Dimm%d", cpu, channel, slot)
	})
	add("Intel Corporation", "S1200SP", "Intel", "Intel(R) Xeon(R) CPU E3-1220 v5 @ 3.00GHz", [3]int{6, 94, 3}, 2, ddr4, func(_, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", 'A'+channel, slot+1), fmt.Sprintf("NODE 0 CHANNEL %d DIMM %d", channel, slot+1)
	})
	add("Cisco Systems Inc", "UCSC-C22-M3S", "Intel", e52430, [3]int{6, 45, 7}, 3, ddr3, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_%c%d", 'A'+3*cpu+channel, slot), fmt.Sprintf("NODE %d CHANNEL %d DIMM %d", cpu, channel, slot)
	})
	add("GIGABYTE", "MZ72-HB0-00", amd, "AMD EPYC 7413 24-Core Processor", [3]int{25, 1, 1}, 8, ddr4, func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM_P%d_%c%d", cpu, 'A'+8*cpu+channel, slot), "BANK 0"
	})
	for product, depth := range map[string]int{"ThinkSystem SR950 V3": 2, "PRIMERGY TX1310 M3": 2, "PRIMERGY TX1310 M5": 2, "PRIMERGY RX2540 M4": 2, "PRIMERGY RX200 S8": 3, "X9DRi-LN4+": 3, "UCSC-C22-M3S": 2, "S1200SP": 2} {
		deep := out[product]
		deep.Depth = depth
		out[product] = deep
	}
	for _, product := range []string{"NX440", "ProLiant XL220a Gen8 v2", "PRIMERGY TX1310 M3", "PRIMERGY TX1310 M5", "S1200SP", "ThinkSystem SR655 V3", "ThinkEdge SE455 V3"} {
		alone := out[product]
		alone.Single = true
		out[product] = alone
	}
	return out
}

// fujitsu prints the slot's number before the channel's letter, which continues over the processors.
func fujitsu(letters string, channels int) func(cpu, channel, slot int) (string, string) {
	return func(cpu, channel, slot int) (string, string) {
		return fmt.Sprintf("DIMM-%d%c", slot+1, letters[cpu*channels+channel]), ""
	}
}

// TestWaysSlotSets checks for every number of modules in a vendor's manual that the plan of that product names the
// manual's slots first, then the other sets that it calls equally good, and that there is no configuration for a
// forbidden number. The unit tests use every second number of each product, make corpus all.
func TestWaysSlotSets(t *testing.T) {
	p := pipeline(t)
	servers, targets := documentedServers(), map[string]*plan.Target{}
	rows := map[string]int{}
	for _, row := range documentedRows(t) {
		s, ok := servers[row.product]
		require.True(t, ok, row.product)
		if rows[row.product]++; rows[row.product]%2 == 0 && !corpustest.Stage {
			continue
		}
		target := targets[row.product]
		if target == nil {
			sys := collecttest.Read(t, row.product, s.Table(func(_, _, _ int) bool { return true }).Dump())
			var why string
			target, why = plan.ForMachine(sys, p.Derive(sys), p)
			require.Empty(t, why, row.product)
			targets[row.product] = target
		}
		ways, _, _ := target.Ways(int64(row.modules*target.Sockets)<<35, true)
		var first, also []string
		for i := range ways {
			if len(ways[i].Slots) != row.modules || len(ways[i].DIMMs) != 1 {
				continue
			}
			first = append(first, labels(ways[i].Slots))
			for _, other := range ways[i].Also {
				also = append(also, labels(other))
			}
			require.NotEqual(t, "general practice", ways[i].Source, "%s with %d", row.product, row.modules)
		}
		var want []string
		for _, set := range row.sets {
			want = append(want, labels(printed(&s, set)))
		}
		require.Equal(t, want[:min(len(want), 1)], first[:min(len(first), 1)], "%s with %d", row.product, row.modules)
		require.ElementsMatch(t, want, append(first, also...), "%s with %d", row.product, row.modules)
	}
}

// documentedRow is one row of testdata/slot-sets.tsv; sets are empty if the vendor does not allow the number.
type documentedRow struct {
	product string
	modules int
	sets    [][]string
}

func documentedRows(t *testing.T) []documentedRow {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "slot-sets.tsv"))
	require.NoError(t, err)
	var out []documentedRow
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		require.Len(t, c, 4, line)
		n, err := strconv.Atoi(c[1])
		require.NoError(t, err)
		row := documentedRow{product: c[0], modules: n}
		for set := range strings.FieldsSeq(c[2]) {
			if set != "-" {
				row.sets = append(row.sets, strings.Split(set, ","))
			}
		}
		out = append(out, row)
	}
	return out
}

// printed are the labels of the first processor's slots with the name in a row: by number, by letter and digit, or by
// board and number.
func printed(s *machinetest.Server, set []string) []string {
	var out []string
	for _, word := range set {
		board, number, boards := strings.Cut(word, "/")
		if !boards {
			number = word
		}
		n, err := strconv.Atoi(number)
		for slot := range s.Channels * s.Depth {
			label, _ := s.Label(0, slot%s.Channels, slot/s.Channels)
			numbered := err == nil && place.PrintedNumber(label) == n && (!boards || strings.HasPrefix(label, "Board "+board+","))
			if numbered || err != nil && strings.HasSuffix(label, word) {
				out = append(out, label)
			}
		}
	}
	return out
}

// labels joins the names of a set's slots, which has no order, without the bank that precedes labels that repeat.
func labels(slots []string) string {
	out := make([]string, len(slots))
	for i, name := range slots {
		out[i] = name[strings.LastIndex(name, "/")+1:]
	}
	slices.SortFunc(out, func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
	return strings.Join(out, ",")
}
