package metrics

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/ddr"
	"memaudit.example/memaudit/internal/model/fact"
	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/model/nullable"
	"memaudit.example/memaudit/internal/report"
	"memaudit.example/memaudit/internal/report/printable"
)

// Signature returns the same text for two machines if and only if the same kinds of modules are in the same
// places: "12x16GiB-1f0c9a77d2e4". A place is the CPU, channel and slot if these are known, otherwise the label
// on the board. Vendors, part numbers and running speeds do not count: they differ within one order. It is ""
// for a machine with unknown slots.
func Signature(inv *report.Inventory) string {
	if len(inv.Slots) == 0 {
		return ""
	}
	lines := make([]string, 0, len(inv.Slots)+1)
	for i := range inv.Slots {
		lines = append(lines, slotLine(&inv.Slots[i]))
	}
	slices.Sort(lines)
	lines = append(lines, "sockets "+strconv.Itoa(processorCount(inv.Sockets)))
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return sizesWord(inv.Slots) + "-" + hex.EncodeToString(sum[:6])
}

func slotLine(s *inventory.Slot) string {
	place := "label " + printable.Clean(s.BankLocator.Text()) + "/" + printable.Clean(s.Locator.Text())
	if s.Socket != nil && s.Channel != nil && s.Slot != nil {
		place = "place " + nullable.Text(s.Socket, "") + "." + nullable.Text(s.Channel, "") + "." + nullable.Text(s.Slot, "")
	}
	if s.State != "populated" {
		return place + " " + string(s.State)
	}
	return strings.Join([]string{place, s.SizeBytes.Text(), s.Technology.Text(), s.Type.Text(), s.Ranks.Text(), s.Registered.Text(),
		fact.Convert(s.RatedMTs, ddr.Nominal).Text(), s.TotalWidth.Text()}, " ")
}

func processorCount(sockets []inventory.Socket) int {
	n := 0
	for i := range sockets {
		if sockets[i].Populated.Or(true) {
			n++
		}
	}
	return n
}

// sizesWord counts modules by size, the largest first: "6x16GiB+6x8GiB".
func sizesWord(slots []inventory.Slot) string {
	count := map[int64]int{}
	eachModule(slots, func(s *inventory.Slot) {
		count[s.SizeBytes.Or(0)]++
	})
	sizes := make([]int64, 0, len(count))
	for size := range count {
		sizes = append(sizes, size)
	}
	slices.SortFunc(sizes, func(a, c int64) int { return cmp.Compare(c, a) })
	words := make([]string, 0, len(sizes))
	for _, size := range sizes {
		words = append(words, strconv.Itoa(count[size])+"x"+sizeWord(size))
	}
	if len(words) == 0 {
		return "empty"
	}
	return strings.Join(words, "+")
}

func sizeWord(size int64) string {
	switch {
	case size == 0:
		return "?"
	case size%(1<<30) == 0:
		return strconv.FormatInt(size>>30, 10) + "GiB"
	default:
		return strconv.FormatInt(size>>20, 10) + "MiB"
	}
}
