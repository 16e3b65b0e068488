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
	var own, sister *Sets
	var into *Sets
	for line := range strings.Lines(string(raw)) {
		head := strings.HasPrefix(line, "set\t")
		if !head && into == nil || line[0] == '#' {
			continue
		}
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(c) != 4:
		case head:
			into = nil
			if own == nil && names(c[2], product) {
				own = &Sets{Rows: map[int]SetRow{}}
				into = own
			} else if sister == nil && names(c[3], product) {
				sister = &Sets{Rows: map[int]SetRow{}, Analogous: true}
				into = sister
			}
		default:
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

func (s *Sets) add(c []string) {
	n, err := strconv.Atoi(c[0])
	if err != nil {
		return
	}
	var sets [][]int
	for set := range strings.FieldsSeq(c[1]) {
		var numbers []int
		for word := range strings.SplitSeq(set, ",") {
			if v, err := strconv.Atoi(word); err == nil {
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

// Has reports whether the row lists the slots with those numbers, sorted, as a
// set of its own.
func (r *SetRow) Has(filled []int) bool { return has(r.Sets, filled) }

// HasMode reports whether the slots are a set of a mode that costs bandwidth or
// capacity.
func (r *SetRow) HasMode(filled []int) bool { return has(r.Modes, filled) }

func has(sets [][]int, filled []int) bool {
	return slices.ContainsFunc(sets, func(set []int) bool { return slices.Equal(set, filled) })
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
