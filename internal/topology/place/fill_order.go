package place

import (
	"io/fs"
	"strings"

	"github.com/memaudit/memaudit/internal/model/inventory"
)

// orderFile holds in which order the slots of a channel are filled, by label.
const orderFile = "slots/order.tsv"

// FillOrder says which slot of a channel a board's maker fills first, where the labels
// name channel and slot.
type FillOrder struct {
	// labels are those of one channel, as the document prints them, first to fill first.
	labels []string
	// Source names maker, document and place.
	Source string
}

// ReadFillOrder finds the order of a machine's board, which bears the labels, else of its
// product. nil without.
func ReadFillOrder(k fs.FS, m *inventory.Machine) *FillOrder {
	if k == nil {
		return nil
	}
	raw, err := fs.ReadFile(k, orderFile)
	if err != nil {
		return nil
	}
	for _, name := range []string{m.Board.Or(""), m.Product.Or("")} {
		if name == "" {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			boards, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if line[0] == '#' || lengthOfName(boards, name) == 0 {
				continue
			}
			labels, source, _ := strings.Cut(rest, "\t")
			return &FillOrder{labels: strings.Split(labels, ","), Source: source}
		}
	}
	return nil
}

// Turn is when the slot with that label is filled on its channel, from 0; Unplaced where
// the document prints no such label, or its place is not sure.
func (o *FillOrder) Turn(label string, at *Placement) int {
	if o == nil || at.Channel == Unplaced || at.Slot == Unplaced || at.Unverified || at.Doubt != "" {
		return Unplaced
	}
	for turn, printed := range o.labels {
		if sameSlot(strings.TrimSpace(label), printed) {
			return turn
		}
	}
	return Unplaced
}

// sameSlot reports whether a label names the slot of that printed one on its own channel:
// the last sign is the slot's, the one before it the channel's, which may be any of its
// kind, and what stands before these is the printed label's ("ONBOARD DIMM_C1" as "DIMM_A1").
func sameSlot(label, printed string) bool {
	n := len(printed) - channelSign
	if n < 0 || len(label) < len(printed) {
		return false
	}
	before, end := label[:len(label)-len(printed)], label[len(label)-len(printed):]
	if before != "" && isSign(before[len(before)-1]) {
		return false
	}
	return strings.EqualFold(end[:n], printed[:n]) && isSign(end[n]) && isDigit(end[n]) == isDigit(printed[n]) && strings.EqualFold(end[n+1:], printed[n+1:])
}

// channelSign is where the channel stands in a label, from its end.
const channelSign = 2

// isSign reports whether a byte is a letter or a digit.
func isSign(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }
