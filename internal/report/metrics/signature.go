package metrics

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/memaudit/memaudit/internal/model/ddr"
	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
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

func slotLine(s *report.Slot) string {
	place := "label " + printable.Clean(string(s.BankLocator)) + "/" + printable.Clean(string(s.Locator))
	if s.Socket != nil && s.Channel != nil && s.Slot != nil {
		place = "place " + numberWord(s.Socket) + "." + numberWord(s.Channel) + "." + numberWord(s.Slot)
	}
	if s.State != "populated" {
		return place + " " + s.State
	}
	size := ""
	if s.SizeBytes != nil {
		size = strconv.FormatInt(*s.SizeBytes, 10)
	}
	return strings.Join([]string{place, size, string(s.Technology), string(s.Type), numberWord(s.Ranks), truthWord(s.Registered),
		rateWord(s.RatedMTs), numberWord(s.TotalWidthBits)}, " ")
}

// rateWord returns a speed by its printed name: for one kind of module some firmware reports 2933 and some
// 2934.
func rateWord(mts *int) string {
	if mts == nil {
		return ""
	}
	return strconv.Itoa(ddr.Nominal(*mts))
}

func processorCount(sockets []report.Socket) int {
	n := 0
	for i := range sockets {
		if p := sockets[i].Populated; p == nil || *p {
			n++
		}
	}
	return n
}

// sizesWord counts modules by size, the largest first: "6x16GiB+6x8GiB".
func sizesWord(slots []report.Slot) string {
	count := map[int64]int{}
	eachModule(slots, func(s *report.Slot) {
		size := int64(0)
		if s.SizeBytes != nil {
			size = *s.SizeBytes
		}
		count[size]++
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
