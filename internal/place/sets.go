package place

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// setsFile holds the makers' slot sets.
const setsFile = "slots/sets.tsv"

// Sets says which slots a product's maker fills for a number of modules.
type Sets struct {
	// Analogous is true for a sister's manual: the product's own was not read.
	Analogous bool
	// numbering says how the slots of further processors are named: "" as those of
	// the first, else see rules/slots/sets.tsv.
	numbering string
	// Rows are by the number of modules of a processor (of a machine on a
	// front-side bus).
	Rows map[int]SetRow
}

// SetRow is one row of a maker's table: sets of slot numbers that are equally
// good, none where the maker does not allow the number. Modes are the sets of
// lockstep, mirroring and sparing.
type SetRow struct {
	Sets, Modes [][]int
	// Grade is the maker's, or ours by its rules: balanced, near-balanced,
	// supported, listed, unbalanced, not-recommended, not-allowed.
	Grade string
	// Source names maker, document and place.
	Source string
}

// ReadSets finds the sets of a product, nil without.
func ReadSets(k fs.FS, product string) *Sets {
	if k == nil || product == "" {
		return nil
	}
	raw, err := fs.ReadFile(k, setsFile)
	if err != nil {
		return nil
	}
	var found, into *Sets
	length := 0 // of the name that fits, own manuals first
	for line := range strings.Lines(string(raw)) {
		head := strings.HasPrefix(line, "set\t")
		if !head && into == nil || line[0] == '#' {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case !head && len(c) == 4:
			into.add(c)
		case head && len(c) >= 4:
			into = nil
			own, sister := named(c[2], product), named(c[3], product)
			analogous := own == 0
			if n := max(own, sister); n > 0 && (found == nil || found.Analogous && !analogous || found.Analogous == analogous && n > length) {
				found, length = &Sets{Analogous: analogous, Rows: map[int]SetRow{}}, n
				if len(c) > 4 {
					found.numbering = c[4]
				}
				into = found
			}
		}
	}
	return found
}

// named is the length of the name in a list of models that a product begins with,
// 0 without one. A version or a generation after the name is another model.
func named(models, product string) int {
	longest := 0
	for m := range strings.SplitSeq(models, ";") {
		rest, ok := strings.CutPrefix(product, m)
		if m != "" && ok && (rest == "" || rest[0] == ' ' && !anotherModel(rest)) {
			longest = max(longest, len(m))
		}
	}
	return longest
}

// anotherModel reports whether the words after a model's name make another model
// of it: "V2", "Plus", "II", "Gen10", "M5".
func anotherModel(rest string) bool {
	words := strings.Fields(strings.ToLower(rest))
	if len(words) == 0 {
		return false
	}
	w := words[0]
	if w == "plus" || strings.Trim(w, "i") == "" {
		return true
	}
	number := strings.TrimLeft(w, "0123456789")
	for _, prefix := range []string{"gen", "v", "m", "g"} {
		if left, ok := strings.CutPrefix(w, prefix); ok && left != "" {
			number = strings.TrimLeft(left, "0123456789")
		}
	}
	return number == ""
}

func (s *Sets) add(c []string) {
	n, err := strconv.Atoi(c[0])
	if err != nil {
		return
	}
	var sets [][]int
	for set := range strings.FieldsSeq(c[1]) {
		var numbers []int
		for word := range strings.SplitSeq(set, ",") {
			if v := s.slot(word); v >= 0 {
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
		row.Sets, row.Grade, row.Source = sets, c[2], c[3]
	}
	s.Rows[n] = row
}

// sisterModel marks a document of another model.
const sisterModel = " (a sister model with the same slot numbers)"

// Document names the document of a number of modules, "" when none speaks of it.
func (s *Sets) Document(modules int) string {
	row := s.Rows[modules]
	if row.Source != "" && s.Analogous {
		return row.Source + sisterModel
	}
	return row.Source
}

// Order compares two slots of a channel by the sets that have one of them without
// the other: -1 when all of these fill x, 1 when all fill y, 0 when there is none,
// they differ, or a number is not known.
func (s *Sets) Order(x, y int) int {
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

// Has reports whether the row lists the slots with those numbers, sorted, as a
// set of its own.
func (r *SetRow) Has(filled []int) bool { return has(r.Sets, filled) }

// HasMode reports whether the slots are a set of a mode that costs bandwidth or
// capacity.
func (r *SetRow) HasMode(filled []int) bool { return has(r.Modes, filled) }

func has(sets [][]int, filled []int) bool {
	return slices.ContainsFunc(sets, func(set []int) bool { return slices.Equal(set, filled) })
}

// Ways of naming the slots of further processors.
const (
	lettered = "letters" // the letter is the channel, the digit the slot in it
	mirrored = "-n"      // 33-n: counted from the other end
)

// slot reads a slot of a row: its number, or for a letter and a digit (A1, 1A) the
// channel times a hundred and the slot, both from 1; -1 for anything else.
func (s *Sets) slot(word string) int {
	if s.numbering != lettered {
		v, err := strconv.Atoi(word)
		if err != nil {
			return -1
		}
		return v
	}
	letter := strings.Trim(word, "0123456789")
	digit, err := strconv.Atoi(strings.Trim(word, "ABCDEFGHIJKLMNOP"))
	if len(letter) != 1 || err != nil || digit < 1 || digit > 9 {
		return -1
	}
	return (int(letter[0]-'A')+1)*letterStep + digit
}

// letterStep parts channels in the number of a lettered slot.
const letterStep = 100

// Number is what the rows call a slot: its printed number as the first processor
// counts, or channel and slot where letters name them; -1 when that is not known.
func (s *Sets) Number(label string, at *Placement) int {
	if s.numbering == lettered {
		if at.Channel < 0 || at.Slot < 0 || at.Unverified || at.Doubt != "" {
			return -1
		}
		return (at.Channel+1)*letterStep + at.Slot + 1
	}
	n := PrintedNumber(label)
	if n < 1 || s.numbering == "" {
		return n
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

// PrintedNumber is the last number of a label: 4 of "DIMM_A4", 7 of "PROC 1 DIMM 7I";
// -1 without one.
func PrintedNumber(label string) int {
	end := strings.LastIndexAny(label, "0123456789") + 1
	start := end
	for start > 0 && label[start-1] >= '0' && label[start-1] <= '9' {
		start--
	}
	n, err := strconv.Atoi(label[start:end])
	if err != nil {
		return -1
	}
	return n
}
