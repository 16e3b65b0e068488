package plan

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// setsFile holds the makers' slot sets.
const setsFile = "slots/sets.tsv"

// slotSets says which slots a product's maker fills for a number of modules.
type slotSets struct {
	// analogous is true for a sister's manual: the product's own was not read.
	analogous bool
	// rows are by the number of modules of a processor.
	rows map[int]slotSet
}

// slotSet is one row of a maker's table: sets of slot numbers that are equally
// good, none where the maker does not allow the number.
type slotSet struct {
	sets [][]int
	// grade is the maker's, or ours by its rules: balanced, near-balanced,
	// supported, listed, unbalanced, not-recommended, not-allowed.
	grade, source string
}

// readSets finds the sets of a product, nil without.
func readSets(k fs.FS, product string) *slotSets {
	if k == nil || product == "" {
		return nil
	}
	raw, err := fs.ReadFile(k, setsFile)
	if err != nil {
		return nil
	}
	var own, sister *slotSets
	var into *slotSets
	for line := range strings.Lines(string(raw)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#") || len(c) != 4:
		case c[0] == "set":
			into = nil
			if own == nil && names(c[2], product) {
				own = &slotSets{rows: map[int]slotSet{}}
				into = own
			} else if sister == nil && names(c[3], product) {
				sister = &slotSets{rows: map[int]slotSet{}, analogous: true}
				into = sister
			}
		case into != nil:
			into.add(c)
		}
	}
	if own != nil {
		return own
	}
	return sister
}

// names reports whether a list of models has the product.
func names(models, product string) bool {
	for m := range strings.SplitSeq(models, ";") {
		if m != "" && (product == m || strings.HasPrefix(product, m+" ")) {
			return true
		}
	}
	return false
}

func (s *slotSets) add(c []string) {
	n, err := strconv.Atoi(c[0])
	if err != nil {
		return
	}
	row := slotSet{grade: c[2], source: c[3]}
	for set := range strings.FieldsSeq(c[1]) {
		var numbers []int
		for word := range strings.SplitSeq(set, ",") {
			if v, err := strconv.Atoi(word); err == nil {
				numbers = append(numbers, v)
			}
		}
		slices.Sort(numbers)
		if len(numbers) == n {
			row.sets = append(row.sets, numbers)
		}
	}
	s.rows[n] = row
}

// sisterModel marks a document of another model.
const sisterModel = " (a sister model with the same slot numbers)"

// source names the document that lists the slots, "" when none does.
func (s *slotSets) source(filled []int) string {
	row, ok := s.rows[len(filled)]
	if !ok || !row.has(filled) {
		return ""
	}
	if s.analogous {
		return row.source + sisterModel
	}
	return row.source
}

func (r *slotSet) has(filled []int) bool {
	return slices.ContainsFunc(r.sets, func(set []int) bool { return slices.Equal(set, filled) })
}

// listed reports whether the maker's table has a layout of one processor. A
// number of modules of which the table says nothing is not held against it.
func (b *board) listed(u *unit, layout []int) bool {
	if b.sets == nil {
		return true
	}
	filled := b.filled(u, layout)
	row, ok := b.sets.rows[len(filled)]
	return !ok || row.has(filled)
}

// filled are the numbers of the slots of a unit that a layout fills, sorted.
func (b *board) filled(u *unit, layout []int) []int {
	var out []int
	for _, i := range u.slots {
		if layout[i] != none {
			out = append(out, printed(b.sys.Slots[i].Locator.Or("")))
		}
	}
	slices.Sort(out)
	return out
}

// printed is the last number of a label: 4 of "DIMM_A4", 7 of "PROC 1 DIMM 7I";
// -1 without one.
func printed(label string) int {
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
