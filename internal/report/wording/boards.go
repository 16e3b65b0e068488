package wording

import (
	"strings"

	"github.com/memaudit/memaudit/internal/report"
	"github.com/memaudit/memaudit/internal/report/printable"
)

// Boards names, by controller, the board that the slots of a processor sit on,
// where their own labels repeat and the banks tell them apart: 1A on MEM-A, and 1A
// on MEM-B. It is empty where labels tell slots apart, or where a controller's slots
// sit on several boards, or two controllers' on one.
func Boards(inv *report.Inventory, slots []*report.Slot) map[int]string {
	labels, boards, controllers := map[string]bool{}, map[int]string{}, map[string]int{}
	repeated := false
	for _, s := range slots {
		bank := report.OrEmpty(s.BankLocator)
		if s.Controller == nil || bank == "" {
			return nil
		}
		known, seen := boards[*s.Controller]
		owner, owned := controllers[bank]
		if seen && known != bank || owned && owner != *s.Controller {
			return nil
		}
		boards[*s.Controller], controllers[bank] = bank, *s.Controller
		label := report.OrEmpty(s.Locator)
		repeated = repeated || labels[label]
		labels[label] = true
	}
	if !repeated {
		return nil
	}
	processor := report.Designation(inv, slots[0].Socket)
	for id, bank := range boards {
		if short := strings.TrimLeft(strings.TrimPrefix(bank, processor), " _-/.:"); short != "" {
			bank = short
		}
		boards[id] = printable.Clean(bank)
	}
	return boards
}
