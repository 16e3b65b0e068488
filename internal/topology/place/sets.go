package place

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"memaudit.example/memaudit/internal/model/inventory"
	"memaudit.example/memaudit/internal/topology/platform"
)

const setsFile = "slots/sets.tsv"

// Sets are the slots that a product's vendor fills, by the number of DIMMs per CPU.
type Sets struct {
	// Analogous is true if the manual is a sister model's, because the product's own was not read.
	Analogous bool
	// numbering is how the slots of further CPUs are named: "" as those of the first; other values see
	// rules/slots/sets.tsv.
	numbering string
	// addresses are the URLs of documents, by the beginnings of their names.
	addresses map[string]string
	// Rows are by the number of DIMMs of a CPU (of the machine on a front-side bus).
	Rows map[int]SetRow
}

// NotAllowed is the grade of a number of DIMMs that the vendor does not allow.
const NotAllowed = "not-allowed"

// SetRow is one row of a vendor's table: sets of slot numbers that are equally good, empty if the vendor does
// not allow the number of DIMMs. Modes are the sets for lockstep, mirroring and sparing.
type SetRow struct {
	Sets, Modes [][]int
	// Grade is the vendor's, or derived from its rules: balanced, near-balanced, supported, listed, unbalanced,
	// not-recommended, not-allowed.
	Grade string
	// Source names vendor, document and section.
	Source string
	// Printed is true if the document prints the set, Derived if it prints an order of filling or channels
	// instead; some rows have neither.
	Printed, Derived bool
	// Sister is true if the document is another model's.
	Sister bool
}

// ReadSets finds the sets for a machine by its product's name, or otherwise by that of its board, which the
// slot labels are printed on. It returns nil if there are none.
func ReadSets(k fs.FS, m *inventory.Machine) *Sets {
	if k == nil {
		return nil
	}
	raw, _ := fs.ReadFile(k, setsFile)
	for _, name := range NamesOf(k, m).Models {
		if found := findSets(string(raw), name); found != nil {
			return found
		}
	}
	return nil
}

// The product's own manuals take precedence over sister models', longer names over shorter ones.
func findSets(text, product string) *Sets {
	var found, into *Sets
	length := 0 // length of the matching name, own manuals first
	addresses := map[string]string{}
	for line := range strings.Lines(text) {
		if source, ok := strings.CutPrefix(line, "document\t"); ok {
			source, address, _ := strings.Cut(strings.TrimSuffix(source, "\n"), "\t")
			addresses[source] = address
			continue
		}
		head := strings.HasPrefix(line, "set\t")
		if !head && into == nil || line[0] == '#' {
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		if !head {
			switch c := strings.Split(line, "\t"); len(c) {
			case 4: // a site's manual for its own machines
				into.add(append(c, "-"), false)
			case 6:
				into.add(c, platform.LengthOfName(c[5], product) == 0)
			}
			continue
		}
		if c := append(strings.Split(line, "\t"), ""); len(c) > 4 { // the last cell may be missing
			into = nil
			own, sister := platform.LengthOfName(c[2], product), platform.LengthOfName(c[3], product)
			analogous := own == 0
			if n := max(own, sister); n > 0 && (found == nil || found.Analogous && !analogous || found.Analogous == analogous && n > length) {
				found, length = &Sets{Analogous: analogous, addresses: addresses, Rows: map[int]SetRow{}}, n
				found.numbering = c[4]
				into = found
			}
		}
	}
	return found
}

func (s *Sets) add(c []string, sister bool) {
	n, err := strconv.Atoi(c[0])
	if err != nil {
		return
	}
	var sets [][]int
	for set := range strings.FieldsSeq(c[1]) {
		var numbers []int
		for word := range strings.SplitSeq(set, ",") {
			if v := s.parseSlot(word); v >= 0 {
				numbers = append(numbers, v)
			}
		}
		slices.Sort(numbers)
		if len(numbers) == n {
			sets = append(sets, numbers)
		}
	}
	row := s.Rows[n]
	if c[2] == "mode" {
		row.Modes = sets
	} else {
		row.Sets, row.Grade, row.Source, row.Sister = sets, c[2], c[3], sister
		row.Printed, row.Derived = c[4] == "printed", c[4] == "order"
	}
	s.Rows[n] = row
}

// Document returns the document for a number of DIMMs, with a note if it is a sister model's or does not print
// the set itself; "" if there is none.
func (s *Sets) Document(modules int) string {
	row := s.Rows[modules]
	var notes []string
	if s.Analogous || row.Sister {
		notes = append(notes, "manual of a sister model")
	}
	if row.Derived {
		notes = append(notes, "set derived, not printed")
	}
	if row.Source == "" || len(notes) == 0 {
		return row.Source
	}
	return row.Source + " (" + strings.Join(notes, ", ") + ")"
}

// URL returns the address of a document, as Document returns it; "" if none is known.
func (s *Sets) URL(source string) string {
	longest := ""
	for name := range s.addresses {
		if strings.HasPrefix(source, name) && len(name) > len(longest) {
			longest = name
		}
	}
	return s.addresses[longest]
}

// Conditional is the grade of a number of DIMMs that the vendor allows under a condition that no input shows, which
// the row's document ends with.
const Conditional = "conditional"

// manualPage is the page in the name of a document of the rows: "Dell, PowerEdge R610 Technical Guide p29".
var manualPage = regexp.MustCompile(` p\d.*`)

// SisterManual returns the name, without the page, of the manual that a document of the rows is, as Document returns it, if
// that is a sister model's; "" for another document.
func (s *Sets) SisterManual(source string) string {
	if s == nil {
		return ""
	}
	for n, row := range s.Rows {
		if (s.Analogous || row.Sister) && source == s.Document(n) {
			return manualPage.ReplaceAllString(row.Source, "")
		}
	}
	return ""
}

// CompareOrder compares two slots of a channel by the sets that contain only one of them: -1 if all of these fill x, 1
// if all fill y, 0 if there are none, they differ, or a number is unknown.
func (s *Sets) CompareOrder(x, y int) int {
	if x < 0 || y < 0 {
		return 0
	}
	order := 0
	for _, row := range s.Rows {
		for _, set := range row.Sets {
			hasX, hasY := slices.Contains(set, x), slices.Contains(set, y)
			switch {
			case hasX == hasY:
			case hasX && order <= 0:
				order = -1
			case hasY && order >= 0:
				order = 1
			default:
				return 0
			}
		}
	}
	return order
}

// ListsSlots reports whether the row lists the slots with those sorted numbers as a set of its own.
func (r *SetRow) ListsSlots(filled []int) bool { return isListed(r.Sets, filled) }

// HasMode reports whether the slots are a set for a mode that costs bandwidth or capacity.
func (r *SetRow) HasMode(filled []int) bool { return isListed(r.Modes, filled) }

func isListed(sets [][]int, filled []int) bool {
	return slices.ContainsFunc(sets, func(set []int) bool { return slices.Equal(set, filled) })
}

// Naming schemes for the slots of further CPUs.
const (
	lettered      = "letters"        // the letter is the channel, the digit the slot in it
	letteredFrom0 = "letters from 0" // the same with digits from 0
	mirrored      = "-n"             // 33-n: counted from the other end
	perBoard      = " boards"        // 2 boards: boards per CPU; numbers restart on each
)

// parseSlot parses a slot of a row: its number; for a letter and a digit (A1, 1A) the channel times a hundred plus
// the slot, both from 1; for a board and a number on it (2/8) the board times a hundred plus the number; -1 for
// anything else.
func (s *Sets) parseSlot(word string) int {
	switch {
	case s.numbering == lettered, s.numbering == letteredFrom0:
		first := map[string]int{lettered: 1, letteredFrom0: 0}[s.numbering]
		letter := strings.Trim(word, "0123456789")
		digit, err := strconv.Atoi(strings.Trim(word, "ABCDEFGHIJKLMNOP"))
		if len(letter) != 1 || err != nil || digit < first || digit > 9 {
			return -1
		}
		return (int(letter[0]-'A')+1)*partStep + digit - first + 1
	case strings.HasSuffix(s.numbering, perBoard):
		board, number, _ := strings.Cut(word, "/")
		b, _ := strconv.Atoi(board)
		n, err := strconv.Atoi(number)
		if err != nil || b < 1 {
			return -1
		}
		return b*partStep + n
	}
	v, err := strconv.Atoi(word)
	if err != nil {
		return -1
	}
	return v
}

// partStep separates the channel, or the board, from the slot in one number.
const partStep = 100

// SlotNumber returns the number that the rows use for a slot: its printed number as counted on the first CPU,
// channel and slot if letters name them, or board and number if each board counts from zero; -1 if unknown.
func (s *Sets) SlotNumber(label string, at *Placement) int {
	if s.numbering == lettered || s.numbering == letteredFrom0 {
		if at.Channel < 0 || at.Slot < 0 || at.Unverified || at.Doubt != "" {
			return -1
		}
		return (at.Channel+1)*partStep + at.Slot + 1
	}
	n := PrintedNumber(label)
	if n < 1 || s.numbering == "" {
		return n
	}
	if boards, ok := strings.CutSuffix(s.numbering, perBoard); ok {
		each, _ := strconv.Atoi(boards)
		board := firstNumber(label)
		if each < 1 || board < 1 {
			return -1
		}
		return ((board-1)%each+1)*partStep + n
	}
	if end, ok := strings.CutSuffix(s.numbering, mirrored); ok {
		if last, err := strconv.Atoi(end); err == nil && 2*n >= last {
			return last - n
		}
		return n
	}
	if each, err := strconv.Atoi(strings.TrimPrefix(s.numbering, "+")); err == nil && each > 0 {
		return (n-1)%each + 1
	}
	return -1
}

// PrintedNumber returns the last number of a label: 4 of "DIMM_A4", 7 of "PROC 1 DIMM 7I"; -1 if it has none.
func PrintedNumber(label string) int {
	end := strings.LastIndexAny(label, "0123456789") + 1
	start := len(strings.TrimRight(label[:end], "0123456789"))
	n, err := strconv.Atoi(label[start:end])
	if err != nil {
		return -1
	}
	return n
}

// firstNumber is 3 of "Board 3, DIMM 1A"; -1 of a label with fewer than two numbers.
func firstNumber(label string) int {
	numbers := strings.FieldsFunc(label, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) < 2 {
		return -1
	}
	n, err := strconv.Atoi(numbers[0])
	if err != nil {
		return -1
	}
	return n
}

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
	raw, _ := fs.ReadFile(k, "slots/order.tsv")
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

// FillPosition returns the position of the slot with that label in its channel's filling order, from 0; Unplaced if the
// document does not list the label or the placement is uncertain.
func (o *FillOrder) FillPosition(label string, at *Placement) int {
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
	n := len(printed) - 2 // the channel is the last sign but one
	if n < 0 || len(label) < len(printed) {
		return false
	}
	before, end := label[:len(label)-len(printed)], label[len(label)-len(printed):]
	if before != "" && isLetterOrDigit(before[len(before)-1]) {
		return false
	}
	return strings.EqualFold(end[:n], printed[:n]) && isLetterOrDigit(end[n]) && isDigit(end[n]) == isDigit(printed[n]) && strings.EqualFold(end[n+1:], printed[n+1:])
}

func isLetterOrDigit(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'z' }
