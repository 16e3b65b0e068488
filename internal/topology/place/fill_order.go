package place

import (
	"io/fs"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

const orderFile = "slots/order.tsv"

// FillOrder is the order in which a board's vendor fills the slots of a channel, for labels that name channel
// and slot.
type FillOrder struct {
	// labels are those of one channel, as printed in the document, in filling order.
	labels []string
	// Source names vendor, document and section.
	Source string
	// URL is the document's address, "" if none is known.
	URL string
}

// ReadFillOrder finds the filling order for the machine's board, which the labels are printed on, or otherwise
// for its product. It returns nil if there is none.
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
			if line[0] == '#' || platform.LengthOfName(boards, name) == 0 {
				continue
			}
			labels, rest, _ := strings.Cut(rest, "\t")
			source, address, _ := strings.Cut(rest, "\t")
			return &FillOrder{labels: strings.Split(labels, ","), Source: source, URL: address}
		}
	}
	return nil
}

// Turn returns the position of the slot with that label in its channel's filling order, from 0; Unplaced if the
// document does not list the label or the placement is uncertain.
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

// sameSlot reports whether label is the same slot on its own channel as printed is on the channel in the
// document: the last character is the slot, the one before it the channel, which may differ, and the rest must
// match ("ONBOARD DIMM_C1" and "DIMM_A1").
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

// channelSign is the position of the channel in a label, counted from its end.
const channelSign = 2

func isSign(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }
